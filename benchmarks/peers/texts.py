"""The rows of the metrics of texts, whose peers get all texts at once, as lists."""

from __future__ import annotations

import importlib
import re
import string
from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import chain
from typing import Any

import numpy as np

from benchmarks.peers.data import Batches
from benchmarks.peers.packages import Peer, Row
from benchmarks.text import make_sentences, make_words

__all__ = ["TEXTS", "TEXT_DATA"]

_BATCH = 1000


def _in_batches(*columns: list[Any]) -> Batches:
    starts = range(0, len(columns[0]), _BATCH)
    return [tuple(column[start : start + _BATCH] for column in columns) for start in starts]


def _translations() -> Batches:
    return _in_batches(*make_sentences(2000))


def _speech() -> Batches:
    predictions, references = make_sentences(5000)
    return _in_batches(predictions, [several[0] for several in references])


def _answers() -> Batches:
    """Answers of one to three words, of which three in five are right."""
    rng = np.random.default_rng(0)
    words = make_words(5000, rng)
    labels = [" ".join(rng.choice(words, rng.integers(1, 4))) for _ in range(50_000)]
    found = [text if rng.random() < 0.6 else f"the {text.split()[0]}" for text in labels]
    return _in_batches(found, labels)


def _tags() -> Batches:
    rng = np.random.default_rng(0)
    tags = np.array(["O"] * 6 + ["B-PER", "I-PER", "B-LOC", "I-LOC"])
    labels = [rng.choice(tags, rng.integers(5, 40)) for _ in range(4000)]
    found = [np.where(rng.random(len(y)) < 0.9, y, rng.choice(tags, len(y))) for y in labels]
    return _in_batches([row.tolist() for row in found], [row.tolist() for row in labels])


TEXT_DATA: dict[str, Callable[[], Batches]] = {
    "translations": cache(_translations),
    "speech": cache(_speech),
    "answers": cache(_answers),
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


SACREBLEU: Any = {"tokenizer_fn": "13a", "smooth": "exp"}  # its own defaults
PLUS: Any = {"word_order": 2}

TEXTS = [
    Row("WordErrorRate", "counts", "speech", {}, [jiwer("wer")]),
    Row("CharErrorRate", "counts", "speech", {}, [jiwer("cer")]),
    Row("WordInfoLost", "counts", "speech", {}, [jiwer("wil")], compared=False),
    Row("BLEU", "counts", "translations", SACREBLEU, [sacrebleu("BLEU")]),
    Row("CHRFScore", "counts", "translations", {}, [sacrebleu("CHRF")]),
    Row("CHRFScore (chrF++)", "counts", "translations", PLUS, [sacrebleu("CHRF", **PLUS)]),
    Row("ExactMatch", "sums", "answers", {}, [_of_texts("evaluate's rule", _hf_exact_match)]),
    Row("SQuAD", "sums", "answers", {}, [_of_texts("the benchmark's rule", _squad)]),
    Row("EntityF1", "counts", "tags", {}, [_of_texts("seqeval", _seqeval)]),
]
