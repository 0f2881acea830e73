"""CHRFScore beside sacrebleu, and what it promises on its own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmeval_like import CHRFScore
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers import requires
from tests.helpers.examples import examples
from tests.metrics.test_bleu import pad
from tests.metrics.texts import any_text, mixed_samples

PLUS: dict[str, Any] = {"word_order": 2, "lowercase": True, "whitespace": True}


def oracle(
    predictions: Sequence[str], references: Sequence[Sequence[str]], **options: Any
) -> dict[str, float]:
    """What sacrebleu says, in [0, 1]."""
    peer = requires("sacrebleu").metrics.CHRF(**options)
    return {"chrf": peer.corpus_score(list(predictions), pad(references)).score / 100}


CASES = {
    "CHRFScore": MetricCase(CHRFScore, mixed_samples, oracle, array_inputs=False),
    "CHRFScore, chrF++": MetricCase(
        lambda **options: CHRFScore(**PLUS, **options),
        mixed_samples,
        lambda p, r: oracle(p, r, **PLUS),
        array_inputs=False,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The score equals sacrebleu's and keeps every law of a metric."""
    check_metric(CASES[name], examples=examples(4))


@settings(max_examples=examples(40))
@given(
    st.lists(
        st.tuples(any_text, st.lists(any_text, min_size=1, max_size=3)), min_size=1, max_size=4
    ),
    st.sampled_from([0, 1, 2]),
    st.sampled_from([1, 3]),
)
def test_any_text(samples: list[tuple[str, list[str]]], words: int, beta: int) -> None:
    """Of any texts, whatever their punctuation, spaces and scripts, and of any options."""
    predictions, references = map(list, zip(*samples, strict=True))
    options = {"char_order": 3, "word_order": words, "beta": beta}

    value = CHRFScore(**options)(predictions, references)["chrf"]  # type: ignore[arg-type]
    expected = oracle(predictions, references, **options)["chrf"]  # type: ignore[arg-type]
    assert value == pytest.approx(expected, 1e-12, 1e-15)


def test_the_best_reference_of_each_text() -> None:
    """The reference of the highest score counts, wherever it stands, and no other."""
    batch = ["the cat"], [["a dog here", "the cat", "the hat"]]

    assert CHRFScore()(*batch) == {"chrf": 1.0}
    assert CHRFScore()(["the cat"], ["the cat"]) == {"chrf": 1.0}


def test_by_hand() -> None:
    """The F-score of the mean precision and the mean recall, not the mean of F-scores."""
    # a b b: 2 of 3, and ab of ab, bb: 1 of 2; of "ab": 2 of 2, 1 of 1
    precision, recall = (2 / 3 + 1 / 2) / 2, 1.0
    expected = 5 * precision * recall / (4 * precision + recall)

    assert CHRFScore(char_order=2)(["abb"], ["ab"])["chrf"] == pytest.approx(expected, 1e-15)


@pytest.mark.parametrize("texts", [("", "ab"), ("ab", ""), (" ", " "), ("x", "ab")])
def test_nothing_matches(texts: tuple[str, str]) -> None:
    """Without any match, or any n-gram, the score is 0."""
    assert CHRFScore()([texts[0]], [texts[1]]) == {"chrf": 0.0}


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"char_order": 0}, ValueError, "char_order must be positive"),
        ({"char_order": 2.0}, TypeError, "char_order must be an integer"),
        ({"word_order": -1}, ValueError, "word_order must be positive"),
        ({"beta": 0}, ValueError, "beta must be positive and finite"),
        ({"beta": math.inf}, ValueError, "beta must be positive and finite"),
    ],
)
def test_bad_options(options: dict[str, Any], error: type[Exception], text: str) -> None:
    """What cannot be meant is refused when the metric is built."""
    with pytest.raises(error, match=text):
        CHRFScore(**options)


def test_bad_input() -> None:
    """A prediction without reference is refused, and nothing of the batch is kept."""
    metric = CHRFScore()
    metric.add(["ab"], [["ab"]])
    with pytest.raises(ValueError, match=r"\[1\] is empty"):
        metric.add(["x", "y"], [["x"], []])

    assert metric.compute() == {"chrf": 1.0}
