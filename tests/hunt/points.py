"""Counts of positive and negative samples at every distinct score, and what follows from them."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

import mmeval_like as mm

__all__ = [
    "Points",
    "auroc",
    "average_precision",
    "curve",
    "equal_error_rate",
    "kolmogorov_smirnov",
    "partial_auroc",
    "points_of",
    "totals_of",
]

Points = list[tuple[Any, Any, Any]]  # threshold, weights of positives and negatives at it


def points_of(scores: Any, positive: Any, weights: Any, bins: int | None) -> Points:
    """Return (threshold, weight of positives, of negatives) from the highest score down."""
    if bins is not None:
        edges = (np.arange(bins) / bins).astype(scores.dtype)  # a number takes on their dtype
        scores = np.arange(bins)[np.searchsorted(edges, scores, "right") - 1]
    found, places = np.unique(scores, return_inverse=True)
    if weights is None:
        up = np.bincount(places[positive], minlength=len(found)).tolist()
        down = np.bincount(places[~positive], minlength=len(found)).tolist()
    else:
        up, down = [Fraction(0)] * len(found), [Fraction(0)] * len(found)
        for place, is_positive, weight in zip(places, positive, weights, strict=True):
            (up if is_positive else down)[place] += weight
    points = list(zip(found.tolist(), up, down, strict=True))[::-1]
    return points


def totals_of(points: Points) -> tuple[Any, Any]:
    """Return the weights of all positives and of all negatives."""
    return sum(p for _, p, _ in points), sum(n for _, _, n in points)


def auroc(points: Points) -> Any:
    """Return the share of pairs in which the positive is higher, equal ones half."""
    ups, downs = totals_of(points)
    if not ups or not downs:
        return math.nan
    area, below = Fraction(0), downs
    for _, up, down in points:
        below -= down
        area += up * (below + Fraction(down) / 2)
    return area / (ups * downs)


def partial_auroc(points: Points, limit: Fraction) -> Any:
    """Return the area up to a false positive rate, scaled as McClish does."""
    ups, downs = totals_of(points)
    if not ups or not downs:
        return math.nan
    area, x, y = Fraction(0), Fraction(0), Fraction(0)
    for _, up, down in points:
        nx, ny = x + Fraction(down) / downs, y + Fraction(up) / ups
        if nx >= limit:
            end = y + (ny - y) * (limit - x) / (nx - x) if nx > x else y
            area += (limit - x) * (y + end) / 2
            break
        area += (nx - x) * (y + ny) / 2
        x, y = nx, ny
    least, most = limit * limit / 2, limit
    return (1 + (area - least) / (most - least)) / 2


def average_precision(points: Points) -> Any:
    """Return the mean over positives of the precision at their scores."""
    ups, _ = totals_of(points)
    if not ups:
        return 0.0
    total, above, every = Fraction(0), Fraction(0), Fraction(0)
    for _, up, down in points:
        above, every = above + up, every + up + down
        if every:
            total += up * above / every
    return total / ups


def kolmogorov_smirnov(points: Points) -> Any:
    """Return the largest distance of the rates."""
    ups, downs = totals_of(points)
    if not ups or not downs:
        return math.nan
    best, x, y = Fraction(0), 0, 0
    for _, up, down in points:
        x, y = x + down, y + up
        best = max(best, abs(Fraction(y) / ups - Fraction(x) / downs))
    return best


def equal_error_rate(points: Points) -> Any:
    """Return where the curve with straight lines meets fpr = fnr."""
    ups, downs = totals_of(points)
    if not ups or not downs:
        return math.nan
    x, y = Fraction(0), Fraction(1)  # fpr, fnr
    for _, up, down in points:
        nx, ny = x + Fraction(down) / downs, y - Fraction(up) / ups
        if nx >= ny:
            step = (nx - x) - (ny - y)
            return x + (nx - x) * (y - x) / step if step else x
        x, y = nx, ny
    return x


def curve(points: Points, kind: Any) -> dict[str, Any]:
    """Return what ROC, PrecisionRecallCurve or DETCurve says."""
    ups, downs = totals_of(points)
    x = [sum(n for _, _, n in points[:i]) for i in range(len(points) + 1)] if (
        len(points) < 300) else np.cumsum([0] + [n for *_, n in points]).tolist()  # fmt: skip
    y = [sum(p for _, p, _ in points[:i]) for i in range(len(points) + 1)] if (
        len(points) < 300) else np.cumsum([0] + [p for _, p, _ in points]).tolist()  # fmt: skip
    thresholds = [float(t) for t, *_ in points]
    tpr = [float(Fraction(v) / ups) if ups else math.nan for v in y]
    fpr = [float(Fraction(v) / downs) if downs else math.nan for v in x]
    if kind is mm.ROC:
        return {"tpr": tpr, "fpr": fpr, "thresholds": [math.inf, *thresholds]}
    if kind is mm.DETCurve:
        fnr = [float(1 - Fraction(v) / ups) if ups else math.nan for v in y]
        return {"fnr": fnr, "fpr": fpr, "thresholds": [math.inf, *thresholds]}
    precision = [1.0] + [float(Fraction(b) / (a + b)) if a + b else 1.0
                         for a, b in zip(x[1:], y[1:], strict=True)]  # fmt: skip
    if not points:
        tpr = [0.0]
    else:
        tpr[0] = 0.0
    return {"precision": precision[::-1], "recall": tpr[::-1], "thresholds": thresholds[::-1]}
