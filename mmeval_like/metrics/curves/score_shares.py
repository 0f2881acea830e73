"""Areas over scores that are dealt over the ranks: each rank ranks its share of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from mmeval_like._exact import limbs
from mmeval_like._states.dealing import Ranks, Shares
from mmeval_like.backends.wire.packing import Buffer
from mmeval_like.metrics.curves.areas import RankTotals
from mmeval_like.metrics.curves.ranking import Ranking
from mmeval_like.metrics.curves.score_runs import Counted, Group, Run, is_weighted, scores_of
from mmeval_like.metrics.curves.share_totals import Column, Layout, Numbers, ScoreTotals, Wanted
from mmeval_like.writing.exact import ExactSum

__all__ = ["totals_of"]


def totals_of(
    groups: Sequence[list[Group]], kinds: int, wanted: frozenset[Wanted], ranks: Ranks
) -> ScoreTotals:
    """Return what is wanted of the scores of all ranks; every rank calls it.

    Args:
        groups: This rank's scores: those of each kind of each class, each in some ascending parts,
            which are all counted or none. On every rank as many groups, of the same dtype. They
            are used up.
        kinds: The number of kinds.
        wanted: The same on every rank.
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
    """Columns of groups, each of which is one order.

    Args:
        groups: As in `totals_of`; used up when they are sent.
        columns: Which groups are in it.
        ranks: The ranks.
    """

    def __init__(
        self, groups: Sequence[list[Group]], columns: Sequence[Column], ranks: Ranks
    ) -> None:
        self._groups, self._columns, self._ranks = groups, columns, ranks
        self._shares = Shares.even(self._each, len(columns), ranks)
        parts = [part for some in groups for part in some]
        self._numbers = Numbers(any(is_weighted(part) for part in parts))

    def totals(self, wanted: Sequence[Wanted]) -> list[dict[tuple[int, int], RankTotals]]:
        """Return the totals of every ranking, by column."""
        ranks, shape = self._ranks, self._shape()
        counts = ranks.total(self._counts, int(np.prod(shape))).reshape(shape)
        whole = [[self._count_of(count) for count in column] for column in counts[ranks.size - 1 :]]
        received, lengths = ranks.dealt(self._parts)
        width = self._numbers.width(wanted)
        number = sum(len(column.rankings) for column in self._columns)
        work = partial(self._own, received, lengths, whole, counts[: ranks.size - 1], wanted)
        rows = iter(ranks.total(work, number * width).reshape(number, width))
        return [
            {
                pair: self._numbers.unpack(next(rows), wanted, _of(count, pair))
                for pair in column.rankings
            }
            for column, count in zip(self._columns, whole, strict=True)
        ]

    def _each(self) -> list[list[np.ndarray]]:
        """Return the scores of every column, without weights."""
        return [
            [scores_of(part) for _, _, part in self._parts_of(column)] for column in self._columns
        ]

    def _shape(self) -> tuple[int, int, int]:
        """Return the shape of the counts: borders and columns, kinds, and of one count."""
        kinds = max([len(column.kinds) for column in self._columns], default=0)
        borders = self._ranks.size - 1
        return borders + len(self._columns), kinds, _size_of_one(self._numbers.weighted)

    def _counts(self) -> np.ndarray:
        """Return how many of each kind are not below each border; then how many in each column."""
        found, borders = np.zeros(self._shape(), np.int64), self._ranks.size - 1
        for place, column in enumerate(self._columns):
            here = np.flatnonzero(self._shares.columns == place)
            for kind, _, part in self._parts_of(column):
                from_cuts = _from_cuts(part, self._shares.cuts(place, scores_of(part)))
                found[borders + place, kind] += from_cuts[0]
                found[here, kind] += from_cuts[1:-1][here]
        if self._numbers.weighted:  # a rank's slices are fewer than 2^32; 2^30 ranks add up now
            limbs.settle(np.moveaxis(found, -1, 0))
        return found.reshape(-1)

    def _count_of(self, vector: np.ndarray) -> Any:
        """Return a number of samples, or the sum of their weights."""
        if self._numbers.weighted:
            return ExactSum.from_dense(vector, ()).fraction()
        return int(vector[0])

    def _parts_of(self, column: Column) -> Iterator[tuple[int, int, Group]]:
        """Yield the parts of a column's groups, with their kind and the number of their group."""
        for kind, members in enumerate(column.kinds):
            for g in members:
                for part in self._groups[g]:
                    yield kind, g, part

    def _parts(self) -> list[list[Buffer]]:
        """Return what every rank gets: its share of every part."""
        shares: list[list[tuple[int, Group]]] = [[] for _ in range(self._ranks.size)]
        for place, column in enumerate(self._columns):
            for _, g, part in self._parts_of(column):
                cuts = self._shares.cuts(place, scores_of(part)).tolist()
                for rank in self._shares.ranks_of(place):
                    share = _cut(part, slice(cuts[rank], cuts[rank + 1]))
                    shares[rank].append((g, share))
        for parts in self._groups:
            parts.clear()  # so that none that was converted stays while the shares are ranked
        return [_packed(share) for share in shares]

    def _own(
        self,
        received: np.ndarray,
        lengths: Sequence[int],
        whole: Sequence[Sequence[Any]],
        from_borders: np.ndarray,
        wanted: Sequence[Wanted],
    ) -> np.ndarray:
        """Return what this rank's share adds to the totals of every ranking."""
        rank, groups = self._ranks.rank, _received(received, lengths)
        here = [
            [[part for g in members for part in groups.get(g, [])] for members in column.kinds]
            for column in self._columns
        ]
        none, rows = np.zeros(self._numbers.width(wanted), np.int64), [np.empty(0, np.int64)]
        for place, (column, kinds) in enumerate(zip(self._columns, here, strict=True)):
            higher: list[Any] = [0 for _ in kinds]
            if rank < len(from_borders) and self._shares.columns[rank] == place:
                higher = [self._count_of(count) for count in from_borders[rank]]
            for pair in column.rankings:
                if not any(kinds[kind] for kind in pair):
                    rows.append(none)
                    continue
                ranking = Ranking.of(*_of(kinds, pair), _of(higher, pair))
                rows.append(self._numbers.pack(ranking, wanted, whole[place][pair[0]]))
        return np.concatenate(rows)


