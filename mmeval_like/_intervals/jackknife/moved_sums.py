"""Sums that are moved: the values of a metric at other means of what its samples add."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np

from mmeval_like._intervals.jackknife.estimand import Estimand, Numbers
from mmeval_like._states.kinds.abstract import State
from mmeval_like._states.kinds.folding import IntSum
from mmeval_like._states.kinds.powers import Spread
from mmeval_like._states.results import Results

__all__ = ["WEIGHT", "Directions", "Sums", "both_ways", "variance_of"]

Directions = dict[int, list[Decimal]]  # by the place of the sum that is the first to move

WEIGHT = "weight"
"""The state of metrics of weighted samples that sums the weights."""

_SCALE = 1 << 20  # sums are multiplied by it, so that integers can be moved by fractions
_DIGITS = Context(prec=50)


class _Moved:
    """An exactly known sum, with the method that `Results.exact` calls."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def fraction(self) -> Any:
        return self._value


class Sums:
    """The sums of an estimand, and the results if the sums are moved."""

    def __init__(self, estimand: Estimand, states: Mapping[str, State], mean: list[Any]) -> None:
        self._estimand, self._states, self._mean = estimand, states, mean
        self._count = len(estimand.results)
        self._scale = 1
        unmoved = [Fraction(0)] * len(mean)
        self._scale = _SCALE
        [scaled] = estimand.evaluate([self.moved(unmoved)])
        if any(
            not np.allclose(scaled[key], values, rtol=1e-9, atol=0, equal_nan=True)
            for key, values in estimand.numbers.items()
        ):
            self._scale = 1  # the value depends on the number of samples, not only on means

    def alike(self, estimand: Estimand, spread: Spread) -> Fraction:
        """Return the effective number of samples: unequal weights make it smaller.

        Where a state counts the weights, other sums do not tell it: without a heavy sample that is
        no hit, hits look as if all samples had the same weight.
        """
        unmoved = [Fraction(0)] * len(self._mean)
        try:
            once, twice = estimand.evaluate([self.moved(unmoved), self.moved(unmoved, 2)])
        except MemoryError:
            raise
        except Exception:  # it rejects sums of fewer samples than the given count
            return Fraction(self._count)
        # If a value depends on the number of samples, all samples count equally.
        if repr(once) != repr(twice):
            return Fraction(self._count)
        return spread.alike(self._count, self.place_of(WEIGHT) or slice(None))

    def place_of(self, wanted: str) -> slice | None:
        """Return the places of the numbers of a state; None if there is no such state."""
        place = 0
        for name, state in self._states.items():
            if name == wanted:
                return slice(place, place + (state.width or 0))
            place += state.width or 0
        return None

    def numbers(self, steps: list[Decimal]) -> Numbers:
        """Return the values with the means moved by these steps; empty if no such sums exist.

        For instance, the mean of squares cannot be negative, and so would have no root.
        """
        try:
            [found] = self._estimand.evaluate([self.moved([Fraction(step) for step in steps])])
        except (ArithmeticError, ValueError):
            return {}
        return found

    def moved(self, steps: list[Fraction], times: int = 1) -> Results:
        """Return the results of the same number of samples, with the means moved by these steps.

        With `times`, the number of samples is multiplied, and so are only the sums to which every
        sample adds the same.
        """
        count, place = self._count * self._scale, 0
        values: dict[str, Any] = {}
        exact: dict[str, Any] = {}
        for name, state in self._states.items():
            width = state.width or 0
            here = slice(place, place + width)
            moved = [m + s for m, s in zip(self._mean[here], steps[here], strict=True)]
            place += width
            shape = state.shape  # type: ignore[attr-defined]  # a sum has one
            if isinstance(state, IntSum):
                same = times if all(mean in (0, 1) for mean in moved) else 1
                whole = [round(number * count * same) for number in moved]
                values[name] = np.array(whole, np.int64).reshape(shape) if shape else whole[0]
                continue
            sums = np.array([number * count for number in moved], object).reshape(shape)
            exact[name] = _Moved(sums if shape else sums[()])
            values[name] = sums.astype(np.float64) if shape else float(sums[()])
        return Results(values, count * times, exact)


def both_ways(direction: list[Decimal], free: int) -> list[list[Decimal]]:
    """Return the steps of one standard error of the means in a direction, up and down.

    Args:
        direction: The steps of one standard deviation.
        free: The number of samples, less that of the directions.
    """
    with localcontext(_DIGITS):
        root = Decimal(free).sqrt()
        return [[step / root for step in direction], [-step / root for step in direction]]


def variance_of(at: list[Numbers], key: str, place: int) -> float:
    """Return the variance of a value from its numbers at both steps in all directions."""
    values = [one[key][place] if key in one else math.nan for one in at]
    steps = [(a - b) / 2 for a, b in zip(values[::2], values[1::2], strict=True)]
    return math.fsum(step * step for step in steps)  # ** differs between processors
