"""Class metrics against the counts of a loop over all positions, in fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

import mmeval_like as mm
from tests.hunt.trial import Generator, Trial, weights_of

__all__ = ["draw"]

Counts = tuple[Any, Any, Any, Any]  # tp, fp, fn, tn


def draw(rng: Generator) -> Trial:
    """Return a random class metric with random samples."""
    task = str(rng.choice(["binary", "multiclass", "multilabel"]))
    size = 2 if task == "binary" else int(rng.choice([1, 2, 3, 5, 31, 32, 33, 40]))
    count = int(rng.choice([1, 2, 3, 17, 60]))
    ragged = task != "multilabel" and rng.random() < 0.2
    inner = () if ragged or rng.random() < 0.6 else (int(rng.integers(0, 4)),)
    shapes = [(int(rng.integers(0, 4)),) for _ in range(count)] if ragged else [inner] * count
    top_k = int(rng.integers(1, size + 1)) if task == "multiclass" and rng.random() < 0.3 else 1
    as_scores = top_k > 1 or rng.random() < 0.6
    threshold = float(rng.choice([0.5, 0.0, -1.0, 0.7, 0.25]))
    if not as_scores and threshold <= 0:
        threshold = 0.5  # others are refused, since integers are classes
    ignore = int(rng.choice([-100, 255, 0, 1])) if rng.random() < 0.3 else None
    dtype = str(rng.choice(["float64", "float32", "float16"]))
    data = [_sample(rng, task, size, shape, as_scores, dtype, threshold) for shape in shapes]
    predictions = [p for p, _ in data]
    labels = [t for _, t in data]
    if ignore is not None:
        labels = [np.where(rng.random(t.shape) < 0.3, ignore, t) for t in labels]
    weights = weights_of(rng, count) if not ragged and not inner and rng.random() < 0.3 else None
    options: dict[str, Any] = {"task": task, "ignore_index": ignore}
    if weights is not None:
        options["use_sample_weight"] = True
    if task != "binary":
        options["num_classes"] = size
    if task == "multiclass":
        options["top_k"] = top_k
    else:
        options["threshold"] = threshold
    given = (predictions, labels) if ragged else (np.stack(predictions), np.stack(labels))
    counted = _count(predictions, labels, weights, task, size, threshold, top_k, ignore)
    return _metric(rng, task, size, ignore, options, (*given, weights), count, counted)


def _sample(
    rng: Generator, task: str, size: int, shape: Any, as_scores: bool, dtype: str, threshold: float
) -> tuple[np.ndarray, np.ndarray]:
    full = (size, *shape) if task == "multilabel" else shape
    labels = rng.integers(0, 2 if task == "multilabel" else size, full)
    if not as_scores:
        return rng.integers(0, 2 if task == "multilabel" else size, full), labels
    shape = (size, *shape) if task == "multiclass" else full
    scores = rng.normal(size=shape)
    if rng.random() < 0.5:
        scores = np.round(scores)  # ties
    scores = scores.astype(dtype)
    if task != "multiclass":  # at the threshold itself
        scores = np.where(rng.random(shape) < 0.2, np.dtype(dtype).type(threshold), scores)
    return scores, labels


def _count(
    predictions: list[np.ndarray],
    labels: list[np.ndarray],
    weights: np.ndarray | None,
    task: str,
    size: int,
    threshold: float,
    top_k: int,
    ignore: int | None,
) -> dict[str, Any]:
    """Return the confusion of every class, and what the metrics of samples need."""
    tp, predicted, support, valid = ([Fraction(0)] * size for _ in range(4))
    matrix = [[Fraction(0)] * size for _ in range(size)]
    right = total = Fraction(0)
    samples: list[tuple[Any, Any]] = []
    for index, (scores, truth) in enumerate(zip(predictions, labels, strict=True)):
        weight = Fraction(1) if weights is None else Fraction(float(weights[index]))
        own = [[0, 0, 0, 0] for _ in range(size)]
        all_right, any_counts = True, False
        for place in np.ndindex(truth.shape):
            label = int(truth[place])
            if label == ignore:
                continue
            any_counts = True
            if task == "multilabel":
                entry, where = label, [place[0]]
                chosen = bool(scores[place] >= scores.dtype.type(threshold)) if (
                    scores.dtype.kind == "f") else bool(scores[place])  # fmt: skip
                for c in where:
                    own[c][0] += chosen and entry
                    own[c][1] += chosen
                    own[c][2] += entry
                    own[c][3] += 1
                all_right &= chosen == bool(entry)
                continue
            found = _decide(scores, place, label, task, threshold, top_k)
            matrix[label][found] += weight
            right += weight * (found == label)
            total += weight
        if task == "multilabel":
            right += weight * (all_right and any_counts)
            total += weight * any_counts
            samples.append((own, weight if any_counts else Fraction(0)))
            for c in range(size):
                tp[c] += weight * own[c][0]
                predicted[c] += weight * own[c][1]
                support[c] += weight * own[c][2]
                valid[c] += weight * own[c][3]
    if task != "multilabel":
        tp = [matrix[c][c] for c in range(size)]
        predicted = [sum(row[c] for row in matrix) for c in range(size)]
        support = [sum(row) for row in matrix]
        valid = [total] * size
    outcomes = [
        (t, p - t, s - t, v - p - s + t)
        for t, p, s, v in zip(tp, predicted, support, valid, strict=True)
    ]
    entries = sum(valid) if task == "multilabel" else total
    return {"outcomes": outcomes, "matrix": matrix, "right": right, "total": total,
            "entries": entries, "samples": samples}  # fmt: skip


def _decide(
    scores: np.ndarray, place: Any, label: int, task: str, threshold: float, top_k: int
) -> int:
    if scores.dtype.kind != "f":
        return int(scores[place])
    if task == "binary":
        return int(scores[place] >= scores.dtype.type(threshold))
    own = [float(scores[(c, *place)]) for c in range(len(scores))]
    ranked = sorted(range(len(own)), key=lambda c: (-own[c], c))
    return label if label in ranked[:top_k] else ranked[0]


QUOTIENTS: dict[str, tuple[str, Any]] = {
    "Precision": ("precision", lambda tp, fp, fn, tn: (tp, tp + fp)),
    "Recall": ("recall", lambda tp, fp, fn, tn: (tp, tp + fn)),
    "Specificity": ("specificity", lambda tp, fp, fn, tn: (tn, tn + fp)),
    "NegativePredictiveValue": ("npv", lambda tp, fp, fn, tn: (tn, tn + fn)),
    "FalsePositiveRate": ("fpr", lambda tp, fp, fn, tn: (fp, fp + tn)),
    "FalseNegativeRate": ("fnr", lambda tp, fp, fn, tn: (fn, fn + tp)),
    "JaccardIndex": ("jaccard", lambda tp, fp, fn, tn: (tp, tp + fp + fn)),
}


def _metric(
    rng: Generator,
    task: str,
    size: int,
    ignore: int | None,
    options: dict[str, Any],
    data: Any,
    count: int,
    counted: dict[str, Any],
) -> Trial:
    kind = str(rng.choice([*QUOTIENTS, "FBetaScore", "MCC", "Kappa", "Confusion", "Balanced",
                           "Subset", "Hamming"]))  # fmt: skip
    ignored = [c for c in range(size) if task == "multiclass" and c == ignore]
    outcomes, entries = counted["outcomes"], counted["entries"]
    if kind in ("MCC", "Kappa", "Confusion") and (task != "multiclass" or options["top_k"] > 1):
        kind = "Recall"
    if (task == "multilabel" and kind == "Balanced") or (task != "multilabel" and kind == "Subset"):
        kind = "Hamming"
    if kind in QUOTIENTS or kind == "FBetaScore":
        key, parts = QUOTIENTS.get(kind, ("fbeta", None))
        if parts is None:
            beta = float(rng.choice([0.5, 1.0, 2.0, 0.1]))
            options["beta"] = beta
            b2 = Fraction(beta) ** 2
            parts = lambda tp, fp, fn, tn: ((1 + b2) * tp, (1 + b2) * tp + fp + b2 * fn)  # noqa: E731
        averages = ["micro", "macro", "weighted", None] + ["samples"] * (task == "multilabel")
        average = averages[rng.integers(len(averages))]
        if task != "binary":  # which has a warning instead
            options["average"] = average
        options["zero_division"] = zero = [0.0, 1.0, math.nan][rng.integers(3)]
        key, value = _average(key, task, average, zero, ignored, parts, counted)
        return Trial(getattr(mm, kind), options, data, count, {key: value}, 1e-9)
    if kind == "Confusion":
        del options["top_k"]
        matrix = np.array([[float(x) for x in row] for row in counted["matrix"]])
        return Trial(mm.ConfusionMatrix, options, data, count, {"confusion_matrix": matrix})
    if kind in ("MCC", "Kappa"):
        del options["task"], options["top_k"]
        matrix = counted["matrix"]
        n = sum(map(sum, matrix))
        t = [sum(row) for row in matrix]
        p = [sum(row[c] for row in matrix) for c in range(size)]
        if kind == "Kappa":
            weights = [None, "linear", "quadratic"][rng.integers(3)]
            power = {None: 0, "linear": 1, "quadratic": 2}[weights]
            w = [[Fraction(abs(i - j) ** power * (i != j)) for j in range(size)]
                 for i in range(size)]  # fmt: skip
            seen = sum(w[i][j] * matrix[i][j] for i in range(size) for j in range(size))
            chance = sum(w[i][j] * t[i] * p[j] for i in range(size) for j in range(size))
            value = float(1 - seen * n / chance) if chance else math.nan
            return Trial(mm.CohenKappa, {**options, "weights": weights}, data, count,
                         {"kappa": value}, 1e-9)  # fmt: skip
        right = sum(matrix[c][c] for c in range(size))
        above = right * n - sum(x * y for x, y in zip(p, t, strict=True))
        below = (n * n - sum(x * x for x in p)) * (n * n - sum(x * x for x in t))
        value = math.nan if not n else 0.0
        if below:
            square = above * above / below
            value = math.copysign(math.sqrt(square), above) if above else 0.0
        return Trial(mm.MatthewsCorrCoef, options, data, count, {"mcc": value}, 1e-9)
    if kind == "Balanced":
        found = [Fraction(tp) / (tp + fn) for c, (tp, fp, fn, tn) in enumerate(outcomes)
                 if tp + fn and c not in ignored]  # fmt: skip
        value = float(sum(found) / len(found)) if found and entries else math.nan
        return Trial(mm.BalancedAccuracy, options, data, count, {"balanced_accuracy": value}, 1e-9)
    if kind == "Subset":
        total = counted["total"]
        value = float(counted["right"] / total) if total else math.nan
        options.pop("top_k", None)
        return Trial(mm.SubsetAccuracy, options, data, count, {"subset_accuracy": value}, 1e-9)
    if task == "multilabel":
        wrong = sum(fp + fn for _, fp, fn, _ in outcomes)
    else:
        wrong = counted["total"] - counted["right"]
        if ignored:
            wrong = sum(fn for _, _, fn, _ in outcomes)
    value = float(wrong / entries) if entries else math.nan
    return Trial(mm.HammingDistance, options, data, count, {"hamming_distance": value}, 1e-9)


def _average(
    key: str, task: str, average: Any, zero: float, ignored: list[int], parts: Any, counted: Any
) -> tuple[str, Any]:
    outcomes = counted["outcomes"]
    if task == "binary":
        average, outcomes = "macro" if average is None else average, outcomes[1:]
    if average == "samples":
        values = []
        for own, weight in counted["samples"]:
            tp, p, s, v = (sum(one[i] for one in own) for i in range(4))
            above, below = parts(tp, p - tp, s - tp, v - p - s + tp)
            value = float(Fraction(above) / below) if below else zero
            if weight and not math.isnan(value):
                values.append((Fraction(value), weight))
        total = sum(w for _, w in values)
        return key, float(sum(v * w for v, w in values) / total) if total else math.nan
    listed = average is None and task != "binary"
    if not counted["entries"]:
        return (f"{key}_classwise", [math.nan] * len(outcomes)) if listed else (key, math.nan)
    quotients = [parts(*one) for one in outcomes]
    if average == "micro" and task != "binary":
        kept = [q for c, q in enumerate(quotients) if c not in ignored]
        above, below = (sum(q[i] for q in kept) for i in range(2))
        return key, float(Fraction(above) / below) if below else zero
    values = [math.nan if c in ignored else float(Fraction(a) / b) if b else zero
              for c, (a, b) in enumerate(quotients)]  # fmt: skip
    if listed:
        return f"{key}_classwise", values
    known = [c for c, value in enumerate(values) if not math.isnan(value)]
    if not known:
        return key, math.nan
    weights = [Fraction(1)] * len(values)
    if average == "weighted" and task != "binary":
        weights = [tp + fn for tp, _, fn, _ in outcomes]
        if not sum(weights[c] for c in known):
            weights = [Fraction(1)] * len(values)
    total = sum(weights[c] for c in known)
    return key, float(sum(Fraction(values[c]) * weights[c] for c in known) / total)
