"""Precision, Recall and FBetaScore: which predictions are right, which labels are found."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from mmeval_like.metrics.classification.class_metrics import ClassQuotient

__all__ = ["FBetaScore", "Precision", "Recall"]

_SMALL = 1 << 9


class Precision(ClassQuotient):
    """The fraction of a class's predictions that are right: TP / (TP + FP).

    Formula:
        precision = TP / (TP + FP)

    Args:
        **options: As for `ClassQuotient`.

    Returns of `compute`: `precision`, in [0, 1], or the list `precision_classwise`; nan without
    samples. Higher is better.

    Example:
        >>> metric = Precision(task="multiclass", num_classes=2)
        >>> metric.add([0, 1, 1, 1], [0, 0, 1, 1])
        >>> metric.compute()  # (1 / 1 + 2 / 3) / 2
        {'precision': 0.8333333333333333}
    """

    key = "precision"

    def parts(self, tp: Any, fp: Any, fn: Any, tn: Any) -> tuple[Any, Any]:
        """Return TP and the predictions."""
        return tp, tp + fp


class Recall(ClassQuotient):
    """The fraction of a class's labels that are found, also named sensitivity: TP / (TP + FN).

    Formula:
        recall = TP / (TP + FN)

    Args:
        **options: As for `ClassQuotient`.

    Returns of `compute`: `recall`, in [0, 1], or the list `recall_classwise`; nan without samples.
    Higher is better.

    Example:
        >>> metric = Recall(task="multiclass", num_classes=2)
        >>> metric.add([0, 1, 1, 1], [0, 0, 1, 1])
        >>> metric.compute()  # (1 / 2 + 2 / 2) / 2
        {'recall': 0.75}
    """

    key = "recall"

    linear = True

    def parts(self, tp: Any, fp: Any, fn: Any, tn: Any) -> tuple[Any, Any]:
        """Return TP and the labels."""
        return tp, tp + fn


class FBetaScore(ClassQuotient):
    """The F1 score, or with `beta` another weighted harmonic mean of precision and recall.

    Recall counts beta times as much as precision. The value is computed from the counts, so that it
    is defined for every class that has a label or a prediction. Source: C. J. van Rijsbergen,
    "Information Retrieval" (2nd edition, 1979).

    Formula:
        F_beta = (1 + beta^2) TP / ((1 + beta^2) TP + FP + beta^2 FN)

    Args:
        beta: How many times as important recall is as precision.
        **options: As for `ClassQuotient`.

    Returns of `compute`: `fbeta`, in [0, 1], or the list `fbeta_classwise`; nan without samples.
    Higher is better.

    Raises:
        ValueError: `beta` is not positive and finite.

    Example:
        >>> metric = FBetaScore()
        >>> metric.add([1, 1, 0, 0], [1, 0, 1, 1])
        >>> metric.compute()  # TP 1, FP 1, FN 2: 2 / (2 + 1 + 2)
        {'fbeta': 0.4}
        >>> FBetaScore(beta=2)([1, 1, 0, 0], [1, 0, 1, 1])  # 5 / (5 + 1 + 4 * 2)
        {'fbeta': 0.35714285714285715}
    """

    key = "fbeta"

    def __init__(self, beta: float = 1.0, **options: Any) -> None:
        super().__init__(**options)
        if not 0 < beta < math.inf:
            raise ValueError(f"beta must be positive and finite, got {beta}")
        self.beta = beta
        # Small integers keep the counts in int64; for a mean over samples floats suffice.
        square = Fraction(beta) ** 2
        small = square.denominator == 1 and square < _SMALL
        self._square: Any = int(square) if small else square
        if self.average == "samples":
            self._square = float(square)

    def parts(self, tp: Any, fp: Any, fn: Any, tn: Any) -> tuple[Any, Any]:
        """Return both parts of the quotient."""
        hits = (1 + self._square) * tp
        return hits, hits + fp + self._square * fn
