"""Conversion of Arrow columns to arrays and lists."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

__all__ = ["first_null", "from_arrow", "numbered", "whole"]


def whole(column: Any) -> Any:
    """Return a column in one piece.

    Arrow cannot combine an empty piece whose offset is not 0, after it went through the protocol of
    Arrow: such a piece is what remains of a table from which no row was taken.
    """
    if not isinstance(column, pa.ChunkedArray):
        return column
    pieces = [piece for piece in column.chunks if len(piece)]
    return pa.chunked_array(pieces, column.type).combine_chunks()


def first_null(column: Any) -> int | None:
    """Return the index of the first entry that is null, or a list with a null; or None."""
    column = whole(column)
    if column.null_count:
        return int(np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))[0])
    inner = first_null(column.flatten()) if _is_list(column.type) else None
    if inner is None:
        return None
    return int(np.searchsorted(np.cumsum(_lengths(column)), inner, side="right"))


def from_arrow(column: Any) -> Any:
    """Return a column without nulls: an array of numbers, or a list.

    Lists of numbers become a two-dimensional array if they have equal lengths, otherwise a list of
    arrays; strings and structures become Python objects. Decimals are what `numbered` returns.
    """
    column = numbered(whole(column))
    kind = column.type
    if pa.types.is_boolean(kind):
        return _numbers(column.cast(pa.uint8())).view(bool)
    if _is_number(kind):
        return _numbers(column)
    if _is_list(kind) and _is_number(kind.value_type):
        values, lengths = _numbers(column.flatten()), _lengths(column)
        if len(lengths) and (lengths == lengths[0]).all():
            return values.reshape(len(lengths), int(lengths[0]))
        return np.split(values, np.cumsum(lengths)[:-1]) if len(lengths) else []
    return column.to_pylist()


def numbered(column: Any) -> Any:
    """Return a column with floats instead of decimals, and with integers if none has a fraction.

    A decimal is rounded once, as if it were read from a file of text.

    Example:
        >>> from decimal import Decimal
        >>> numbered(pa.array([Decimal("0.10"), None])).to_pylist()
        [0.1, None]
        >>> numbered(pa.array([[Decimal("7")]])).to_pylist(), numbered(pa.array(["a"])).to_pylist()
        ([[7]], ['a'])
    """
    kind = column.type.value_type if _is_list(column.type) else column.type
    if not pa.types.is_decimal(kind):
        return column
    if kind.scale <= 0:
        try:
            return column.cast(_with_values(column.type, pa.int64()))
        except pa.ArrowInvalid:  # beyond 64 bits
            pass
    # Arrow's own conversion to floats rounds more than once.
    for step in (pa.string(), pa.float64()):
        column = column.cast(_with_values(column.type, step))
    return column


def _with_values(kind: Any, inner: Any) -> Any:
    """Return the type of a list of values of another type; the other type if it is no list."""
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(inner, kind.list_size)
    if pa.types.is_large_list(kind):
        return pa.large_list(inner)
    return pa.list_(inner) if pa.types.is_list(kind) else inner


def _lengths(column: Any) -> np.ndarray:
    if pa.types.is_fixed_size_list(column.type):
        return np.full(len(column), column.type.list_size)
    return _numbers(column.value_lengths())


def _numbers(column: Any) -> np.ndarray:
    """Return numbers as they lie in memory, read-only; `to_numpy` would first import pandas."""
    signed = "i" if pa.types.is_signed_integer(column.type) else "u"
    letter = "f" if pa.types.is_floating(column.type) else signed
    kind, count = np.dtype(f"{letter}{column.type.bit_width // 8}"), len(column)
    if not count:
        return np.empty(0, kind)
    values = np.frombuffer(column.buffers()[1], kind, count, column.offset * kind.itemsize)
    values.flags.writeable = False
    return values


def _is_list(kind: Any) -> bool:
    return any(
        (pa.types.is_list(kind), pa.types.is_large_list(kind), pa.types.is_fixed_size_list(kind))
    )


def _is_number(kind: Any) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))
