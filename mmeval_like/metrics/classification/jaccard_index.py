"""JaccardIndex and HammingDistance: the agreement of sets of predictions and labels."""

from __future__ import annotations

from typing import Any

from mmeval_like.metrics.classification.class_metrics import ClassQuotient

__all__ = ["HammingDistance", "JaccardIndex"]


class JaccardIndex(ClassQuotient):
    """Intersection over union of the predictions and the labels of a class: TP / (TP + FP + FN).

    For segmentation maps, `MeanIoU` has more options.

    Formula:
        jaccard = TP / (TP + FP + FN)

    Args:
        **options: As for `ClassQuotient`.

    Returns of `compute`: `jaccard`, in [0, 1], or the list `jaccard_classwise`; nan without
    samples. Higher is better.

    Example:
        >>> metric = JaccardIndex(task="multiclass", num_classes=2)
        >>> metric.add([0, 1, 1, 1], [0, 0, 1, 1])
        >>> metric.compute()  # (1 / 2 + 2 / 3) / 2
        {'jaccard': 0.5833333333333333}
    """

    key = "jaccard"

    def parts(self, tp: Any, fp: Any, fn: Any, tn: Any) -> tuple[Any, Any]:
        """Return the intersection and the union."""
        return tp, tp + fp + fn


class HammingDistance(ClassQuotient):
    """The Hamming distance: the fraction of predictions that are wrong.

    For a multilabel task the distance is the share of wrong entries, (FP + FN) / (TP + FP + FN +
    TN), and for a binary task the same share of positions. For a multiclass task the distance of a
    class is the share of its labels that are missed, FN / (TP + FN), and "micro" is the share of
    wrong positions. Source: R. W. Hamming, "Error detecting and error correcting codes", Bell
    System Technical Journal 29 (1950).

    Formula:
        distance = (FP + FN) / (TP + FP + FN + TN)

    Args:
        average: As for `Precision`, but the default is "micro".
        **options: As for `ClassQuotient`.

    Returns of `compute`: `hamming_distance`, in [0, 1], or the list `hamming_distance_classwise`;
    nan without samples. Lower is better.

    Example:
        >>> metric = HammingDistance(task="multilabel", num_classes=3)
        >>> metric.add([[0.9, 0.2, 0.6], [0.1, 0.8, 0.4]], [[1, 0, 1], [1, 1, 0]])
        >>> metric.compute()  # 1 of 6
        {'hamming_distance': 0.16666666666666666}
    """

    key = "hamming_distance"
    higher_is_better = False
    symmetric = True

    def __init__(self, *, average: str | None = "micro", **options: Any) -> None:
        super().__init__(average=average, **options)

    linear = True

    def parts(self, tp: Any, fp: Any, fn: Any, tn: Any) -> tuple[Any, Any]:
        """Return the number of wrong decisions, and of all decisions."""
        if self.task == "multiclass":
            return fn, tp + fn
        return fp + fn, tp + fp + fn + tn
