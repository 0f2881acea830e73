"""Saved states of equal form, read together: many take little longer than one.

The states of a metric differ in their numbers, and seldom in the names, dtypes and shapes of their
arrays. States whose headers are equal, but for the digest, have their arrays at the same places.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from mmeval_like._samples.checkpoint import DIGEST, begun_digest, read_facts
from mmeval_like._samples.tensor_file import header

__all__ = ["AlikeStates"]

_BLOCK = 1 << 26  # bytes of arrays that are read at once


class AlikeStates:
    """Reads columns of saved states, form by form.

    Args:
        check: Reads the first state of a form, and raises an error if it is not as expected. It
            gets the bytes, and what to call them in errors.
    """

    def __init__(self, check: Callable[[bytes, str], object]) -> None:
        self._check = check
        self._forms: dict[bytes, _Form] = {}

    def read(
        self, data: np.ndarray, ends: np.ndarray, named: Callable[[int], str]
    ) -> Iterator[tuple[np.ndarray, dict[str, Any]]]:
        """Yield the places of states of one form, and their contents.

        The contents are those of `checkpoint.unpack`, with one more axis: the first axis of each
        array has the states, in the order of their places.

        Args:
            data: The bytes of the states, one after the other, uint8.
            ends: Where the first state begins, and where each ends, int64 (n + 1,).
            named: Returns what to call the state at a place in errors.

        Raises:
            ValueError: A state is damaged, or `check` raised it.
        """
        lengths = np.diff(ends)
        for length in np.unique(lengths).tolist():
            left = np.flatnonzero(lengths == length)
            while len(left):
                first = int(left[0])
                form = self._form(data[ends[first] : ends[first + 1]].tobytes(), named(first))
                same = form.fits(data, ends[left])
                rows = sliding_window_view(data, length)[ends[left[same]]]
                yield from form.contents(rows, left[same], named)
                left = left[~same]

    def _form(self, first: bytes, name: str) -> _Form:
        """Return the form of a state, which is checked once."""
        try:
            form = _Form(first)
        except Exception:
            self._check(first, name)
            raise
        known = self._forms.get(form.key)
        if known is None:
            self._check(first, name)
            known = self._forms[form.key] = form
        return known


class _Form:
    """The header that some states share.

    Args:
        first: One of the states.

    Raises:
        ValueError, KeyError, TypeError: It is no saved state.
    """

    def __init__(self, first: bytes) -> None:
        self.places, texts = header(first)
        self.facts, self.paired, self.narrowed = read_facts(texts)
        behind = 8 + int.from_bytes(first[:8], "little")
        digest = texts[DIGEST].encode()
        start = first.index(digest)
        self.digest = slice(start, start + len(digest))
        self.head = np.frombuffer(first, np.uint8, behind)
        self.key = first[: self.digest.start] + first[self.digest.stop : behind]
        self.begun = begun_digest(texts, {name: place[:2] for name, place in self.places.items()})

    def fits(self, data: np.ndarray, starts: np.ndarray) -> np.ndarray:
        """Return which of the states that start at these places have this form, bool (n,)."""
        heads = sliding_window_view(data, len(self.head))[starts]
        heads[:, self.digest] = self.head[self.digest]
        word = np.uint8 if len(self.head) % 8 else np.uint64  # one comparison for 8 bytes
        same: np.ndarray = (heads.view(word) == self.head.view(word)).all(axis=1)
        return same

    def contents(
        self, rows: np.ndarray, places: np.ndarray, named: Callable[[int], str]
    ) -> Iterator[tuple[np.ndarray, dict[str, Any]]]:
        """Yield the places and the contents of states of this form, some at once."""
        each = sum(8 * math.prod(shape) for shape, _ in self.narrowed.values())
        number = max(1, _BLOCK // max(1, each, rows.shape[1]))
        for begin in range(0, len(rows), number):
            some, where = rows[begin : begin + number], places[begin : begin + number]
            wrong = np.flatnonzero((self._digests(some) != some[:, self.digest]).any(axis=1))
            if len(wrong):
                raise ValueError(
                    f"{named(int(where[wrong[0]]))} is truncated or not a saved metric: its "
                    f"contents have changed since it was saved"
                )
            yield where, {**self.facts, **self._arrays(some)}

    def _digests(self, rows: np.ndarray) -> np.ndarray:
        """Return the digest that each state should have, uint8 of shape (n, digits)."""
        ordered = [self.places[name][2:] for name in sorted(self.places)]
        bodies = np.concatenate([rows[:, start:stop] for start, stop in ordered], axis=1)
        bodies, again = _distinct(bodies)
        data, width = bodies.tobytes(), bodies.shape[1]
        found = []
        for place in range(0, len(data), width) if width else [0]:
            digest = self.begun.copy()
            digest.update(data[place : place + width])
            found.append(digest.digest())
        digits = b"".join(found).hex().encode()
        every: np.ndarray = np.frombuffer(digits, np.uint8).reshape(len(found), -1)[again]
        return every

    def _arrays(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        """Return the arrays by name, each with the states on its first axis."""
        found = {}
        for name, (dtype, shape, start, stop) in self.places.items():
            own = np.ascontiguousarray(rows[:, start:stop])
            array = own.view(dtype) if stop > start else np.empty((len(rows), 0), dtype)
            if name in self.narrowed:
                shape, first = self.narrowed[name]
                flat = np.zeros((len(rows), math.prod(shape)), np.int64)
                flat[:, first : first + array.shape[1]] = array
                array = flat
            array = array.reshape(len(rows), *shape)
            if name in self.paired:
                array = array.view(f"<c{array.itemsize * 2}")[..., 0]
            found[name] = array
        return found


def _distinct(bodies: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct rows, and which one each row is; long rows are seldom equal."""
    count, width = bodies.shape
    if not 0 < width <= 8:
        every = np.arange(count) if width else np.zeros(count, np.int64)
        return bodies, every
    words = np.zeros((count, 8), np.uint8)
    words[:, :width] = bodies
    _, first, again = np.unique(words.view(np.uint64), return_index=True, return_inverse=True)
    return bodies[first], again.reshape(-1)
