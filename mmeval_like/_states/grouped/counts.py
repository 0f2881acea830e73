"""A table of histograms: the codes that occur with each key, and how often."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from mmeval_like._states.grouped.key_table import Table
from mmeval_like._states.kinds.abstract import the_array
from mmeval_like._states.kinds.folding import Count, GrowingCount, flat_codes
from mmeval_like._states.rows import Ragged

__all__ = ["CountTable"]

# Keys and codes, ascending by key and then by code, and how often each pair occurred. The arrays
# are never changed in place.
_Run = tuple[np.ndarray, np.ndarray, np.ndarray]

_NO_PAIRS: _Run = (np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int64))


class CountTable(Table):
    """Histograms: 24 bytes for each code that occurs with a key, whatever the number of bins.

    As in `Tally`, there are several runs, each longer than twice the next.
    """

    def __init__(self, inner: Any, keys: int = 0) -> None:
        super().__init__(inner, keys)
        self._runs: list[_Run] = []

    def fold(self, codes: np.ndarray, rows: Any, keys: int) -> None:
        self.keys = keys
        values = flat_codes(rows)
        if isinstance(rows, Ragged):
            codes = np.repeat(codes, rows.lengths)
        elif len(values) != len(codes):
            codes = np.repeat(codes, len(values) // max(1, len(codes)))
        self._push(_counted(codes, values))

    def _push(self, run: _Run) -> None:
        self._runs.append(run)
        while len(self._runs) > 1 and len(self._runs[-2][0]) <= 2 * len(self._runs[-1][0]):
            self._runs[-2:] = [_joined(self._runs[-2:])]

    def _run(self) -> _Run:
        """Return the table as one run."""
        if len(self._runs) != 1:  # a single run is sorted already, and is read for every key
            self._runs = [_joined(self._runs)]
        return self._runs[0]

    def regrouped(self, chosen: np.ndarray, places: np.ndarray, keys: int) -> CountTable:
        own, codes, counts = self._run()
        starts, stops = np.searchsorted(own, chosen), np.searchsorted(own, chosen, "right")
        lengths = stops - starts
        within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        which = np.repeat(starts, lengths) + within
        found = CountTable(self.inner, keys)
        found._runs = [_joined([(np.repeat(places, lengths), codes[which], counts[which])])]
        return found

    def plus(self, other: CountTable) -> CountTable:
        found = CountTable(self.inner, self.keys)
        found._runs = [_joined([*self._runs, *other._runs])]
        return found

    def minus(self, other: CountTable) -> CountTable:
        keys, codes, counts = other._run()
        found = CountTable(self.inner, self.keys)
        found._runs = [_joined([*self._runs, (keys, codes, -counts)])]
        if (found._runs[0][2] < 0).any():
            raise ValueError("only rows that were added before can be subtracted")
        return found

    def one(self, key: int) -> Any:
        keys, codes, counts = self._run()
        here = slice(*np.searchsorted(keys, [key, key + 1]).tolist())
        codes, counts = codes[here], counts[here]
        if not isinstance(self.inner, Count | GrowingCount):
            return [(codes, counts)] if len(codes) else []
        growing = int(codes[-1]) + 1 if len(codes) else 0
        histogram = np.zeros(
            self.inner.bins if isinstance(self.inner, Count) else growing, np.int64
        )
        histogram[codes] = counts
        return histogram

    def copy(self) -> CountTable:
        found = CountTable(self.inner, self.keys)
        found._runs = [*self._runs]
        return found

    def contents(self) -> list[bytes]:
        keys, codes, counts = self._run()
        starts = np.searchsorted(keys, np.arange(self.keys + 1)).tolist()
        pairs = np.stack([codes, counts], axis=1)
        return [pairs[a:b].tobytes() for a, b in pairwise(starts)]

    def to_arrays(self) -> dict[str, np.ndarray]:
        return dict(zip(("of", "codes", "counts"), self._run(), strict=True))

    def set_arrays(self, found: Mapping[str, np.ndarray]) -> None:
        keys = the_array(found, "of", np.int64, (None,))
        codes = the_array(found, "codes", np.int64, (len(keys),))
        counts = the_array(found, "counts", np.int64, (len(keys),))
        later = (keys[1:] > keys[:-1]) | ((keys[1:] == keys[:-1]) & (codes[1:] > codes[:-1]))
        inside = not len(keys) or 0 <= keys[0] <= keys[-1] < self.keys
        if not later.all() or not inside or (counts <= 0).any():
            raise ValueError("codes must ascend, and their counts be positive")
        if isinstance(self.inner, Count | GrowingCount):
            bins = self.inner.bins if isinstance(self.inner, Count) else np.iinfo(np.int32).max
            if ((codes < 0) | (codes >= bins)).any():
                raise ValueError(f"codes must be in [0, {bins})")
        self._runs = [(keys, codes, counts)]

    def set_each(self, found: Mapping[str, np.ndarray]) -> None:
        counts = found["counts"]
        keys, places = np.nonzero(counts)
        counts = counts[keys, places]
        codes = found["codes"][keys, places] if "codes" in found else places
        self.set_arrays({"of": keys, "codes": codes, "counts": counts})


def _counted(keys: np.ndarray, codes: np.ndarray) -> _Run:
    """Return the pairs that occur, with their counts."""
    if not len(keys):
        return _NO_PAIRS
    joint, low, span = _joint(keys, codes)
    if joint is None:
        return _joined([(keys, codes.astype(np.int64), np.ones(len(keys), np.int64))])
    if (int(keys.max()) + 1) * span <= 4 * len(keys) + 1024:
        histogram = np.bincount(joint)
        found = np.flatnonzero(histogram)
        return found // span, found % span + low, histogram[found]
    found, counts = np.unique(joint, return_counts=True)
    return found // span, found % span + low, counts.astype(np.int64)


def _joint(keys: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray | None, int, int]:
    """Return pairs as one int64 each, or None if these overflow; the least code, and the span."""
    low = int(codes.min())
    span = int(codes.max()) - low + 1
    if (int(keys.max()) + 1) * span >= 1 << 62:
        return None, low, span
    joint = keys * span
    joint += codes
    if low:
        joint -= low
    return joint, low, span


def _joined(runs: list[_Run]) -> _Run:
    """Merge runs into one, in order; pairs whose counts add up to zero are left out."""
    if not runs:
        return _NO_PAIRS
    keys, codes, counts = runs[0]
    if len(runs) > 1:
        keys, codes, counts = (np.concatenate(each) for each in zip(*runs, strict=True))
    if not len(keys):
        return _NO_PAIRS
    later = (keys[1:] > keys[:-1]) | ((keys[1:] == keys[:-1]) & (codes[1:] > codes[:-1]))
    if later.all():
        return keys, codes, counts
    joint = _joint(keys, codes)[0]
    order = np.lexsort((codes, keys)) if joint is None else np.argsort(joint, kind="stable")
    keys, codes, counts = keys[order], codes[order], counts[order]
    new = (keys[1:] != keys[:-1]) | (codes[1:] != codes[:-1])
    firsts = np.flatnonzero(np.concatenate([[True], new]))
    sums = np.add.reduceat(counts, firsts)
    kept = firsts[sums != 0]
    return keys[kept], codes[kept], sums[sums != 0]
