"""The states that keep every row, in order."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mmeval_like import arrays
from mmeval_like._states.kinds.abstract import State, first_changed, plain
from mmeval_like._states.rows import Ragged, Rows, concatenate, take

__all__ = ["Cat", "Objects", "join"]


class _Ordered(State):
    """The base class of states that keep every row."""

    ordered = True
    separable = True

    def at(self, value: Any, places: np.ndarray) -> Any:
        chosen = take(value, places)
        return chosen.copy()  # `compute_metric` may change it in place


class Cat(_Ordered):
    """All rows, in global order: the class of `state.cat()`.

    Example:
        >>> rows = Cat(np.float64, ())
        >>> rows.check("losses", np.array([1, 2])).tolist()
        [1.0, 2.0]
    """

    block = 64 * 1024

    def __init__(self, dtype: Any, shape: tuple[int, ...]) -> None:
        self.dtype, self.shape = np.dtype(dtype), tuple(shape)

    def __repr__(self) -> str:
        return f"cat({self.dtype}, {self.shape})"

    def empty(self) -> np.ndarray:
        return np.empty((0, *self.shape), self.dtype)

    def blank(self, count: int) -> Rows:
        return np.zeros((count, *self.shape), self.dtype)

    def check(self, name: str, rows: Any) -> Rows:
        values = rows.values if isinstance(rows, Ragged) else rows
        kinds = "biufc" if self.dtype.kind == "c" else "biuf"
        if not isinstance(values, np.ndarray) or values.dtype.kind not in kinds:
            raise TypeError(
                f"the rows of state {name!r} must be an array, got {arrays.describe(rows)}"
            )
        if values.shape[1:] != self.shape or values.ndim == 0:
            raise ValueError(
                f"the rows of state {name!r} must have shape (n, *{self.shape}), got {values.shape}"
            )
        values = self._converted(name, plain(name, values))
        return rows.with_values(values) if isinstance(rows, Ragged) else values

    def _converted(self, name: str, values: np.ndarray) -> np.ndarray:
        if values.dtype == self.dtype:
            return values
        with np.errstate(invalid="ignore", over="ignore"):
            converted = values.astype(self.dtype)
        # Floats may be rounded to the declared precision; other conversions must be exact.
        rounded = values.dtype.kind in "fc" and self.dtype.kind in "fc"
        changed = None if rounded else first_changed(values, converted)
        if changed is not None:
            raise ValueError(
                f"the rows of state {name!r} must fit into {self.dtype}, "
                f"got {values.dtype} with {changed}"
            )
        return converted


class Objects(_Ordered):
    block = 64 * 1024

    def __repr__(self) -> str:
        return "objects()"

    def empty(self) -> list[Any]:
        return []

    def blank(self, count: int) -> Rows:
        return [None] * count

    def check(self, name: str, rows: Any) -> Rows:
        if not isinstance(rows, list | tuple):
            raise TypeError(f"the rows of state {name!r} must be a list, got {type(rows).__name__}")
        try:
            return [_own(entry) for entry in rows]
        except RecursionError:
            text = f"the rows of state {name!r} must not contain themselves, or be nested deeply"
            raise ValueError(text) from None

    def value(self, folded: list[Any]) -> list[Any]:
        return [_own(entry) for entry in folded]


def _own(entry: Any) -> Any:
    """Return an equal object with copies of its arrays, lists and dicts, at every depth."""
    kind = type(entry)
    if kind in _PLAIN:
        return entry
    if kind is np.ndarray:
        return entry.copy()
    if kind is list or kind is tuple:
        return kind(map(_own, entry))
    if kind is dict:
        return {key: _own(value) for key, value in entry.items()}
    torch = sys.modules.get("torch")
    return entry.detach().clone() if torch and isinstance(entry, torch.Tensor) else entry


_PLAIN = frozenset({str, int, float, bool, type(None), bytes})


def join(
    state: State, parts: list[Rows], method: Callable[[Sequence[Rows]], Rows] = concatenate
) -> Rows:
    """Join the rows of an ordered state; without rows, return its empty value."""
    filled = [part for part in parts if len(part)]
    return method(filled) if filled else state.empty()
