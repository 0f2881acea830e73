"""The messages that dealing needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from mmeval_like.backends.rounds import Parts

__all__ = ["Messages"]


class Messages(Protocol):
    """The messages of a group. Each call is one step, which raises on all ranks or on none.

    Attributes:
        rank: This rank's number.
        size: The number of ranks.
    """

    rank: int
    size: int

    def gathered(self, work: Callable[[], Any]) -> list[Any]:
        """Return the small objects that the `work` of every rank returns, in the order of ranks."""

    def total(self, work: Callable[[], np.ndarray], length: int) -> np.ndarray:
        """Return the sum of the int64 vectors of this length that `work` returns."""

    def dealt(self, work: Callable[[], Parts]) -> tuple[np.ndarray, list[int]]:
        """Return the parts for this rank; each rank's work returns a part for every rank.

        The parts are concatenated in the order of ranks, in an array of uint8 without other
        references, and come with the number of bytes from each rank.
        """
