"""CalibrationError: the gap between predicted probabilities and observed frequencies."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from mmeval_like.metrics._common.pair_metrics import WeightedPairMetric
from mmeval_like.metrics.curves.calibration_bins import CalibrationBins
from mmeval_like.writing import MetricOptions, Results, Unpack
from mmeval_like.writing.exact import sqrt_fraction

__all__ = ["CalibrationError"]


class CalibrationError(WeightedPairMetric):
    """Calibration errors: the gap between predicted probabilities and observed frequencies.

    The values are the expected (ECE), the maximum (MCE) and the root mean squared (RMSCE)
    calibration error. The confidence of a sample is its highest probability, and the sample is
    right if the class of this probability (the first class in case of a tie) is the label. For
    probabilities of class 1, (N,), the confidence is this probability, and a sample is right if its
    label is 1. Bins have equal width and include their upper edge, ((b - 1) / bins, b / bins]; a
    confidence of 0 is in the first bin. Bin b has n_b of the N samples; the share a_b of them is
    right, and their mean confidence is c_b. Bins without samples do not count. Confidences are
    summed exactly, and results are rounded once. Sources: C. Guo et al., "On calibration of modern
    neural networks" (ICML 2017); A. Kumar, P. Liang, T. Ma, "Verified uncertainty calibration"
    (NeurIPS 2019).

    With `classwise`, every class has separate bins: the confidence is the class's probability,
    and a sample is right if it has this label. The result is then the ECE of every class and their
    mean, the static calibration error. A multilabel task without `classwise` has one set of bins
    for the entries of all classes. Source: M. Kull et al., "Beyond temperature scaling" (NeurIPS
    2019).

    `add` takes `predictions`, probabilities of all classes (N, C) or of class 1 (N,), `labels`,
    class indices (N,), or for a multilabel task 0 and 1 (N, C), and `sample_weight` (N,).

    Formula:
        ECE = sum_b n_b / N |a_b - c_b|
        MCE = max_b |a_b - c_b|
        RMSCE = sqrt(sum_b n_b / N (a_b - c_b)^2)

    Args:
        bins: The number of bins.
        use_sample_weight: Whether `add` takes `sample_weight`. Sums are then exact sums of floats.
        task: "binary", "multiclass" or "multilabel". None: "binary" for predictions (N,),
            "multiclass" for predictions (N, C).
        num_classes: The number of classes C; needed for `classwise` and for a multilabel task.
            None: as many as `predictions` has.
        classwise: Whether the result is the ECE of each class, and their mean; not for a binary
            task.
        **options: As for `BaseMetric`.

    Returns of `compute`: `ece`, `mce` and `rmsce`, in [0, 1]; or with `classwise` the list
    `ece_classwise` and `static_ece`. nan without samples. Lower is better.

    Raises:
        ValueError: `bins` or `num_classes` is below 1, or `num_classes` is missing; the task is
            unknown, or `classwise` is given for a binary one.

    Example:
        >>> metric = CalibrationError(bins=2)
        >>> metric.add([[0.25, 0.75], [0.25, 0.75], [0.5, 0.5]], [1, 0, 0])
        >>> metric.compute()  # bin (0, .5]: |1 - .5|, bin (.5, 1]: |.5 - .75|
        {'ece': 0.3333333333333333, 'mce': 0.5, 'rmsce': 0.3535533905932738}
        >>> metric = CalibrationError(bins=2, task="multilabel", num_classes=2, classwise=True)
        >>> metric.add([[0.25, 0.75], [0.25, 0.5]], [[0, 1], [1, 1]])
        >>> metric.compute()  # class 0: |.5 - .25|; class 1: (|1 - .5| + |1 - .75|) / 2
        {'ece_classwise': [0.25, 0.375], 'static_ece': 0.3125}
    """

    higher_is_better = False
    no_interval = (
        "it is above 0 even if the probabilities are right: an interval around it would not "
        "contain the true value"
    )
    _takes_inputs = CalibrationBins.rows

    every_rank_computes = True

    def __init__(
        self,
        bins: int = 15,
        use_sample_weight: bool = False,
        *,
        task: str | None = None,
        num_classes: int | None = None,
        classwise: bool = False,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        if classwise and task == "binary":
            raise ValueError('classwise=True needs probabilities of all classes, not task="binary"')
        by_class = classwise or task == "multilabel"
        if by_class and num_classes is None:
            raise ValueError('num_classes must be given for classwise=True or task="multilabel"')
        self.bins, self.classwise, self.num_classes = bins, classwise, num_classes
        self._bins = CalibrationBins(bins, use_sample_weight, task, num_classes, by_class)
        self.statistic = self._bins

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return `ece`, `mce` and `rmsce`; or `ece_classwise` and `static_ece`."""
        tables = self._bins.tables(results)
        if self.classwise:
            found = [_gaps(table) for table in tables]
            if not all(total for _, total in found):
                return {"ece_classwise": [math.nan] * len(tables), "static_ece": math.nan}
            errors = [sum(gap for _, gap in filled) / total for filled, total in found]
            mean = sum(errors) / len(errors)
            return {"ece_classwise": [float(error) for error in errors], "static_ece": float(mean)}
        pooled = [tuple(map(sum, zip(*cells, strict=True))) for cells in zip(*tables, strict=True)]
        filled, total = _gaps(pooled)
        if not total:
            return {"ece": math.nan, "mce": math.nan, "rmsce": math.nan}
        squares = sum(gap * gap / n for n, gap in filled)
        return {
            "ece": float(sum(gap for _, gap in filled) / total),
            "mce": float(max(gap / n for n, gap in filled)),
            "rmsce": sqrt_fraction(squares / total),
        }


def _gaps(table: list[tuple[Any, ...]]) -> tuple[list[tuple[Any, Fraction]], Fraction]:
    """Return n and |right - confidence| of every bin with samples, and the sum of all n."""
    filled = [(n, abs(right - sure)) for n, right, sure in table if n]
    return filled, sum((Fraction(n) for n, _ in filled), Fraction(0))
