"""Spark: the states of the groups of a data frame; states are shuffled, and not rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

from mmeval_like.integrations.states import States

__all__ = ["spark_states"]


def spark_states(frame: Any, states: States) -> Any:
    """Return a Spark data frame of one row, whose column "state" is the state of all rows.

    Every partition becomes one state, where it is stored; one task then merges these states.

    Args:
        frame: The Spark data frame. Only the columns that are needed are read.
        states: How a block becomes a state.
    """

    def table(state: bytes) -> pa.RecordBatch:
        return pa.record_batch([pa.array([state], pa.binary())], ["state"])

    def of(blocks: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield table(states.merged(states.of(pa.table(block)) for block in blocks))

    def merged(blocks: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield table(states.merged(one for block in blocks for one in block["state"].to_pylist()))

    parts = frame.select(states.needed(frame.columns)).mapInArrow(of, "state binary")
    return parts.repartition(1).mapInArrow(merged, "state binary")
