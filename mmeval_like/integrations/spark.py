"""Spark: the states of the groups of a data frame; states are shuffled, and not rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql import functions

from mmeval_like.integrations.groups import state_of_each
from mmeval_like.integrations.states import STATE, States

__all__ = ["spark_states"]

_SOME = "some"
_MANY = 64  # states that the last step merges
_ROWS = 100_000  # Spark's blocks have a tenth of this


def spark_states(frame: Any, states: States, keys: Sequence[str] = ()) -> Any:
    """Return a Spark data frame with the keys and a column "state": one row for each group of rows.

    Every partition becomes states, where it is stored; Spark then moves these states and merges
    those of equal keys.

    Args:
        frame: The Spark data frame. Only the columns that are needed are read.
        states: How a block becomes a state.
        keys: The columns whose equal entries make a group. By default all rows are one group, whose
            states are merged in two steps.
    """
    frame = frame.select(*states.needed(frame.columns, keys))

    def merged(table: pa.Table) -> pa.Table:
        return state_of_each(table, keys, lambda rows: states.merged(rows[STATE].to_pylist()))

    def of(blocks: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        found = [state_of_each(table, keys, states.of) for table in _larger(blocks)]
        if found:
            yield from merged(pa.concat_tables(found)).to_batches()

    kept = frame.select(*keys).schema.add(STATE, "binary")
    parts = frame.mapInArrow(of, kept)
    if keys:
        return parts.groupBy(*keys).applyInArrow(merged, kept)
    parts = parts.withColumn(_SOME, functions.spark_partition_id() % _MANY)
    some = parts.groupBy(_SOME).applyInArrow(merged, kept)
    return some.groupBy().applyInArrow(merged, kept)


def _larger(blocks: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Join blocks, because every call of `states.of` takes about a millisecond."""
    waiting: list[pa.RecordBatch] = []
    for block in blocks:
        waiting.append(block)
        if sum(map(len, waiting)) >= _ROWS:
            yield pa.Table.from_batches(waiting)
            waiting = []
    if waiting:
        yield pa.Table.from_batches(waiting)
