"""Aggregates, areas, hinge losses and rankings of labels against their formulas, in fractions."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

import mmeval_like as mm
from tests.hunt.trial import Generator, Trial, weights_of

__all__ = ["draw"]


def draw(rng: Generator) -> Trial:
    """Return a random one of these metrics with random samples."""
    count = int(rng.choice([1, 2, 3, 10, 70, 400]))
    weights = weights_of(rng, count) if rng.random() < 0.4 else None
    return list(KINDS.values())[int(rng.integers(len(KINDS)))](rng, count, weights)


def _values(rng: Generator, count: int) -> np.ndarray:
    values = rng.normal(size=count)
    kind = rng.integers(6)
    if kind == 0:
        return np.round(values)
    if kind == 1:
        return values * 10.0 ** rng.integers(-200, 200, count)
    if kind == 2:
        return rng.integers(-(2**40), 2**40, count)
    if kind == 3:
        return (values > 0).astype(bool)
    return values.astype(str(rng.choice(["float16", "float32", "float64"])))


def _fractions(values: Any) -> list[Fraction]:
    return [Fraction(v) for v in np.asarray(values).tolist()]


def _own(weights: Any, count: int) -> list[Fraction]:
    return [Fraction(1)] * count if weights is None else _fractions(weights)


def _ratio(above: Any, below: Any) -> float:
    return float(Fraction(above) / Fraction(below)) if below else math.nan


def _sum(rng: Generator, count: int, weights: Any) -> Trial:
    values = _values(rng, count)
    pairs = zip(_fractions(values), _own(weights, count), strict=True)
    total = sum((v * w for v, w in pairs), Fraction(0))
    return Trial(mm.Sum, {}, (values, weights), count, {"sum": float(total)}, 0.0)


def _extreme(rng: Generator, count: int, weights: Any) -> Trial:
    values = _values(rng, count)
    if rng.random() < 0.5:
        return Trial(mm.Max, {}, (values,), count, {"max": float(values.max())}, 0.0)
    return Trial(mm.Min, {}, (values,), count, {"min": float(values.min())}, 0.0)


def _running(rng: Generator, count: int, weights: Any) -> Trial:
    values, window = _values(rng, count), int(rng.choice([1, 2, 7, 50, 500]))
    last = _fractions(values)[-window:]
    total = sum(last)
    if rng.random() < 0.5:
        return Trial(mm.RunningSum, {"window": window}, (values,), count,
                     {"running_sum": float(total)}, 0.0, True)  # fmt: skip
    return Trial(mm.RunningMean, {"window": window}, (values,), count,
                 {"running_mean": float(total / len(last))}, 0.0, True)  # fmt: skip


def _area(rng: Generator, count: int, weights: Any) -> Trial:
    x, y = np.round(rng.normal(size=(2, count)), int(rng.integers(0, 4)))
    points = sorted(zip(_fractions(x), _fractions(y), strict=True))
    area = sum(((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(points)),
               Fraction(0))  # fmt: skip
    value = float(area) if count > 1 else math.nan
    return Trial(mm.AreaUnderCurve, {}, (x, y), count, {"auc": value}, 1e-12)


def _hinge(rng: Generator, count: int, weights: Any) -> Trial:
    own, squared = _own(weights, count), bool(rng.integers(2))
    power = 2 if squared else 1
    zero = Fraction(0)
    if rng.random() < 0.5:
        scores, labels = rng.normal(size=count) * 2, rng.integers(0, 2, count)
        losses = [max(zero, 1 - s * (1 if t else -1)) ** power
                  for s, t in zip(_fractions(scores), labels, strict=True)]  # fmt: skip
        value = _ratio(sum(a * b for a, b in zip(losses, own, strict=True)), sum(own))
        return Trial(mm.HingeLoss, {"squared": squared}, (scores, labels, weights), count,
                     {"hinge": value}, 1e-12)  # fmt: skip
    size = int(rng.integers(2, 5))
    scores, labels = np.round(rng.normal(size=(count, size)), 1), rng.integers(0, size, count)
    options = {"task": "multiclass", "squared": squared}
    rows = [_fractions(row) for row in scores]
    if rng.random() < 0.5:
        losses = [max(zero, 1 - row[t] + max(v for c, v in enumerate(row) if c != t)) ** power
                  for row, t in zip(rows, labels, strict=True)]  # fmt: skip
        value = _ratio(sum(a * b for a, b in zip(losses, own, strict=True)), sum(own))
        return Trial(
            mm.HingeLoss, options, (scores, labels, weights), count, {"hinge": value}, 1e-12
        )
    values = []
    for c in range(size):
        losses = [max(zero, 1 - row[c] * (1 if t == c else -1)) ** power
                  for row, t in zip(rows, labels, strict=True)]  # fmt: skip
        values.append(_ratio(sum(a * b for a, b in zip(losses, own, strict=True)), sum(own)))
    options |= {"multiclass_mode": "one-vs-all", "num_classes": size}
    return Trial(mm.HingeLoss, options, (scores, labels, weights), count,
                 {"hinge_classwise": values}, 1e-12)  # fmt: skip


def _ranking(rng: Generator, count: int, weights: Any) -> Trial:
    size = int(rng.integers(1, 7))
    scores = np.round(rng.normal(size=(count, size)), int(rng.integers(0, 3)))
    labels = (rng.random((count, size)) < rng.choice([0.1, 0.5, 0.9])).astype(int)
    own = _own(weights, count)
    kind = int(rng.integers(3))
    total = Fraction(0)
    for row, truth, weight in zip(scores, labels, own, strict=True):
        chosen = [c for c in range(size) if truth[c]]
        others = [c for c in range(size) if not truth[c]]
        at_least = {c: [d for d in range(size) if row[d] >= row[c]] for c in chosen}
        if kind == 0:
            value = Fraction(max((len(v) for v in at_least.values()), default=0))
        elif not chosen or not others:
            value = Fraction(1 if kind == 1 else 0)
        elif kind == 1:
            parts = [Fraction(sum(truth[d] for d in v).item(), len(v)) for v in at_least.values()]
            value = sum(parts, Fraction(0)) / len(chosen)
        else:
            wrong = sum(bool(row[d] >= row[c]) for c in chosen for d in others)
            value = Fraction(wrong, len(chosen) * len(others))
        total += value * weight
    made, key = [(mm.CoverageError, "coverage_error"),
                 (mm.LabelRankingAveragePrecision, "lrap"),
                 (mm.LabelRankingLoss, "label_ranking_loss")][kind]  # fmt: skip
    return Trial(made, {}, (scores, labels, weights), count, {key: _ratio(total, sum(own))}, 1e-12)


def _calibration(rng: Generator, count: int, weights: Any) -> Trial:
    predictions, labels = rng.random(count), rng.integers(0, 2, count)
    own = _own(weights, count)
    above = sum(p * w for p, w in zip(_fractions(predictions), own, strict=True))
    below = sum(t * w for t, w in zip(_fractions(labels), own, strict=True))
    return Trial(mm.WeightedCalibration, {}, (predictions, labels, weights), count,
                 {"calibration": _ratio(above, below)}, 1e-12)  # fmt: skip


def _mcnemar(rng: Generator, count: int, weights: Any) -> Trial:
    one, two, labels = rng.integers(0, 3, (3, count))
    b = int(((one == labels) & (two != labels)).sum())
    c = int(((one != labels) & (two == labels)).sum())
    n = b + c
    tail = Fraction(sum(math.comb(n, k) for k in range(min(b, c) + 1)), 2**n)
    expected = {"only_a": b, "only_b": c, "p_value": float(min(1, 2 * tail))}
    return Trial(mm.McNemar, {}, (one, two, labels), count, expected, 1e-12)


def _fairness(rng: Generator, count: int, weights: Any) -> Trial:
    groups, size = rng.integers(0, 3, count), 3
    scores, labels = np.round(rng.random(count), 1), rng.integers(0, 2, count)
    own = _own(weights, count)
    rates = []
    for group in range(size):
        known = [i for i in range(count) if groups[i] == group]
        total = sum(own[i] for i in known)
        hits = sum(own[i] for i in known if scores[i] >= 0.5)
        if total:
            rates.append(hits / total)
    expected = {}
    if rates:
        expected["demographic_parity_difference"] = float(max(rates) - min(rates))
        expected["demographic_parity_ratio"] = _ratio(min(rates), max(rates))
    options = {"num_groups": size} | ({} if weights is None else {"use_sample_weight": True})
    return Trial(mm.Fairness, options, (scores, labels, groups, weights), count, expected, 1e-12)


KINDS: dict[str, Callable[[Generator, int, Any], Trial]] = {
    "sum": _sum, "extreme": _extreme, "running": _running, "area": _area, "hinge": _hinge,
    "ranking": _ranking, "calibration": _calibration, "mcnemar": _mcnemar, "fairness": _fairness,
}  # fmt: skip
