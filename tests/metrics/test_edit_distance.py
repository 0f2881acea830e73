"""Edit distances and what follows from them, beside rapidfuzz and by hand."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.metrics.text.translation import _load
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers import requires
from tests.helpers.examples import examples
from tests.metrics.texts import mixed_samples, sentence


def pairs(rng: np.random.Generator, n: int) -> tuple[list[str], list[str]]:
    """Pairs of short sentences, some of them equal."""
    references = [sentence(rng, 4) for _ in range(n)]
    return [text if rng.random() < 0.3 else sentence(rng, 4) for text in references], references


def distance(first: Any, second: Any, cost: int = 1) -> int:
    """Row by row, as in a textbook."""
    row = list(range(len(second) + 1))
    for i, one in enumerate(first, 1):
        above, row = row, [i]
        for j, other in enumerate(second, 1):
            changed = above[j - 1] + (one != other) * cost
            row.append(min(above[j] + 1, row[j - 1] + 1, changed))
    return row[-1]


def mean_distance(predictions: Any, references: Any, unit: Any, cost: int) -> dict[str, float]:
    """The mean over pairs."""
    units = zip(map(unit, predictions), map(unit, references), strict=True)
    return {"edit_distance": float(np.mean([distance(p, r, cost) for p, r in units]))}


def similarity(prediction: str, reference: str) -> float:
    """One less the normalised distance, which rapidfuzz has as well."""
    longest = max(len(prediction), len(reference))
    return 1 - distance(prediction, reference) / longest if longest else 1.0


def anls(predictions: list[str], references: list[list[str]]) -> dict[str, float]:
    """The closest answer of each, if it is close enough."""
    best = [
        max(similarity(p.strip().lower(), text.strip().lower()) for text in texts)
        for p, texts in zip(predictions, references, strict=True)
    ]
    return {"anls": float(np.mean([value if 1 - value < 0.5 else 0.0 for value in best]))}


CASES = {
    "EditDistance": MetricCase(
        mm.EditDistance,
        pairs,
        lambda p, r: mean_distance(p, r, str.strip, 1),
        array_inputs=False,
    ),
    "EditDistance, words": MetricCase(
        lambda **options: mm.EditDistance("words", substitution_cost=2, **options),
        pairs,
        lambda p, r: mean_distance(p, r, str.split, 2),
        array_inputs=False,
    ),
    "NormalizedEditSimilarity": MetricCase(
        mm.NormalizedEditSimilarity,
        pairs,
        lambda p, r: {"one_minus_ned": float(np.mean([*map(similarity, p, r)]))},
        array_inputs=False,
    ),
    "ANLS": MetricCase(mm.ANLS, mixed_samples, anls, array_inputs=False),
}


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """Every mean is that of the textbook's distances, and keeps every law of a metric."""
    requires("rapidfuzz")
    check_metric(CASES[name], examples=examples(4))


def test_rapidfuzz() -> None:
    """Similarities are those of rapidfuzz, of texts with nothing around them."""
    peer = requires("rapidfuzz").distance.Levenshtein
    both = pairs(np.random.default_rng(0), 50)

    found = mm.NormalizedEditSimilarity().per_sample(*both)["one_minus_ned"]
    expected = [peer.normalized_similarity(p, r) for p, r in zip(*both, strict=True)]
    assert found.tolist() == pytest.approx(expected, 1e-12)


def test_substitutions() -> None:
    """A substitution costs what is asked for, but never more than a deletion and an insertion."""
    requires("rapidfuzz")
    batch = ["kitten"], ["sitting"]

    for cost, expected in ((0, 1.0), (1, 3.0), (2, 5.0), (100, 5.0)):
        assert mm.EditDistance(substitution_cost=cost)(*batch) == {"edit_distance": expected}


def test_weights() -> None:
    """Samples may have weights."""
    requires("rapidfuzz")
    metric = mm.EditDistance()
    metric.add(["ab", "x"], ["a", "yz"], sample_weight=[3, 1])

    assert metric.compute() == {"edit_distance": 5 / 4}


def test_the_threshold_itself_is_too_far() -> None:
    """An answer whose normalised distance is the threshold is worth nothing."""
    requires("rapidfuzz")
    assert mm.ANLS()(["ab"], ["ax"]) == {"anls": 0.0}
    assert mm.ANLS(threshold=0.51)(["ab"], ["ax"]) == {"anls": 0.5}
    assert mm.ANLS(threshold=0.4)(["abcxy"], ["abcde"]) == {"anls": 0.0}
    assert mm.ANLS()([" "], [""]) == {"anls": 1.0}


@pytest.mark.parametrize(
    ("package", "make"),
    [
        ("rapidfuzz", mm.EditDistance),
        ("rapidfuzz", mm.WordErrorRate),
        ("sacrebleu", mm.TranslationEditRate),
        ("sacrebleu", lambda: mm.BLEU(tokenizer_fn="intl")),
    ],
)
def test_a_missing_package(package: str, make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error comes when the metric is built, and says what to install."""
    for name in [package, *(name for name in sys.modules if name.startswith(f"{package}."))]:
        monkeypatch.setitem(sys.modules, name, None)
    _load.cache_clear()

    with pytest.raises(ModuleNotFoundError, match=rf"needs {package}: pip install .*\[text\]"):
        make()


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: mm.EditDistance("letters"), ValueError, "unit must be one of"),
        (lambda: mm.EditDistance(substitution_cost=-1), ValueError, "substitution_cost must be in"),
        (lambda: mm.EditDistance(substitution_cost=1.5), TypeError, "must be an integer, got 1.5"),
        (lambda: mm.ANLS(0.0), ValueError, r"threshold must be in \(0, 1\]"),
        (lambda: mm.ANLS(math.nan), ValueError, r"threshold must be in \(0, 1\]"),
    ],
)
def test_bad_options(make: Any, error: type[Exception], text: str) -> None:
    """What cannot be meant is refused when the metric is built."""
    requires("rapidfuzz")
    with pytest.raises(error, match=text):
        make()
