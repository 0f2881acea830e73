"""CIDEr: the agreement of captions with human captions, with more weight on rare n-grams."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np

from mmeval_like.metrics._common.option_checks import check_count
from mmeval_like.metrics.text.n_gram_counts import Tokens, get_n_gram
from mmeval_like.metrics.text.text_metrics import TextMetric, read_samples
from mmeval_like.metrics.text.translation import as_translation_tokenizer
from mmeval_like.metrics.text.words import Tokenizer
from mmeval_like.writing import Ranges, Results, ratio, state

__all__ = ["CIDEr"]

Grams = Counter[tuple[str, ...]]
_SCALE = 10.0
_RANGE: Ranges = {"*": (0.0, _SCALE)}


class CIDEr(TextMetric):
    """CIDEr-D: the agreement of captions with human ones, by weighted n-grams.

    In a text, an n-gram g has the weight count_g * ln(N / images_g), where images_g of the N images
    have a reference with g; rare n-grams have larger weights. p and r are the vectors of the
    weights of the caption and of its reference j, for n-grams of order n, and d is the difference
    between the numbers of word bigrams of the two texts, which are not counted with n=1. The value
    is the mean over orders, references and captions, times 10. Source: R. Vedantam, C. L. Zitnick
    and D. Parikh, "CIDEr: consensus-based image description evaluation" (CVPR 2015), and its
    authors' program. The texts of all captions are kept and gathered. `add` takes `predictions`, N
    strings, and `references`, N lists of strings or N strings.

    Formula:
        cider = 10 mean_(n, j) exp(-d^2 / (2 sigma^2)) (sum_g min(p_g, r_g) r_g) / (|p| |r|)
        p_g = count_g * ln(N / images_g)

    Args:
        n: The highest order of n-grams.
        sigma: The width of the length penalty; a positive number.
        tokenizer_fn: As for `BLEU`. The authors' program uses the Stanford tokenizer instead.
        lowercase: Whether texts are compared in lower case.
        **options: As for `TextMetric`.

    Returns of `compute`: `cider`, in [0, 10]; 0.0 for a single image, nan without samples. Higher
    is better.

    Raises:
        TypeError: `n` is not an integer.
        ValueError: `n` is below 1, `sigma` is not positive and finite, or the tokenizer is unknown.

    Example:
        >>> metric = CIDEr(n=1)
        >>> metric.add(["a cat", "a dog"], [["a cat", "the cat"], ["a dog"]])
        >>> round(metric.compute()["cider"], 6)  # "a" is everywhere: (10 + 10 / 2 ** 0.5) / 2; 10
        9.267767
    """

    processor_dependent = "log and exp"
    ranges = _RANGE
    no_bounds = "the text with the greatest score is not known"
    higher_is_better = True
    texts = state.objects()

    def __init__(
        self,
        n: int = 4,
        sigma: float = 6.0,
        tokenizer_fn: Tokenizer | str | None = "en",
        *,
        lowercase: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.n = check_count("n", n)
        if not 0 < sigma < math.inf:
            raise ValueError(f"sigma must be positive and finite, got {sigma}")
        self.sigma = sigma
        self._tokens = Tokens(as_translation_tokenizer(tokenizer_fn), lowercase)

    def rows(self, predictions: Any, references: Any) -> dict[str, list[Any]]:
        """Return the tokens of each caption, and of its references.

        Args:
            predictions: N strings.
            references: N lists of at least one string, or N strings.

        Raises:
            TypeError: An input is not a list of strings.
            ValueError: `references` and `predictions` differ in length, or a prediction has no
                reference.
        """
        samples = read_samples(predictions, references, self.normalizer)
        return {"texts": [self._tokens.of_sample(*sample) for sample in samples]}

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return `cider`."""
        counted = [[get_n_gram(text, self.n) for text in texts] for texts in results.texts]
        images = Counter(gram for _, *others in counted for gram in {g for o in others for g in o})
        weights = {gram: math.log(len(counted) / count) for gram, count in images.items()}
        unseen = math.log(len(counted)) if counted else 0.0
        scores = [
            math.fsum(self._alike(own, other, weights, unseen) for other in others) / len(others)
            for own, *others in counted
        ]
        return {"cider": ratio(_SCALE * math.fsum(scores), len(scores))}

    def _alike(
        self, own: Grams, other: Grams, weights: dict[tuple[str, ...], float], unseen: float
    ) -> float:
        """Return the similarity of two texts, averaged over orders."""
        mine, theirs = (
            {gram: count * weights.get(gram, unseen) for gram, count in grams.items()}
            for grams in (own, other)
        )
        shared = np.zeros((3, self.n)).tolist()
        for gram, weight in theirs.items():
            shared[0][len(gram) - 1] += min(mine.get(gram, 0.0), weight) * weight
        for row, vector in ((1, mine), (2, theirs)):
            for gram, weight in vector.items():
                shared[row][len(gram) - 1] += weight**2
        cosines = [
            ratio(common, math.sqrt(first) * math.sqrt(second), 0.0)
            for common, first, second in zip(*shared, strict=True)
        ]
        pairs = [sum(n for gram, n in grams.items() if len(gram) == 2) for grams in (own, other)]
        penalty = math.exp(-((pairs[0] - pairs[1]) ** 2) / (2 * self.sigma**2))
        return penalty * math.fsum(cosines) / self.n
