"""Counts of weighted samples: exact sums of the weights, by code."""

from __future__ import annotations

from typing import Any

import numpy as np

from mmeval_like import arrays, state
from mmeval_like._folding_states import FloatSum
from mmeval_like.accelerator import is_device
from mmeval_like.exact import ExactSum
from mmeval_like.metrics._weights import as_weights
from mmeval_like.rows import Rows
from mmeval_like.state import State

__all__ = ["WeightedCount", "allowed_weights", "code_rows", "counter"]


_PASSES = 2  # what is left then is rare, and added one by one
_HUGE = 2.0**1000  # times 4 n: still finite


class WeightedCount(FloatSum):
    """A histogram whose bins hold exact sums of weights; 560 bytes of memory each.

    Rows are float64 of shape (n, 1 + codes): a number, then the bins that it is added to.

    Args:
        bins: The number of bins.
        codes: How many bins each row is added to.

    Example:
        >>> count = WeightedCount(3)
        >>> count.value(count.fold(count.empty(), np.array([[0.5, 2], [0.25, 2], [1, 0]])))
        array([1.  , 0.  , 0.75])
    """

    def __init__(self, bins: int, codes: int = 1) -> None:
        super().__init__(float, (bins,))
        self.bins, self.codes = bins, codes

    def __repr__(self) -> str:
        return f"weighted_count({self.bins}, {self.codes})"

    def check(self, name: str, rows: Any) -> Rows:
        """Return the rows; ValueError for another shape or codes out of range."""
        if (not isinstance(rows, np.ndarray) and not is_device(rows)) or rows.dtype != np.float64:
            raise TypeError(f"the rows of state {name!r} must be float64")
        if rows.ndim != 2 or rows.shape[1] != 1 + self.codes:
            raise ValueError(
                f"the rows of state {name!r} must have shape (n, {1 + self.codes}), "
                f"got {rows.shape}"
            )
        arrays.check_range(f"the codes of state {name!r}", rows[:, 1:].astype(np.int64), self.bins)
        checked: Rows = rows
        return checked

    def fold(self, folded: ExactSum, rows: np.ndarray) -> ExactSum:
        """Add every row's number to its bins."""
        for code in range(1, 1 + self.codes):
            index, left = rows[:, code].astype(np.intp), rows[:, 0].copy()
            # Float additions that cannot round take most of each number: all that is `taken` is
            # a multiple of sigma / 2^53, and n of these add up to less than sigma.
            for _ in range(_PASSES):
                peak = np.abs(left).max(initial=0.0)
                if not 0 < peak < _HUGE:
                    break
                sigma = peak * (4.0 * len(left))
                taken = (left + sigma) - sigma
                left -= taken
                folded.add(np.bincount(index, taken, self.bins)[None])
            rest = np.flatnonzero(left)
            folded.add_at(index[rest], left[rest])
        return folded


def counter(bins: int, codes: int, weighted: bool) -> State:
    """Return the state that counts samples: plainly, or by their weights."""
    return WeightedCount(bins, codes) if weighted else state.count(bins)


def code_rows(codes: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """Return the rows of a `counter`, from codes (n,) or (n, k)."""
    return codes if weights is None else np.column_stack([weights, codes])


def allowed_weights(sample_weight: Any, count: int, allowed: bool) -> np.ndarray | None:
    """Return one float64 weight per sample; None where samples are counted plainly.

    Raises:
        ValueError: Weights that are not allowed; see also `as_weights`.
    """
    if not allowed:
        if sample_weight is None:
            return None
        raise ValueError("sample_weight needs use_sample_weight=True in the metric's constructor")
    return as_weights(sample_weight, count)
