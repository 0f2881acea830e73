"""The formulas of metrics that no package here has, as a program without one has them.

Columns of all batches come as arrays, end to end. Nothing is checked, and nothing is said of ties.
"""

from __future__ import annotations

import importlib
import math
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from benchmarks.peers.data import Batches
from benchmarks.peers.packages import Peer

__all__ = [
    "agreement", "alpha", "assigned", "bert_score", "best_f1", "bias", "bits_per_byte",
    "decomposed", "energy", "g_pass", "gini", "icc", "intervals", "kling_gupta", "majority",
    "mass", "mcnemar", "mean_bias", "pass_at", "pass_hat", "plain", "poisson", "powered", "purity",
    "ranked", "rate", "scaled", "trec", "win_rate",
]  # fmt: skip


def plain(call: Callable[..., Any], *fixed: Any, package: str = "numpy") -> Peer:
    """A function of here, which gets all samples at once."""

    def prepare(batches: Batches) -> Callable[[], Any]:
        parts = list(zip(*batches, strict=True))
        columns = [
            np.concatenate(c) if isinstance(c[0], np.ndarray) else [*chain.from_iterable(c)]
            for c in parts
        ]
        return lambda: call(*fixed, *columns)

    return Peer(package, prepare)


# Language models ----------------------------------------------------------------------------------


def _chances(correct: np.ndarray, k: int) -> tuple[Any, Any, Any]:
    comb = importlib.import_module("scipy.special").comb
    return comb, correct.sum(axis=1), comb(correct.shape[1], k)


def pass_at(k: int, correct: np.ndarray) -> list[float]:
    comb, right, every = _chances(correct, k)
    found = 1 - comb(correct.shape[1] - right, k) / every
    return [float(found.mean()), float(correct.mean())]


def pass_hat(k: int, correct: np.ndarray) -> float:
    comb, right, every = _chances(correct, k)
    return float((comb(right, k) / every).mean())


def g_pass(k: int, correct: np.ndarray) -> float:
    """At least half of k attempts."""
    tail = importlib.import_module("scipy.stats").hypergeom.sf
    n, right = correct.shape[1], correct.sum(axis=1)
    return float(tail(math.ceil(k / 2) - 1, n, right, k).mean())


def majority(predictions: list[list[str]], labels: list[str]) -> float:
    """Of answers that tie one is taken."""
    pairs = zip(predictions, labels, strict=True)
    return sum(Counter(own).most_common(1)[0][0] == label for own, label in pairs) / len(labels)


def bits_per_byte(logarithms: np.ndarray, texts: list[str]) -> list[float]:
    total = -logarithms.sum()
    per_byte = total / sum(len(text.encode()) for text in texts)
    per_word = total / sum(len(text.split()) for text in texts)
    return [per_byte / math.log(2), math.exp(per_byte), math.exp(per_word)]


def mass(logarithms: np.ndarray, labels: np.ndarray) -> float:
    shares = importlib.import_module("scipy.special").softmax(logarithms, axis=1)
    return float(shares[np.arange(len(labels)), labels].mean())


def win_rate(outcomes: np.ndarray) -> list[float]:
    return [outcomes.mean(), np.count_nonzero(outcomes == 0.5), np.count_nonzero(outcomes == 0)]


def bias(outcomes: np.ndarray, swapped: np.ndarray) -> list[float]:
    both = (outcomes == 1) & (swapped == 0)
    return [float((outcomes == swapped).mean()), float(both.mean())]


def powered(predictions: np.ndarray, labels: np.ndarray) -> float:
    """The mean alone."""
    known = ~np.isnan(labels)
    f, y, others = predictions[known], labels[known], predictions[~known]
    covariance = np.cov(y, f, ddof=0)[0, 1]
    power = covariance / ((1 + len(f) / len(others)) * predictions.var(ddof=1))
    return float(power * others.mean() + (y - power * f).mean())


# Agreement ----------------------------------------------------------------------------------------


def agreement(kind: str, counts: np.ndarray) -> float:
    """Of counts (N, C)."""
    raters, classes = counts.sum(axis=1), counts.shape[1]
    same = ((counts * (counts - 1)).sum(axis=1) / (raters * (raters - 1))).mean()
    shares = (counts / raters[:, None]).mean(axis=0)
    chance = {
        "gwet": (shares * (1 - shares)).sum() / (classes - 1),
        "brennan": 1 / classes,
        "percent": 0.0,
    }[kind]
    return float((same - chance) / (1 - chance))


