"""SQuAD, ExactMatch and VQAAccuracy beside the rules of their benchmarks, written out plainly."""

from __future__ import annotations

import math
import re
import string
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples

WORDS = [
    "The",
    "the",
    "an",
    "a",
    "cat",
    "cat,",
    "Theatre",
    "42",
    "4.2",
    "-",
    "...",
    "Łódź",
    "A.",
    "b",
]


def text_of(rng: np.random.Generator, most: int = 4) -> str:
    """A few words, among them articles, numbers and punctuation; perhaps none."""
    return " ".join(rng.choice(WORDS, int(rng.integers(0, most + 1))))


def answers(rng: np.random.Generator, n: int, least: int = 1) -> tuple[list[str], list[list[str]]]:
    """Predictions, often one of the answers."""
    lists = [[text_of(rng) for _ in range(int(rng.integers(least, 4)))] for _ in range(n)]
    found = [str(rng.choice(own)) if own and rng.random() < 0.3 else text_of(rng) for own in lists]
    return found, lists


def normalize(text: str) -> str:
    """In lower case, without punctuation, articles and spare spaces: rule after rule."""
    kept = "".join(c for c in text.lower() if c not in set(string.punctuation))
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", kept).split())


def f1(prediction: str, answer: str) -> float:
    """Of the tokens; of answers without tokens whether they are alike."""
    found, expected = normalize(prediction).split(), normalize(answer).split()
    if not found or not expected:
        return float(found == expected)
    same = sum((Counter(found) & Counter(expected)).values())
    if not same:
        return 0.0
    precision, recall = same / len(found), same / len(expected)
    return 2 * precision * recall / (precision + recall)


def squad(predictions: Sequence[str], references: Sequence[Sequence[str]]) -> dict[str, float]:
    """The best over the answers that are not empty, or over the empty one."""
    exact, overlap = [], []
    for prediction, several in zip(predictions, references, strict=True):
        exact.append(max(normalize(prediction) == normalize(text) for text in several))
        overlap.append(max(f1(prediction, text) for text in several))
    return {"exact_match": float(np.mean(exact)), "f1": float(np.mean(overlap))}


def squad2(predictions: Sequence[str], references: Sequence[Sequence[str]]) -> dict[str, float]:
    """Answers of which nothing is left do not count, unless there are no others."""
    lists = [[text for text in several if normalize(text)] or [""] for several in references]
    return squad(predictions, lists)


def matches(predictions: Sequence[str], references: Sequence[Sequence[str]]) -> dict[str, float]:
    """After regular expressions, in lower case, without punctuation and digits."""

    def seen(text: str) -> str:
        text = re.sub("cat", "", re.sub("^The", "", text)).lower()
        return "".join(c for c in text if c not in string.punctuation + string.digits)

    pairs = zip(predictions, references, strict=True)
    return {"exact_match": float(np.mean([seen(p) in [*map(seen, r)] for p, r in pairs]))}


def crowds(rng: np.random.Generator, n: int) -> tuple[list[str], list[list[str]]]:
    """Answers of three to ten people each."""
    colours = ["red", "blue", "Red"]
    lists = [[str(c) for c in rng.choice(colours, int(rng.integers(3, 11)))] for _ in range(n)]
    return [str(rng.choice(colours)) for _ in range(n)], lists


def vqa(predictions: Sequence[str], references: Sequence[Sequence[str]]) -> dict[str, float]:
    """Every set of people that leaves one out."""
    values = []
    for prediction, people in zip(predictions, references, strict=True):
        sets = combinations(people, len(people) - 1)
        values.append(np.mean([min(several.count(prediction) / 3, 1) for several in sets]))
    return {"vqa_accuracy": float(np.mean(values))}


CASES = {
    "SQuAD": MetricCase(mm.SQuAD, answers, squad, array_inputs=False),
    "SQuAD, no answer": MetricCase(
        lambda **options: mm.SQuAD(no_answer=True, **options),
        lambda rng, n: answers(rng, n, least=0),
        squad2,
        array_inputs=False,
    ),
    "ExactMatch": MetricCase(
        mm.ExactMatch,
        lambda rng, n: (answers(rng, n)[0], [text_of(rng, 1) for _ in range(n)]),
        lambda p, r: {"exact_match": float(np.mean([x == y for x, y in zip(p, r, strict=True)]))},
        array_inputs=False,
    ),
    "ExactMatch, ignoring": MetricCase(
        lambda **options: mm.ExactMatch(
            ignore_case=True,
            ignore_punctuation=True,
            ignore_numbers=True,
            ignore_regexes=["^The", "cat"],
            **options,
        ),
        answers,
        matches,
        array_inputs=False,
    ),
    "VQAAccuracy": MetricCase(mm.VQAAccuracy, crowds, vqa, array_inputs=False),
}


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """Every mean follows from the rules of its benchmark, and keeps every law of a metric."""
    check_metric(CASES[name], examples=examples(4))


