"""TranslationEditRate: how many edits and moves turn a translation into a reference."""

from __future__ import annotations

import importlib
import math
from typing import Any

import numpy as np

from mmeval_like.metrics.text.text_metrics import ANY_LENGTH, TextMetric, read_samples
from mmeval_like.writing import NOT_NEGATIVE, RatioOfSums, Results, needed_for, ratio

__all__ = ["TranslationEditRate"]


class TranslationEditRate(TextMetric, RatioOfSums):
    """TER: the number of edits that turn translations into references, per word of the references.

    An edit inserts, deletes or substitutes a word, or moves a sequence of words. If a text has
    several references, the one with the fewest edits is used, with the mean length of all
    references. The edits are those that sacrebleu finds, and its score is 100 times this value,
    unless all references are empty: sacrebleu then returns 100, or 0 if there are no words at all.
    Source: M. Snover et al., "A study of translation edit rate with targeted human annotation"
    (AMTA 2006).

    `add` takes `predictions`, N strings, `references`, N lists of strings or N strings, and
    `sample_weight` (N,). Needs sacrebleu.

    Formula:
        ter = (sum edits) / (sum words)

    Args:
        lowercase: Whether texts are compared in lower case.
        normalized: Whether punctuation and symbols are split off from words first.
        no_punct: Whether punctuation is removed.
        asian_support: Whether `normalized` and `no_punct` also treat Asian characters, with each
            ideograph as a separate word.
        **options: As for `TextMetric`.

    Returns of `compute`: `ter`, at least 0. If all references are empty it is infinite, or nan if
    there are no words at all. Lower is better.

    Raises:
        ImportError: sacrebleu is not installed.

    Example:
        >>> metric = TranslationEditRate()
        >>> metric.add(["sat the cat down"], [["the cat sat down", "the cat sat"]])
        >>> metric.compute()  # one move, over (4 + 3) / 2 words
        {'ter': 0.2857142857142857}
    """

    key = "ter"
    ranges = NOT_NEGATIVE
    no_bounds = ANY_LENGTH
    higher_is_better = False

    def __init__(
        self,
        *,
        lowercase: bool = True,
        normalized: bool = False,
        no_punct: bool = False,
        asian_support: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        with needed_for("TranslationEditRate", "pip install 'mmeval-like[text]'"):
            importlib.import_module("sacrebleu.metrics")
        self._choices = {
            "case_sensitive": not lowercase,
            "normalized": normalized,
            "no_punct": no_punct,
            "asian_support": asian_support,
        }

    def parts(self, predictions: Any, references: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return the edits of each translation, and the mean length of its references.

        Args:
            predictions: N strings.
            references: N lists of at least one string, or N strings.

        Raises:
            TypeError: An input is not a list of strings.
            ValueError: `references` and `predictions` differ in length, or a prediction has no
                reference.
        """
        samples = read_samples(predictions, references, self.normalizer)
        metrics: Any = importlib.import_module("sacrebleu.metrics")
        score = metrics.TER(**self._choices).sentence_score
        counted = [score(text, own) for text, own in samples]
        edits = np.array([float(one.num_edits) for one in counted])
        return edits, np.array([float(one.ref_length) for one in counted])

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return `ter`."""
        empty = math.inf if results.numerator else math.nan
        return {"ter": ratio(results.numerator, results.denominator, empty)}
