"""A part of samples without slices as a part of one slice."""

from __future__ import annotations

from typing import Any

import numpy as np

from mmeval_like._base.keys import Key
from mmeval_like._samples.parts import Part
from mmeval_like._samples.store import Store
from mmeval_like._states.clusters import tagged
from mmeval_like._states.key_columns import Tags
from mmeval_like._states.keyed import Folded, Keyed
from mmeval_like._states.keyed_rows import KeyedRows, KeyIndex
from mmeval_like._states.kinds.abstract import State

__all__ = ["in_slice"]


def in_slice(part: Part, store: Store, within: Store, key: Key) -> Part:
    """Return the samples of a part as samples of one slice.

    Args:
        part: The part, whose rows are folded unless they have ids.
        store: The store that the part is for.
        within: A store of the same states with slices.
        key: The values of the columns, which become the first entries of the keys.

    Raises:
        TypeError: A state keeps all rows of slices, but not those of its folded value.
    """
    states, sliced = (each.states_of(part.clustered) for each in (store, within))
    found = Part(part.count, {}, {}, part.tail_count, {}, part.ids, part.clustered)
    rows = {**part.tail, **part.ordered}
    for name, state in states.items():
        if not sliced[name].ordered and not part.tail_count:
            keyed: Any = sliced[name]
            found.folded[name] = _folded(state, part.folded[name], keyed, key)
        elif name not in rows:
            rows[name] = state.unfolded(part.folded[name], part.count)
    every = {name: _rows(some, key) for name, some in rows.items()}
    if sliced.keys() != states.keys():  # the numbers of samples of the slices
        ones = tagged({}, Tags(KeyIndex([key]), np.zeros(part.count, np.int64)))
        [(name, counted)] = ones.items()
        every[name] = counted
        if not part.tail_count:
            found.folded[name] = sliced[name].fold(sliced[name].empty(), every.pop(name))
    for name, some in every.items():
        if sliced[name].ordered:
            found.ordered[name] = some
        else:
            found.tail[name], found.folded[name] = some, sliced[name].empty()
    return found


def _folded(state: State, value: Any, keyed: Keyed, key: Key) -> Folded:
    if isinstance(value, Folded):
        keys = [(*key, *one) for one in value.cells.keys[: value.table.keys]]
        return Folded(KeyIndex(keys), value.table, value.seen)
    arrays = {name: array[None] for name, array in state.to_arrays(value).items()}
    return keyed.of_each(arrays, KeyIndex([key]), np.zeros(1, np.int64))


def _rows(rows: Any, key: Key) -> KeyedRows:
    if not isinstance(rows, KeyedRows):
        return KeyedRows(KeyIndex([key]), np.zeros(len(rows), np.int64), rows)
    return KeyedRows(KeyIndex([(*key, *one) for one in rows.cells.keys]), rows.codes, rows.rows)
