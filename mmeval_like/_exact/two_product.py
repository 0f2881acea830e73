"""Products of floats without rounding: each is two floats that add up to it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["cubes", "fourths", "short_cubes", "times", "two_product"]

_SPLITTER = 2.0**27 + 1
_SHORT_SPLITTER = 2.0**24 + 1


def two_product(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the rounded products and their rounding errors.

    The two add up to x * y exactly if the magnitude of the product is in [2^-960, 2^990] and those
    of the factors are below 2^990. Below that range, the error is also rounded, to a multiple of
    2^-1074; above it, or if a factor is not finite, the error is 0.

    Source: T. J. Dekker, "A floating-point technique for extending the available precision"
    (Numer. Math. 18, 1971).

    Args:
        x: float64.
        y: float64, of a shape that broadcasts.

    Example:
        >>> high, low = two_product(np.array([1 + 2.0**-52]), np.array([1 + 2.0**-52]))
        >>> high.item() == 1 + 2.0**-51, low.item() == 2.0**-104
        (True, True)
    """
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        product = x * y
        x_high, x_low = _split(x)
        y_high, y_low = _split(y)
        rest = x_low * y_low - (((product - x_high * y_high) - x_low * y_high) - x_high * y_low)
    return product, _finite(rest)


def cubes(x: np.ndarray) -> list[np.ndarray]:
    """Return arrays that add up to the cubes, accurate to more than 100 bits.

    Example:
        >>> sum(piece.item() for piece in cubes(np.array([1 + 2.0**-30]))) == (1 + 2.0**-30) ** 3
        True
    """
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        high, low = _split(x)
        square, mixed = x * x, high * low
        rest = _finite(low * low - (((square - high * high) - mixed) - mixed))
        upper, lower = _split(square)
        cube = square * x
        tail = lower * low - (((cube - upper * high) - lower * high) - upper * low)
        return [_finite(tail) + rest * x, cube]


def short_cubes(x: np.ndarray) -> list[np.ndarray]:
    """Return arrays that add up exactly to the cubes of finite numbers that fit into float32.

    Example:
        >>> sum(piece.item() for piece in short_cubes(np.array([3.0])))
        27.0
    """
    square = x * x  # 48 bits
    big = _SHORT_SPLITTER * square
    high = big - (big - square)  # 29 of them
    return [high * x, (square - high) * x]


def fourths(x: np.ndarray) -> list[np.ndarray]:
    """Return arrays that add up to the fourth powers, accurate to more than 100 bits.

    Example:
        >>> sum(piece.item() for piece in fourths(np.array([1 + 2.0**-26]))) == (1 + 2.0**-26) ** 4
        True
    """
    square, rest = two_product(x, x)
    fourth, tail = two_product(square, square)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        return [tail + _finite(2 * square * rest), fourth]


def times(parts: Sequence[np.ndarray], x: np.ndarray) -> list[np.ndarray]:
    """Return arrays that add up to a product, accurate to more than 100 bits.

    Args:
        parts: One factor: an array, or two of them that add up to it, the larger one last.
        x: The other factor.

    Example:
        >>> x = np.array([1 + 2.0**-30])
        >>> sum(piece.item() for piece in times(times([x], x), x)) == (1 + 2.0**-30) ** 3
        True
    """
    *rest, high = parts
    product, error = two_product(high, x)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        return [sum((_finite(low * x) for low in rest), error), product]


def _finite(rest: np.ndarray) -> np.ndarray:
    known = np.isfinite(rest)
    return rest if known.all() else np.where(known, rest, 0.0)


def _split(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    # Two halves of at most 26 bits each: products of such halves do not round.
    big = _SPLITTER * x
    high = big - (big - x)
    return high, x - high
