"""BLEU: how many of the n-grams of translations are in their references."""

from __future__ import annotations

import importlib
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from mmeval_like.metrics.text.n_gram_counts import NGramCounts, Tokens, get_n_gram
from mmeval_like.metrics.text.text_metrics import ANY_LENGTH, TextMetric
from mmeval_like.metrics.text.translation import as_translation_tokenizer, name_of_tokenizer
from mmeval_like.metrics.text.words import Tokenizer
from mmeval_like.writing import SHARE, Results, arrays
from mmeval_like.writing.exact import product_of_powers

__all__ = ["BLEU", "get_n_gram"]

# The values of `smooth`, and the default `smooth_value` of each.
_SMOOTH = {"none": None, "exp": None, "floor": 0.1, "add-k": 1.0}


class BLEU(TextMetric):
    """BLEU: how many n-grams of translations are in their references, over the whole corpus.

    p_n is the number of matching n-grams of order n over the number of n-grams of all predictions.
    An n-gram of a prediction matches at most as often as it occurs in the reference that contains
    it most often. The predictions have c tokens in total, and the references r tokens; if a sample
    has several references, the one closest in length to the prediction is used, and the shorter one
    in a tie. Shorter predictions are penalised. The value is sacrebleu's corpus score divided by
    100; sacrebleu's defaults are `BLEU(tokenizer_fn="13a", smooth="exp")` here. Source: K.
    Papineni, S. Roukos, T. Ward and W. Zhu, "BLEU: a method for automatic evaluation of machine
    translation" (ACL 2002). `add` takes `predictions`, N strings, and `references`, N lists of at
    least one string, or N strings.

    Formula:
        bleu = min(1, exp(1 - r/c)) * exp(sum_n w_n ln(p_n))
        p_n = matches_n / predicted_n

    Args:
        n_gram: The highest order of n-grams.
        smooth: How an order of n-grams without a match is treated. False: the score is 0. True
            or "add-k": `smooth_value`, by default 1, is added to both counts of p_n for n >= 2 (Lin
            and Och, 2004). "floor": the order counts as having `smooth_value`, by default 0.1,
            matches. "exp": the first such order counts as having 1/2 of a match, the second 1/4,
            and so on.
        ngram_weights: The weights w_n, one for each order. None: each is 1 / n_gram. An order of
            weight 0 is ignored.
        tokenizer_fn: "en" or "none": split at whitespace; "cn" or "char": every character that is
            not whitespace; "13a", "intl" or "zh": sacrebleu's tokenizers, which need sacrebleu; or
            a function from a string to a sequence of tokens. None: chosen per sample: "cn" if one
            of its references contains an ideograph, otherwise "en".
        smooth_value: The number for `smooth="floor"` and "add-k", positive. None: 0.1 and 1.
        lowercase: Whether texts are compared in lower case.
        effective_order: Whether orders for which no prediction is long enough are left out, and
            their weights shared among the others. This is meant for single sentences.
        **options: As for `TextMetric`.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: `n_gram` is below 1; the number of weights differs, or a weight is negative or
            not finite; the tokenizer's name or the smoothing method is unknown; or `smooth_value`
            is not positive and finite, or is given for a smoothing method that takes none.
        ImportError: The tokenizer is one of sacrebleu's, which is not installed.

    Returns of `compute`: `bleu`, in [0, 1]. It is 0.0 if no n-gram matches, and, without smoothing,
    if an order has no match. Without samples it is nan. Higher is better.

    Example:
        >>> metric = BLEU(n_gram=2)
        >>> metric.add(["the cat sat on mat"], [["the cat sat on the mat", "a cat on the mat"]])
        >>> round(metric.compute()["bleu"], 6)  # (5 / 5 * 3 / 4) ** 0.5
        0.866025
    """

    _takes_inputs = NGramCounts.rows

    every_rank_computes = True
    ranges = SHARE
    no_bounds = ANY_LENGTH
    higher_is_better = True

    def __init__(
        self,
        n_gram: int = 4,
        smooth: bool | str = False,
        ngram_weights: Sequence[float] | None = None,
        tokenizer_fn: Tokenizer | str | None = None,
        *,
        smooth_value: float | None = None,
        lowercase: bool = False,
        effective_order: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        if not isinstance(n_gram, int) or isinstance(n_gram, bool):
            raise TypeError(f"n_gram must be an int, got {n_gram!r}")
        if n_gram < 1:
            raise ValueError(f"n_gram must be at least 1, got {n_gram}")
        self.n_gram = n_gram
        self.smooth, self.smooth_value = _check_smooth(smooth, smooth_value)
        self.ngram_weights = _check_weights(ngram_weights, n_gram)
        self.tokenizer = as_translation_tokenizer(tokenizer_fn)
        self.lowercase, self.effective_order = lowercase, effective_order
        self.statistic = NGramCounts(n_gram, Tokens(self.tokenizer, lowercase, self.normalizer))

    if TYPE_CHECKING:

        def rows(self, predictions: Any, references: Any) -> Any:
            """For type checkers."""

    @property
    def signature(self) -> str:
        """The settings of the score, as a signature in sacrebleu's format.

        The number of references, sacrebleu's `nrefs`, depends on the data and is left out.

        Example:
            >>> BLEU(tokenizer_fn="en", smooth="floor").signature
            'case:mixed|eff:no|tok:none|smooth:floor[0.10]|version:mmeval_like-...'
        """
        value = "" if self.smooth_value is None else f"[{self.smooth_value:.2f}]"
        package = importlib.import_module("mmeval_like")
        fields = {
            "case": "lc" if self.lowercase else "mixed",
            "eff": "yes" if self.effective_order else "no",
            "tok": name_of_tokenizer(self.tokenizer),
            "smooth": f"{self.smooth}{value}",
            "version": f"{package.__name__}-{package.__version__}",
        }
        return "|".join(f"{name}:{field}" for name, field in fields.items())

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return `bleu`."""
        if len(results) == 0:
            return {"bleu": math.nan}
        if not results.matches.any():
            return {"bleu": 0.0}
        precisions = self._precisions(results.matches.tolist(), results.candidates.tolist())
        weights = [Fraction(weight) for weight in self.ngram_weights]
        if self.effective_order:
            weights = weights[: len(precisions)]
            total = sum(weights)
            weights = [weight / total for weight in weights] if total else weights
        precisions += [Fraction(0)] * (len(weights) - len(precisions))
        powers: dict[Fraction, Fraction] = {}
        for weight, precision in zip(weights, precisions, strict=True):
            if weight and not precision:
                return {"bleu": 0.0}
            if weight:
                powers[weight] = powers.get(weight, 1) * precision
        missing = Fraction(results.reference_length, results.predicted_length) - 1
        return {"bleu": product_of_powers(powers, min(-missing, Fraction(0)))}

    def _precisions(self, matches: list[int], candidates: list[int]) -> list[Fraction]:
        """Return the smoothed precision of every order for which a prediction is long enough."""
        found: list[Fraction] = []
        value = Fraction(self.smooth_value or 0)
        half = Fraction(1)
        for order, counts in enumerate(zip(matches, candidates, strict=True)):
            matched, predicted = map(Fraction, counts)
            if self.smooth == "add-k" and order > 0:
                matched, predicted = matched + value, predicted + value
            if not predicted:
                break
            if not matched and self.smooth == "floor":
                matched = value
            elif not matched and self.smooth == "exp":
                matched = half = half / 2
            found.append(matched / predicted)
        return found


def _check_smooth(smooth: bool | str, value: float | None) -> tuple[str, float | None]:
    """Return the name of the smoothing method, and its value."""
    name = smooth if isinstance(smooth, str) else "add-k" if smooth else "none"
    if name not in _SMOOTH:
        raise ValueError(f"smooth must be a bool or one of {[*_SMOOTH]}, got {smooth!r}")
    if value is None:
        return name, _SMOOTH[name]
    if _SMOOTH[name] is None:
        raise ValueError(f"smooth_value is for smooth='floor' and 'add-k', not {smooth!r}")
    if not 0 < value < math.inf:
        raise ValueError(f"smooth_value must be positive and finite, got {value}")
    return name, float(value)


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
