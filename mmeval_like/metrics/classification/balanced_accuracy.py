"""BalancedAccuracy, GeometricMean, Informedness, Markedness and LikelihoodRatios."""

from __future__ import annotations

import math
from fractions import Fraction
from operator import add
from types import MappingProxyType
from typing import Any

from mmeval_like.metrics.classification.class_metrics import ClassAverage, ClassMetric
from mmeval_like.writing import CORRELATION, NOT_NEGATIVE, SHARE, Results, entrywise, vectorised
from mmeval_like.writing.exact import product_of_powers

__all__ = ["BalancedAccuracy", "GeometricMean", "Informedness", "LikelihoodRatios", "Markedness"]


class BalancedAccuracy(ClassMetric):
    """The mean over classes of recall, the fraction of a class's labels that are found.

    Rare and frequent classes have the same weight. Classes without labels do not count. Source: K.
    H. Brodersen et al., "The balanced accuracy and its posterior distribution" (ICPR 2010).

    Formula:
        balanced = mean_c TP_c / (TP_c + FN_c)

    Args:
        adjusted: Whether the value b is scaled so that guessing gives 0 and perfect predictions
            give 1: (b - 1 / C') / (1 - 1 / C'), where C' classes have labels.
        **options: As for `ClassMetric`.

    Returns of `compute`: `balanced_accuracy`, at most 1; nan without samples, and for a single
    class when adjusted. Higher is better.

    Example:
        >>> metric = BalancedAccuracy()
        >>> metric.add([0, 1, 1, 1], [0, 0, 1, 1])
        >>> metric.compute()  # (1 / 2 + 2 / 2) / 2
        {'balanced_accuracy': 0.75}
    """

    tasks = ("binary", "multiclass")

    def __init__(self, *, adjusted: bool = False, **options: Any) -> None:
        super().__init__(**options)
        self.adjusted = adjusted
        self.ranges = CORRELATION if adjusted else SHARE

    @vectorised
    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return `balanced_accuracy`."""
        outcomes = self.all_outcomes(results)
        return {"balanced_accuracy": entrywise(self._mean, *outcomes.tp, *outcomes.support)}

    def _mean(self, *outcomes: Any) -> float:
        recalls = _recalls(outcomes)
        if not recalls or (self.adjusted and len(recalls) == 1):
            return math.nan
        mean = sum(recalls) / Fraction(len(recalls))
        if self.adjusted:
            chance = Fraction(1, len(recalls))
            mean = (mean - chance) / (1 - chance)
        return float(mean)


class GeometricMean(ClassMetric):
    """The geometric mean over classes of recall, the fraction of a class's labels that are found.

    Classes without labels do not count. If no label of a class is found, the mean is 0. Source: M.
    Kubat and S. Matwin, "Addressing the curse of imbalanced training sets" (ICML 1997).

    Formula:
        G = (prod_c TP_c / (TP_c + FN_c))^(1/C)

    Args:
        **options: As for `ClassMetric`.

    Returns of `compute`: `geometric_mean`, in [0, 1]; nan without samples. Higher is better.

    Example:
        >>> metric = GeometricMean()
        >>> metric.add([0, 1, 1, 0, 0, 0, 0, 1], [0, 0, 0, 0, 1, 1, 1, 1])
        >>> round(metric.compute()["geometric_mean"], 6)  # sqrt(2 / 4 * 1 / 4)
        0.353553
    """

    tasks = ("binary", "multiclass")

    @vectorised
    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return `geometric_mean`."""
        outcomes = self.all_outcomes(results)
        return {"geometric_mean": entrywise(_geometric_mean, *outcomes.tp, *outcomes.support)}


