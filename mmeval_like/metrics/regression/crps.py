"""ContinuousRankedProbabilityScore and PinballLoss: forecasts of a distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from mmeval_like.metrics._common.shapes import check_one_axis
from mmeval_like.metrics.regression.regression_metrics import NumbersMean
from mmeval_like.writing import NOT_NEGATIVE, Results, arrays

__all__ = ["ContinuousRankedProbabilityScore", "PinballLoss"]


class ContinuousRankedProbabilityScore(NumbersMean):
    """The mean continuous ranked probability score (CRPS) of ensemble forecasts.

    A forecast is an ensemble of M members x_1, ..., x_M for the label y. The score is small if the
    members are near the label and not spread more than necessary; it is in the labels' unit. For a
    single member it is the absolute error. Source: T. Gneiting and A. E. Raftery, "Strictly proper
    scoring rules, prediction, and estimation", JASA 102 (2007); for the option `fair`: C. A. T.
    Ferro, "Fair scores for ensemble forecasts", QJRMS 140 (2014).

    `add` takes `predictions`, the members (N, M), `labels` (N,), of any real dtype, finite, and
    `sample_weight` (N,).

    Formula:
        crps = mean (1/M sum_i |x_i - y| - 1/(2 M^2) sum_(i, j) |x_i - x_j|)

    Args:
        fair: Whether the second sum is divided by 2 M (M - 1) instead of 2 M^2. The score is then,
            on average, that of infinitely many members. It needs M >= 2.
        **options: As for `NumbersMean`.

    Returns of `compute`: `crps`, at least 0 unless fair; nan without samples. Lower is better.

    Example:
        >>> metric = ContinuousRankedProbabilityScore()
        >>> metric.add(predictions=[[1.0, 3.0]], labels=[2.0])
        >>> metric.compute()  # 1 - (2 + 2) / (2 * 4)
        {'crps': 0.5}
    """

    key = "crps"
    ranges = NOT_NEGATIVE
    higher_is_better = False

    def __init__(self, fair: bool = False, **options: Any) -> None:
        super().__init__(**options)
        self.fair = fair

    def scores(self, predictions: Any, labels: Any) -> np.ndarray:
        """Return the score of every sample.

        Args:
            predictions: The members (N, M) of any real dtype.
            labels: Numbers (N,).

        Raises:
            TypeError: The inputs are not real numbers.
            ValueError: Shapes do not fit; a value is nan or infinite; an integer is beyond 2^53; or
                there is no member, or only one with `fair`.
        """
        members, truth = _read(predictions, labels)
        size = members.shape[1]
        if size < 1 + self.fair:
            raise ValueError(f"predictions must have at least {1 + self.fair} members, got {size}")
        errors: np.ndarray = arrays.sum_rows(np.abs(members - truth[:, None])) / size
        if size == 1:
            return errors
        # The number of pairs of members that enclose each gap between neighbours.
        below = np.arange(1, size)
        spread = arrays.sum_rows(np.diff(np.sort(members, axis=1), axis=1) * (below * below[::-1]))
        found: np.ndarray = errors - spread / (size * (size - self.fair))
        return found


class PinballLoss(NumbersMean):
    """The mean pinball loss of predicted quantiles, in the labels' unit.

    For the quantile a, the loss of a prediction p is a (y - p) if the label y is above it, and (1 -
    a) (p - y) if it is below. At a = 0.5 the loss is half the absolute error. Source: R. Koenker
    and G. Bassett, "Regression quantiles", Econometrica 46 (1978).

    `add` takes `predictions`, (N,), or (N, A) with A quantiles, `labels` (N,), of any real dtype,
    finite, and `sample_weight` (N,).

    Formula:
        pinball = mean max(a (y - p), (a - 1) (y - p))

    Args:
        alpha: The quantile a in [0, 1], or several.
        **options: As for `NumbersMean`.

    Returns of `compute`: `pinball`, at least 0: the mean over quantiles. With several quantiles
    also `pinball_classwise`, a list with one value for each. Without samples the values are nan.
    Lower is better.

    Raises:
        ValueError: `alpha` has a quantile out of [0, 1], or is empty.

    Example:
        >>> metric = PinballLoss(alpha=0.75)
        >>> metric.add(predictions=[1.0, 4.0], labels=[2.0, 2.0])
        >>> metric.compute()  # (0.75 * 1 + 0.25 * 2) / 2
        {'pinball': 0.625}
    """

    key = "pinball"
    ranges = NOT_NEGATIVE
    higher_is_better = False

    def __init__(self, alpha: float | Sequence[float] = 0.5, **options: Any) -> None:
        super().__init__(**options)
        several = np.ndim(alpha) > 0
        self.alpha = tuple(map(float, np.atleast_1d(alpha)))
        if not self.alpha or not all(0 <= a <= 1 for a in self.alpha):
            raise ValueError(f"alpha must be in [0, 1], got {alpha}")
        self.outputs = len(self.alpha) if several else None

    def scores(self, predictions: Any, labels: Any) -> np.ndarray:
        """Return the loss of every sample and quantile.

        Args:
            predictions: Quantiles (N,), or (N, A), of any real dtype.
            labels: Numbers (N,).

        Raises:
            TypeError: The inputs are not real numbers.
            ValueError: Shapes do not fit, a value is nan or infinite, or an integer is beyond 2^53.
        """
        if self.outputs is None:
            predictions = arrays.as_floats(predictions, "predictions")
            check_one_axis("predictions", predictions)
            predictions = predictions[:, None]
        quantiles, truth = _read(predictions, labels)
        if len(truth) and quantiles.shape[1] != len(self.alpha):
            raise ValueError(
                f"predictions must have shape (N, {len(self.alpha)}), got {quantiles.shape}"
            )
        error, alpha = truth[:, None] - quantiles, np.array(self.alpha)
        found: np.ndarray = np.maximum(alpha * error, (alpha - 1) * error)
        return found[:, 0] if self.outputs is None else found

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return the mean loss, and with several quantiles the loss of each."""
        losses = self.mean(results)
        if self.outputs is None:
            return {"pinball": losses}
        return {"pinball": math.fsum(losses) / len(losses), "pinball_classwise": losses}


def _read(predictions: Any, labels: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return finite numbers (N, M) and (N,) as float64."""
    wide, truth = arrays.as_floats(predictions, "predictions"), arrays.as_floats(labels, "labels")
    if wide.ndim != 2 or truth.ndim != 1:
        raise ValueError(
            f"predictions must have shape (N, M) and labels (N,), got {wide.shape} and "
            f"{truth.shape}"
        )
    arrays.check_same_length("predictions", wide, "labels", truth)
    arrays.check_finite("predictions", wide)
    arrays.check_finite("labels", truth)
    return wide, truth
