"""Numbers along the curves of scores, by scikit-learn, scipy and plain loops."""

import math
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.stats import ks_2samp
from sklearn import metrics as sk


def roc(scores: Any, labels: Any, weights: Any = None) -> tuple[np.ndarray, ...]:
    """scikit-learn's curve, all points."""
    fpr, tpr, thresholds = sk.roc_curve(labels, scores, sample_weight=weights,
                                        drop_intermediate=False)  # fmt: skip
    return fpr, tpr, thresholds


def eer(scores: Any, labels: Any, weights: Any = None) -> dict[str, float]:
    """Where the polyline meets fpr = 1 - tpr, by a root finder along the curve."""
    fpr, tpr, thresholds = roc(scores, labels, weights)
    place = np.arange(len(fpr))

    def excess(at: float) -> float:
        return float(np.interp(at, place, fpr) + np.interp(at, place, tpr) - 1)

    root = brentq(excess, 0, len(fpr) - 1, xtol=1e-14)
    before = thresholds[(fpr + tpr <= 1 + 1e-12)].min()
    return {"eer": float(np.interp(root, place, fpr)), "threshold": before}


def at_fixed(kind: str, minimum: float, scores: Any, labels: Any, weights: Any = None) -> Any:
    """The best first value over scikit-learn's points, one by one."""
    fpr, tpr, thresholds = roc(scores, labels, weights)
    if kind in ("precision_at_recall", "recall_at_precision"):
        precision, recall, cuts = sk.precision_recall_curve(labels, scores, sample_weight=weights)
        points = [*zip(precision[:-1], recall[:-1], cuts, strict=True)]
    else:
        points = [*zip(1 - fpr, tpr, thresholds, strict=True)]
    if kind in ("recall_at_precision", "sensitivity_at_specificity"):
        points = [(second, first, cut) for first, second, cut in points]
    reached = [point for point in points if point[1] >= minimum]
    if not reached:
        return {kind: 0.0, "threshold": math.nan}
    value, _, threshold = max(reached)
    return {kind: value, "threshold": threshold}


def log_auc(scores: Any, labels: Any, low: float = 0.05, high: float = 0.7) -> dict[str, float]:
    """The trapezoids by numpy, on a fine grid between scikit-learn's points."""
    fpr, tpr, _ = roc(scores, labels)
    x = np.unique(np.concatenate([[low, high], fpr[(fpr > low) & (fpr < high)]]))
    total = 0.0
    for left, right in pairwise(x):
        first = tpr[fpr == left].max() if (fpr == left).any() else np.interp(left, fpr, tpr)
        last = tpr[fpr == right].min() if (fpr == right).any() else np.interp(right, fpr, tpr)
        total += (first + last) / 2 * (np.log10(right) - np.log10(left))
    return {"log_auc": total / np.log10(high / low)}


def ks(scores: Any, labels: Any) -> dict[str, float]:
    """The distance of two samples as scipy has it."""
    scores = np.asarray(scores, float)  # of float32, scipy 1.18 rounds to float32
    return {"ks": ks_2samp(scores[labels == 1], scores[labels == 0]).statistic}


def gini(scores: Any, labels: Any, weights: Any = None) -> dict[str, float]:
    """From scikit-learn's area."""
    return {"gini": 2 * sk.roc_auc_score(labels, scores, sample_weight=weights) - 1}


def det(scores: Any, labels: Any) -> dict[str, np.ndarray]:
    """From scikit-learn's ROC curve: its own DET curve drops the ends."""
    fpr, tpr, thresholds = roc(scores, labels)
    return {"fpr": fpr, "fnr": 1 - tpr, "thresholds": thresholds}


SK: dict[str, Callable[..., float]] = {
    "accuracy": sk.accuracy_score,
    "balanced_accuracy": sk.balanced_accuracy_score,
    "fbeta": partial(sk.fbeta_score, beta=0.5, zero_division=0.0),
    "jaccard": partial(sk.jaccard_score, zero_division=0.0),
    "mcc": sk.matthews_corrcoef,
    "precision": partial(sk.precision_score, zero_division=0.0),
    "recall": sk.recall_score,
    "specificity": partial(sk.recall_score, pos_label=0),
}


def at_thresholds(scores: Any, labels: Any) -> dict[str, Any]:
    """scikit-learn's function of every decision."""
    cuts = np.unique(scores)[::-1]
    found = {name: [f(labels, scores >= t) for t in cuts] for name, f in SK.items()}
    return {"thresholds": cuts, **found}


def best(name: str, scores: Any, labels: Any) -> dict[str, float]:
    """The best of all decisions, of equal ones the highest threshold."""
    cuts = [math.inf, *np.unique(scores)[::-1].tolist()]
    values = [SK[name](labels, scores >= t) for t in cuts]
    top = max(values)
    place = next(i for i, value in enumerate(values) if value > top - 1e-12)
    return {f"best_{name}": top, "threshold": cuts[place]}
