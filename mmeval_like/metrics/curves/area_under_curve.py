"""AreaUnderCurve: the area under a curve whose points are given."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mmeval_like.metrics._common.number_inputs import read_columns
from mmeval_like.writing import BaseMetric, Results, state

__all__ = ["AreaUnderCurve"]


class AreaUnderCurve(BaseMetric):
    """The area under the curve through given points, by the trapezoidal rule.

    Points are sorted by x, then by y, and joined by straight lines; the order in which they are
    added does not matter. Points with the same x form a vertical step. `add` takes `x` and `y`,
    finite numbers (N,) of any real dtype. All points are kept.

    Formula:
        A = sum_i (x_(i + 1) - x_i) (y_i + y_(i + 1)) / 2

    Returns of `compute`: `auc`; nan for fewer than two points.

    Example:
        >>> metric = AreaUnderCurve()
        >>> metric.add(x=[1.0, 0.0, 0.5], y=[1.0, 0.0, 1.0])
        >>> metric.compute()  # 1/2 * 1/2 + 1/2 * 1
        {'auc': 0.75}
    """

    points = state.cat(np.float64, (2,))
    no_interval = "the points of a curve are not samples"

    def rows(self, x: Any, y: Any) -> dict[str, np.ndarray]:
        """Return the points.

        Args:
            x: Real numbers (N,), finite.
            y: Real numbers (N,), finite.

        Raises:
            TypeError: The inputs are not real numbers.
            ValueError: Shapes or lengths do not fit, or a number is nan or infinite.
        """
        return {"points": np.stack(read_columns(x=x, y=y), axis=1)}

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return `auc`."""
        if len(results) < 2:
            return {"auc": math.nan}
        x, y = results.points.T
        order = np.lexsort((y, x))
        x, y = x[order], y[order]
        return {"auc": math.fsum(np.diff(x) * (y[1:] + y[:-1]) / 2)}
