"""Classes, scores and labels, for the tests of the classification metrics."""

from typing import Any

import numpy as np

CLASSES = 4
Arguments = tuple[Any, ...]


def labels(rng: np.random.Generator, n: int) -> np.ndarray:
    """Class indices, in one byte each; the last class is rare."""
    return rng.choice(CLASSES, n, p=[0.5, 0.3, 0.15, 0.05]).astype(np.uint8)


def indices(rng: np.random.Generator, n: int) -> Arguments:
    """Predicted classes that are often right."""
    truth = labels(rng, n)
    return np.where(rng.random(n) < 0.6, truth, labels(rng, n)).astype(np.int32), truth


def weights(rng: np.random.Generator, n: int) -> np.ndarray:
    """Weights of very different size, some of them 0; often all very large or very small."""
    found = 10.0 ** rng.integers(-3, 3, n) * rng.random(n) * rng.integers(0, 3, n)
    found[0] = 0.1
    return found * 2.0 ** rng.choice([-150, 0, 150])


def weighted_indices(rng: np.random.Generator, n: int) -> Arguments:
    """Predicted classes, labels and weights."""
    return *indices(rng, n), weights(rng, n)


def tied_scores(rng: np.random.Generator, n: int) -> Arguments:
    """Scores of all classes, many of them equal, in float32."""
    return rng.integers(0, 4, (n, CLASSES)).astype(np.float32) / 4, labels(rng, n)


def probabilities(rng: np.random.Generator, n: int) -> Arguments:
    """Probabilities of all classes, some of them 0 or 1, in float32."""
    truth = labels(rng, n)
    logits = rng.normal(scale=20, size=(n, CLASSES)) + 10 * np.eye(CLASSES)[truth]
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    return (raised / raised.sum(axis=1, keepdims=True)).astype(np.float32), truth


def weighted_probabilities(rng: np.random.Generator, n: int) -> Arguments:
    """Probabilities of all classes, labels and weights."""
    return *probabilities(rng, n), weights(rng, n)


def binary(rng: np.random.Generator, n: int) -> Arguments:
    """Scores in [0, 1] of one class, many of them equal, in float32; labels 0 and 1."""
    truth = rng.integers(0, 2, n)
    scores = np.clip(rng.normal(0.4 + 0.2 * truth, 0.3), 0, 1)
    return np.round(scores * 16).astype(np.float32) / 16, truth


def logits(rng: np.random.Generator, n: int) -> Arguments:
    """Scores of one class without bounds, some of them equal, and labels 0 and 1, 1 often rare."""
    truth = (rng.random(n) < rng.choice([0.1, 0.5])).astype(int)
    return np.round(rng.normal(truth, 2.0), int(rng.integers(0, 4))), truth


def weighted_logits(rng: np.random.Generator, n: int) -> Arguments:
    """Scores without bounds of one class, most of them equal to others, labels, and weights."""
    scores, truth = logits(rng, n)
    return np.round(scores / 2), truth, weights(rng, n)


def weighted_binary(rng: np.random.Generator, n: int) -> Arguments:
    """Scores and labels of one class, and weights."""
    return *binary(rng, n), weights(rng, n)


def label_sets(rng: np.random.Generator, n: int) -> Arguments:
    """Scores of all classes, many of them equal, and one-hot rows."""
    truth = rng.random((n, CLASSES)) < 0.4
    scores = np.clip(rng.normal(0.3 + 0.4 * truth, 0.3), 0, 1)
    return np.round(scores * 8).astype(np.float32) / 8, truth.astype(np.uint8)


def label_lists(rng: np.random.Generator, n: int) -> Arguments:
    """Predictions and labels as lists of class indices, some of them empty."""
    predictions, truth = label_sets(rng, n)
    return [np.flatnonzero(row > 0.5) for row in predictions], [np.flatnonzero(t) for t in truth]
