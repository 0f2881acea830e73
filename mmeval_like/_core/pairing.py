"""Pairing: the samples of two systems, matched by ids, and the differences of their values."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like._base.keys import WHOLE, Key
from mmeval_like._base.warning import aside, warn
from mmeval_like._core.slot import By, Slot, Wrap
from mmeval_like._core.view import Answering, View, last_of
from mmeval_like._intervals.corrections import adjusted
from mmeval_like._intervals.interval import WithIntervals
from mmeval_like._intervals.jackknife.comparison import Comparison, flipped
from mmeval_like._intervals.jackknife.groups import groups_of_ids
from mmeval_like._intervals.jackknife.pair_differences import Side
from mmeval_like._samples.ids import shown
from mmeval_like._states.keyed_rows import KeyedRows, KeyIndex
from mmeval_like._states.results import Results
from mmeval_like._states.rows import Ragged, Rows
from mmeval_like._states.statistic import Derivation, plain
from mmeval_like._states.truths import TRUTH, different
from mmeval_like._states.unequal_rows import differing

__all__ = ["Pairing", "paired_views"]


@dataclass(frozen=True)
class Pairing:
    """The options of a comparison of two systems; see `Paired`.

    Attributes:
        interval: The level of the intervals of differences.
        correction: The correction of p-values for the number of slices.
        planned: The planned number of samples with `anytime=True`; None: a single look.
        list_flips: Whether the ids of the samples that flipped are listed.
    """

    interval: float
    correction: str | None
    planned: int | None
    list_flips: bool

    def options(self) -> tuple[Any, ...]:
        """Return the options for the identity."""
        return self.interval, self.correction, self.planned, self.list_flips


def paired_views(
    how: Pairing, called: str, a: Sequence[View], b: Sequence[View]
) -> list[PairedView]:
    """Return the paired samples of each slot.

    Args:
        how: The options of the comparison.
        called: The name of the metric, for a warning.
        a: The merged results of system a.
        b: The merged results of system b.

    Raises:
        ValueError: Samples have no ids, only one system has them, or they are not in the same
            slices and clusters.
    """
    if not any(len(one.kept) for one in (*a, *b)):
        warn(f"Paired({called}): no samples were added on any rank", RuntimeWarning)
    return [PairedView(how, *both) for both in zip(a, b, strict=True)]


class PairedView(View):
    """The samples of one slot of two systems, in the order of their ids."""

    differences = True

    def __init__(self, how: Pairing, a: View, b: View) -> None:
        self.how, self.depth = how, 0
        self.slot, self._wraps = a.slot, a.slot.shape.wraps
        self._derivations = ()
        self._lists_flips = how.list_flips
        results = [a.kept, b.kept]
        self._ids = np.empty(0, np.int64)
        self._rows: list[Mapping[str, Any]] = [{}, {}]
        self._tagged: KeyedRows | None = None
        if any(map(len, results)):
            self._ids = _matched_ids(results, _reason_place(self._wraps) is not None)
            self._tagged = _same_keys(results, self._ids, _reason_place(self._wraps))
            self._rows = [_plain_rows(one) for one in results]
            _check_truth(self.slot, results, self._rows, self._ids)
        self._places = np.arange(len(self._ids))
        tags = self._tagged
        self._codes = None if tags is None else tags.codes
        self._group = None
        self._keys = () if tags is None else [tags.cells.keys[c] for c in np.unique(tags.codes)]

    def split(self, keys: Sequence[Key], places: Sequence[int], size: int, skip: int) -> list[View]:
        """Return the samples of groups of slices; see `View.split`."""
        found: list[View] = []
        if self._tagged is None or self._codes is None:
            return [self._at(self._places, (), skip) for _ in range(size)]
        number = dict(zip(keys, places, strict=True))
        cells = self._tagged.cells.keys
        groups = np.array([number.get(key, -1) for key in cells], np.int64)[self._codes]
        members: list[list[Key]] = [[] for _ in range(size)]
        for key, place in number.items():
            members[place].append(key)
        for group, own in enumerate(members):
            found.append(self._at(self._places[groups == group], own, skip))
        return found

    def sizes(self) -> list[int]:
        """Return the number of samples of each of the keys."""
        if self._tagged is None or self._codes is None:
            return []
        counts = dict(zip(*np.unique(self._codes, return_counts=True), strict=True))
        number = {key: code for code, key in enumerate(self._tagged.cells.keys)}
        return [int(counts.get(number[key], 0)) for key in self.keys]

    def among(self, keys: Sequence[Key], skip: int) -> View:
        """Return the view of the samples of some keys, with the ids of flips if they are listed."""
        [found] = self.split(keys, [0] * len(keys), 1, skip)
        vars(found)["_lists_flips"] = self._lists_flips
        return found

    def last(self) -> View:
        """Return the view of the samples with the highest ids, if the slot limits the samples."""
        limit, inner = last_of(self._wraps)
        if limit is None:
            return self
        found = self._at(self._places[-limit:], self.keys, 0)
        found._keys = [key for key, size in zip(found.keys, found.sizes(), strict=True) if size]
        found._lists_flips = self._lists_flips
        found._wraps = inner
        return found

    def then(self, derivation: Derivation) -> View:
        """Return a view of results that are derived from these."""
        found = copy.copy(self)
        found._derivations = (*self._derivations, derivation)
        return found

    def private(self) -> View:
        """Return this view: each comparison folds its own rows."""
        return self

    def answer(self, leaf: Answering) -> dict[str, Any]:
        """Return the differences between the two systems for one metric."""
        if not len(self._places):
            return WithIntervals.of({"samples": 0}, {})
        metric = leaf.metric
        clusters = self._clusters()
        if clusters is not None and self.how.planned is not None:
            raise ValueError("anytime=True does not support clusters=: add one sample per cluster")
        states = self.slot.statistic.states()

        def derived(results: Results) -> Results:
            for derivation in self._derivations:
                results = derivation(results)
            return results

        def compute(results: Results) -> dict[str, Any]:
            with aside():
                return leaf.values(derived(results))

        def why_few(results: Results) -> str | None:
            jackknife = metric.statistic.jackknife
            why: str | None = (jackknife.caveat_of_pairs or jackknife.caveat)(derived(results))
            return why

        groups = groups_of_ids(self._ids)
        a, b = (Side(states, rows, compute, clusters, groups, why_few) for rows in self._rows)
        if len(self._places) < len(self._ids):
            a, b = a.at(self._places), b.at(self._places)
        refused = metric.no_interval or metric.only_own_intervals
        how = Comparison(
            metric.ranges,
            self.how.interval,
            self.how.planned,
            refused,
            metric.no_interval_of,
            metric.pooled_keys,
            metric.statistic.jackknife.confusion_classes is not None,
        )
        whole = how.of(a, b)
        if self._lists_flips and (flips := _flips(a, b, metric.higher_is_better)) is not None:
            names, ids = ("flips_up_ids", "flips_down_ids"), self._ids[self._places]
            found = {n: [*shown(ids[which])] for n, which in zip(names, flips, strict=True)}
            whole = WithIntervals.of({**whole, **found}, whole.intervals)
        return whole

    def together(self, slices: Mapping[str, Any]) -> dict[str, Any]:
        """Return the differences of all slices, with p-values corrected for their number."""
        others = {name: one for name, one in slices.items() if name != WHOLE}
        _adjust(slices[WHOLE], others, self.how.correction)
        return WithIntervals.together(slices)

    def _at(self, places: np.ndarray, keys: Sequence[Key], skip: int) -> PairedView:
        found = copy.copy(self)
        found._places, found._keys = places, keys
        found.depth += skip
        found._lists_flips = False
        if self._tagged is not None:
            found._codes = self._tagged.codes[places]
        return found

    def _clusters(self) -> np.ndarray | None:
        """Return the cluster number of each sample; None if there are no clusters."""
        if self._tagged is None:
            return None
        columns = [len(getattr(wrap, "columns", ())) for wrap in self.slot.shape.wraps]
        keys = self._tagged.cells.keys
        if not keys or len(keys[0]) == sum(columns):
            return None
        names = [key[sum(columns) :] for key in keys]
        return KeyIndex().numbers([names[code] for code in self._tagged.codes.tolist()])


def _adjust(whole: Mapping[str, Any], slices: Mapping[str, Any], correction: str | None) -> None:
    """Add the corrected p-values of all slices."""
    for key, value in whole.items():
        if isinstance(value, Mapping):
            inside = {name: one[key] for name, one in slices.items() if key in one}
            _adjust(value, inside, correction)
    for key in [name for name in whole if isinstance(name, str) and name.endswith("_p")]:
        known = {name: one[key] for name, one in slices.items() if key in one}
        allowed = adjusted([*known.values()], correction)
        for name, p in zip(known, allowed, strict=True):
            slices[name][f"{key}_adjusted"] = p


def _matched_ids(results: list[Results], accounts: bool) -> np.ndarray:
    """Return the ids that both systems have, ascending.

    Args:
        results: The results of both systems.
        accounts: Whether the metric accounts for samples without a score.

    Raises:
        ValueError: Samples have no ids, or only one system has them.
    """
    known = [one._rows for one in results]
    if known[0] is None or known[1] is None:
        raise ValueError("Paired matches samples by their ids: pass ids= to both .a and .b")
    a, b = known[0][0], known[1][0]
    if np.array_equal(a, b):
        return a
    found = [shown(a), shown(b)]
    others = [set(found[1]), set(found[0])]
    only = [
        [i for i in mine if i not in theirs][:10]
        for mine, theirs in zip(found, others, strict=True)
    ]
    cure = ""
    if accounts:
        cure = (
            "; one that a system has no score for is added to it by "
            'add_unscored(ids=..., reason="absent"), with the labels that the metric needs'
        )
    raise ValueError(
        f"both systems must have the same samples; only a has the ids {only[0]}, and only "
        f"b has the ids {only[1]} (at most ten are named){cure}"
    )


def _plain_rows(results: Results) -> dict[str, Any]:
    """Return the rows of the statistic's own states, without slices and windows."""
    assert results._rows is not None
    return {
        name: rows.rows if isinstance(rows, KeyedRows) else rows
        for name, rows in results._rows[1].items()
        if not name.startswith("__")
    }


