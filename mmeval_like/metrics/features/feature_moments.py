"""Features of real and generated samples: their exact moments, or all the features."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like.metrics._common.option_checks import check_count
from mmeval_like.writing import Results, Rows, State, Statistic, arrays, state
from mmeval_like.writing.states import Cat, the_array

__all__ = [
    "FeatureMoments",
    "FeatureRows",
    "Features",
    "LimitedFeatures",
    "Moments",
    "MomentsState",
    "as_vectors",
    "quantized",
    "scale_of",
]

Network = Callable[[Any], Any]  # from a batch of samples to their features (n, dim)

_UNIT = 2**20  # scaled features are rounded to multiples of 1 / _UNIT
_MOST = 2**11
_LOW = 0xFFFF
_HALF = 0xFFFFFFFF
_BLOCK = 1024  # rows multiplied at once: few enough that no sum of products is rounded


def scale_of(magnitude: float) -> int:
    """Return the largest k for which magnitude times 2^k is at most 2^11.

    Raises:
        ValueError: `magnitude` is beyond [1e-100, 1e100].
    """
    if not 1e-100 <= magnitude <= 1e100:
        raise ValueError(f"magnitude must be in [1e-100, 1e100], got {magnitude}")
    _, exponent = math.frexp(math.nextafter(magnitude, 0.0))
    return 11 - exponent


def quantized(features: np.ndarray, scale: int) -> np.ndarray:
    """Return features times 2^scale 2^20, rounded to int64.

    Raises:
        ValueError: A magnitude is above 2^11 / 2^scale, or nan.
    """
    _check_magnitude(features, scale)
    whole: np.ndarray = np.rint(np.ldexp(features, scale) * _UNIT).astype(np.int64)
    return whole


def _check_magnitude(features: np.ndarray, scale: int) -> None:
    most = math.ldexp(_MOST, -scale)
    rule = f"must not exceed {most:g} (for larger ones, pass magnitude=)"
    arrays.require("features", features, np.abs(features) <= most, rule)


@dataclass(eq=False)
class Moments:
    """The value that `MomentsState` folds: generated samples at index 0, real ones at index 1.

    Attributes:
        counts: The numbers of samples, (2,).
        sums: The sums of the samples' features times 2^20, (2, dim).
        low: The low 32 bits of the sums of products of each pair of features, (2, dim, dim).
        high: The bits of these sums above the low 32.
    """

    counts: np.ndarray
    sums: np.ndarray
    low: np.ndarray
    high: np.ndarray

    def __eq__(self, other: object) -> bool:
        """Return whether all arrays are equal."""
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return all(np.array_equal(own, its) for own, its in pairs)

    def covariance(self, side: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the means (dim,) and unbiased covariances (dim, dim), each rounded once."""
        count = int(self.counts[side])
        sums = self.sums[side].astype(object)
        means = (sums / (count * _UNIT)).astype(np.float64)
        found = np.empty(self.low.shape[1:])
        scale = count * (count - 1) * _UNIT**2
        for place, total in enumerate(sums):
            high, low = (half[side, place, place:].astype(object) for half in (self.high, self.low))
            # Quotients of Python integers are rounded once, whatever their size.
            row = (count * ((high << 32) + low) - total * sums[place:]) / scale
            found[place, place:] = found[place:, place] = row.astype(np.float64)
        return means, found


