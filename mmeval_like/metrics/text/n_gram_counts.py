"""NGramCounts: the n-grams that translations share with references, for every BLEU."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like.metrics.text.text_metrics import Normalizer
from mmeval_like.metrics.text.words import Tokenizer, check_references, check_texts, tokenizer_of
from mmeval_like.writing import State, Statistic, state

__all__ = ["NGramCounts", "Tokens", "get_n_gram"]


def get_n_gram(token: Sequence[str], n_gram: int) -> Counter[tuple[str, ...]]:
    """Return the number of occurrences of each n-gram of the orders 1 to `n_gram`.

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


@dataclass(frozen=True)
class Tokens:
    """How texts become tokens.

    Attributes:
        tokenizer: The function that splits a text into tokens; None: chosen by the references of
            each sample.
        lowercase: Whether texts are compared in lower case.
        normalizer: A function that is applied to every text first.
    """

    tokenizer: Tokenizer | None = None
    lowercase: bool = False
    normalizer: Normalizer | None = None

    def of_sample(self, prediction: str, references: list[str]) -> list[list[str]]:
        """Return the tokens of a prediction, followed by those of each reference."""
        tokenize = self.tokenizer or tokenizer_of(references)
        return [list(tokenize(self._prepared(text))) for text in (prediction, *references)]

    def _prepared(self, text: str) -> str:
        if self.normalizer is not None:
            [text] = check_texts([self.normalizer(text)], "normalizer: what it returns")
        return text.lower() if self.lowercase else text


@dataclass(frozen=True)
class NGramCounts(Statistic):
    """The counts of predicted and matching n-grams, by order, and the lengths of texts.

    Attributes:
        n_gram: The highest order.
        tokens: How texts become tokens.
    """

    n_gram: int
    tokens: Tokens

    def states(self) -> dict[str, State]:
        """Return the counts of matching and predicted n-grams, by order, and the lengths."""
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
            references: N strings, or N lists of at least one string.

        Raises:
            TypeError: An input is not a list of strings.
            ValueError: `references` and `predictions` differ in length, or a prediction has no
                reference.
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

    def _count(self, prediction: str, references: list[str]) -> list[int]:
        tokens, *tokenized = self.tokens.of_sample(prediction, references)
        predicted = get_n_gram(tokens, self.n_gram)
        allowed = get_n_gram(tokenized[0], self.n_gram)
        for other in tokenized[1:]:
            allowed |= get_n_gram(other, self.n_gram)
        matches = [0] * self.n_gram
        for gram in predicted.keys() & allowed.keys():
            matches[len(gram) - 1] += min(predicted[gram], allowed[gram])
        closest = min((abs(len(text) - len(tokens)), len(text)) for text in tokenized)[1]
        return [*matches, len(tokens), closest]
