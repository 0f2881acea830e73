"""Runs of scores: all scores, or distinct scores with counts if these take less memory.

Scores that were bfloat16 or float16 have at most 65,281 values. Counts of two kinds take less than
a MiB for 4 billion samples, without any loss.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

__all__ = [
    "Counted",
    "Group",
    "Run",
    "ascending_runs",
    "converted",
    "counted",
    "expanded",
    "in_one",
    "is_weighted",
    "merged",
    "one_run",
    "parted",
    "scores_of",
]


@dataclass(frozen=True, eq=False)
class Counted:
    """Distinct scores and how often each occurs.

    Attributes:
        scores: The distinct scores, ascending.
        counts: The count of each score, positive integers.
    """

    scores: np.ndarray
    counts: np.ndarray

    def __len__(self) -> int:
        return len(self.scores)


Group: TypeAlias = "np.ndarray | Counted"
"""Scores of one kind of one class. A complex number is a score and its weight."""


@dataclass(frozen=True, eq=False)
class Run:
    """The scores of all groups, concatenated.

    Attributes:
        values: The scores, group after group.
        lengths: The number of values of each group, int64.
        counts: How often each value occurs; None: once for every entry.
        settled: Whether `one_run` made the run.
    """

    values: np.ndarray
    lengths: np.ndarray
    counts: np.ndarray | None = None
    settled: bool = False

    @classmethod
    def of(cls, groups: Sequence[Group]) -> Run:
        """Return the run of groups, which must be either all `Counted` or all arrays."""
        lengths = np.array([len(group) for group in groups], np.int64)
        if not len(groups):
            return cls(np.empty(0, np.float32), lengths)
        if isinstance(groups[0], Counted):
            values = np.concatenate([group.scores for group in groups])  # type: ignore[union-attr]
            counts = np.concatenate([group.counts for group in groups])  # type: ignore[union-attr]
            return cls(values, lengths, counts.astype(np.min_scalar_type(counts.max(initial=0))))
        return cls(np.concatenate(groups), lengths)  # type: ignore[arg-type]

    def groups(self) -> Iterator[Group]:
        """Yield every group."""
        stops = np.cumsum(self.lengths).tolist()
        for length, stop in zip(self.lengths.tolist(), stops, strict=True):
            here = slice(stop - length, stop)
            values = self.values[here]
            yield values if self.counts is None else Counted(values, self.counts[here])


def counted(parts: Iterable[Group]) -> Counted:
    """Return the distinct scores of some parts of a group, and how often each occurs in total.

    Example:
        >>> found = counted([np.array([0.5, 0.5, 1.0]), Counted(np.array([1.0]), np.array([9]))])
        >>> found.scores.tolist(), found.counts.tolist()
        ([0.5, 1.0], [2, 10])
    """
    found = [part if isinstance(part, Counted) else _count(np.sort(part)) for part in parts]
    if len(found) == 1:
        return found[0]
    scores = np.concatenate([np.empty(0, np.float32), *[part.scores for part in found]])
    counts = np.concatenate([np.empty(0, np.int64), *[part.counts for part in found]])
    order = np.argsort(scores, kind="stable")  # ascending parts: a merge
    scores, counts = scores[order], counts[order].astype(np.int64, copy=False)
    starts = _starts(scores)
    return Counted(scores[starts], np.add.reduceat(counts, starts) if len(starts) else counts)


def in_one(parts: Sequence[Group]) -> Group:
    """Return the ascending parts of a group joined into one."""
    if len(parts) > 1 and any(isinstance(part, Counted) for part in parts):
        return counted(parts)
    arrays: list[Any] = [*parts] or [np.empty(0)]
    return arrays[0] if len(arrays) == 1 else np.sort(np.concatenate(arrays), kind="stable")


def expanded(group: Group) -> np.ndarray:
    """Return every score, as often as it occurs."""
    if not isinstance(group, Counted):
        return group
    # Counts beyond 2^32 are uint64, which numpy does not take for lengths.
    return np.repeat(group.scores, group.counts.astype(np.int64, copy=False))


def converted(group: Group, dtype: np.dtype) -> Group:
    """Return the group with its scores converted to a dtype that holds them."""
    if isinstance(group, Counted):
        return Counted(group.scores.astype(dtype, copy=False), group.counts)
    return group.astype(dtype, copy=False)


def is_weighted(group: Group) -> bool:
    """Return whether the scores have weights."""
    return not isinstance(group, Counted) and group.dtype.kind == "c"


def scores_of(group: Group) -> np.ndarray:
    """Return the scores in order, without their counts or weights."""
    return group.scores if isinstance(group, Counted) else np.ascontiguousarray(group.real)


def one_run(runs: Sequence[Run]) -> Run:
    """Return one run, ascending in each group, with counts where these halve the memory.

    The result depends only on the scores, not on their division into runs.
    """
    if len(runs) == 1 and runs[0].settled:
        return runs[0]
    return replace(_joined(runs), settled=True)


def ascending_runs(runs: Sequence[Run]) -> list[Run]:
    """Return runs that ascend in each group: settled runs, not copied, and one of all others.

    If scores are counted, or no run is settled, there is one run.
    """
    settled = [run for run in runs if run.settled]
    if not settled or any(run.counts is not None for run in runs):
        return [one_run(runs)]
    rest = [run for run in runs if not run.settled]
    if rest:
        settled.append(_ascending([*zip(*(run.groups() for run in rest), strict=True)]))
    return settled


def parted(parts: Sequence[np.ndarray]) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Return the ascending parts, and the others."""
    found: tuple[list[np.ndarray], list[np.ndarray]] = [], []
    for part in parts:
        found[not (part[1:] >= part[:-1]).all()].append(part)
    return found


