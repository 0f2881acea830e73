"""A snapshot of one rank's rows: what goes to other ranks, files and metrics."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like._state_base import State
from mmeval_like.packing import Buffer
from mmeval_like.rows import Rows, pack_rows, unpack_rows

__all__ = ["Part"]

_HEAD = struct.Struct("<qqB")


@dataclass
class Part:
    """The rows of one statistic on one rank.

    Attributes:
        count: The number of rows.
        folded: The folded value of the rows before the tail, of every state that folds.
        tail: The last rows of these states, one by one; the states' order, equal lengths.
        tail_count: How many they are.
        ordered: All rows of every ordered state.
        ids: The rows' dataset indices, int64 of shape (count,), or None.
    """

    count: int
    folded: dict[str, Any]
    tail: dict[str, Rows]
    tail_count: int
    ordered: dict[str, Rows]
    ids: np.ndarray | None

    def private(self) -> Part:
        """Return it with ordered rows that `compute_metric` may change in place."""
        self.ordered = {name: rows.copy() for name, rows in self.ordered.items()}
        return self

    def pack(self, states: dict[str, State]) -> list[Buffer]:
        """Return the pieces of a self-delimiting form."""
        pieces: list[Buffer] = [_HEAD.pack(self.count, self.tail_count, self.ids is not None)]
        if self.ids is not None:
            pieces += pack_rows(self.ids)
        for name, state in states.items():
            if state.ordered:
                pieces += state.pack(self.ordered[name])
            else:
                pieces += state.pack(self.folded[name])
                if self.tail_count:
                    pieces += pack_rows(self.tail[name])
        return pieces

    @classmethod
    def unpack(cls, states: dict[str, State], data: memoryview, offset: int) -> tuple[Part, int]:
        """Return the part packed at `offset`, and the offset behind it."""
        count, tail_count, has_ids = _HEAD.unpack_from(data, offset)
        part = cls(count, {}, {}, tail_count, {}, None)
        offset += _HEAD.size
        if has_ids:
            part.ids, offset = unpack_rows(data, offset)  # type: ignore[assignment]
        for name, state in states.items():
            if state.ordered:
                part.ordered[name], offset = state.unpack(data, offset)
            else:
                part.folded[name], offset = state.unpack(data, offset)
                if tail_count:
                    part.tail[name], offset = unpack_rows(data, offset)
        return part, offset
