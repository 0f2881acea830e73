"""The areas that follow from exact totals over a ranking, of all samples or of shares added up."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from mmeval_like._accumulate.exact import ExactSum

__all__ = ["Areas", "RankTotals"]


class Areas(ABC):
    """The base of what has the totals over a ranking.

    Attributes:
        negatives: The number of negatives, or the sum of their weights.
        positives: The same for positives.
    """

    negatives: Any
    positives: Any

    @abstractmethod
    def doubled_pairs(self) -> Any:
        """Return twice the number of pairs whose positive scores higher; equal scores count one."""

    @abstractmethod
    def precisions(self) -> ExactSum:
        """Return the sum, over positives, of the precision at their score."""

    def auroc(self) -> float:
        """Return the share of pairs whose positive scores higher; equal scores count half.

        nan unless there are samples of both kinds.
        """
        if not self.negatives or not self.positives:
            return math.nan
        return float(self.doubled_pairs() / (2 * self.negatives * self.positives))

    def gini(self) -> float:
        """Return 2 auroc - 1, rounded once; nan unless there are samples of both kinds."""
        if not self.negatives or not self.positives:
            return math.nan
        every = self.negatives * self.positives
        return float((self.doubled_pairs() - every) / every)

    def average_precision(self) -> float:
        """Return the mean over positives of the precision at their score; 0 without positives."""
        return float(self.precisions().value() / self.positives) if self.positives else 0.0


@dataclass(frozen=True)
class RankTotals(Areas):
    """The totals alone.

    Attributes:
        negatives: The number of negatives.
        positives: The number of positives.
        pairs: What `doubled_pairs` returns.
        precision: What `precisions` returns.
    """

    negatives: int
    positives: int
    pairs: int
    precision: ExactSum

    def doubled_pairs(self) -> int:
        """Return twice the number of pairs whose positive scores higher; equal scores count one."""
        return self.pairs

    def precisions(self) -> ExactSum:
        """Return the sum, over positives, of the precision at their score."""
        return self.precision
