"""SARI: what a simplification keeps, adds and deletes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from mmeval_like.metrics.text.n_gram_counts import Tokens
from mmeval_like.metrics.text.text_metrics import TextMetric, read_references, read_texts
from mmeval_like.metrics.text.translation import as_translation_tokenizer
from mmeval_like.metrics.text.words import Tokenizer
from mmeval_like.writing import SHARE, SampleMean, arrays, ratio

__all__ = ["SARI"]

_ORDERS = (1, 2, 3, 4)


class SARI(TextMetric, SampleMean):
    """SARI: how well simplified sentences keep, add and delete the words that people do.

    For each order n from 1 to 4, F1_keep is the F1 of the n-grams that are kept from the source,
    F1_add the F1 of those that are added, and P_delete the precision of those that are deleted.
    Each is 0 if its divisor is 0. A kept or deleted n-gram counts by the share of references that
    keep or delete it. A sentence's value is the mean over the three parts and the four orders, and
    the result is the mean over sentences. Source: W. Xu et al., "Optimizing statistical machine
    translation for text simplification" (TACL 2016), and its authors' program. `add` takes
    `sources` and `predictions`, N strings each, `references`, N lists of strings or N strings, and
    `sample_weight` (N,).

    Formula:
        sari = mean_n 1/3 (F1_keep + F1_add + P_delete)

    Args:
        tokenizer_fn: As for `BLEU`.
        lowercase: Whether texts are compared in lower case.
        **options: As for `TextMetric`.

    Returns of `compute`: `sari`, in [0, 1]; nan without samples. Higher is better.

    Raises:
        TypeError, ValueError: `tokenizer_fn` is neither callable nor the name of a tokenizer.

    Example:
        >>> metric = SARI()
        >>> metric.add(
        ...     ["About 95 species are currently accepted ."],
        ...     ["About 95 species are now agreed ."],
        ...     [
        ...         [
        ...             "About 95 species are currently known .",
        ...             "About 95 species are now accepted .",
        ...             "95 species are now accepted .",
        ...         ]
        ...     ],
        ... )
        >>> round(metric.compute()["sari"], 4)  # the example of the authors' program
        0.589
    """

    key = "sari"
    ranges = SHARE
    higher_is_better = True

    def __init__(
        self,
        tokenizer_fn: Tokenizer | str | None = "en",
        *,
        lowercase: bool = True,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self._tokens = Tokens(as_translation_tokenizer(tokenizer_fn), lowercase)

    def scores(self, sources: Any, predictions: Any, references: Any) -> np.ndarray:
        """Return the score of every sentence.

        Args:
            sources: N strings, the sentences that were to be simplified.
            predictions: N strings.
            references: N lists of at least one string, or N strings.

        Raises:
            TypeError: An input is not a list of strings.
            ValueError: The numbers of sources, predictions and references differ, or a prediction
                has no reference.
        """
        given = read_texts(sources, "sources", self.normalizer)
        found = read_texts(predictions, "predictions", self.normalizer)
        arrays.check_same_length("sources", given, "predictions", found)
        lists = read_references(found, references, self.normalizer)
        samples = zip(given, found, lists, strict=True)
        return np.array([self._score(*sample) for sample in samples], np.float64)

    def _score(self, source: str, prediction: str, references: list[str]) -> float:
        found, given, *others = self._tokens.of_sample(prediction, [source, *references])
        parts: list[float] = []
        for order in _ORDERS:
            # Counts over all references; counts of source and prediction are multiplied to match.
            several: Counter[tuple[str, ...]] = Counter()
            for tokens in others:
                several.update(_grams(tokens, order))
            own, before = (
                Counter({gram: n * len(others) for gram, n in _grams(tokens, order).items()})
                for tokens in (found, given)
            )
            kept, deleted = before & own, before - own
            stays, added = before & several, own.keys() - before.keys()
            new = several.keys() - before.keys()
            good = len(added & several.keys())
            parts += [
                _f1(_mean_share(kept & several, kept), _mean_share(kept & several, stays)),
                _f1(ratio(good, len(added), 0.0), ratio(good, len(new), 0.0)),
                _mean_share(deleted - several, deleted),
            ]
        return math.fsum(parts) / len(parts)


def _grams(tokens: list[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(tokens[start:] for start in range(order)), strict=False))


def _mean_share(part: Counter[Any], whole: Counter[Any]) -> float:
    """Return the mean fraction of each distinct n-gram of `whole` that is in `part`."""
    shares: Iterable[float] = (count / whole[gram] for gram, count in part.items())
    return ratio(math.fsum(shares), len(whole), 0.0)


def _f1(precision: float, recall: float) -> float:
    return ratio(2 * precision * recall, precision + recall, 0.0)
