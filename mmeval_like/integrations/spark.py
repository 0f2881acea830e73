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
            states are merged in two steps; of no rows there is no state.

    Raises:
        TypeError, ValueError: As for `States.needed`.
    """
    frame = frame.select(*states.needed(frame.columns, keys))

    def merged(table: pa.Table) -> bytes:
        return states.merged(table[STATE].to_pylist())

    def of(blocks: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        found = [state_of_each(table, keys, states.of) for table in _larger(blocks)]
        if found:
            each = state_of_each(pa.concat_tables(found), keys, merged)
            yield from _in_utc(each).to_batches()

    def of_group(table: pa.Table) -> pa.Table:
        state = pa.array([merged(table)], pa.binary())
        head = table.slice(0, 1).select([*keys, STATE])  # Spark says what is a group: -0.0 is 0.0
        return _in_utc(head.set_column(len(keys), STATE, state))

    kept = frame.select(*keys).schema.add(STATE, "binary")
    parts = frame.mapInArrow(of, kept)
    if keys:
        return parts.groupBy(*keys).applyInArrow(of_group, kept)
    parts = parts.withColumn(_SOME, functions.spark_partition_id() % _MANY)
    some = parts.groupBy(_SOME).applyInArrow(of_group, kept)
    return some.groupBy().applyInArrow(of_group, kept)


def _in_utc(table: pa.Table) -> pa.Table:
    """Return times in the zone that Spark wants back; those that it sends are in the session's."""
    zones = [getattr(field.type, "tz", None) for field in table.schema]
    fields = [
        field.with_type(pa.timestamp("us", "UTC")) if zone else field
        for field, zone in zip(table.schema, zones, strict=True)
    ]
    return table.cast(pa.schema(fields))


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
