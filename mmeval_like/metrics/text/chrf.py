"""CHRFScore: the F-score of character n-grams of translations."""

from __future__ import annotations

import math
import string
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np

from mmeval_like.metrics._common.option_checks import check_count
from mmeval_like.metrics.text.text_metrics import ANY_LENGTH, TextMetric, read_samples
from mmeval_like.writing import SHARE, Results, State, state

__all__ = ["CHRFScore"]

_PUNCTUATION = frozenset(string.punctuation)
_PARTS = ("matched", "predicted", "in_references")

Grams = list[Counter[Any]]  # the n-grams of each order


class CHRFScore(TextMetric):
    """chrF: the F-score of the n-grams of characters that translations share with references.

    With n-grams of words as well (`word_order=2`) the score is chrF++. For each order n, the
    precision is the share of the predictions' n-grams that match, and the recall the share of the
    references' n-grams that match, counted over all texts; P and R are the means over orders. The
    number of matches of an n-gram is the smaller of its counts in the two texts. An order is
    ignored if the predictions or the references have no n-grams of it. If a text has several
    references, the one with the highest score is used. Source: M. Popović, "chrF: character n-gram
    F-score for automatic MT evaluation" (WMT 2015) and "chrF++: words helping character n-grams"
    (WMT 2017). The value is sacrebleu's score divided by 100. `add` takes `predictions`, N strings,
    and `references`, N lists of strings or N strings.

    Formula:
        chrF = (1 + beta^2) P R / (beta^2 P + R)
        P = mean_n matches_n / predicted_n
        R = mean_n matches_n / referred_n

    Args:
        char_order: The highest order of n-grams of characters.
        word_order: The highest order of n-grams of words; 0: none, which gives chrF; 2: chrF++, the
            default of torchmetrics. Punctuation at either end of a word is split off.
        beta: How many times as important recall is as precision.
        lowercase: Whether texts are compared in lower case.
        whitespace: Whether whitespace counts as a character; if not, it is left out.
        **options: As for `TextMetric`.

    Returns of `compute`: `chrf`, in [0, 1]; nan without samples. Higher is better.

    Raises:
        TypeError: An order is not an integer.
        ValueError: `char_order` is below 1, `word_order` is below 0, or `beta` is not positive and
            finite.

    Example:
        >>> metric = CHRFScore(char_order=2, beta=1)
        >>> metric.add(["the cat"], [["the hat", "a dog"]])
        >>> metric.compute()  # 5 of 6 characters and 3 of 5 pairs, on both sides
        {'chrf': 0.7166666666666667}
    """

    every_rank_computes = True
    ranges = SHARE
    no_bounds = ANY_LENGTH
    higher_is_better = True

    def __init__(
        self,
        char_order: int = 6,
        word_order: int = 0,
        beta: float = 2.0,
        *,
        lowercase: bool = False,
        whitespace: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.char_order = check_count("char_order", char_order)
        self.word_order = check_count("word_order", word_order) if word_order != 0 else 0
        if not 0 < beta < math.inf:
            raise ValueError(f"beta must be positive and finite, got {beta}")
        self.beta, self.lowercase, self.whitespace = beta, lowercase, whitespace

    def states(self) -> dict[str, State]:
        """Return the counts of matching, predicted and reference n-grams, by order."""
        return dict.fromkeys(_PARTS, state.sum(int, (self.char_order + self.word_order,)))

    def rows(self, predictions: Any, references: Any) -> dict[str, np.ndarray]:
        """Return the counts of each text and its best reference.

        Args:
            predictions: N strings.
            references: N lists of at least one string, or N strings.

        Raises:
            TypeError: An input is not a list of strings.
            ValueError: `references` and `predictions` differ in length, or a prediction has no
                reference.
        """
        samples = read_samples(predictions, references, self.normalizer)
        counts = [self._best(*sample) for sample in samples]
        table = np.array(counts, np.int64).reshape(-1, 3, self.char_order + self.word_order)
        return {name: table[:, place] for place, name in enumerate(_PARTS)}

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return `chrf`."""
        if not len(results):
            return {"chrf": math.nan}
        counts = [getattr(results, name).tolist() for name in _PARTS]
        return {"chrf": float(self._score(counts, Fraction))}

    def _best(self, prediction: str, references: list[str]) -> list[list[int]]:
        """Return the counts for the reference with the highest score, the first in a tie."""
        own = self._n_grams(prediction)
        every = [_compare(own, self._n_grams(text)) for text in references]
        return every[0] if len(every) == 1 else max(every, key=self._score)

    def _score(self, counts: list[list[int]], number: Any = float) -> Any:
        """Return the F-score of counts, computed with the type `number`."""
        orders = [order for order in zip(*counts, strict=True) if order[1] and order[2]]
        if not orders:
            return 0.0
        precision = sum(number(m) / p for m, p, _ in orders) / len(orders)
        recall = sum(number(m) / r for m, _, r in orders) / len(orders)
        square = number(self.beta) ** 2
        below = square * precision + recall
        return (1 + square) * precision * recall / below if below else 0.0

    def _n_grams(self, text: str) -> Grams:
        if self.lowercase:
            text = text.lower()
        line = text if self.whitespace else "".join(text.split())
        found: Grams = [
            Counter([line[start : start + order] for start in range(len(line) - order + 1)])
            for order in range(1, self.char_order + 1)
        ]
        if self.word_order:
            words = [part for word in text.split() for part in _without_punctuation(word)]
            found += [
                Counter(zip(*(words[start:] for start in range(order)), strict=False))
                for order in range(1, self.word_order + 1)
            ]
        return found


def _without_punctuation(word: str) -> list[str]:
    """Split off one punctuation mark at the end of a word, or else at its beginning.

    Example:
        >>> _without_punctuation("dog?!"), _without_punctuation("(dog"), _without_punctuation("?")
        (['dog?', '!'], ['(', 'dog'], ['?'])
    """
    if len(word) == 1:
        return [word]
    if word[-1] in _PUNCTUATION:
        return [word[:-1], word[-1]]
    return [word[0], word[1:]] if word[0] in _PUNCTUATION else [word]


def _compare(own: Grams, others: Grams) -> list[list[int]]:
    """Return the counts of matching, predicted and reference n-grams, by order.

    If the reference has no n-grams of an order, the prediction's n-grams of this order are ignored.
    """
    matched, predicted, expected = [], [], []
    for found, there in zip(own, others, strict=True):
        common = found.keys() & there.keys()
        matched.append(sum([min(found[gram], there[gram]) for gram in common]))
        predicted.append(found.total() if there else 0)
        expected.append(there.total())
    return [matched, predicted, expected]
