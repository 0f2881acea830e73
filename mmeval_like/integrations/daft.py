"""Daft: an aggregation whose value is the state of a group of rows."""

from __future__ import annotations

from typing import Any

import daft
import pyarrow as pa

from mmeval_like.integrations.states import STATE, States

__all__ = ["daft_states"]


class _Aggregation:
    def __init__(self, states: States, names: list[str]) -> None:
        self.states, self.names = states, names

    def aggregate(self, *columns: Any) -> bytes:
        return self.states.of(pa.table([column.to_arrow() for column in columns], self.names))

    def combine(self, states: Any) -> bytes:
        return self.states.merged(states.to_pylist())

    def finalize(self, state: bytes) -> bytes:
        return state


_BYTES = daft.DataType.binary()
_aggregation: Any = daft.udaf(_Aggregation, return_dtype=_BYTES, state=_BYTES)


def daft_states(frame: Any, states: States) -> Any:
    """Return an expression for `frame.agg` and `frame.groupby(...).agg`: the column "state".

    Args:
        frame: The Daft data frame. Only the columns that are needed are read.
        states: How the rows of a group become a state.

    Raises:
        ValueError: As for `mm.score`; or the frame has a column "state", by which it may be
            grouped: the states would replace it.
    """
    names = states.needed(frame.column_names)
    if STATE in frame.column_names:
        raise ValueError(f"rename the column {STATE!r}: the column of the states has this name")
    return _aggregation(states, names)(*[frame[name] for name in names]).alias(STATE)
