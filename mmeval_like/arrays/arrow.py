"""Conversion of Arrow columns to arrays and lists."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

__all__ = ["first_null", "from_arrow"]


def first_null(column: Any) -> int | None:
    """Return the index of the first entry that is null, or a list with a null; or None."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if column.null_count:
        return int(np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))[0])
    inner = first_null(column.flatten()) if _is_list(column.type) else None
    if inner is None:
        return None
    return int(np.searchsorted(np.cumsum(_lengths(column)), inner, side="right"))


def from_arrow(column: Any) -> Any:
    """Return a column without nulls: an array of numbers, or a list.

    Lists of numbers become a two-dimensional array if they have equal lengths, otherwise a list of
    arrays; strings and structures become Python objects.
    """
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    kind = column.type
    if _is_number(kind) or pa.types.is_boolean(kind):
        return column.to_numpy(zero_copy_only=False)
    if _is_list(kind) and _is_number(kind.value_type):
        values, lengths = column.flatten().to_numpy(zero_copy_only=False), _lengths(column)
        if len(lengths) and (lengths == lengths[0]).all():
            return values.reshape(len(lengths), int(lengths[0]))
        return np.split(values, np.cumsum(lengths)[:-1]) if len(lengths) else []
    return column.to_pylist()


def _lengths(column: Any) -> np.ndarray:
    if pa.types.is_fixed_size_list(column.type):
        return np.full(len(column), column.type.list_size)
    lengths: np.ndarray = column.value_lengths().to_numpy(zero_copy_only=False)
    return lengths


def _is_list(kind: Any) -> bool:
    return any(
        (pa.types.is_list(kind), pa.types.is_large_list(kind), pa.types.is_fixed_size_list(kind))
    )


def _is_number(kind: Any) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))
