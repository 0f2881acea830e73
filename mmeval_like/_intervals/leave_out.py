"""The variance of a number from what it is without each unit: the jackknife.

B. Efron and C. Stein, The jackknife estimate of variance, Annals of Statistics 9 (1981).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["MOST_UNITS", "chosen_units", "variance_without_one"]

MOST_UNITS = 1024
"""The most different units that are left out one by one."""


def variance_without_one(without: Sequence[float], numbers: Sequence[int], units: int) -> float:
    """Return the variance of a value from its values without one unit; inf beyond float64.

    Args:
        without: The value without a unit of each kind.
        numbers: How many units there are of each kind.
        units: How many units there are; more than the sum of `numbers` where some were chosen.

    Example:
        >>> values = [1.0, 2.0, 6.0]  # the mean is 3, without them 4, 3.5 and 1.5
        >>> variance_without_one([4.0, 3.5, 1.5], [1, 1, 1], 3) * 3  # their variance is 7
        7.0
    """
    count = sum(numbers)
    try:
        # `fsum` rounds once, whatever the order.
        middle = math.fsum(v * w for v, w in zip(without, numbers, strict=True)) / count
        squares = math.fsum(w * (v - middle) ** 2 for v, w in zip(without, numbers, strict=True))
    except (OverflowError, ValueError):  # the latter: a product is infinite
        return math.inf
    return squares / count * (units - 1)


def chosen_units(numbers: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return the places of the kinds that are left out, and for how many samples each stands.

    Up to `MOST_UNITS` kinds are all taken. Of more, as many samples are taken at equal distances
    in the order of the kinds, so that each kind is met in proportion to its number.

    Args:
        numbers: How many samples there are of each kind, in an order that the samples decide.

    Example:
        >>> chosen_units([3, 1, 2])
        ([0, 1, 2], [3, 1, 2])
    """
    if len(numbers) <= MOST_UNITS:
        return list(range(len(numbers))), list(numbers)
    count, passed, place = sum(numbers), 0, 0
    places: dict[int, int] = {}
    for step in range(MOST_UNITS):
        wanted = (2 * step + 1) * count // (2 * MOST_UNITS)
        while passed + numbers[place] <= wanted:
            passed += numbers[place]
            place += 1
        places[place] = places.get(place, 0) + 1
    return list(places), list(places.values())
