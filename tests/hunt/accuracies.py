"""Accuracy and the metrics of probabilities against loops over samples, in fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

import mmeval_like as mm
from tests.hunt.trial import Generator, Trial, weights_of

__all__ = ["draw"]


def draw(rng: Generator) -> Trial:
    """Return one of these metrics with random samples."""
    return [_accuracy, _accuracy, _calibration, _brier][int(rng.integers(4))](rng)


def _fractions(weights: Any, count: int) -> list[Fraction]:
    return [Fraction(1)] * count if weights is None else [Fraction(w) for w in weights.tolist()]


def _accuracy(rng: Generator) -> Trial:
    count, size = int(rng.choice([1, 2, 5, 40])), int(rng.integers(1, 7))
    scores = np.round(rng.normal(size=(count, size)), int(rng.integers(0, 3)))
    scores = scores.astype(str(rng.choice(["float64", "float32", "float16"])))
    labels = rng.integers(0, size, count)
    topk = tuple(rng.choice(np.arange(1, size + 1), int(rng.integers(1, 3))).tolist())
    topk = tuple(dict.fromkeys(topk))
    several: list[Any] = [None, 0.0, 0.5, 0.7, -1.0]
    picked = rng.choice(5, int(rng.integers(1, 4)), replace=False)
    thrs = tuple(several[i] for i in picked)
    weights = weights_of(rng, count) if rng.random() < 0.3 else None
    options: dict[str, Any] = {"topk": topk, "thrs": thrs}
    if weights is not None:
        options["use_sample_weight"] = True
    by_class, ignore = rng.random() < 0.6, None
    if by_class:
        ignore = [None, -100, 0, size + 3][rng.integers(4)]
        options |= {"num_classes": size, "ignore_index": ignore}
        options["average"] = ["micro", "macro", "weighted", None][rng.integers(4)]
        options["zero_division"] = [0.0, 1.0, math.nan][rng.integers(3)]
        if ignore is not None:
            labels = np.where(rng.random(count) < 0.3, ignore, labels)
    own, expected = _fractions(weights, count), {}
    for k in topk:
        for thr in thrs:
            right, total = [Fraction(0)] * size, [Fraction(0)] * size
            for row, label, weight in zip(scores, labels.tolist(), own, strict=True):
                if label == ignore:
                    continue
                order = sorted(range(size), key=lambda c: (-float(row[c]), c))
                above = thr is None or row[label] > row.dtype.type(thr)
                right[label] += weight * (label in order[:k] and bool(above))
                total[label] += weight
            name = f"top{k}"
            if len(thrs) > 1:
                name += "_no-thr" if thr is None else f"_thr-{thr:.2f}"
            expected |= _averaged(name, right, total, options if by_class else None, ignore)
    return Trial(mm.Accuracy, options, (scores, labels, weights), count, expected, 1e-9)


def _averaged(
    name: str, right: list[Any], total: list[Any], options: Any, ignore: Any
) -> dict[str, Any]:
    kept = [c for c in range(len(right)) if c != ignore]
    if options is None or options["average"] == "micro":
        below = sum(total[c] for c in kept)
        return {name: float(sum(right[c] for c in kept) / below) if below else math.nan}
    zero = options["zero_division"] if sum(total) else math.nan
    values = [math.nan if c == ignore else float(r / t) if t else zero
              for c, (r, t) in enumerate(zip(right, total, strict=True))]  # fmt: skip
    if options["average"] is None:
        return {f"{name}_classwise": values}
    known = [c for c in kept if not math.isnan(values[c])]
    weights = total if options["average"] == "weighted" else [Fraction(1)] * len(total)
    if not sum(weights[c] for c in known):
        weights = [Fraction(1)] * len(total)
    below = sum(weights[c] for c in known)
    above = sum(Fraction(values[c]) * weights[c] for c in known)
    return {name: float(above / below) if known else math.nan}


def _calibration(rng: Generator) -> Trial:
    count, bins = int(rng.choice([1, 2, 9, 100])), int(rng.choice([1, 2, 3, 10, 15]))
    confidences = rng.random(count)
    if rng.random() < 0.5:
        confidences = rng.integers(0, bins + 1, count) / bins  # at the borders of bins
    labels = rng.integers(0, 2, count)
    edges = [b / bins for b in range(bins + 1)]
    gaps = []
    found: dict[int, list[tuple[Fraction, int]]] = {}
    for confidence, label in zip(confidences.tolist(), labels.tolist(), strict=True):
        place = next((b for b in range(bins) if confidence <= edges[b + 1]), bins - 1)
        found.setdefault(place, []).append((Fraction(confidence), label))
    for entries in found.values():
        gaps.append((abs(sum(t - c for c, t in entries)), len(entries)))
    expected = {"ece": float(sum(g for g, _ in gaps) / count),
                "mce": max(float(g / n) for g, n in gaps)}  # fmt: skip
    return Trial(mm.CalibrationError, {"bins": bins}, (confidences, labels), count, expected, 1e-12)


def _brier(rng: Generator) -> Trial:
    count, size = int(rng.choice([1, 2, 9, 100])), int(rng.integers(2, 5))
    weights = weights_of(rng, count) if rng.random() < 0.5 else None
    own = _fractions(weights, count)
    if rng.random() < 0.5:
        p, labels = rng.random(count), rng.integers(0, 2, count)
        errors = [(Fraction(a) - b) ** 2 for a, b in zip(p.tolist(), labels.tolist(), strict=True)]
    else:
        p, labels = rng.dirichlet(np.full(size, 0.3), count), rng.integers(0, size, count)
        errors = [sum(((Fraction(v) - (c == t)) ** 2 for c, v in enumerate(row)), Fraction(0))
                  for row, t in zip(p.tolist(), labels.tolist(), strict=True)]  # fmt: skip
    total = sum(own)
    above = sum(e * w for e, w in zip(errors, own, strict=True))
    value = float(above / total) if total else math.nan
    return Trial(mm.BrierScore, {}, (p, labels, weights), count, {"brier": value}, 1e-12)
