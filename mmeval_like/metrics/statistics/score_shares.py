"""Areas over scores that are dealt over the ranks: each rank ranks its share of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from mmeval_like._accumulate.dealing import Ranks, Shares
from mmeval_like._accumulate.exact import ExactSum
from mmeval_like._wire.packing import Buffer
from mmeval_like.metrics.statistics.areas import RankTotals
from mmeval_like.metrics.statistics.curve_points import CurvePoints
from mmeval_like.metrics.statistics.ranking import Ranking
from mmeval_like.metrics.statistics.score_runs import Counted, Group, Run
from mmeval_like.metrics.statistics.thinned_curves import WantedCurve

__all__ = ["PAIRS", "PRECISIONS", "ScoreTotals", "Wanted", "totals_of"]

PAIRS, PRECISIONS = "pairs", "precisions"

# Digits of pairs, which are far below 2^120; digits of 2^20 ranks add up in an int64.
_DIGIT, _DIGITS = 40, 3
_DENSE = ExactSum.dense_size(())


class Wanted(NamedTuple):
    """What a metric wants of scores.

    Attributes:
        total: `PAIRS` or `PRECISIONS`.
        left_out: None: of each class by itself. Else of all classes together but these.
    """

    total: str
    left_out: tuple[int, ...] | None = None


@dataclass(frozen=True)
class ScoreTotals:
    """What is known of the scores of all ranks, by the classes that were left out.

    Attributes:
        found: The totals of each class, by None; those of all together but some, by these.
        curves: The thinned curves, by what was wanted.
    """

    found: Mapping[tuple[int, ...] | None, list[RankTotals]]
    curves: Mapping[WantedCurve, list[CurvePoints]] = field(default_factory=dict)

    def rankings(self) -> list[RankTotals]:
        """Return the totals of each class."""
        return self.found[None]

    def pooled(self, left_out: Sequence[int]) -> RankTotals:
        """Return the totals of all classes together but some."""
        return self.found[tuple(left_out)][0]


def totals_of(
    groups: Sequence[list[Group]], wanted: frozenset[Wanted], ranks: Ranks
) -> ScoreTotals:
    """Return what is wanted of the scores of all ranks; every rank calls it.

    Args:
        groups: This rank's scores: the negatives and the positives of each class, each in some
            ascending parts, which are all counted or none. On every rank as many groups, of the
            same dtype. They are used up.
        wanted: The same on every rank.
        ranks: The ranks.
    """
    found: dict[tuple[int, ...] | None, list[RankTotals]] = {}
    layouts = sorted({one.left_out for one in wanted}, key=repr)
    for left_out in layouts:
        what = {one.total for one in wanted if one.left_out == left_out}
        if left_out is None:
            columns = [[place, place + 1] for place in range(0, len(groups), 2)]
        else:
            columns = [[g for g in range(len(groups)) if g // 2 not in left_out]]
        given = groups if left_out == layouts[-1] else [list(parts) for parts in groups]
        found[left_out] = _Ranked(given, columns, ranks).totals(what)
    return ScoreTotals(found)


class _Ranked:
    """Columns of groups, each of which is one ranking.

    Args:
        groups: As in `totals_of`; used up when they are sent.
        columns: By column, its groups; those of even number are negatives.
        ranks: The ranks.
    """

    def __init__(
        self,
        groups: Sequence[list[Group]],
        columns: Sequence[Sequence[int]],
        ranks: Ranks,
    ) -> None:
        self._groups, self._columns, self._ranks = groups, columns, ranks
        each = [[_scores(part) for g in column for part in groups[g]] for column in columns]
        self._shares = Shares.even(each, ranks)

    def totals(self, what: set[str]) -> list[RankTotals]:
        """Return the totals of every column."""
        ranks, columns = self._ranks, len(self._columns)
        size = 2 * columns + 2 * (ranks.size - 1)
        counts = ranks.total(self._counts, size).reshape(-1, 2)
        whole, before = counts[:columns], counts[columns:]
        received, lengths = ranks.dealt(self._parts)
        width = 2 + _DIGITS + _DENSE
        work = partial(self._own, received, lengths, whole, before, what)
        found = ranks.total(work, columns * width).reshape(columns, width)
        return [
            RankTotals(
                int(row[0]),
                int(row[1]),
                _number(row[2 : 2 + _DIGITS]),
                ExactSum.from_dense(row[2 + _DIGITS :], ()),
            )
            for row in found
        ]

    def _counts(self) -> np.ndarray:
        """Return the negatives and positives of every column; then those before each share."""
        whole = np.zeros((len(self._columns), 2), np.int64)
        before = np.zeros((self._ranks.size - 1, 2), np.int64)
        for column, members in enumerate(self._columns):
            here = self._shares.columns == column
            for g, part in self._parts_of(members):
                cuts = self._shares.cuts(column, _scores(part))
                if isinstance(part, Counted):
                    cuts = np.append(0, np.cumsum(part.counts, dtype=np.int64))[cuts]
                whole[column, g % 2] += cuts[-1]
                before[here, g % 2] += cuts[1:-1][here]
        return np.concatenate([whole, before]).reshape(-1)

    def _parts_of(self, members: Sequence[int]) -> Iterator[tuple[int, Group]]:
        """Yield the parts of groups, with the number of their group."""
        for g in members:
            for part in self._groups[g]:
                yield g, part

    def _parts(self) -> list[list[Buffer]]:
        """Return what every rank gets: its share of every part."""
        shares: list[list[tuple[int, Group]]] = [[] for _ in range(self._ranks.size)]
        for column, members in enumerate(self._columns):
            for g, part in self._parts_of(members):
                cuts = self._shares.cuts(column, _scores(part)).tolist()
                for rank in self._shares.ranks_of(column):
                    share = _cut(part, slice(cuts[rank], cuts[rank + 1]))
                    shares[rank].append((g, share))
        for parts in self._groups:
            parts.clear()  # so that what is received can take their memory
        return [_packed(share) for share in shares]

    def _own(
        self,
        received: np.ndarray,
        lengths: Sequence[int],
        whole: np.ndarray,
        before: np.ndarray,
        what: set[str],
    ) -> np.ndarray:
        """Return what this rank's share adds to the totals of every column."""
        rank, kinds = self._ranks.rank, _received(received, lengths)
        found = np.zeros((len(self._columns), 2 + _DIGITS + _DENSE), np.int64)
        for column, members in enumerate(self._columns):
            negatives, positives = (
                [part for g in members if g % 2 == kind for part in kinds.get(g, [])]
                for kind in (0, 1)
            )
            if not negatives and not positives:
                continue
            ranking = Ranking.of(negatives, positives)
            lower = np.zeros(2, np.int64)
            if rank and self._shares.columns[rank - 1] == column:
                lower = before[rank - 1]
            own = np.array([ranking.negatives, ranking.positives])
            found[column, :2] = own
            if PAIRS in what:
                pairs = ranking.doubled_pairs() + 2 * int(lower[0]) * ranking.positives
                found[column, 2 : 2 + _DIGITS] = _digits(pairs)
            if PRECISIONS in what:
                above = (whole[column] - lower - own).tolist()
                found[column, 2 + _DIGITS :] = ranking.precisions(*above).to_dense()
        return found.reshape(-1)


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
    scores = [_scores(part) for _, part in share]
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
    scores, counts = np.frombuffer(data, f"f{score_bytes}", size, start), None
    if count_bytes:
        counts = np.frombuffer(data, f"u{count_bytes}", size, start + score_bytes * size)
    yield from zip(members.tolist(), Run(scores, lengths, counts).groups(), strict=True)


def _scores(group: Group) -> np.ndarray:
    return group.scores if isinstance(group, Counted) else group


def _cut(group: Group, here: slice) -> Group:
    if isinstance(group, Counted):
        return Counted(group.scores[here], group.counts[here])
    return group[here]


def _digits(number: int) -> list[int]:
    return [(number >> (_DIGIT * place)) & ((1 << _DIGIT) - 1) for place in range(_DIGITS)]


def _number(digits: np.ndarray) -> int:
    return sum(digit << (_DIGIT * place) for place, digit in enumerate(digits.tolist()))
