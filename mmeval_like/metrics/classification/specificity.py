"""Specificity, NegativePredictiveValue, FalsePositiveRate and FalseNegativeRate."""

from __future__ import annotations

from typing import Any

from mmeval_like.metrics.classification.class_metrics import ClassQuotient

__all__ = ["FalseNegativeRate", "FalsePositiveRate", "NegativePredictiveValue", "Specificity"]


class Specificity(ClassQuotient):
    """The fraction of samples of other classes that are not predicted as the class: TN / (TN + FP).

    Formula:
        specificity = TN / (TN + FP)

    Args:
        **options: As for `ClassQuotient`.

    Returns of `compute`: `specificity`, in [0, 1], or the list `specificity_classwise`; nan without
    samples. Higher is better.

    Example:
        >>> metric = Specificity()
        >>> metric.add([1, 0, 1, 0], [1, 0, 0, 0])
        >>> metric.compute()  # 2 of 3
        {'specificity': 0.6666666666666666}
    """

    key = "specificity"

    linear = True

    def parts(self, tp: Any, fp: Any, fn: Any, tn: Any) -> tuple[Any, Any]:
        """Return TN and the negatives."""
        return tn, tn + fp


class NegativePredictiveValue(ClassQuotient):
    """How often it is right not to predict a class: TN / (TN + FN).

    Formula:
        npv = TN / (TN + FN)

    Args:
        **options: As for `ClassQuotient`.

    Returns of `compute`: `npv`, in [0, 1], or the list `npv_classwise`; nan without samples. Higher
    is better.

    Example:
        >>> metric = NegativePredictiveValue()
        >>> metric.add([1, 0, 0, 0], [1, 1, 0, 0])
        >>> metric.compute()  # 2 of 3
        {'npv': 0.6666666666666666}
    """

    key = "npv"

    def parts(self, tp: Any, fp: Any, fn: Any, tn: Any) -> tuple[Any, Any]:
        """Return TN and the negative predictions."""
        return tn, tn + fn


class FalsePositiveRate(ClassQuotient):
    """The fraction of samples of other classes that are predicted as the class: FP / (FP + TN).

    Formula:
        fpr = FP / (FP + TN)

    Args:
        **options: As for `ClassQuotient`.

    Returns of `compute`: `fpr`, in [0, 1], or the list `fpr_classwise`; nan without samples. Lower
    is better.

    Example:
        >>> metric = FalsePositiveRate()
        >>> metric.add([1, 0, 1, 0], [1, 0, 0, 0])
        >>> metric.compute()  # 1 of 3
        {'fpr': 0.3333333333333333}
    """

    key = "fpr"
    higher_is_better = False

    linear = True

    def parts(self, tp: Any, fp: Any, fn: Any, tn: Any) -> tuple[Any, Any]:
        """Return FP and the negatives."""
        return fp, fp + tn


class FalseNegativeRate(ClassQuotient):
    """The fraction of a class's labels that are missed: FN / (FN + TP).

    Formula:
        fnr = FN / (FN + TP)

    Args:
        **options: As for `ClassQuotient`.

    Returns of `compute`: `fnr`, in [0, 1], or the list `fnr_classwise`; nan without samples. Lower
    is better.

    Example:
        >>> metric = FalseNegativeRate()
        >>> metric.add([1, 0, 0, 0], [1, 1, 0, 0])
        >>> metric.compute()  # 1 of 2
        {'fnr': 0.5}
    """

    key = "fnr"
    higher_is_better = False

    linear = True

    def parts(self, tp: Any, fp: Any, fn: Any, tn: Any) -> tuple[Any, Any]:
        """Return FN and the labels."""
        return fn, fn + tp
