"""Where samples differ that are too many to be named: a sum for each of at most 64 ranges of ids.

The ranges do not depend on which samples there are: all begin at multiples of a power of two. So
those of two evaluations are comparable, also where samples are missing or new, and ranges of one
length add up to those of a longer one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

__all__ = ["other_ranges", "ranges_of"]

_MOST = 64
_BITS = 63  # of ids
_ALL = 2**64


def ranges_of(ids: np.ndarray, hashes: np.ndarray) -> dict[str, Any] | None:
    """Return the sums of samples in ranges of their ids; None: there are no ids, or they are texts.

    Args:
        ids: Of each sample, ascending, as `read_ids` has them.
        hashes: 64 bits of each sample, as `row_hashes` has them.

    Returns:
        `bits`: a range has 2^bits ids. `first`: the number of the first range, which begins at
        first * 2^bits. `sums`: of each range from there on how many samples it has, and the sum of
        their hashes modulo 2^64 in hexadecimal digits.

    Example:
        >>> ranges_of(np.array([3, 200]), np.array([1, 255], np.uint64))["bits"]
        2
    """
    if ids.ndim > 1 or not len(ids):
        return None
    least, most = int(ids[0]), int(ids[-1])
    bits = max(0, (most - least).bit_length() - _MOST.bit_length())
    while (most >> bits) - (least >> bits) >= _MOST:
        bits += 1
    first, last = least >> bits, most >> bits
    starts = np.searchsorted(ids, np.arange(first, last + 1) << bits)
    counts = np.diff(starts, append=len(ids))
    sums = np.zeros(len(starts), np.uint64)
    sums[counts > 0] = np.add.reduceat(hashes, starts[counts > 0])
    listed = [[int(n), f"{int(one):016x}"] for n, one in zip(counts, sums, strict=True)]
    return {"bits": bits, "first": first, "sums": listed}


def other_ranges(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    """Yield the ranges of ids whose samples differ, in words.

    Args:
        old: What `ranges_of` returned.
        new: The same of other samples.

    Raises:
        ValueError: What `ranges_of` does not return.

    Example:
        >>> ids = np.arange(1000)
        >>> old = ranges_of(ids, np.ones(1000, np.uint64))
        >>> [*other_ranges(old, ranges_of(ids[40:], np.full(960, 1, np.uint64)))]
        ['0 to 47 (40 fewer)']
    """
    bits = max(_bits(old), _bits(new))
    sides = [_at(one, bits) for one in (old, new)]
    numbers = sorted(n for n in {*sides[0], *sides[1]} if sides[0].get(n) != sides[1].get(n))
    while numbers:
        together = next((i for i, n in enumerate(numbers) if n != numbers[0] + i), len(numbers))
        some, numbers = numbers[:together], numbers[together:]
        was, now = (sum(side.get(n, (0, 0))[0] for n in some) for side in sides)
        more = f" ({abs(now - was)} {'more' if now > was else 'fewer'})" if now != was else ""
        yield f"{some[0] << bits} to {((some[-1] + 1) << bits) - 1}{more}"


def _bits(ranges: Mapping[str, Any]) -> int:
    bits = ranges["bits"]
    if type(bits) is not int or not 0 <= bits <= _BITS:
        raise ValueError(f"the ids of a range have 0 to {_BITS} bits, got {bits!r:.50}")
    return bits


def _at(ranges: Mapping[str, Any], bits: int) -> dict[int, tuple[int, int]]:
    """Return count and sum by the number of the range, of ranges of 2^bits ids."""
    found: dict[int, tuple[int, int]] = {}
    for place, (count, text) in enumerate(ranges["sums"]):
        number = (ranges["first"] + place) >> (bits - ranges["bits"])
        before = found.get(number, (0, 0))
        found[number] = before[0] + count, (before[1] + int(text, 16)) % _ALL
    return {number: one for number, one in found.items() if one != (0, 0)}