class MomentsState(State):
    """The exact first and second moments of two kinds of features, as integers.

    Rows are int64 (n, 1 + dim): the kind, 0 or 1, and the features times 2^20.
    """

    additive = True

    def __init__(self, dim: int) -> None:
        self.dim = dim
        self.block = _BLOCK * 8 * (1 + dim)

    def check(self, name: str, rows: Any) -> Rows:
        """Return the rows."""
        accepted: Rows = rows
        return accepted

    def blank(self, count: int) -> Rows:
        """Return rows of zeros."""
        return np.zeros((count, 1 + self.dim), np.int64)

    def empty(self) -> Moments:
        """Return the moments of no samples."""
        square = (2, self.dim, self.dim)
        shapes = ((2,), (2, self.dim), square, square)
        return Moments(*(np.zeros(shape, np.int64) for shape in shapes))

    def fold(self, folded: Moments, rows: np.ndarray) -> Moments:
        """Add the moments of rows."""
        for side in (0, 1):
            values = rows[rows[:, 0] == side, 1:]
            folded.counts[side] += len(values)
            folded.sums[side] += values.sum(axis=0)
            for start in range(0, len(values), _BLOCK):
                self._add_products(folded, side, values[start : start + _BLOCK])
        return folded

    def _add_products(self, folded: Moments, side: int, values: np.ndarray) -> None:
        # A value is h 2^16 + l. Products of such halves, and sums of 1024 of them, are integers
        # below 2^53, which float64 multiplies and adds without rounding, in any order.
        tops = (values >> 16).astype(np.float64)
        bottoms = (values & _LOW).astype(np.float64)
        both = tops + bottoms
        products = (part.T @ part for part in (tops, bottoms, both))
        high, low, mixed = (product.astype(np.int64) for product in products)
        mixed -= high + low
        folded.low[side] += low + ((mixed & _LOW) << 16)
        folded.high[side] += high + (mixed >> 16) + (folded.low[side] >> 32)
        folded.low[side] &= _HALF

    def merge(self, folded: Moments, other: Moments) -> Moments:
        """Return the moments of both."""
        return self._combined(folded, other, 1)

    def subtract(self, folded: Moments, other: Moments) -> Moments:
        """Return the moments without the other's."""
        return self._combined(folded, other, -1)

    def _combined(self, folded: Moments, other: Moments, sign: int) -> Moments:
        low = folded.low + sign * other.low
        return Moments(
            folded.counts + sign * other.counts,
            folded.sums + sign * other.sums,
            low & _HALF,
            folded.high + sign * other.high + (low >> 32),
        )

    def copy(self, folded: Moments) -> Moments:
        """Return equal moments."""
        return Moments(*(array.copy() for array in vars(folded).values()))

    def to_arrays(self, folded: Moments) -> dict[str, np.ndarray]:
        """Return the arrays, with only one of each pair of equal products."""
        rows, columns = np.triu_indices(self.dim)
        return {
            "counts": folded.counts,
            "sums": folded.sums,
            "low": folded.low[:, rows, columns],
            "high": folded.high[:, rows, columns],
        }

    def from_arrays(self, found: Mapping[str, np.ndarray]) -> Moments:
        """Return the moments that the arrays hold."""
        moments = self.empty()
        moments.counts[:] = the_array(found, "counts", np.int64, (2,))
        moments.sums[:] = the_array(found, "sums", np.int64, (2, self.dim))
        rows, columns = np.triu_indices(self.dim)
        low, high = (the_array(found, name, np.int64, (2, len(rows))) for name in ("low", "high"))
        for half, values in ((moments.low, low & _HALF), (moments.high, high + (low >> 32))):
            half[:, rows, columns] = half[:, columns, rows] = values
        return moments


def as_sides(real: Any, count: int) -> np.ndarray:
    """Return whether each of `count` samples is real, from a bool or from bools (count,).

    Raises:
        TypeError: The values are neither booleans nor 0 and 1.
        ValueError: The shape does not fit, or a number is neither 0 nor 1.
    """
    sides = arrays.as_integers(real, "real")
    if sides.ndim == 0:
        sides = np.full(count, sides)
    if sides.shape != (count,):
        raise ValueError(f"real must be a bool or have shape ({count},), got {sides.shape}")
    arrays.check_range("real", sides, 2)
    return sides.astype(np.bool_)


def as_vectors(features: Any, dim: int, name: str = "features") -> np.ndarray:
    """Return features (N, dim) as float64.

    Raises:
        TypeError: The inputs are not real numbers.
        ValueError: The shape does not fit, or a value is nan or infinite.
    """
    found = arrays.as_floats(features, name)
    if found.size == 0 and found.ndim == 1:
        found = found.reshape(0, dim)
    if found.ndim != 2 or found.shape[1] != dim:
        raise ValueError(f"{name} must have shape (N, {dim}), got {found.shape}")
    arrays.check_finite(name, found)
    return found


