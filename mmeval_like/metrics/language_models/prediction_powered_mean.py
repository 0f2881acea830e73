"""PredictionPoweredMean: the mean of few labels, improved by predictions for many samples."""

from __future__ import annotations

import math
from fractions import Fraction
from operator import add
from typing import Any

import numpy as np

from mmeval_like.metrics._common.number_inputs import bounded, without_tiny
from mmeval_like.metrics._common.shapes import check_one_axis
from mmeval_like.writing import BaseMetric, MetricOptions, Ranges, Results, Unpack, arrays, state
from mmeval_like.writing.exact import sqrt_fraction, two_product
from mmeval_like.writing.intervals import Jackknife

__all__ = ["PredictionPoweredMean"]

_RANGES: Ranges = {"standard_error": (0.0, math.inf)}
_PLACES = (0, 1, 2, 3)  # of the labels, and of the sums of y, f and f'
_FEW = 30  # an interval from fewer labels is thin


class PredictionPoweredMean(BaseMetric):
    """The mean of labels, estimated from predictions of all samples and the labels of a few.

    For n samples both the prediction f_i, for instance by a judge model, and the label y_i are
    known; for N other samples only the prediction f'_j is known. The estimate is unbiased, even if
    all predictions err in the same direction. Its standard error is the root of lambda^2 Var(f') /
    N + Var(y - lambda f) / n, with variances that are divided by N and by n. Source: A. N.
    Angelopoulos et al., "PPI++: efficient prediction-powered inference" (2023).

    Formula:
        m = lambda/N sum_j f'_j + 1/n sum_i (y_i - lambda f_i)

    Args:
        power: The number lambda, the weight of the predictions. None: cov(y, f) / ((1 + n / N)
            Var(f)), which minimises the standard error of many samples; the covariance is divided
            by n, and the variance, of all n + N predictions, by n + N - 1. 0: only the labels are
            used.
        **options: As for `BaseMetric`.

    Returns of `compute`: `mean`, `standard_error` and `lambda`; nan with fewer than 2 labels.

    Raises:
        ValueError: `power` is not a finite number.

    Example:
        >>> nan = float("nan")
        >>> metric = PredictionPoweredMean(power=1)
        >>> metric.add([1.0, 0.0, 1.0, 0.0, 1.0, 1.0], [1.0, 1.0, nan, nan, nan, nan])
        >>> metric.compute()  # 3/4 + (0 + 1) / 2
        {'mean': 1.25, 'standard_error': 0.414578098794425, 'lambda': 1.0}
    """

    every_rank_computes = True
    unknown_inputs = ("labels",)
    ranges = _RANGES
    # A float sum, although it counts: an interval moves the sums of labels and their number by
    # fractions.
    labelled = state.sum(float)
    sums = state.sum(float, (11,))

    def __init__(self, power: float | None = None, **options: Unpack[MetricOptions]) -> None:
        super().__init__(**options)
        self.power = None if power is None else float(power)
        if self.power is not None and not math.isfinite(self.power):
            raise ValueError(f"power must be a finite number or None, got {power}")

    @property
    def jackknife(self) -> Jackknife:
        """The caveat for few labels, and for labels that show no errors; and the few that do."""
        return Jackknife(caveat=self._caveat, labels=_PLACES, slopes=self._slopes)

    def rows(self, predictions: Any, labels: Any) -> dict[str, np.ndarray]:
        """Return the terms that every sample adds to the sums.

        Args:
            predictions: Numbers (N,).
            labels: Numbers (N,), nan where the label is not known; in a table, empty cells.

        Raises:
            TypeError: The inputs are not numbers.
            ValueError: Shapes or lengths do not fit, a magnitude is above 1e115, or a prediction is
                nan. Magnitudes below 1e-105 count as 0.
        """
        f, y = arrays.as_floats(predictions, "predictions"), arrays.as_floats(labels, "labels")
        for name, numbers in (("predictions", f), ("labels", y)):
            check_one_axis(name, numbers)
        arrays.check_same_length("predictions", f, "labels", y)
        known = ~np.isnan(y)
        y = np.where(known, y, 0.0)
        f, y = (bounded(n, without_tiny(a)) for n, a in (("predictions", f), ("labels", y)))
        own, others = np.where(known, f, 0.0), np.where(known, 0.0, f)
        pairs = (y, y), (own, own), (y, own), (others, others)
        products = [part for pair in pairs for part in two_product(*pair)]  # exact
        # Each column of the sums is contiguous.
        return {"labelled": known, "sums": np.stack([y, own, others, *products]).T}

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return the mean, its standard error and lambda."""
        n: Any = results.exact("labelled")
        others = len(results) - n
        if n < 2:
            return dict.fromkeys(("mean", "standard_error", "lambda"), math.nan)
        exact: list[Fraction] = results.exact("sums").tolist()  # type: ignore[union-attr]  # many
        sums = [*exact[:3], *map(add, exact[3::2], exact[4::2])]
        y, f, g, yy, ff, yf, gg = (total / n for total in sums)
        if others:
            g, gg = sums[2] / others, sums[6] / others
        power = self._power(n, others, sums) if others else Fraction(0)
        mean = power * g + y - power * f
        rest = yy - 2 * power * yf + power**2 * ff - (y - power * f) ** 2
        variance = rest / n + (power**2 * (gg - g * g) / others if others else 0)
        return {
            "mean": float(mean),
            "standard_error": sqrt_fraction(max(variance, Fraction(0))),  # tiny products round
            "lambda": float(power),
        }

    def _caveat(self, results: Results) -> str | None:
        if results.labelled < _FEW:
            return f"there are only {round(results.labelled)} labels"
        exact = results.exact("sums").tolist()  # type: ignore[union-attr]  # many
        yy, ff, yf, _ = map(add, exact[3::2], exact[4::2])
        if yy * round(results.labelled) == exact[0] ** 2:
            return "all labels are equal"
        alike = self.power != 0 and yy + ff == 2 * yf
        return "all labels are equal to the predictions" if alike else None

    def _slopes(self, results: Results) -> dict[str, list[Fraction]]:
        """Return the slopes of the mean in those of the labelled share, y, f and f'."""
        power, count = Fraction(self.compute_metric(results)["lambda"]), len(results)
        y, f, g = (total / count for total in results.exact("sums").tolist()[:3])  # type: ignore[union-attr]  # many
        part = Fraction(results.exact("labelled")) / count  # type: ignore[arg-type]  # one
        others = power / (1 - part) if part < 1 else Fraction(0)
        of_part = others * g / (1 - part) if part < 1 else Fraction(0)
        return {"mean": [of_part - (y - power * f) / part**2, 1 / part, -power / part, others]}

    def _power(self, n: Fraction, others: Fraction, sums: list[Fraction]) -> Fraction:
        """Return lambda: `power`, or the value of minimal standard error; 0 if all f are equal."""
        if self.power is not None:
            return Fraction(self.power)
        y, f, g, _, ff, yf, gg = sums
        total = n + others
        variance = ((ff + gg) - (f + g) ** 2 / total) / (total - 1)
        covariance = yf / n - y * f / n**2
        return covariance / ((1 + Fraction(n, others)) * variance) if variance else Fraction(0)
