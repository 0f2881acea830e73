"""The rows of the metrics of texts, whose peers get all texts at once, as lists."""

from __future__ import annotations

import importlib
import re
import string
from collections import Counter
from collections.abc import Callable
from functools import cache, partial
from itertools import chain
from typing import Any

import numpy as np

from benchmarks.peers.data import Batches
from benchmarks.peers.packages import Peer, Row
from benchmarks.text import make_sentences, make_words

__all__ = ["TEXTS", "TEXT_DATA", "answers", "speech", "translations"]

_BATCH = 1000


def _in_batches(*columns: list[Any]) -> Batches:
    starts = range(0, len(columns[0]), _BATCH)
    return [tuple(column[start : start + _BATCH] for column in columns) for start in starts]


def translations(count: int = 2000) -> Batches:
    """So many sentences, with two references each."""
    return _in_batches(*make_sentences(count))


def speech(count: int = 5000) -> Batches:
    """So many sentences, with one reference each."""
    predictions, references = make_sentences(count)
    return _in_batches(predictions, [several[0] for several in references])


def answers(count: int = 50_000) -> Batches:
    """So many answers of one to three words, of which three in five are right."""
    rng = np.random.default_rng(0)
    words = make_words(5000, rng)
    lengths, right = rng.integers(1, 4, count).tolist(), (rng.random(count) < 0.6).tolist()
    places = rng.integers(0, 5000, (count, 3)).tolist()
    labels = [[words[i] for i in row[:n]] for row, n in zip(places, lengths, strict=True)]
    found = [
        " ".join(own) if good else f"the {own[0]}" for own, good in zip(labels, right, strict=True)
    ]
    return _in_batches(found, [" ".join(own) for own in labels])


def _opinions() -> Batches:
    """Answers to questions about images, and those of ten people."""
    rng = np.random.default_rng(0)
    words = np.array(make_words(20, rng))
    lists = words[rng.geometric(0.4, (20_000, 10)) % 20].tolist()
    return _in_batches(words[rng.geometric(0.4, 20_000) % 20].tolist(), lists)


def _tags() -> Batches:
    rng = np.random.default_rng(0)
    tags = np.array(["O"] * 6 + ["B-PER", "I-PER", "B-LOC", "I-LOC"])
    labels = [rng.choice(tags, rng.integers(5, 40)) for _ in range(4000)]
    found = [np.where(rng.random(len(y)) < 0.9, y, rng.choice(tags, len(y))) for y in labels]
    return _in_batches([row.tolist() for row in found], [row.tolist() for row in labels])


TEXT_DATA: dict[str, Callable[[], Batches]] = {
    "translations": cache(translations),
    "speech": cache(speech),
    "answers": cache(answers),
    "few translations": cache(lambda: translations(100)),
    "opinions": cache(_opinions),
    "tags": cache(_tags),
}


def _of_texts(package: str, call: Callable[[list[Any], list[Any]], Any]) -> Peer:
    """A function of all predictions and all references."""

    def prepare(batches: Batches) -> Callable[[], Any]:
        found, labels = (list(chain.from_iterable(column)) for column in zip(*batches, strict=True))
        return lambda: call(found, labels)

    return Peer(package, prepare)


def jiwer(name: str) -> Peer:
    """A function of jiwer, of references first."""
    return _of_texts(
        "jiwer",
        lambda found, labels: getattr(importlib.import_module("jiwer"), name)(labels, found),
    )


def sacrebleu(name: str, **options: Any) -> Peer:
    """A metric of sacrebleu, in shares."""

    def call(found: list[Any], references: list[Any]) -> float:
        metric = getattr(importlib.import_module("sacrebleu.metrics"), name)(**options)
        return float(metric.corpus_score(found, [*zip(*references, strict=True)]).score) / 100

    return _of_texts("sacrebleu", call)


def _seqeval(found: list[Any], labels: list[Any]) -> list[float]:
    metrics: Any = importlib.import_module("seqeval.metrics.sequence_labeling")
    scores = metrics.precision_recall_fscore_support(labels, found, average="micro")
    return [float(score) for score in scores]


def _hf_exact_match(found: list[str], labels: list[str]) -> float:
    """As Hugging Face evaluate and lm-eval compare: arrays of texts."""
    return float(np.mean(np.asarray(found) == np.asarray(labels)))


