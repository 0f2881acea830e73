"""The messages of which dealing is made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from mmeval_like.backends.rounds import Parts

__all__ = ["Messages"]


class Messages(Protocol):
    """What the ranks tell each other; every call is one step, which raises on all ranks or on none.

    Attributes:
        rank: This rank's number.
        size: How many there are.
    """

    rank: int
    size: int

    def gathered(self, work: Callable[[], Any]) -> list[Any]:
        """Return what every rank's work returns, a small object, by rank."""

    def total(self, work: Callable[[], np.ndarray], length: int) -> np.ndarray:
        """Return the sum of the vectors of int64 of this length that the works return."""

    def dealt(self, work: Callable[[], Parts]) -> tuple[np.ndarray, list[int]]:
        """Return what every rank's work returns for this rank; it returns a part for each rank.

        They come in rank order, end to end, as an array of uint8, which nothing else holds; with
        the number of bytes of each rank.
        """
