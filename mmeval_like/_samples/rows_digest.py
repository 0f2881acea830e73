"""A digest of the first rows of a rank, which shows whether all ranks added the same samples."""

from __future__ import annotations

import hashlib
import math
import reprlib
from collections.abc import Mapping
from itertools import accumulate
from operator import ne
from typing import Any

import numpy as np

from mmeval_like._states.keyed_rows import KeyedRows
from mmeval_like._states.rows import Ragged, Rows, take
from mmeval_like.arrays.accelerator import is_device

__all__ = ["NOTHING", "RowsDigest"]

NOTHING = bytes(8)
"""The digest of rows that prove nothing: too few, or all equal."""

_ROWS, _FEWEST = 256, 64  # how many rows are copied; fewer than the second number prove nothing
_NUMBERS = 16  # how many numbers of each row are copied
_TURNS = 8  # at least this many rows must differ from the row before them


class RowsDigest:
    """A copy of a few numbers of each of the first rows. It does not change.

    Args:
        wanted: How many more rows are copied.
        batches: For each batch, the bytes of each row by state: an array (n, bytes), or a list.
    """

    def __init__(
        self,
        wanted: int = _ROWS,
        batches: tuple[Mapping[str, list[bytes] | np.ndarray], ...] = (),
    ) -> None:
        self.wanted, self._batches = wanted, batches
        self._known: bytes | None = None  # the digest, once it was computed

    def with_rows(self, count: int, rows: Mapping[str, Rows]) -> RowsDigest:
        """Return a digest of these rows too, given by state, up to the number that is wanted."""
        first = slice(0, self.wanted)
        batch: dict[str, list[bytes] | np.ndarray] = {}
        for name, part in rows.items():
            part = part.rows if isinstance(part, KeyedRows) else part
            if isinstance(part, list):
                batch[name] = [reprlib.repr(row).encode(errors="replace") for row in part[first]]
            elif isinstance(part, Ragged):
                batch[name] = _pieces(take(part, first))
            elif not is_device(part):  # reading rows on an accelerator would wait for it
                batch[name] = _table(part[first])
        return RowsDigest(self.wanted - min(count, self.wanted), (*self._batches, batch))

    def digest(self) -> bytes:
        """Return a digest of 8 bytes of the rows; `NOTHING` if rows may be equal by chance.

        Equal rows of two ranks prove nothing if nearly all rows are equal anyway, such as the
        hits of a perfect model.
        """
        if self._known is None:
            names = dict.fromkeys(name for batch in self._batches for name in batch)
            found = [_joined([b[name] for b in self._batches if name in b]) for name in names]
            turns = max([number for _, number in found], default=0)
            if self.wanted > _ROWS - _FEWEST or turns < _TURNS:
                self._known = NOTHING
            else:  # in one assignment, since a snapshot may be this object
                joined = b"".join(data for data, _ in found)
                self._known = hashlib.blake2b(joined, digest_size=8).digest()
        return self._known


def _table(rows: np.ndarray) -> np.ndarray:
    """Return the bytes of the first numbers of each row, as one row of bytes for each."""
    numbers = rows.reshape(len(rows), math.prod(rows.shape[1:]))[:, :_NUMBERS]
    data = np.frombuffer(numbers.tobytes(), np.uint8)
    return data.reshape(len(rows), numbers.shape[1] * rows.itemsize)


def _joined(pieces: list[list[bytes] | np.ndarray]) -> tuple[bytes, int]:
    """Return the bytes of all rows, and how many rows differ from the row before them."""
    if all(isinstance(piece, np.ndarray) for piece in pieces):
        tables: Any = pieces
        if len({table.shape[1] for table in tables}) == 1:
            table = np.concatenate(tables)
            turns = np.count_nonzero((table[1:] != table[:-1]).any(axis=1))
            return table.tobytes(), int(turns)
    rows: list[bytes] = []
    for piece in pieces:
        rows += map(np.ndarray.tobytes, piece) if isinstance(piece, np.ndarray) else piece
    return b"".join(rows), sum(map(ne, rows[1:], rows))


def _pieces(rows: Any) -> list[bytes]:
    """Return the bytes of the first numbers of each row of a `Ragged`."""
    lengths, rows = rows.lengths.tolist(), rows.values
    entry = rows[:1].nbytes if len(rows) else 0
    data, most = rows.tobytes(), _NUMBERS * rows.itemsize
    ends = [length * entry for length in accumulate(lengths)]
    starts = [0, *ends[:-1]]
    return [data[start : min(end, start + most)] for start, end in zip(starts, ends, strict=False)]
