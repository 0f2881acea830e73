"""The state that keeps the scores of positive and negative samples, as counts if they repeat."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mmeval_like.metrics.curves.score_runs import (
    Counted,
    Group,
    Run,
    ascending_runs,
    converted,
    counted,
    expanded,
    in_one,
    one_run,
    parted,
)
from mmeval_like.metrics.curves.score_shares import totals_of
from mmeval_like.metrics.curves.share_totals import ScoreTotals
from mmeval_like.metrics.curves.thinned_curves import WantedCurve, dealt_curves
from mmeval_like.writing import Ragged, Rows, State, take
from mmeval_like.writing.dealing import Ranks

__all__ = ["ScoreLists", "ScoreState"]

Runs = list[Run]

# After this many new scores, they are sorted to find repeated ones; later, after as many new scores
# as are kept, so that scores which do not repeat are rarely moved.
_SETTLED = 1 << 16


@dataclass(frozen=True)
class ScoreLists:
    """The scores of the samples of each class by kind, in ascending runs.

    Attributes:
        groups: A list for each kind of each class: negatives, positives. A list holds arrays, or
            one `Counted`. A complex number is a score and, as imaginary part, the sample's weight;
            they are sorted by both.
        kinds: The number of kinds.
    """

    groups: Sequence[list[Group]]
    kinds: int = 2

    def __len__(self) -> int:
        return len(self.groups) // self.kinds

    def of_class(self, index: int) -> Sequence[list[Group]]:
        """Return the groups of a class by kind: with two kinds, the negatives and the positives."""
        return self.groups[self.kinds * index : self.kinds * (index + 1)]


class ScoreState(State):
    """Scores as a multiset per class and label: only the scores are kept, in their dtype.

    Rows have the shape (n, C, 2): scores, and the kind of the sample: 0 for negative, 1 for
    positive, or `kinds` if it does not count; or (n, C, 3), where the third is the weight. The
    folded state is a list of runs, each with a group for each kind of each class. Occasionally the
    runs are joined into one, which keeps every distinct score once, with its count, if this halves
    the memory; scores with weights are all kept. Because the order of samples is not kept, every
    rank sorts its scores before they are sent, and the receiver only merges.

    Args:
        num_classes: The number of classes C; None: taken from the scores.
        weighted: Whether rows have weights.
        kinds: The number of kinds.

    Example:
        >>> scores = ScoreState(1, False)
        >>> rows = np.array([[[0.75, 1]], [[0.25, 0]], [[0.5, 1]]], np.float32)
        >>> scores.value(scores.fold(scores.empty(), rows)).of_class(0)
        [[array([0.25], dtype=float32)], [array([0.5 , 0.75], dtype=float32)]]
    """

    deals = True

    def __init__(self, num_classes: int | None, weighted: bool, kinds: int = 2) -> None:
        self.num_classes, self.weighted, self.kinds = num_classes, weighted, kinds
        # With several classes, the state does not know which scores belong to one sample.
        self.separable = num_classes == 1

    def __repr__(self) -> str:
        return f"scores({self.num_classes}, {self.weighted}, {self.kinds})"

    def check(self, name: str, rows: Any) -> Rows:
        """Return the rows; TypeError or ValueError if they are not floats of the right shape."""
        # Rows of `blank` for an unknown number of classes make those of a file ragged.
        values = rows.values if isinstance(rows, Ragged) else rows
        if not isinstance(values, np.ndarray) or values.dtype not in (np.float32, np.float64):
            raise TypeError(f"the rows of state {name!r} must be float32 or float64")
        shape, ndim = (self.num_classes, 2 + self.weighted), 2 if isinstance(rows, Ragged) else 3
        widths = {*rows.lengths.tolist()} if isinstance(rows, Ragged) else {*values.shape[1:2]}
        known = self.num_classes is None or widths <= {self.num_classes}
        if values.ndim != ndim or values.shape[-1] != shape[1] or not known:
            raise ValueError(
                f"the rows of state {name!r} must have shape (n, {shape[0]}, {shape[1]}), "
                f"got {values.shape}"
            )
        checked: Rows = rows
        return checked

    def blank(self, count: int) -> Rows:
        """Return rows that do not count."""
        rows = np.zeros((count, self.num_classes or 0, 2 + self.weighted), np.float32)
        rows[:, :, 1] = self.kinds
        return rows

    def unfolded(self, folded: Runs, count: int) -> Rows:
        """Return rows with these scores; only with one class are they those of the samples."""
        groups = self.value(folded).groups
        rows = np.zeros((count, len(groups) // self.kinds, 2 + self.weighted))
        rows[:, :, 1] = self.kinds  # samples of a class that do not count
        for place, group in enumerate(groups):
            column, kind = divmod(place, self.kinds)
            scores = expanded(in_one(group))
            start = int((rows[:, column, 1] < self.kinds).sum())
            here = rows[start : start + len(scores), column]
            here[:, 0], here[:, 1] = scores.real, kind
            if self.weighted:
                here[:, 2] = scores.imag
        return rows

    def empty(self) -> Runs:
        """Return no runs."""
        return []

    def fold(self, folded: Runs, rows: Rows) -> Runs:
        """Return the runs with one more run appended, or all of them joined into one."""
        if isinstance(rows, Ragged):  # batches of different width: `value` raises
            for width in np.unique(rows.lengths).tolist():
                alike = take(rows, np.flatnonzero(rows.lengths == width))
                shape = len(alike), width, 2 + self.weighted
                table = alike.values.reshape(shape)  # type: ignore[union-attr]
                folded = self.fold(folded, table)
            return folded
        table = np.asarray(rows)
        if table.size == 0:  # nor do rows count without a class: those of `blank`
            return folded
        scores, kind, *weights = table.transpose(2, 1, 0)
        if weights:
            scores = scores.astype(np.complex128)
            scores.imag = weights[0]
        runs = [*folded, Run(*_grouped(scores, kind, self.kinds))]
        return [one_run(runs)] if not self.weighted and _may_repeat(runs) else runs

    def merge(self, folded: Runs, other: Runs) -> Runs:
        """Return the runs of both folded states."""
        return [*folded, *other]

    def compact(self, folded: Runs) -> Runs:
        """Return all runs joined into one, which is not sorted again."""
        return folded if _uneven(folded) else [one_run(folded)] if folded else []

    def copy(self, folded: Runs) -> Runs:
        """Return the same runs, since they are never changed."""
        return list(folded)

    def value(self, folded: Runs) -> ScoreLists:
        """Return the groups as sorted runs: one for each rank, or a single one.

        Raises:
            ValueError: Batches had scores for different numbers of classes.
        """
        if not folded:
            return ScoreLists([[]] * (self.kinds * (self.num_classes or 0)), self.kinds)
        groups = zip(*(run.groups() for run in _even(folded)), strict=True)
        return ScoreLists([_sorted_runs(parts) for parts in groups], self.kinds)

    def at(self, value: ScoreLists, places: np.ndarray) -> ScoreLists:
        """Return the scores at these indices of all scores, ascending within each kind."""
        chosen, start = [], 0
        for group in value.groups:
            scores = in_one(group)
            size = int(scores.counts.sum()) if isinstance(scores, Counted) else len(scores)
            here = places[(places >= start) & (places < start + size)] - start
            chosen.append([_at(scores, here)] if len(group) else [])
            start += size
        return ScoreLists(chosen, value.kinds)

    def deal(
        self, folded: Callable[[], Runs], wanted: frozenset[Any], ranks: Ranks
    ) -> ScoreTotals | ScoreLists:
        """Return the totals and the thinned curves that are asked for; without scores, no scores.

        Raises:
            ValueError: Batches had scores for different numbers of classes.
        """
        own: list[Run] = []

        def settle() -> tuple[int, str]:
            if runs := folded():
                own.extend(ascending_runs(_even(runs)))
            held = np.result_type(np.float32, *[run.values.dtype for run in own])
            return len(own[0].lengths) if own else 0, held.str

        found = ranks.gathered(settle)
        widths = {groups for groups, _ in found if groups}
        if len(widths) > 1:
            ranks.refuse(ValueError(_WIDTHS))
        dtype = np.result_type(*[code for _, code in found])
        if not widths:
            return self.value([])
        groups: list[list[Group]] = [[] for _ in range(max(widths))]

        def convert() -> np.ndarray:  # may need twice the memory, and so fail
            nothing = Run(np.empty(0, dtype), np.zeros(len(groups), np.int64))
            for run in own or [nothing]:
                for parts, part in zip(groups, run.groups(), strict=True):
                    parts.append(converted(part, dtype))
            own.clear()
            return np.empty(0, np.int64)

        ranks.total(convert, 0)
        thinned = sorted(one for one in wanted if isinstance(one, WantedCurve))
        curves = {one: dealt_curves(groups, one, ranks) for one in thinned}
        return replace(totals_of(groups, self.kinds, wanted - curves.keys(), ranks), curves=curves)

    def to_arrays(self, folded: Runs) -> dict[str, np.ndarray]:
        """Return one ascending run as arrays; the folded state then also becomes that run."""
        if not folded:
            return {"values": np.empty(0), "lengths": np.empty(0, np.int64)}
        run = one_run(_even(folded))
        folded[:] = [run]
        found = {"values": run.values, "lengths": run.lengths}
        return found if run.counts is None else {**found, "counts": run.counts}

    def from_arrays(self, found: Mapping[str, np.ndarray]) -> Runs:
        """Return the run from its arrays; ValueError if they are not arrays of this state."""
        run = Run(found["values"], found["lengths"], found.get("counts"))
        Ragged(run.values, run.lengths)  # checks that the lengths add up
        if len(run.lengths) == 0:
            return []
        classes, odd = divmod(len(run.lengths), self.kinds)
        if odd or self.num_classes not in (None, classes):
            raise ValueError(f"{len(run.lengths)} groups of scores for {self.num_classes} classes")
        if run.values.ndim != 1 or run.values.dtype.kind != "fc"[self.weighted]:
            raise ValueError(f"scores of {run.values.dtype} and shape {run.values.shape}")
        if run.counts is not None:
            _check_counts(run)
        return [run]


_WIDTHS = "predictions must have scores for the same number of classes in every batch"


def _may_repeat(runs: Runs) -> bool:
    """Return whether there are enough new scores to check whether they repeat."""
    number, newest = len(runs), len(runs[-1].values)
    if number & (number - 1) and newest < _SETTLED:
        return False  # many short runs are not summed at each call
    new = sum([len(run.values) for run in runs[1:]])
    return new >= max(_SETTLED, len(runs[0].values)) and not _uneven(runs)


def _uneven(runs: Runs) -> bool:
    return len({len(run.lengths) for run in runs}) > 1


def _even(runs: Runs) -> Runs:
    """Return the runs; ValueError if their numbers of classes differ."""
    if _uneven(runs):
        raise ValueError(_WIDTHS)
    return runs


def _check_counts(run: Run) -> None:
    counts: Any = run.counts
    if counts.dtype.kind != "u" or counts.shape != run.values.shape or not counts.all():
        raise ValueError(f"counts of {counts.dtype} and shape {counts.shape}")
    for group in run.groups():
        scores = group.scores  # type: ignore[union-attr]
        if not (scores[1:] > scores[:-1]).all():
            raise ValueError("scores that are counted must ascend")


def _grouped(scores: np.ndarray, kind: np.ndarray, kinds: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the scores (C, n), ordered by kind within each class, and the number of each kind.

    The order within a group is arbitrary. Scores of a kind beyond the last are left out.
    """
    # Sorting integers of one byte takes a fraction of sorting floats.
    places = np.argsort(kind.astype(np.min_scalar_type(kinds)), axis=1, kind="stable")
    counts = np.stack([np.count_nonzero(kind == k, axis=1) for k in range(kinds)], axis=1)
    found, each = np.take_along_axis(scores, places, axis=1), counts.sum(axis=1)
    if each.sum() < scores.size:
        found = found[np.arange(kind.shape[1]) < each[:, None]]
    return found.reshape(-1), counts.reshape(-1)


def _sorted_runs(parts: Sequence[Group]) -> list[Group]:
    if any(isinstance(part, Counted) for part in parts):
        return [counted(parts)]
    # Sorted runs, such as those of other ranks, are merged later, which takes a fraction of the
    # time of sorting them again.
    ascending, others = parted(list(parts))  # type: ignore[arg-type]
    return [*ascending, np.sort(np.concatenate(others))] if others else [*ascending]


def _at(group: Group, places: np.ndarray) -> Group:
    """Return the scores at these indices of a group, with repeated scores expanded."""
    if not isinstance(group, Counted):
        chosen: np.ndarray = group[places]
        return chosen
    entries = np.searchsorted(np.cumsum(group.counts, dtype=np.int64), places, side="right")
    counts = np.bincount(entries, minlength=len(group))
    return Counted(group.scores[counts > 0], counts[counts > 0])
