"""ROUGE against the rouge-score package, and what it promises on its own."""

import importlib
import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval_like import ROUGE
from mmeval_like.metrics.text import rouge
from mmeval_like.metrics.text.words import lcs_length
from mmeval_like.testing import LocalWorld, MetricCase, check_metric
from tests.helpers import requires
from tests.helpers.examples import examples
from tests.metrics.texts import any_text, few_letters, mixed_samples, sentence, textbook_lcs

PARTS = ("fmeasure", "precision", "recall")


def peer(
    predictions: list[str],
    references: list[list[str]],
    keys: tuple[int | str, ...] = (1, 2, "L"),
    **options: Any,
) -> dict[str, float]:
    """The package's scores, the mean over samples, in our keys."""
    requires("rouge_score")
    scorer_module = importlib.import_module("rouge_score.rouge_scorer")
    scorer = scorer_module.RougeScorer([f"rouge{key}" for key in keys], **options)
    samples = [
        scorer.score_multi(texts, prediction)
        for prediction, texts in zip(predictions, references, strict=True)
    ]
    return {
        f"{name}_{part}": math.fsum(getattr(s[name], part) for s in samples) / len(samples)
        for name in samples[0]
        for part in PARTS
    }


def english_samples(rng: np.random.Generator, n: int) -> tuple[list[str], list[list[str]]]:
    """English with one reference each: with several the package breaks ties by their order."""
    return [sentence(rng) for _ in range(n)], [[sentence(rng)] for _ in range(n)]


EMPTY = {f"rouge{key}_{part}": math.nan for key in (1, 2, "L") for part in PARTS}
CASES = {"ROUGE": MetricCase(ROUGE, english_samples, peer, empty=EMPTY, array_inputs=False)}


def test_laws() -> None:
    """ROUGE equals rouge-score and keeps every law of a metric."""
    check_metric(CASES["ROUGE"], examples=examples(8))


@pytest.mark.parametrize("accumulate", ["best", "avg"])
def test_laws_of_mixed_languages(accumulate: str) -> None:
    """The laws hold with several references and with languages mixed at will."""

    def make(**options: Any) -> ROUGE:
        return ROUGE((1, 3, "L"), accumulate=accumulate, **options)

    check_metric(MetricCase(make, mixed_samples, None, array_inputs=False), examples=examples(4))


@given(any_text, any_text)
@pytest.mark.filterwarnings("ignore:no token is left")
def test_any_text_equals_the_package(prediction: str, reference: str) -> None:
    """Normalisation, tokens and scores are the package's for every string without ideograph."""
    if any(c >= "\u3400" for c in reference):
        return

    expected = peer([prediction], [[reference]])
    assert ROUGE()([prediction], [[reference]]) == pytest.approx(expected, 1e-12)


@given(st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), min_size=1, max_size=20).map(" ".join))
def test_best_is_the_reference_of_highest_fmeasure(prediction: str) -> None:
    """With several references each key takes the best by fmeasure, as the package does."""
    references = ["a b c", "c b a d d e", "e d c b a a b"]
    ours, theirs = ROUGE()([prediction], [references]), peer([prediction], [references])

    for name in ("rouge1", "rouge2", "rougeL"):
        assert ours[f"{name}_fmeasure"] == pytest.approx(theirs[f"{name}_fmeasure"], 1e-12)
        singles = [peer([prediction], [[text]]) for text in references]
        triples = [[single[f"{name}_{part}"] for part in PARTS] for single in singles]
        assert any(
            [ours[f"{name}_{part}"] for part in PARTS] == pytest.approx(triple)
            for triple in triples
        )
    assert ROUGE()([prediction], [references[::-1]]) == ours


def test_equal_fmeasures_take_the_higher_recall() -> None:
    """Of references with equal fmeasure the one of higher recall counts, in whichever order."""
    references = ["a", "a b x y z"]  # 1 of 3 and 1 of 1: 2 / 4;  2 of 3 and 2 of 5: 4 / 8
    for texts in (references, references[::-1]):
        value = ROUGE(1)(["a b c"], [texts])

        expected = {"rouge1_fmeasure": 0.5, "rouge1_precision": 1 / 3, "rouge1_recall": 1.0}
        assert value == expected


def test_average_over_references() -> None:
    """accumulate="avg" is the mean over a sample's references."""
    value = ROUGE(1, accumulate="avg")(["a b"], [["a b", "a x y z", "w"]])

    assert value["rouge1_precision"] == pytest.approx((1 + 1 / 2 + 0) / 3)
    assert value["rouge1_recall"] == pytest.approx((1 + 1 / 4 + 0) / 3)
    assert value["rouge1_fmeasure"] == pytest.approx((1 + 1 / 3 + 0) / 3)


@pytest.mark.parametrize("text", ["The runners were RUNNING quickly", "ponies flies its cat", ""])
def test_stemmer(text: str) -> None:
    """Stemming is the package's: Porter's, for tokens of more than three letters."""
    requires("nltk")
    reference = "a runner runs quick, the pony's fly was running"
    expected = peer([text], [[reference]], use_stemmer=True)

    assert ROUGE(use_stemmer=True)([text], [[reference]]) == pytest.approx(expected, 1e-12)


@given(few_letters, few_letters)
def test_lcs_is_longest(first: str, second: str) -> None:
    """The common subsequence is as long as the textbook's table says, beyond a word's 64 bits."""
    assert lcs_length(first, second) == textbook_lcs(first, second)
    assert lcs_length(first.split(), second.split()) == textbook_lcs(first.split(), second.split())


