"""Scores of positive and negative samples: all of them, or counts of them in fixed bins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like._accumulate.rows import Ragged, Rows, take
from mmeval_like.state import State

__all__ = ["ScoreLists", "ScoreState"]

Runs = list[Ragged]


@dataclass(frozen=True)
class ScoreLists:
    """The scores of each class's samples by their kind, in ascending runs.

    Attributes:
        groups: A list of arrays for each kind of each class: negatives, positives. Complex
            numbers are a score and, as imaginary part, the sample's weight; they are sorted by
            both.
        kinds: The number of kinds.
    """

    groups: Sequence[list[np.ndarray]]
    kinds: int = 2

    def __len__(self) -> int:
        return len(self.groups) // self.kinds

    def of_class(self, index: int) -> Sequence[list[np.ndarray]]:
        """Return the groups of a class: of two kinds, the negatives and the positives."""
        return self.groups[self.kinds * index : self.kinds * (index + 1)]


class ScoreState(State):
    """Scores as a multiset per class and label: nothing but the scores is kept, in their dtype.

    Rows have the shape (n, C, 2): scores, and the kind of the sample: 0 for negative, 1 for
    positive, or `kinds` if it does not count; or (n, C, 3), the third is the weight. What they fold
    into are runs: each a `Ragged` of a group for each kind of each class. Because the order of
    samples is gone, every rank sorts its own before they are sent, and the receiver only merges.

    Args:
        num_classes: C; None: as many as the scores have.
        weighted: Rows have weights.
        kinds: The number of kinds.

    Example:
        >>> scores = ScoreState(1, False)
        >>> rows = np.array([[[0.75, 1]], [[0.25, 0]], [[0.5, 1]]], np.float32)
        >>> scores.value(scores.fold(scores.empty(), rows)).of_class(0)
        [[array([0.25], dtype=float32)], [array([0.5 , 0.75], dtype=float32)]]
    """

    def __init__(self, num_classes: int | None, weighted: bool, kinds: int = 2) -> None:
        self.num_classes, self.weighted, self.kinds = num_classes, weighted, kinds
        self.separable = (
            num_classes == 1
        )  # of several classes it is not known what belongs together

    def __repr__(self) -> str:
        return f"scores({self.num_classes}, {self.weighted}, {self.kinds})"

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
        scores, kind, *weights = np.asarray(rows).transpose(2, 1, 0)
        if weights:
            scores = scores.astype(np.complex128)
            scores.imag = weights[0]
        values, lengths = _grouped(scores, kind, self.kinds)
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
            return ScoreLists([[]] * (self.kinds * (self.num_classes or 0)), self.kinds)
        if len({len(run) for run in folded}) > 1:
            raise ValueError(_WIDTHS)
        groups = zip(*(run.split() for run in folded), strict=True)
        return ScoreLists([_sorted_runs(parts) for parts in groups], self.kinds)

    def at(self, value: ScoreLists, places: np.ndarray) -> ScoreLists:
        """Return the scores at these places of all, in ascending order, kind after kind."""
        chosen, start = [], 0
        for group in value.groups:
            scores = _merged(group) if group else np.empty(0)
            here = places[(places >= start) & (places < start + len(scores))] - start
            chosen.append([scores[here]] if len(group) else [])
            start += len(scores)
        return ScoreLists(chosen, value.kinds)

    def to_arrays(self, folded: Runs) -> dict[str, np.ndarray]:
        """Return one sorted run; the folded value is then that run as well."""
        if not folded:
            return {"values": np.empty(0), "lengths": np.empty(0, np.int64)}
        groups = [_merged(runs) for runs in self.value(folded).groups]
        folded[:] = [Ragged.from_arrays(groups)]
        return {"values": folded[0].values, "lengths": folded[0].lengths}

    def from_arrays(self, found: Mapping[str, np.ndarray]) -> Runs:
        """Return the run of such arrays; ValueError if they are none of this state's."""
        run = Ragged(found["values"], found["lengths"])
        if len(run) == 0:
            return []
        classes, odd = divmod(len(run), self.kinds)
        if odd or self.num_classes not in (None, classes):
            raise ValueError(f"{len(run)} groups of scores for {self.num_classes} classes")
        if run.values.ndim != 1 or run.values.dtype.kind != "fc"[self.weighted]:
            raise ValueError(f"scores of {run.values.dtype} and shape {run.values.shape}")
        return [run]


_WIDTHS = "predictions must have scores for the same number of classes in every batch"


def _grouped(scores: np.ndarray, kind: np.ndarray, kinds: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the scores (C, n), class by class, of each the kinds one by one; and their numbers.

    The order in each group does not matter. Of a kind beyond the last, nothing.
    """
    # Sorting integers of one byte takes a fraction of sorting floats.
    places = np.argsort(kind.astype(np.min_scalar_type(kinds)), axis=1, kind="stable")
    counts = np.stack([np.count_nonzero(kind == k, axis=1) for k in range(kinds)], axis=1)
    counted = np.arange(kind.shape[1]) < counts.sum(axis=1)[:, None]
    return np.take_along_axis(scores, places, axis=1)[counted], counts.reshape(-1)


def _sorted_runs(parts: Sequence[np.ndarray]) -> list[np.ndarray]:
    # The runs of other ranks are sorted: these are merged later, many times faster than sorting
    # anew. Weights at equal scores have to be in order for their sums to have the same bits.
    if parts[0].dtype.kind == "f" and all(map(_ascends, parts)):
        return list(parts)
    return [np.sort(np.concatenate(parts))]


def _ascends(run: np.ndarray) -> bool:
    return bool((run[1:] >= run[:-1]).all())


def _merged(runs: Sequence[np.ndarray]) -> np.ndarray:
    return runs[0] if len(runs) == 1 else np.sort(np.concatenate(runs), kind="stable")
