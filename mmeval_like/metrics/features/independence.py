"""HilbertSchmidtIndependence: whether two features of samples depend on each other."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mmeval_like.metrics._common.option_checks import check_count
from mmeval_like.metrics.features.feature_moments import as_vectors
from mmeval_like.metrics.features.kernels import (
    Kernel,
    MaximumMeanDiscrepancy,
    blocks,
    check_positive,
    gaussian_kernel,
    middle,
)
from mmeval_like.writing import (
    NOT_NEGATIVE,
    BaseMetric,
    MetricOptions,
    Results,
    State,
    Statistic,
    Unpack,
    arrays,
    state,
)

__all__ = ["HilbertSchmidtIndependence"]


@dataclass(frozen=True)
class FeaturePairs(Statistic):
    """Two vectors of every sample, float64.

    Attributes:
        dim_x: The length of the first vector.
        dim_y: The length of the second vector.
    """

    dim_x: int
    dim_y: int

    def __post_init__(self) -> None:
        check_count("dim_x", self.dim_x)
        check_count("dim_y", self.dim_y)

    def states(self) -> dict[str, State]:
        """Return both columns."""
        return {name: state.cat(np.float64, (dim,)) for name, dim in self._sides().items()}

    def _sides(self) -> dict[str, int]:
        return {"x": self.dim_x, "y": self.dim_y}

    def rows(self, features_x: Any, features_y: Any) -> dict[str, np.ndarray]:
        """Return both columns.

        Args:
            features_x: Numbers (N, dim_x) of any real dtype, finite.
            features_y: Numbers (N, dim_y).

        Raises:
            TypeError: The inputs are not real numbers.
            ValueError: Shapes do not fit, or a value is nan or infinite.
        """
        x = as_vectors(features_x, self.dim_x, "features_x")
        y = as_vectors(features_y, self.dim_y, "features_y")
        arrays.check_same_length("features_x", x, "features_y", y)
        return {"x": x, "y": y}


class HilbertSchmidtIndependence(BaseMetric):
    """The Hilbert-Schmidt independence criterion (HSIC): the dependence of two features.

    K holds the kernel values of all pairs of features x, with the width sigma, and L those of the
    features y; H = I - 1 / N centres them. The value tends to 0 for many samples if x and y are
    independent. It is computed over all samples; a mean over batches would differ. Source: A.
    Gretton, O. Bousquet, A. Smola, B. Schölkopf, "Measuring statistical dependence with
    Hilbert-Schmidt norms" (ALT 2005). Time grows with the square of the number of samples.

    `add` takes `features_x` (N, dim_x) and `features_y` (N, dim_y), of any real dtype, finite.

    Formula:
        HSIC = tr(K H L H) / (N - 1)^2
        K_(i j) = exp(-|x_i - x_j|^2 / (2 sigma^2))

    Args:
        dim_x: The number of features of x.
        dim_y: The number of features of y.
        sigma_x: The width of the kernel of x.
        sigma_y: The width of the kernel of y.
        **options: As for `BaseMetric`.

    Returns of `compute`: `hsic`, at least 0; nan with fewer than two samples.

    Raises:
        TypeError: `dim_x` or `dim_y` is not an integer.
        ValueError: `dim_x` or `dim_y` is below 1, or `sigma_x` or `sigma_y` is out of [1e-100,
            1e100].

    Example:
        >>> metric = HilbertSchmidtIndependence(dim_x=1, dim_y=1)
        >>> metric.add([[0.0], [9.0]], [[0.0], [9.0]])  # K, L almost I: tr(H) = 1
        >>> round(metric.compute()["hsic"], 6)
        1.0
    """

    processor_dependent = "BLAS and exp"
    _takes_inputs = FeaturePairs.rows

    if TYPE_CHECKING:

        def rows(self, features_x: Any, features_y: Any) -> dict[str, Any]:
            """For type checkers."""

    ranges = NOT_NEGATIVE
    no_interval = MaximumMeanDiscrepancy.no_interval

    def __init__(
        self,
        dim_x: int,
        dim_y: int,
        sigma_x: float = 1.0,
        sigma_y: float = 1.0,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        self.statistic = FeaturePairs(dim_x, dim_y)
        check_positive(sigma_x=sigma_x, sigma_y=sigma_y)
        self.sigma_x, self.sigma_y = float(sigma_x), float(sigma_y)

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return `hsic`."""
        count = len(results)
        if count < 2:
            return {"hsic": math.nan}
        x, y = (side - middle(side) for side in map(np.asarray, (results.x, results.y)))
        sides = ((x, gaussian_kernel(self.sigma_x)), (y, gaussian_kernel(self.sigma_y)))
        columns = [_column_means(side, kernel) for side, kernel in sides]
        total = 0.0
        for rows in blocks(count):
            left, right = (  # rows of H K H and of H L H
                kernel(side[rows], side) - means - (means[rows, None] - means.mean())
                for (side, kernel), means in zip(sides, columns, strict=True)
            )
            total += float((left * right).sum())
        return {"hsic": max(total, 0.0) / (count - 1) ** 2}


def _column_means(x: np.ndarray, kernel: Kernel) -> np.ndarray:
    sums = np.zeros(len(x))
    for rows in blocks(len(x)):
        sums += kernel(x[rows], x).sum(axis=0)
    return sums / len(x)
