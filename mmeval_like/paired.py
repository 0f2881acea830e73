"""Paired: two systems on the same samples, compared sample by sample."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np

from mmeval_like._base.keys import WHOLE
from mmeval_like._exchange.fingerprint import Identity
from mmeval_like._intervals.corrections import CORRECTIONS, adjusted
from mmeval_like._intervals.interval import WithIntervals
from mmeval_like._intervals.jackknife.comparison import Comparison, flipped
from mmeval_like._intervals.jackknife.metric_intervals import as_level
from mmeval_like._intervals.jackknife.pair_differences import Side
from mmeval_like._samples.ids import shown
from mmeval_like._samples.parts import Part
from mmeval_like._samples.store import Store
from mmeval_like._states.keyed_rows import KeyedRows, KeyIndex
from mmeval_like._states.results import Results
from mmeval_like.arrays.checks import as_sample_count
from mmeval_like.asynchronous import Asynchronous
from mmeval_like.backends import BaseDistBackend
from mmeval_like.errors import warn
from mmeval_like.metric import BaseMetric
from mmeval_like.sliced import Sliced

__all__ = ["Paired"]


class Paired(Asynchronous):
    """Two systems on the same samples: their difference, its interval, and a test.

    Add the predictions of one to `.a` and those of the other to `.b`, each with the `ids=` of its
    samples, in any order and on any ranks. Samples are matched by id. Two systems err on the same
    difficult samples, so that their difference is surer than either value.

    Every sample is left out of both systems at once, with `add(clusters=)` every cluster, and the
    metric is computed from what remains; where more than 1,024 kinds of rows, or clusters, differ,
    50 groups of them are left out instead. Half a flip each way is added to bounded metrics, as
    D. G. Bonett and R. M. Price do (Adjusted Wald confidence interval for a difference of binomial
    proportions based on paired data, J. Educ. Behav. Stat. 2012). Shares of hits of independent
    samples have the score interval of T. Tango (Equivalence test and confidence interval for the
    difference in proportions for the paired-sample design, Statist. Med. 1998) instead, of which
    McNemar's test without a correction for continuity is the test.

    Args:
        metric: The metric, or `Sliced(metric, by=...)` to compare the systems in every slice as
            well; two copies without samples are kept.
        interval: The level of the interval of the difference.
        correction: How the p-values of slices allow for how many slices there are: "holm" keeps
            the probability of any false alarm below the level, "bh" the expected share of false
            alarms among all alarms; None: they do not.
        anytime: The numbers may be looked at again and again while samples arrive, for instance to
            stop as soon as a difference shows: `p` and the interval hold at all looks together.
            The interval of one look is narrower by a quarter to a half. Nothing is decided below
            100 samples, and 20 samples on which the systems differ.
        planned: With `anytime`, how many samples there would be at the end: the interval is best,
            relative to that of one look, after a fifth of them, and right for any number.
        list_flips: The result also lists the ids of the samples that flipped.
        dist_backend: As for a metric; None: the one that the metric names.

    Attributes:
        a: The copy for the one system.
        b: The copy for the other.

    Returns of `compute`: for every float `{key}` of the metric `{key}_a`, `{key}_b`,
    `{key}_difference` (b - a), its ends `{key}_difference_low` and `{key}_difference_high`,
    `{key}_p` (two-sided, the test of the interval: below 1 - level exactly where that leaves
    out 0), and `{key}_detectable`, the difference that would be
    found in four of five such comparisons. For a metric that is one share of hits also `flips_up`
    and `flips_down`, the samples that b gets right and a wrong and the other way round, and
    `flips_p`, McNemar's exact test of these; none with `clusters=`, which it cannot allow for; with
    `anytime` it is a test that may be looked at
    again. And `samples`. With `list_flips` the ids are in `flips_up_ids` and `flips_down_ids`;
    those of long texts are shown as in `report.differing_ids`.

    Of slices the result has a dict for each, as `Sliced` has, in which `{key}_p_adjusted` is the
    p-value after the correction over all slices. The whole, "all", is not among them.

    Raises:
        TypeError: There is no metric, or there are slices of several; or `anytime` is given without
            `planned`.
        ValueError: The correction is unknown. `compute` raises it if samples have no ids, if only
            one system has them, or if they are not in the same slices and clusters in both.

    Example:
        >>> from mmeval_like import Accuracy, Paired
        >>> pair = Paired(Accuracy())
        >>> labels = [1] * 100
        >>> pair.a.add([1] * 70 + [0] * 30, labels, ids=range(100))
        >>> pair.b.add([1] * 80 + [0] * 20, labels, ids=range(100))
        >>> found = pair.compute()
        >>> found["flips_up"], found["flips_down"], round(found["top1_difference"], 3)
        (10, 0, 0.1)
        >>> round(found["top1_difference_low"], 3), round(found["top1_p"], 4)
        (0.055, 0.0016)
    """

    every_rank_computes = False

    def __init__(
        self,
        metric: BaseMetric | Sliced,
        *,
        interval: float = 0.95,
        correction: str | None = "holm",
        anytime: bool = False,
        planned: int | None = None,
        list_flips: bool = False,
        dist_backend: str | BaseDistBackend | None = None,
    ) -> None:
        inner = metric._metrics if isinstance(metric, Sliced) else metric
        if not isinstance(inner, BaseMetric):
            wanted = "a metric, or Sliced of one metric"
            raise TypeError(f"metric must be {wanted}, got {type(metric).__name__}")
        if correction not in CORRECTIONS:
            raise ValueError(f"correction must be one of {CORRECTIONS}, got {correction!r}")
        if anytime != (planned is not None):
            raise TypeError("anytime=True and planned= (the number of samples) go together")
        self.interval = as_level(interval)
        self.correction, self.list_flips = correction, list_flips
        self.planned = None if planned is None else as_sample_count(planned, "planned")
        if self.planned == 0:
            raise ValueError("planned must be at least 1, got 0")
        self.a, self.b = (_empty_copy(metric) for _ in range(2))
        self.dist_backend = metric.dist_backend if dist_backend is None else dist_backend
        self.dist_collect_mode = metric.dist_collect_mode
        self._evaluating = False

    @property
    def metric(self) -> BaseMetric:
        """The metric by which the systems are compared."""
        found: Any = self.a._metrics if isinstance(self.a, Sliced) else self.a
        metric: BaseMetric = found
        return metric

    @property
    def higher_is_better(self) -> bool | None:
        """As the metric says."""
        return self.metric.higher_is_better

    def reset(self) -> None:
        """Forget all samples of both systems."""
        self.a.reset()
        self.b.reset()
        self._count_reset()

    def _without_samples(self) -> Paired:
        fresh = copy.copy(self)
        fresh._instance = copy.copy(self._instance)  # its reset is no reset of this one
        fresh.a, fresh.b = self.a._without_samples(), self.b._without_samples()
        fresh.reset()
        return fresh

    def _described(self) -> list[tuple[str, str, int]]:
        return [
            (f"{side}: {name}", metric, samples)
            for side, one in (("a", self.a), ("b", self.b))
            for name, metric, samples in one._described()
        ]

    def _stores(self) -> list[Store]:
        return [*self.a._stores(), *self.b._stores()]

    def _finish(self, results: list[Results]) -> dict[str, Any]:
        if not len(results[0]) and not len(results[1]):
            warn(f"Paired({self.metric.name}): no samples were added on any rank", RuntimeWarning)
            none: dict[str, Any] = {"samples": 0}
            return {WHOLE: none} if isinstance(self.a, Sliced) else none
        ids = _matched_ids(results)
        keys = _same_keys(results, ids)
        clusters = None if keys is None else self._clusters(keys)
        if clusters is not None and self.planned is not None:
            raise ValueError("anytime=True takes no clusters=: add one sample for each cluster")
        a, b = (
            Side(side._states(), _rows(one, side._states()), side._compute_of, clusters)
            for side, one in zip(self._metrics(), results, strict=True)
        )
        refused = self.metric.no_interval
        how = Comparison(self.metric.ranges, self.interval, self.planned, refused)
        whole = how.of(a, b)
        if self.list_flips and (flips := flipped(a, b)) is not None:
            names = ("flips_up_ids", "flips_down_ids")
            found = {n: [*shown(ids[which])] for n, which in zip(names, flips, strict=True)}
            whole = WithIntervals.of({**whole, **found}, whole.intervals)
        if not isinstance(self.a, Sliced) or keys is None:
            return whole
        slices = {
            name: how.of(a.at(places), b.at(places))
            for name, places in self.a._places_of_slices(keys)
        }
        for key in [name for name in whole if name.endswith("_p")]:
            known = {name: one[key] for name, one in slices.items() if key in one}
            allowed = adjusted([*known.values()], self.correction)
            for name, p in zip(known, allowed, strict=True):
                slices[name][f"{key}_adjusted"] = p
        return WithIntervals.together({WHOLE: whole, **slices})

    def _clusters(self, keys: KeyedRows) -> np.ndarray | None:
        """Return the cluster of each sample, numbered as they come; None: there are none."""
        columns = len(self.a._columns) if isinstance(self.a, Sliced) else 0
        if not keys.cells.keys or len(keys.cells.keys[0]) == columns:
            return None
        names = [key[columns:] for key in keys.cells.keys]
        return KeyIndex().numbers([names[code] for code in keys.codes.tolist()])

    def _metrics(self) -> list[Any]:
        return [one._metrics if isinstance(one, Sliced) else one for one in (self.a, self.b)]

    @property
    def _named_classes(self) -> list[str] | None:
        return self.metric._named_classes

    @property
    def _identity(self) -> Identity:
        how = (self.interval, self.correction, self.planned, self.list_flips)
        return Identity.of(f"Paired({self.a._identity.text}, {how})")

    def _merge_parts(self, parts: list[Part]) -> None:
        for side, part in zip((self.a, self.b), parts, strict=True):
            side._merge_parts([part])


def _empty_copy(metric: BaseMetric | Sliced) -> Any:
    """Return a copy without samples, and without intervals of its own values."""
    if isinstance(metric, Sliced):
        copied = Sliced(metric._metrics, metric._families, metric.dist_backend)
        inner: Any = copied._metrics
        inner.interval, inner._compares_clusters = None, True
        copied.reset()
        return copied
    # All but the logger: one that logging does not know by name cannot be copied.
    plain = copy.deepcopy(metric, {id(metric.logger): metric.logger})
    plain.interval, plain._compares_clusters = None, True
    plain.reset()
    return plain


def _matched_ids(results: list[Results]) -> np.ndarray:
    """Return the ids that both systems have, ascending.

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
    raise ValueError(
        f"both systems must have the same samples; only a has the ids {only[0]}, and only "
        f"b has the ids {only[1]} (ten at most are named)"
    )


def _rows(results: Results, states: Mapping[str, Any]) -> dict[str, Any]:
    """Return the rows of these states, without the slices that they belong to."""
    assert results._rows is not None
    every = results._rows[1]
    kept: dict[str, Any] = {name: every[name] for name in states}
    return {n: rows.rows if isinstance(rows, KeyedRows) else rows for n, rows in kept.items()}


def _same_keys(results: list[Results], ids: np.ndarray) -> KeyedRows | None:
    """Return the rows of the first system, which know their keys; None: there are none.

    Raises:
        ValueError: The other system has samples in other slices or clusters.
    """
    a, b = (next(iter(one._rows[1].values())) for one in results if one._rows is not None)
    if not isinstance(a, KeyedRows) or not isinstance(b, KeyedRows):
        if isinstance(a, KeyedRows) or isinstance(b, KeyedRows):
            raise ValueError("both systems must have clusters=, or none of them")
        return None
    same = KeyIndex(a.cells.keys).numbers(b.cells.keys)[b.codes] == a.codes
    if not same.all():
        raise ValueError(
            f"both systems must have a sample in the same slices and clusters; the ids "
            f"{[*shown(ids[~same][:10])]} are in others (ten at most are named)"
        )
    return a
