"""The cells of exact sums: fixed-point numbers of 67 limbs, and counts of nan and infinities.

Limb k counts units of 2**(32 k - 1074); 2**-1074 is the smallest float, 2**1038 the top limb's
unit: far above the largest float, so the top limb never overflows.

Source: R. M. Neal, "Fast exact summation using small and large superaccumulators"
(arXiv:1505.05571).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = [
    "CELLS",
    "LIMBS",
    "ONE",
    "UNITS",
    "add_floats",
    "add_integers",
    "add_shifted",
    "carry",
    "in_units",
    "of_units",
    "rounded",
    "settle",
]

LIMBS = 67
CELLS = LIMBS + 3  # three cells above the limbs count the nan, +inf and -inf that were added
ONE = 1074  # the bit of 1; bit 0 is that of 2**-1074
UNITS = 1 << ONE  # the number of units of 2**-1074 in 1

_LOW = 0xFFFFFFFF

_Cells = npt.NDArray[np.int64]


def add_integers(cells: _Cells, unit: int, numbers: Any, columns: Any) -> None:
    """Add integers of up to 63 bits, in units of bit `unit`, to columns of the cells, in place.

    Bit 0 is that of 2^-1074. No limb grows by more than 2^32.
    """
    limb, shift = divmod(unit, 32)
    some = cells[limb : limb + 3, columns]
    # The shifts round down; only the highest part is signed.
    some[0] += numbers << shift & _LOW
    some[1] += numbers >> (32 - shift) & _LOW
    some[2] += numbers >> 32 >> (32 - shift)


def add_floats(cells: _Cells, values: npt.NDArray[np.float64], places: Any) -> int:
    """Split floats into limbs, and add these to the cells, in place.

    Args:
        cells: `(CELLS, width)`.
        values: `(n, width)`, or `(n,)`.
        places: The column of each of the values `(n,)`, or of all; unused for `(n, width)`.

    Returns:
        The number of times 2^32 by which a limb may have grown.
    """
    bits = values.view(np.int64)
    chosen = np.nonzero(bits)
    places = chosen[1] if bits.ndim > 1 else np.broadcast_to(places, bits.shape)[chosen]
    bits = bits[chosen]
    exponent = bits >> 52 & 0x7FF
    special = exponent == 0x7FF
    if special.any():
        kind = np.where(bits & 0xFFFFFFFFFFFFF, 0, 1 - (bits >> 63))  # nan, +inf, -inf
        np.add.at(cells, (LIMBS + kind[special], places[special]), 1)
        bits, places, exponent = bits[~special], places[~special], exponent[~special]
    normal = np.minimum(exponent, 1)
    mantissa = (bits & 0xFFFFFFFFFFFFF | normal << 52) * (1 | bits >> 63)
    # The position of the mantissa's last bit: 0 is the bit of 2**-1074.
    add_shifted(cells, mantissa, exponent - normal, places)
    return len(values)


def add_shifted(cells: _Cells, numbers: _Cells, units: _Cells, places: _Cells) -> None:
    """Add integers (n,) of up to 63 bits, each in its own unit, to columns, in place."""
    limb, shift = units >> 5, units & 31
    # Shifted by up to 31 bits, they span three limbs.
    low = numbers << shift & _LOW
    middle = numbers >> (32 - shift) & _LOW
    high = numbers >> 32 >> (32 - shift)
    width = cells.shape[1]
    index = np.concatenate([(limb + step) * width + places for step in range(3)])
    np.add.at(cells.reshape(-1), index, np.concatenate([low, middle, high]))


def carry(limbs: _Cells) -> bool:
    """Bring limbs nearer to [-2**31, 2**31), in place; return whether any changed."""
    carries = limbs[:-1] >> 31
    carries += 1
    carries >>= 1  # multiples of 2**32, to nearest; nothing overflows
    if not np.count_nonzero(carries):  # faster than `any` for short sums
        return False
    limbs[:-1] -= carries << 32
    limbs[1:] += carries
    return True


def settle(cells: _Cells) -> None:
    """Carry, in place, until every limb but the top one is in [-2**31, 2**31)."""
    while carry(cells[:LIMBS]):
        pass


def in_units(cells: _Cells) -> list[int]:
    """Return the value of every column as an integer, in units of 2**-1074."""
    some = cells[:LIMBS] if cells.shape[1] == 1 else cells[:LIMBS].any(axis=1)
    used = some.reshape(-1).nonzero()[0].tolist()
    first, stop = (used[0], used[-1] + 1) if used else (0, 0)
    units = [0] * cells.shape[1]
    for column, digits in enumerate(cells[first:stop].T.tolist()):
        number = 0
        for digit in reversed(digits):
            number = (number << 32) + digit
        units[column] = number << 32 * first
    return units


def of_units(units: int) -> _Cells:
    """Return the cells `(CELLS,)` of an integer >= 0 in units of 2**-1074.

    Example:
        >>> in_units(of_units(3 * 2**80)[:, None]) == [3 * 2**80]
        True
    """
    cells = np.zeros(CELLS, np.int64)
    for place in range(LIMBS):
        cells[place] = units >> 32 * place & _LOW
    return cells


def rounded(units: int) -> float:
    """Return the float64 nearest to an integer in units of 2**-1074, possibly infinite."""
    try:
        return units / UNITS  # integers divide with one rounding, half to even
    except OverflowError:
        return math.inf if units > 0 else -math.inf
