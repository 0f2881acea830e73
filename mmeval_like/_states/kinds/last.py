"""The last n of all rows, in global order."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np

from mmeval_like._states.kinds.abstract import State, the_array
from mmeval_like._states.kinds.ordered import Cat
from mmeval_like._states.rows import Rows, concatenate, rows_of_arrays, rows_to_arrays, take

__all__ = ["Last", "LastOf"]

_Folded = tuple[Rows, int]  # the last rows, and the number of all rows


class Last(State):
    counts_last = True

    def __init__(self, n: int, dtype: Any, shape: tuple[int, ...]) -> None:
        self._set(n, Cat(dtype, shape))

    def _set(self, n: int, rows: State) -> None:
        self.n, self.rows = operator.index(n), rows
        if self.n < 1:
            raise ValueError(f"n must be at least 1, got {n}")

    def __repr__(self) -> str:
        return f"last({self.n}, {self.rows!r})"

    def check(self, name: str, rows: Any) -> Rows:
        return self.rows.check(name, rows)

    def blank(self, count: int) -> Rows:
        return self.rows.blank(count)

    def unscored(self, rows: Any) -> np.ndarray | None:
        return self.rows.unscored(rows)

    def absent(self, rows: Any, count: int) -> Any:
        return self.rows.absent(rows, count)

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
        # Row i of every rank comes before row i + 1 of any rank.
        places = [np.arange(number - len(rows), number) for rows, number in values]
        order = np.argsort(np.concatenate(places), kind="stable")
        joined = [rows for rows, _ in values if len(rows)]
        return self._cut(joined, order), sum(number for _, number in values)

    def _cut(self, pieces: list[Rows], order: np.ndarray | None) -> Rows:
        if not pieces:
            return self.empty()[0]
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


class LastOf(Last):
    """The last rows of another state, in global order; that state folds them into the value.

    Args:
        n: The number of rows.
        rows: The other state. Its rows are arrays or `Ragged`.
    """

    def __init__(self, n: int, rows: State) -> None:
        self._set(n, rows)

    def empty(self) -> _Folded:
        return np.empty(0), 0

    def value(self, folded: _Folded) -> Any:
        rows = folded[0].copy()
        if self.rows.ordered:
            return rows if len(rows) else self.rows.empty()
        return self.rows.fold(self.rows.empty(), rows) if len(rows) else self.rows.empty()

    def from_arrays(self, found: Mapping[str, np.ndarray]) -> _Folded:
        none = int(the_array(found, "number", np.int64, ())) == 0
        return self.empty() if none else super().from_arrays(found)
