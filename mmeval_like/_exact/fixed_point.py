"""Running sums of floats without rounding, as integer multiples of one unit.

A running sum of sorted floats depends on where it begins, unless nothing is rounded. Integer
multiples of a unit that all numbers share are added in one pass; if they are wider than an int64,
they are split into limbs, and carries are deferred. The number of limbs depends on the numbers:
one for whole numbers and most float32, two for a million uniform float64.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

__all__ = ["FixedPoint"]

_ROOM = 62  # bits of a sum in one int64
_TOP = 52  # bits of the highest of several limbs, which are floats without rounding
_HALF = 31  # a single limb is cut here into two floats


@dataclass(frozen=True)
class FixedPoint:
    """A representation of non-negative numbers as multiples of one unit, in int64 limbs.

    A table (limbs, n) has n numbers, and the lowest limb in its first row. Tables can be added and
    subtracted; `floats` and `rounded` propagate the carries.

    Attributes:
        unit: The exponent of the power of two that is the unit.
        width: The number of bits of every limb but the highest.
        limbs: The number of limbs.
        bits: The number of bits of the largest number.

    Example:
        >>> weights = np.array([0.5, 2.0**-80, 1.0])
        >>> points = FixedPoint.of([weights], [Fraction(1, 4)], 3)
        >>> table = points.running(weights, points.table(Fraction(1, 4)))
        >>> points.rounded(table).tolist()
        [0.25, 0.75, 0.75, 1.75]
        >>> points.fraction(table[:, 2]) - Fraction(3, 4) == Fraction(1, 2**80)
        True
    """

    unit: int
    width: int
    limbs: int
    bits: int

    @classmethod
    def of(
        cls, columns: Iterable[np.ndarray], more: Sequence[Fraction | int], longest: int
    ) -> FixedPoint:
        """Return the format that holds twice the sum of all these numbers.

        Args:
            columns: float64 arrays; every number is 0 or in [2^-300, 2^300].
            more: Single numbers >= 0, whose denominators are powers of two.
            longest: The largest number of values that `running` takes.
        """
        count, spans = len(more), [_span_of(number) for number in more if number]
        for numbers in columns:
            count += len(numbers)
            spans += _span(numbers)
        unit = min([low for low, _ in spans], default=0)
        bits = max([high for _, high in spans], default=1) - unit + count.bit_length() + 1
        if bits <= _ROOM:
            return cls(unit, _ROOM, 1, bits)
        width = min(_TOP - 1, _ROOM - 1 - (longest + 1).bit_length())
        return cls(unit, width, 1 - (min(_TOP, _ROOM) - bits) // width, bits)

    def table(self, number: Fraction | int) -> np.ndarray:
        """Return a number as a table (limbs, 1)."""
        units = int(Fraction(number) / Fraction(2) ** self.unit)
        low = [(units >> place) & self._mask for place in self._places[:-1]]
        return np.array([*low, units >> self._places[-1]], np.int64)[:, None]

    def running(self, numbers: np.ndarray, before: np.ndarray) -> np.ndarray:
        """Return the sum of `before` and the first k numbers, for every k from 0 on.

        Args:
            numbers: float64 (n,), n at most `longest` of `of`.
            before: The number, as a table (limbs, 1).

        Returns:
            A table (limbs, n + 1).
        """
        found = np.empty((self.limbs, len(numbers) + 1), np.int64)
        found[:, :1] = before
        rest = numbers
        for limb in reversed(range(self.limbs)):
            found[limb, 1:] = rest * 2.0 ** -(self.unit + self._places[limb])  # truncated
            if limb:
                rest = rest - found[limb, 1:] * 2.0 ** (self.unit + self._places[limb])
        return np.cumsum(found, axis=1, out=found)

    def carried(self, table: np.ndarray) -> np.ndarray:
        """Return the table with every limb but the highest in [0, 2^width)."""
        found = table.copy()
        for limb in range(self.limbs - 1):
            found[limb + 1] += found[limb] >> self.width
            found[limb] &= self._mask
        return found

    def floats(self, table: np.ndarray) -> Iterator[np.ndarray]:
        """Yield float64 arrays (n,) that add up to the numbers exactly, the largest first.

        Every number is a multiple of the last bit of its first array, and so on.
        """
        limbs = self.carried(table)
        if self.limbs == 1 and self.bits > _TOP:
            yield (limbs[0] >> _HALF) * 2.0 ** (self.unit + _HALF)
            limbs[0] &= (1 << _HALF) - 1
        for limb in reversed(range(self.limbs)):
            yield limbs[limb] * 2.0 ** (self.unit + self._places[limb])

    def rounded(self, table: np.ndarray) -> np.ndarray:
        """Return the nearest float64 of every number (n,), ties to even."""
        high, *others = self.floats(table)
        low = np.zeros(len(high))
        for place, part in enumerate(others):
            if place:  # the rest only breaks ties: any value below one unit does
                odd = np.where(part > 0, np.nextafter(low, np.inf), low)
                part = np.where(low == 0, part, odd)
            total = high + part
            high, low = total, part - (total - high)
        return high

    def fraction(self, limbs: np.ndarray) -> Fraction:
        """Return one number of a table, given its limbs (limbs,)."""
        units = sum(n << place for n, place in zip(limbs.tolist(), self._places, strict=True))
        return Fraction(units << max(self.unit, 0), 1 << max(-self.unit, 0))

    @property
    def _places(self) -> range:
        return range(0, self.width * self.limbs, self.width)

    @property
    def _mask(self) -> int:
        return (1 << self.width) - 1


def _span(numbers: np.ndarray) -> list[tuple[int, int]]:
    """Return the lowest bit that a number may have, and the bit above the highest; or [].

    Positive floats are ordered like their bits. Trailing zeros that all mantissas share do not
    count: float32 have 29 of these.
    """
    bits = numbers.view(np.int64)
    if not len(bits) or not numbers.any():
        return []
    most = int(bits.max()) >> 52
    least = (int((bits.view(np.uint64) - np.uint64(1)).min()) + 1) >> 52  # that is not zero
    mantissas = int(np.bitwise_or.reduce(bits)) & ((1 << 52) - 1) | 1 << 52
    return [(max(least, 1) - 1075 + _zeros(mantissas), most - 1022)]


def _span_of(number: Fraction | int) -> tuple[int, int]:
    numerator, below = number.numerator, number.denominator.bit_length() - 1
    return _zeros(numerator) - below, numerator.bit_length() - below


def _zeros(number: int) -> int:
    """Return the number of trailing zero bits of a positive integer."""
    return (number & -number).bit_length() - 1
