"""SQuAD: exact match and token F1 of short answers."""

from __future__ import annotations

import re
import string
from collections import Counter
from typing import Any

import numpy as np

from mmeval_like.metrics.text.text_metrics import Answers, TextMetric, read_references, read_texts
from mmeval_like.writing import SHARE, Results, SampleMean

__all__ = ["SQuAD"]

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")


class SQuAD(TextMetric, SampleMean):
    """Exact match and F1 of short answers to questions, as in the SQuAD benchmark.

    Texts are compared in lower case, without ASCII punctuation, without the articles a, an and the,
    and with single spaces. A prediction p of n tokens and a reference r of m tokens have s tokens
    in common, each counted as often as it occurs in both; F1 is 1 if both have no tokens. If a
    question has several references, the best one counts. Values are fractions; the benchmark's
    script returns percentages. Source: P. Rajpurkar et al., "SQuAD: 100,000+ questions for machine
    comprehension of text" (EMNLP 2016), and "Know what you don't know" (ACL 2018). `add` takes
    `predictions`, N strings, `references`, N lists of answers or N strings, and `sample_weight`
    (N,).

    Formula:
        em = mean max_r [p = r]
        f1 = mean max_r 2 s / (n + m)

    Args:
        no_answer: Whether questions may have no answer, as in SQuAD 2.0; their list of references
            is then empty. The prediction for such a question is right if it is empty after
            normalisation. As in the benchmark's script, a reference that is empty after
            normalisation counts only if the question has no other.
        **options: As for `TextMetric`.

    Returns of `compute`: `exact_match` and `f1`, in [0, 1]; nan without samples. Higher is better.

    Example:
        >>> metric = SQuAD()
        >>> metric.add(["The Eiffel Tower", "in Paris"], [["Eiffel tower"], ["Paris", "Rome"]])
        >>> metric.compute()  # 1 and 0; 1 and 2 * 1 / (2 + 1)
        {'exact_match': 0.5, 'f1': 0.8333333333333333}
    """

    key = "f1"
    outputs = 2
    _meaning = ()
    ranges = SHARE
    higher_is_better = True

    def __init__(self, *, no_answer: bool = False, **options: Any) -> None:
        super().__init__(**options)
        self.no_answer = no_answer

    def scores(self, predictions: Any, references: Any) -> np.ndarray:
        """Return exact match and F1 of every prediction.

        Args:
            predictions: N strings.
            references: N lists of at least one string, or N strings; with `no_answer` lists may
                be empty.

        Raises:
            TypeError: An input is not a list of strings.
            ValueError: `references` and `predictions` differ in length, or a prediction has no
                reference.
        """
        answers = self._read(predictions, references)
        pairs = list(zip(answers.predictions, answers.references, strict=True))
        equal = np.array([first == second for first, second in pairs], np.float64)
        overlap = np.array([_f1(first, second) for first, second in pairs], np.float64)
        return np.stack([answers.best(equal), answers.best(overlap)], axis=1)

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return `exact_match` and `f1`."""
        exact_match, f1 = self.mean(results)
        return {"exact_match": exact_match, "f1": f1}

    def _read(self, predictions: Any, references: Any) -> Answers:
        if not self.no_answer:
            return Answers.read(predictions, references, self._normalized)
        found = read_texts(predictions, "predictions", self._normalized)
        lists = read_references(found, references, self._normalized, may_lack=True)
        return Answers.of(found, [[text for text in texts if text] or [""] for texts in lists])

    def _normalized(self, text: str) -> str:
        if self.normalizer is not None:
            text = self.normalizer(text)
        return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def _f1(first: str, second: str) -> float:
    """Return the F1 of the tokens of two normalised texts."""
    if first == second:
        return 1.0
    tokens, others = first.split(), second.split()
    common = set(tokens).intersection(others)
    if not common:
        return 0.0
    counts, there = Counter(tokens), Counter(others)
    same = sum([min(counts[token], there[token]) for token in common])
    return 2 * same / (len(tokens) + len(others))
