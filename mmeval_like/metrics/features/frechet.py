"""FrechetInceptionDistance and MemorizationInformedFID: Gaussians fitted to features."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple, cast

import numpy as np

from mmeval_like.metrics._common.shared_options import shared_options
from mmeval_like.metrics.features.feature_moments import (
    FeatureMoments,
    Features,
    LimitedFeatures,
    Moments,
    MomentsState,
    quantized,
    scale_of,
)
from mmeval_like.metrics.features.kernels import middle
from mmeval_like.metrics.features.network import FeatureMetric
from mmeval_like.writing import NOT_NEGATIVE, MetricOptions, Results, Unpack, warn

__all__ = ["FrechetInceptionDistance", "MemorizationInformedFID"]

_ROWS = 1024  # rows of a table of distances, computed at once
_ROUNDING = 2.0**-40 / 6  # what rounding to multiples of 2^-20 adds to the two variances
_CERTAIN = 1e-6  # the share of all variances above which this rounding matters


@shared_options
class FrechetMetric(FeatureMetric):
    """The base class of metrics based on the Fréchet distance between Gaussians.

    Args:
        dim: The number of features D.
        features: The network: a function of a batch of samples that returns their features (N, D).
            None: `add` takes features.
        magnitude: The largest magnitude of a feature, in [1e-100, 1e100]. Features are rounded to
            multiples of 2^-31 times this value, which is first rounded up to a power of two.
        **options: As for `BaseMetric`.

    Raises:
        TypeError: `dim` is not an integer, or `features` not a function.
        ValueError: `dim` is below 1, or `magnitude` is out of its range.
    """

    processor_dependent = "LAPACK and BLAS"

    kept: ClassVar[type[FeatureMoments] | type[LimitedFeatures]]

    def __init__(
        self,
        dim: int = 2048,
        features: Callable[[Any], Any] | None = None,
        *,
        magnitude: float = 2048.0,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(dim, features, **options)
        self._scale = scale_of(magnitude)
        self._magnitude = magnitude if self._scale else None  # earlier versions stored no magnitude
        self.statistic = self.kept(dim, features, self._scale)

    def distance(self, moments: Moments) -> float:
        """Return the Fréchet distance of features with these moments; nan if it is undefined."""
        found = frechet(moments)
        if found.close:
            warn(
                f"{self.name}: features differ so little that rounding them to multiples of "
                f"{math.ldexp(1.0, -20 - self._scale):g} matters: pass magnitude=, the largest "
                f"magnitude of a feature",
                RuntimeWarning,
            )
        return math.ldexp(found.distance, -2 * self._scale)


class FrechetInceptionDistance(FrechetMetric):
    """The Fréchet inception distance (FID) between the features of real and generated samples.

    A Gaussian is fitted to the features of each kind, with the mean m_1 or m_2 and the covariance
    C_1 or C_2 (divided by n - 1); the value is the Fréchet distance between the two.

    Features are rounded to multiples of 2^-31 times `magnitude`, by default 2^-20, so that means
    and covariances are computed from exact integers, and no sample is kept. Rank 0 computes the
    trace of the root from eigenvalues and singular values. Source: M. Heusel et al., "GANs trained
    by a two time-scale update rule converge to a local Nash equilibrium" (NeurIPS 2017).

    For the same features, for instance the 2048 of Inception-v3, torch-fidelity and pytorch-fid
    give values that differ by rounding: in the eighth or ninth digit, or in the seventh for fewer
    samples than features. `add` takes `samples`, features (N, D) of magnitude up to `magnitude` or
    what `features` takes, and `real`, a bool or bools (N,). To compare many models with the same
    real samples, add the real samples to a separate metric once, and `merge` it into each
    model's metric.

    Formula:
        FID = |m_1 - m_2|^2 + tr(C_1 + C_2 - 2 (C_1 C_2)^(1/2))

    Args:
        dim: The number of features D. The metric takes 32 D^2 bytes of memory, 134 MB for D = 2048,
            and sends a quarter of it for each kind of samples.
        **options: As for `FrechetMetric`.

    Returns of `compute`: `fid`, at least 0; nan with fewer than two samples of a kind. Lower is
    better. A warning says if features differ so little that their rounding matters.

    Raises:
        TypeError: `dim` is not an integer, or `features` not a function.
        ValueError: `dim` is below 1, or `magnitude` is out of its range.

    Example:
        >>> metric = FrechetInceptionDistance(dim=1)
        >>> metric.add([[0.0], [2.0]], real=True)   # mean 1, variance 2
        >>> metric.add([[4.0], [8.0]], real=False)  # mean 6, variance 8
        >>> round(metric.compute()["fid"], 9)  # 25 + 2 + 8 - 2 sqrt(16)
        27.0
    """

    kept = FeatureMoments
    ranges = NOT_NEGATIVE
    higher_is_better = False
    no_interval = (
        "it is larger for fewer samples: an interval around it would not contain the true value"
    )

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return `fid`."""
        return {"fid": self.distance(results.moments)}


