"""Perplexity against scipy's log-softmax."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmeval_like import Perplexity
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers import requires
from tests.helpers.examples import examples


def samples(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Logits with large gaps, words, and padding of several kinds."""
    logits = rng.normal(size=(n, 5, 13)).astype(np.float32) * 20
    words = rng.integers(0, 13, (n, 5))
    words[rng.random((n, 5)) < 0.3] = -100
    words[0, 0] = 3
    return logits, words


def of_many_lengths(rng: np.random.Generator, n: int) -> tuple[list[np.ndarray], ...]:
    """The same as lists of sequences of different length, also none."""
    logits, words = samples(rng, n)
    lengths = rng.integers(0, 6, n)
    lengths[0] = 5
    return tuple(
        [entry[:length] for entry, length in zip(column, lengths, strict=True)]
        for column in (logits, words)
    )


def oracle(predictions: Any, targets: Any) -> dict[str, float]:
    """The exponential of the mean of scipy's log-softmax."""
    log_softmax = requires("scipy.special").log_softmax
    logits, words = np.concatenate(list(predictions)), np.concatenate(list(targets))
    counted = (words != -100) & (words != 7)
    chosen = log_softmax(np.float64(logits[counted]), axis=1)
    return {"perplexity": np.exp(-chosen[np.arange(len(chosen)), words[counted]].mean())}


def make(**options: Any) -> Perplexity:
    """The metric without padding and word 7."""
    return Perplexity((-100, 7), **options)


CASES = {
    "Perplexity": MetricCase(make, samples, oracle, 1e-12, empty={"perplexity": math.nan}),
}
VARIANTS = {
    "Perplexity of lists": MetricCase(make, of_many_lengths, oracle, 1e-12),
}


@pytest.mark.parametrize("name", [*CASES, *VARIANTS])
def test_laws(name: str) -> None:
    """The metric equals scipy's and keeps every law."""
    check_metric((CASES | VARIANTS)[name], examples=examples(4))


@given(st.integers(1, 40), st.integers(1, 130), st.integers(0, 2**32))
@settings(max_examples=examples(40))
def test_places_leave_no_trace(tokens: int, words: int, seed: int) -> None:
    """A token's loss has the same bits alone, among others, and beside padding."""
    rng = np.random.default_rng(seed)
    logits, targets = rng.normal(size=(tokens, words)) * 9, rng.integers(0, words, tokens)
    metric, one_by_one, padded = Perplexity(), Perplexity(), Perplexity(ignore_labels=-1)
    for logit, target in zip(logits, targets, strict=True):
        metric.add(logit[None, None], target[None, None])
        padded.add(np.stack([logit, np.zeros(words)])[None, ::-1], np.array([[-1, target]]))
    one_by_one.add(logits[:, None].astype(logits.dtype, order="F"), targets[:, None])

    assert metric.compute() == one_by_one.compute() == padded.compute()


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_large_gaps(dtype: Any) -> None:
    """A gap of 400 between logits costs exactly 400, in every dtype; -inf is impossible."""
    logits = np.array([[[400, 0], [400, 0]]], dtype)

    assert math.isclose(Perplexity()(logits, [[0, 1]])["perplexity"], math.exp(200))
    assert Perplexity()(logits * np.array(2, dtype), [[1, 1]])["perplexity"] == math.inf
    assert Perplexity()([[[0.0, -math.inf]]], [[0]]) == {"perplexity": 1.0}
    assert Perplexity()([[[0.0, -math.inf]]], [[1]]) == {"perplexity": math.inf}


def test_long_sequences_in_blocks() -> None:
    """Sequences longer than a block are worked on piece by piece, with the same result."""
    logits = np.zeros((1, 2**18 // 100 + 77, 100), np.float16)

    value = Perplexity()(logits, np.zeros(logits.shape[:2], int))["perplexity"]
    assert math.isclose(value, 100)


def test_nothing_counted() -> None:
    """When all words are ignored there is no value; what stands there is not looked at."""
    logits = np.full((1, 1, 2), np.nan)

    assert math.isnan(Perplexity(ignore_labels=5)(logits, [[5]])["perplexity"])


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ((np.zeros((2, 3, 4)), np.zeros((1, 3), int)), ValueError, "same length"),
        ((np.zeros((1, 3, 4)), np.zeros((1, 2), int)), ValueError, "\\(B, T, V\\)"),
        ((np.zeros((1, 3)), np.zeros((1, 3), int)), ValueError, "\\(B, T, V\\)"),
        ((np.zeros((1, 1, 4)), [[4]]), ValueError, "targets must be in \\[0, 4\\)"),
        ((np.zeros((1, 1, 4)), [[-1]]), ValueError, "targets"),
        ((np.zeros((1, 1, 4)), [[0.5]]), TypeError, "targets"),
        ((np.full((1, 1, 4), np.nan), [[0]]), ValueError, "nan or infinity"),
        ((np.full((1, 1, 4), np.inf), [[0]]), ValueError, "nan or infinity"),
        ((np.full((1, 1, 4), -np.inf), [[0]]), ValueError, "nan or infinity"),
    ],
)
def test_bad_inputs(arguments: tuple[Any, ...], error: type[Exception], text: str) -> None:
    """What has no probability is refused."""
    with pytest.raises(error, match=text):
        Perplexity().add(*arguments)


def test_bad_options() -> None:
    """Labels to ignore are integers."""
    with pytest.raises(TypeError, match="ignore_labels"):
        Perplexity(ignore_labels="pad")  # type: ignore[arg-type]
