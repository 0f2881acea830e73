"""Lists of similar objects as columns: a million floats are one array, not a million pickles."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, starmap
from typing import Any

import numpy as np

__all__ = ["pack_list", "unpack_list"]

_NUMBERS = {bool: np.bool_, int: np.int64, float: np.float64, complex: np.complex128}
_DEPTH = 8  # how deeply lists are searched; a list may contain itself
_FIELDS = 64  # sequences of equal length, up to this length, get a column for each entry


@dataclass(frozen=True)
class _Numbers:
    """Python numbers of one type."""

    values: np.ndarray

    def unpack(self) -> list[Any]:
        numbers: list[Any] = self.values.tolist()
        return numbers


@dataclass(frozen=True)
class _Nones:
    """A list of None only."""

    count: int

    def unpack(self) -> list[Any]:
        return [None] * self.count


@dataclass(frozen=True)
class _Scalars:
    """numpy scalars of one dtype."""

    values: np.ndarray

    def unpack(self) -> list[Any]:
        return list(self.values)


@dataclass(frozen=True)
class _Stacked:
    """Arrays or tensors of the same library, dtype and shape."""

    values: Any

    def unpack(self) -> list[Any]:
        if self.values.ndim > 1 or not isinstance(self.values, np.ndarray):
            return list(self.values)
        return [value.reshape(()) for value in self.values[:, None]]


@dataclass(frozen=True)
class _Joined:
    """Arrays or tensors of the same library and dtype, with any shapes, end to end."""

    values: Any
    shapes: Any  # a column of the shapes, which are tuples

    def unpack(self) -> list[Any]:
        shapes = unpack_list(self.shapes)
        ends = np.cumsum([int(np.prod(shape, dtype=np.int64)) for shape in shapes]).tolist()
        pieces = zip([0, *ends], ends, shapes, strict=False)
        return [self.values[start:end].reshape(shape) for start, end, shape in pieces]


@dataclass(frozen=True)
class _Records:
    """Tuples, lists or dicts of equal length (and equal keys), as one column for each field."""

    kind: type
    keys: tuple[Any, ...] | None
    fields: list[Any]

    def unpack(self) -> list[Any]:
        rows = zip(*map(unpack_list, self.fields), strict=True)
        if self.keys is not None:
            return [dict(zip(self.keys, row, strict=True)) for row in rows]
        return list(rows) if self.kind is tuple else list(map(self.kind, rows))


@dataclass(frozen=True)
class _Nested:
    """Tuples or lists of any lengths, as one column of all entries, end to end."""

    kind: type
    entries: Any
    lengths: np.ndarray

    def unpack(self) -> list[Any]:
        entries = unpack_list(self.entries)
        ends = np.cumsum(self.lengths).tolist()
        pieces = starmap(slice, zip([0, *ends], ends, strict=False))
        rows = map(entries.__getitem__, pieces)
        return list(rows) if self.kind is list else list(map(self.kind, rows))


def pack_list(values: Sequence[Any], depth: int = 0) -> Any:
    """Return an equivalent of the list whose pickle is small and fast.

    Lists whose elements all have the same type become arrays: numbers, numpy scalars and arrays,
    torch tensors; tuples and lists of these, and dicts of the same keys, become columns of
    their entries. Anything else is returned as a plain list.

    Args:
        values: Any objects.
        depth: The number of sequences in which these are nested.

    Example:
        >>> packed = pack_list([(1, 0.5), (2, 1.5)])
        >>> unpack_list(packed)
        [(1, 0.5), (2, 1.5)]
    """
    types = set(map(type, values))
    packed: Any = None
    if len(types) == 1 and depth < _DEPTH:
        (kind,) = types
        if kind in _NUMBERS:
            packed = _pack_numbers(values, kind)
        elif kind is type(None):
            packed = _Nones(len(values))
        elif issubclass(kind, np.generic):
            dtypes = {value.dtype for value in values}
            packed = _Scalars(np.array(values)) if _is_plain(dtypes) else None
        elif len(set(map(id, values))) < len(values):
            pass  # pickle sends an object that occurs several times only once
        elif kind is np.ndarray:
            packed = _pack_arrays(values, np)
        elif (kind.__module__, kind.__name__) == ("torch", "Tensor"):
            packed = _pack_arrays(values, sys.modules["torch"])
        elif kind in (tuple, list):
            packed = _pack_sequences(values, kind, depth + 1)
        elif kind is dict:
            packed = _pack_dicts(values, depth + 1)
    return list(values) if packed is None else packed


def unpack_list(packed: Any) -> list[Any]:
    """Return the list that `pack_list` packed, with the same element types."""
    unpacked: list[Any] = packed if isinstance(packed, list) else packed.unpack()
    return unpacked


def _pack_numbers(values: Sequence[Any], kind: type) -> _Numbers | None:
    try:
        numbers: np.ndarray = np.array(values, dtype=_NUMBERS[kind])
    except OverflowError:  # an integer beyond int64
        return None
    if kind is int:
        bits = max(int(numbers.max()), -1 - int(numbers.min())).bit_length()
        numbers = numbers.astype(f"i{1 if bits < 8 else 2 if bits < 16 else 4 if bits < 32 else 8}")
    return _Numbers(numbers)


def _pack_arrays(values: Sequence[Any], library: Any) -> _Stacked | _Joined | None:
    if library is np:
        sound = _is_plain({value.dtype for value in values})
        stack, join = np.stack, np.concatenate
    else:
        kinds = {(value.dtype, value.layout, value.device) for value in values}
        sound = len(kinds) == 1 and values[0].layout is library.strided
        sound = sound and not values[0].is_quantized
        stack, join = library.stack, library.cat
        values = [value.detach() for value in values] if sound else values
    if not sound:
        return None
    if len({value.shape for value in values}) == 1:
        return _Stacked(stack(values))
    shapes = pack_list([tuple(value.shape) for value in values])
    return _Joined(join([value.reshape(-1) for value in values]), shapes)


def _is_plain(dtypes: set[np.dtype]) -> bool:
    (dtype, *others) = dtypes
    return not others and dtype.kind in "?biufc" and dtype.isnative


def _pack_sequences(values: Sequence[Any], kind: type, depth: int) -> _Records | _Nested:
    lengths = np.fromiter(map(len, values), np.int64, len(values))
    if 0 < lengths[0] <= _FIELDS and (lengths == lengths[0]).all():
        fields = [pack_list(field, depth) for field in zip(*values, strict=True)]
        return _Records(kind, None, fields)
    return _Nested(kind, pack_list(list(chain.from_iterable(values)), depth), lengths)


def _pack_dicts(values: Sequence[dict[Any, Any]], depth: int) -> _Records | None:
    keys = tuple(values[0])
    if not keys or any(tuple(value) != keys for value in values):
        return None
    columns = zip(*(value.values() for value in values), strict=True)
    return _Records(dict, keys, [pack_list(column, depth) for column in columns])
