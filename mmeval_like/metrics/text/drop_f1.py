"""DropF1: exact match and F1 of answers that may be several spans, dates or numbers."""

from __future__ import annotations

import importlib
import re
import string
from collections.abc import Sequence
from typing import Any

import numpy as np

from mmeval_like.metrics.text.text_metrics import TextMetric, read_texts
from mmeval_like.writing import SHARE, Results, SampleMean, arrays, needed_for

__all__ = ["DropF1"]

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")


class DropF1(TextMetric, SampleMean):
    """Exact match and F1 of answers that may be several spans, as in the DROP benchmark.

    A span is split at spaces and hyphens into a set of words, in lower case and without punctuation
    and articles; numbers are compared by their values. The n spans of the prediction p and the m
    spans of an answer a are paired one to one, so that the sum of the F1 scores of their words is
    maximal. If a span of the answer contains numbers, its pair scores 0 unless the predicted span
    contains one of these numbers. The F1 of a question is this sum divided by the larger number of
    spans; the benchmark's script rounds it to two decimals, this metric does not. If a question has
    several answers, the best one counts for each of the two values. Source: D. Dua et al., "DROP: a
    reading comprehension benchmark requiring discrete reasoning over paragraphs" (NAACL 2019).
    `add` takes `predictions`: for each of N questions a string or a list of spans; `references`:
    for each a list of answers, each a string or a list of spans; and `sample_weight` (N,). Needs
    scipy.

    Formula:
        f1 = mean max_answer 1/max(n, m) max_pi sum_i F1(p_i, a_(pi(i)))
        em = mean max_answer [p = a]

    Args:
        **options: As for `TextMetric`.

    Returns of `compute`: `drop_em` and `drop_f1`, in [0, 1]; nan without samples. Higher is better.

    Raises:
        ImportError: scipy is not installed.

    Example:
        >>> metric = DropF1()
        >>> metric.add([["the Jets", "Bears"], "3 yards"], [[["Bears", "New York Jets"]], ["3"]])
        >>> metric.compute()  # (1 + 1 / 2) / 2, and 2 * 1 / (2 + 1)
        {'drop_em': 0.0, 'drop_f1': 0.7083333333333333}
    """

    key = "drop_f1"
    outputs = 2
    _meaning = ()
    ranges = SHARE
    higher_is_better = True

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        with needed_for("DropF1", "pip install 'mmeval-like[text]'"):
            importlib.import_module("scipy.optimize")

    def scores(self, predictions: Any, references: Any) -> np.ndarray:
        """Return exact match and F1 of every question.

        Args:
            predictions: N strings or lists of strings.
            references: N lists of at least one string or list of strings.

        Raises:
            TypeError: The inputs are not lists of lists of strings.
            ValueError: `references` and `predictions` differ in length, or a question has no
                answers.
        """
        predictions = arrays.listed(predictions, "predictions", "a list")
        references = arrays.listed(references, "references", "a list")
        arrays.check_same_length("predictions", predictions, "references", references)
        found = np.zeros((len(predictions), 2))
        for place, (prediction, answers) in enumerate(zip(predictions, references, strict=True)):
            name = f"references[{place}]"
            answers = arrays.listed(answers, name, "a list of answers")
            if not answers:
                raise ValueError(
                    f"references must have an answer for every prediction, {name} is []"
                )
            own = self._spans(prediction, f"predictions[{place}]")
            pairs = [_compare(own, self._spans(answer, name)) for answer in answers]
            found[place] = np.max(pairs, axis=0)
        return found

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return `drop_em` and `drop_f1`."""
        exact, f1 = self.mean(results)
        return {"drop_em": exact, "drop_f1": f1}

    def _spans(self, answer: Any, name: str) -> list[str]:
        spans = [answer] if isinstance(answer, str) else answer
        return [_plain(span) for span in read_texts(spans, name, self.normalizer)]


def _plain(span: str) -> str:
    """Return the normalised form of a span for comparison.

    Example:
        >>> _plain("The 20-yard Line"), _plain("7.0"), _plain("$1,000")
        ('20.0 yard line', '7.0', '1000.0')
    """
    words = []
    for word in re.split("[ -]", span.lower()):
        if not _is_number(word):
            word = word.translate(_PUNCTUATION)
        word = str(float(word)) if _is_number(word) else word
        words += _ARTICLES.sub(" ", word).split()
    return " ".join(words)


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _compare(spans: Sequence[str], others: Sequence[str]) -> tuple[float, float]:
    """Return exact match and F1 of a prediction's spans and an answer's."""
    optimize: Any = importlib.import_module("scipy.optimize")
    equal = set(spans) == set(others) and len(spans) == len(others)
    most = max(len(spans), len(others))
    if not spans or not others:
        return float(equal), float(equal)
    bags = [[set(span.split()) for span in several] for several in (spans, others)]
    table = np.array([[_f1(own, other) for other in bags[1]] for own in bags[0]])
    best = table[optimize.linear_sum_assignment(table, maximize=True)]
    return float(equal), float(arrays.sum_rows(np.sort(best)[None])[0]) / most


def _f1(own: set[str], answer: set[str]) -> float:
    """Return the F1 of the words of two spans; 0 if none of the answer's numbers is predicted."""
    numbers = {word for word in answer if _is_number(word)}
    if numbers and not numbers & own:
        return 0.0
    if not own or not answer:  # if a span has no words, the other must have none
        return float(own == answer)
    return 2 * len(own & answer) / (len(own) + len(answer))