@dataclass(frozen=True)
class _OfFeatures(Statistic):
    """The base class of statistics of the features of real and generated samples.

    Attributes:
        dim: The number of features D.
        network: The function that returns the features; None: samples are features already.
    """

    dim: int
    network: Network | None = None

    def __post_init__(self) -> None:
        check_count("dim", self.dim)

    def features(self, samples: Any) -> np.ndarray:
        """Return the features (N, dim) of samples, which are features where there is no network."""
        return as_vectors(samples if self.network is None else self.network(samples), self.dim)


@dataclass(frozen=True)
class FeatureMoments(_OfFeatures):
    """The exact moments of the features of real and of generated samples: 32 D^2 bytes.

    Attributes:
        scale: Features are multiplied by 2^scale before they are rounded.
    """

    scale: int = 0

    def states(self) -> dict[str, State]:
        """Return the moments."""
        return {"moments": MomentsState(self.dim)}

    def rows(self, samples: Any, real: Any) -> dict[str, np.ndarray]:
        """Return the kind and the scaled features of every sample.

        Args:
            samples: The input of the network; without a network features (N, dim) of any real dtype
                and of magnitude up to 2^11, which are rounded to multiples of 2^-20; or up to
                `magnitude`, rounded to as many bits.
            real: Whether the samples are real: a bool, or bools (N,).

        Raises:
            TypeError: The samples are not real numbers, or `real` is not a bool.
            ValueError: Shapes do not fit, or a value is nan or of a larger magnitude.
        """
        values = quantized(self.features(samples), self.scale)
        return {"moments": np.column_stack([as_sides(real, len(values)), values])}


class FeatureRows(Cat):
    """Features in the order of the samples: float32 where a batch is, float64 where one is.

    Batches and ranks may differ. Together they are float64 then, which rounds no float32.

    Args:
        dim: The number of features D.

    Example:
        >>> rows = FeatureRows(1)
        >>> [rows.check("features", np.zeros((1, 1), kind)).dtype.name for kind in ("f4", "f8")]
        ['float32', 'float64']
    """

    def __init__(self, dim: int) -> None:
        super().__init__(np.float32, (dim,))
        self._wide = Cat(np.float64, (dim,))

    def check(self, name: str, rows: Any) -> Rows:
        """Return the rows, which are not rounded; other dtypes become float64."""
        narrow = getattr(rows, "dtype", None) == self.dtype
        return super().check(name, rows) if narrow else self._wide.check(name, rows)


class Features(_OfFeatures):
    """The features of real and of generated samples: 4 D + 1 bytes each, or 8 D + 1 of float64."""

    def states(self) -> dict[str, State]:
        """Return both columns."""
        return {"features": FeatureRows(self.dim), "real": state.cat(np.bool_)}

    def rows(self, samples: Any, real: Any) -> dict[str, np.ndarray]:
        """Return both columns.

        Args:
            samples: What the network takes; without one features (N, dim) of any real dtype, in the
                range of float32. A batch is kept as float32 if that rounds none of its features.
            real: Whether the samples are real: a bool, or bools (N,).

        Raises:
            TypeError: The samples are not real numbers, or `real` is not a bool.
            ValueError: Shapes do not fit, or a value is nan or infinite, also in float32.
        """
        values = self.features(samples)
        with np.errstate(over="ignore"):
            narrow = values.astype(np.float32)
        arrays.check_finite("features", narrow)
        exact = np.array_equal(narrow, values)
        return {"features": narrow if exact else values, "real": as_sides(real, len(values))}

    def sides(self, results: Results) -> tuple[np.ndarray, np.ndarray]:
        """Return the features of the generated, and of the real samples, float64."""
        features, real = np.asarray(results.features), np.asarray(results.real)
        return features[~real].astype(np.float64), features[real].astype(np.float64)


@dataclass(frozen=True)
class LimitedFeatures(Features):
    """Features of magnitude up to 2^11 / 2^scale, whose exact moments can be computed."""

    scale: int = 0

    def rows(self, samples: Any, real: Any) -> dict[str, np.ndarray]:
        """Return both columns; raise ValueError also if a magnitude is too large."""
        found = super().rows(samples, real)
        _check_magnitude(found["features"], self.scale)
        return found
