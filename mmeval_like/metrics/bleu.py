"""BLEU: how many of the n-grams of translations are in their references."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from mmeval_like import arrays, state
from mmeval_like._accumulate.results import Results
from mmeval_like._inference.ranges import SHARE
from mmeval_like.metric import BaseMetric
from mmeval_like.metrics._shared.exact_functions import product_of_powers
from mmeval_like.metrics._shared.text import (
    Tokenizer,
    as_tokenizer,
    check_references,
    check_texts,
    tokenizer_of,
)
from mmeval_like.options import MetricOptions, Unpack
from mmeval_like.state import State

__all__ = ["BLEU", "get_n_gram"]


def get_n_gram(token: Sequence[str], n_gram: int) -> Counter[tuple[str, ...]]:
    """Return how often each n-gram occurs, of all orders 1 to `n_gram`.

    Args:
        token: The tokens of a text.
        n_gram: The highest order.

    Example:
        >>> get_n_gram(["a", "b", "a"], 2)
        Counter({('a',): 2, ('b',): 1, ('a', 'b'): 1, ('b', 'a'): 1})
    """
    counts: Counter[tuple[str, ...]] = Counter()
    for order in range(1, n_gram + 1):
        counts.update(zip(*(token[start:] for start in range(order)), strict=False))
    return counts


class BLEU(BaseMetric):
    """Corpus BLEU (Papineni et al., 2002): exp(sum of w_n log p_n) times the brevity penalty.

    p_n is the number of n-grams of all predictions that are in a reference (each at most as
    often as in the one reference that has it most often), over the number of n-grams of all
    predictions. The penalty is exp(1 - r / c) if the predictions are shorter than the references,
    c and r tokens long in total; of several references the one of closest length counts, of
    equally close ones the shorter. This is sacrebleu's score divided by 100.

    Args:
        n_gram: The highest order of n-grams.
        smooth: Add one to both counts of p_n, n >= 2 (Lin and Och, 2004).
        ngram_weights: w_n, one per order; default: 1 / n_gram each. An order of weight 0 does
            not count.
        tokenizer_fn: "en": split at whitespace; "cn": every character that is not whitespace;
            or a function from a string to a sequence of tokens. None: for each sample by
            itself, "cn" if one of its references has an ideograph, else "en".
        **options: As for `BaseMetric`.

    Raises:
        TypeError: An argument of another type.
        ValueError: `n_gram` below 1; weights of another number, negative or not finite; an
            unknown tokenizer name.

    Returns of `compute`: `bleu`, in [0, 1]; 0.0 if an order has no match (without smoothing),
    or no n-gram at all matches. Without samples: nan.

    Example:
        >>> metric = BLEU(n_gram=2)
        >>> metric.add(["the cat sat on mat"], [["the cat sat on the mat", "a cat on the mat"]])
        >>> round(metric.compute()["bleu"], 6)  # (5 / 5 * 3 / 4) ** 0.5
        0.866025
    """

    every_rank_computes = True
    ranges = SHARE
    higher_is_better = True

    def __init__(
        self,
        n_gram: int = 4,
        smooth: bool = False,
        ngram_weights: Sequence[float] | None = None,
        tokenizer_fn: Tokenizer | str | None = None,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        if not isinstance(n_gram, int) or isinstance(n_gram, bool):
            raise TypeError(f"n_gram must be an int, got {n_gram!r}")
        if n_gram < 1:
            raise ValueError(f"n_gram must be at least 1, got {n_gram}")
        self.n_gram = n_gram
        self.smooth = smooth
        self.ngram_weights = _check_weights(ngram_weights, n_gram)
        self.tokenizer = as_tokenizer(tokenizer_fn, "tokenizer_fn")

    def states(self) -> dict[str, State]:
        """Return the n-grams that match and those predicted, by order, and the lengths."""
        return {
            "matches": state.sum(int, (self.n_gram,)),
            "candidates": state.sum(int, (self.n_gram,)),
            "predicted_length": state.sum(int),
            "reference_length": state.sum(int),
        }

    def rows(self, predictions: Any, references: Any) -> dict[str, np.ndarray]:
        """Return the counts of each sample.

        Args:
            predictions: N strings.
            references: N lists of at least one string.

        Raises:
            TypeError: Something that is not a string.
            ValueError: Different numbers of both, or a prediction without reference.
        """
        predictions = check_texts(predictions, "predictions")
        references = check_references(references, predictions)
        counts = [self._count(*sample) for sample in zip(predictions, references, strict=True)]
        table = np.array(counts, np.int64).reshape(len(counts), self.n_gram + 2)
        lengths = table[:, self.n_gram]
        return {
            "matches": table[:, : self.n_gram],
            "candidates": np.maximum(lengths[:, None] - np.arange(self.n_gram), 0),
            "predicted_length": lengths,
            "reference_length": table[:, self.n_gram + 1],
        }

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return `bleu`."""
        if len(results) == 0:
            return {"bleu": math.nan}
        if not results.matches.any():
            return {"bleu": 0.0}
        missing = Fraction(results.reference_length, results.predicted_length) - 1
        powers: dict[Fraction, Fraction] = {}
        counts = zip(results.matches.tolist(), results.candidates.tolist(), strict=True)
        for order, (matches, candidates) in enumerate(counts):
            added = int(self.smooth and order > 0)
            weight = Fraction(self.ngram_weights[order])
            if weight and not matches + added:
                return {"bleu": 0.0}
            if weight:
                precision = Fraction(matches + added, candidates + added)
                powers[weight] = powers.get(weight, 1) * precision
        return {"bleu": product_of_powers(powers, min(-missing, Fraction(0)))}

    def _count(self, prediction: str, references: list[str]) -> list[int]:
        tokenize = self.tokenizer or tokenizer_of(references)
        tokens = list(tokenize(prediction))
        tokenized = [list(tokenize(text)) for text in references]
        predicted = get_n_gram(tokens, self.n_gram)
        allowed = get_n_gram(tokenized[0], self.n_gram)
        for other in tokenized[1:]:
            allowed |= get_n_gram(other, self.n_gram)
        matches = [0] * self.n_gram
        for gram in predicted.keys() & allowed.keys():
            matches[len(gram) - 1] += min(predicted[gram], allowed[gram])
        closest = min((abs(len(text) - len(tokens)), len(text)) for text in tokenized)[1]
        return [*matches, len(tokens), closest]


def _check_weights(weights: Sequence[float] | None, n_gram: int) -> tuple[float, ...]:
    if weights is None:
        return (1 / n_gram,) * n_gram
    numbers = arrays.as_floats(weights, "ngram_weights")
    if numbers.shape != (n_gram,):
        raise ValueError(
            f"ngram_weights must have one weight for each of {n_gram} orders, "
            f"got shape {numbers.shape}"
        )
    arrays.check_finite("ngram_weights", numbers)
    if numbers.min() < 0:
        raise ValueError(f"ngram_weights must not be negative, got {numbers.min()}")
    return tuple(numbers.tolist())
