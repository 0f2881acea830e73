"""BitsPerByte: how well a language model predicts texts, independent of its tokenizer."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from mmeval_like.metrics._common.shapes import check_one_axis
from mmeval_like.metrics.text.words import byte_counts, check_texts
from mmeval_like.writing import NOT_NEGATIVE, BaseMetric, Results, arrays, state
from mmeval_like.writing.exact import exp, over_log

__all__ = ["BitsPerByte", "check_log_likelihoods"]


class BitsPerByte(BaseMetric):
    """How well a language model predicts texts: bits per byte, and perplexities.

    L is the sum of the log-likelihoods of all texts, B the number of their bytes, and W the number
    of their words. Unlike a loss per token, the values of models with different tokenizers can be
    compared. The values are ratios of sums, so that long texts have more weight. Source: L. Gao et
    al., "The Pile: an 800GB dataset of diverse text for language modeling" (2020).

    Formula:
        bits = -L / (B ln(2))
        ppl_byte = exp(-L/B)
        ppl_word = exp(-L/W)

    Args:
        **options: As for `BaseMetric`.

    Returns of `compute`: `bits_per_byte`, `byte_perplexity` and `word_perplexity`. They are nan
    without bytes or words, and infinite if a text has the probability 0. Lower is better.

    Example:
        >>> metric = BitsPerByte()
        >>> metric.add([-8.0, -2.0], ["to be or", "not"])
        >>> {name: round(value, 4) for name, value in metric.compute().items()}
        {'bits_per_byte': 1.3115, 'byte_perplexity': 2.4821, 'word_perplexity': 12.1825}
    """

    every_rank_computes = True
    log_likelihood = state.sum()
    num_bytes = state.sum(int)
    num_words = state.sum(int)
    ranges = NOT_NEGATIVE
    higher_is_better = False

    def rows(
        self, log_likelihoods: Any, texts: Any = None, num_bytes: Any = None, num_words: Any = None
    ) -> dict[str, np.ndarray]:
        """Return the log-likelihood and the size of every text.

        Args:
            log_likelihoods: The natural logarithms of the texts' probabilities (N,), at most 0.
            texts: The texts, N strings. Their bytes in UTF-8 are counted, and their words, which
                are separated by whitespace.
            num_bytes: The numbers of bytes (N,), which replace those counted in the texts.
            num_words: The numbers of words (N,), which replace those counted in the texts.

        Raises:
            TypeError: An input is not a number, or a text is not a string.
            ValueError: Lengths differ, a log-likelihood is nan or above 0, a number is negative,
                UTF-8 cannot encode a text, or neither texts nor both numbers are given.
        """
        logarithms = check_log_likelihoods(arrays.as_floats(log_likelihoods, "log_likelihoods"))
        check_one_axis("log_likelihoods", logarithms)
        sizes = {"num_bytes": num_bytes, "num_words": num_words}
        if texts is None and (num_bytes is None or num_words is None):
            raise ValueError("texts must be given, or both num_bytes and num_words")
        if texts is not None:
            texts = check_texts(texts, "texts")
            arrays.check_same_length("log_likelihoods", logarithms, "texts", texts)
            if num_bytes is None:
                sizes["num_bytes"] = np.array(byte_counts(texts, "texts"), np.int64)
            if num_words is None:
                sizes["num_words"] = np.array([len(text.split()) for text in texts], np.int64)
        found = {"log_likelihood": logarithms}
        for name, values in sizes.items():
            numbers = arrays.as_integers(values, name)
            if numbers.shape != logarithms.shape:
                raise ValueError(
                    f"{name} must have one number for each of the {len(logarithms)} texts, got "
                    f"shape {numbers.shape}"
                )
            arrays.check_range(name, numbers, 2**53)
            found[name] = numbers
        return found

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return the bits per byte and the two perplexities."""
        if not math.isfinite(results.log_likelihood):
            loss: Any = -results.log_likelihood
        else:
            loss = -Fraction(results.exact("log_likelihood"))  # type: ignore[arg-type]  # one number
        per_byte, per_word = (
            loss / size if size else math.nan for size in (results.num_bytes, results.num_words)
        )
        return {
            "bits_per_byte": over_log(per_byte, 2),
            "byte_perplexity": exp(per_byte),
            "word_perplexity": exp(per_word),
        }


def check_log_likelihoods(values: np.ndarray) -> np.ndarray:
    """Return natural logarithms of probabilities; raise ValueError for nan or values above 0."""
    arrays.check_finite("log_likelihoods", values, allow_infinite=True)
    rule = "must be natural logarithms of probabilities, at most 0 (losses are their negatives)"
    arrays.require("log_likelihoods", values, values <= 0, rule)
    return values
