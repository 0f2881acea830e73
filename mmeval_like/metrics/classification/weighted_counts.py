"""Counts of weighted samples: exact sums of the weights, by code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from mmeval_like.writing import Rows, State, arrays, state
from mmeval_like.writing.states import Piece, PieceSum
from mmeval_like.writing.weights import as_weights

__all__ = ["WeightedCount", "allowed_weights", "code_rows", "counter"]


class WeightedCount(PieceSum):
    """A histogram whose bins hold exact sums of weights, 560 bytes of memory each.

    Rows are float64 of shape (n, numbers + codes): the numbers, then the bins that they are added
    to. A single number is added to all bins of the row; if there are several numbers, the k-th is
    added to the k-th bin.

    Args:
        bins: The number of bins.
        codes: The number of bins to which each row is added.
        numbers: The number of numbers in a row: 1 or `codes`.

    Example:
        >>> count = WeightedCount(3)
        >>> count.value(count.fold(count.empty(), np.array([[0.5, 2], [0.25, 2], [1, 0]])))
        array([1.  , 0.  , 0.75])
    """

    weighs = True

    def __init__(self, bins: int, codes: int = 1, numbers: int = 1) -> None:
        super().__init__(float, (bins,))
        self.bins, self.codes, self.numbers = bins, codes, numbers

    def __repr__(self) -> str:
        return f"weighted_count({self.bins}, {self.codes}, {self.numbers})"

    def check(self, name: str, rows: Any) -> Rows:
        """Return the rows; ValueError if the shape does not fit or a code is out of range."""
        if (
            not isinstance(rows, np.ndarray) and not arrays.is_device(rows)
        ) or rows.dtype != np.float64:
            raise TypeError(f"the rows of state {name!r} must be float64")
        width = self.numbers + self.codes
        if rows.ndim != 2 or rows.shape[1] != width:
            raise ValueError(
                f"the rows of state {name!r} must have shape (n, {width}), got {rows.shape}"
            )
        codes = rows[:, self.numbers :].astype(np.int64)
        arrays.check_range(f"the codes of state {name!r}", codes, self.bins)
        checked: Rows = rows
        return checked

    def blank(self, count: int) -> Rows:
        """Return rows of weight 0."""
        return np.zeros((count, self.numbers + self.codes))

    def amounts(self, rows: np.ndarray) -> np.ndarray:
        """Return the sum of the numbers of each row."""
        found: np.ndarray = rows[:, : self.numbers].sum(axis=1)
        return found

    def unweighted(self, rows: np.ndarray) -> np.ndarray:
        """Return the rows with every nonzero number replaced by 1."""
        counted = rows.copy()
        counted[:, : self.numbers] = rows[:, : self.numbers] != 0
        return counted

    def pieces(self, rows: np.ndarray) -> Iterator[Piece]:
        """Yield the numbers and their bins."""
        for place in range(self.codes):
            codes = rows[:, self.numbers + place].astype(np.intp)
            yield codes, rows[:, place if self.numbers > 1 else 0]


def counter(bins: int, codes: int, weighted: bool) -> State:
    """Return the state that counts samples or sums their weights."""
    return WeightedCount(bins, codes) if weighted else state.count(bins, codes)


def code_rows(codes: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """Return the rows of a `counter`, from codes (n,) or (n, k)."""
    return codes if weights is None else np.column_stack([weights, codes])


def allowed_weights(sample_weight: Any, count: int, allowed: bool) -> np.ndarray | None:
    """Return one float64 weight per sample; None if samples are counted without weights.

    Raises:
        ValueError: Weights are not allowed, or `as_weights` rejects them.
    """
    if not allowed:
        if sample_weight is None:
            return None
        raise ValueError("sample_weight needs use_sample_weight=True in the metric's constructor")
    return as_weights(sample_weight, count)
