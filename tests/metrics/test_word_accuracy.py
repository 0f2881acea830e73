"""WordAccuracy against comparisons spelled out, and what it promises on its own."""

import math
import string
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval_like import WordAccuracy
from mmeval_like.testing import MetricCase, check_metric
from tests.metrics.texts import any_text

MODES = ("exact", "ignore_case", "ignore_case_symbol")
KEYS = ("accuracy", "ignore_case_accuracy", "ignore_case_symbol_accuracy")


def samples(rng: np.random.Generator, n: int) -> tuple[list[str], list[str]]:
    """Labels, and predictions that differ from them in nothing, case, symbols or more."""
    labels = ["".join(rng.choice(list("aBc$ 一é9"), int(rng.integers(0, 6)))) for _ in range(n)]
    change = [str, str.swapcase, lambda text: f"-{text.upper()}!", lambda text: text + "x"]
    return [change[int(rng.integers(4))](label) for label in labels], labels


def bare(text: str) -> list[str]:
    """The characters that count when symbols do not, without a regular expression."""
    kept = set(string.ascii_letters + string.digits)
    return [c for c in text.lower() if c in kept or 0x4E00 <= ord(c) <= 0x9FA5]


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
    check_metric(CASES["WordAccuracy"])


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
