"""Metrics of decisions, from arrays of true and false positives and negatives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

__all__ = ["FORMULAS", "first_largest"]

Array = np.ndarray
Formula = Callable[[Array, Array, Array, Array, float], Array]
_ROUNDING = 1e-13  # more than the rounding errors of a formula


def first_largest(
    values: Array, name: str, outcomes: tuple[Array, Array, Any, Any], beta: float
) -> int:
    """Return the place of the largest value, the first one of values that are equal.

    Values that differ by no more than their rounding errors are compared as fractions.

    Args:
        values: The values of the metric.
        name: The name of its formula.
        outcomes: The true and false positives of each value, and the numbers of all positives and
            negatives, or the sums of their weights.
        beta: As for the formulas.
    """
    near = np.flatnonzero(values >= values.max() - _ROUNDING)
    firsts = np.sort(near[np.unique(values[near], return_index=True)[1]])
    if len(firsts) == 1:
        return int(firsts[0])
    true, false = (_fractions(counts[firsts]) for counts in outcomes[:2])
    positives, negatives = map(Fraction, outcomes[2:])
    formula = _ORDERED.get(name, FORMULAS[name])
    weight: Any = Fraction(beta)
    exact = formula(true, false, positives - true, negatives - false, weight)
    return int(firsts[exact.argmax()])


def _fractions(counts: Array) -> Array:
    return np.array([Fraction(count) for count in counts.tolist()], object)


def _share(numerator: Array, denominator: Array) -> Array:
    room = np.zeros(len(denominator), numerator.dtype)
    quotient: Array = np.divide(numerator, denominator, out=room, where=denominator != 0)
    return quotient


def _recall(tp: Array, fp: Array, fn: Array, tn: Array, beta: float) -> Array:
    return _share(tp, tp + fn)


def _specificity(tp: Array, fp: Array, fn: Array, tn: Array, beta: float) -> Array:
    return _share(tn, tn + fp)


def _precision(tp: Array, fp: Array, fn: Array, tn: Array, beta: float) -> Array:
    return _share(tp, tp + fp)


def _npv(tp: Array, fp: Array, fn: Array, tn: Array, beta: float) -> Array:
    return _share(tn, tn + fn)


def _fbeta(tp: Array, fp: Array, fn: Array, tn: Array, beta: float) -> Array:
    square = beta * beta
    return _share((1 + square) * tp, (1 + square) * tp + fp + square * fn)


def _mcc(tp: Array, fp: Array, fn: Array, tn: Array, beta: float) -> Array:
    spread = np.sqrt((tp + fp) * (tp + fn)) * np.sqrt((tn + fp) * (tn + fn))
    return _share(tp * tn - fp * fn, spread)


def _square_of_mcc(tp: Array, fp: Array, fn: Array, tn: Array, beta: float) -> Array:
    """Return the square with the sign of the coefficient, for which fractions need no root."""
    covariance = tp * tn - fp * fn
    return _share(covariance * abs(covariance), (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))


FORMULAS: Mapping[str, Formula] = {
    "accuracy": lambda tp, fp, fn, tn, beta: _share(tp + tn, tp + fp + fn + tn),
    "balanced_accuracy": lambda *o: (_recall(*o) + _specificity(*o)) / 2,
    "fbeta": _fbeta,
    "fnr": lambda tp, fp, fn, tn, beta: _share(fn, tp + fn),
    "fpr": lambda tp, fp, fn, tn, beta: _share(fp, tn + fp),
    "informedness": lambda *o: _recall(*o) + _specificity(*o) - 1,
    "jaccard": lambda tp, fp, fn, tn, beta: _share(tp, tp + fp + fn),
    "markedness": lambda *o: _precision(*o) + _npv(*o) - 1,
    "mcc": _mcc,
    "npv": _npv,
    "precision": _precision,
    "recall": _recall,
    "specificity": _specificity,
}
# Where a formula has no fraction: another one with the same order.
_ORDERED: Mapping[str, Formula] = {"mcc": _square_of_mcc}
