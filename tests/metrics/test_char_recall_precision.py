"""CharRecallPrecision against the textbook's table, and what it promises on its own."""

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval_like import CharRecallPrecision
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples
from tests.metrics.texts import any_text, textbook_lcs


def samples(rng: np.random.Generator, n: int) -> tuple[list[str], list[str]]:
    """Texts over a few characters, some of them symbols, so that much matches."""

    def text() -> str:
        return "".join(rng.choice(list("aAb一. "), int(rng.integers(0, 15))))

    return [text() for _ in range(n)], [text() for _ in range(n)]


MMEVAL = "[^A-Za-z0-9\u4e00-\u9fa5]"


def oracle(
    predictions: list[str], labels: list[str], convert: Callable[[str], str] = str
) -> dict[str, float]:
    """Sums over texts whose common subsequence comes from the textbook's table."""
    matched = total = predicted = 0
    for prediction, label in zip(predictions, labels, strict=True):
        first, second = (re.sub(MMEVAL, "", convert(text)) for text in (prediction, label))
        matched += textbook_lcs(first, second)
        predicted += len(first)
        total += len(second)
    return {"recall": matched / (total or 1), "precision": matched / (predicted or 1)}


def case(letter_case: str, convert: Callable[[str], str]) -> MetricCase:
    """The metric with a conversion of the case, and the oracle with the same."""

    def make(**options: Any) -> CharRecallPrecision:
        return CharRecallPrecision(letter_case, MMEVAL, **options)

    return MetricCase(
        make,
        samples,
        lambda predictions, labels: oracle(predictions, labels, convert),
        tolerance=0,
        empty={"recall": math.nan, "precision": math.nan},
        array_inputs=False,
    )


CASES = {
    "CharRecallPrecision": case("unchanged", str),
}
VARIANTS = CASES | {"upper": case("upper", str.upper), "lower": case("lower", str.lower)}


@pytest.mark.parametrize("name", VARIANTS)
def test_laws(name: str) -> None:
    """CharRecallPrecision equals the table, to the bit, and keeps every law of a metric."""
    check_metric(VARIANTS[name], examples=examples(4))


@given(st.lists(st.tuples(any_text, any_text), min_size=1, max_size=4))
def test_any_text(pairs: list[tuple[str, str]]) -> None:
    """Every string is matched as the table says."""
    columns = [list(column) for column in zip(*pairs, strict=True)]
    assert CharRecallPrecision(invalid_symbol=MMEVAL)(*columns) == oracle(*columns)


def test_long_texts() -> None:
    """Of 300 equal characters all match: no character is too frequent to count."""
    metric = CharRecallPrecision()

    assert metric(["a" * 300], ["a" * 300]) == {"recall": 1.0, "precision": 1.0}
    assert metric(["a" * 299 + "b"], ["a" * 300])["recall"] == 299 / 300


def test_matching_is_in_order_and_longest() -> None:
    """Characters match in order; the longest choice counts, not the longest block first."""
    value = CharRecallPrecision()(["abcdefxyz"], ["xyzaqbqcqdqeqf"])

    assert value == {"recall": 6 / 14, "precision": 6 / 9}


@pytest.mark.parametrize(
    ("prediction", "label", "recall", "precision"),
    [("", "", 0.0, 0.0), ("a", "", 0.0, 0.0), ("", "a", 0.0, 0.0), ("!", "a?", 0.0, 0.0)],
)
def test_nothing_to_match(prediction: str, label: str, recall: float, precision: float) -> None:
    """Without a character on either side the quotient is 0."""
    value = CharRecallPrecision()([prediction], [label])

    assert value == {"recall": recall, "precision": precision}


def test_invalid_symbol() -> None:
    """What the expression matches is removed, after the conversion of the case."""
    metric = CharRecallPrecision("upper", invalid_symbol="[^A-Z]")

    assert metric(["aé1"], ["A2"]) == {"recall": 1.0, "precision": 1.0}


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"letter_case": "title"}, ValueError, "letter_case must be one of .* got 'title'"),
        ({"invalid_symbol": "("}, ValueError, "invalid_symbol must be a regular expression"),
        ({"invalid_symbol": 3}, TypeError, "invalid_symbol must be a regular expression"),
    ],
)
def test_bad_options(options: dict[str, Any], error: type[Exception], text: str) -> None:
    """What cannot be meant is refused when the metric is built."""
    with pytest.raises(error, match=text):
        CharRecallPrecision(**options)


@pytest.mark.parametrize(
    ("predictions", "groundtruths", "error", "text"),
    [
        ("ab", ["a", "b"], TypeError, "predictions must be a list of strings, got str"),
        (["a"], [None], TypeError, "groundtruths .* got NoneType at index 0"),
        ([], ["a"], ValueError, "same length, got 0 and 1"),
    ],
)
def test_bad_input(
    predictions: object, groundtruths: object, error: type[Exception], text: str
) -> None:
    """Input that cannot be meant is refused, and nothing of the batch is kept."""
    metric = CharRecallPrecision()
    metric.add(["a"], ["a"])
    with pytest.raises(error, match=text):
        metric.add(predictions, groundtruths)

    assert metric.compute() == {"recall": 1.0, "precision": 1.0}


def test_every_script_counts() -> None:
    """By default letters of every script and the signs of numbers are kept."""
    value = CharRecallPrecision()(["мир, -5!"], ["мор -5"])

    assert value == {"recall": 4 / 5, "precision": 4 / 5}