def test_what_is_ignored() -> None:
    """Expressions come first, one after the other; then case, punctuation and digits."""
    rng = np.random.default_rng(0)
    batch = answers(rng, 200)
    options = {"ignore_case": True, "ignore_punctuation": True, "ignore_numbers": True}

    metric = mm.ExactMatch(ignore_regexes=["^The", "cat"], **options)  # type: ignore[arg-type]
    seen = mm.ExactMatch(ignore_regexes=("^The",), **options)  # type: ignore[arg-type]
    assert metric(["The cat 1."], [["  2"]]) == {"exact_match": 1.0}
    assert seen(["The cat 1."], [["  2"]]) == {"exact_match": 0.0}
    assert metric(*batch)["exact_match"] >= mm.ExactMatch()(*batch)["exact_match"]
    for option in options:
        assert mm.ExactMatch(**{option: True})(["A!1"], ["A!1"]) == {"exact_match": 1.0}
    assert mm.ExactMatch(ignore_case=True)(["A"], ["a"]) == {"exact_match": 1.0}
    assert mm.ExactMatch(ignore_numbers=True)(["a1"], ["a"]) == {"exact_match": 1.0}
    assert mm.ExactMatch(ignore_punctuation=True)(["a!"], ["a?"]) == {"exact_match": 1.0}


def test_a_reference_may_be_a_string() -> None:
    """N strings are N lists of one string."""
    found, lists = answers(np.random.default_rng(1), 30)
    several = [texts[:1] for texts in lists]
    single = [texts[0] for texts in lists]

    for make in (mm.SQuAD, mm.ExactMatch):
        assert make()(found, several) == make()(found, single)


def test_no_answer() -> None:
    """Of a question without answer a prediction is right if nothing is left of it."""
    metric = mm.SQuAD(no_answer=True)

    assert metric(["", "the", "x"], [[], [], []]) == {"exact_match": 2 / 3, "f1": 2 / 3}
    assert metric(["the"], [["an", "x"]]) == {"exact_match": 0.0, "f1": 0.0}
    assert mm.SQuAD()(["the"], [["an", "x"]]) == {"exact_match": 1.0, "f1": 1.0}
    with pytest.raises(
        ValueError, match=r"references must have a string .*references\[0\] is empty"
    ):
        mm.SQuAD()([""], [[]])


def test_by_hand() -> None:
    """Each answer by itself: the best F1 of "in Paris" is that of "Paris"."""
    metric = mm.SQuAD()
    found = metric.per_sample(["The Eiffel Tower", "in Paris"], [["eiffel tower!"], ["Paris", "x"]])

    assert list(found["exact_match"]) == [1.0, 0.0]
    assert list(found["f1"]) == [1.0, 2 / 3]


def test_normalizer_comes_first() -> None:
    """It sees the texts as they were given."""
    metric = mm.SQuAD(normalizer=lambda text: text.replace("THE", "x"))

    assert metric(["THE cat"], ["x cat"]) == {"exact_match": 1.0, "f1": 1.0}


@pytest.mark.parametrize(
    ("act", "error", "text"),
    [
        (lambda: mm.ExactMatch(ignore_regexes="a"), TypeError, "must be a list of strings"),
        (lambda: mm.ExactMatch(ignore_regexes=["("]), ValueError, "must be a regular expression"),
        (lambda: mm.ExactMatch()(["a"], [3]), TypeError, r"references\[0\] must be a list"),
        (lambda: mm.VQAAccuracy()(["a"], [["a", "b"]]), ValueError, r"at least 3 .* \[0\] has 2"),
    ],
)
def test_bad_input(act: Any, error: type[Exception], text: str) -> None:
    """What cannot be meant is refused."""
    with pytest.raises(error, match=text):
        act()


def test_without_samples() -> None:
    """Both values of SQuAD are undefined."""
    with pytest.warns(RuntimeWarning, match="no samples"):
        values = mm.SQuAD().compute()

    assert math.isnan(values["exact_match"])
    assert math.isnan(values["f1"])