def _check_truth(
    slot: Slot, results: Sequence[Results], rows: Sequence[Mapping[str, Any]], ids: np.ndarray
) -> None:
    """Raise ValueError if samples with the same id have different labels in the two systems."""
    statistic = plain(slot.statistic)
    if statistic.rows_have_truth:
        a, b = (_widened(statistic.truth_of(one)) for one in rows)
        wrong = differing(a, b) if len(a) == len(b) == len(ids) else np.ones(len(ids), bool)
    elif slot.shape.truth:
        wrong = different(*map(_digests, results))
    else:
        return
    place = _reason_place(slot.shape.wraps)
    if place is not None:  # the labels of samples without a score may be unknown
        for one in results:
            wrong = wrong & ~_reasons(one, place)
    if wrong.any():
        raise ValueError(
            f"both systems must have the same samples; those of the ids "
            f"{[*shown(ids[wrong][:10])]} have different labels (at most ten are named): "
            f"{np.count_nonzero(wrong)} of {len(ids)} samples"
        )


def _widened(labels: Rows) -> Rows:
    """Return integers as int64: those of batches without any score have another dtype."""
    values: Any = labels.values if isinstance(labels, Ragged) else labels
    if not isinstance(values, np.ndarray) or values.dtype.kind not in "biu":
        return labels
    wide = values.astype(np.int64)
    return labels.with_values(wide) if isinstance(labels, Ragged) else wide