class Informedness(ClassAverage):
    """Recall + specificity - 1: how much better decisions are than guessing.

    The value is also named Youden's J; below 0 decisions are worse than guessing. The average over
    classes is the average recall plus the average specificity, minus 1. Source: W. J. Youden,
    "Index for rating diagnostic tests", Cancer 3 (1950).

    Formula:
        J = TP / (TP + FN) + TN / (TN + FP) - 1

    Args:
        **options: As for `ClassAverage`.

    Returns of `compute`: `informedness`, in [-1, 1], or the list `informedness_classwise`; nan
    without samples. Higher is better.

    Example:
        >>> metric = Informedness()
        >>> metric.add([1, 1, 0, 0], [1, 0, 0, 0])
        >>> round(metric.compute()["informedness"], 6)  # 1 + 2 / 3 - 1
        0.666667
    """

    key = "informedness"
    ranges = CORRELATION
    linear = True

    @vectorised
    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return `informedness`."""
        o = self.outcomes(results)
        recall = self.averaged(o, o.tp, o.support)
        specificity = self.averaged(o, o.tn, [*map(add, o.tn, o.fp)])
        return {self.named(self.key): _sum_less_one(recall, specificity)}


class Markedness(ClassAverage):
    """Precision + negative predictive value - 1: how reliable the decisions are.

    The average over classes is the average precision plus the average negative predictive value,
    minus 1. Source: D. M. W. Powers, "Evaluation: from precision, recall and F-measure to ROC,
    informedness, markedness and correlation", Journal of Machine Learning Technologies 2 (2011).

    Formula:
        MK = TP / (TP + FP) + TN / (TN + FN) - 1

    Args:
        **options: As for `ClassAverage`.

    Returns of `compute`: `markedness`, in [-1, 1], or the list `markedness_classwise`; nan without
    samples. Higher is better.

    Example:
        >>> metric = Markedness()
        >>> metric.add([1, 1, 0, 0], [1, 0, 0, 0])
        >>> metric.compute()  # 1 / 2 + 1 - 1
        {'markedness': 0.5}
    """

    key = "markedness"
    ranges = CORRELATION

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        if math.isnan(self.zero_division):
            self.no_bounds = "with zero_division=nan, predictions decide which shares count"

    @vectorised
    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return `markedness`."""
        o = self.outcomes(results)
        precision = self.averaged(o, o.tp, [*map(add, o.tp, o.fp)])
        negative = self.averaged(o, o.tn, [*map(add, o.tn, o.fn)])
        return {self.named(self.key): _sum_less_one(precision, negative)}


class LikelihoodRatios(ClassMetric):
    """The likelihood ratios of a test: how much its result changes the odds of being positive.

    A positive result multiplies the odds by LR+, which should be large; a negative result
    multiplies them by LR-, which should be near 0. Both are computed from recall (sensitivity) and
    specificity. Source: D. G. Altman and J. M. Bland, "Diagnostic tests 2: predictive values", BMJ
    309 (1994).

    Formula:
        LR^+ = recall / (1 - specificity)
        LR^- = (1 - recall) / specificity

    Args:
        **options: As for `ClassMetric`. The task is binary.

    Returns of `compute`: `positive_likelihood_ratio` and `negative_likelihood_ratio`, at least 0;
    infinite for x / 0, nan for 0 / 0 and where there are no positives or no negatives. Higher
    is better for the first, and lower is better for the second.

    Example:
        >>> metric = LikelihoodRatios()
        >>> metric.add([1, 1, 0, 1, 0], [1, 1, 1, 0, 0])
        >>> [round(ratio, 4) for ratio in metric.compute().values()]  # 2/3 : 1/2 and 1/3 : 1/2
        [1.3333, 0.6667]
    """

    tasks = ("binary",)
    ranges = NOT_NEGATIVE
    higher_is_better = None
    higher_is_better_of = MappingProxyType(
        {"positive_likelihood_ratio": True, "negative_likelihood_ratio": False}
    )

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return both ratios."""
        o = self.outcomes(results)
        [tp], [fp], [fn], [tn] = o.tp, o.fp, o.fn, o.tn
        return {
            "positive_likelihood_ratio": _ratio(tp * (fp + tn), fp * (tp + fn)),
            "negative_likelihood_ratio": _ratio(fn * (fp + tn), tn * (tp + fn)),
        }


def _geometric_mean(*outcomes: Any) -> float:
    recalls = _recalls(outcomes)
    if not recalls:
        return math.nan
    share = Fraction(1, len(recalls))
    return product_of_powers({share: math.prod(recalls, start=Fraction(1))})


def _recalls(outcomes: tuple[Any, ...]) -> list[Fraction]:
    """Return the recall of every class that has labels.

    Args:
        outcomes: The true positives of every class, then the labels of every class.
    """
    size = len(outcomes) // 2
    pairs = zip(outcomes[:size], outcomes[size:], strict=True)
    return [Fraction(tp) / Fraction(support) for tp, support in pairs if support]


def _sum_less_one(first: Any, second: Any) -> Any:
    if isinstance(first, list):
        return [_sum_less_one(a, b) for a, b in zip(first, second, strict=True)]
    return first + second - 1


def _ratio(numerator: Any, denominator: Any) -> float:
    if denominator:
        return float(numerator / denominator)
    return math.inf if numerator else math.nan
