"""Arrow's columns as arrays and lists."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

__all__ = ["from_arrow"]


def from_arrow(column: Any) -> Any:
    """Return a column without nulls: an array of numbers, or a list.

    Lists of numbers become a two-dimensional array where they have one length, else a list of
    arrays; text and structures become Python objects.
    """
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
        return column.to_numpy(zero_copy_only=False)
    if pa.types.is_fixed_size_list(kind) and _is_number(kind.value_type):
        return column.flatten().to_numpy(zero_copy_only=False).reshape(len(column), -1)
    if (pa.types.is_list(kind) or pa.types.is_large_list(kind)) and _is_number(kind.value_type):
        values = column.flatten().to_numpy(zero_copy_only=False)
        lengths = column.value_lengths().to_numpy(zero_copy_only=False)
        if len(lengths) and (lengths == lengths[0]).all():
            return values.reshape(len(lengths), int(lengths[0]))
        return np.split(values, np.cumsum(lengths)[:-1])
    return column.to_pylist()


def _is_number(kind: Any) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))
