"""Subtraction of samples from a store."""

from __future__ import annotations

from typing import Any

import numpy as np

from mmeval_like._samples.parts import Part
from mmeval_like._samples.store import Store
from mmeval_like._states.kinds.abstract import State
from mmeval_like._states.kinds.folding import FloatSum, Hits, IntSum

__all__ = ["difference"]


def difference(store: Store, other: Part) -> tuple[int, dict[str, Any]]:
    """Return the count and the folded values of a store minus a part.

    Raises:
        TypeError: A state cannot be subtracted.
        ValueError: The rows have ids, or the store does not contain them.
    """
    if store.with_ids or other.ids is not None:
        raise ValueError("samples with ids= are kept one by one and cannot be subtracted")
    if store.count and other.count and other.clustered != store.clustered:
        raise ValueError("samples with clusters= cannot be subtracted from those without, or back")
    count = store.count - other.count
    if count < 0:
        raise ValueError(f"{other.count} samples cannot be subtracted from {store.count}")
    mine, left = store.part(0), {}
    for name, state in store.states.items():
        if state.ordered:
            raise TypeError(f"the rows of state {name!r} are kept, and cannot be subtracted")
        left[name] = state.subtract(mine.folded[name], other.folded[name])
        if not _possible(state, left[name], count):
            raise ValueError("only samples that were added before can be subtracted")
    return count, left


def _possible(state: State, folded: Any, count: int) -> bool:
    """Return whether `count` rows can have this value, as far as this can be checked."""
    if isinstance(state, Hits):
        hits = np.asarray(state.value(folded))
        return bool(((hits >= 0) & (hits <= count)).all())
    if count or not isinstance(state, IntSum | FloatSum):
        return True
    return not np.any(state.value(folded))
