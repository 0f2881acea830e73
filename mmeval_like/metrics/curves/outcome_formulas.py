"""Metrics of decisions, from arrays of true and false positives and negatives."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

__all__ = ["FORMULAS"]

Array = np.ndarray
Formula = Callable[[Array, Array, Array, Array, float], Array]


def _share(numerator: Array, denominator: Array) -> Array:
    quotient: Array = np.divide(
        numerator, denominator, out=np.zeros(len(denominator)), where=denominator != 0
    )
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
