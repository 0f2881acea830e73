"""The states that keep every row, in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mmeval_like import arrays
from mmeval_like._state_base import State
from mmeval_like.rows import Ragged, Rows, concatenate

__all__ = ["Cat", "Objects", "join"]


class Cat(State):
    ordered = True
    block = 64 * 1024

    def __init__(self, dtype: Any, shape: tuple[int, ...]) -> None:
        self.dtype, self.shape = np.dtype(dtype), tuple(shape)

    def __repr__(self) -> str:
        return f"cat({self.dtype}, {self.shape})"

    def empty(self) -> np.ndarray:
        return np.empty((0, *self.shape), self.dtype)

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
        values = self._converted(name, values)
        return Ragged(values, rows.lengths) if isinstance(rows, Ragged) else values

    def _converted(self, name: str, values: np.ndarray) -> np.ndarray:
        if values.dtype == self.dtype:
            return values
        with np.errstate(invalid="ignore", over="ignore"):
            converted = values.astype(self.dtype)
        # Floats may be rounded to the declared precision; whole numbers may not be cut off.
        rounded = values.dtype.kind in "fc" and self.dtype.kind in "fc"
        if not rounded and not np.array_equal(converted, values):
            raise ValueError(
                f"the rows of state {name!r} must fit into {self.dtype}, got {values.dtype}"
            )
        return converted


class Objects(State):
    ordered = True
    block = 64 * 1024

    def __repr__(self) -> str:
        return "objects()"

    def empty(self) -> list[Any]:
        return []

    def check(self, name: str, rows: Any) -> Rows:
        if not isinstance(rows, list | tuple):
            raise TypeError(f"the rows of state {name!r} must be a list, got {type(rows).__name__}")
        return list(rows)


def join(
    state: State, parts: list[Rows], method: Callable[[Sequence[Rows]], Rows] = concatenate
) -> Rows:
    """Return the rows of an ordered state in one piece, also when there are none."""
    filled = [part for part in parts if len(part)]
    return method(filled) if filled else state.empty()