def _of(values: Sequence[Any], pair: tuple[int, int]) -> tuple[Any, Any]:
    """Return those of the negatives and of the positives."""
    return values[pair[0]], values[pair[1]]


def _size_of_one(weighted: bool) -> int:
    return ExactSum.dense_size(()) if weighted else 1


def _from_cuts(part: Group, cuts: np.ndarray) -> np.ndarray:
    """Return how many samples a part has from each cut on, or their weights' dense sums."""
    found: np.ndarray
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


def _received(received: np.ndarray, lengths: Sequence[int]) -> dict[int, list[Group]]:
    """Return the parts of each group that any rank sent."""
    found: dict[int, list[Group]] = {}
    for data in np.split(received, np.cumsum(lengths)[:-1]):
        for g, group in _unpacked(data):
            if len(group):
                found.setdefault(g, []).append(group)
    return found


def _packed(share: Sequence[tuple[int, Group]]) -> list[Buffer]:
    """Return parts with their groups' numbers as bytes: a table, all scores, all counts if any.

    Counts end at a multiple of 8 bytes, so that all that lies behind them is aligned.
    """
    scores = [part.scores if isinstance(part, Counted) else part for _, part in share]
    counts = [part.counts for _, part in share if isinstance(part, Counted)]
    widths = [arrays[0].itemsize if arrays else 0 for arrays in (scores, counts)]
    table = np.array([len(share), *widths, *[g for g, _ in share], *map(len, scores)], np.int64)
    found: list[Any] = [table, *scores, *counts]
    if counts:
        found.append(bytes(-sum(array.nbytes for array in found) % 8))
    return found


def _unpacked(data: np.ndarray) -> Iterator[tuple[int, Group]]:
    """Yield what `_packed` packed; the groups look into the bytes."""
    number, score_bytes, count_bytes = np.frombuffer(data, np.int64, 3).tolist()
    if not number:
        return
    members, lengths = np.frombuffer(data, np.int64, 2 * number, 24).reshape(2, number)
    start, size = 24 + 16 * number, int(lengths.sum())
    code = "c" if score_bytes == 16 else "f"
    scores, counts = np.frombuffer(data, f"{code}{score_bytes}", size, start), None
    if count_bytes:
        counts = np.frombuffer(data, f"u{count_bytes}", size, start + score_bytes * size)
    yield from zip(members.tolist(), Run(scores, lengths, counts).groups(), strict=True)


def _cut(group: Group, here: slice) -> Group:
    if isinstance(group, Counted):
        return Counted(group.scores[here], group.counts[here])
    return group[here]
