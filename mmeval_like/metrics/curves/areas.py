"""Areas under curves, computed from exact totals over a ranking."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from mmeval_like.writing.exact import ExactSum

__all__ = ["PAIRS", "PRECISIONS", "SQUARES", "Areas", "Corner", "RankTotals"]

PAIRS, PRECISIONS, SQUARES = "pairs", "precisions", "squares"


class Corner(NamedTuple):
    """The point of a ROC curve at a given number of negatives, counted from the highest score.

    Attributes:
        pairs: Twice the number of pairs of a negative and a higher positive, up to the last score
            before the point.
        negatives: The number of negatives with at least that score, or the sum of their weights.
        positives: The same for positives.
        more_negatives: The number of negatives with the next score, which exceed the given number.
        more_positives: The number of positives with the next score.
    """

    pairs: Any
    negatives: Any
    positives: Any
    more_negatives: Any
    more_positives: Any


class Areas(ABC):
    """The base class of classes that hold the totals over a ranking.

    Attributes:
        exact: The numbers of negatives and of positives, or the exact sums of their weights.
    """

    exact: tuple[Any, Any]

    @property
    def negatives(self) -> Any:
        """The number of negatives, or the sum of their weights as a float."""
        return _plain(self.exact[0])

    @property
    def positives(self) -> Any:
        """The same for positives."""
        return _plain(self.exact[1])

    @abstractmethod
    def doubled_pairs(self) -> Any:
        """Return twice the number of pairs whose positive scores higher; equal scores count one."""

    @abstractmethod
    def corner(self, limit: Fraction) -> Corner:
        """Return where the curve has this number of negatives, less than all."""

    @abstractmethod
    def squares(self) -> tuple[int, int]:
        """Return the sums of squares of the doubled placements of the positives and negatives.

        The placement of a positive is the number of negatives that score higher, equal scores
        counting half; the placement of a negative is the number of positives that score higher.
        """

    @abstractmethod
    def precisions(self) -> ExactSum:
        """Return the sum, over positives, of the precision at their score."""

    def auroc(self) -> float:
        """Return the share of pairs whose positive scores higher; equal scores count half.

        The value is nan unless there are samples of both kinds.
        """
        negatives, positives = self.exact
        if not negatives or not positives:
            return math.nan
        return float(self.doubled_pairs() / (2 * negatives * positives))

    def partial_auroc(self, max_fpr: float) -> float:
        """Return the area up to a false positive rate, from 1/2 for guessing to 1 for no errors.

        With the area A, m = max_fpr^2 / 2 and M = max_fpr: (1 + (A - m) / (M - m)) / 2. Source:
        D. K. McClish, "Analyzing a portion of the ROC curve", Medical Decision Making 9 (1989).
        """
        negatives, positives = self.exact
        if max_fpr == 1 or not negatives or not positives:
            return self.auroc()
        most = Fraction(max_fpr)
        limit = most * negatives
        pairs, below, true, step, rise = map(Fraction, self.corner(limit))
        rest = limit - below
        area = (pairs + rest * (2 * true + rest * rise / step)) / (2 * negatives * positives)
        least = most * most / 2
        return float((1 + (area - least) / (most - least)) / 2)

    def gini(self) -> float:
        """Return 2 auroc - 1, rounded once; nan unless there are samples of both kinds."""
        negatives, positives = self.exact
        if not negatives or not positives:
            return math.nan
        every = negatives * positives
        return float((self.doubled_pairs() - every) / every)

    def average_precision(self) -> float:
        """Return the mean over positives of the precision at their score; 0 without positives."""
        return float(self.precisions().value() / self.positives) if self.positives else 0.0


@dataclass(frozen=True)
class RankTotals(Areas):
    """Only the totals that were asked for, without the ranking.

    Attributes:
        exact: As in `Areas`.
        known: The results of the methods, by `PAIRS`, `PRECISIONS` and `SQUARES`, or by the limit
            of a corner.
    """

    exact: tuple[Any, Any]
    known: Mapping[str | Fraction, Any]

    def doubled_pairs(self) -> Any:
        """Return twice the number of pairs whose positive scores higher; equal scores count one."""
        return self.known[PAIRS]

    def precisions(self) -> ExactSum:
        """Return the sum, over positives, of the precision at their score."""
        precisions: ExactSum = self.known[PRECISIONS]
        return precisions

    def corner(self, limit: Fraction) -> Corner:
        """Return where the curve has this number of negatives, less than all."""
        corner: Corner = self.known[limit]
        return corner

    def squares(self) -> tuple[int, int]:
        """Return the sums of squares of the doubled placements of the positives and negatives."""
        squares: tuple[int, int] = self.known[SQUARES]
        return squares


def _plain(number: Any) -> Any:
    return float(number) if isinstance(number, Fraction) else number
