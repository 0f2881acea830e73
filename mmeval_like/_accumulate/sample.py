"""The first rows of a rank, by which ranks see that all of them added the same samples."""

from __future__ import annotations

import hashlib
import reprlib
from collections.abc import Mapping
from itertools import accumulate
from operator import ne
from typing import Any

from mmeval_like._accumulate.rows import Ragged, Rows, take
from mmeval_like._accumulate.tagged import Tagged
from mmeval_like.arrays.accelerator import is_device

__all__ = ["NOTHING", "Sample"]

NOTHING = bytes(8)
"""The digest of rows that prove nothing: too few, or all alike."""

_ROWS, _FEWEST = 256, 64  # how many rows are copied; fewer than the second number prove nothing
_NUMBERS = 16  # how many numbers of each row are copied
_TURNS = 8  # how many rows at least must differ from the row before them


class Sample:
    """A copy of a few numbers of each of the first rows."""

    def __init__(self) -> None:
        self.wanted = _ROWS  # how many more rows are copied
        self._rows: dict[str, list[bytes]] = {}
        self._known: bytes | None = None  # the digest; None when rows came since it was taken

    def add(self, count: int, rows: Mapping[str, Rows]) -> None:
        """Copy as many of these rows, given by state, as are still wanted."""
        self._known = None
        first = slice(0, self.wanted)
        for name, part in rows.items():
            kept = self._rows.setdefault(name, [])
            part = part.rows if isinstance(part, Tagged) else part
            if isinstance(part, list):
                kept += [reprlib.repr(row).encode(errors="replace") for row in part[first]]
            elif not is_device(part):  # to read rows on an accelerator would wait for it
                kept += _pieces(take(part, first))
        self.wanted -= min(count, self.wanted)

    def digest(self) -> bytes:
        """Return 8 bytes that stand for the rows; `NOTHING` where rows may be equal by chance.

        Equal rows of two ranks prove nothing where nearly all rows are alike anyway, as the hits
        of a perfect model.
        """
        if self._known is None:
            turns = [sum(map(ne, rows[1:], rows)) for rows in self._rows.values()]
            self._known = NOTHING
            if self.wanted <= _ROWS - _FEWEST and max(turns, default=0) >= _TURNS:
                joined = b"".join(b"".join(rows) for rows in self._rows.values())
                self._known = hashlib.blake2b(joined, digest_size=8).digest()
        return self._known


def _pieces(rows: Any) -> list[bytes]:
    """Return the bytes of the first numbers of each row."""
    lengths = [1] * len(rows)
    if isinstance(rows, Ragged):
        lengths, rows = rows.lengths.tolist(), rows.values
    entry = rows[:1].nbytes if len(rows) else 0
    data, most = rows.tobytes(), _NUMBERS * rows.itemsize
    ends = [length * entry for length in accumulate(lengths)]
    starts = [0, *ends[:-1]]
    return [data[start : min(end, start + most)] for start, end in zip(starts, ends, strict=False)]
