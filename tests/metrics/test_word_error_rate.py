"""Error rates of words and characters, beside jiwer and a table that is filled cell by cell."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mmeval_like as mm
from mmeval_like import MetricCollection
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers import requires
from tests.helpers.examples import examples
from tests.metrics.texts import few_letters, sentence

WORDS = (mm.WordErrorRate, mm.MatchErrorRate, mm.WordInfoLost, mm.WordInfoPreserved)


def alignment(reference: Sequence[str], prediction: Sequence[str]) -> tuple[int, int]:
    """The fewest edits, and the most hits that an alignment of so few edits has."""
    table = [[(0, 0)] * (len(prediction) + 1) for _ in range(len(reference) + 1)]
    for i in range(len(reference) + 1):
        for j in range(len(prediction) + 1):
            ways = []
            if i:
                edits, hits = table[i - 1][j]
                ways.append((edits + 1, hits))
            if j:
                edits, hits = table[i][j - 1]
                ways.append((edits + 1, hits))
            if i and j:
                edits, hits = table[i - 1][j - 1]
                same = reference[i - 1] == prediction[j - 1]
                ways.append((edits + (not same), hits + same))
            table[i][j] = min(ways, key=lambda way: (way[0], -way[1])) if ways else (0, 0)
    return table[-1][-1]


def oracle(predictions: list[str], references: list[str], unit: str = "words") -> dict[str, float]:
    """All rates, from alignments found cell by cell."""
    edits = hits = expected = found = 0
    for prediction, reference in zip(predictions, references, strict=True):
        if unit == "words":
            pair: Any = (reference.split(), prediction.split())
        else:
            pair = (reference.strip(), prediction.strip())
        errors, right = alignment(*pair)
        edits, hits = edits + errors, hits + right
        expected, found = expected + len(pair[0]), found + len(pair[1])
    rate = edits / expected if expected else math.inf if edits else math.nan
    if not expected and not found:
        return {"wer": rate, "cer": rate, "mer": math.nan, "wip": math.nan, "wil": math.nan}
    preserved = hits / expected * hits / found if hits else 0.0
    return {
        "wer": rate,
        "cer": rate,
        "mer": edits / (edits + hits),
        "wip": preserved,
        "wil": 1 - preserved,
    }


def samples(rng: np.random.Generator, n: int) -> tuple[list[str], list[str]]:
    """Sentences of few words, so that alignments are not unique."""
    return [sentence(rng, 8) for _ in range(n)], [sentence(rng, 8) for _ in range(n)]


def of_metric(make: Any) -> MetricCase:
    """Its own number among those of the oracle."""

    def expected(predictions: list[str], references: list[str]) -> dict[str, float]:
        unit = "characters" if make is mm.CharErrorRate else "words"
        key = make.key
        return {key: oracle(predictions, references, unit)[key]}

    return MetricCase(make, samples, expected, array_inputs=False)


CASES = {make.__name__: of_metric(make) for make in (*WORDS, mm.CharErrorRate)}


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """Every rate follows from the alignments, and keeps every law of a metric."""
    requires("rapidfuzz")
    check_metric(CASES[name], examples=examples(4))


@settings(max_examples=examples(50))
@given(st.lists(st.tuples(few_letters, few_letters), min_size=1, max_size=4))
def test_alignments_of_letters(pairs: list[tuple[str, str]]) -> None:
    """Edits and hits are those of the table, of texts of many spaces and few letters."""
    requires("rapidfuzz")
    predictions, references = map(list, zip(*pairs, strict=True))
    for make in (*WORDS, mm.CharErrorRate):
        expected = CASES[make.__name__].oracle(predictions, references)  # type: ignore[misc]
        assert make()(predictions, references) == pytest.approx(expected, 1e-12, nan_ok=True)


def test_jiwer() -> None:
    """WER and CER are jiwer's; where an alignment is unique, so are the others."""
    requires("rapidfuzz")
    jiwer = requires("jiwer")
    rng = np.random.default_rng(0)
    words = [f"w{i}" for i in range(60)]
    references = [" ".join(rng.permutation(words)[: rng.integers(1, 12)]) for _ in range(50)]
    # With words left out, or words put in: then every shortest alignment has the same hits.
    predictions = [
        " ".join(w for w in text.split() if rng.random() < 0.8) if place % 2 else f"x {text} x"
        for place, text in enumerate(references)
    ]
    mixed = samples(rng, 50)
    mixed = ([" a " + p for p in mixed[0]], [" a " + r for r in mixed[1]])

    for found, expected in ((predictions, references), mixed):
        assert mm.WordErrorRate()(found, expected)["wer"] == jiwer.wer(expected, found)
        assert mm.CharErrorRate()(found, expected)["cer"] == jiwer.cer(expected, found)
    peer = jiwer.process_words(references, predictions)
    for key, make in (("mer", mm.MatchErrorRate), ("wil", mm.WordInfoLost)):
        assert make()(predictions, references)[key] == pytest.approx(getattr(peer, key), 1e-12)
    assert mm.WordInfoPreserved()(predictions, references)["wip"] == pytest.approx(peer.wip, 1e-12)


