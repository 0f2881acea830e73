"""A histogram of any integers; its memory depends only on how many distinct ones occur."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mmeval_like._states.kinds.abstract import State, the_array
from mmeval_like._states.kinds.folding import check_codes, flat_codes
from mmeval_like._states.rows import Ragged, Rows

__all__ = ["Tally"]

# The distinct codes, ascending, and how often each occurred. The arrays are never changed in place.
_Run = tuple[np.ndarray, np.ndarray]


class Tally(State):
    """A histogram of int64 codes.

    Its folded value is a list of runs, each longer than twice the next, so that merging
    moves a code only a logarithmic number of times, however many batches there are.
    """

    def __repr__(self) -> str:
        return "tally()"

    def check(self, name: str, rows: Any) -> Rows:
        checked = check_codes(name, rows, None)
        codes: Any = rows.values if isinstance(rows, Ragged) else rows
        if codes.dtype != np.uint64:
            return checked
        codes = codes.astype(np.int64)  # numpy would join uint64 and signed integers to floats
        checked = Ragged(codes, rows.lengths) if isinstance(rows, Ragged) else codes
        return checked

    def blank(self, count: int) -> Rows:
        return np.zeros(count, np.int64)

    def empty(self) -> list[_Run]:
        return []

    def fold(self, folded: list[_Run], rows: Rows) -> list[_Run]:
        codes, counts = np.unique(flat_codes(rows), return_counts=True)
        return self.merge(folded, [(codes.astype(np.int64), counts.astype(np.int64))])

    def merge(self, folded: list[_Run], other: list[_Run]) -> list[_Run]:
        runs = folded.copy()
        for run in other:
            runs.append(run)
            while len(runs) > 1 and len(runs[-2][0]) <= 2 * len(runs[-1][0]):
                runs[-2:] = [_joined(runs[-2:])]
        return runs

    def subtract(self, folded: list[_Run], other: list[_Run]) -> list[_Run]:
        codes, counts = _joined([*folded, *[(codes, -counts) for codes, counts in other]])
        if (counts < 0).any():
            raise ValueError("only rows that were added before can be subtracted")
        return [(codes, counts)]

    def value(self, folded: list[_Run]) -> _Run:
        codes, counts = _joined(folded)
        return codes.copy(), counts.copy()

    def to_arrays(self, folded: list[_Run]) -> dict[str, np.ndarray]:
        codes, counts = _joined(folded)
        return {"codes": codes, "counts": counts}

    def from_arrays(self, found: Mapping[str, np.ndarray]) -> list[_Run]:
        codes = the_array(found, "codes", np.int64, (None,))
        counts = the_array(found, "counts", np.int64, (len(codes),))
        if (codes[1:] <= codes[:-1]).any() or (counts <= 0).any():
            raise ValueError("codes must ascend, and their counts be positive")
        return [(codes, counts)]


def _joined(runs: list[_Run]) -> _Run:
    """Merge runs into one; codes whose counts add up to zero are left out."""
    if len(runs) == 1:
        return runs[0]
    codes = np.concatenate([np.empty(0, np.int64), *[codes for codes, _ in runs]])
    counts = np.concatenate([np.empty(0, np.int64), *[counts for _, counts in runs]])
    order = np.argsort(codes, kind="stable")
    codes, counts = codes[order], counts[order]
    firsts = np.flatnonzero(np.concatenate([[True], codes[1:] != codes[:-1]])[: len(codes)])
    sums = np.add.reduceat(counts, firsts) if len(firsts) else counts
    return codes[firsts][sums != 0], sums[sums != 0]
