"""Products without rounding, and square roots of fractions rounded once."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from mmeval_like._accumulate.exact import ExactSum

__all__ = ["correlation", "exact_dot", "sqrt_fraction", "to_float", "two_product"]

_SPLITTER = 2.0**27 + 1


def two_product(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the rounded products and what the rounding took away.

    The two add up to x * y exactly where the product's magnitude is in [2^-960, 2^990] and the
    factors' are below 2^990. Below that range the second is rounded too, to a multiple of
    2^-1074; beyond it, and where a factor is not finite, the second is 0.

    Source: T. J. Dekker, "A floating-point technique for extending the available precision"
    (Numer. Math. 18, 1971).

    Args:
        x: float64.
        y: float64, of a shape that fits.

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
    return product, np.where(np.isfinite(rest), rest, 0.0)


def _split(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    # Two halves of at most 26 bits each: products of such halves do not round.
    big = _SPLITTER * x
    high = big - (big - x)
    return high, x - high


def exact_dot(x: np.ndarray, y: np.ndarray) -> Fraction:
    """Return the sum of the products of two float64 vectors, exactly.

    Example:
        >>> exact_dot(np.array([1e20, 1.0, 1e20]), np.array([1.0, 0.5, -1.0]))
        Fraction(1, 2)
    """
    total = ExactSum()
    for part in two_product(x, y):
        total.add(part)
    fraction: Fraction = total.fraction()
    return fraction


def to_float(value: Fraction) -> float:
    """Return the nearest float64; an infinity beyond the largest."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def correlation(covariance: Fraction | int, variances: Fraction | int) -> float:
    """Return covariance / sqrt(variances), rounded once, however large or small both are.

    Args:
        covariance: The covariance.
        variances: The product of the two variances in the same unit; positive.

    Example:
        >>> correlation(-3 * 10**400, 9 * 10**800)
        -1.0
    """
    root = sqrt_fraction(Fraction(covariance) ** 2 / variances)
    return -root if covariance < 0 else root


def sqrt_fraction(value: Fraction) -> float:
    """Return the square root of a fraction >= 0, rounded once.

    Example:
        >>> sqrt_fraction(Fraction(9, 16)), sqrt_fraction(Fraction(2)) == math.sqrt(2)
        (0.75, True)
    """
    numerator, denominator = value.numerator, value.denominator
    # 4^shift times the value has 128 bits or more, so its integer root has 64 or more.
    shift = max(0, (130 - numerator.bit_length() + denominator.bit_length()) // 2)
    scaled, rest = divmod(numerator << (2 * shift), denominator)
    root = math.isqrt(scaled)
    # A last bit that only says "and a little more" decides ties rightly.
    inexact = rest != 0 or root * root != scaled
    return float(Fraction(2 * root + inexact, 2 << shift))
