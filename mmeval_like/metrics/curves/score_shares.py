"""Areas computed from dealt scores: each rank sorts one share of the scores of all ranks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from mmeval_like.metrics.curves.areas import RankTotals
from mmeval_like.metrics.curves.ranking import Ranking
from mmeval_like.metrics.curves.score_runs import Counted, Group, is_weighted, scores_of
from mmeval_like.metrics.curves.share_totals import Column, Layout, Numbers, ScoreTotals, Wanted
from mmeval_like.writing.dealing import Ranks, Run
from mmeval_like.writing.exact import ExactSum, limbs

__all__ = ["totals_of"]


def totals_of(
    groups: Sequence[list[Group]], kinds: int, wanted: frozenset[Wanted], ranks: Ranks
) -> ScoreTotals:
    """Return the wanted totals of the scores of all ranks; every rank calls this.

    Args:
        groups: This rank's scores by kind and class, each group in some ascending parts, which are
            either all counted or all arrays. Every rank has the same number of groups, of the same
            dtype. The groups are consumed.
        kinds: The number of kinds.
        wanted: The wanted totals, the same on every rank.
        ranks: The ranks.
    """
    found: dict[Layout, list[dict[tuple[int, int], RankTotals]]] = {}
    layouts = sorted({one.layout for one in wanted}, key=repr)
    for layout in layouts:
        what = sorted([one for one in wanted if one.layout == layout])
        given = groups if layout == layouts[-1] else [list(parts) for parts in groups]
        found[layout] = _Ranked(given, layout.columns(len(groups), kinds), ranks).totals(what)
    return ScoreTotals(found)


class _Ranked:
    """Columns of groups; the scores of each column are sorted together.

    Args:
        groups: As in `totals_of`; they are consumed when they are sent.
        columns: The groups of each column.
        ranks: The ranks.
    """

    def __init__(
        self, groups: Sequence[list[Group]], columns: Sequence[Column], ranks: Ranks
    ) -> None:
        self._groups, self._columns, self._ranks = groups, columns, ranks
        parts = [part for some in groups for part in some]
        self._numbers = Numbers(any(is_weighted(part) for part in parts))
        self._partition = ranks.partition(self._runs, len(columns))

    def totals(self, wanted: Sequence[Wanted]) -> list[dict[tuple[int, int], RankTotals]]:
        """Return the totals of every ranking, by column."""
        ranks, weighted = self._ranks, self._numbers.weighted
        kinds = max([len(column.kinds) for column in self._columns], default=0)
        settle = _settled if weighted else None
        counts = self._partition.totals(_from_cuts, kinds, _size_of_one(weighted), settle)
        whole = [[self._count_of(count) for count in column] for column in counts]
        share = self._partition.share()
        width = self._numbers.width(wanted)
        number = sum(len(column.rankings) for column in self._columns)
        work = partial(self._own, share, whole, wanted)
        rows = iter(ranks.total(work, number * width).reshape(number, width))
        return [
            {
                pair: self._numbers.unpack(next(rows), wanted, _of(count, pair))
                for pair in column.rankings
            }
            for column, count in zip(self._columns, whole, strict=True)
        ]

    def _runs(self) -> list[Run]:
        """Return the parts of all groups, by column and kind."""
        found = [
            Run(place, kind, g, scores_of(part), _arrays_of(part))
            for place, column in enumerate(self._columns)
            for kind, members in enumerate(column.kinds)
            for g in members
            for part in self._groups[g]
        ]
        for parts in self._groups:
            parts.clear()  # frees converted copies before the shares are ranked
        return found

    def _count_of(self, vector: np.ndarray) -> Any:
        """Return a number of samples, or the sum of their weights."""
        if self._numbers.weighted:
            return ExactSum.from_dense(vector, ()).fraction()
        return int(vector[0])

    def _own(
        self,
        share: Callable[[], Mapping[int, Sequence[Sequence[np.ndarray]]]],
        whole: Sequence[Sequence[Any]],
        wanted: Sequence[Wanted],
    ) -> np.ndarray:
        """Return the contribution of this rank's share to the totals of every ranking."""
        groups = {g: [_group_of(arrays) for arrays in parts] for g, parts in share().items()}
        here = [
            [[part for g in members for part in groups.get(g, [])] for members in column.kinds]
            for column in self._columns
        ]
        none, rows = np.zeros(self._numbers.width(wanted), np.int64), [np.empty(0, np.int64)]
        for place, (column, kinds) in enumerate(zip(self._columns, here, strict=True)):
            above = self._partition.above(place)
            higher: list[Any] = [0 for _ in kinds]
            if above is not None:
                higher = [self._count_of(count) for count in above]
            for pair in column.rankings:
                if not any(kinds[kind] for kind in pair):
                    rows.append(none)
                    continue
                ranking = Ranking.of(*_of(kinds, pair), _of(higher, pair))
                rows.append(self._numbers.pack(ranking, wanted, whole[place][pair[0]]))
        return np.concatenate(rows)


def _of(values: Sequence[Any], pair: tuple[int, int]) -> tuple[Any, Any]:
    """Return the values of the negatives and of the positives."""
    return values[pair[0]], values[pair[1]]


def _size_of_one(weighted: bool) -> int:
    return ExactSum.dense_size(()) if weighted else 1


def _from_cuts(run: Run, cuts: np.ndarray) -> np.ndarray:
    """Return the number of a run's samples from each cut on, or dense sums of their weights."""
    found: np.ndarray
    part = _group_of(run.arrays)
    if is_weighted(part):
        found = np.zeros((len(cuts), ExactSum.dense_size(())), np.int64)
        for place, (start, stop) in enumerate(pairwise(cuts.tolist())):
            if start < stop:
                weights = ExactSum()
                weights.add(part.imag[start:stop])  # type: ignore[union-attr]
                found[place] = weights.to_dense()
        return np.cumsum(found[::-1], axis=0)[::-1]
    if isinstance(part, Counted):
        before = np.append(0, np.cumsum(part.counts, dtype=np.int64))
        found = before[-1] - before[cuts]
    else:
        found = len(part) - cuts
    return found[:, None]


def _settled(totals: np.ndarray) -> None:
    """Normalise sums of weights in place, so that those of up to 2^30 ranks can be added."""
    limbs.settle(np.moveaxis(totals, -1, 0))


def _arrays_of(part: Group) -> Sequence[np.ndarray]:
    return (part.scores, part.counts) if isinstance(part, Counted) else (part,)


def _group_of(arrays: Sequence[np.ndarray]) -> Group:
    return Counted(*arrays) if len(arrays) > 1 else arrays[0]
