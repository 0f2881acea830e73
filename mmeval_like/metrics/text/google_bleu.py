"""GoogleBLEU: the share of common n-grams in those of the longer text."""

from __future__ import annotations

from typing import Any

import numpy as np

from mmeval_like.metrics._common.option_checks import check_count
from mmeval_like.metrics.text.n_gram_counts import Tokens, get_n_gram
from mmeval_like.metrics.text.text_metrics import ANY_LENGTH, TextMetric, read_samples
from mmeval_like.metrics.text.translation import as_translation_tokenizer
from mmeval_like.metrics.text.words import Tokenizer
from mmeval_like.writing import SHARE, RatioOfSums

__all__ = ["GoogleBLEU"]


class GoogleBLEU(TextMetric, RatioOfSums):
    """GLEU: the smaller of precision and recall of n-grams, summed over all texts.

    The number of matching n-grams of all orders is divided by the number of n-grams in the
    prediction or in the reference, whichever is larger; both are summed over all texts. If a text
    has several references, the one with the highest quotient is used, the first in a tie. Source:
    Y. Wu et al., "Google's neural machine translation system" (2016), section 5.1. The value is
    that of nltk's `corpus_gleu`. `add` takes `predictions`, N strings, and `references`, N lists of
    strings or N strings.

    Formula:
        GLEU = (sum matches) / (sum max(predicted, referred))

    Args:
        min_n: The lowest order of n-grams.
        max_n: The highest order of n-grams.
        tokenizer_fn: As for `BLEU`.
        lowercase: Whether texts are compared in lower case.
        **options: As for `TextMetric`.

    Returns of `compute`: `google_bleu`, in [0, 1]; nan without n-grams. Higher is better.

    Raises:
        TypeError: `min_n` or `max_n` is not an integer.
        ValueError: An order is below 1, `min_n` is above `max_n`, or the tokenizer's name is
            unknown.

    Example:
        >>> metric = GoogleBLEU(max_n=2)
        >>> metric.add(["the cat sat"], [["the cat", "the cat sat down"]])
        >>> metric.compute()  # 3 words and 2 pairs, of 4 and 3
        {'google_bleu': 0.7142857142857143}
    """

    key = "google_bleu"
    dtype = int
    ranges = SHARE
    no_bounds = ANY_LENGTH
    higher_is_better = True

    def __init__(
        self,
        min_n: int = 1,
        max_n: int = 4,
        tokenizer_fn: Tokenizer | str | None = None,
        *,
        lowercase: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.min_n, self.max_n = check_count("min_n", min_n), check_count("max_n", max_n)
        if min_n > max_n:
            raise ValueError(f"min_n must not be above max_n, got {min_n} and {max_n}")
        self._tokens = Tokens(as_translation_tokenizer(tokenizer_fn), lowercase)

    def parts(self, predictions: Any, references: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return each text's number of matching n-grams, and the number that it is divided by.

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
        table = np.array(counts, np.int64).reshape(-1, 2)
        return table[:, 0], table[:, 1]

    def _best(self, prediction: str, references: list[str]) -> tuple[int, int]:
        texts = self._tokens.of_sample(prediction, references)
        own, *others = [
            {gram: n for gram, n in get_n_gram(text, self.max_n).items() if len(gram) >= self.min_n}
            for text in texts
        ]
        best, predicted = (0, 0), sum(own.values())
        for grams in others:
            most = max(predicted, sum(grams.values()))
            matched = sum([min(own[gram], grams[gram]) for gram in own.keys() & grams.keys()])
            # A larger quotient, or the first quotient.
            if most and (not best[1] or matched * best[1] > best[0] * most):
                best = matched, most
        return best
