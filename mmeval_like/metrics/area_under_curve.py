"""AreaUnderCurve: the area under a curve whose points are given."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mmeval_like import arrays, state
from mmeval_like._accumulate.results import Results
from mmeval_like.metric import BaseMetric

__all__ = ["AreaUnderCurve"]


class AreaUnderCurve(BaseMetric):
    """The area under straight lines through points, in the order of x, then of y.

    The order in which points are added never counts. Points with the same x make a vertical step.
    `add` takes `x` and `y`, finite numbers (N,) of any real dtype. All points are kept.

    Returns of `compute`: `auc`; nan for fewer than two points.

    Example:
        >>> metric = AreaUnderCurve()
        >>> metric.add(x=[1.0, 0.0, 0.5], y=[1.0, 0.0, 1.0])
        >>> metric.compute()  # 1/2 * 1/2 + 1/2 * 1
        {'auc': 0.75}
    """

    points = state.cat(np.float64, (2,))

    def rows(self, x: Any, y: Any) -> dict[str, np.ndarray]:
        """Return the points.

        Raises:
            TypeError: Not real numbers.
            ValueError: Other shapes, different lengths, nan or infinite numbers.
        """
        columns = []
        for name, values in (("x", x), ("y", y)):
            numbers = arrays.as_floats(values, name)
            if numbers.ndim != 1:
                raise ValueError(f"{name} must have shape (N,), got {numbers.shape}")
            arrays.check_finite(name, numbers)
            columns.append(numbers)
        arrays.check_same_length("x", columns[0], "y", columns[1])
        return {"points": np.stack(columns, axis=1)}

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return `auc`."""
        if len(results) < 2:
            return {"auc": math.nan}
        x, y = results.points.T
        order = np.lexsort((y, x))
        x, y = x[order], y[order]
        return {"auc": math.fsum(np.diff(x) * (y[1:] + y[:-1]) / 2)}
