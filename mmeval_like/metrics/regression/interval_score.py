"""IntervalScore and EnergyScore: forecasts of intervals and of vectors."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import numpy as np

from mmeval_like.metrics._common.scaled_rows import magnitudes
from mmeval_like.metrics._common.shapes import check_one_axis
from mmeval_like.metrics.regression.regression_metrics import NumbersMean
from mmeval_like.writing import NOT_NEGATIVE, Results, arrays

__all__ = ["EnergyScore", "IntervalScore"]


class IntervalScore(NumbersMean):
    """The interval score: the width of prediction intervals plus a penalty for labels outside.

    A prediction interval has the lower end l and the upper end u, and y is the label. The score is
    also named Winkler score. Source: T. Gneiting and A. E. Raftery, "Strictly proper scoring rules,
    prediction, and estimation", JASA 102 (2007), section 6.2.

    `add` takes `lower`, `upper` and `labels`, (N,), of any real dtype, finite, and `sample_weight`
    (N,).

    Formula:
        score = mean ((u - l) + 2/alpha max(l - y, 0) + 2/alpha max(y - u, 0))
        coverage = mean [l <= y <= u]

    Args:
        alpha: The share of labels, in (0, 1), that should lie outside of the intervals: 0.1 for
            intervals of 90 per cent.
        **options: As for `NumbersMean`.

    Returns of `compute`: `interval_score` and `mean_width`, in the labels' unit, at least 0, for
    which lower is better; and `coverage`, the share of labels inside the interval or on its ends,
    which should be 1 - alpha. Without samples the values are nan.

    Raises:
        ValueError: `alpha` is out of (0, 1).

    Example:
        >>> metric = IntervalScore(alpha=0.5)
        >>> metric.add(lower=[1.0, 1.0], upper=[2.0, 2.0], labels=[1.5, 4.0])
        >>> metric.compute()  # (1 + 1 + 4 * 2) / 2
        {'interval_score': 5.0, 'coverage': 0.5, 'mean_width': 1.0}
    """

    outputs = 3
    ranges = MappingProxyType({"coverage": (0.0, 1.0), **NOT_NEGATIVE})
    higher_is_better = False
    higher_is_better_of = MappingProxyType({"coverage": None})

    def __init__(self, alpha: float, **options: Any) -> None:
        super().__init__(**options)
        if not 0 < alpha < 1:
            raise ValueError(f"alpha must be in (0, 1), got {alpha}")
        self.alpha = float(alpha)

    def scores(self, lower: Any, upper: Any, labels: Any) -> np.ndarray:
        """Return the score of every interval, whether it contains its label, and its width.

        Args:
            lower: The lower ends (N,) of any real dtype.
            upper: The upper ends, not below the lower ones.
            labels: Numbers (N,).

        Raises:
            TypeError: The inputs are not real numbers.
            ValueError: Shapes do not fit; a value is nan or infinite; an integer is beyond 2^53; or
                an interval ends before it begins.
        """
        given = {"lower": lower, "upper": upper, "labels": labels}
        low, high, y = (arrays.as_floats(values, name) for name, values in given.items())
        for name, values in zip(given, (low, high, y), strict=True):
            check_one_axis(name, values)
            arrays.check_same_length("lower", low, name, values)
            arrays.check_finite(name, values)
        arrays.require("upper", high, high >= low, "must not be below lower")
        outside = np.maximum(low - y, 0.0) + np.maximum(y - high, 0.0)
        width = high - low
        return np.stack([width + 2 / self.alpha * outside, outside == 0, width], axis=1)

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return the three means."""
        keys = ("interval_score", "coverage", "mean_width")
        return dict(zip(keys, self.mean(results), strict=True))


class EnergyScore(NumbersMean):
    """The mean energy score of ensemble forecasts of vectors: the CRPS in several dimensions.

    A forecast is an ensemble of M vectors x_1, ..., x_M for the label y, a vector as well; |x| is
    the Euclidean norm. Source: T. Gneiting and A. E. Raftery, "Strictly proper scoring rules,
    prediction, and estimation", JASA 102 (2007), section 4.3.

    `add` takes `predictions`, the members (N, M, D), `labels` (N, D), of any real dtype, finite,
    and `sample_weight` (N,).

    Formula:
        energy = mean (1/M sum_i |x_i - y| - 1/(2 M^2) sum_(i, j) |x_i - x_j|)

    Args:
        fair: Whether the second sum is divided by 2 M (M - 1) instead of 2 M^2, as for
            `ContinuousRankedProbabilityScore`. It needs M >= 2.
        **options: As for `NumbersMean`.

    Returns of `compute`: `energy_score`, at least 0 unless fair; nan without samples. Lower is
    better.

    Example:
        >>> metric = EnergyScore()
        >>> metric.add(predictions=[[[0.0, 0.0], [6.0, 8.0]]], labels=[[3.0, 4.0]])
        >>> metric.compute()  # (5 + 5) / 2 - (10 + 10) / 8
        {'energy_score': 2.5}
    """

    key = "energy_score"
    higher_is_better = False

    def __init__(self, fair: bool = False, **options: Any) -> None:
        super().__init__(**options)
        self.fair = fair

    def scores(self, predictions: Any, labels: Any) -> np.ndarray:
        """Return the score of every sample.

        Args:
            predictions: The members (N, M, D) of any real dtype.
            labels: Vectors (N, D).

        Raises:
            TypeError: The inputs are not real numbers.
            ValueError: Shapes do not fit; a value is nan or infinite; an integer is beyond 2^53; or
                there is no member, or only one with `fair`.
        """
        members = arrays.as_floats(predictions, "predictions")
        truth = arrays.as_floats(labels, "labels")
        arrays.check_same_length("predictions", members, "labels", truth)
        if len(truth) == 0:
            return np.zeros(0)
        if members.ndim != 3 or truth.ndim != 2 or members.shape[2] != truth.shape[1]:
            raise ValueError(
                f"predictions must have shape (N, M, D) and labels (N, D), got {members.shape} "
                f"and {truth.shape}"
            )
        arrays.check_finite("predictions", members)
        arrays.check_finite("labels", truth)
        size = members.shape[1]
        if size < 1 + self.fair:
            raise ValueError(f"predictions must have at least {1 + self.fair} members, got {size}")
        # Each sample in its own unit, a power of two, in which no square overflows or vanishes.
        most = np.maximum(magnitudes(members.reshape(len(truth), -1)), magnitudes(truth))
        units = np.frexp(most)[1]
        members, truth = np.ldexp(members, -units[:, None, None]), np.ldexp(truth, -units[:, None])
        errors: np.ndarray = arrays.sum_rows(_norms(members - truth[:, None])) / size
        spread = np.zeros(len(truth))
        for i in range(size - 1):
            spread += arrays.sum_rows(_norms(members[:, i + 1 :] - members[:, i : i + 1]))
        found: np.ndarray = np.ldexp(errors - spread / (size * max(size - self.fair, 1)), units)
        return found


def _norms(vectors: np.ndarray) -> np.ndarray:
    """Return the Euclidean norms (N, M) of vectors (N, M, D)."""
    squares = np.square(vectors).reshape(-1, vectors.shape[2])
    norms: np.ndarray = np.sqrt(arrays.sum_rows(squares)).reshape(vectors.shape[:2])
    return norms
