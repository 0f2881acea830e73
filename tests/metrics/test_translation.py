"""TranslationEditRate and GoogleBLEU beside sacrebleu and nltk."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers import requires
from tests.helpers.examples import examples
from tests.metrics.test_bleu import pad, punctuated
from tests.metrics.texts import mixed_samples, sentence

PLAIN: dict[str, Any] = {"normalized": True, "no_punct": True, "lowercase": False}


def ter(
    predictions: Sequence[str], references: Sequence[Sequence[str]], **options: Any
) -> dict[str, float]:
    """What sacrebleu says, in shares; where there are no words it says 0 or 1."""
    peer = requires("sacrebleu").metrics.TER(**options)
    found = peer.corpus_score(list(predictions), pad(references))
    if not found.ref_length:
        return {"ter": math.inf if found.num_edits else math.nan}
    return {"ter": found.score / 100}


def gleu(
    predictions: Sequence[str], references: Sequence[Sequence[str]], low: int = 1, high: int = 4
) -> dict[str, float]:
    """What nltk says; without n-grams it says 0."""
    peer = requires("nltk.translate.gleu_score").corpus_gleu
    texts = [[text.split() for text in own] for own in references]
    found = [text.split() for text in predictions]
    if not any(len(text) >= low for own in [*texts, found] for text in own):
        return {"google_bleu": math.nan}
    return {"google_bleu": peer(texts, found, min_len=low, max_len=high)}


def sentences(rng: np.random.Generator, n: int) -> tuple[list[str], list[list[str]]]:
    """Each with up to three references, some of which are its words in another order."""
    found = [sentence(rng, 6) for _ in range(n)]
    moved = [" ".join(rng.permutation(text.split())) for text in found]
    return found, [
        [sentence(rng, 6), text][: int(rng.integers(1, 3))] + [text] * int(rng.integers(2))
        for text in moved
    ]


CASES = {
    "TranslationEditRate": MetricCase(
        mm.TranslationEditRate, sentences, ter, array_inputs=False, most=10
    ),
    "GoogleBLEU": MetricCase(
        lambda **options: mm.GoogleBLEU(tokenizer_fn="en", **options),
        sentences,
        gleu,
        array_inputs=False,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """Values are those of sacrebleu and nltk, and every law of a metric is kept."""
    check_metric(CASES[name], examples=examples(3))


def test_options_are_sacrebleus() -> None:
    """Punctuation, case and ideographs are treated as there."""
    rng = np.random.default_rng(0)
    theirs = {k: v for k, v in PLAIN.items() if k != "lowercase"} | {"case_sensitive": True}
    for asian in (False, True):
        for batch in (punctuated(rng, 10), mixed_samples(rng, 10)):
            value = mm.TranslationEditRate(asian_support=asian, **PLAIN)(*batch)["ter"]
            expected = ter(*batch, asian_support=asian, **theirs)["ter"]
            assert value == pytest.approx(expected, 1e-12)


def test_the_longer_text_counts() -> None:
    """GLEU is the smaller one of precision and recall, of the best reference."""
    assert mm.GoogleBLEU(max_n=1)(["a b"], ["a b c d"]) == {"google_bleu": 1 / 2}
    assert mm.GoogleBLEU(max_n=1)(["a b c d"], ["a b"]) == {"google_bleu": 1 / 2}
    assert mm.GoogleBLEU(max_n=1)(["a b"], [["c", "a b", "d"]]) == {"google_bleu": 1.0}
    assert mm.GoogleBLEU(max_n=1)(["x", "a b"], ["y z", "a b"]) == {"google_bleu": 2 / 4}


@pytest.mark.parametrize("orders", [(1, 1), (2, 3), (3, 3)])
def test_orders(orders: tuple[int, int]) -> None:
    """Any range of orders is that of nltk."""
    rng = np.random.default_rng(1)
    for _ in range(5):
        batch = sentences(rng, 8)
        value = mm.GoogleBLEU(*orders, tokenizer_fn="en")(*batch)

        assert value == pytest.approx(gleu(*batch, *orders), 1e-12)


def test_without_words() -> None:
    """Insertions into an empty reference are infinitely many of none; no words are undefined."""
    assert mm.TranslationEditRate()(["a"], [""]) == {"ter": math.inf}
    assert math.isnan(mm.TranslationEditRate()([""], [""])["ter"])
    assert math.isnan(mm.GoogleBLEU(2, 2)(["a"], ["a"])["google_bleu"])


@pytest.mark.parametrize(
    ("act", "error", "text"),
    [
        (lambda: mm.GoogleBLEU(0), ValueError, "min_n must be positive"),
        (lambda: mm.GoogleBLEU(3, 2), ValueError, "min_n must not be above max_n, got 3 and 2"),
        (lambda: mm.GoogleBLEU(tokenizer_fn="fr"), ValueError, "tokenizer_fn must be callable"),
        (lambda: mm.GoogleBLEU()(["a"], [[]]), ValueError, r"\[0\] is empty"),
        (lambda: mm.TranslationEditRate()(["a"], [3]), TypeError, r"references\[0\] must be"),
    ],
)
def test_bad_input(act: Any, error: type[Exception], text: str) -> None:
    """What cannot be meant is refused."""
    with pytest.raises(error, match=text):
        act()