def _digests(results: Results) -> np.ndarray:
    """Return the digests of the labels of all samples."""
    assert results._rows is not None
    digests: Any = results._rows[1][TRUTH]
    found: np.ndarray = digests.rows if isinstance(digests, KeyedRows) else digests
    return found


def _reason_place(wraps: Sequence[Wrap]) -> int | None:
    """Return the place in the keys of the reasons why samples have no score, or None."""
    columns = 0
    for wrap in wraps:
        if isinstance(wrap, By):
            columns += len(wrap.columns)
            if wrap.fill is not None:
                return columns - 1
    return None


def _reasons(results: Results, place: int) -> np.ndarray:
    """Return which samples have no score, bool (n,)."""
    assert results._rows is not None
    tags: Any = next(iter(results._rows[1].values()))
    reasons = np.array([key[place] is not None for key in tags.cells.keys], bool)
    which: np.ndarray = reasons[tags.codes]
    return which


def _joint(a: KeyedRows, b: KeyedRows, place: int) -> tuple[KeyedRows, KeyedRows]:
    """Return rows of both systems whose reasons are pairs: those of both, or None for a score."""
    reasons: list[tuple[Any, Any] | None] = []
    for one, other in zip(a.codes.tolist(), b.codes.tolist(), strict=True):
        pair = a.cells.keys[one][place], b.cells.keys[other][place]
        reasons.append(None if pair == (None, None) else pair)
    found = []
    for one in (a, b):
        keys = [one.cells.keys[code] for code in one.codes.tolist()]
        new = [(*k[:place], why, *k[place + 1 :]) for k, why in zip(keys, reasons, strict=True)]
        cells = KeyIndex()
        codes = cells.numbers(new)
        found.append(KeyedRows(cells, codes, one.rows))
    return found[0], found[1]


