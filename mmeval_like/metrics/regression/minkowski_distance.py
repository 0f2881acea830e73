"""MinkowskiDistance: the distance of all predictions from all labels."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from mmeval_like.metrics._common.number_inputs import combine_outputs
from mmeval_like.metrics.regression.regression_metrics import RegressionMean
from mmeval_like.writing import Results
from mmeval_like.writing.exact import product_of_powers

__all__ = ["MinkowskiDistance"]


class MinkowskiDistance(RegressionMean):
    """The Minkowski distance of all predictions from all labels: a sum over samples, not a mean.

    With the power r = 1 it is the Manhattan distance, with r = 2 the Euclidean distance. `add`
    takes `predictions` and `labels`, (N,) or (N, D), of any real dtype, finite, and `sample_weight`
    (N,). Errors whose power overflows float64 make the distance infinite, and those whose power
    underflows count as 0.

    Formula:
        d = (sum w |p - y|^r)^(1/r)

    Args:
        p: The power r, at least 1.
        **options: As for `RegressionMean`.

    Returns of `compute`: `minkowski`, at least 0; nan without samples. Lower is better.

    Raises:
        ValueError: `p` is below 1, or not finite.

    Example:
        >>> metric = MinkowskiDistance(p=2)
        >>> metric.add(predictions=[3.0, 5.0], labels=[0.0, 1.0])
        >>> metric.compute()
        {'minkowski': 5.0}
    """

    processor_dependent = "power"
    higher_is_better = False
    key = "minkowski"
    combined_last = True
    no_interval = "it is a total of these samples, and grows with their number"

    def __init__(self, p: float, **options: Any) -> None:
        super().__init__(**options)
        if not 1 <= p < math.inf:
            raise ValueError(f"p must be at least 1 and finite, got {p}")
        self.p = p

    def errors(self, predictions: np.ndarray, labels: np.ndarray) -> Any:
        """Return the powers of the errors."""
        return np.power(np.abs(predictions - labels), float(self.p))

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return the distance."""
        values = [self._root(total) for total in results.score.tolist()]
        if not results.weight:
            values = [math.nan] * len(values)
        return {"minkowski": combine_outputs(values, self.multioutput)}

    def _root(self, total: float) -> float:
        if not 0 < total < math.inf:
            return total
        return product_of_powers({1 / Fraction(self.p): Fraction(total)})
