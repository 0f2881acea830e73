"""Ray Data: the states of the groups of a dataset; states are shuffled, and not rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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
        keys: The columns whose equal entries make a group. By default all rows are one group.

    Raises:
        TypeError, ValueError: As for `States.needed`.
    """

    def of(block: pa.Table) -> pa.Table:
        return state_of_each(block, keys, states.of)

    parts = dataset.select_columns(states.needed(dataset.columns(), keys))
    parts = parts.map_batches(of, batch_format="pyarrow", batch_size=None)
    return parts.groupby([*keys] or None).aggregate(_Merged(states))
