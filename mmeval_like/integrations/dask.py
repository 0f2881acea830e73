"""Dask: the states of the groups of a data frame; states are shuffled, and not rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd

from mmeval_like.integrations.states import STATE, States

__all__ = ["dask_states"]


def dask_states(frame: Any, states: States, keys: Sequence[str] = (), split_every: int = 8) -> Any:
    """Return a Dask data frame with the keys and a column "state": one row for each group of rows.

    Every partition becomes states, where it is stored; Dask then moves these states and merges
    those of equal keys.

    Args:
        frame: The Dask data frame. Only the columns that are needed are read.
        states: How a partition becomes a state.
        keys: The columns whose equal entries make a group. By default all rows are one group, whose
            states are merged in a tree.
        split_every: How many states a task of this tree merges.

    Raises:
        TypeError, ValueError: As for `States.needed`.
    """
    needed = states.needed([*frame.columns], keys)
    keys = [*keys]

    def each(rows: pd.DataFrame, state_of: Callable[[pd.DataFrame], bytes]) -> pd.DataFrame:
        if not keys:
            return pd.DataFrame({STATE: [state_of(rows)]}, dtype=object)
        numbers = rows.groupby(keys, dropna=False, observed=True, sort=False).ngroup().to_numpy()
        found = [state_of(group) for _, group in rows.groupby(numbers)]
        heads = rows[keys].drop_duplicates().reset_index(drop=True)
        return heads.assign(**{STATE: pd.Series(found, dtype=object)})

    def of(partition: pd.DataFrame) -> pd.DataFrame:
        return each(partition, states.of)

    def merged(parts: pd.DataFrame) -> pd.DataFrame:
        return each(parts, lambda rows: states.merged(rows[STATE]))

    frame = frame[needed]
    meta = frame._meta[keys].assign(**{STATE: pd.Series(dtype=object)})
    if keys:
        parts = frame.map_partitions(of, meta=meta)
        return parts.shuffle(on=keys).map_partitions(merged, meta=meta)
    return frame.reduction(of, aggregate=merged, combine=merged, meta=meta, split_every=split_every)
