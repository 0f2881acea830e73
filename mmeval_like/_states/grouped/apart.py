"""A table for any state: the folded value of each key is a separate object."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from mmeval_like._states.grouped.key_table import Table
from mmeval_like._states.rows import take

__all__ = ["ApartTable", "by_code"]


class ApartTable(Table):
    """One folded value for each key, for any kind of state."""

    def __init__(self, inner: Any, keys: int = 0) -> None:
        super().__init__(inner, keys)
        self._values = [inner.empty() for _ in range(keys)]

    def fold(self, codes: np.ndarray, rows: Any, keys: int) -> None:
        self._values += [self.inner.empty() for _ in range(keys - self.keys)]
        self.keys = keys
        for code, which in by_code(codes):
            pieces = [take(rows, which)]
            self._values[code] = self.inner.fold_pieces(self._values[code], pieces)

    def regrouped(self, chosen: np.ndarray, places: np.ndarray, keys: int) -> ApartTable:
        found, inner = ApartTable(self.inner, keys), self.inner
        for key, place in zip(chosen.tolist(), places.tolist(), strict=True):
            value = inner.copy(self._values[key])
            found._values[place] = inner.merge(found._values[place], value)
        return found

    def plus(self, other: ApartTable) -> ApartTable:
        pairs = zip(self._values, other._values, strict=True)
        found = ApartTable(self.inner)
        found.keys = self.keys
        found._values = [self.inner.merge(mine, self.inner.copy(value)) for mine, value in pairs]
        return found

    def minus(self, other: ApartTable) -> ApartTable:
        found = ApartTable(self.inner, self.keys)
        pairs = zip(self._values, other._values, strict=True)
        found._values = [self.inner.subtract(mine, value) for mine, value in pairs]
        return found

    def one(self, key: int) -> Any:
        return self.inner.copy(self._values[key])

    def copy(self) -> ApartTable:
        found = ApartTable(self.inner)
        found.keys, found._values = self.keys, [*map(self.inner.copy, self._values)]
        return found

    def contents(self) -> list[bytes]:
        found = []
        for value in self._values:
            arrays = self.inner.to_arrays(value).values()
            found.append(b"".join(repr(a.shape).encode() + a.tobytes() for a in arrays))
        return found

    def to_arrays(self) -> dict[str, np.ndarray]:
        written = [self.inner.to_arrays(value) for value in self._values]
        found: dict[str, np.ndarray] = {}
        for name in written[0] if written else ():
            arrays = [each[name] for each in written]
            shapes = np.array([array.shape for array in arrays], np.int64)
            found[f"{name}.shapes"] = shapes.reshape(len(arrays), -1)
            flat = [np.ascontiguousarray(array).reshape(-1) for array in arrays]
            found[f"{name}.values"] = np.concatenate(flat)
        return found

    def set_arrays(self, found: Mapping[str, np.ndarray]) -> None:
        names = [name.removesuffix(".shapes") for name in found if name.endswith(".shapes")]
        columns = [_unstacked(name, found) for name in names]
        if any(len(column) != self.keys for column in columns):
            raise ValueError("every key must have one value")
        self._values = [
            self.inner.from_arrays({n: c[i] for n, c in zip(names, columns, strict=True)})
            for i in range(self.keys)
        ]

    def set_each(self, found: Mapping[str, np.ndarray]) -> None:
        self._values = [
            self.inner.from_arrays({name: array[key] for name, array in found.items()})
            for key in range(self.keys)
        ]


def by_code(codes: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """Yield every code that occurs, and its places; both are ascending."""
    if len(codes) == 0:
        return
    places = np.argsort(codes, kind="stable")
    ascending = codes[places]
    starts = np.flatnonzero(np.concatenate([[True], ascending[1:] != ascending[:-1]]))
    yield from zip(ascending[starts].tolist(), np.split(places, starts[1:]), strict=True)


def _unstacked(name: str, found: Mapping[str, np.ndarray]) -> Sequence[np.ndarray]:
    shapes = [tuple(shape) for shape in found[f"{name}.shapes"].tolist()]
    sizes = [int(np.prod(shape, dtype=np.int64)) for shape in shapes]
    if any(n < 0 for shape in shapes for n in shape):
        raise ValueError(f"the shapes of {name!r} must not be negative")
    values = found[f"{name}.values"]
    if sum(sizes) != len(values):
        raise ValueError(f"{name!r} has {len(values)} values instead of {sum(sizes)}")
    flat = np.split(values, np.cumsum(sizes)[:-1]) if sizes else []
    return [array.reshape(shape) for array, shape in zip(flat, shapes, strict=True)]
