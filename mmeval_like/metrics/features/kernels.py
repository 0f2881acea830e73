"""KernelInceptionDistance and MaximumMeanDiscrepancy: two sets of features, by kernels."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import MappingProxyType
from typing import Any, cast

import numpy as np

from mmeval_like.metrics._common.option_checks import check_count
from mmeval_like.metrics.features.feature_moments import Features
from mmeval_like.metrics.features.network import FeatureMetric
from mmeval_like.writing import Results, warn

__all__ = [
    "KernelInceptionDistance",
    "MaximumMeanDiscrepancy",
    "blocks",
    "check_positive",
    "gaussian_kernel",
    "middle",
]

Kernel = Callable[[np.ndarray, np.ndarray], np.ndarray]

_ROWS = 1024  # rows of a kernel's matrix, computed at once


class KernelInceptionDistance(FeatureMetric):
    """The kernel inception distance (KID) between real and generated samples.

    It is the squared maximum mean discrepancy of the features, m generated vectors x and n real
    vectors y of D numbers each, with a cubic kernel k; K_(y y) is defined like K_(x x). The
    estimate is unbiased, so that it may be negative. It is averaged over random subsets of both
    kinds, or computed once from all samples. All features are kept. Source: M. Bińkowski, D.
    Sutherland, M. Arbel, A. Gretton, "Demystifying MMD GANs" (ICLR 2018).

    Subsets are drawn from the samples in global order by numpy's `RandomState(seed)`, which is the
    same in all versions of numpy, so that the value does not depend on the number of ranks. `add`
    takes `samples`, features (N, D) or what `features` takes, and `real`, a bool or bools (N,).

    Formula:
        KID = K_(x x) + K_(y y) - 2 mean k(x_i, y_j)
        K_(x x) = (sum_(i != j) k(x_i, x_j)) / (m (m - 1))
        k(x, y) = ((x * y) / D + 1)^3

    Args:
        dim: The number of features D. Each sample takes 4 D bytes of memory; 8 D if it has features
            that float32 would round.
        features: The network, as for `FrechetInceptionDistance`.
        subsets: The number of subsets; 0: the value is computed once from all samples.
        subset_size: The number of samples of each kind in a subset.
        seed: The seed of the random numbers by which subsets are drawn.
        **options: As for `FeatureMetric`.

    Returns of `compute`: `kid`, and with subsets `kid_std`, their standard deviation (over n). nan,
    with a warning, if a kind has fewer samples than a subset, or fewer than two. Lower is better.

    Raises:
        TypeError: `dim`, `subsets`, `subset_size` or `seed` is not an integer, or `features` not a
            function.
        ValueError: `dim` is below 1, `subsets` is below 0, `subset_size` is below 2, or `seed` is
            out of [0, 2^32).

    Example:
        >>> metric = KernelInceptionDistance(dim=1, subsets=0)
        >>> metric.add([[0.0], [1.0]], real=True)
        >>> metric.add([[0.0], [2.0]], real=False)
        >>> metric.compute()  # 1 + 1 - 2 (1 + 1 + 1 + 27) / 4
        {'kid': -13.0}
    """

    processor_dependent = "BLAS"
    higher_is_better = False
    higher_is_better_of = MappingProxyType({"kid_std": None})
    no_interval = "subsets overlap: their deviation says little about other samples"

    def __init__(
        self,
        dim: int = 2048,
        features: Callable[[Any], Any] | None = None,
        subsets: int = 100,
        subset_size: int = 1000,
        seed: int = 0,
        **options: Any,
    ) -> None:
        super().__init__(dim, features, **options)
        self.subsets = subsets if subsets == 0 else check_count("subsets", subsets)
        self.subset_size = check_count("subset_size", subset_size)
        if subset_size < 2:
            raise ValueError(f"subset_size must be at least 2, got {subset_size}")
        if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
            raise TypeError(f"seed must be an integer, got {seed!r}")
        if not 0 <= seed < 1 << 32:
            raise ValueError(f"seed must be in [0, 2^32), got {seed}")
        self.seed = int(seed)

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return `kid` and `kid_std`."""
        generated, real = cast(Features, self.statistic).sides(results)
        size = self.subset_size if self.subsets else 2
        if min(len(generated), len(real)) < size:
            if len(results):
                text = f"{self.name} needs {size} samples of each kind, got {len(generated)} "
                warn(f"{text}generated and {len(real)} real ones: nan", RuntimeWarning)
            return {"kid": math.nan} | ({"kid_std": math.nan} if self.subsets else {})
        centre = middle(real)
        generated, real = generated - centre, real - centre
        kernel = _cubic_kernel(centre)
        if not self.subsets:
            return {"kid": discrepancy(generated, real, kernel, unbiased=True)}
        draws = np.random.RandomState(self.seed)
        values = []
        for _ in range(self.subsets):
            pair = [
                side[draws.choice(len(side), size, replace=False)] for side in (generated, real)
            ]
            values.append(discrepancy(pair[0], pair[1], kernel, unbiased=True))
        mean = math.fsum(values) / len(values)
        spread = math.fsum((value - mean) ** 2 for value in values) / len(values)
        return {"kid": mean, "kid_std": math.sqrt(spread)}


