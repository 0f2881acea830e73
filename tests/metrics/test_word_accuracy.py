"""WordAccuracy against comparisons spelled out, and what it promises on its own."""

import math
import unicodedata
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval_like import WordAccuracy
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples
from tests.metrics.texts import any_text

MODES = ("exact", "ignore_case", "ignore_case_symbol")
KEYS = ("accuracy", "ignore_case_accuracy", "ignore_case_symbol_accuracy")


def samples(rng: np.random.Generator, n: int) -> tuple[list[str], list[str]]:
    """Labels, and predictions that differ from them in nothing, case, symbols or more."""
    labels = [
        "".join(rng.choice(list("aBc$ 一é9-5.жि"), int(rng.integers(0, 6)))) for _ in range(n)
    ]
    change = [str, str.swapcase, lambda text: f"-{text.upper()}!", lambda text: text + "x"]
    return [change[int(rng.integers(4))](label) for label in labels], labels


def bare(text: str) -> list[str]:
    """The characters that count when symbols do not, without a regular expression."""
    lower, found = text.lower(), []
    for place, c in enumerate(lower):
        before, after = lower[place - 1 : place], lower[place + 1 : place + 3]
        number = after[:1].isdecimal() or (after[:1] in ".," and after[1:].isdecimal())
        # What is a digit or a power is no letter: a sign behind it belongs to a number.
        letter = before.isalnum() and not before.isdecimal()
        sign = c in "-+.,\u2212" and number and not letter
        if c.isalnum() or sign or unicodedata.category(c)[0] == "M":
            found.append(c)
    return found


def oracle(predictions: list[str], labels: list[str]) -> dict[str, float]:
    """Counts, one text at a time."""
    pairs = list(zip(predictions, labels, strict=True))
    right = (
        sum(p == t for p, t in pairs),
        sum(p.lower() == t.lower() for p, t in pairs),
        sum(bare(p) == bare(t) for p, t in pairs),
    )
    return {key: count / len(pairs) for key, count in zip(KEYS, right, strict=True)}


def make(**options: Any) -> WordAccuracy:
    """The metric in all modes."""
    return WordAccuracy(MODES, **options)


EMPTY = dict.fromkeys(KEYS, math.nan)
CASES = {
    "WordAccuracy": MetricCase(make, samples, oracle, 0, empty=EMPTY, array_inputs=False),
}


def test_laws() -> None:
    """WordAccuracy equals the counts, to the bit, and keeps every law of a metric."""
    check_metric(CASES["WordAccuracy"], examples=examples(8))


@given(st.lists(st.tuples(any_text, any_text), min_size=1, max_size=4))
def test_any_text(pairs: list[tuple[str, str]]) -> None:
    """Every string is compared as the counts say."""
    columns = [list(column) for column in zip(*pairs, strict=True)]
    assert WordAccuracy(MODES)(*columns) == oracle(*columns)


@pytest.mark.parametrize("mode", [*MODES, list(MODES), MODES, ("exact", "ignore_case_symbol")])
def test_modes(mode: Any) -> None:
    """One mode, a list or a tuple of them: a key for each, in this order."""
    value = WordAccuracy(mode)(["Ab", "ab", "a-b", "b"], ["ab"] * 4)
    expected = dict(zip(MODES, zip(KEYS, (0.25, 0.5, 0.75), strict=True), strict=True))

    assert value == dict(expected[m] for m in ([mode] if isinstance(mode, str) else mode))


def test_invalid_symbol() -> None:
    """What the expression matches is left out, after the conversion to lower case."""
    metric = WordAccuracy(invalid_symbol="[^a-z]")

    assert metric(["Ab1", "é"], ["aB2", "ü"]) == {"ignore_case_symbol_accuracy": 1.0}


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"mode": "case"}, ValueError, "mode must be one or several of .* got 'case'"),
        ({"mode": ()}, ValueError, "got ()"),
        ({"mode": ["exact", "x"]}, ValueError, "mode must be"),
        ({"invalid_symbol": "["}, ValueError, "invalid_symbol must be a regular expression"),
        ({"invalid_symbol": 3}, TypeError, "invalid_symbol must be a regular expression"),
    ],
)
def test_bad_options(options: dict[str, Any], error: type[Exception], text: str) -> None:
    """What cannot be meant is refused when the metric is built."""
    with pytest.raises(error, match=text):
        WordAccuracy(**options)


@pytest.mark.parametrize(
    ("predictions", "groundtruths", "error", "text"),
    [
        ("ab", ["a", "b"], TypeError, "predictions must be a list of strings, got str"),
        (["a"], "a", TypeError, "groundtruths must be a list of strings, got str"),
        (["a"], [1], TypeError, "groundtruths .* got int at index 0"),
        (["a"], ["a", "b"], ValueError, "same length, got 1 and 2"),
    ],
)
def test_bad_input(
    predictions: object, groundtruths: object, error: type[Exception], text: str
) -> None:
    """Input that cannot be meant is refused, and nothing of the batch is kept."""
    metric = WordAccuracy("exact")
    metric.add(["a"], ["a"])
    with pytest.raises(error, match=text):
        metric.add(predictions, groundtruths)

    assert metric.compute() == {"accuracy": 1.0}


@pytest.mark.parametrize(
    ("prediction", "label", "equal"),
    [
        ("привет", "мир", False),
        ("Привет!", "привет", True),
        ("-5", "5", False),
        ("-.5", ".5", False),
        ("$1,000", "1,000", True),
        ("3.5", "35", False),
        ("No.5", "no5", True),
        ("well-known", "wellknown", True),
        ("कि", "का", False),
        ("٣", "٤", False),
    ],
)
def test_every_script_counts(prediction: str, label: str, equal: bool) -> None:
    """Letters of every script and the signs of numbers are no symbols."""
    assert WordAccuracy()([prediction], [label]) == {"ignore_case_symbol_accuracy": float(equal)}
