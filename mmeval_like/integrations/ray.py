"""Ray Data: the states of the blocks of a dataset; states are shuffled, and not rows."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from ray.data.aggregate import AggregateFnV2

from mmeval_like.integrations.states import States

__all__ = ["ray_states"]

_STATE = "state"


class _Merged(AggregateFnV2):  # type: ignore[misc]  # Ray has no types
    """Merges a column of states, pairwise between blocks."""

    def __init__(self, states: States) -> None:
        self._states = states
        super().__init__(_STATE, lambda: states.merged([]), on=_STATE, ignore_nulls=False)

    def aggregate_block(self, block: Any) -> bytes:
        return self._states.merged(block[_STATE].to_pylist())

    def combine(self, current_accumulator: bytes, new: bytes) -> bytes:
        return self._states.merged([current_accumulator, new])


def ray_states(dataset: Any, states: States) -> Any:
    """Return a Ray dataset of one row, whose column "state" is the state of all rows.

    Every block becomes one state, where it is stored.

    Args:
        dataset: The Ray dataset. Only the columns that are needed are read.
        states: How a block becomes a state.
    """

    def of(block: pa.Table) -> pa.Table:
        return pa.table({_STATE: pa.array([states.of(block)], pa.binary())})

    needed = dataset.select_columns(states.needed(dataset.columns()))
    parts = needed.map_batches(of, batch_format="pyarrow", batch_size=None)
    return parts.groupby(None).aggregate(_Merged(states))
