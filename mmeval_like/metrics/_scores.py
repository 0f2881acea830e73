"""Scores of positive and negative samples: all of them, or counts of them in fixed bins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like.packing import Buffer
from mmeval_like.rows import Ragged, Rows, pack_rows, take, unpack_rows
from mmeval_like.state import State

__all__ = ["ScoreLists", "ScoreState"]

Runs = list[Ragged]


@dataclass(frozen=True)
class ScoreLists:
    """The scores of each class's negative and positive samples, in ascending runs.

    Attributes:
        groups: Two lists of arrays per class: negatives, positives. Complex numbers are a score
            and, as imaginary part, the sample's weight; they are sorted by both.
    """

    groups: Sequence[list[np.ndarray]]

    def __len__(self) -> int:
        return len(self.groups) // 2

    def of_class(self, index: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Return the negatives and the positives of a class."""
        return self.groups[2 * index], self.groups[2 * index + 1]


class ScoreState(State):
    """Scores as a multiset per class and label: nothing but the scores is kept, in their dtype.

    Rows have the shape (n, C, 2): scores, and 1 for positive samples; or (n, C, 3), the third
    is the weight. What they fold into are runs: each a `Ragged` of 2 C groups, negatives and
    positives of each class. Because the order of samples is gone, every rank sorts its own
    before they are sent, and the receiver only merges.

    Args:
        num_classes: C; None: as many as the scores have.
        weighted: Rows have weights.

    Example:
        >>> scores = ScoreState(1, False)
        >>> rows = np.array([[[0.75, 1]], [[0.25, 0]], [[0.5, 1]]], np.float32)
        >>> scores.value(scores.fold(scores.empty(), rows)).of_class(0)
        ([array([0.25], dtype=float32)], [array([0.5 , 0.75], dtype=float32)])
    """

    def __init__(self, num_classes: int | None, weighted: bool) -> None:
        self.num_classes, self.weighted = num_classes, weighted

    def __repr__(self) -> str:
        return f"scores({self.num_classes}, {self.weighted})"

    def check(self, name: str, rows: Any) -> Rows:
        """Return the rows; TypeError or ValueError if they are not floats of the right shape."""
        if not isinstance(rows, np.ndarray) or rows.dtype not in (np.float32, np.float64):
            raise TypeError(f"the rows of state {name!r} must be float32 or float64")
        shape = (self.num_classes, 2 + self.weighted)
        if rows.ndim != 3 or rows.shape[2] != shape[1] or shape[0] not in (None, rows.shape[1]):
            raise ValueError(
                f"the rows of state {name!r} must have shape (n, {shape[0]}, {shape[1]}), "
                f"got {rows.shape}"
            )
        return rows

    def empty(self) -> Runs:
        """Return no runs."""
        return []

    def fold(self, folded: Runs, rows: Rows) -> Runs:
        """Return the runs with one more."""
        if isinstance(rows, Ragged):  # batches of different width meet: `value` refuses them
            for width in np.unique(rows.lengths).tolist():
                alike = take(rows, np.flatnonzero(rows.lengths == width))
                table = alike.values.reshape(len(alike), width, -1)  # type: ignore[union-attr]
                folded = self.fold(folded, table)
            return folded
        if len(rows) == 0:
            return folded
        scores, positive, *weights = np.asarray(rows).transpose(2, 1, 0)
        if weights:
            scores = scores.astype(np.complex128)
            scores.imag = weights[0]
        # Class by class the negatives, then the positives; the order in each does not matter.
        places = np.argsort(positive != 0, axis=1, kind="stable")
        counts = np.count_nonzero(positive, axis=1)
        lengths = np.stack([positive.shape[1] - counts, counts], axis=1).reshape(-1)
        values = np.take_along_axis(scores, places, axis=1).reshape(-1)
        return [*folded, Ragged(values, lengths)]

    def merge(self, folded: Runs, other: Runs) -> Runs:
        """Return the runs of both."""
        return [*folded, *other]

    def copy(self, folded: Runs) -> Runs:
        """Return the same runs: nobody changes them."""
        return list(folded)

    def value(self, folded: Runs) -> ScoreLists:
        """Return the groups as sorted runs: those of the ranks, or one.

        Raises:
            ValueError: Batches had scores for different numbers of classes.
        """
        if not folded:
            return ScoreLists([[]] * (2 * (self.num_classes or 0)))
        if len({len(run) for run in folded}) > 1:
            raise ValueError(_WIDTHS)
        groups = zip(*(run.split() for run in folded), strict=True)
        return ScoreLists([_sorted_runs(parts) for parts in groups])

    def pack(self, folded: Runs) -> list[Buffer]:
        """Return one sorted run, packed; the folded value is then that run as well."""
        if not folded:
            return pack_rows(Ragged(*_NOTHING))
        groups = [_merged(runs) for runs in self.value(folded).groups]
        folded[:] = [Ragged.from_arrays(groups)]
        return pack_rows(folded[0])

    def unpack(self, data: memoryview, offset: int) -> tuple[Runs, int]:
        """Return the run that was packed at `offset`, and the offset behind it."""
        run, offset = unpack_rows(data, offset)
        return [run] if len(run) else [], offset  # type: ignore[list-item]

    def to_array(self, folded: Runs) -> np.ndarray:
        """Return the packed run, as bytes."""
        return np.frombuffer(b"".join(self.pack(folded)), np.uint8)

    def from_array(self, array: np.ndarray) -> Runs:
        """Return the run of such bytes."""
        return self.unpack(memoryview(array.astype(np.uint8).tobytes()), 0)[0]


_WIDTHS = "predictions must have scores for the same number of classes in every batch"
_NOTHING = np.empty(0), np.empty(0, np.int64)


def _sorted_runs(parts: Sequence[np.ndarray]) -> list[np.ndarray]:
    first = parts[0]
    # Runs that are sorted already are merged later, many times faster than sorting anew.
    if len(first) > 1 and (first[1:] >= first[:-1]).all():
        return list(parts)
    return [np.sort(np.concatenate(parts))]


def _merged(runs: Sequence[np.ndarray]) -> np.ndarray:
    return runs[0] if len(runs) == 1 else np.sort(np.concatenate(runs), kind="stable")
