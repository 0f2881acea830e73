"""Points of a curve: the numbers of samples of both kinds with at least each score."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like.metrics.curves.sorted_scores import Counts

__all__ = ["Curve", "CurvePoints"]


class Curve(ABC):
    """The base class of classes that hold the points of a curve.

    Attributes:
        negatives: The number of negatives, or the sum of their weights.
        positives: The same for positives.
    """

    negatives: Any
    positives: Any

    @abstractmethod
    def above(self) -> Counts:
        """Return ascending scores, and how many negatives and positives have at least each."""

    def operating_points(self) -> Counts:
        """Return thresholds, highest first, and how many of both kinds have at least each.

        The first threshold is infinity, which no score reaches; the others are the scores.
        """
        scores, *above = self.above()
        false, true = (np.append(0, counts[::-1]) for counts in above)
        # Infinity in the scores' dtype, since appending promotes to the wider of both dtypes.
        return np.append(np.array([np.inf], scores.dtype), scores[::-1]), false, true

    def rates(self) -> Counts:
        """Return the operating points with shares of negatives and positives instead of counts.

        Without samples of a kind, its shares are nan.
        """
        thresholds, false, true = self.operating_points()
        fpr = false / self.negatives if self.negatives else np.full(len(false), math.nan)
        tpr = true / self.positives if self.positives else np.full(len(true), math.nan)
        return thresholds, fpr, tpr


@dataclass(frozen=True)
class CurvePoints(Curve):
    """Some points of a curve.

    Attributes:
        scores: Ascending thresholds.
        false: The number of negatives with at least each threshold, or the sum of their weights.
        true: The same for positives.
        negatives: The number of all negatives, or the sum of their weights.
        positives: The same for positives.
    """

    scores: np.ndarray
    false: np.ndarray
    true: np.ndarray
    negatives: Any
    positives: Any

    def above(self) -> Counts:
        """Return the scores, and how many negatives and positives have at least each."""
        return self.scores, self.false, self.true

    def largest_step(self) -> float:
        """Return the largest share of the positives that lie between neighbouring points."""
        _, _, true = self.operating_points()
        return float(np.diff(true).max() / self.positives) if self.positives else math.nan