def merged(parts: Sequence[np.ndarray], out: np.ndarray) -> np.ndarray:
    """Write the elements of all parts into an array, in ascending order, and return it.

    Ascending parts are merged, which takes a fraction of the time of sorting them.

    Example:
        >>> merged([np.array([1, 4]), np.array([3, 2])], np.empty(4, int)).tolist()
        [1, 2, 3, 4]
    """
    ascending, others = parted(parts)
    np.concatenate([*ascending, *others], out=out)
    out[len(out) - sum(map(len, others)) :].sort()
    if len(ascending) + bool(others) > 1:
        out.sort(kind="stable")
    return out


def _joined(runs: Sequence[Run]) -> Run:
    groups = [*zip(*(run.groups() for run in runs), strict=True)]
    if any(run.counts is not None for run in runs):
        found = Run.of([counted(parts) for parts in groups])
        assert found.counts is not None
        samples = int(found.counts.sum(dtype=np.int64))
        if _pays(len(found.values), samples, found.values.itemsize, found.counts.itemsize):
            return found
        return Run.of([expanded(group) for group in found.groups()])
    single = _ascending(groups)
    if single.values.dtype.kind == "c":
        return single
    ascending: list[Any] = [*single.groups()]
    distinct = sum(1 + int(np.count_nonzero(g[1:] != g[:-1])) for g in ascending if len(g))
    width = single.values.itemsize
    if not _pays(distinct, len(single.values), width, 1):
        return single
    found = Run.of([_count(group) for group in ascending])
    assert found.counts is not None
    return found if _pays(distinct, len(single.values), width, found.counts.itemsize) else single


def _pays(distinct: int, samples: int, score_bytes: int, count_bytes: int) -> bool:
    return 2 * distinct * (score_bytes + count_bytes) <= samples * score_bytes


def _ascending(groups: Sequence[Sequence[np.ndarray]]) -> Run:
    """Return the run of all parts of each group, ascending."""
    lengths = np.array([sum(map(len, parts)) for parts in groups], np.int64)
    dtype = np.result_type(np.float32, *[part.dtype for part in groups[0]] if groups else [])
    run = Run(np.empty(int(lengths.sum()), dtype), lengths)
    for group, parts in zip(run.groups(), groups, strict=True):
        merged(parts, group)  # type: ignore[arg-type]
    return run


def _count(ascending: np.ndarray) -> Counted:
    starts = _starts(ascending)
    return Counted(ascending[starts], np.diff(starts, append=len(ascending)))


def _starts(ascending: np.ndarray) -> np.ndarray:
    """Return the index at which each distinct score begins."""
    new = np.ones(len(ascending), np.bool_)
    np.not_equal(ascending[1:], ascending[:-1], out=new[1:])
    return np.flatnonzero(new)
