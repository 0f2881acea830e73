"""Ranges of ids in which many samples differ: a sum for each of at most 64 ranges.

The ranges do not depend on the samples: all begin at multiples of a power of two. So the ranges of
two evaluations are comparable, even if samples are missing or new, and short ranges add up to
longer ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from mmeval_like.records.canonical import EXACT

__all__ = ["other_ranges", "ranges_of"]

_MOST = 64
_BITS = 63  # bits of an id
_ALL = 2**64


def ranges_of(ids: np.ndarray, hashes: np.ndarray) -> dict[str, Any] | None:
    """Return the sums of samples in ranges of their ids; None without ids, or if they are texts.

    Args:
        ids: The id of each sample, ascending, as `read_ids` returns them.
        hashes: The 64-bit hash of each sample, as `row_hashes` returns them.

    Returns:
        `bits`: a range has 2^bits ids. `first`: the number of the first range, which begins at
        first * 2^bits. `sums`: for each range from the first on, the number of its samples, and the
        sum of their hashes modulo 2^64 in hexadecimal digits.

    Example:
        >>> ranges_of(np.array([3, 200]), np.array([1, 255], np.uint64))["bits"]
        2
    """
    if ids.ndim > 1 or not len(ids):
        return None
    least, most = int(ids[0]), int(ids[-1])
    bits = max(0, (most - least).bit_length() - _MOST.bit_length())
    while (most >> bits) - (least >> bits) >= _MOST or most >> bits >= EXACT:
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
        old: The result of `ranges_of`.
        new: The result of `ranges_of` for other samples.

    Raises:
        ValueError: An argument is not a result of `ranges_of`.

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
    """Return the count and the sum of each range of 2^bits ids, by the range's number."""
    found: dict[int, tuple[int, int]] = {}
    for place, (count, text) in enumerate(ranges["sums"]):
        number = (ranges["first"] + place) >> (bits - ranges["bits"])
        before = found.get(number, (0, 0))
        found[number] = before[0] + count, (before[1] + int(text, 16)) % _ALL
    return {number: one for number, one in found.items() if one != (0, 0)}
