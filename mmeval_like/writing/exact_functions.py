"""Exponentials, logarithms, entropies and products of powers of fractions, rounded once.

They are the same on every processor. The exp and log of a math library may be wrong in the last
bit, and then differ between processors. The standard library's `decimal` rounds both correctly to
any number of digits.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from decimal import Context, Decimal
from fractions import Fraction

__all__ = ["entropy_of", "exp", "over_log", "product_of_powers"]

# A float64 has 17 digits. With 60 digits, a result on the wrong side of the middle between two
# floats is not known to occur, and every rank would round it in the same way.
_DIGITS = Context(prec=60, Emax=10**9, Emin=-(10**9), traps=[])

_LARGEST, _SMALLEST = 710, -746  # beyond these exp is infinite, or 0


def exp(value: Fraction | float) -> float:
    """Return e to the power of a number: the nearest float64.

    Args:
        value: A fraction, or a float, which may be infinite or nan.

    Returns:
        Infinity if the result exceeds the largest float64, 0.0 if it is below the smallest.

    Example:
        >>> exp(Fraction(1, 2)), exp(Fraction(-10**6)), exp(0.0)
        (1.6487212707001282, 0.0, 1.0)
    """
    if isinstance(value, float):
        if not math.isfinite(value):
            return math.exp(value)
        value = Fraction(value)
    return _exp(_decimal(value))


def over_log(value: Fraction | float, base: int) -> float:
    """Return a number divided by the natural logarithm of a base: the nearest float64.

    Args:
        value: A fraction, or a float, which may be infinite or nan.
        base: More than 1.

    Example:
        >>> over_log(Fraction(1), 2), over_log(math.inf, 2)
        (1.4426950408889634, inf)
    """
    if isinstance(value, float):
        if not math.isfinite(value):
            return value
        value = Fraction(value)
    return float(_DIGITS.divide(_decimal(value), _DIGITS.ln(Decimal(base))))


def product_of_powers(powers: Mapping[Fraction, Fraction], exponent: Fraction | int = 0) -> float:
    """Return e^exponent times the product of all base^power: the nearest float64.

    Args:
        powers: The base of each power; a base is not negative, and only those of positive powers
            may be 0.
        exponent: The exponent of the factor e^exponent.

    Example:
        >>> product_of_powers({Fraction(1, 2): Fraction(1, 4), Fraction(1): Fraction(3)})
        1.5
    """
    total = _decimal(Fraction(exponent))
    for power, base in powers.items():
        if not base:
            return 0.0
        logarithm = _DIGITS.ln(_decimal(base))
        total = _DIGITS.add(total, _DIGITS.multiply(_decimal(power), logarithm))
    return _exp(total)


def entropy_of(shares: Iterable[Fraction]) -> float:
    """Return the entropy of positive shares, -sum of p ln p in nats: the nearest float64.

    Example:
        >>> entropy_of([Fraction(1, 2), Fraction(1, 2)]) == math.log(2)
        True
    """
    total = Decimal(0)
    for share in shares:
        value = _decimal(share)
        total = _DIGITS.subtract(total, _DIGITS.multiply(value, _DIGITS.ln(value)))
    return float(total)


def _exp(value: Decimal) -> float:
    if value > _LARGEST:
        return math.inf
    return float(_DIGITS.exp(value)) if value > _SMALLEST else 0.0


def _decimal(value: Fraction) -> Decimal:
    return _DIGITS.divide(Decimal(value.numerator), Decimal(value.denominator))
