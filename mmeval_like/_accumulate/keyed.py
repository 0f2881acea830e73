"""A state of every slice at once: what the rows of each key fold to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from mmeval_like._accumulate.keys import Key, order
from mmeval_like._accumulate.rows import take
from mmeval_like._accumulate.states.base import State
from mmeval_like._accumulate.states.folding import Extremum, GrowingCount
from mmeval_like._accumulate.states.tally import Tally
from mmeval_like._accumulate.tagged import Cells, Tagged, keys_of_array, keys_to_array
from mmeval_like.arrays.accelerator import DeviceArray, fetch, raise_faults

__all__ = ["Keyed", "by_code"]

Folded: TypeAlias = "dict[Key, Any]"  # the inner state's folded values

# Bytes of rows to wait for: each fold costs some microseconds for every key in its rows.
_BLOCK = 1 << 20


class Keyed(State):
    """A state whose rows are `Tagged`, folded for each key by itself.

    The value of all rows is the merged value of all keys: it is not kept beside them. Where the
    inner state depends on the order of its rows, these are kept, all of them, with their keys.

    Args:
        inner: The state of one slice.
    """

    block = _BLOCK

    def __init__(self, inner: State) -> None:
        self.inner = inner
        commutes = inner.additive or isinstance(inner, Extremum | GrowingCount | Tally)
        self.ordered = inner.ordered or not commutes

    def __repr__(self) -> str:
        return f"keyed({self.inner!r})"

    def check(self, name: str, rows: Any) -> Any:
        if len(rows) == 0 and len(rows.rows) == 0:
            return self._no_rows()
        checked: Any = self.inner.check(name, rows.rows)
        if len(checked) != len(rows):
            raise ValueError(
                f"by must have a value for each of the {len(checked)} samples, got {len(rows)}"
            )
        if type(checked) is DeviceArray:
            raise_faults(checked.checks)
        return Tagged(rows.cells, rows.codes, fetch(checked))

    def empty(self) -> Any:
        return self._no_rows() if self.ordered else {}

    def fold(self, folded: Folded, rows: Any) -> Folded:
        for code, which in by_code(rows.codes):
            key = rows.cells.keys[code]
            value = folded[key] if key in folded else self.inner.empty()
            folded[key] = self.inner.fold_pieces(value, [take(rows.rows, which)])
        return folded

    def merge(self, folded: Folded, other: Folded) -> Folded:
        for key, value in other.items():
            folded[key] = self.inner.merge(folded[key], value) if key in folded else value
        return folded

    def subtract(self, folded: Folded, other: Folded) -> Folded:
        left = self.copy(folded)
        for key, value in other.items():
            left[key] = self.inner.subtract(left.get(key, self.inner.empty()), value)
        return left

    def copy(self, folded: Folded) -> Folded:
        return {key: self.inner.copy(value) for key, value in folded.items()}

    def total(self, folded: Any, cells: Sequence[Key], which: np.ndarray | None) -> Any:
        """Return the inner state's folded value of several keys together, or its rows.

        Args:
            folded: The folded value of this state, or its rows; not changed.
            cells: The keys.
            which: The places of the rows with these keys, ascending; None: all rows.
        """
        if not self.ordered:
            whole = self.inner.empty()
            for key in cells:
                if key in folded:
                    whole = self.inner.merge(whole, self.inner.copy(folded[key]))
            return whole
        rows = folded.rows if which is None else take(folded.rows, which)
        if len(rows) == 0:
            return self.inner.empty()
        rows = rows.copy()  # `compute_metric` may change the rows in place
        return rows if self.inner.ordered else self.inner.fold(self.inner.empty(), rows)

    def to_arrays(self, folded: Folded) -> dict[str, np.ndarray]:
        keys = sorted(folded, key=order)
        found = {"keys": keys_to_array(keys)}
        written = [self.inner.to_arrays(folded[key]) for key in keys]
        for name in written[0] if written else ():
            found |= _stacked(name, [arrays[name] for arrays in written])
        return found

    def from_arrays(self, found: Mapping[str, np.ndarray]) -> Folded:
        keys = keys_of_array(found["keys"])
        names = [name.removesuffix(".shapes") for name in found if name.endswith(".shapes")]
        columns = [_unstacked(name, found) for name in names]
        if any(len(column) != len(keys) for column in columns) or len(set(keys)) < len(keys):
            raise ValueError("every key must have one value")
        return {
            key: self.inner.from_arrays({n: c[i] for n, c in zip(names, columns, strict=True)})
            for i, key in enumerate(keys)
        }

    def _no_rows(self) -> Tagged:
        return Tagged(
            Cells(), np.empty(0, np.int64), self.inner.empty() if self.inner.ordered else []
        )


def by_code(codes: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """Yield every code that occurs, and the places where it does, ascending."""
    if len(codes) == 0:
        return
    places = np.argsort(codes, kind="stable")
    ascending = codes[places]
    starts = np.flatnonzero(np.concatenate([[True], ascending[1:] != ascending[:-1]]))
    yield from zip(ascending[starts].tolist(), np.split(places, starts[1:]), strict=True)


def _stacked(name: str, arrays: Sequence[np.ndarray]) -> dict[str, np.ndarray]:
    """Return the arrays of all keys in one; of integers without what is zero in all of them."""
    shapes = np.array([array.shape for array in arrays], np.int64)
    found = {f"{name}.shapes": shapes.reshape(len(arrays), -1)}
    flat = [np.ascontiguousarray(array).reshape(-1) for array in arrays]
    if flat[0].dtype != np.int64 or len({len(array) for array in flat}) > 1:
        return found | {f"{name}.values": np.concatenate(flat)}
    block = np.stack(flat)
    filled = np.flatnonzero(block.any(axis=0))
    first, stop = (int(filled[0]), int(filled[-1]) + 1) if len(filled) else (0, 0)
    window = np.ascontiguousarray(block[:, first:stop])
    return found | {f"{name}.window": window, f"{name}.first": np.array([first])}


def _unstacked(name: str, found: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    shapes = [tuple(shape) for shape in found[f"{name}.shapes"].tolist()]
    sizes = [int(np.prod(shape, dtype=np.int64)) for shape in shapes]
    if any(n < 0 for shape in shapes for n in shape):
        raise ValueError(f"the shapes of {name!r} must not be negative")
    if f"{name}.window" not in found:
        values = found[f"{name}.values"]
        if sum(sizes) != len(values):
            raise ValueError(f"{name!r} has {len(values)} values instead of {sum(sizes)}")
        flat = np.split(values, np.cumsum(sizes)[:-1]) if sizes else []
        return [array.reshape(shape) for array, shape in zip(flat, shapes, strict=True)]
    window, [first] = found[f"{name}.window"], found[f"{name}.first"].tolist()
    arrays = []
    for row, shape, size in zip(window, shapes, sizes, strict=True):
        if not 0 <= first <= first + len(row) <= size:
            raise ValueError(f"the window of {name!r} does not fit into its shape")
        array = np.zeros(size, np.int64)
        array[first : first + len(row)] = row
        arrays.append(array.reshape(shape))
    return arrays
