"""Mean: the weighted mean of any number, exactly."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mmeval_like import arrays, state
from mmeval_like.metric import BaseMetric
from mmeval_like.metrics._exact_products import to_float, two_product
from mmeval_like.metrics._weights import as_weights
from mmeval_like.results import Results

__all__ = ["Mean"]


class Mean(BaseMetric):
    """sum(w v) / sum(w): of a loss, a score of one's own, a time.

    Products and sums are exact, the result is rounded once. nan and infinities count as in
    ordinary arithmetic, except that a sample of weight 0 does not count at all.

    Returns of `compute`: `mean`. Without samples, or when all weights are 0: nan.

    Example:
        >>> metric = Mean()
        >>> metric.add(0.5, sample_weight=3)  # for instance a batch's loss and its size
        >>> metric.add([0.25, 0.75])
        >>> metric.compute()
        {'mean': 0.5}
    """

    total = state.sum(float, (2,))
    weight = state.sum()

    def rows(self, values: Any, sample_weight: Any = None) -> dict[str, np.ndarray]:
        """Return every value times its weight, in two parts, and the weight.

        Args:
            values: A number, or numbers (N,), of any real dtype.
            sample_weight: A weight >= 0 for each; a number for a number.

        Raises:
            TypeError: Not real numbers.
            ValueError: Other shapes, weights that are negative or not finite.
        """
        numbers = arrays.as_floats(values, "values")
        if numbers.ndim == 0:
            numbers = numbers[None]
            if sample_weight is not None:
                sample_weight = arrays.as_floats(sample_weight, "sample_weight").reshape(-1)
        if numbers.ndim != 1:
            raise ValueError(f"values must be a number or have shape (N,), got {numbers.shape}")
        weights = as_weights(sample_weight, len(numbers))
        products = np.stack(two_product(np.where(weights > 0, numbers, 0.0), weights), axis=1)
        return {"total": products, "weight": weights.copy()}

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return `mean`."""
        weight = results.exact("weight")
        if weight == 0:
            return {"mean": math.nan}
        try:
            high, low = results.exact("total")  # type: ignore[misc]
        except (ValueError, OverflowError):  # a nan or an infinity was added
            return {"mean": float(results.total[0])}
        return {"mean": to_float((high + low) / weight)}
