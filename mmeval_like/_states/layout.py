"""Additive states as one int64 vector: the sum of the ranks' vectors is the vector of all rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mmeval_like._states.kinds.abstract import State

__all__ = ["Layout"]


class Layout:
    """The places of the arrays of additive states in one vector.

    Args:
        states: The states by name; each is additive.

    Attributes:
        size: The length of a vector.
    """

    def __init__(self, states: Mapping[str, State]) -> None:
        self.states, self.size = states, 0
        self._places: list[tuple[str, str, tuple[int, ...], slice]] = []
        for name, state in states.items():
            for key, array in state.to_arrays(state.empty()).items():
                place = slice(self.size, self.size + array.size)
                self._places.append((name, key, array.shape, place))
                self.size += array.size

    def pack(self, folded: Mapping[str, Any], out: np.ndarray | None = None) -> np.ndarray:
        """Return the vector of folded values, by name.

        Args:
            folded: The values.
            out: An int64 array for the vector; None: a new one, or an array of one of the values.
        """
        pieces = []
        for name, state in self.states.items():
            for array in state.to_arrays(folded[name]).values():
                pieces.append(array.reshape(-1))
        if out is None and len(pieces) == 1:
            return pieces[0]
        return np.concatenate(pieces, out=out)

    def unpack(self, vector: np.ndarray) -> dict[str, Any]:
        """Return the folded values, by name, from a vector or from a sum of vectors."""
        found: dict[str, dict[str, np.ndarray]] = {}
        for name, key, shape, place in self._places:
            found.setdefault(name, {})[key] = vector[place].reshape(shape)
        folded = {}
        for name, state in self.states.items():
            folded[name] = state.from_arrays(found.get(name, {}))
        return folded
