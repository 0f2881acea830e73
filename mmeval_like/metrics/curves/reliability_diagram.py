"""ReliabilityDiagram and BrierDecomposition: observed frequencies in bins of confidence."""

from __future__ import annotations

import math
from fractions import Fraction
from types import MappingProxyType
from typing import Any, cast

import numpy as np

from mmeval_like.metrics._common.pair_metrics import WeightedPairMetric
from mmeval_like.metrics._common.shared_options import shared_options
from mmeval_like.metrics.curves.calibration_bins import CalibrationBins
from mmeval_like.writing import SHARE, MetricOptions, Results, Unpack

__all__ = ["BrierDecomposition", "ReliabilityDiagram"]


@shared_options
class BinsMetric(WeightedPairMetric):
    """The base class of metrics in bins of confidence; counts are shared with `CalibrationError`.

    Args:
        bins: The number of bins. They have equal width, ((b - 1) / bins, b / bins]; 0 is in the
            first one.
        use_sample_weight: Whether `add` takes `sample_weight`. Sums are then exact sums of floats.
        **options: As for `BaseMetric`.

    Raises:
        ValueError: `bins` is below 1, or the task is unknown.
    """

    _takes_inputs = CalibrationBins.rows

    every_rank_computes = True

    def __init__(
        self,
        task: str | None,
        /,
        bins: int = 15,
        use_sample_weight: bool = False,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        self.statistic = CalibrationBins(bins, use_sample_weight, task)

    def table(self, results: Results) -> list[tuple[Any, Any, Any]]:
        """Return the number of samples, of right samples, and the sum of confidences, by bin."""
        [table] = cast(CalibrationBins, self.statistic).tables(results)
        return table


class ReliabilityDiagram(BinsMetric):
    """The observed frequency and the mean confidence of predictions, in bins of confidence.

    These are the values that a reliability diagram shows; `CalibrationError` summarises the gap
    between frequency and confidence in one number. The confidence of a sample is its highest
    probability, and the sample is right if the class of this probability (the first class in case
    of a tie) is the label. For probabilities of class 1, (N,), the confidence is this probability,
    and a sample is right if its label is 1. Sums are exact, and results are rounded once. Source:
    M. H. DeGroot and S. E. Fienberg, "The comparison and evaluation of forecasters", The
    Statistician 32 (1983).

    `add` takes `predictions`, probabilities of all classes (N, C) or of class 1 (N,), `labels`,
    class indices (N,), and `sample_weight` (N,).

    Formula:
        accuracy_b = 1/n_b sum_(i in b) [right_i]
        confidence_b = 1/n_b sum_(i in b) c_i

    Args:
        task: "binary": predictions must be (N,). "multiclass": they must be (N, C). None: the shape
            of the predictions decides.
        **options: As for `BinsMetric`.

    Returns of `compute`: arrays (bins,): `accuracy`, the share that is right, and `confidence`,
    the mean, both nan in bins without samples; `count`, int64, or the sums of weights, float64.

    Raises:
        ValueError: `bins` is below 1, or the task is unknown.

    Example:
        >>> metric = ReliabilityDiagram(bins=2)
        >>> metric.add([0.75, 1.0, 0.25], [1, 0, 0])
        >>> found = metric.compute()
        >>> found["accuracy"], found["confidence"], found["count"]
        (array([0. , 0.5]), array([0.25 , 0.875]), array([1, 2]))
    """

    def __init__(
        self,
        bins: int = 15,
        use_sample_weight: bool = False,
        task: str | None = None,
        **options: Any,
    ) -> None:
        if task == "multilabel":
            raise ValueError('task must be "binary", "multiclass" or None, got "multilabel"')
        super().__init__(task, bins, use_sample_weight, **options)

    def compute_metric(self, results: Results) -> dict[str, np.ndarray]:
        """Return the three arrays."""
        table = self.table(results)
        whole = np.float64 if cast(CalibrationBins, self.statistic).use_sample_weight else np.int64
        return {
            "accuracy": np.array([float(right / n) if n else math.nan for n, right, _ in table]),
            "confidence": np.array([float(sure / n) if n else math.nan for n, _, sure in table]),
            "count": np.array([n for n, _, _ in table]).astype(whole),
        }


class BrierDecomposition(BinsMetric):
    """The three parts of the Brier score: reliability, resolution and uncertainty.

    The share a of the N samples has label 1. Bin b has n_b forecasts with the mean c_b;
    a share a_b of them has label 1. Reliability is the mean squared difference of c_b and a_b: 0 is
    best. Resolution is the mean squared difference of a_b and a: higher is better. Uncertainty
    depends on the labels only. If all forecasts of a bin are equal, reliability - resolution +
    uncertainty is the Brier score. Sums are exact, and results are rounded once. Source: A. H.
    Murphy, "A new vector partition of the probability score", Journal of Applied Meteorology 12
    (1973).

    `add` takes `predictions`, probabilities of class 1 (N,), `labels`, 0 and 1 (N,), and
    `sample_weight` (N,).

    Formula:
        reliability = 1/N sum_b n_b (c_b - a_b)^2
        resolution = 1/N sum_b n_b (a_b - a)^2
        uncertainty = a (1 - a)

    Args:
        **options: As for `BinsMetric`.

    Returns of `compute`: `reliability`, in [0, 1], `resolution` and `uncertainty`, in [0, 1 / 4];
    nan without samples.

    Example:
        >>> metric = BrierDecomposition(bins=2)
        >>> metric.add([0.25, 0.25, 0.75, 0.75], [0, 0, 1, 0])
        >>> metric.compute()  # (1/16 + 1/16) / 2, ((1/4)^2 + (1/4)^2) / 2, 1/4 * 3/4
        {'reliability': 0.0625, 'resolution': 0.0625, 'uncertainty': 0.1875}
    """

    ranges = SHARE
    higher_is_better_of = MappingProxyType({"reliability": False, "resolution": True})
    no_interval = (
        "two parts are larger for fewer samples: an interval would not contain the true value"
    )

    def __init__(self, bins: int = 10, use_sample_weight: bool = False, **options: Any) -> None:
        super().__init__("binary", bins, use_sample_weight, **options)

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return the three parts."""
        table = [(Fraction(n), Fraction(right), sure) for n, right, sure in self.table(results)]
        filled = [row for row in table if row[0]]
        total = sum((n for n, _, _ in filled), Fraction(0))
        if not total:
            return dict.fromkeys(("reliability", "resolution", "uncertainty"), math.nan)
        share = sum((right for _, right, _ in filled), Fraction(0)) / total
        gaps = sum(((sure - right) ** 2 / n for n, right, sure in filled), Fraction(0))
        spread = sum((n * (right / n - share) ** 2 for n, right, _ in filled), Fraction(0))
        return {
            "reliability": float(gaps / total),
            "resolution": float(spread / total),
            "uncertainty": float(share * (1 - share)),
        }
