"""Ray Data: the states of the groups of a dataset; states are shuffled, and not rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import pyarrow as pa
from ray.data.aggregate import AggregateFnV2

from mmeval_like.integrations.groups import state_of_each
from mmeval_like.integrations.states import STATE, States

__all__ = ["ray_states"]


class _Merged(AggregateFnV2):  # type: ignore[misc]  # Ray has no types
    """Merges a column of states, pairwise between blocks."""

    def __init__(self, states: States) -> None:
        self._states = states
        super().__init__(STATE, lambda: states.merged([]), on=STATE, ignore_nulls=False)

    def aggregate_block(self, block: Any) -> bytes:
        return self._states.merged(block[STATE].to_pylist())

    def combine(self, current_accumulator: bytes, new: bytes) -> bytes:
        return self._states.merged([current_accumulator, new])


def ray_states(dataset: Any, states: States, keys: Sequence[str] = ()) -> Any:
    """Return a Ray dataset with the keys and a column "state": one row for each group of rows.

    Every block becomes states, where it is stored; Ray then moves these states and merges those of
    equal keys.

    Args:
        dataset: The Ray dataset. Only the columns that are needed are read.
        states: How a block becomes a state.
        keys: The columns whose equal entries make a group, which have the dataset's times and zones
            again; categories become values. By default all rows are one group.

    Raises:
        TypeError, ValueError: As for `States.needed`.
    """
    chosen = states.needed(dataset.columns(), keys)
    kinds = _kinds(dataset, keys)
    moments = {key: kind for key, kind in kinds.items() if _is_moment(kind)}

    def of(block: pa.Table) -> pa.Table:
        each = state_of_each(block, keys, states.of)
        for place, key in enumerate(keys):
            column = each[key]
            if pa.types.is_dictionary(column.type):  # Ray sorts by keys
                column = column.cast(column.type.value_type)
            if key in moments:
                column = column.cast(moments[key]).cast(_whole(moments[key]))
            each = each.set_column(place, key, column)
        return each

    def dated(table: pa.Table) -> pa.Table:
        for place, key in enumerate(keys):
            if key in moments:
                column = table[key].cast(_whole(moments[key])).cast(moments[key])
                table = table.set_column(place, key, column)
        return table

    parts = dataset.select_columns(chosen)
    parts = parts.map_batches(of, batch_format="pyarrow", batch_size=None)
    found = parts.groupby([*keys] or None).aggregate(_Merged(states))
    return found.map_batches(dated, batch_format="pyarrow") if moments else found


def _kinds(dataset: Any, keys: Sequence[str]) -> dict[str, Any]:
    """Return the Arrow types of the keys."""
    schema = dataset.schema().base_schema
    if not isinstance(schema, pa.Schema):  # of pandas
        pairs = zip(schema.names, schema.types, strict=True)
        columns = {name: pd.Series(dtype=kind) for name, kind in pairs}
        schema = pa.Schema.from_pandas(pd.DataFrame(columns))
    return {key: schema.field(key).type for key in keys}


def _is_moment(kind: Any) -> bool:
    """Return whether Ray gives other values back than it got: it drops zones and units."""
    return pa.types.is_temporal(kind) and not pa.types.is_date(kind)


def _whole(kind: Any) -> Any:
    return pa.int32() if kind.bit_width == 32 else pa.int64()
