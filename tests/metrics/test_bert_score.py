"""BERTScore beside its formula, token by token."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from mmeval_like import BERTScore
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples

Texts = list[np.ndarray]


def samples(rng: np.random.Generator, n: int) -> tuple[Texts, Texts]:
    """Embeddings of one to five tokens, of very different sizes; some are 0."""

    def text() -> np.ndarray:
        scale = 10.0 ** rng.integers(-200, 100)
        tokens = rng.normal(size=(int(rng.integers(1, 6)), 4)) * scale
        return tokens * (rng.random((len(tokens), 1)) < 0.9)

    return [text() for _ in range(n)], [text() for _ in range(n)]


def weighted(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """The same, with weights of tokens and of samples."""
    both = samples(rng, n)
    return *both, *([rng.random(len(t)) for t in texts] for texts in both), rng.random(n)


def cosine(first: np.ndarray, second: np.ndarray) -> float:
    """Of two vectors; 0 where one is 0."""
    lengths = [np.abs(v).max() or 1.0 for v in (first, second)]
    first, second = first / lengths[0], second / lengths[1]
    norm = np.linalg.norm(first) * np.linalg.norm(second)
    return float(first @ second / norm) if norm else 0.0


def oracle(
    predictions: Texts,
    references: Texts,
    own: Any = None,
    other: Any = None,
    sample_weight: Any = None,
) -> dict[str, float]:
    """Every token beside every token."""
    values = []
    for place, (p, r) in enumerate(zip(predictions, references, strict=True)):
        table = np.array([[cosine(x, y) for y in r] for x in p])
        precision = np.average(table.max(axis=1), weights=None if own is None else own[place])
        recall = np.average(table.max(axis=0), weights=None if other is None else other[place])
        total = precision + recall
        f1 = 2 * precision * recall / total if total else 0.0
        opposite = min(precision, recall) < 0 < max(precision, recall)
        values.append((precision, recall, math.nan if opposite else f1))
    known = np.ma.masked_invalid(values)
    means = np.ma.average(known, axis=0, weights=sample_weight).filled(math.nan)
    return dict(zip(("precision", "recall", "f1"), means.tolist(), strict=True))


CASES = {
    "BERTScore": MetricCase(BERTScore, samples, oracle, tolerance=1e-9, array_inputs=False),
    "BERTScore, weighted": MetricCase(
        BERTScore, weighted, oracle, tolerance=1e-9, array_inputs=False
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The score is that of its formula, and keeps every law of a metric."""
    check_metric(CASES[name], examples=examples(4))


def test_by_hand() -> None:
    """A token may be the best one of several; the order of tokens does not count."""
    x, y = [1.0, 0.0], [0.0, 1.0]

    assert BERTScore()([[x, y, x]], [[y, x]]) == {"precision": 1.0, "recall": 1.0, "f1": 1.0}
    values = BERTScore()([[x, y]], [[x]], [[3.0, 1.0]])
    assert values == {"precision": 0.75, "recall": 1.0, "f1": 6 / 7}


def test_texts_without_tokens_are_left_out() -> None:
    """So are those whose tokens have no weight; the number of both is said."""
    x = [[1.0, 0.0]]
    metric = BERTScore()
    metric.add([x, np.zeros((0, 2)), x], [x, x, x], [[1.0], [], [0.0]])

    with pytest.warns(RuntimeWarning, match="undefined for 2 of 3 samples"):
        assert metric.compute()["f1"] == 1.0


def test_f1_is_in_its_range() -> None:
    """Item 13: `ranges` is true, also where P and R have opposite signs: such a pair has no f1.

    Of 200 pairs one made the mean 0.78 for 0.5: its f1 was 2 * 0.5 * -0.498 / 0.002.
    """
    usual = [np.array([[1.0, 0.0]]), np.array([[0.5, math.sqrt(0.75)]])]
    metric = BERTScore()
    metric.add([usual[0]] * 199, [usual[1]] * 199)
    assert metric.compute()["f1"] == pytest.approx(0.5)
    pair = usual[0], np.array([[0.5, math.sqrt(0.75)], [-1.0, 0.0], [-1.0, 1e-3]])
    precision, recall, f1 = BERTScore().scores([pair[0]], [pair[1]])[0]
    assert precision == pytest.approx(0.5)
    assert recall == pytest.approx(-0.5, abs=1e-6)
    assert math.isnan(f1)
    metric.add([pair[0]], [pair[1]])
    with pytest.warns(RuntimeWarning, match="a value of it, is undefined for 1 of 200 samples"):
        found = metric.compute()
    assert found["f1"] == pytest.approx(0.5)
    assert found["recall"] == pytest.approx((199 * 0.5 - 0.5) / 200)
    backwards = BERTScore()([[[1.0, 0.0]]], [[[-1.0, 0.0]]])
    assert backwards == {"precision": -1.0, "recall": -1.0, "f1": -1.0}


@pytest.mark.parametrize(
    ("batch", "error", "text"),
    [
        (([[1.0]], [[[1.0]]]), ValueError, r"predictions\[0\] must have shape \(T, D\)"),
        (([[[1.0]]], [[[1.0, 2.0]]]), ValueError, "embeddings of the same size"),
        (([[[1.0]]], []), ValueError, "predictions and references must have the same length"),
        (([[[np.nan]]], [[[1.0]]]), ValueError, r"predictions\[0\] must not contain nan"),
        (([[[1.0]]], [[[1.0]]], [[1.0, 2.0]]), ValueError, "a number for each of 1 tokens"),
        (([[[1.0]]], [[[1.0]]], [[-1.0]]), ValueError, "must not be negative"),
        ((3, [[[1.0]]]), TypeError, "predictions must be a list of embeddings"),
        (([["a"]], [[[1.0]]]), TypeError, r"predictions\[0\]"),
    ],
)
def test_bad_input(batch: Any, error: type[Exception], text: str) -> None:
    """What cannot be meant is refused, and nothing of the batch is kept."""
    metric = BERTScore()
    metric.add([[[1.0]]], [[[1.0]]])
    with pytest.raises(error, match=text):
        metric.add(*batch)

    assert metric.compute()["f1"] == 1.0