def _same_keys(results: list[Results], ids: np.ndarray, place: int | None) -> KeyedRows | None:
    """Return the rows of the first system with their keys; None if there are no keys.

    Args:
        results: The results of both systems.
        ids: The ids of their samples.
        place: The place in the keys of the reasons why samples have no score, which may differ;
            None: there is no such place.

    Raises:
        ValueError: The second system has samples in other slices or clusters.
    """
    a, b = (next(iter(one._rows[1].values())) for one in results if one._rows is not None)
    if not isinstance(a, KeyedRows) or not isinstance(b, KeyedRows):
        if isinstance(a, KeyedRows) or isinstance(b, KeyedRows):
            raise ValueError("both systems must have clusters=, or none of them")
        return None
    if place is not None:
        a, b = _joint(a, b, place)
    same = KeyIndex(a.cells.keys).numbers(b.cells.keys)[b.codes] == a.codes
    if not same.all():
        raise ValueError(
            f"both systems must have a sample in the same slices and clusters; the ids "
            f"{[*shown(ids[~same][:10])]} are in different ones (at most ten are named)"
        )
    return a


def _flips(a: Side, b: Side, higher_is_better: bool | None) -> tuple[np.ndarray, np.ndarray] | None:
    """Return where only b is right, and where only a is; None if samples are not right or wrong."""
    if (found := flipped(a, b)) is not None or higher_is_better is False:
        return found
    one, other = _right(a), _right(b)
    if one is None or other is None:
        return None
    return np.flatnonzero(~one & other), np.flatnonzero(one & ~other)


def _right(side: Side) -> np.ndarray | None:
    """Return which samples score 1 if all scores are 0 or 1; None for any other metric."""
    weights, scores = side.rows.get("weight"), [*(side.rows.keys() - {"weight"})]
    if len(scores) != 1 or not isinstance(weights, np.ndarray) or (weights != 1).any():
        return None
    values = side.rows[scores[0]]
    if not isinstance(values, np.ndarray) or values.dtype.kind != "f":
        return None
    if values.ndim == 2 and not values[:, 1:].any():  # a sum in two parts
        values = values[:, 0]
    return values == 1 if values.ndim == 1 and np.isin(values, (0, 1)).all() else None
