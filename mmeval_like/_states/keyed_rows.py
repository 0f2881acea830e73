"""Rows with the key of the slice that each row belongs to."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from threading import RLock
from typing import Any

import numpy as np

from mmeval_like._base.at_fork import at_fork
from mmeval_like._base.keys import Key

__all__ = ["KeyIndex", "KeyedRows", "keys_of_array", "keys_to_array"]

# One lock for all keys, since locks cannot be pickled. A fork waits until it is free.
_NUMBERING = RLock()
at_fork(
    before=_NUMBERING.acquire,
    after_in_parent=_NUMBERING.release,
    after_in_child=_NUMBERING.release,
)


class KeyIndex:
    """The keys that occurred so far, each with a number. A key never loses its number.

    Several threads may ask for numbers, since a computation in the background shares its keys with
    the metric to which rows are added.

    Args:
        keys: The first keys.
        called: The name of the argument that the keys come from, for errors.

    Attributes:
        integers: The first keys as an array if each is a single integer, else None.

    Example:
        >>> cells = KeyIndex()
        >>> cells.numbers([("en",), ("de",), ("en",)]).tolist()
        [0, 1, 0]
    """

    def __init__(self, keys: Iterable[Key] = (), called: str = "by") -> None:
        self.called = called
        self.keys = [*dict.fromkeys(keys)]
        self.integers: np.ndarray | None = None

    @classmethod
    def of_integers(cls, integers: np.ndarray, called: str) -> KeyIndex:
        """Return an index with one key for each distinct integer; made on first access."""
        cells = cls(called=called)
        del cells.keys
        cells.integers = integers
        return cells

    @cached_property
    def keys(self) -> list[Key]:
        """The keys, by their numbers."""
        assert self.integers is not None
        return [(value,) for value in self.integers.tolist()]

    @cached_property
    def _numbers(self) -> dict[Key, int]:
        return dict(zip(self.keys, range(len(self.keys)), strict=True))

    def __getstate__(self) -> dict[str, Any]:
        with _NUMBERING:
            state = vars(self).copy()
            state.pop("_numbers", None)
            return state if "keys" not in state else state | {"keys": self.keys.copy()}

    def numbers(self, keys: Iterable[Key]) -> np.ndarray:
        """Return the number of each key, int64; new keys get the next ones."""
        keys = list(keys)
        with _NUMBERING:
            known, before = self._numbers, len(self.keys)
            found = [known.setdefault(key, len(known)) for key in keys]
            new = [key for key, number in zip(keys, found, strict=True) if number >= before]
            self.keys += dict.fromkeys(new)
        return np.array(found, np.int64)

    def number(self, key: Key) -> int | None:
        """Return the number of a key; None if it has none."""
        with _NUMBERING:
            return self._numbers.get(key)


@dataclass(frozen=True, eq=False)
class KeyedRows:
    """Rows of any kind, with the key of each row's slice.

    Attributes:
        cells: The keys of the slices.
        codes: The number of each row's key, int64 of shape (n,).
        rows: The rows themselves.
    """

    cells: KeyIndex
    codes: np.ndarray
    rows: Any

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def nbytes(self) -> int:
        """The memory of the rows and their codes, in bytes."""
        rows = 8 * len(self.rows) if isinstance(self.rows, list) else int(self.rows.nbytes)
        return rows + self.codes.nbytes

    def copy(self) -> KeyedRows:
        """Return a copy that shares only the keys with these rows."""
        return KeyedRows(self.cells, self.codes.copy(), self.rows.copy())

    def to_arrays(self) -> dict[str, np.ndarray]:
        """Return the keys that occur, and the index of each row's key among them."""
        used, codes = np.unique(self.codes, return_inverse=True)
        return {
            "keys": keys_to_array([self.cells.keys[code] for code in used.tolist()]),
            "codes": codes.astype(np.int64),
        }


def keys_to_array(keys: list[Key]) -> np.ndarray:
    """Return keys as the bytes of a JSON text, uint8."""
    return np.frombuffer(json.dumps(keys).encode(), np.uint8)


def keys_of_array(array: np.ndarray) -> list[Key]:
    """Return the keys that `keys_to_array` wrote.

    Raises:
        ValueError: `keys_to_array` did not write this array.
    """
    found = json.loads(array.tobytes())
    if not isinstance(found, list) or not all(map(_is_key, found)):
        raise ValueError("the keys of slices must be lists of numbers and strings")
    return [tuple(key) for key in found]


def _is_key(found: Any) -> bool:
    return isinstance(found, list) and all(
        value is None or type(value) in (int, str) for value in found
    )
