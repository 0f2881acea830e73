"""Paired: two systems on the same samples, compared sample by sample."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from mmeval_like._core.around import Around
from mmeval_like._core.collection import copied_empty
from mmeval_like._core.evaluation import Evaluation
from mmeval_like._core.pairing import Pairing, paired_views
from mmeval_like._core.plan import Plan
from mmeval_like._core.samples import Samples
from mmeval_like._core.slot import Slot
from mmeval_like._core.view import View, last_of
from mmeval_like._intervals.corrections import CORRECTIONS
from mmeval_like._intervals.jackknife.metric_intervals import as_level
from mmeval_like.arrays.checks import as_sample_count
from mmeval_like.backends import BaseDistBackend

__all__ = ["Paired"]


class Paired(Evaluation):
    """Two systems on the same samples: their difference, its interval, and a test.

    Add the predictions of one system to `.a` and those of the other to `.b`, each with the `ids=`
    of its samples, in any order and on any ranks. Samples are matched by id. Both systems tend to
    fail on the same difficult samples, so their difference is more precise than either value.

    The interval is a jackknife: each sample, or with `add(clusters=)` each cluster, is left out of
    both systems at once, and the metric is computed from the others. If more than 1,024 kinds of
    rows, or clusters, differ, 50 groups are left out instead, to which samples are assigned by
    their ids; for means of one value per sample, it is still every sample. The units of the
    analysis, which may be few or change seldom, are the clusters wherever there are clusters.

    The interval is Student's, with the variance that the supposed difference would have: it grows
    with the difference if the units' differences are skewed, for instance if few units are worse.
    If at most 3 units change, a metric with two bounds has a wider interval, by C. J. Clopper and
    E. S. Pearson's bounds (The use of confidence or fiducial limits illustrated in the case of the
    binomial, Biometrika 1934) of the share of units that change; any other metric is marked.
    Shares of hits of independent samples have the score interval of T. Tango instead (Equivalence
    test and confidence interval for the difference in proportions for the paired-sample design,
    Statist. Med. 1998), whose test is McNemar's without a continuity correction. If at most 3
    samples flip in one direction, it is widened by R. G. Newcombe's combination of
    Clopper-Pearson intervals (Statist. Med. 1998).

    Args:
        metric: The metric, a `MetricCollection` of several, or `Recorded`. `Sliced(metric, by=...)`
            also compares the systems in every slice, `Running(metric, n)` on the last samples,
            which are those with the highest ids. `Paired` keeps two copies without samples.
        interval: The level of the interval of the difference.
        correction: How the p-values of slices are corrected for multiple testing: "holm" controls
            the probability of any false positive, "bh" the false discovery rate; None: no
            correction.
        anytime: Whether the numbers may be checked repeatedly while samples arrive, for instance to
            stop as soon as a difference is significant: `p` and the interval are valid for all
            looks together. This works for proportions of hits, and for means of one value per
            sample whose range has two bounds, such as `Mean(bounds=(0, 1))`. For any other number,
            such as a mean absolute error, `p` and the ends are nan, and no gate decides. An
            interval for a single look is a quarter to a half narrower. For proportions of hits,
            nothing is decided before 100 samples, and 20 samples on which the systems differ.
        planned: With `anytime`, the planned total number of samples. The interval is tightest,
            relative to that of a single look, after a fifth of them, and valid for any number.
        list_flips: The result also lists the ids of the samples that flipped.
        dist_backend: As for a metric; None: the one that the metric specifies.

    Attributes:
        a: The copy for one system.
        b: The copy for the other system.

    Returns of `compute`: for every float `{key}` of the metric `{key}_a`, `{key}_b`,
    `{key}_difference` (b - a), its ends `{key}_difference_low` and `{key}_difference_high`,
    `{key}_p` (two-sided, consistent with the interval: below 1 - level exactly if the interval
    excludes 0), and `{key}_detectable`, the smallest difference that such a comparison detects with
    80% power. A metric that is a proportion of hits also has `flips_up` and `flips_down`, the
    numbers of samples that b gets right and a wrong, and vice versa. `samples` is the number of
    samples. `intervals` has the interval of every difference, also at other levels. With
    `list_flips` the ids are in `flips_up_ids` and `flips_down_ids`; long strings are shown as in
    `report.differing_ids`.

    For slices, the result has a dict for each slice, as `Sliced` does, in which `{key}_p_adjusted`
    is the p-value after the correction over all slices. The total, "all", is not corrected.

    Raises:
        TypeError: There is no metric, or it keeps no samples to match, such as `Windowed`, or it
            compares two systems itself; or `anytime` is given without `planned`, or with `Running`.
        ValueError: The correction is unknown. `compute` raises it if samples have no ids, if only
            one system has them, or if samples have different slices, clusters or labels in the two
            systems. Documents and tokens that systems choose themselves are not labels.

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
        (0.037, 0.0016)
    """

    def __init__(
        self,
        metric: Evaluation,
        *,
        interval: float = 0.95,
        correction: str | None = "holm",
        anytime: bool = False,
        planned: int | None = None,
        list_flips: bool = False,
        dist_backend: str | BaseDistBackend | None = None,
    ) -> None:
        given: Any = metric
        if not isinstance(given, Evaluation):
            wanted = "a metric, a MetricCollection, or Sliced of one"
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
        Sides(metric.plan, metric.plan, self._how())  # refuses what cannot be compared
        self.a, self.b = copied_empty(metric), copied_empty(metric)
        for side in (self.a, self.b):
            side._become_side()
        dist_backend = metric.dist_backend if dist_backend is None else dist_backend
        super().__init__(dist_backend)

    @property
    def plan(self) -> Sides:
        """The plan: differences between the two systems."""
        return Sides(self.a.plan, self.b.plan, self._how())

    @property
    def anytime(self) -> bool:
        """Whether the numbers may be checked repeatedly while samples arrive."""
        return self.planned is not None

    @property
    def dist_collect_mode(self) -> str:
        """How the shards make up the dataset, the same for both systems; see `BaseMetric`."""
        mode: str = self.a.dist_collect_mode
        return mode

    @dist_collect_mode.setter
    def dist_collect_mode(self, mode: str) -> None:
        self.a.dist_collect_mode = self.b.dist_collect_mode = mode

    @property
    def metric(self) -> Any:
        """The metric by which the systems are compared; if there are several, the first."""
        return next(self.a.plan.places()).metric

    @property
    def higher_is_better(self) -> bool | None:
        """Whether higher values are better, as declared by the metric."""
        better: bool | None = self.metric.higher_is_better
        return better

    def reset(self) -> None:
        """Forget all samples of both systems."""

        def forget() -> None:
            self.a.reset()
            self.b.reset()
            self._forget()

        self._change(forget)  # of both, or of none

    def _how(self) -> Pairing:
        return Pairing(self.interval, self.correction, self.planned, self.list_flips)

    def _samples(self) -> Samples:
        return Samples.joined([self.a._samples(), self.b._samples()])

    def _remembered(self) -> list[tuple[object, dict[str, Any]]]:
        return [*super()._remembered(), *self.a._remembered(), *self.b._remembered()]

    def _copied(self) -> Paired:
        twin = super()._copied()
        twin.a, twin.b = copy.copy(self.a), copy.copy(self.b)
        return twin

    def __copy__(self) -> Paired:
        twin = super().__copy__()
        twin._own_sides()
        return twin

    def _constructed(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        super()._constructed(args, kwargs)
        self._own_sides()

    def _own_sides(self) -> None:
        """Let both sides know the pair, whose samples are theirs."""
        for side in (self.a, self.b):
            side._held.occurrence.owner = self._held.occurrence

    def _empty(self, keep: int | None = None) -> Paired:
        fresh = super()._copied()
        fresh._held = self._held.emptied(keep)
        fresh.a, fresh.b = self.a._empty(keep), self.b._empty(keep)
        fresh._own_sides()
        return fresh


@dataclass(frozen=True)
class Sides(Around):
    """The plan that compares two systems by the values of the inner plan.

    Attributes:
        second: The plan of the second system, which must be equal to the inner plan, the first's.
        how: The options of the comparison.

    Raises:
        TypeError: The inner plan compares two systems, or has a window; or it has only the last
            samples although `anytime` is set.
    """

    second: Plan
    how: Pairing
    compares = True

    def __post_init__(self) -> None:
        if self.inner.compares:
            raise TypeError(
                "Paired compares two systems by one metric, a collection or slices, and not two "
                "pairs"
            )
        if self.inner.windowed:
            raise TypeError(
                "a window keeps no samples that could be matched by ids: write "
                "Paired(Running(metric, n))"
            )
        limits = [last_of(slot.shape.wraps)[0] for slot in self.inner.slots]
        if self.how.planned is not None and any(limit is not None for limit in limits):
            raise TypeError(
                "anytime=True counts every sample on, and Running forgets samples: leave out one "
                "of them"
            )

    @property
    def slots(self) -> Sequence[Slot]:
        """The slots of both systems."""
        return [*self.inner.slots, *self.inner.slots]

    def around(self, text: str) -> str:
        """Return the text of the inner plan with the options of the comparison."""
        second = self.second.identity.text  # it differs if options of one system were set later
        both = text if second == text else f"a: {text}, b: {second}"
        return f"Paired({both}, {self.how.options()})"

    def fresh(self) -> Sides:
        """Return an equal plan whose metrics have no samples."""
        return replace(self, inner=self.inner.fresh(), second=self.second.fresh())

    def frozen(self) -> Sides:
        """Return an equal plan that later changes of the metrics do not affect."""
        return replace(self, inner=self.inner.frozen(), second=self.second.frozen())

    @property
    def every_rank_computes(self) -> bool:
        """False: a comparison takes long, and only rank 0 has all samples."""
        return False

    def finish(self, views: Sequence[View]) -> dict[str, Any]:
        """Return the differences of the two systems.

        Raises:
            ValueError: The systems are measured differently.
        """
        first, second = self.inner.identity.text, self.second.identity.text
        if first != second:
            raise ValueError(
                f"both systems must be measured alike: options of one were set later, so that a is "
                f"{first}, and b is {second}"
            )
        half = len(views) // 2
        called = next(self.places()).metric.name
        a, b = self.inner.opposed(views[:half]), views[half:]
        return self.inner.finish(paired_views(self.how, called, a, b))

    def described(self, counts: Sequence[int]) -> list[tuple[str, str, int]]:
        """Describe the metrics of both systems."""
        half = len(counts) // 2
        return [
            (f"{side}: {name}", metric, count)
            for side, own in (("a", counts[:half]), ("b", counts[half:]))
            for name, metric, count in self.inner.described(own)
        ]
