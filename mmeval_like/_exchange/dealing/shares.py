"""Shares: values are dealt to the ranks, and each rank gets the values between two borders.

A state that deals needs the order of all ranks' values. Every rank sorts its own values. The
borders of the shares depend only on counts. One exchange then deals the values, so that equal
values meet on one rank. Each rank computes a few totals of its share, and the ranks add these up.

Source: E. Solomonik and L. V. Kale, "Highly scalable parallel sorting" (IPDPS 2010): histograms of
probes, refined where two neighbours have too many values between them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from mmeval_like._exchange.dealing.messages import Messages
from mmeval_like._states.dealing import Below

__all__ = ["Shares", "numbers_at", "smallest"]

_PROBES = 1 << 14  # numbers of one histogram, over all shares
_EACH = 1 << 10  # the most probes for one share, since each probe is searched among all values
_UNEVEN = 32  # the borders of a share may be off by its mean size divided by this


@dataclass(frozen=True)
class Shares:
    """Where the shares of the ranks begin and end in concatenated columns.

    Attributes:
        columns: The column in which each share but the first begins, (ranks - 1,), ascending.
        values: The least value of that column in the share.
    """

    columns: np.ndarray
    values: np.ndarray

    @classmethod
    def even(
        cls, work: Callable[[], Sequence[Sequence[np.ndarray]]], number: int, ranks: Messages
    ) -> Shares:
        """Return shares with nearly equal numbers of entries, as far as equal values permit.

        Args:
            work: Returns, by column, ascending arrays of this rank's entries without nan and -0.0,
                all of float32 or all of float64, the same on every rank.
            number: The number of columns.
            ranks: The ranks.
        """
        columns: list[Sequence[np.ndarray]] = []

        def own_sizes() -> np.ndarray:
            columns.extend(work())
            return np.array([sum(map(len, column)) for column in columns])

        sizes = ranks.total(own_sizes, number)
        ends = np.cumsum(sizes)
        whole = int(sizes.sum())
        targets = np.array([whole * r // ranks.size for r in range(1, ranks.size)], np.int64)
        where = np.minimum(np.searchsorted(ends, targets, side="right"), len(columns) - 1)
        keys = _Keys(np.result_type(np.float32, *[a.dtype for c in columns for a in c]))
        slack = whole // (ranks.size * _UNEVEN)
        below = partial(_below, columns)
        low, high, fewer, more = _bracketed(below, where, targets, keys, sizes, slack, ranks)
        begins = np.where(targets - fewer <= more - targets, low, high)
        beyond = begins == keys.behind
        begins[beyond] = keys.first  # the first key of the next column
        return cls(where + beyond, keys.floats(begins))

    def cuts(self, column: int, ascending: np.ndarray) -> np.ndarray:
        """Return where each rank's share of an array of a column begins, and where the last ends.

        Args:
            column: The column.
            ascending: Entries of the column, (n,), ascending.

        Returns:
            Places, int64 (ranks + 1,): rank r has the entries between its places r and r + 1.
        """
        found = np.where(self.columns > column, len(ascending), 0)
        here = self.columns == column
        found[here] = np.searchsorted(ascending, self.values[here], side="left")
        return np.concatenate([[0], found, [len(ascending)]])

    def ranks_of(self, column: int) -> range:
        """Return the ranks that may have a share of a column."""
        first, last = (int(np.searchsorted(self.columns, column, side)) for side in _SIDES)
        return range(first, last + 1)


def smallest(ascending: np.ndarray, places: Sequence[int], ranks: Messages) -> list[float]:
    """Return the numbers at these places, when the numbers of all ranks are sorted.

    Args:
        ascending: This rank's sorted numbers without nan, float32 or float64 on all ranks.
        places: Places from 0 on, each below the number of all numbers; the same on every rank.
        ranks: The ranks; all of them call this.
    """
    sizes = ranks.total(lambda: np.array([len(ascending)]), 1)
    targets = [np.array(places, np.int64)]
    [found] = numbers_at(partial(_below, [[ascending]]), sizes, targets, ascending.dtype, ranks)
    numbers: list[float] = found.tolist()
    return numbers


def numbers_at(
    below: Below,
    sizes: np.ndarray,
    places: Sequence[np.ndarray],
    dtype: np.dtype,
    ranks: Messages,
) -> list[np.ndarray]:
    """Return, for each column, the numbers at some places of the sorted numbers of all ranks.

    Args:
        below: Counts this rank's numbers, which have no nan.
        sizes: The number of all ranks' numbers in every column.
        places: The places by column, from 0 on; the same on every rank.
        dtype: The dtype of the numbers, float32 or float64; the same on every rank.
        ranks: The ranks; all of them call this.
    """
    keys, lengths = _Keys(dtype), [len(wanted) for wanted in places]
    starts = np.cumsum(sizes) - sizes
    targets = np.concatenate([s + p for s, p in zip(starts, places, strict=True)])
    where = np.repeat(np.arange(len(lengths)), lengths)
    low, _, _, _ = _bracketed(below, where, targets, keys, sizes, -1, ranks)
    return np.split(keys.floats(low) + 0, np.cumsum(lengths)[:-1])  # no -0.0


def _bracketed(
    below: Below,
    where: np.ndarray,
    targets: np.ndarray,
    keys: _Keys,
    sizes: np.ndarray,
    slack: int,
    ranks: Messages,
) -> tuple[np.ndarray, ...]:
    """Return two keys around each target, and the number of entries below each key.

    Args:
        below: Counts this rank's entries.
        where: The column of every target, ascending.
        targets: Places among all entries, column after column.
        keys: The keys of the entries.
        sizes: The number of all ranks' entries in every column.
        slack: The keys need not be neighbours if one is this near to the target; -1: they must be.
        ranks: The ranks.
    """
    ends = np.cumsum(sizes)
    low = np.full(len(targets), keys.first, np.uint64)
    high = np.full(len(targets), keys.behind, np.uint64)
    fewer, more = (ends - sizes)[where], ends[where]
    while True:
        near = np.minimum(targets - fewer, more - targets) <= slack
        open_ = np.flatnonzero(~near & (high - low > 1))
        if not len(open_):
            return low, high, fewer, more
        probes = _between(low[open_], high[open_], min(_EACH, max(2, _PROBES // len(open_))))
        work = partial(_counts, below, where[open_], keys.floats(probes))
        counts = ranks.total(work, probes.size).reshape(probes.shape)
        counts += (ends - sizes)[where[open_]][:, None]
        first = (counts <= targets[open_][:, None]).sum(axis=1)  # the first probe beyond the target
        some, rest = np.flatnonzero(first), np.flatnonzero(first < probes.shape[1])
        low[open_[some]] = probes[some, first[some] - 1]
        fewer[open_[some]] = counts[some, first[some] - 1]
        high[open_[rest]] = probes[rest, first[rest]]
        more[open_[rest]] = counts[rest, first[rest]]


_SIDES: tuple[Literal["left"], Literal["right"]] = ("left", "right")


class _Keys:
    """Integers in the order of all floats: their bits, inverted for negative floats."""

    def __init__(self, dtype: np.dtype) -> None:
        self._dtype, self._bits = dtype, np.dtype(f"u{dtype.itemsize}")
        self._sign = np.uint64(1 << (8 * dtype.itemsize - 1))
        infinity = np.array([np.inf], dtype).view(self._bits).astype(np.uint64)[0]
        self.first = self._sign - infinity - np.uint64(1)  # the key of minus infinity
        self.behind = self._sign + infinity + np.uint64(1)  # a key after those of all floats

    def floats(self, keys: np.ndarray) -> np.ndarray:
        """Return the floats of some keys."""
        negative = self._sign - np.uint64(1) + self._sign - keys
        bits = np.where(keys >= self._sign, keys - self._sign, negative)
        found: np.ndarray = bits.astype(self._bits).view(self._dtype)
        return found


def _between(low: np.ndarray, high: np.ndarray, number: int) -> np.ndarray:
    """Return evenly spaced keys between pairs of keys, ascending in each row."""
    steps = (high - low) // np.uint64(number + 1) + np.uint64(1)
    offsets = np.arange(1, number + 1, dtype=np.uint64) * steps[:, None]
    found: np.ndarray = low[:, None] + np.minimum(offsets, (high - low - np.uint64(1))[:, None])
    return found


def _counts(below: Below, where: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the number of entries of each column below each of the values (n, m), flattened."""
    columns, starts = np.unique(where, return_index=True)  # ascending
    parts = np.split(values, starts[1:])
    found = [
        below(column, part.reshape(-1))
        for column, part in zip(columns.tolist(), parts, strict=True)
    ]
    return np.concatenate(found)


def _below(columns: Sequence[Sequence[np.ndarray]], column: int, values: np.ndarray) -> np.ndarray:
    found = np.zeros(len(values), np.int64)
    for ascending in columns[column]:
        found += np.searchsorted(ascending, values)
    return found