def alpha(ratings: np.ndarray) -> float:
    """Krippendorff's, of whole classes (N, R) without gaps."""
    classes, raters = int(ratings.max()) + 1, ratings.shape[1]
    counts = (ratings[:, :, None] == np.arange(classes)).sum(axis=1)
    totals, number = counts.sum(axis=0), ratings.size
    unequal = raters * raters - (counts * counts).sum(axis=1)
    expected = number * number - (totals * totals).sum()
    return float(1 - (number - 1) * unequal.sum() / (raters - 1) / expected)


def icc(ratings: np.ndarray) -> list[float]:
    """All six, of numbers (N, R)."""
    n, k = ratings.shape
    mean = ratings.mean()
    items = k * ((ratings.mean(axis=1) - mean) ** 2).sum() / (n - 1)
    raters = n * ((ratings.mean(axis=0) - mean) ** 2).sum() / (k - 1)
    total = ((ratings - mean) ** 2).sum()
    within = (total - items * (n - 1)) / (n * (k - 1))
    rest = (total - items * (n - 1) - raters * (k - 1)) / ((n - 1) * (k - 1))
    spread = (raters - rest) / n
    return [
        (items - within) / (items + (k - 1) * within),
        (items - rest) / (items + (k - 1) * rest + k * spread),
        (items - rest) / (items + (k - 1) * rest),
        (items - within) / items,
        (items - rest) / (items + spread),
        (items - rest) / items,
    ]


# Rankings -----------------------------------------------------------------------------------------


def ranked(formula: str, scores: np.ndarray, gains: np.ndarray) -> float:
    """The mean over queries, each of a row of scores and gains."""
    order = np.argsort(-scores, axis=1)
    found = np.take_along_axis(gains, order, axis=1)
    rank = np.arange(1, found.shape[1] + 1)
    if formula == "rbp":
        return float((0.2 * (found > 0) @ 0.8 ** (rank - 1)).mean())
    if formula == "err":
        satisfied = (2.0**found - 1) / 16
        reached = np.cumprod(1 - satisfied, axis=1) / (1 - satisfied)
        return float((reached * satisfied / rank).sum(axis=1)[(gains > 0).any(axis=1)].mean())
    if formula == "judged":
        return float((found[:, :10] >= 0).mean())
    relevant = (gains > 0).sum(axis=1)
    hits = (found[:, :10] > 0).sum(axis=1)
    return float((2 * hits / (10 + relevant))[relevant > 0].mean())


def trec(measure: str) -> Peer:
    """A measure of trec_eval, of dicts by query and document."""

    def prepare(batches: Batches) -> Callable[[], Any]:
        package = importlib.import_module("pytrec_eval")
        names = [f"d{place:03}" for place in range(batches[0][0].shape[1])]
        runs: dict[str, dict[str, float]] = {}
        judged: dict[str, dict[str, int]] = {}
        for scores, gains in batches:
            for row, own in zip(scores.tolist(), gains.tolist(), strict=True):
                name = f"q{len(runs)}"
                runs[name] = dict(zip(names, row, strict=True))
                judged[name] = dict(zip(names, own, strict=True))

        def call() -> list[float]:
            found = package.RelevanceEvaluator(judged, {measure}).evaluate(runs)
            some = [of for name, of in found.items() if any(judged[name].values())]
            return [math.fsum(of[key] for of in some) / len(some) for key in some[0]]

        return call

    return Peer("pytrec_eval", prepare)


# Texts --------------------------------------------------------------------------------------------


def bert_score(found: Sequence[np.ndarray], references: Sequence[np.ndarray]) -> list[float]:
    """Precision, recall and F1 of embeddings, text by text."""
    values = []
    for one, other in zip(found, references, strict=True):
        near = (one / np.linalg.norm(one, axis=1, keepdims=True)) @ (
            other / np.linalg.norm(other, axis=1, keepdims=True)
        ).T
        precision, recall = near.max(axis=1).mean(), near.max(axis=0).mean()
        values.append((precision, recall, 2 * precision * recall / (precision + recall)))
    return [float(value) for value in np.mean(values, axis=0)]


