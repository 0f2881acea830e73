"""The last rows of all, in global order."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np

from mmeval_like._accumulate.rows import Rows, concatenate, rows_of_arrays, rows_to_arrays, take
from mmeval_like._accumulate.states.base import State, the_array
from mmeval_like._accumulate.states.ordered import Cat

__all__ = ["Last"]

_Folded = tuple[Rows, int]  # the last rows, and how many rows there were


class Last(State):
    def __init__(self, n: int, dtype: Any, shape: tuple[int, ...]) -> None:
        self.n = operator.index(n)
        if self.n < 1:
            raise ValueError(f"n must be at least 1, got {n}")
        self.rows = Cat(dtype, shape)

    def __repr__(self) -> str:
        return f"last({self.n}, {self.rows.dtype}, {self.rows.shape})"

    def check(self, name: str, rows: Any) -> Rows:
        return self.rows.check(name, rows)

    def empty(self) -> _Folded:
        return self.rows.empty(), 0

    def fold(self, folded: _Folded, rows: Rows) -> _Folded:
        return self.merge(folded, (rows, len(rows)))

    def merge(self, folded: _Folded, other: _Folded) -> _Folded:
        joined = [rows for rows, _ in (folded, other) if len(rows)]
        return self._cut(joined, None), folded[1] + other[1]

    def merge_ranks(self, values: Sequence[_Folded], mode: str) -> _Folded:
        if mode == "cat":
            return reduce(self.merge, values)
        # Row i of every rank comes before row i + 1 of any.
        places = [np.arange(number - len(rows), number) for rows, number in values]
        order = np.argsort(np.concatenate(places), kind="stable")
        joined = [rows for rows, _ in values if len(rows)]
        return self._cut(joined, order), sum(number for _, number in values)

    def _cut(self, pieces: list[Rows], order: np.ndarray | None) -> Rows:
        if not pieces:
            return self.rows.empty()
        rows = concatenate(pieces)
        if order is not None:
            rows = take(rows, order)
        # A copy, since a view would keep the memory of all earlier rows alive.
        kept: Rows = take(rows, slice(max(0, len(rows) - self.n), len(rows))).copy()
        return kept

    def value(self, folded: _Folded) -> Rows:
        return folded[0].copy()

    def to_arrays(self, folded: _Folded) -> dict[str, np.ndarray]:
        return rows_to_arrays(folded[0]) | {"number": np.array(folded[1])}

    def from_arrays(self, found: Mapping[str, np.ndarray]) -> _Folded:
        number = int(the_array(found, "number", np.int64, ()))
        rows = self.check("last", rows_of_arrays(found))
        if len(rows) != min(number, self.n):
            raise ValueError(f"{len(rows)} rows instead of the last {self.n} of {number}")
        return rows, number
