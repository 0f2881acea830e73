"""NIST, SARI, CIDEr and DropF1 beside nltk and their formulas, written out plainly."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Sequence
from itertools import permutations
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers import requires
from tests.helpers.examples import examples
from tests.metrics.texts import sentence


def n_grams(text: str, order: int) -> list[tuple[str, ...]]:
    """Of one order."""
    words = text.split()
    return [tuple(words[i : i + order]) for i in range(len(words) - order + 1)]


def captions(rng: np.random.Generator, n: int) -> tuple[list[str], list[list[str]]]:
    """Each with up to three references."""
    several = [[sentence(rng, 7) for _ in range(int(rng.integers(1, 4)))] for _ in range(n)]
    return [sentence(rng, 7) for _ in range(n)], several


def translations(rng: np.random.Generator, n: int) -> tuple[list[str], list[str]]:
    """Each with one reference that is not empty."""
    found = [sentence(rng, 9) for _ in range(n)]
    return found, [f"a {text} {sentence(rng, 3)}" for text in found]


def simplified(rng: np.random.Generator, n: int) -> tuple[list[str], list[str], list[list[str]]]:
    """Sentences, shorter ones, and references."""
    return [sentence(rng, 8) for _ in range(n)], *captions(rng, n)


def nist(predictions: list[str], references: list[str]) -> dict[str, float]:
    """What nltk says, of one reference each."""
    peer = requires("nltk.translate.nist_score").corpus_nist
    texts = [[text.split()] for text in references]
    words = [text.split() for text in predictions]
    longest = min(5, max(map(len, words), default=0))  # nltk divides by the number of n-grams
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {"nist": peer(texts, words, n=longest) if longest else 0.0}


def cider(predictions: Sequence[str], references: Sequence[Sequence[str]]) -> dict[str, float]:
    """Vector by vector, over all n-grams that there are."""
    scores = []
    for text, several in zip(predictions, references, strict=True):
        for other in several:
            total = 0.0
            for order in (1, 2, 3, 4):
                every = sorted({*n_grams(text, order), *n_grams(other, order)})
                idf = [
                    math.log(len(predictions))
                    - math.log(
                        max(1, sum(any(g in n_grams(r, order) for r in own) for own in references))
                    )
                    for g in every
                ]
                a, b = (
                    np.array([n_grams(t, order).count(g) for g in every]) * idf
                    for t in (text, other)
                )
                norm = np.linalg.norm(a) * np.linalg.norm(b)
                total += np.minimum(a, b) @ b / norm if norm else 0.0
            gap = len(n_grams(text, 2)) - len(n_grams(other, 2))
            scores.append(
                10 * total / 4 * math.exp(-(gap**2) / 72) / len(several) / len(predictions)
            )
    return {"cider": math.fsum(scores)}


def f1(precision: float, recall: float) -> float:
    """Their harmonic mean."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def mean(values: list[float]) -> float:
    """Of nothing 0."""
    return sum(values) / len(values) if values else 0.0


def sari(
    sources: list[str], predictions: list[str], references: list[list[str]]
) -> dict[str, float]:
    """N-gram by n-gram: which share of the references keeps, adds or deletes it too."""
    scores = []
    for source, prediction, several in zip(sources, predictions, references, strict=True):
        for order in (1, 2, 3, 4):
            s, c = (Counter(n_grams(t.lower(), order)) for t in (source, prediction))
            r = Counter(g for text in several for g in n_grams(text.lower(), order))
            times = len(several)
            kept = {g: min(s[g], c[g]) * times for g in s if min(s[g], c[g])}
            stay = {g: min(s[g] * times, r[g]) for g in s if r[g]}
            gone = {g: (s[g] - c[g]) * times for g in s if s[g] > c[g]}
            good = {g: min(kept[g], r[g]) for g in kept}
            new, wanted = set(c) - set(s), set(r) - set(s)
            keep = f1(
                mean([good[g] / kept[g] for g in kept]),
                mean([good.get(g, 0) / stay[g] for g in stay]),
            )
            right = len(new & wanted)
            add = f1(right / len(new) if new else 0.0, right / len(wanted) if wanted else 0.0)
            delete = mean([max(gone[g] - r[g], 0) / gone[g] for g in gone])
            scores.append((keep + add + delete) / 3)
    return {"sari": mean(scores)}


SPANS = ["the Jets", "New York-Jets", "3", "3.0 yards", "3 yards", "Bears", "", "a"]


def spans(rng: np.random.Generator, n: int) -> tuple[list[Any], list[list[Any]]]:
    """Answers of up to three spans; a single one may be a string."""

    def answer() -> Any:
        chosen = [str(span) for span in rng.choice(SPANS, int(rng.integers(1, 4)))]
        return chosen[0] if rng.random() < 0.3 else chosen

    return [answer() for _ in range(n)], [
        [answer() for _ in range(int(rng.integers(1, 3)))] for _ in range(n)
    ]


WORDS = {
    "the Jets": {"jets"}, "New York-Jets": {"new", "york", "jets"}, "3": {"3.0"},
    "3.0 yards": {"3.0", "yards"}, "3 yards": {"3.0", "yards"}, "Bears": {"bears"}, "": set(),
    "a": set(),
}  # fmt: skip


