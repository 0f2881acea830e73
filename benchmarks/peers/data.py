"""The batches that the metrics are measured with: 50,000 samples, 1,000 at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

__all__ = ["CLASSES", "DATA", "MANY", "Batches"]

Batches = Sequence[tuple[Any, ...]]

CLASSES, MANY = 10, 100
COUNT, SIZE = 50, 1000
FEW = 10  # batches of what is slow


def _batches(make: Callable[[np.random.Generator], tuple[Any, ...]], count: int = COUNT) -> Batches:
    rng = np.random.default_rng(0)
    return [make(rng) for _ in range(count)]


def _softmax(logits: np.ndarray) -> np.ndarray:
    shares = np.exp(logits)
    return shares / shares.sum(axis=1, keepdims=True)


def _leaning(rng: np.random.Generator, labels: np.ndarray) -> np.ndarray:
    """Scores in [0, 1] that are higher where the label is 1, mostly."""
    return (rng.random(labels.shape, np.float32) + labels.astype(np.float32) / 2) / np.float32(1.5)


def _classes(rng: np.random.Generator, classes: int = CLASSES) -> tuple[Any, ...]:
    labels = rng.integers(0, classes, SIZE)
    guesses = rng.integers(0, classes, SIZE)
    return np.where(rng.random(SIZE) < 0.7, labels, guesses), labels


def _pair(rng: np.random.Generator) -> tuple[Any, ...]:
    labels = rng.normal(size=SIZE)
    return labels + 0.5 * rng.normal(size=SIZE), labels


def _binary(rng: np.random.Generator) -> tuple[Any, ...]:
    labels = rng.integers(0, 2, SIZE)
    return _leaning(rng, labels), labels


def _decided(rng: np.random.Generator) -> tuple[Any, ...]:
    scores, labels = _binary(rng)
    return (scores >= 0.5).astype(np.int64), labels


def _probabilities(rng: np.random.Generator) -> tuple[Any, ...]:
    labels = rng.integers(0, CLASSES, SIZE)
    logits = rng.normal(size=(SIZE, CLASSES))
    logits[np.arange(SIZE), labels] += 1
    return _softmax(logits).astype(np.float32), labels


def _label_sets(rng: np.random.Generator) -> tuple[Any, ...]:
    labels = (rng.random((SIZE, CLASSES)) < 0.3).astype(np.int64)
    return _leaning(rng, labels), labels


def _chosen(rng: np.random.Generator) -> tuple[Any, ...]:
    scores, labels = _label_sets(rng)
    return (scores >= 0.5).astype(np.int64), labels


def _vectors(rng: np.random.Generator) -> tuple[Any, ...]:
    labels = rng.normal(size=(SIZE, 16))
    return labels + rng.normal(size=labels.shape), labels


def _distributions(rng: np.random.Generator) -> tuple[Any, ...]:
    return _softmax(rng.normal(size=(SIZE, 16))), _softmax(rng.normal(size=(SIZE, 16)))


def _margins(rng: np.random.Generator) -> tuple[Any, ...]:
    labels = rng.integers(0, 2, SIZE)
    return rng.normal(size=SIZE) + 2 * labels - 1, labels


def _groups(rng: np.random.Generator) -> tuple[Any, ...]:
    return *_binary(rng), rng.integers(0, 4, SIZE)


def _features(rng: np.random.Generator) -> tuple[Any, ...]:
    clusters = rng.integers(0, CLASSES, SIZE)
    return rng.normal(size=(SIZE, 16)) + clusters[:, None] / 2, clusters


def _images(rng: np.random.Generator) -> tuple[Any, ...]:
    truths = rng.integers(0, 256, (4, 3, 96, 96)).astype(np.float64)
    return np.clip(truths + rng.normal(0, 10, truths.shape), 0, 255), truths


def _gray(rng: np.random.Generator) -> tuple[Any, ...]:
    images, truths = _images(rng)
    return images[:, 0], truths[:, 0]


def _maps(rng: np.random.Generator) -> tuple[Any, ...]:
    labels = rng.integers(0, 19, (4, 128, 128))
    guesses = rng.integers(0, 19, labels.shape)
    return np.where(rng.random(labels.shape) < 0.8, labels, guesses), labels


def _mattes(rng: np.random.Generator) -> tuple[Any, ...]:
    trimaps = rng.choice([0, 128, 255], (2, 64, 64)).astype(np.uint8)
    rough = rng.random((2, 8, 8)).repeat(8, axis=1).repeat(8, axis=2)
    truths = np.where(trimaps == 128, rough, trimaps / 255)
    return np.clip(truths + rng.normal(0, 0.1, truths.shape), 0, 1), truths, trimaps


def _flow(rng: np.random.Generator) -> tuple[Any, ...]:
    truths = rng.normal(0, 5, (4, 64, 64, 2)).astype(np.float32)
    return truths + rng.normal(size=truths.shape).astype(np.float32), truths


def _poses(rng: np.random.Generator, joints: int = 17) -> tuple[Any, ...]:
    found, truths = [], []
    for _ in range(32):
        coords = rng.random((1, joints, 2)) * 200
        found.append({"coords": coords + rng.normal(0, 5, coords.shape)})
        truths.append(
            {
                "coords": coords,
                "mask": rng.random((1, joints)) < 0.8,
                "bbox_size": np.full((1, 2), 200.0),
                "head_size": np.full((1, 2), 20.0),
                "box": np.full((1, 1), 200.0),
            }
        )
    return found, truths


def _tokens(rng: np.random.Generator) -> tuple[Any, ...]:
    return rng.normal(size=(4, 64, 500)).astype(np.float32), rng.integers(0, 500, (4, 64))


def _sequences(rng: np.random.Generator) -> tuple[Any, ...]:
    lengths = rng.integers(5, 40, 64)
    labels = [rng.integers(0, CLASSES, length) for length in lengths]
    guesses = [np.where(rng.random(len(y)) < 0.7, y, (y + 1) % CLASSES) for y in labels]
    return guesses, labels


def _choices(rng: np.random.Generator) -> tuple[Any, ...]:
    return -rng.random((SIZE, 4)), rng.integers(0, 4, SIZE)


def _forecasts(rng: np.random.Generator) -> tuple[Any, ...]:
    labels = rng.normal(size=SIZE)
    return labels[:, None] + rng.normal(size=(SIZE, 20)), labels


def _ensembles(rng: np.random.Generator) -> tuple[Any, ...]:
    labels = rng.normal(size=(SIZE, 3))
    return labels[:, None] + rng.normal(size=(SIZE, 10, 3)), labels


def _ends(rng: np.random.Generator) -> tuple[Any, ...]:
    found, labels = _pair(rng)
    return found - 0.8, found + 0.8, labels


def _series(rng: np.random.Generator) -> tuple[Any, ...]:
    """Forecasts of ten steps, and the hundred steps before."""
    steps = rng.normal(size=(SIZE, 110)).cumsum(axis=1)
    return steps[:, 100:] + rng.normal(size=(SIZE, 10)), steps[:, 100:], steps[:, :100]


def _models(rng: np.random.Generator) -> tuple[Any, ...]:
    """The classes that two models predict."""
    first, labels = _classes(rng)
    return first, np.where(rng.random(SIZE) < 0.2, labels, first), labels


def _queries(rng: np.random.Generator) -> tuple[Any, ...]:
    """Scores of 100 documents for each query, and gains of which most are 0."""
    gains = (rng.random((SIZE, 100)) < 0.1) * rng.integers(1, 4, (SIZE, 100))
    return (rng.random(gains.shape, np.float32) + gains / 8).astype(np.float32), gains


def _relevant(rng: np.random.Generator) -> tuple[Any, ...]:
    scores, gains = _queries(rng)
    return scores, (gains > 0).astype(np.int64)


def _ratings(rng: np.random.Generator) -> tuple[Any, ...]:
    return (rng.multinomial(5, np.full(CLASSES, 1 / CLASSES), SIZE),)


def _attempts(rng: np.random.Generator) -> tuple[Any, ...]:
    """Which of 20 attempts at each question were right."""
    return ((rng.random((SIZE, 20)) < rng.random((SIZE, 1))).astype(np.int64),)


def _votes(rng: np.random.Generator) -> tuple[Any, ...]:
    """Eight answers to each question, and the right one."""
    answers = rng.geometric(0.4, (SIZE, 8)).tolist()
    return [[*map(str, row)] for row in answers], ["1"] * SIZE


def _logarithms(rng: np.random.Generator) -> tuple[Any, ...]:
    words = rng.integers(20, 400, SIZE)
    return -words * rng.random(SIZE), ["words " * number for number in words.tolist()]


def _verdicts(rng: np.random.Generator) -> tuple[Any, ...]:
    return rng.choice([0.0, 0.5, 1.0], SIZE), rng.choice([0.0, 0.5, 1.0], SIZE)


def _judged(rng: np.random.Generator) -> tuple[Any, ...]:
    """What a judge says of all, and the labels of a tenth."""
    found, labels = _pair(rng)
    return found, np.where(rng.random(SIZE) < 0.1, labels, np.nan)


def _raters(rng: np.random.Generator) -> tuple[Any, ...]:
    truths = rng.integers(0, CLASSES, (SIZE, 1))
    guesses = rng.integers(0, CLASSES, (SIZE, 5))
    return (np.where(rng.random(guesses.shape) < 0.6, truths, guesses),)


def _grades(rng: np.random.Generator) -> tuple[Any, ...]:
    return (rng.normal(size=(SIZE, 1)) + rng.normal(size=(SIZE, 4)),)


def _embeddings(rng: np.random.Generator) -> tuple[Any, ...]:
    lengths = rng.integers(5, 40, (2, 100)).tolist()
    return tuple([rng.normal(size=(n, 64)).astype(np.float32) for n in side] for side in lengths)


DATA: dict[str, Callable[[], Batches]] = {
    name: cache(lambda make=make, count=count: _batches(make, count))
    for name, (make, count) in {
        "classes": (_classes, COUNT),
        "many classes": (lambda rng: _classes(rng, MANY), COUNT),
        "binary": (_binary, COUNT),
        "decided": (_decided, COUNT),
        "probabilities": (_probabilities, COUNT),
        "label sets": (_label_sets, COUNT),
        "chosen": (_chosen, COUNT),
        "groups": (_groups, COUNT),
        "float labels": (lambda rng: tuple(a.astype(np.float32) for a in _binary(rng)), COUNT),
        "margins": (_margins, COUNT),
        "numbers": (_pair, COUNT),
        "few numbers": (_pair, FEW),
        "positive": (lambda rng: tuple(np.exp(a) for a in _pair(rng)), COUNT),
        "values": (lambda rng: (rng.normal(size=SIZE),), COUNT),
        "clicks": (lambda rng: (rng.integers(0, 2, SIZE),), COUNT),
        "vectors": (_vectors, COUNT),
        "distributions": (_distributions, COUNT),
        "forecasts": (_forecasts, FEW),
        "ensembles": (_ensembles, FEW),
        "ends": (_ends, COUNT),
        "series": (_series, FEW),
        "models": (_models, COUNT),
        "choices": (_choices, COUNT),
        "features": (_features, COUNT),
        "few features": (_features, 2),
        "shares": (lambda rng: _distributions(rng)[:1], COUNT),
        "observations": (lambda rng: _features(rng)[:1], COUNT),
        "queries": (_queries, FEW),
        "relevant": (_relevant, FEW),
        "ratings": (_ratings, COUNT),
        "attempts": (_attempts, COUNT),
        "votes": (_votes, COUNT),
        "logarithms": (_logarithms, COUNT),
        "verdicts": (_verdicts, COUNT),
        "outcomes": (lambda rng: _verdicts(rng)[:1], COUNT),
        "judged": (_judged, COUNT),
        "raters": (_raters, COUNT),
        "grades": (_grades, COUNT),
        "embeddings": (_embeddings, FEW),
        "images": (_images, 4),
        "gray": (_gray, 4),
        "maps": (_maps, 4),
        "mattes": (_mattes, 2),
        "flow": (_flow, 8),
        "poses": (_poses, 8),
        "mpii": (partial(_poses, joints=16), 8),
        "jhmdb": (partial(_poses, joints=15), 8),
        "photographs": (lambda rng: (rng.integers(0, 256, (1, 3, 192, 192)).astype(float),), 2),
        "tokens": (_tokens, 4),
        "sequences": (_sequences, 8),
    }.items()
}
