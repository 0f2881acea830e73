"""Products without rounding, and square roots of fractions rounded once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from mmeval_like._exact.exact_sum import ExactSum
from mmeval_like._exact.two_product import two_product

__all__ = ["correlation", "exact_dot", "exact_dot_of_counts", "sqrt_fraction", "to_float"]


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


def exact_dot_of_counts(left: Sequence[Any], right: Sequence[Any]) -> Any:
    """Return the sum of the products of two lists of Python numbers.

    Entries that are arrays of integers, for many results, become arrays of Python integers:
    products of counts may overflow int64.

    Example:
        >>> exact_dot_of_counts([2, 3], [5, 7])
        31
        >>> exact_dot_of_counts([np.array([2**40, 1])], [np.array([2**40, 3])])
        array([1208925819614629174706176, 3], dtype=object)
    """
    wide = [
        [n.astype(object) if isinstance(n, np.ndarray) else n for n in numbers]
        for numbers in (left, right)
    ]
    return sum(a * b for a, b in zip(*wide, strict=True))


def to_float(value: Fraction) -> float:
    """Return the nearest float64; an infinity beyond the largest.

    Example:
        >>> to_float(Fraction(1, 3)), to_float(Fraction(-10**400))
        (0.3333333333333333, -inf)
    """
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
    # A sticky last bit, set if a remainder is left, decides ties correctly.
    inexact = rest != 0 or root * root != scaled
    return (2 * root + inexact) / (2 << shift)
