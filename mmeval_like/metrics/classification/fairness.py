"""GroupStatRates and Fairness: decisions compared between groups of people."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from mmeval_like.metrics._common.option_checks import Cut, check_count
from mmeval_like.metrics._common.shared_options import shared_options
from mmeval_like.metrics.classification.class_inputs import ClassOptions, read_classes
from mmeval_like.metrics.classification.weighted_counts import allowed_weights, code_rows, counter
from mmeval_like.writing import (
    SHARE,
    BaseMetric,
    MetricOptions,
    Ranges,
    Results,
    State,
    Statistic,
    Unpack,
    arrays,
    warn,
)
from mmeval_like.writing.intervals import (
    Interval,
    Jackknife,
    clopper_pearson,
    difference_of,
    share,
    unknown,
)

__all__ = ["Fairness", "GroupStatRates", "GroupedCounts"]

_NAMES = {"selection": "selection_rate", "tpr": "tpr", "fpr": "fpr"}


@dataclass(frozen=True)
class GroupedCounts(Statistic):
    """The outcomes of binary decisions in each group.

    Attributes:
        num_groups: The number of groups G.
        options: How predictions are read.
        use_sample_weight: Whether to sum weights instead of counting.
    """

    class_inputs = ("predictions", "labels")

    num_groups: int
    options: ClassOptions
    use_sample_weight: bool = False

    def states(self) -> dict[str, State]:
        """Return `outcomes`: bins TN, FP, FN and TP for each group, and one extra bin."""
        return {"outcomes": counter(4 * self.num_groups + 1, 1, self.use_sample_weight)}

    def rows(
        self, predictions: Any, labels: Any, groups: Any, sample_weight: Any = None
    ) -> dict[str, np.ndarray]:
        """Return one code per sample.

        Args:
            predictions: Scores of class 1 (N,), or 0 and 1.
            labels: 0 and 1 (N,), or the label that is ignored.
            groups: Each sample's group, integers in [0, G), (N,).
            sample_weight: The weight of each sample, numbers of at least 0 (N,); None: all are 1.

        Raises:
            TypeError: A label or a group is not a whole number.
            ValueError: Shapes or lengths do not fit, or a value is out of range.
        """
        inputs = read_classes(predictions, labels, 2, self.options)
        members = arrays.as_integers(groups, "groups")
        if members.ndim != 1 or inputs.layout.lengths is not None:
            raise ValueError(f"labels and groups must have shape (N,), got groups {members.shape}")
        arrays.check_same_length("labels", inputs.labels, "groups", members)
        arrays.check_range("groups", members, self.num_groups)
        codes = 4 * members + 2 * inputs.labels + inputs.classes
        if inputs.counted is not None:
            codes = np.where(inputs.counted, codes, 4 * self.num_groups)
        weights = allowed_weights(sample_weight, len(codes), self.use_sample_weight)
        return {"outcomes": code_rows(codes, weights)}

    @property
    def jackknife(self) -> Jackknife:
        """The jackknife: a gap rests on the samples of the group, and on those of the others."""
        return Jackknife(parts=self._parts, shares=self._shares)

    def _parts(self, results: Results) -> Mapping[str, Sequence[Sequence[Any]]]:
        gaps = self._shares(results)
        return {key: [(own[1], rest[1]) for own, rest in pairs] for key, pairs in gaps.items()}

    def _shares(self, results: Results) -> Mapping[str, Sequence[Sequence[tuple[Any, Any]]]]:
        rates = self.rates(results)
        return {f"{_NAMES[name]}_gap": _against_others(pairs) for name, pairs in rates.items()}

    def rates(self, results: Results) -> dict[str, list[tuple[Any, Any]]]:
        """Return the numerator and the denominator of every group's rates, by rate."""
        table = self.table(results)
        return {
            "selection": [(tp + fp, tn + fp + fn + tp) for tn, fp, fn, tp in table],
            "tpr": [(tp, tp + fn) for _, _, fn, tp in table],
            "fpr": [(fp, tn + fp) for tn, fp, _, _ in table],
        }

    def table(self, results: Results) -> list[list[Any]]:
        """Return TN, FP, FN and TP of every group: Python integers, or Fractions of weights."""
        found = results.exact("outcomes") if self.use_sample_weight else results.outcomes
        table: list[list[Any]] = np.asarray(found, object)[:-1].reshape(-1, 4).tolist()
        return table


