"""Mean: the exact weighted mean of any numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from mmeval_like.metrics.aggregation.totals import NumbersMetric
from mmeval_like.writing import MetricOptions, Results, Unpack, arrays, state
from mmeval_like.writing.exact import to_float, two_product
from mmeval_like.writing.intervals import Jackknife
from mmeval_like.writing.weights import as_weights, products

__all__ = ["Mean"]


class Mean(NumbersMetric):
    """The weighted mean of any numbers, for instance losses, times or custom scores.

    Products and sums are exact, and the result is rounded once. If weights are given, products
    below 1e-289 in magnitude are rounded to multiples of 5e-324. Infinities count as in ordinary
    arithmetic, but a sample of weight 0 does not count at all.

    Formula:
        mean = (sum_i w_i v_i) / (sum_i w_i)

    Args:
        nan: What happens with a nan. "raise": `add` raises a ValueError, whatever the weight.
            "omit": the nan does not count. "propagate": the result is nan, unless the weight is 0.
        bounds: The least and the largest possible value, for instance (0, 1), if they are known.
            With `interval=` the ends of the interval then stay inside these bounds; with
            `unscored="bounds"`, a value outside is an error. None: there are no bounds.
        higher_is_better: Whether a higher mean is better: True for scores, False for losses and
            times. Gates and comparisons of two systems need this. None: unknown.
        **options: As for `BaseMetric`.

    Returns of `compute`: `mean`. Without samples, or if all weights are 0, the value is nan.

    Example:
        >>> metric = Mean()
        >>> metric.add(0.5, sample_weight=3)  # for instance a batch's loss and its size
        >>> metric.add([0.25, 0.75])
        >>> metric.compute()
        {'mean': 0.5}
        >>> Mean(nan="omit")([0.5, float("nan")])
        {'mean': 0.5}
    """

    total = state.sum(float, (2,))
    weight = state.sum()

    def __init__(
        self,
        *,
        nan: str = "propagate",
        bounds: tuple[float, float] | None = None,
        higher_is_better: bool | None = None,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(nan=nan, **options)
        if higher_is_better not in (None, True, False):
            raise ValueError(
                f"higher_is_better must be True, False or None, got {higher_is_better!r}"
            )
        self.higher_is_better = higher_is_better
        if bounds is not None:
            least, most = bounds
            if not least < most:
                raise ValueError(f"bounds must be the least and the largest value, got {bounds}")
            self.ranges = {"mean": (float(least), float(most))}

    @property
    def jackknife(self) -> Jackknife:
        """The second part of products is their rounding."""
        return Jackknife(roundings=(1,))

    def rows(self, values: Any, sample_weight: Any = None) -> dict[str, np.ndarray]:
        """Return every value times its weight, in two parts, and the weight.

        Args:
            values: A number, or numbers (N,), of any real dtype.
            sample_weight: The weights of the values, of at least 0: numbers (N,), or one number for
                one value. None: all are 1.

        Raises:
            TypeError: The inputs are not real numbers.
            ValueError: Shapes do not fit, an integer is beyond 2^53, a product is beyond float64, a
                weight is negative, not finite, or neither 0 nor in [1e-60, 1e60], or a value is
                nan and `nan` is "raise", or outside the bounds and `unscored` is "bounds".
        """
        numbers, counted = self.read(values)
        if sample_weight is not None and arrays.to_host(values, "values").ndim == 0:
            sample_weight = arrays.as_floats(sample_weight, "sample_weight").reshape(-1)
        weights = as_weights(sample_weight, len(numbers))
        total = np.zeros((2, len(numbers))).T  # each part is contiguous
        if counted is not None:
            weights = np.where(counted, weights, 0.0)
        if self.unscored == "bounds":
            self._check_bounds(numbers, weights)
        if sample_weight is not None:
            products("values", numbers, weights)
            total[:, 0], total[:, 1] = two_product(np.where(weights > 0, numbers, 0.0), weights)
        else:
            total[:, 0] = numbers if counted is None else np.where(counted, numbers, 0.0)
        return {"total": total, "weight": weights}

    def _check_bounds(self, numbers: np.ndarray, weights: np.ndarray) -> None:
        """Raise ValueError if a value that counts is outside the bounds; nan is not."""
        least, most = self.ranges.get("mean", (-math.inf, math.inf))
        outside = ((numbers < least) | (numbers > most)) & (weights > 0)
        if outside.any():
            index = int(np.flatnonzero(outside)[0])
            raise ValueError(
                f"values must lie in the bounds [{least}, {most}], got {numbers[index]} at index "
                f"{index}"
            )

    def filled(
        self, fill: Any, count: int, inputs: Mapping[str, Any]
    ) -> dict[str, np.ndarray] | None:
        """Return rows of samples with a given value, or with the least or the greatest one."""
        value = self.score_of(fill, "mean")
        if value is None:
            return None
        return self.rows(np.full(count, value), inputs.get("sample_weight"))

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