def _squad(found: list[str], labels: list[str]) -> list[float]:
    """Text by text, as the program of the benchmark does it."""

    def plain(text: str) -> str:
        kept = "".join(c for c in text.lower() if c not in punctuation)
        return " ".join(re.sub(r"\b(a|an|the)\b", " ", kept).split())

    def f1(first: str, second: str) -> float:
        tokens, others = plain(first).split(), plain(second).split()
        same = sum((Counter(tokens) & Counter(others)).values())
        return 2 * same / (len(tokens) + len(others)) if same else float(tokens == others)

    punctuation = set(string.punctuation)
    pairs = list(zip(found, labels, strict=True))
    exact = sum(plain(first) == plain(second) for first, second in pairs)
    return [exact / len(pairs), sum(f1(*pair) for pair in pairs) / len(pairs)]


def _distance(found: list[str], labels: list[str]) -> float:
    distance = importlib.import_module("rapidfuzz.distance.Levenshtein").distance
    return sum(map(distance, found, labels)) / len(found)


def _similarity(found: list[str], labels: list[str]) -> float:
    alike = importlib.import_module("rapidfuzz.distance.Levenshtein").normalized_similarity
    return sum(map(alike, found, labels)) / len(found)


def _anls(found: list[str], labels: list[str]) -> float:
    alike = importlib.import_module("rapidfuzz.distance.Levenshtein").normalized_similarity
    pairs = zip(found, labels, strict=True)
    values = (alike(one.lower().strip(), other.lower().strip()) for one, other in pairs)
    return sum(value for value in values if value > 0.5) / len(found)


def _nltk(name: str, found: list[str], references: list[list[str]]) -> float:
    """The score of a whole corpus, of words between whitespace."""
    call = getattr(importlib.import_module(f"nltk.translate.{name}_score"), f"corpus_{name}")
    lists = [[text.split() for text in several] for several in references]
    return float(call(lists, [text.split() for text in found]))


def _vqa(found: list[str], lists: list[list[str]]) -> float:
    """Question by question, and of each all people but one, as the benchmark's program does it."""
    values = []
    for text, people in zip(found, lists, strict=True):
        others = [people[:place] + people[place + 1 :] for place in range(len(people))]
        values.append(sum(min(own.count(text) / 3, 1) for own in others) / len(others))
    return sum(values) / len(values)


SACREBLEU: Any = {"tokenizer_fn": "13a", "smooth": "exp"}  # its own defaults
PLUS: Any = {"word_order": 2}
WORDS: Any = {"tokenizer_fn": "en"}

TEXTS = [
    Row("WordErrorRate", "counts", "speech", {}, [jiwer("wer")]),
    Row("CharErrorRate", "counts", "speech", {}, [jiwer("cer")]),
    Row("MatchErrorRate", "counts", "speech", {}, [jiwer("mer")], compared=False),
    Row("WordInfoLost", "counts", "speech", {}, [jiwer("wil")], compared=False),
    Row("WordInfoPreserved", "counts", "speech", {}, [jiwer("wip")], compared=False),
    Row("EditDistance", "sums", "answers", {}, [_of_texts("rapidfuzz", _distance)]),
    Row("NormalizedEditSimilarity", "sums", "answers", {}, [_of_texts("rapidfuzz", _similarity)]),
    Row("ANLS", "sums", "answers", {}, [_of_texts("rapidfuzz", _anls)]),
    Row("TranslationEditRate", "counts", "few translations", {}, [sacrebleu("TER")]),
    Row("GoogleBLEU", "counts", "translations", WORDS, [_of_texts("nltk", partial(_nltk, "gleu"))]),
    Row(
        "NIST",
        "sums",
        "few translations",
        WORDS,
        [_of_texts("nltk", partial(_nltk, "nist"))],
        compared=False,
    ),
    Row("VQAAccuracy", "sums", "opinions", {}, [_of_texts("the benchmark's rule", _vqa)]),
    Row("BLEU", "counts", "translations", SACREBLEU, [sacrebleu("BLEU")]),
    Row("CHRFScore", "counts", "translations", {}, [sacrebleu("CHRF")]),
    Row("CHRFScore (chrF++)", "counts", "translations", PLUS, [sacrebleu("CHRF", **PLUS)]),
    Row("ExactMatch", "sums", "answers", {}, [_of_texts("evaluate's rule", _hf_exact_match)]),
    Row("SQuAD", "sums", "answers", {}, [_of_texts("the benchmark's rule", _squad)]),
    Row("EntityF1", "counts", "tags", {}, [_of_texts("seqeval", _seqeval)]),
]
