"""Rows: what one batch contributes to one state, one entry per sample.

Rows are a numeric array of shape (n, ...), a `Ragged` (a different number of entries per
sample) or a list of objects; or any of these as `KeyedRows`, with the slice of each row. The
functions here treat all of them in the same way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias

import numpy as np

from mmeval_like._states.keyed_rows import KeyedRows, KeyIndex, keys_of_array
from mmeval_like.arrays.accelerator import DeviceArray, fetch
from mmeval_like.arrays.checks import check_not_negative
from mmeval_like.arrays.rank_order import global_order

__all__ = [
    "Ragged",
    "Rows",
    "concatenate",
    "interleave",
    "rows_of_arrays",
    "rows_to_arrays",
    "take",
]


@dataclass(frozen=True, eq=False)
class Ragged:
    """Arrays of different length, one per sample, concatenated.

    Attributes:
        values: Shape (total, ...): all entries, sample after sample.
        lengths: Shape (n,), int64: how many entries each sample has; they add up to total.

    Example:
        >>> import numpy as np
        >>> ragged = Ragged.from_arrays([np.array([1, 2]), np.array([], int), np.array([3])])
        >>> ragged.values.tolist(), ragged.lengths.tolist()
        ([1, 2, 3], [2, 0, 1])
        >>> [part.tolist() for part in ragged.split()]
        [[1, 2], [], [3]]
    """

    values: np.ndarray
    lengths: np.ndarray

    def __post_init__(self) -> None:
        if self.lengths.dtype != np.int64 or self.lengths.ndim != 1:
            raise ValueError(
                f"lengths must be a 1-D int64 array, got {self.lengths.dtype} "
                f"of shape {self.lengths.shape}"
            )
        check_not_negative("lengths", self.lengths)
        if self.lengths.sum() != len(self.values):
            raise ValueError(
                f"lengths must add up to the {len(self.values)} values, "
                f"they add up to {self.lengths.sum()}"
            )

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def nbytes(self) -> int:
        """The memory of both arrays, in bytes."""
        return self.values.nbytes + self.lengths.nbytes

    @classmethod
    def from_arrays(cls, arrays: Sequence[np.ndarray]) -> Ragged:
        """Concatenate arrays that agree in all axes except the first (a copy)."""
        lengths = np.array([len(array) for array in arrays], dtype=np.int64)
        values = np.concatenate(arrays) if len(arrays) else np.empty(0)
        return cls(values, lengths)

    def split(self) -> list[np.ndarray]:
        """Return one array per sample: views of `values`."""
        ends = np.cumsum(self.lengths).tolist()  # np.split takes four times as long
        return [self.values[start:stop] for start, stop in zip([0, *ends], ends, strict=False)]

    def with_values(self, values: np.ndarray) -> Ragged:
        """Return a `Ragged` of other values with the same lengths.

        Raises:
            ValueError: The number of values differs.
        """
        if len(values) != len(self.values):
            raise ValueError(f"values must be {len(self.values)}, as before, got {len(values)}")
        return _unchecked(values, self.lengths)

    def copy(self) -> Ragged:
        """Return an equal object that shares no memory with this one."""
        return _unchecked(self.values.copy(), self.lengths.copy())


def _unchecked(values: np.ndarray, lengths: np.ndarray) -> Ragged:
    """Return a `Ragged` without checking the lengths, which takes longer than copying them."""
    made = object.__new__(Ragged)
    vars(made).update(values=values, lengths=lengths)
    return made


Rows: TypeAlias = "np.ndarray | Ragged | KeyedRows | list[Any]"


def take(rows: Rows, which: slice | np.ndarray) -> Rows:
    """Return the rows at an index array, in its order, or at a slice of step 1.

    Example:
        >>> ragged = Ragged.from_arrays([np.array([1, 2]), np.array([3])])
        >>> take(ragged, np.array([1, 0])).values.tolist(), take(["a", "b"], slice(1, 2))
        ([3, 1, 2], ['b'])
    """
    if isinstance(which, slice) and not which.start and (which.stop or 0) >= len(rows):
        return rows
    if isinstance(rows, np.ndarray | DeviceArray):
        return rows[which]
    if isinstance(rows, KeyedRows):
        return KeyedRows(rows.cells, rows.codes[which], take(rows.rows, which))
    if isinstance(rows, list):
        return rows[which] if isinstance(which, slice) else [rows[i] for i in which.tolist()]
    ends = np.cumsum(rows.lengths)
    starts = ends - rows.lengths
    lengths = rows.lengths[which]
    if isinstance(which, slice):
        first = int(starts[which][0]) if len(lengths) else 0
        return _unchecked(rows.values[first : first + int(lengths.sum())], lengths)
    # Entry j of the output comes from its sample's start plus its place within the sample.
    within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return _unchecked(rows.values[np.repeat(starts[which], lengths) + within], lengths)


def concatenate(parts: Sequence[Rows]) -> Rows:
    """Concatenate at least one part; dense and ragged parts of one state may be mixed.

    Example:
        >>> ragged = Ragged.from_arrays([np.array([1, 2]), np.array([3])])
        >>> joined = concatenate([ragged, np.array([[4, 5]])])
        >>> joined.values.tolist(), joined.lengths.tolist()
        ([1, 2, 3, 4, 5], [2, 1, 2])
    """
    if len(parts) == 1:
        return parts[0]
    kinds = set(map(type, parts))
    if kinds == {KeyedRows}:
        return _concatenate_tagged(parts)  # type: ignore[arg-type]
    if kinds == {list}:
        return list(chain.from_iterable(parts))  # type: ignore[arg-type]
    if kinds <= {np.ndarray, DeviceArray}:
        try:
            return np.concatenate(parts)  # type: ignore[arg-type]
        except (ValueError, RuntimeError):  # parts differ in the number of entries per sample
            parts = [fetch(part) for part in parts]
    entry = next((part.values.ndim for part in parts if isinstance(part, Ragged)), 1)
    ragged = [part if isinstance(part, Ragged) else _as_ragged(part, entry) for part in parts]
    filled = [part.values for part in ragged if len(part.values)] or [ragged[0].values]
    return _unchecked(np.concatenate(filled), np.concatenate([part.lengths for part in ragged]))


def interleave(parts: Sequence[Rows]) -> Rows:
    """Join parts by taking one row of each in turn, skipping parts that have run out.

    Args:
        parts: At least one part.

    Example:
        >>> interleave([["a", "d", "f"], ["b"], ["c", "e"]])
        ['a', 'b', 'c', 'd', 'e', 'f']
    """
    if len(parts) == 1:
        return parts[0]
    counts = list(map(len, parts))
    turns, ranks = min(counts), len(parts)
    lists = all(isinstance(part, list) for part in parts)
    joined: Any = [None] * sum(counts) if lists else concatenate(parts)
    if isinstance(joined, Ragged | KeyedRows) or max(counts) > turns + 1:
        order = global_order(counts, "unzip")
        joined = concatenate(parts)
        return joined if order is None else take(joined, order)
    # The usual parts from samplers differ by one row at most. Slices cost little per row.
    for rank, part in enumerate(parts):
        joined[rank : turns * ranks : ranks] = take(part, slice(0, turns))
    rest = [take(part, slice(turns, None)) for part in parts if len(part) > turns]
    if rest:
        joined[turns * ranks :] = concatenate(rest)
    whole: Rows = joined
    return whole


def _concatenate_tagged(parts: Sequence[KeyedRows]) -> KeyedRows:
    cells, codes = parts[0].cells, []
    for part in parts:
        if part.cells is cells:
            codes.append(part.codes)
        else:  # from another rank, or from a file
            cells = KeyIndex(cells.keys) if cells is parts[0].cells else cells
            codes.append(cells.numbers(part.cells.keys)[part.codes])
    return KeyedRows(cells, np.concatenate(codes), concatenate([part.rows for part in parts]))


def _as_ragged(rows: Any, entry: int) -> Ragged:
    if rows.ndim == entry:  # one entry per sample
        return Ragged(rows, np.ones(len(rows), np.int64))
    lengths = np.full(len(rows), rows.shape[1], np.int64)
    return Ragged(rows.reshape(-1, *rows.shape[2:]), lengths)


def rows_to_arrays(rows: Rows) -> dict[str, Any]:
    """Return rows as arrays by name; objects as a list."""
    if isinstance(rows, KeyedRows):
        return rows.to_arrays() | rows_to_arrays(rows.rows)
    if isinstance(rows, Ragged):
        return {"values": rows.values, "lengths": rows.lengths}
    return {"list" if isinstance(rows, list) else "rows": rows}


def rows_of_arrays(found: Mapping[str, Any]) -> Rows:
    """Return the rows from the arrays of `rows_to_arrays`; other names are ignored.

    Raises:
        KeyError, ValueError: `rows_to_arrays` did not return these arrays.
    """
    if "codes" in found and "keys" in found:
        cells = KeyIndex(keys_of_array(found["keys"]))
        codes = found["codes"]
        if codes.dtype != np.int64 or codes.ndim != 1:
            raise ValueError("the slices of rows must be int64, one for each row")
        if len(codes) and not 0 <= codes.min() <= codes.max() < len(cells.keys):
            raise ValueError("every row must have one of the keys")
        inner = {name: v for name, v in found.items() if name not in ("codes", "keys")}
        return KeyedRows(cells, codes, rows_of_arrays(inner))
    if "lengths" in found:
        return Ragged(found["values"], found["lengths"])
    rows: Rows = found["list"] if "list" in found else found["rows"]
    return rows