def test_the_alignment_of_most_hits() -> None:
    """Of two alignments with two edits that with the hit counts: "b" is right, not "a" for "b"."""
    requires("rapidfuzz")
    batch = ["b c"], ["a b"]  # insert and delete around b; or substitute both

    assert mm.WordErrorRate()(*batch) == {"wer": 1.0}
    assert mm.MatchErrorRate()(*batch) == {"mer": 2 / 3}
    assert mm.WordInfoPreserved()(*batch) == {"wip": 1 / 4}
    assert mm.WordInfoLost()(*batch) == {"wil": 3 / 4}


def test_empty_texts() -> None:
    """An empty reference counts its insertions; without any word the rates are undefined."""
    requires("rapidfuzz")
    assert mm.WordErrorRate()(["a b", "c"], ["", "c"]) == {"wer": 2.0}
    assert mm.WordErrorRate()(["a"], [" "]) == {"wer": math.inf}
    for make in (*WORDS, mm.CharErrorRate):
        assert math.isnan(make()([""], [" "])[make.key])
    assert mm.MatchErrorRate()(["a"], [""]) == {"mer": 1.0}
    for texts in (["a"], [""]), ([""], ["a"]):
        assert mm.WordInfoPreserved()(*texts) == {"wip": 0.0}
        assert mm.WordInfoLost()(*texts) == {"wil": 1.0}


def test_characters_are_those_between() -> None:
    """Spaces within a text are characters; those around it, and runs of them, are as they are."""
    requires("rapidfuzz")
    assert mm.CharErrorRate()([" ab\n"], ["ab"]) == {"cer": 0.0}
    assert mm.CharErrorRate()(["a b"], ["ab"]) == {"cer": 1 / 2}
    assert mm.CharErrorRate()(["a  b"], ["a b"]) == {"cer": 1 / 3}


def test_rates_of_words_share_one_count() -> None:
    """In a collection the rates of words are computed from one statistic, with the same values."""
    requires("rapidfuzz")
    batch = samples(np.random.default_rng(1), 20)
    together = MetricCollection([make() for make in WORDS])

    assert len(together.plan.slots) == 1
    together.add(*batch)
    for make in WORDS:
        assert together.compute()[make.__name__] == make()(*batch)


def test_the_normalizer_is_for_both_sides() -> None:
    """Every text goes through it; what it returns must be a text."""
    requires("rapidfuzz")
    assert mm.WordErrorRate(normalizer=str.lower)(["A b"], ["a B"]) == {"wer": 0.0}
    with pytest.raises(TypeError, match="normalizer must be a function"):
        mm.WordErrorRate(normalizer="lower")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="normalizer: what it returns"):
        mm.WordErrorRate(normalizer=str.split)(["a"], ["a"])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("predictions", "references", "error", "text"),
    [
        ("a", ["a"], TypeError, "predictions must be a list of strings, got str"),
        (["a"], [["a"]], TypeError, "references must be a list of strings, got list at index 0"),
        (["a"], ["a", "b"], ValueError, "same length, got 1 and 2"),
    ],
)
def test_bad_input(predictions: Any, references: Any, error: type[Exception], text: str) -> None:
    """Input that cannot be meant is refused, and nothing of the batch is kept."""
    requires("rapidfuzz")
    metric = mm.WordErrorRate()
    metric.add(["a"], ["a"])
    with pytest.raises(error, match=text):
        metric.add(predictions, references)

    assert metric.compute() == {"wer": 0.0}
