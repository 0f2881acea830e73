"""Sum, Max, Min and Cat: aggregates of any numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from mmeval_like.metrics._common.number_inputs import as_numbers
from mmeval_like.metrics._common.shared_options import shared_options
from mmeval_like.writing import BaseMetric, MetricOptions, Results, State, Unpack, arrays, state
from mmeval_like.writing.exact import to_float, two_product
from mmeval_like.writing.weights import as_weights

__all__ = ["Cat", "Max", "Min", "Sum"]

_NAN = ("raise", "omit", "propagate")


@shared_options
class NumbersMetric(BaseMetric):
    """The base class of aggregates of numbers.

    Args:
        nan: What happens with a nan. "raise": `add` raises a ValueError. "omit": the nan does not
            count. "propagate": the result is nan.
        **options: As for `BaseMetric`.

    Raises:
        ValueError: `nan` is not one of the allowed values.
    """

    every_rank_computes = True

    def __init__(self, *, nan: str = "raise", **options: Unpack[MetricOptions]) -> None:
        super().__init__(**options)
        if nan not in _NAN:
            raise ValueError(f"nan must be one of {_NAN}, got {nan!r}")
        self.nan = nan

    def read(self, values: Any) -> tuple[np.ndarray, np.ndarray | None]:
        """Return a number or numbers (N,) as float64, and a mask of those that count; None: all.

        Raises:
            TypeError: The inputs are not real numbers.
            ValueError: A shape does not fit, or a value is nan and `nan` is "raise".
        """
        numbers = as_numbers(values)
        if self.nan == "raise":
            arrays.check_finite("values", numbers, allow_infinite=True)
        return numbers, ~np.isnan(numbers) if self.nan == "omit" else None

    def filled(self, fill: Any, count: int, inputs: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return the rows of a given number, or of the least or the greatest that is possible."""
        [ends] = [*self.ranges.values()] or [(-math.inf, math.inf)]
        least = "best" if self.higher_is_better is False else "worst"
        number = ends[fill != least] if fill in ("worst", "best") else fill
        if not isinstance(number, int | float) or not math.isfinite(number):
            return None
        return self.rows(np.full(count, float(number)), **inputs)


class Sum(NumbersMetric):
    """The weighted sum of all values, exact except for one rounding at the end.

    If weights are given, products below 1e-289 in magnitude are rounded to multiples of 5e-324.
    `add` takes `values`, a number or numbers (N,) of any real dtype, and `sample_weight`, a weight
    of at least 0 for each value. A value of weight 0 does not count.

    Formula:
        total = sum_i w_i v_i

    Args:
        **options: As for `NumbersMetric`.

    Returns of `compute`: `sum`; 0.0 without samples.

    Example:
        >>> metric = Sum()
        >>> metric.add([1e16, 1.0, -1e16])
        >>> metric.add(2.0, sample_weight=3)
        >>> metric.compute()
        {'sum': 7.0}
    """

    total = state.sum(float, (2,))
    no_interval = "it is a total of these samples, and grows with their number"

    def rows(self, values: Any, sample_weight: Any = None) -> dict[str, np.ndarray]:
        """Return every value times its weight, in two parts.

        Args:
            values: A number, or numbers (N,), of any real dtype.
            sample_weight: The weights of the values, of at least 0: numbers (N,), or one number for
                one value. None: all are 1.
        """
        numbers, counted = self.read(values)
        if sample_weight is not None:
            sample_weight = arrays.as_floats(sample_weight, "sample_weight").reshape(-1)
        total = np.zeros((2, len(numbers))).T  # each part is contiguous
        if sample_weight is None:
            total[:, 0] = numbers if counted is None else np.where(counted, numbers, 0.0)
            return {"total": total}
        weights = as_weights(sample_weight, len(numbers))
        counted = weights > 0 if counted is None else counted & (weights > 0)
        total[:, 0], total[:, 1] = two_product(np.where(counted, numbers, 0.0), weights)
        return {"total": total}

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return `sum`."""
        try:
            high, low = results.exact("total")  # type: ignore[misc]
        except (ValueError, OverflowError):  # a nan or an infinity was added
            return {"sum": float(results.total[0])}
        return {"sum": to_float(high + low)}


class _Extremum(NumbersMetric):
    key: ClassVar[str]

    def rows(self, values: Any) -> dict[str, np.ndarray]:
        """Return every value.

        Args:
            values: A number, or numbers (N,), of any real dtype.
        """
        numbers, counted = self.read(values)
        if counted is None:
            return {"value": numbers}
        least = -math.inf if self.key == "max" else math.inf
        return {"value": np.where(counted, numbers, least), "counted": counted}

    def states(self) -> dict[str, State]:
        """Return the extremum, and if nans are left out, the number of values that count."""
        extremum = state.max() if self.key == "max" else state.min()
        counted: dict[str, State] = {"counted": state.sum(bool)} if self.nan == "omit" else {}
        return {"value": extremum, **counted}

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return the extremum."""
        known = results.counted if self.nan == "omit" else len(results)
        return {self.key: results.value if known else math.nan}


class Max(_Extremum):
    """The largest of all values.

    `add` takes `values`, a number or numbers (N,) of any real dtype.

    Formula:
        max = max_i v_i

    Args:
        **options: As for `NumbersMetric`.

    Returns of `compute`: `max`; nan without samples.

    Example:
        >>> Max()([0.5, -2.0, 3.0])  # -2.0 < 0.5 < 3.0
        {'max': 3.0}
    """

    key = "max"
    no_interval = "the largest of more samples is larger"


class Min(_Extremum):
    """The smallest of all values.

    `add` takes `values`, a number or numbers (N,) of any real dtype.

    Formula:
        min = min_i v_i

    Args:
        **options: As for `NumbersMetric`.

    Returns of `compute`: `min`; nan without samples.

    Example:
        >>> Min()([0.5, -2.0, 3.0])  # -2.0 < 0.5 < 3.0
        {'min': -2.0}
    """

    key = "min"
    no_interval = "the smallest of more samples is smaller"


class Cat(BaseMetric):
    """All values of all ranks, in global order.

    Args:
        dtype: The name of the values' dtype in numpy.
        shape: The shape of each value.
        **options: As for `BaseMetric`.

    Returns of `compute`: `values`, an array (N, *shape).

    Example:
        >>> metric = Cat()
        >>> metric.add([0.5, 1.5])
        >>> metric.add(2.0)
        >>> metric.compute()  # of both calls, in their order
        {'values': array([0.5, 1.5, 2. ])}
    """

    def __init__(
        self,
        dtype: str = "float64",
        shape: tuple[int, ...] = (),
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        self.dtype, self.shape = np.dtype(dtype).name, tuple(shape)

    def states(self) -> dict[str, State]:
        """Return the values."""
        return {"values": state.cat(self.dtype, self.shape)}

    def rows(self, values: Any) -> dict[str, np.ndarray]:
        """Return the values.

        Args:
            values: Numbers (N, *shape), or a single value of this shape.

        Raises:
            TypeError: The inputs are not numbers.
            ValueError: The shape does not fit, or the dtype cannot hold an integer.
        """
        array = arrays.to_host(values, "values")
        return {"values": array[None] if array.shape == self.shape else array}

    def compute_metric(self, results: Results) -> dict[str, np.ndarray]:
        """Return `values`."""
        return {"values": np.asarray(results.values)}