class MemorizationInformedFID(FrechetMetric):
    """Memorization-informed FID: the FID, increased if generated samples copy real ones.

    FID is divided by m, the mean over generated samples g_i of their distance 1 - |cos| from the
    nearest real sample r_j. If m is at least `threshold` it counts as 1. All features are kept.
    Source: C. Bai, H. Lin, C. Raffel, W. Kan, "On training sample memorization: lessons from
    benchmarking generative modeling with a large-scale competition" (KDD 2021).

    `add` takes `samples`, features (N, D) of magnitude up to `magnitude` or what `features` takes,
    and `real`, a bool or bools (N,).

    Formula:
        MiFID = FID / m
        m = mean_i min_j (1 - |cos(g_i, r_j)|)

    Args:
        dim: The number of features D. Each sample takes 4 D bytes of memory; 8 D if it has features
            that float32 would round.
        features: The network, as for `FrechetInceptionDistance`; None: `add` takes features.
        threshold: The value of m, in [0, 1], at and above which no sample counts as memorized.
        **options: As for `FrechetMetric`.

    Returns of `compute`: `mifid`, at least 0; infinity where all generated samples are copies and
    FID is not 0; nan with fewer than two samples of a kind. Lower is better.

    Raises:
        TypeError: `dim` is not an integer, or `features` not a function.
        ValueError: `dim` is below 1, `threshold` is out of [0, 1], or `magnitude` of its range.

    Example:
        >>> metric = MemorizationInformedFID(dim=2)
        >>> metric.add([[0.0, 2.0], [2.0, 0.0]], real=True)
        >>> metric.add([[0.0, 4.0], [4.0, 4.0]], real=False)
        >>> round(metric.compute()["mifid"], 9)  # m = (0 + 1 - 0.7071) / 2 > 0.1: FID
        14.0
    """

    kept = LimitedFeatures
    ranges = NOT_NEGATIVE
    higher_is_better = False
    no_interval = FrechetInceptionDistance.no_interval

    def __init__(
        self,
        dim: int = 2048,
        features: Callable[[Any], Any] | None = None,
        threshold: float = 0.1,
        **options: Any,
    ) -> None:
        super().__init__(dim, features, **options)
        if not 0 <= threshold <= 1:
            raise ValueError(f"threshold must be in [0, 1], got {threshold}")
        self.threshold = float(threshold)

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return `mifid`."""
        sides = cast(Features, self.statistic).sides(results)
        state = MomentsState(self.dim)
        moments = state.empty()
        for kind, features in enumerate(sides):
            column = np.full((len(features), 1), kind)
            whole = quantized(features, self._scale)
            moments = state.fold(moments, np.hstack([column, whole]))
        distance = self.distance(moments)
        if math.isnan(distance):
            return {"mifid": math.nan}
        copied = _distance_to_nearest(*sides)
        factor = copied if copied < self.threshold else 1.0
        return {"mifid": distance / factor if factor else math.inf if distance else math.nan}


class Frechet(NamedTuple):
    """A distance of scaled features, and whether it is so small that rounding matters."""

    distance: float
    close: bool


def frechet(moments: Moments) -> Frechet:
    """Return the Fréchet distance between Gaussians; nan with fewer than two samples of a kind."""
    if moments.counts.min() < 2:
        return Frechet(math.nan, close=False)
    (mean, covariance), (other_mean, other) = (moments.covariance(side) for side in (0, 1))
    gap = mean - other_mean
    spread = float(np.trace(covariance) + np.trace(other) + gap @ gap)
    close = _ROUNDING * len(mean) > _CERTAIN * spread
    if np.array_equal(mean, other_mean) and np.array_equal(covariance, other):
        return Frechet(0.0, close)  # matrix roots would leave a rounding error
    # The eigenvalues of (C1 C2)^(1/2) are the singular values of R1' R2 for any R with R R' = C.
    shared = np.linalg.svd(_root(covariance).T @ _root(other), compute_uv=False)
    traces = [np.diagonal(covariance), np.diagonal(other), -2 * shared, gap * gap]
    return Frechet(max(math.fsum(np.concatenate(traces).tolist()), 0.0), close)


def _root(covariance: np.ndarray) -> np.ndarray:
    """Return R (D, r) with R R' = C; r is the number of eigenvalues above rounding errors."""
    values, vectors = np.linalg.eigh(covariance)
    certain = values > len(values) * np.finfo(float).eps * max(values[-1], 0.0)
    return np.asarray(vectors[:, certain] * np.sqrt(values[certain]))


def _distance_to_nearest(generated: np.ndarray, real: np.ndarray) -> float:
    """Return the mean over generated vectors of the smallest 1 - |cos| to a real one."""
    ours, theirs = (_unit(vectors) for vectors in (generated, real))
    # The cosine of a vector of zeros is 0.
    blank, blanks = (np.asarray(~side.any(axis=1)) for side in (ours, theirs))
    # For unit vectors, 1 - |cos| is half the squared distance from the nearer one of r and -r.
    # Minus their middle they have small products if all point in one direction.
    centre = middle(theirs)
    ours, theirs = ours - centre, theirs - centre
    own, others = ((side * side).sum(axis=1) for side in (ours, theirs))
    rounding = (4 + ours.shape[1]) * np.finfo(np.float64).eps  # of copies' distances
    nearest: list[float] = []
    for start in range(0, len(ours), _ROWS):
        rows = slice(start, start + _ROWS)
        sums = own[rows, None] + others
        squares = sums - 2 * (ours[rows] @ theirs.T)
        apart = np.minimum(squares, 4 - squares)
        apart[apart <= rounding * (sums + rounding)] = 0.0
        apart[blank[rows, None] | blanks] = 2.0
        nearest += (apart.min(axis=1) / 2).tolist()
    return math.fsum(nearest) / len(nearest)


def _unit(vectors: np.ndarray) -> np.ndarray:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(norms == 0, 1.0, norms))
