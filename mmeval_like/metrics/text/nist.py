"""NIST: the information of the n-grams that translations share with their references."""

from __future__ import annotations

import math
from collections import Counter
from hashlib import blake2b
from typing import Any

import numpy as np

from mmeval_like.metrics._common.option_checks import check_count
from mmeval_like.metrics.text.n_gram_counts import Tokens, get_n_gram
from mmeval_like.metrics.text.text_metrics import TextMetric, read_samples
from mmeval_like.metrics.text.translation import as_translation_tokenizer
from mmeval_like.metrics.text.words import Tokenizer
from mmeval_like.writing import NOT_NEGATIVE, Ragged, Results, State, ratio, state

__all__ = ["NIST"]

_MOST = 15  # the highest order: it fits into four bits of a code


class NIST(TextMetric):
    """NIST: like BLEU, but rare n-grams count more than frequent ones.

    The information info(g) of an n-gram g is computed from its count in all references and the
    count of its first n - 1 words; for a single word the latter is the number of all words. For
    each order, the sum of the information of all matching n-grams is divided by the number of the
    predictions' n-grams, predicted_n. The predictions have c words and the references r words (for
    each text the mean over its references), and b is chosen so that the value is halved if c / r =
    2/3. An n-gram matches at most as often as it occurs in the reference that has it most often.
    Source: G. Doddington, "Automatic evaluation of machine translation quality using n-gram
    co-occurrence statistics" (HLT 2002). `add` takes `predictions`, N strings, and `references`, N
    lists of strings or N strings.

    Formula:
        nist = exp(b ln(min(1, c/r))^2) sum_n (sum_(matches) info(g)) / predicted_n
        info(g) = log_2(count(g_1 ... g_(n - 1)) / count(g_1 ... g_n))

    Args:
        n_gram: The highest order of n-grams, at most 15.
        tokenizer_fn: As for `BLEU`.
        lowercase: Whether texts are compared in lower case.
        **options: As for `TextMetric`.

    Returns of `compute`: `nist`, at least 0; nan without samples. Higher is better.

    Raises:
        TypeError: `n_gram` is not an integer.
        ValueError: `n_gram` is not in [1, 15], or the tokenizer is unknown.

    Example:
        >>> metric = NIST(n_gram=1)
        >>> metric.add(["the cat sat"], ["the cat ran"])
        >>> round(metric.compute()["nist"], 6)  # 2 log2(3 / 1) / 3
        1.056642
    """

    processor_dependent = "log and exp"
    ranges = NOT_NEGATIVE
    higher_is_better = True
    no_bounds = "a reference may have a lower score than the empty text, if its words are frequent"
    no_interval = "the information of every n-gram depends on all references together"

    def __init__(
        self,
        n_gram: int = 5,
        tokenizer_fn: Tokenizer | str | None = None,
        *,
        lowercase: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.n_gram = check_count("n_gram", n_gram)
        if n_gram > _MOST:
            raise ValueError(f"n_gram must be at most {_MOST}, got {n_gram}")
        self._tokens = Tokens(as_translation_tokenizer(tokenizer_fn), lowercase)

    def states(self) -> dict[str, State]:
        """Return the counts of the references' and the matching n-grams, and the lengths of texts.

        The information of a match is a logarithm for its first n - 1 words minus one for all its
        words, so both are counted separately, by a code of their words.
        """
        tallies = dict.fromkeys(("in_references", "matched", "beginnings"), state.tally())
        return tallies | {
            "predicted": state.sum(int, (self.n_gram,)),
            "reference_length": state.sum(),
        }

    def rows(self, predictions: Any, references: Any) -> dict[str, Any]:
        """Return the codes of each text's n-grams, and lengths.

        Args:
            predictions: N strings.
            references: N lists of at least one string, or N strings.

        Raises:
            TypeError: An input is not a list of strings.
            ValueError: `references` and `predictions` differ in length, or a prediction has no
                reference.
        """
        samples = read_samples(predictions, references, self.normalizer)
        codes: dict[str, list[np.ndarray]] = {"in_references": [], "matched": [], "beginnings": []}
        lengths, words = [], []
        for sample in samples:
            own, *others = self._tokens.of_sample(*sample)
            counts = [get_n_gram(tokens, self.n_gram) for tokens in others]
            allowed: Counter[tuple[str, ...]] = Counter()
            for one in counts:
                allowed |= one
            matched = list((get_n_gram(own, self.n_gram) & allowed).elements())
            every = [gram for one in counts for gram in one.elements()]
            codes["in_references"].append(_codes([(gram, len(gram)) for gram in every]))
            codes["matched"].append(_codes([(gram, len(gram)) for gram in matched]))
            codes["beginnings"].append(_codes([(gram[:-1], len(gram)) for gram in matched]))
            lengths.append(len(own))
            words.append(sum(map(len, others)) / len(others))
        rows: dict[str, Any] = {name: Ragged.from_arrays(each) for name, each in codes.items()}
        orders = np.arange(self.n_gram)
        rows["predicted"] = np.maximum(np.array(lengths, np.int64)[:, None] - orders, 0)
        rows["reference_length"] = np.array(words, np.float64)
        return rows

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return `nist`."""
        if not len(results):
            return {"nist": math.nan}
        known = dict(zip(*(array.tolist() for array in results.in_references), strict=True))
        words = sum(count for code, count in known.items() if code & _MOST == 1)
        terms: list[list[float]] = [[] for _ in range(self.n_gram)]
        # The first words of an n-gram have the code of these words, with the order of the n-gram.
        by_words = {code & ~_MOST: count for code, count in known.items()}
        for code, count in zip(*(array.tolist() for array in results.beginnings), strict=True):
            order = code & _MOST
            before = words if order == 1 else by_words[code & ~_MOST]
            terms[order - 1].append(count * math.log2(before))
        for code, count in zip(*(array.tolist() for array in results.matched), strict=True):
            terms[(code & _MOST) - 1].append(-count * math.log2(known[code]))
        predicted = results.predicted.tolist()
        value = math.fsum(
            ratio(math.fsum(own), count, 0.0) for own, count in zip(terms, predicted, strict=True)
        )
        lengths = ratio(predicted[0], results.reference_length, 1.0)
        if not lengths:
            return {"nist": 0.0}
        beta = math.log(0.5) / math.log(1.5) ** 2
        return {"nist": value * math.exp(beta * min(math.log(lengths), 0.0) ** 2)}


def _codes(grams: list[tuple[tuple[str, ...], int]]) -> np.ndarray:
    """Return a code for each sequence of words: 60 bits of a hash, then a number in four bits."""
    found = np.empty(len(grams), np.int64)
    for place, (words, number) in enumerate(grams):
        digest = blake2b("\0".join(words).encode("utf-8", "surrogatepass"), digest_size=8).digest()
        found[place] = int.from_bytes(digest, "little", signed=True) & ~_MOST | number
    return found
