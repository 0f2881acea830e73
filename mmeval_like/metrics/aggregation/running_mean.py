"""RunningMean and RunningSum: the mean and the sum of the last values."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from mmeval_like.metrics._common.number_inputs import as_numbers
from mmeval_like.metrics._common.option_checks import check_count
from mmeval_like.metrics._common.shared_options import shared_options
from mmeval_like.writing import BaseMetric, MetricOptions, Results, State, Unpack, arrays, state
from mmeval_like.writing.exact import to_float

__all__ = ["RunningMean", "RunningSum"]


@shared_options
class Running(BaseMetric):
    """The base class of aggregates of the last values, in the global order of the samples.

    Args:
        window: The number k of last samples that count.
        **options: As for `BaseMetric`.
    """

    def __init__(self, window: int, **options: Unpack[MetricOptions]) -> None:
        super().__init__(**options)
        self.window = check_count("window", window)

    def states(self) -> dict[str, State]:
        """Return the last values."""
        return {"recent": state.last(self.window)}

    def rows(self, values: Any) -> dict[str, np.ndarray]:
        """Return the values.

        Args:
            values: A number, or numbers (N,), finite, of any real dtype.
        """
        numbers = as_numbers(values)
        arrays.check_finite("values", numbers)
        return {"recent": numbers}


class RunningMean(Running):
    """The mean of the last values, in the global order of the samples.

    The window is a number k of samples, not of calls of `add`, so that the value does not depend on
    the batch size. `add` takes `values`, a number or numbers (N,), finite.

    Formula:
        mean = 1/k sum_(i > n - k) v_i

    Args:
        **options: As for `Running`.

    Returns of `compute`: `running_mean`, rounded once; nan without samples.

    Raises:
        ValueError: `window` is below 1.

    Example:
        >>> metric = RunningMean(2)
        >>> metric.add([1.0, 2.0, 4.0])
        >>> metric.compute()
        {'running_mean': 3.0}
    """

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return `running_mean`."""
        recent = results.recent.tolist()
        if not recent:
            return {"running_mean": math.nan}
        return {"running_mean": to_float(sum(map(Fraction, recent), Fraction(0)) / len(recent))}


class RunningSum(Running):
    """The sum of the last values, in the global order of the samples.

    The window is a number k of samples, not of calls of `add`, so that the value does not depend on
    the batch size. `add` takes `values`, a number or numbers (N,), finite.

    Formula:
        total = sum_(i > n - k) v_i

    Args:
        **options: As for `Running`.

    Returns of `compute`: `running_sum`, rounded once; 0.0 without samples.

    Raises:
        ValueError: `window` is below 1.

    Example:
        >>> metric = RunningSum(2)
        >>> metric.add([1.0, 2.0, 4.0])
        >>> metric.compute()  # 2.0 + 4.0
        {'running_sum': 6.0}
    """

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return `running_sum`."""
        return {"running_sum": to_float(sum(map(Fraction, results.recent.tolist()), Fraction(0)))}
