"""Points of curves: the best value where another is at least what was asked for."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np

from mmeval_like.compat.torchmetrics.classification.curves import (
    PrecisionRecallPoints,
    RocPoints,
    of_scores,
)
from mmeval_like.compat.torchmetrics.exchanged import Exchanged

__all__ = ["CLASSES"]

_NONE = 1e6  # torchmetrics' threshold where no point of a ROC curve is good enough


class _Point(Exchanged):
    """A value and its threshold, or an array of each with a number for every class."""

    pooled: bool
    thresholds: Any
    curves: Any

    def _value(self, result: Mapping[str, Any]) -> Any:
        *curves, at = self.curves(result)
        curves = [[np.float32(one) for one in np.atleast_2d(several)] if self.pooled else
                  [np.float32(one) for one in several] for several in curves]  # fmt: skip
        places = [at] * len(curves[0]) if self.pooled or self.thresholds is not None else at
        found = [self._best(*one) for one in zip(*curves, places, strict=True)]
        return tuple(np.array(numbers) for numbers in zip(*found, strict=True))

    @abstractmethod
    def _best(self, first: Any, second: Any, at: Any) -> tuple[float, float]:
        """Return the value and the threshold of one curve; in float32, as torchmetrics compares."""


class _RecallAtFixedPrecision(_Point, PrecisionRecallPoints):
    min_precision: float

    def _best(self, precision: Any, recall: Any, at: Any) -> tuple[float, float]:
        return _highest(recall, precision, at, self.min_precision)


class _PrecisionAtFixedRecall(_Point, PrecisionRecallPoints):
    min_recall: float

    def _best(self, precision: Any, recall: Any, at: Any) -> tuple[float, float]:
        return _highest(precision, recall, at, self.min_recall)


class _SensitivityAtSpecificity(_Point, RocPoints):
    min_specificity: float

    def _best(self, fpr: Any, tpr: Any, at: Any) -> tuple[float, float]:
        return _first(tpr, 1 - fpr, at, self.min_specificity)


class _SpecificityAtSensitivity(_Point, RocPoints):
    min_sensitivity: float

    def _best(self, fpr: Any, tpr: Any, at: Any) -> tuple[float, float]:
        return _first(1 - fpr, tpr, at, self.min_sensitivity)


class _EER(_Point, RocPoints):
    """The mean of both error rates, where these are nearest to each other."""

    def _value(self, result: Mapping[str, Any]) -> Any:
        return super()._value(result)[0]

    def _best(self, fpr: Any, tpr: Any, at: Any) -> tuple[float, float]:
        nearest = np.abs(1 - tpr - fpr).argmin()
        return (1 - tpr + fpr)[nearest] / 2, at[nearest]


def _highest(wanted: Any, given: Any, at: Any, least: float) -> tuple[float, float]:
    """Return the highest wanted value, of these with the highest given one, and its threshold."""
    wanted, given = wanted[: len(at)], given[: len(at)]
    good = np.flatnonzero((given >= np.float32(least)) & (wanted > 0))
    if not len(good):
        return 0.0, math.nan
    best = good[np.lexsort((at[good], given[good], wanted[good]))[-1]]
    return wanted[best], at[best]


def _first(wanted: Any, given: Any, at: Any, least: float) -> tuple[float, float]:
    """Return the highest wanted value and the highest threshold that reaches it."""
    good = np.flatnonzero(given >= np.float32(least))
    if not len(good):
        return 0.0, _NONE
    best = good[wanted[good].argmax()]
    return wanted[best], at[best]


CLASSES = of_scores(
    {
        "RecallAtFixedPrecision": _RecallAtFixedPrecision,
        "PrecisionAtFixedRecall": _PrecisionAtFixedRecall,
        "SensitivityAtSpecificity": _SensitivityAtSpecificity,
        "SpecificityAtSensitivity": _SpecificityAtSensitivity,
        "EER": _EER,
    }
)
