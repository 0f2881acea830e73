"""The text and OCR metrics beside sacrebleu, rouge-score and MMEval, in one process.

    python -m benchmarks.text [--samples 2000] [--batch 64]

The sentences have 5 to 40 words out of 5,000 words, whose frequencies follow Zipf's law. Each
sentence has two references, which differ from it in a fifth of the words. The words for the OCR
metrics have 1 to 12 letters, and the polygons are quadrilaterals.
"""

from __future__ import annotations

import argparse
import importlib
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

VOCABULARY = 5000
LETTERS = np.array([*"abcdefghijklmnopqrstuvwxyzABCDEFG-."])
Columns = tuple[list[Any], ...]


def make_sentences(count: int, seed: int = 0) -> Columns:
    """So many sentences, and two references of each."""
    rng = np.random.default_rng(seed)
    words = make_words(VOCABULARY, rng)
    frequency = 1 / np.arange(1, VOCABULARY + 1)
    frequency /= frequency.sum()

    def changed(sentence: np.ndarray) -> str:
        other = rng.choice(VOCABULARY, len(sentence), p=frequency)
        return " ".join(words[i] for i in np.where(rng.random(len(other)) < 0.2, other, sentence))

    sentences = [rng.choice(VOCABULARY, rng.integers(5, 41), p=frequency) for _ in range(count)]
    predictions = [" ".join(words[i] for i in sentence) for sentence in sentences]
    return predictions, [[changed(sentence), changed(sentence)] for sentence in sentences]


def make_words(count: int, rng: np.random.Generator) -> list[str]:
    """So many words."""
    return ["".join(rng.choice(LETTERS, rng.integers(1, 13))) for _ in range(count)]


def make_readings(count: int) -> Columns:
    """So many words as they were read, and as they are."""
    rng = np.random.default_rng(0)
    words = make_words(count, rng)
    read = [
        word if rng.random() < 0.8 else word[1:] + other
        for word, other in zip(words, make_words(count, rng), strict=True)
    ]
    return read, words


def make_polygons(count: int) -> Columns:
    """Polygons, scores, ground truths and flags of so many images with 10 words each."""
    rng = np.random.default_rng(0)
    truths = rng.random((count, 10, 1, 2)) * 500 + rng.random((count, 10, 4, 2)) * 3
    truths += np.array([[0, 0], [60, 0], [60, 20], [0, 20]])
    found = truths + rng.normal(0, 2, truths.shape)
    flags = rng.random((count, 10)) < 0.1
    return (
        [[polygon.ravel() for polygon in image] for image in found],
        [*rng.random((count, 10))],
        [[polygon.ravel() for polygon in image] for image in truths],
        [*flags],
    )


def run(metric: Any, columns: Columns, batch: int) -> Any:
    """Evaluate batch after batch."""
    for start in range(0, len(columns[0]), batch):
        metric.add(*(column[start : start + batch] for column in columns))
    return metric.compute()


def by_sacrebleu(columns: Columns, batch: int) -> float:
    """The score of the whole corpus, at once."""
    predictions, references = columns
    peer = importlib.import_module("sacrebleu").metrics.BLEU(
        tokenize="none", smooth_method="none", force=True
    )
    return float(peer.corpus_score(predictions, [*zip(*references, strict=True)]).score) / 100


def by_rouge_score(columns: Columns, batch: int) -> float:
    """The mean of the best F-measures of ROUGE-L; the package takes one sample at a time."""
    names = {1: "rouge1", 2: "rouge2", "L": "rougeL"}
    scorer = importlib.import_module("rouge_score.rouge_scorer").RougeScorer([*names.values()])
    scores = [
        scorer.score_multi(references, prediction)["rougeL"].fmeasure
        for prediction, references in zip(*columns, strict=True)
    ]
    return float(np.mean(scores))


def by_package(
    package: str, name: str, options: dict[str, Any], key: Any
) -> Callable[[Columns, int], float]:
    """The metric of this name in mmeval_like or MMEval."""

    def evaluate(columns: Columns, batch: int) -> float:
        value = run(getattr(importlib.import_module(package), name)(**options), columns, batch)[key]
        return float(value["hmean"] if isinstance(value, dict) else value)

    return evaluate


def measure(samples: int = 2000, batch: int = 64) -> dict[str, Any]:
    """By metric: our seconds, and by peer its seconds and by how much its number differs."""
    sentences, readings = make_sentences(samples), make_readings(20 * samples)
    polygons = make_polygons(samples // 10)
    split_bleu, split_rouge = {"tokenizer_fn": "en"}, {"tokenizer": "en"}
    cases: dict[str, tuple[dict[str, Any], Columns, Any, dict[str, Any]]] = {
        "BLEU": (split_bleu, sentences, "bleu", {"sacrebleu": by_sacrebleu}),
        "ROUGE": (split_rouge, sentences, "rougeL_fmeasure", {"rouge-score": by_rouge_score}),
        "WordAccuracy": ({"mode": "exact"}, readings, "accuracy", {}),
        "CharRecallPrecision": ({}, readings, "recall", {}),
        "HmeanIoU": ({}, polygons, "best", {}),
    }
    found: dict[str, Any] = {}
    for name, (options, columns, key, peers) in cases.items():
        few = tuple(column[:2] for column in columns)  # to import what is imported late

        own = by_package("mmeval_like", name, options, key)
        own(few, batch)
        started = time.perf_counter()
        value = own(columns, batch)
        found[name] = {"seconds": time.perf_counter() - started, "peers": {}}
        for peer, function in {**peers, "MMEval": by_package("mmeval", name, options, key)}.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                function(few, batch)
                started = time.perf_counter()
                differs = abs(function(columns, batch) - value)
            found[name]["peers"][peer] = [time.perf_counter() - started, differs]
    return found


def table(found: dict[str, Any]) -> str:
    """Return what `measure` found as Markdown."""
    lines = ["| | peer | takes times as long | our seconds | numbers differ by |", "|---" * 5 + "|"]
    for name, cell in found.items():
        for peer, (seconds, differs) in cell["peers"].items():
            ratio = seconds / cell["seconds"]
            lines.append(
                f"| {name} | {peer} | {ratio:.1f} | {cell['seconds']:.2f} | {differs:.0e} |"
            )
    return "\n".join(lines)


def main() -> None:
    """Run everything and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--batch", type=int, default=64)
    options = parser.parse_args()
    print(table(measure(options.samples, options.batch)))


if __name__ == "__main__":
    main()
