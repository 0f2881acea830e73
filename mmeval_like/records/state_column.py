"""A column of states of a table in Arrow, with the slices of the states."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from mmeval_like._states.key_columns import Tags, read_keys
from mmeval_like._states.keyed_rows import KeyIndex
from mmeval_like.tables.arrow_columns import dated, inner
from mmeval_like.tables.column_matching import known
from mmeval_like.tables.opened import opened

__all__ = ["cells_of"]


def cells_of(
    table: Any, state: str, columns: Sequence[str], between: Mapping[str, tuple[Any, Any]]
) -> Iterator[tuple[Tags, np.ndarray, np.ndarray, int]]:
    """Yield the states of a table, block by block.

    Args:
        table: The table, as `opened` takes it.
        state: The column of the states.
        columns: The columns of the slices.
        between: The first and the last value of columns, which decide what is read.

    Yields:
        The slice of each state; the bytes of the states, one after the other, uint8; where the
        first one begins, and where each ends, int64 (n + 1,); and the row of the first state.

    Raises:
        TypeError, ValueError: As for `rollup`.
    """
    source = opened(table)
    names = [state, *columns, *between]
    for name in names:
        known(name, source.names)
    row = 0
    if between:
        source = source.between(between)
    for block in source.blocks(names):
        cells = pa.table(block)
        for batch in cells.combine_chunks().to_batches():
            if batch.num_rows:
                yield _tags(batch, columns), *_bytes(inner(batch, state), state, row), row
                row += batch.num_rows


def _bytes(column: Any, name: str, row: int) -> tuple[np.ndarray, np.ndarray]:
    if column.null_count:
        place = int(np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))[0])
        raise ValueError(f"no state in row {row + place} of {name!r}")
    try:
        column = column.cast(pa.large_binary())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise TypeError(f"{name!r} must be a column of bytes, got {column.type}") from None
    _, ends, data = column.buffers()
    found = np.frombuffer(ends, np.int64)[column.offset : column.offset + len(column) + 1]
    return np.frombuffer(data or b"", np.uint8), found


def _tags(batch: Any, columns: Sequence[str]) -> Tags:
    """Return the slice of each state, () without columns; each distinct value is read once."""
    if not columns:
        return Tags(KeyIndex([()]), np.zeros(batch.num_rows, np.int64))
    joint, parts = np.zeros(batch.num_rows, np.int64), []
    for name in columns:
        column = inner(batch, name)
        if not pa.types.is_dictionary(column.type):
            column = column.dictionary_encode()
        values = dated(column.dictionary)
        codes = column.indices.cast(pa.int64()).fill_null(len(values)).to_numpy()
        _, joint = np.unique(joint * (len(values) + 1) + codes, return_inverse=True)
        parts.append((name, [*values.to_pylist(), None], codes))
    _, first = np.unique(joint, return_index=True)
    tags = read_keys(
        [(name, [values[code] for code in codes[first]]) for name, values, codes in parts], "by"
    )
    return Tags(tags.cells, tags.codes[joint])
