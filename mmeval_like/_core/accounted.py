"""AccountedLeaf: the plan of a metric that accounts for samples without a score.

The samples are kept apart by the reason why they have no score, as slices are, so that they are
numbered, exchanged, saved, merged and counted exactly once like all others. Their rows stand for
what the metric's option `unscored` says; for bounds there are two slots, one in which they have the
worst predictions and one in which they have the best.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import isfinite, nan
from typing import Any

import numpy as np

from mmeval_like import arrays
from mmeval_like._base.account import Account
from mmeval_like._base.names import did_you_mean
from mmeval_like._base.warning import quiet
from mmeval_like._core.batch import Batch
from mmeval_like._core.labels import places_of
from mmeval_like._core.leaf import Leaf, class_names, inputs_of, kept_statistic
from mmeval_like._core.reasons import (
    blank,
    check_length,
    chosen,
    chosen_named,
    read_reasons,
    spread,
)
from mmeval_like._core.slot import By, Slot
from mmeval_like._core.view import View
from mmeval_like._intervals.interval import WithIntervals
from mmeval_like._intervals.jackknife.estimand import range_of
from mmeval_like._intervals.spanning import shifted, spanning
from mmeval_like._states.statistic import Statistic, plain
from mmeval_like._states.truths import TRUTH, unknown_truths

__all__ = ["REASON", "AccountedLeaf", "check_policy"]

REASON = "\0reason"
"""The column of the reasons, which no column of a user is called."""


def check_policy(metric: Any) -> None:
    """Refuse an option `unscored` that the metric does not support.

    Raises:
        TypeError: The metric has no bounds, or no prediction that such a number or label could be;
            or it keeps its entries itself.
        ValueError: The number is not finite, or the label is no name of a class.
    """
    policy, name = metric.unscored, type(metric).__name__
    if isinstance(policy, bool) or not isinstance(policy, int | float | str):
        raise TypeError(
            f'unscored must be "drop", "bounds", a number, a label or None, got {policy!r}'
        )
    if isinstance(policy, float) and not isfinite(policy):
        raise ValueError(f"unscored must be a finite number, got {policy}")
    plan = metric.plan
    if metric._captures or plan.lists:
        raise TypeError(
            f"{name} keeps its entries itself, so that unscored= does not apply to it: define "
            f"rows() instead of add()"
        )
    if policy == "drop":
        return
    if isinstance(policy, str) and policy != "bounds":
        _check_label(metric, policy)
        return
    if policy == "bounds" and metric.no_bounds is not None:
        raise _undefined(name, "bounds", f": {metric.no_bounds}")
    try:
        found = [plan.filled(plain(metric.statistic), fill, 0, {}) for fill in plan.fills]
    except (TypeError, ValueError):  # it needs labels
        return
    if None in found:
        raise _undefined(name, "bounds" if policy == "bounds" else f"value {policy!r}")


def _is_label(policy: Any) -> bool:
    return isinstance(policy, str) and policy not in ("drop", "bounds")


def _check_label(metric: Any, label: str) -> None:
    """Refuse a label that no prediction of the metric can be; see `check_policy`."""
    kinds = plain(metric.statistic).class_inputs
    if metric.takes_texts:
        return
    if isinstance(kinds, Mapping) or "predictions" not in kinds:  # a mapping: several classes
        why = ": its predictions are neither texts nor single names of classes"
        raise _undefined(type(metric).__name__, f"value {label!r}", why)
    names = class_names(metric)
    if names is not None and label not in names:
        hint = did_you_mean(label, (*names, "drop", "bounds"))
        raise ValueError(
            f'unscored must be "drop", "bounds", a number or one of the classes {names}, got '
            f"{label!r}{hint}"
        )


def _undefined(name: str, what: str, why: str = "") -> TypeError:
    return TypeError(
        f'{name} defines no {what} for samples without a score{why}; pass unscored="drop", which '
        f"leaves them out and says how many"
    )


@dataclass(frozen=True)
class AccountedLeaf(Leaf):
    """The plan of a metric that accounts for samples without a score.

    Attributes:
        planned: The number of samples of a result, with and without a score.
    """

    planned: int = 0

    @property
    def fills(self) -> Sequence[Any]:
        """What the rows of samples without a score stand for, in each slot."""
        policy = self.metric.unscored
        return ("worst", "best") if policy == "bounds" else (policy,)

    @property
    def slots(self) -> list[Slot]:
        """The slots of the metric, each with the samples apart by their reasons."""
        [slot] = super().slots
        return [slot.within(By((REASON,), fill, self._absent(slot, fill))) for fill in self.fills]

    def wanted(self) -> list[frozenset[Any] | None]:
        """Return None for each slot: all rows, since the samples are apart by their reasons."""
        return [None for _ in self.fills]

    def filled(
        self,
        statistic: Statistic,
        fill: Any,
        count: int,
        inputs: Mapping[str, Any],
        scored: Mapping[str, Any] | None = None,
    ) -> Mapping[str, Any] | None:
        """Return the rows of samples without a score; see `Statistic.filled`.

        Args:
            statistic: The statistic.
            fill: As for `Statistic.filled`, or "drop".
            count: The number of samples.
            inputs: As for `Statistic.filled`.
            scored: The rows of the other samples of the batch; None: there are none.
        """
        if fill == "drop":
            like = scored or {}
            states = statistic.states().items()
            return {name: blank(state, count, like.get(name)) for name, state in states}
        if not _is_label(self.metric.unscored):
            return statistic.filled(fill, count, inputs)
        # A label is the prediction of all these samples.
        named = {"predictions": [fill] * count, **inputs}
        takes = inspect.signature(type(self.metric).add).parameters.values()
        needs = [one.name for one in takes if one.default is one.empty and one.name != "self"]
        if lacking := [name for name in needs if name not in named]:
            raise ValueError(
                f"samples without a score, counted as {fill!r}, need the other inputs of "
                f"{self.metric.name}: pass {', '.join(f'{name}=' for name in lacking)} of these to "
                f"add_unscored, or all inputs to add"
            )
        rows: Mapping[str, Any] = self.metric._rows(statistic, (), named)
        return rows

    def read(self, batch: Batch) -> list[Mapping[str, Any] | None]:
        """Return the rows that the metric reads from a batch, for each slot."""
        metric, slots = self.metric, self.slots
        statistic = kept_statistic(metric)
        if batch.clusters is not None and slots[0].shape.clusters:
            statistic = plain(statistic)
        reasons = None if batch.unscored is None else read_reasons(batch.unscored)
        nothing = not (reasons or batch.args)  # such as from `add_unscored` without samples
        if reasons is None or not (any(reasons) or nothing):
            rows = metric._rows(statistic, batch.args, batch.named, batch.classes)
            count = len(next(iter(rows.values())))
            batch.by = {**batch.by, REASON: [None] * count if reasons is None else reasons}
            return [rows] * len(slots)
        check_length(reasons, [*batch.args, *batch.named.values()])
        which = np.array([reason is None for reason in reasons], bool)
        batch.by = {**batch.by, REASON: reasons}
        own = None
        if not which.any():
            self._check_lengths(statistic, batch, len(reasons))
        else:
            args = tuple(chosen(value, which) for value in batch.args)
            own = metric._rows(statistic, args, chosen_named(batch.named, which), batch.classes)
        known: dict[str, Any] = {}
        if metric.unscored != "drop":
            found = metric._known_inputs(plain(statistic), batch, _is_label(metric.unscored))
            known = chosen_named(found, ~which)
        return [
            spread(own, self._others(statistic, slot, fill, int((~which).sum()), known, own), which)
            for slot, fill in zip(slots, self.fills, strict=True)
        ]

    def _check_lengths(self, statistic: Statistic, batch: Batch, count: int) -> None:
        """Check what else nobody does if no sample has a score: predictions, labels and weights."""
        names = ("predictions", *plain(statistic).truth_inputs, "sample_weight")
        for name, place in places_of(inputs_of(type(self.metric), type(plain(statistic))), names):
            value: Any = batch.args[place] if place < len(batch.args) else batch.named.get(name)
            if arrays.is_per_sample(value) and len(value) != count:
                raise ValueError(
                    f"{name} must have an entry for each of the {count} samples, got {len(value)}"
                )

    def _others(
        self,
        statistic: Statistic,
        slot: Slot,
        fill: Any,
        count: int,
        known: Mapping[str, Any],
        scored: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Return the rows of samples without a score for one slot."""
        rows = self.filled(statistic, fill, count, known, scored)
        if rows is None:
            raise TypeError(f"{type(self.metric).__name__} has no {fill!r} value for such samples")
        first = next(iter(rows.values()))
        return {**rows, TRUTH: unknown_truths(first)} if slot.shape.truth else {**rows}

    def _absent(self, slot: Slot, fill: Any) -> Mapping[str, Any] | None:
        """Return the rows of a sample that nobody has added; None if its labels are needed."""
        try:
            return self._others(slot.statistic, slot, fill, 1, {})
        except (TypeError, ValueError):
            return None

    @property
    def _warns_without_samples(self) -> bool:
        return super()._warns_without_samples and not self.planned

    def opposed(self, views: Sequence[View]) -> Sequence[View]:
        """Return the views with the best predictions first."""
        return [*reversed(views)]

    def finish(self, views: Sequence[View]) -> dict[str, Any]:
        """Return the metric's values, with the account of the samples."""
        first, policy = views[0], self.metric.unscored
        reasons = [key[first.depth] for key in first.keys]
        counts: Counter[Any] = Counter()
        for reason, count in zip(reasons, first.sizes(), strict=True):
            if reason is not None:
                counts[reason] += count
        planned = sum(first.sizes())
        account = Account.of(planned, counts, dropped=policy == "drop")
        if policy not in ("drop", "bounds"):
            return _told(super().finish([first.whole(1)]), account)
        keys = [key for key, reason in zip(first.keys, reasons, strict=True) if reason is None]
        scored = first.among(keys, 1)
        found = super(AccountedLeaf, replace(self, planned=planned)).finish([scored])
        if policy == "drop":
            return _told(found, account)
        with quiet():  # of the samples with a score, all is said
            return self._bounded(found, account, scored, [view.whole(1) for view in views])

    def _bounded(
        self, found: dict[str, Any], account: Account, scored: View, views: Sequence[View]
    ) -> dict[str, Any]:
        """Return the values of the samples with a score, with bounds and intervals for all.

        Args:
            found: The values of the samples with a score.
            account: The account of the samples.
            scored: The view of the samples with a score.
            views: The views of all samples with the worst, and with the best predictions.
        """
        metric = self.metric
        if scored.differences:
            if metric.outer_bounds:
                raise ValueError(
                    f"{metric.name} has bounds for one system only: in a comparison pass "
                    f'unscored="drop", or what samples without a score count as'
                )
            ends: Any = [super(AccountedLeaf, self).finish([view]) for view in views]
            exact: Any = [{key: one.value for key, one in end.intervals.items()} for end in ends]
            if not len(getattr(found, "intervals", {})):  # no pair of samples has two scores
                found = _without_values(ends[0], found)
        else:
            results = [view.results() for view in (scored, *views)]
            ends = [self.estimates(one) for one in results[1:]]
            exact = metric.extremes(*(one.private() for one in results))
            if not account.unscored:  # bounds that may be too wide are wide without such samples
                value = metric.compute_metric(results[0].private())
                exact = [{key: value[key] for key in exact[0]}] * 2
        bounds = {
            key: (worst, exact[1][key]) for key, worst in exact[0].items() if _are_numbers(worst)
        }
        outer = metric.outer_bounds and bool(account.unscored)
        account = replace(account, bounds=bounds, outer=outer)
        intervals = {}
        for key, main in getattr(found, "intervals", {}).items():
            base = key.removesuffix("_difference") if scored.differences else key
            least, most = range_of(metric.ranges, base)
            within = (least, most) if base == key else (least - most, most - least)
            pair = [
                _map(partial(shifted, bounds=within), end.intervals[key], values[key])
                for end, values in zip(ends, exact, strict=True)
            ]
            intervals[key] = _map(spanning, main, *pair)
        values = {**found}
        if scored.differences:
            for name, one in intervals.items():
                key = name.removesuffix("_difference")
                values |= {f"{key}_p": one.p, f"{key}_detectable": one.detectable()}
        return WithIntervals.of(values, intervals, account)


def _told(values: Mapping[str, Any], account: Account) -> dict[str, Any]:
    """Return values with the account of their samples, and with the intervals that they have."""
    found = WithIntervals(values)
    found.intervals, found.accounts = getattr(values, "intervals", {}), account
    return found


def _without_values(like: Any, found: Mapping[str, Any]) -> WithIntervals:
    """Return values that are nan where another result has floats, with its intervals.

    Counts are 0, and lists, which are the ids of flips, are empty.
    """
    values: dict[str, Any] = {
        key: nan if isinstance(one, float) else [] if isinstance(one, list) else 0
        for key, one in like.items()
    }
    intervals = {key: replace(one, value=nan) for key, one in like.intervals.items()}
    return WithIntervals.of({**values, **found}, intervals)


def _map(function: Callable[..., Any], first: Any, *others: Any) -> Any:
    """Return `function` of the intervals of a value, or of each value of a list."""
    if isinstance(first, list):
        return [function(*each) for each in zip(first, *others, strict=True)]
    return function(first, *others)


def _are_numbers(value: Any) -> bool:
    entries = value if isinstance(value, list) else [value]
    return all(isinstance(entry, int | float) and not isinstance(entry, bool) for entry in entries)