@shared_options
class GroupMetric(BaseMetric):
    """The base class of metrics that compare binary decisions between groups.

    `add` takes `predictions`, scores of class 1 (N,) or 0 and 1; `labels`, 0 and 1 (N,); `groups`,
    each sample's group, integers in [0, num_groups), (N,); and `sample_weight` (N,).

    Args:
        num_groups: The number of groups G.
        threshold: A sample is predicted positive if its score is at least this. None: 0.5, and
            scores must be probabilities: one outside [0, 1] is an error. For logits pass 0.
        ignore_index: Samples with this label do not count.
        use_sample_weight: Whether `add` takes `sample_weight`. Sums are then exact sums of floats.
        **options: As for `BaseMetric`.

    Raises:
        ValueError: `num_groups` is below 1.
    """

    _takes_inputs = GroupedCounts.rows

    if TYPE_CHECKING:

        def rows(
            self, predictions: Any, labels: Any, groups: Any, sample_weight: Any = None
        ) -> Mapping[str, Any]:
            """For type checkers."""

    every_rank_computes = True

    def __init__(
        self,
        num_groups: int,
        *,
        threshold: float | None = None,
        ignore_index: int | None = None,
        use_sample_weight: bool = False,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        self._threshold = Cut(threshold).least  # part of saved files and records
        check_count("num_groups", num_groups)
        self.num_groups = num_groups
        asked = ClassOptions(ignore_index, cut=Cut(threshold))
        self.counts = GroupedCounts(num_groups, asked, use_sample_weight)
        self.statistic = self.counts


class GroupStatRates(GroupMetric):
    """The shares of a group's samples that are true and false positives and negatives.

    Formula:
        rate_g = TP_g / n_g, FP_g / n_g, TN_g / n_g, FN_g / n_g

    Args:
        **options: As for `GroupMetric`.

    Returns of `compute`: the lists `tp_rate`, `fp_rate`, `tn_rate` and `fn_rate`, of G numbers; in
    each group they add up to 1. nan for a group without samples.

    Example:
        >>> metric = GroupStatRates(2)
        >>> metric.add([1, 0, 1, 1], [1, 0, 0, 1], groups=[0, 0, 1, 1])  # 2 samples in each
        >>> metric.compute()["tp_rate"], metric.compute()["fp_rate"]
        ([0.5, 0.5], [0.0, 0.5])
    """

    ranges = SHARE

    def compute_metric(self, results: Results) -> dict[str, list[float]]:
        """Return the four lists."""
        groups = self.counts.table(results)
        return {
            f"{name}_rate": [_share(group[place], sum(group)) for group in groups]
            for name, place in (("tp", 3), ("fp", 1), ("tn", 0), ("fn", 2))
        }


class Fairness(GroupMetric):
    """How far the rates of positive decisions differ between groups.

    Group g has the rate r_g. For demographic parity the rate is the share of positive decisions,
    and for equal opportunity it is the true positive rate. The difference is the largest rate minus
    the smallest one, and the ratio is the smallest rate over the largest one. Equalized odds
    computes both for the true and for the false positive rate, and takes the larger difference and
    the smaller ratio. A difference of 0 and a ratio of 1 are fair. Groups with an undefined rate
    are left out of the comparison of this rate, with a warning. Source: M. Hardt, E.
    Price, N. Srebro, "Equality of opportunity in supervised learning" (NeurIPS 2016).

    The gap of a group is its rate minus that of all other groups together. With `interval=`, gaps
    have intervals, of which all G of a rate contain their true values at once in this share of
    cases (Bonferroni). They combine the exact intervals of both rates (C. J. Clopper and E. S.
    Pearson, Biometrika 26, 1934) as R. G. Newcombe does (Interval estimation for the difference
    between independent proportions, Statist. Med. 17, 1998), since Wilson's are too short at the
    level of many gaps. The differences and ratios have none: the largest of several differences is
    biased upwards.

    Formula:
        difference = max_g r_g - min_g r_g
        ratio = (min_g r_g) / (max_g r_g)
        gap_g = r_g - r of the samples outside g

    Args:
        **options: As for `GroupMetric`.

    Returns of `compute`: `demographic_parity`, `equal_opportunity` and `equalized_odds`, each as
    `..._difference` and `..._ratio`, in [0, 1]; nan without samples, and for a ratio of 0 / 0. The
    lists `selection_rate_gap`, `tpr_gap` and `fpr_gap`, of G numbers in [-1, 1]; nan where the rate
    of the group, or of the others, is undefined.

    Example:
        >>> metric = Fairness(2)
        >>> metric.add([1, 0, 1, 1], [1, 0, 0, 1], groups=[0, 0, 1, 1])
        >>> metric.compute()["demographic_parity_difference"]  # 1 of 2, 2 of 2
        0.5
        >>> metric.compute()["tpr_gap"]  # 1 of 1, and 1 of 1
        [0.0, 0.0]
    """

    ranges: Ranges = MappingProxyType({"*_gap": (-1.0, 1.0)})
    no_interval_of = MappingProxyType(
        dict.fromkeys(
            (
                f"{rule}_{kind}"
                for rule in ("demographic_parity", "equal_opportunity", "equalized_odds")
                for kind in ("difference", "ratio")
            ),
            "the largest of several differences is biased upwards",
        )
    )

    @property
    def intervals_at_once(self) -> int:  # type: ignore[override]  # read only
        """The number of gaps of a rate: of two groups, both gaps say the same."""
        return 1 if self.num_groups == 2 else self.num_groups

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return the comparisons, and the gaps."""
        parts = self.counts.rates(results)
        rates, missing = {}, set()
        for name, pairs in parts.items():
            rates[name] = [Fraction(n) / Fraction(d) for n, d in pairs if d]
            missing |= {group for group, (_, d) in enumerate(pairs) if not d}
        if missing and len(results):
            text = f"Fairness: a rate of the groups {sorted(missing)} is undefined: left out"
            warn(text, RuntimeWarning)
        values = {}
        for name, chosen in (
            ("demographic_parity", ("selection",)),
            ("equal_opportunity", ("tpr",)),
            ("equalized_odds", ("tpr", "fpr")),
        ):
            known = [rates[rate] for rate in chosen]
            differences = [float(max(r) - min(r)) if r else math.nan for r in known]
            ratios = [_share(min(r), max(r)) if r else math.nan for r in known]
            values[f"{name}_difference"] = _extreme(max, differences)
            values[f"{name}_ratio"] = _extreme(min, ratios)
        gaps = {
            f"{_NAMES[name]}_gap": [_gap(own, rest) for own, rest in _against_others(pairs)]
            for name, pairs in parts.items()
        }
        return values | gaps

    def own_intervals(self, results: Results, level: float) -> Mapping[str, Any] | None:
        """Return the intervals of the gaps, for samples without weights."""
        if self.counts.use_sample_weight:
            return None
        return {
            f"{_NAMES[name]}_gap": [
                _interval(own, rest, level) for own, rest in _against_others(pairs)
            ]
            for name, pairs in self.counts.rates(results).items()
        }


def _against_others(pairs: list[tuple[Any, Any]]) -> list[tuple[tuple[Any, Any], tuple[Any, Any]]]:
    """Return every group's numerator and denominator, and those of all other groups."""
    above, below = (sum(each) for each in zip(*pairs, strict=True))
    return [((n, d), (above - n, below - d)) for n, d in pairs]


def _gap(own: tuple[Any, Any], rest: tuple[Any, Any]) -> float:
    if not own[1] or not rest[1]:
        return math.nan
    return float(Fraction(own[0]) / Fraction(own[1]) - Fraction(rest[0]) / Fraction(rest[1]))


def _interval(own: tuple[int, int], rest: tuple[int, int], level: float) -> Interval:
    if not own[1] or not rest[1]:
        return unknown(math.nan, level, own[1], "a rate is undefined")
    shares = (_exact(n, d, level) for n, d in (own, rest))
    return replace(difference_of(*shares).interval, value=_gap(own, rest), method="Newcombe")


def _exact(hits: int, count: int, level: float) -> Interval:
    low, high = clopper_pearson(hits, count, level)
    return replace(share(hits / count, level, count, (0.0, 1.0)), low=low, high=high)


def _share(numerator: Any, denominator: Any) -> float:
    return float(numerator / denominator) if denominator else math.nan


def _extreme(function: Any, values: list[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return float(function(known)) if known else math.nan