# Classes and numbers ------------------------------------------------------------------------------


def rate(which: Callable[..., Any], found: np.ndarray, labels: np.ndarray) -> float:
    """A function of the true negatives, false positives, false negatives and true positives."""
    counts = np.bincount(2 * labels + found, minlength=4)
    return float(which(*counts))


def gini(scores: np.ndarray, labels: np.ndarray) -> float:
    auc = importlib.import_module("sklearn.metrics").roc_auc_score
    return float(2 * auc(labels, scores) - 1)


def best_f1(scores: np.ndarray, labels: np.ndarray) -> list[float]:
    """The best F1, and the threshold that has it."""
    curve = importlib.import_module("sklearn.metrics").precision_recall_curve
    precision, recall, thresholds = curve(labels, scores)
    values = (2 * precision * recall / np.maximum(precision + recall, 1e-300))[:-1]
    best = values.argmax()
    return [float(values[best]), float(thresholds[best])]


def decomposed(scores: np.ndarray, labels: np.ndarray, bins: int = 15) -> list[float]:
    """The three parts of the Brier score."""
    which = np.maximum(np.ceil(scores * bins).astype(int) - 1, 0)
    counts = np.bincount(which, minlength=bins)
    known, share = counts > 0, labels.mean()
    means, hits = (
        np.bincount(which, side, bins)[known] / counts[known] for side in (scores, labels)
    )
    weights = counts[known] / len(labels)
    reliability = (weights * (means - hits) ** 2).sum()
    return [float(reliability), float((weights * (hits - share) ** 2).sum()), share * (1 - share)]


def mcnemar(first: np.ndarray, second: np.ndarray, labels: np.ndarray) -> list[float]:
    """How many samples only one of two models gets right, and the exact p-value."""
    right, other = first == labels, second == labels
    b, c = np.count_nonzero(right & ~other), np.count_nonzero(other & ~right)
    test = importlib.import_module("scipy.stats").binomtest
    return [b, c, test(b, b + c).pvalue, min(b, c)]


def intervals(lower: np.ndarray, upper: np.ndarray, y: np.ndarray) -> list[float]:
    """The interval score at 90 percent, the coverage and the width."""
    width = upper - lower
    outside = np.maximum(lower - y, 0) + np.maximum(y - upper, 0)
    score, covered = (width + 20 * outside).mean(), ((lower <= y) & (y <= upper)).mean()
    return [float(score), float(covered), float(width.mean())]


def energy(members: np.ndarray, y: np.ndarray) -> float:
    """The energy score of ensembles (N, M, D)."""
    errors = np.linalg.norm(members - y[:, None], axis=2).mean(axis=1)
    apart = np.linalg.norm(members[:, :, None] - members[:, None], axis=3).mean(axis=(1, 2))
    return float((errors - apart / 2).mean())


def scaled(p: np.ndarray, y: np.ndarray, history: np.ndarray) -> float:
    naive = np.abs(np.diff(history, axis=1)).mean(axis=1)
    return float((np.abs(p - y).mean(axis=1) / naive).mean())


def kling_gupta(p: np.ndarray, y: np.ndarray) -> float:
    steps = np.corrcoef(p, y)[0, 1] - 1, p.std() / y.std() - 1, p.mean() / y.mean() - 1
    return 1 - math.hypot(*steps)


def mean_bias(p: np.ndarray, y: np.ndarray) -> float:
    return float((p - y).mean())


def poisson(p: np.ndarray, y: np.ndarray) -> float:
    return float((p - y * np.log(p)).mean())


def _contingency(found: np.ndarray, labels: np.ndarray) -> np.ndarray:
    size = int(labels.max()) + 1
    table = np.bincount(found * size + labels, minlength=size * (int(found.max()) + 1))
    return table.reshape(-1, size)


def purity(found: np.ndarray, labels: np.ndarray) -> float:
    return float(_contingency(found, labels).max(axis=1).sum() / len(labels))


def assigned(found: np.ndarray, labels: np.ndarray) -> float:
    """The accuracy under the best assignment of clusters to classes."""
    table = _contingency(found, labels)
    assign = importlib.import_module("scipy.optimize").linear_sum_assignment
    return float(table[assign(table, maximize=True)].sum() / len(labels))
