"""The totals that metrics need of dealt scores, and the vectors that the ranks add up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from mmeval_like.metrics._common.wide_integers import DIGITS, digits_of, number_of
from mmeval_like.metrics.curves.areas import PAIRS, PRECISIONS, SQUARES, Areas, Corner, RankTotals
from mmeval_like.metrics.curves.curve_points import CurvePoints
from mmeval_like.metrics.curves.thinned_curves import WantedCurve
from mmeval_like.writing.exact import ExactSum, limbs

__all__ = ["CORNER", "Column", "Layout", "Numbers", "ScoreTotals", "Wanted"]

CORNER = "corner"

_DENSE = ExactSum.dense_size(())


class Column(NamedTuple):
    """Scores that are sorted together.

    Attributes:
        kinds: For each kind of sample, the groups with its scores.
        rankings: The pairs of kinds that are compared: negatives and positives.
    """

    kinds: list[list[int]]
    rankings: list[tuple[int, int]]


class Layout(NamedTuple):
    """The division of groups into rankings.

    Attributes:
        left_out: None: each class separately, one-vs-rest. Otherwise all classes except these,
            together.
        by_label: Whether the scores of each class that is not left out are compared by pairs of
            labels.
    """

    left_out: tuple[int, ...] | None = None
    by_label: bool = False

    def columns(self, groups: int, kinds: int) -> list[Column]:
        """Return the columns of `groups` groups, with `kinds` kinds in every class."""
        left_out = self.left_out or ()
        classes = [c for c in range(groups // kinds) if c not in left_out]
        if self.by_label:
            labels = [d for d in range(kinds) if d not in left_out]
            return [
                Column([[kinds * c + d] for d in range(kinds)], [(d, c) for d in labels if d != c])
                for c in classes
            ]
        both = [[2 * c, 2 * c + 1] for c in classes]
        if self.left_out is None:
            return [Column([[negative], [positive]], [(0, 1)]) for negative, positive in both]
        return [Column([[members[kind] for members in both] for kind in (0, 1)], [(0, 1)])]


class Wanted(NamedTuple):
    """A total that a metric needs.

    Attributes:
        total: `PAIRS`, `PRECISIONS`, `SQUARES` or `CORNER`.
        layout: The groups that the total covers.
        max_fpr: The false positive rate of a `CORNER`.
    """

    total: str
    layout: Layout = Layout()
    max_fpr: float = 1.0


@dataclass(frozen=True)
class ScoreTotals:
    """The totals of the scores of all ranks.

    Attributes:
        found: The totals of every ranking, by the index of its column and its two kinds.
        curves: The thinned curves, by `WantedCurve`.
    """

    found: Mapping[Layout, Sequence[Mapping[tuple[int, int], RankTotals]]]
    curves: Mapping[WantedCurve, list[CurvePoints]] = field(default_factory=dict)

    def rankings(self) -> list[RankTotals]:
        """Return the totals of each class."""
        return [column[0, 1] for column in self.found[Layout()]]

    def pooled(self, left_out: Sequence[int]) -> RankTotals:
        """Return the totals of all classes together, except those left out."""
        [column] = self.found[Layout(tuple(left_out))]
        return column[0, 1]

    def pair(self, positive: int, negative: int, left_out: Sequence[int]) -> RankTotals:
        """Return the totals of the samples of two labels over the scores of the first label."""
        columns = self.found[Layout(tuple(left_out), by_label=True)]
        place = positive - sum(c < positive for c in left_out)
        return columns[place][negative, positive]


class Numbers:
    """Converts exact numbers to vectors of int64 that can be added.

    Args:
        weighted: Whether numbers are fractions whose denominators are powers of two: sums and
            products of weights. Otherwise they are integers below 2^120.

    Example:
        >>> numbers = Numbers(weighted=False)
        >>> numbers.number(numbers.vector(2**99) + numbers.vector(1)) == 2**99 + 1
        True
    """

    def __init__(self, weighted: bool) -> None:
        self.weighted = weighted
        self.size = _DENSE if weighted else DIGITS

    def vector(self, number: Any) -> np.ndarray:
        """Return a non-negative number as int64 (size,)."""
        if self.weighted:
            return limbs.of_units(int(number * limbs.UNITS))
        return digits_of(number)

    def number(self, vector: np.ndarray) -> Any:
        """Return the number that a sum of vectors represents."""
        if self.weighted:
            return ExactSum.from_dense(vector, ()).fraction()
        return number_of(vector)

    def width(self, wanted: Sequence[Wanted]) -> int:
        """Return the length of the result of `pack`."""
        return sum(
            _DENSE if one.total == PRECISIONS else _COUNT[one.total] * self.size for one in wanted
        )

    def pack(self, ranking: Areas, wanted: Sequence[Wanted], negatives: Any) -> np.ndarray:
        """Return the totals of a share.

        Args:
            ranking: The ranking of the share.
            wanted: The wanted totals.
            negatives: The number of all negatives, or the sum of their weights.
        """
        found = []
        for one in wanted:
            if one.total == PRECISIONS:
                found.append(ranking.precisions().to_dense())
                continue
            several: Sequence[Any]
            if one.total == PAIRS:
                several = [ranking.doubled_pairs()]
            elif one.total == SQUARES:
                several = ranking.squares()
            else:
                several = ranking.corner(Fraction(one.max_fpr) * negatives)
            found += [self.vector(number) for number in several]
        return np.concatenate(found)

    def unpack(
        self, vector: np.ndarray, wanted: Sequence[Wanted], exact: tuple[Any, Any]
    ) -> RankTotals:
        """Return the totals of all shares from the sum of their vectors.

        Args:
            vector: The sum of the results of `pack`.
            wanted: As for `pack`.
            exact: The numbers of all negatives and positives, or the sums of their weights.
        """
        known: dict[Any, Any] = {}
        for one in wanted:
            size = self.width([one])
            here, vector = vector[:size], vector[size:]
            if one.total == PRECISIONS:
                known[PRECISIONS] = ExactSum.from_dense(here, ())
                continue
            several = [self.number(part) for part in here.reshape(-1, self.size)]
            if one.total == PAIRS:
                [known[PAIRS]] = several
            elif one.total == SQUARES:
                known[SQUARES] = tuple(several)
            else:
                known[Fraction(one.max_fpr) * exact[0]] = Corner(*several)
        return RankTotals(exact, known)


_COUNT = {PAIRS: 1, SQUARES: 2, CORNER: len(Corner._fields)}
"""The number of values in each total."""
