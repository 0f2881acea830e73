"""Exact sums of values computed from rows when they fold, such as products."""

from __future__ import annotations

from typing import Any

import numpy as np

from mmeval_like._exact.exact_sum import ExactSum
from mmeval_like._states.kinds.abstract import State
from mmeval_like._states.kinds.folding import FloatSum
from mmeval_like._states.rows import Rows

__all__ = ["PieceSum"]

# Temporaries of this many rows fit into the cache; sizes that are powers of 2 share its lines.
_BLOCK_ROWS = 16000


class PieceSum(FloatSum):
    """The exact sum of the `pieces` that a subclass computes from rows.

    Example:
        >>> class SumOfDoubles(PieceSum):
        ...     def pieces(self, rows):
        ...         yield 0, rows
        ...         yield 0, rows
        >>> doubles = SumOfDoubles(float, ())
        >>> doubles.value(doubles.fold(doubles.empty(), np.array([1.0, 2.5])))
        7.0
    """

    block = 160 * 1024  # fewer than 8,000 rows of three numbers

    def check(self, name: str, rows: Any) -> Rows:
        """Return the rows unchanged."""
        accepted: Rows = rows
        return accepted

    def blank(self, count: int) -> Rows:
        """Refuse: a subclass whose rows have a known form returns rows of zeros."""
        return State.blank(self, count)

    def fold(self, folded: ExactSum, rows: np.ndarray) -> ExactSum:
        """Add the pieces of all rows."""
        for start in range(0, len(rows), _BLOCK_ROWS):
            folded.add_pieces(self.pieces(rows[start : start + _BLOCK_ROWS]))
        return folded
