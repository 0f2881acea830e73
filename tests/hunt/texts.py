"""Metrics of text against sacrebleu, rouge-score and loops over tokens."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np

import mmeval_like as mm
from tests.hunt.trial import Generator, Trial

__all__ = ["draw"]

WORDS = ["the", "cat", "sat", "on", "mat", "a", "The", "dog", "an", "it's", "no.", "12", "x"]
LETTERS = [*"abcABÄßé12_-. ия中文π½"]


def draw(rng: Generator) -> Trial:
    """Return a random metric of text with random texts."""
    count = int(rng.choice([1, 2, 5, 30]))
    return [_bleu, _rouge, _perplexity, _words, _characters][int(rng.integers(5))](rng, count)


def _sentence(rng: Generator, most: int = 12) -> str:
    words = rng.choice(WORDS, int(rng.integers(0, most)))
    return " ".join(words.tolist())


def _near(rng: Generator, text: str) -> str:
    return " ".join(w for w in text.split() if rng.random() < 0.8) if rng.random() < 0.7 else text


def _bleu(rng: Generator, count: int) -> Trial:
    references = [[_sentence(rng) for _ in range(int(rng.integers(1, 4)))] for _ in range(count)]
    predictions = [_near(rng, refs[int(rng.integers(len(refs)))]) for refs in references]
    order, smooth = int(rng.integers(1, 6)), bool(rng.integers(2))
    hits, totals = [0] * order, [0] * order
    length = closest = 0
    for prediction, refs in zip(predictions, references, strict=True):
        own = prediction.split()
        length += len(own)
        closest += min((abs(len(r.split()) - len(own)), len(r.split())) for r in refs)[1]
        for n in range(1, order + 1):
            grams = _grams(own, n)
            most: Counter[Any] = Counter()
            for reference in refs:
                most |= _grams(reference.split(), n)
            hits[n - 1] += sum((grams & most).values())
            totals[n - 1] += sum(grams.values())
    value = 0.0
    if hits[0]:
        more = [int(smooth and n > 0) for n in range(order)]
        shares = [Fraction(h + m, t + m) if t + m else Fraction(0)
                  for h, t, m in zip(hits, totals, more, strict=True)]  # fmt: skip
        if all(shares):
            value = math.exp(math.fsum(math.log(s) for s in shares) / order)
            value *= math.exp(min(0.0, 1 - closest / length))
    return Trial(mm.BLEU, {"n_gram": order, "smooth": smooth, "tokenizer_fn": "en"},
                 (predictions, references), count, {"bleu": value}, 1e-12)  # fmt: skip


def _grams(tokens: list[str], n: int) -> Counter[Any]:
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


def _rouge(rng: Generator, count: int) -> Trial:
    from rouge_score.rouge_scorer import RougeScorer

    references = [[_sentence(rng)] for _ in range(count)]
    predictions = [_near(rng, refs[0]) for refs in references]
    keys = [1, 2, "L"]
    scorer = RougeScorer(["rouge1", "rouge2", "rougeL"])
    found = [scorer.score(refs[0], prediction)
             for prediction, refs in zip(predictions, references, strict=True)]  # fmt: skip
    expected = {}
    for key in keys:
        for name, attribute in (("fmeasure", 2), ("precision", 0), ("recall", 1)):
            expected[f"rouge{key}_{name}"] = math.fsum(
                one[f"rouge{key}"][attribute] for one in found
            ) / count  # fmt: skip
    options = {"rouge_keys": keys, "lowercase": True}
    return Trial(mm.ROUGE, options, (predictions, references), count, expected, 1e-9)


def _perplexity(rng: Generator, count: int) -> Trial:
    length, size = int(rng.integers(1, 6)), int(rng.integers(1, 9))
    logits = rng.normal(size=(count, length, size)) * 10.0 ** rng.integers(-3, 4)
    targets = rng.integers(0, size, (count, length))
    targets[rng.random(targets.shape) < 0.3] = -100
    wide = logits - logits.max(-1, keepdims=True)
    logs = wide - np.log(np.exp(wide).sum(-1, keepdims=True))
    chosen = [logs[i, j, t] for (i, j), t in np.ndenumerate(targets) if t >= 0]
    mean = -math.fsum(chosen) / len(chosen) if chosen else math.nan
    value = math.exp(mean) if not mean > 700 else None
    return Trial(mm.Perplexity, {"ignore_labels": -100}, (logits, targets), count,
                 None if value is None else {"perplexity": value}, 1e-9)  # fmt: skip


def _texts(rng: Generator, count: int) -> tuple[list[str], list[str]]:
    labels = ["".join(rng.choice(LETTERS, int(rng.integers(0, 8)))) for _ in range(count)]
    predictions = []
    for label in labels:
        kept = "".join(c for c in label if rng.random() < 0.8)
        predictions.append(rng.choice([label, kept, label.upper(), label + "!"]).item())
    return predictions, labels


def _words(rng: Generator, count: int) -> Trial:
    predictions, labels = _texts(rng, count)
    expected = {
        "accuracy": sum(map(str.__eq__, predictions, labels)) / count,
        "ignore_case_accuracy": sum(
            p.lower() == t.lower() for p, t in zip(predictions, labels, strict=True)
        ) / count,
    }  # fmt: skip
    options = {"mode": ["exact", "ignore_case"]}
    return Trial(mm.WordAccuracy, options, (predictions, labels), count, expected)


def _characters(rng: Generator, count: int) -> Trial:
    predictions, labels = _texts(rng, count)
    common = sum(map(_common, predictions, labels))
    long, short = sum(map(len, labels)), sum(map(len, predictions))
    expected = {"recall": common / long if long else 0.0,
                "precision": common / short if short else 0.0}  # fmt: skip
    options = {"invalid_symbol": "(?!)"}  # nothing is removed
    return Trial(mm.CharRecallPrecision, options, (predictions, labels), count, expected)


def _common(one: str, other: str) -> int:
    """Return the length of a longest common subsequence."""
    row = [0] * (len(other) + 1)
    for a in one:
        before = row.copy()
        for j, b in enumerate(other):
            row[j + 1] = before[j] + 1 if a == b else max(before[j + 1], row[j])
    return row[-1]
