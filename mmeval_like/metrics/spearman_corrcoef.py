"""SpearmanCorrCoef: how close predictions and labels are to the same order."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from mmeval_like import arrays, state
from mmeval_like.metric import BaseMetric
from mmeval_like.metrics._exact_products import exact_dot, sqrt_fraction
from mmeval_like.results import Results

__all__ = ["SpearmanCorrCoef"]


class SpearmanCorrCoef(BaseMetric):
    """Spearman's rank correlation: Pearson's correlation of the ranks.

    Equal values share the mean of their ranks. Twice the ranks are whole numbers, whose
    products are summed exactly; the result is rounded once. All values are kept, 16 bytes a
    sample, and sorted at the end.

    Returns of `compute`: `spearman`, in [-1, 1]; nan where predictions or labels are all equal,
    as with fewer than two samples.

    Example:
        >>> metric = SpearmanCorrCoef()
        >>> metric.add(predictions=[0.1, 0.2, 7.0, 0.3], labels=[1, 2, 4, 3])
        >>> metric.compute()
        {'spearman': 1.0}
    """

    values = state.cat(np.float64, (2,))

    def rows(self, predictions: Any, labels: Any) -> dict[str, np.ndarray]:
        """Return both values of every sample.

        Args:
            predictions: Numbers (N,) of any real dtype; infinities are ordered like numbers.
            labels: The same shape.

        Raises:
            TypeError: Not real numbers.
            ValueError: Other shapes, different lengths, nan.
        """
        columns = []
        for name, value in (("predictions", predictions), ("labels", labels)):
            column = arrays.as_floats(value, name)
            if column.ndim != 1:
                raise ValueError(f"{name} must have shape (N,), got {column.shape}")
            arrays.check_finite(name, column, allow_infinite=True)
            columns.append(column)
        arrays.check_same_length("predictions", columns[0], "labels", columns[1])
        return {"values": np.stack(columns, axis=1)}

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return `spearman`."""
        x, y = (_centred_ranks(column) for column in results.values.T)
        variances = exact_dot(x, x) * exact_dot(y, y)
        if variances == 0:
            return {"spearman": math.nan}
        covariance = exact_dot(x, y)
        root = sqrt_fraction(Fraction(covariance**2, variances))
        return {"spearman": math.copysign(root, covariance)}


def _centred_ranks(values: np.ndarray) -> np.ndarray:
    """Return twice the ranks, less their mean: whole numbers that add up to 0."""
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)  # a group's ranks are last - size + 1, ..., last
    doubled = 2 * last - sizes + 1
    return (doubled - (len(values) + 1))[group].astype(np.float64)