def drop(predictions: list[Any], references: list[list[Any]]) -> dict[str, float]:
    """The best of all pairings, by the words of each span as a person would list them."""
    exact, overlap = [], []
    for prediction, answers in zip(predictions, references, strict=True):
        values = []
        for answer in answers:
            own, other = ([x] if isinstance(x, str) else x for x in (prediction, answer))
            bags = [[frozenset(WORDS[span]) for span in several] for several in (own, other)]
            equal = set(bags[0]) == set(bags[1]) and len(own) == len(other)
            size = max(len(own), len(other))
            bags = [[*several, *[None] * (size - len(several))] for several in bags]  # type: ignore[list-item]
            best = max(
                sum(worth(a, b) for a, b in zip(order, bags[1], strict=True))
                for order in permutations(bags[0])
            )
            values.append((equal, best / size))
        exact.append(max(value[0] for value in values))
        overlap.append(max(value[1] for value in values))
    return {"drop_em": float(np.mean(exact)), "drop_f1": float(np.mean(overlap))}


def worth(own: Any, answer: Any) -> float:
    """The F1 of two sets of words, of which the answer's number must be shared."""
    if own is None or answer is None or ("3.0" in answer and "3.0" not in own):
        return 0.0
    both = len(own) + len(answer)
    return 2 * len(own & answer) / both if both else 1.0


CASES = {
    "NIST": MetricCase(
        lambda **options: mm.NIST(tokenizer_fn="en", **options),
        translations,
        nist,
        array_inputs=False,
        most=6,
    ),
    "CIDEr": MetricCase(mm.CIDEr, captions, cider, array_inputs=False, most=8),
    "SARI": MetricCase(mm.SARI, simplified, sari, array_inputs=False),
    "DropF1": MetricCase(mm.DropF1, spans, drop, array_inputs=False),
}


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """Every value follows from its formula, and keeps every law of a metric."""
    check_metric(CASES[name], examples=examples(3))


@pytest.mark.parametrize(
    ("prediction", "value"),
    [
        ("About 95 you now get in .", 0.2682782411698074),
        ("About 95 species are now agreed .", 0.5889995423074248),
        ("About 95 species are currently agreed .", 0.5071608864657479),
    ],
)
def test_sari_of_the_authors(prediction: str, value: float) -> None:
    """The three sentences that the authors' program ends with, and the values known for them."""
    source = "About 95 species are currently accepted ."
    references = [
        "About 95 species are currently known .",
        "About 95 species are now accepted .",
        "95 species are now accepted .",
    ]

    assert mm.SARI()([source], [prediction], [references])["sari"] == pytest.approx(value, 1e-14)


def test_nist_of_several_references() -> None:
    """A word counts as often as in the reference that has it most often, the mean length counts."""
    batch = ["a a b"], [["a a a", "b"]]

    # words: a 3, b 1 of 4; a, a and b match; pairs: (a, a) 2 matches 1
    singles = (2 * math.log2(4 / 3) + math.log2(4)) / 3
    pairs = math.log2(3 / 2) / 2
    assert mm.NIST(n_gram=2)(*batch)["nist"] == pytest.approx(singles + pairs, 1e-14)
    assert mm.NIST()([""], ["a"]) == {"nist": 0.0}


def test_cider_of_one_image() -> None:
    """Every n-gram is in all images: nothing is rare, and nothing counts."""
    assert mm.CIDEr()(["a cat"], ["a cat"]) == {"cider": 0.0}


def test_numbers_of_answers() -> None:
    """They are compared by value, and must be there; hyphens part words."""
    assert mm.DropF1()(["20 yard"], [["20.0-yard"]]) == {"drop_em": 1.0, "drop_f1": 1.0}
    assert mm.DropF1()(["yards"], [["3 yards"]]) == {"drop_em": 0.0, "drop_f1": 0.0}
    assert mm.DropF1()(["3 yards"], [["yards"]]) == {"drop_em": 0.0, "drop_f1": 2 / 3}


def test_columns_of_spans() -> None:
    """Nested columns of Arrow, whole or in chunks, have the values of the same lists."""
    pa: Any = requires("pyarrow")
    predictions = [["the Jets", "Bears"], ["3 yards"]]
    references = [[["Bears", "New York Jets"]], [["3"], ["4", "5"]]]
    expected = mm.DropF1()(predictions, references)

    assert mm.DropF1()(pa.array(predictions), pa.array(references)) == expected
    assert mm.DropF1()(pa.chunked_array([predictions]), references) == expected
    plain = (["the Jets", "3 yards"], [["Bears"], ["3", "4"]])
    assert mm.DropF1()(*map(pa.array, plain)) == mm.DropF1()(*plain)


@pytest.mark.parametrize(
    ("act", "error", "text"),
    [
        (lambda: mm.NIST(16), ValueError, "n_gram must be at most 15"),
        (lambda: mm.NIST(0), ValueError, "n_gram must be positive"),
        (lambda: mm.CIDEr(sigma=0), ValueError, "sigma must be positive and finite"),
        (lambda: mm.SARI()(["a"], ["a", "b"], ["a"]), ValueError, "sources and predictions"),
        (lambda: mm.SARI()(["a"], ["a"], [[]]), ValueError, r"\[0\] is empty"),
        (lambda: mm.DropF1()(["a"], ["a"]), TypeError, r"references\[0\] must be a list"),
        (lambda: mm.DropF1()(["a"], [[]]), ValueError, r"references\[0\] is \[\]"),
        (lambda: mm.DropF1()("a", [["a"]]), TypeError, "predictions must be a list"),
        (lambda: mm.DropF1()(["a"], [[3]]), TypeError, r"references\[0\] must be a list of str"),
    ],
)
def test_bad_input(act: Any, error: type[Exception], text: str) -> None:
    """What cannot be meant is refused."""
    with pytest.raises(error, match=text):
        act()
