"""Lists of like objects as columns: a million floats are one array, not a million pickles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["pack_list", "unpack_list"]

_PYTHON_NUMBERS = {bool: np.bool_, int: np.int64, float: np.float64, complex: np.complex128}


@dataclass(frozen=True)
class _Numbers:
    """Python numbers of one type."""

    values: np.ndarray

    def unpack(self) -> list[Any]:
        return self.values.tolist()


@dataclass(frozen=True)
class _Scalars:
    """numpy scalars of one dtype."""

    values: np.ndarray

    def unpack(self) -> list[Any]:
        return list(self.values)


@dataclass(frozen=True)
class _Arrays:
    """numpy arrays of one dtype, of any shapes."""

    values: np.ndarray
    shapes: list[tuple[int, ...]] | tuple[int, ...]  # one shape when all are equal

    def unpack(self) -> list[Any]:
        if isinstance(self.shapes, tuple):
            return list(self.values)
        sizes = np.array([int(np.prod(shape)) for shape in self.shapes])
        pieces = np.split(self.values, np.cumsum(sizes)[:-1])
        return [piece.reshape(shape) for piece, shape in zip(pieces, self.shapes, strict=True)]


@dataclass(frozen=True)
class _Records:
    """Tuples, lists or dicts of one length (and keys): one column per field."""

    kind: type
    keys: tuple[Any, ...] | None
    fields: list[Any]
    count: int

    def unpack(self) -> list[Any]:
        if not self.fields:
            return [self.kind() for _ in range(self.count)]
        rows = zip(*(unpack_list(field) for field in self.fields), strict=True)
        if self.keys is None:
            return [self.kind(row) for row in rows]
        keys = self.keys
        return [dict(zip(keys, row, strict=True)) for row in rows]


def pack_list(values: Sequence[Any]) -> Any:
    """Return an equivalent of the list that pickles small and fast.

    Lists whose elements all have the same type become arrays; tuples, lists and dicts of one
    length become one column per field. Anything else is returned as a plain list.

    Example:
        >>> packed = pack_list([(1, 0.5), (2, 1.5)])
        >>> unpack_list(packed)
        [(1, 0.5), (2, 1.5)]
    """
    types = set(map(type, values))
    if len(types) != 1:
        return list(values)
    (kind,) = types
    if kind in _PYTHON_NUMBERS:
        try:
            return _Numbers(np.array(values, dtype=_PYTHON_NUMBERS[kind]))
        except OverflowError:  # an integer beyond int64
            return list(values)
    if issubclass(kind, np.generic):
        dtypes = {value.dtype for value in values}
        if len(dtypes) == 1 and next(iter(dtypes)).kind in "?biufc":
            return _Scalars(np.array(values))
    elif kind is np.ndarray:
        return _pack_arrays(values)
    elif kind in (tuple, list, dict) and len({len(value) for value in values}) == 1:
        return _pack_records(kind, values)
    return list(values)


def unpack_list(packed: Any) -> list[Any]:
    """Return the list that `pack_list` was given, element types included."""
    return packed if isinstance(packed, list) else packed.unpack()


def _pack_arrays(values: Sequence[np.ndarray]) -> Any:
    dtypes = {value.dtype for value in values}
    if len(dtypes) != 1 or next(iter(dtypes)).kind not in "?biufc":
        return list(values)
    shapes = {value.shape for value in values}
    if len(shapes) == 1 and (shape := next(iter(shapes))) != ():
        return _Arrays(np.stack(values), shape)
    flat = np.concatenate([value.reshape(-1) for value in values])
    return _Arrays(flat, [value.shape for value in values])


def _pack_records(kind: type, values: Sequence[Any]) -> Any:
    keys = None
    if kind is dict:
        keys = tuple(values[0])
        if any(tuple(value) != keys for value in values):
            return list(values)
        values = [tuple(value.values()) for value in values]
    fields = [pack_list(column) for column in zip(*values, strict=True)]
    return _Records(kind, keys, fields, len(values))