def test_lcs_where_greedy_matching_fails() -> None:
    """Longest blocks first give 3 of 9 here, and no match for frequent words: really 6, and 299."""
    first, second = "a b c d e f x y z", "x y z a q b q c q d q e q f"
    rng = np.random.default_rng(0)
    words = rng.choice(["a", "b", "c"], 300).tolist()
    changed = [*words[:150], "d", *words[151:]]

    assert ROUGE("L")([first], [[second]])["rougeL_precision"] == pytest.approx(6 / 9)
    assert ROUGE("L")([" ".join(changed)], [[" ".join(words)]])["rougeL_recall"] == 299 / 300


def test_mean_does_not_depend_on_ranks() -> None:
    """Perfect samples spread unevenly over ranks score 1, not the number of ranks."""
    samples = ["a b c"] * 7

    def evaluate(backend: object) -> dict[str, float]:
        metric = ROUGE(dist_backend=backend)  # type: ignore[arg-type]
        share = samples[:6] if metric.dist_comm.rank == 0 else samples[6:]
        metric.add(share, [[text] for text in share])
        return metric.compute()

    assert all(set(value.values()) == {1.0} for value in LocalWorld(2).run(evaluate))


def test_language_is_each_samples_own() -> None:
    """A sample's references decide its tokens, whatever came before it."""
    metric = ROUGE(1)
    metric.add(["a cat"], [["a dog"]])
    metric.add(["一只狗"], [["一只猫"]])

    assert metric.compute()["rouge1_recall"] == pytest.approx((1 / 2 + 2 / 3) / 2)


@pytest.mark.parametrize(
    ("options", "prediction", "reference", "expected"),
    [
        ({}, "A-b's", "a b s", 1.0),
        ({"lowercase": False}, "A b", "a b", 0.5),
        ({"lowercase": False}, "A-b", "A b", 1.0),
        ({"normalizer": str.upper}, "a-b", "A-B", 1.0),
        ({"normalizer": str.upper}, "a-b", "a b", 0.0),
        ({"normalizer": lambda text: text.replace("吗", "")}, "猫吗", "猫", 1.0),
        ({"tokenizer": "cn"}, "A b", "a b", 0.5),
        ({"tokenizer": "en"}, "一只猫x", "x", 1.0),
        ({"tokenizer": lambda text: text.split("-")}, "A-b", "A-c", 0.5),
        ({"tokenizer": iter}, "ab", "ac", 0.5),
    ],
)
def test_tokens(options: dict[str, Any], prediction: str, reference: str, expected: float) -> None:
    """Normalisation goes with whitespace tokens; a normalizer or a tokenizer replaces it."""
    assert ROUGE(1, **options)([prediction], [[reference]])["rouge1_fmeasure"] == expected


@pytest.mark.parametrize(("prediction", "reference"), [("", ""), ("", "a"), ("a", ""), ("?", "!")])
def test_no_tokens(prediction: str, reference: str) -> None:
    """A text without tokens scores 0, in all three."""
    assert set(ROUGE()([prediction], [[reference]]).values()) == {0.0}


def test_letters_beyond_ascii_are_reported_once() -> None:
    """A reference of other letters, of which nothing is left, warns once and names the way out."""
    metric = ROUGE(1)
    with pytest.warns(UserWarning, match="'кошка', .* pass a normalizer") as caught:
        metric.add(["кошка"], [["кошка"]])
    metric.add(["кошка"], [["кошка"]])

    assert caught[0].filename == __file__
    assert metric.compute()["rouge1_recall"] == 0.0
    assert ROUGE(1, normalizer=str.lower)(["Кошка"], [["кошка"]])["rouge1_recall"] == 1.0


def test_stemmer_without_nltk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without nltk the metric is not built, and the error says what to install."""
    rouge._load_stemmer.cache_clear()
    monkeypatch.setitem(sys.modules, "nltk.stem.porter", None)
    with pytest.raises(ImportError, match="pip install nltk"):
        ROUGE(use_stemmer=True)


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"rouge_keys": 0}, ValueError, "rouge_keys must be 1 to 9 or 'L', got 0"),
        ({"rouge_keys": (1, 10)}, ValueError, "got \\(1, 10\\)"),
        ({"rouge_keys": "l"}, ValueError, "got 'l'"),
        ({"rouge_keys": [True]}, ValueError, "got \\[True\\]"),
        ({"rouge_keys": ()}, ValueError, "got \\(\\)"),
        ({"accumulate": "mean"}, ValueError, "accumulate must be 'best' or 'avg'"),
        ({"normalizer": "lower"}, TypeError, "normalizer must be callable"),
        ({"tokenizer": "fr"}, ValueError, "tokenizer must be callable, 'en', 'cn' or None"),
    ],
)
def test_bad_options(options: dict[str, Any], error: type[Exception], text: str) -> None:
    """What cannot be meant is refused when the metric is built."""
    with pytest.raises(error, match=text):
        ROUGE(**options)


@pytest.mark.parametrize(
    ("predictions", "references", "error"),
    [("a", [["a"]], TypeError), (["a"], [b"a"], TypeError), (["a"], [], ValueError)],
)
def test_bad_input(predictions: object, references: object, error: type[Exception]) -> None:
    """Input that cannot be meant is refused, and nothing of the batch is kept."""
    metric = ROUGE(1)
    metric.add(["a"], [["a"]])
    with pytest.raises(error):
        metric.add(predictions, references)

    assert metric.compute()["rouge1_fmeasure"] == 1.0


@pytest.mark.parametrize("make", [ROUGE, lambda: ROUGE(accumulate="avg")])
def test_many_references_are_order_free(make: Callable[[], ROUGE]) -> None:
    """The order of a sample's references changes no bit."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        references = [sentence(rng) for _ in range(5)]
        value = make()(["the cat sat on the mat"], [references])

        shuffled = [references[i] for i in rng.permutation(5)]
        assert make()(["the cat sat on the mat"], [shuffled]) == value
