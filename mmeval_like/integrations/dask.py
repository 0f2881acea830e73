"""Dask: the states of the partitions of a data frame, merged in a tree."""

from __future__ import annotations

from typing import Any

import pandas as pd

from mmeval_like.integrations.states import States

__all__ = ["dask_states"]

_STATE = "state"


def dask_states(frame: Any, states: States, split_every: int = 8) -> Any:
    """Return a Dask data frame of one row, whose column "state" is the state of all rows.

    Args:
        frame: The Dask data frame. Only the columns that are needed are read.
        states: How a partition becomes a state.
        split_every: How many states a task merges.
    """

    def of(partition: pd.DataFrame) -> pd.DataFrame:
        return pd.DataFrame({_STATE: [states.of(partition)]}, dtype=object)

    def merged(parts: pd.DataFrame) -> pd.DataFrame:
        return pd.DataFrame({_STATE: [states.merged(parts[_STATE])]}, dtype=object)

    return frame[states.needed([*frame.columns])].reduction(
        of, aggregate=merged, combine=merged, meta={_STATE: object}, split_every=split_every
    )