class MaximumMeanDiscrepancy(FeatureMetric):
    """The squared maximum mean discrepancy (MMD) between real and generated samples.

    Features are generated vectors x and real vectors y, which are compared with a Gaussian kernel
    k. For the unbiased estimate, the first two means of the formula are taken over pairs i != j,
    otherwise over all pairs. All features are kept. Source: A. Gretton et al., "A kernel two-sample
    test" (JMLR 13, 2012). CMMD is the value of CLIP's embeddings, of length 1, with `sigma=10,
    unbiased=False, scale=1000`: S. Jayasumana et al., "Rethinking FID: towards a better evaluation
    metric for image generation" (CVPR 2024).

    `add` takes `samples`, features (N, D) or what `features` takes, and `real`, a bool or bools
    (N,).

    Formula:
        MMD = mean k(x_i, x_j) + mean k(y_i, y_j) - 2 mean k(x_i, y_j)
        k(x, y) = exp(-|x - y|^2 / (2 sigma^2))

    Args:
        dim: The number of features D. Each sample takes 4 D bytes of memory; 8 D if it has features
            that float32 would round.
        features: The network, as for `FrechetInceptionDistance`.
        sigma: The width of the kernel.
        unbiased: Whether pairs of a sample with itself are left out.
        scale: The number by which the value is multiplied.
        **options: As for `FeatureMetric`.

    Returns of `compute`: `mmd`; nan with fewer than two samples of a kind, or with `unbiased=False`
    fewer than one. Lower is better.

    Raises:
        TypeError: `dim` is not an integer, or `features` not a function.
        ValueError: `dim` is below 1, or `sigma` or `scale` is out of [1e-100, 1e100].

    Example:
        >>> metric = MaximumMeanDiscrepancy(dim=1, sigma=1.0, unbiased=False)
        >>> metric.add([[0.0]], real=True)
        >>> metric.add([[2.0]], real=False)
        >>> round(metric.compute()["mmd"], 6)  # 2 - 2 exp(-2)
        1.729329
    """

    processor_dependent = "BLAS and exp"
    higher_is_better = False
    no_interval = "it is not a mean over samples: each is compared with all others"

    def __init__(
        self,
        dim: int = 2048,
        features: Callable[[Any], Any] | None = None,
        sigma: float = 10.0,
        unbiased: bool = True,
        scale: float = 1.0,
        **options: Any,
    ) -> None:
        super().__init__(dim, features, **options)
        check_positive(sigma=sigma, scale=scale)
        self.sigma, self.unbiased, self.scale = float(sigma), unbiased, float(scale)

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return `mmd`."""
        generated, real = cast(Features, self.statistic).sides(results)
        if min(len(generated), len(real)) < 1 + self.unbiased:
            return {"mmd": math.nan}
        centre = middle(real)
        generated, real = generated - centre, real - centre
        kernel = gaussian_kernel(self.sigma)
        return {"mmd": self.scale * discrepancy(generated, real, kernel, unbiased=self.unbiased)}


def discrepancy(x: np.ndarray, y: np.ndarray, kernel: Kernel, *, unbiased: bool) -> float:
    """Return the squared maximum mean discrepancy of two sets of vectors."""
    value = 0.0
    for side in (x, y):
        count = len(side)
        pairs = count * (count - unbiased)
        value += _total(side, side, kernel, with_itself=not unbiased) / pairs
    return value - 2 * _total(x, y, kernel) / (len(x) * len(y))


def _total(x: np.ndarray, y: np.ndarray, kernel: Kernel, *, with_itself: bool = True) -> float:
    """Return the sum of the kernel over all pairs, or only over pairs with i != j."""
    sums = []
    for rows in blocks(len(x)):
        values = kernel(x[rows], y)
        sums.append(float(values.sum()))
        if not with_itself:
            sums.append(-float(np.trace(values[:, rows])))
    return math.fsum(sums)


def blocks(count: int) -> list[slice]:
    """Return the slices that divide `count` rows into blocks."""
    return [slice(start, start + _ROWS) for start in range(0, count, _ROWS)]


def middle(vectors: np.ndarray) -> np.ndarray:
    """Return the median of each number of vectors (n, D), n > 0, of about a hundred of them.

    Vectors minus their middle have the same distances, which are rounded less: the rounding of a
    distance grows with the vectors' own lengths.
    """
    found: np.ndarray = np.median(vectors[:: len(vectors) // 128 + 1], axis=0)
    return found


def _cubic_kernel(centre: np.ndarray) -> Kernel:
    """Return a kernel of vectors minus `centre`, whose discrepancy is that of the cubic kernel k.

    It is k(x, y) - k(x, centre) - k(centre, y) + k(centre, centre), without its cancelling terms.
    Terms of one vector alone cancel in the discrepancy: far from 0, they are all but k itself.
    """
    dim = len(centre)
    least = float(centre @ centre) / dim + 1  # the root of k(centre, centre)

    def kernel(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        ours, theirs = (x @ centre / dim)[:, None], y @ centre / dim
        product = x @ y.T / dim
        level = ours + (least + theirs)  # the root of k(x, y) is level + product
        found = level + product
        found *= level
        found *= 3
        found += product * product
        found *= product
        level += least
        level *= 3 * ours
        level *= theirs
        found += level
        return np.asarray(found)

    return kernel


def gaussian_kernel(sigma: float) -> Kernel:
    """Return exp(-|x - y|^2 / (2 sigma^2)) - 1 as a function of two sets of vectors.

    The 1 makes no difference to a discrepancy, and would hide small distances. Vectors should be
    near 0: see `middle`.
    """

    def kernel(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        squares = (x * x).sum(axis=1)[:, None] + (y * y).sum(axis=1) - 2 * (x @ y.T)
        found: np.ndarray = np.expm1(np.maximum(squares, 0.0) / (-2 * sigma * sigma))
        return found

    return kernel


def check_positive(**numbers: float) -> None:
    """Raise a ValueError that names a number unless the number and its square are positive."""
    for name, number in numbers.items():
        if not 1e-100 <= number <= 1e100:
            raise ValueError(f"{name} must be positive, in [1e-100, 1e100], got {number}")
