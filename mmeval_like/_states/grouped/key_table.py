"""Table: the folded values of one state for many keys, which are numbered from 0."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np

__all__ = ["Table", "add_up", "roomy"]

Self = TypeVar("Self", bound="Table")


class Table:
    """The folded value of each key.

    Args:
        inner: The state of one key.
        keys: The number of keys.

    Attributes:
        keys: The number of keys.
    """

    def __init__(self, inner: Any, keys: int = 0) -> None:
        self.inner: Any = inner
        self.keys = keys

    def fold(self, codes: np.ndarray, rows: Any, keys: int) -> None:
        """Add rows, in place.

        Args:
            codes: The key of each row, int64 of shape (n,).
            rows: The rows, as the inner state has checked them.
            keys: The number of keys from now on; never smaller than before.
        """
        raise NotImplementedError

    def regrouped(self: Self, chosen: np.ndarray, places: np.ndarray, keys: int) -> Self:
        """Return a table of other keys.

        Args:
            chosen: The keys of this table to take over, int64 of shape (m,), each once.
            places: The new key of each; keys with the same new key are merged.
            keys: The number of keys of the new table.
        """
        raise NotImplementedError

    def plus(self: Self, other: Self) -> Self:
        """Return both tables, which have the same number of keys, merged key by key."""
        raise NotImplementedError

    def minus(self: Self, other: Self) -> Self:
        """Return this table minus another one, key by key; see `State.subtract`."""
        raise NotImplementedError

    def one(self, key: int) -> Any:
        """Return the inner state's folded value of a key, which may be changed."""
        raise NotImplementedError

    def contents(self) -> list[bytes]:
        """Return bytes for each key, equal for equal folded values."""
        raise NotImplementedError

    def to_arrays(self) -> dict[str, np.ndarray]:
        """Return the table as numeric arrays by name."""
        raise NotImplementedError

    def set_arrays(self, found: Any) -> None:
        """Replace the content by such arrays, which have the same number of keys.

        Raises:
            KeyError, ValueError: Such a table cannot have written the arrays.
        """
        raise NotImplementedError

    def set_each(self, found: Mapping[str, np.ndarray]) -> None:
        """Replace the content by the arrays of a folded value for each key.

        Args:
            found: The arrays that the inner state's `to_arrays` returns, each with the keys on one
                more axis, the first.
        """
        raise NotImplementedError

    def copy(self: Self) -> Self:
        """Return an independent copy."""
        raise NotImplementedError

    def total(self, chosen: np.ndarray) -> Any:
        """Return the inner state's folded value of several keys together."""
        return self.regrouped(chosen, np.zeros(len(chosen), np.int64), 1).one(0)


def add_up(
    rows: np.ndarray, places: np.ndarray, size: int, ufunc: np.ufunc = np.add, empty: Any = 0
) -> np.ndarray:
    """Return an array of `size` rows; each one is the sum of the rows with its place.

    Example:
        >>> add_up(np.array([1, 2, 4]), np.array([2, 0, 2]), 3).tolist()
        [2, 0, 5]
    """
    found = np.full((size, *rows.shape[1:]), empty, rows.dtype)
    if len(rows):
        order = np.argsort(places, kind="stable")
        ascending = places[order]
        starts = np.flatnonzero(np.concatenate([[True], ascending[1:] != ascending[:-1]]))
        found[ascending[starts]] = ufunc.reduceat(rows[order], starts, axis=0)
    return found


def roomy(rows: np.ndarray, size: int, empty: Any = 0) -> np.ndarray:
    """Return an array of at least `size` rows that begins with these; it at least doubles."""
    if size <= len(rows):
        return rows
    grown = np.full((max(size, 2 * len(rows)), *rows.shape[1:]), empty, rows.dtype)
    grown[: len(rows)] = rows
    return grown
