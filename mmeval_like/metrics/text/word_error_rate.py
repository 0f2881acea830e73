"""WordErrorRate and related metrics: the errors of recognised speech."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from mmeval_like.metrics.text.edit_counts import EditCounts
from mmeval_like.metrics.text.edits import check_rapidfuzz
from mmeval_like.metrics.text.text_metrics import ANY_LENGTH, TextMetric
from mmeval_like.writing import NOT_NEGATIVE, SHARE, Ranges, Results, ratio

__all__ = [
    "CharErrorRate",
    "MatchErrorRate",
    "WordErrorRate",
    "WordInfoLost",
    "WordInfoPreserved",
]


class EditRate(TextMetric):
    """The base class of error rates, which are computed from counts of edits over all texts.

    In a `MetricCollection`, metrics of the same unit share one count.

    Args:
        **options: As for `TextMetric`.
    """

    _takes_inputs = EditCounts.rows

    every_rank_computes = True
    ranges: Ranges = NOT_NEGATIVE
    no_bounds = ANY_LENGTH
    higher_is_better: bool | None = False

    key: ClassVar[str]
    unit: ClassVar[str] = "words"
    aligned: ClassVar[bool] = False

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        check_rapidfuzz(type(self).__name__)
        self.statistic = EditCounts(self.unit, self.normalizer, self.aligned)

    if TYPE_CHECKING:

        def rows(self, predictions: Any, references: Any) -> Any:
            """For type checkers."""

    @abstractmethod
    def value(self, results: Results) -> float:
        """Return the value that follows from the counts."""

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return the value under the name `key`."""
        return {self.key: self.value(results)}


class WordErrorRate(EditRate):
    """Word error rate (WER): the number of word edits per reference word.

    S, D and I are the numbers of word substitutions, deletions and insertions over all texts, with
    as few edits as possible to turn each reference into its prediction (Levenshtein, 1966). Words
    are separated by whitespace; punctuation and capitals count unless `normalizer` removes them.
    `add` takes `predictions` and `references`, N strings each. An empty reference adds its
    prediction's words to the insertions. Source: I. McCowan et al., "On the use of information
    retrieval measures for speech recognition evaluation" (IDIAP-RR 04-73, 2004). Needs rapidfuzz.

    Formula:
        wer = (S + D + I) / words

    Args:
        **options: As for `TextMetric`.

    Returns of `compute`: `wer`, at least 0, and above 1 if more words are inserted than hit. If all
    references are empty it is infinite, or nan if there are no words at all. Lower is better.

    Raises:
        ImportError: rapidfuzz is not installed.

    Example:
        >>> metric = WordErrorRate()
        >>> metric.add(["the cat sat on mat", "hello there"], ["the cat sat on the mat", "hello"])
        >>> metric.compute()  # (1 deletion + 1 insertion) / (6 + 1) words
        {'wer': 0.2857142857142857}
    """

    key = "wer"

    def value(self, results: Results) -> float:
        """Return the rate."""
        empty = math.inf if results.edits else math.nan
        return ratio(results.edits, results.reference_units, empty)


class CharErrorRate(WordErrorRate):
    """Character error rate (CER): the number of character edits per reference character.

    S substitutions, D deletions and I insertions of characters turn the references into the
    predictions. Spaces within a text count as characters, whitespace around it does not. `add`
    takes `predictions` and `references`, N strings each. Needs rapidfuzz.

    Formula:
        cer = (S + D + I) / characters

    Args:
        **options: As for `TextMetric`.

    Returns of `compute`: `cer`, at least 0. If all references are empty it is infinite, or nan if
    there are no characters at all. Lower is better.

    Raises:
        ImportError: rapidfuzz is not installed.

    Example:
        >>> metric = CharErrorRate()
        >>> metric.add(predictions=["helo world"], references=["hello word"])
        >>> metric.compute()  # (1 deletion + 1 insertion) / 10
        {'cer': 0.2}
    """

    key = "cer"
    unit = "characters"


class MatchErrorRate(EditRate):
    """Match error rate (MER): the fraction of word errors in the sum of word errors and hits.

    E is the number of word edits (insertions, deletions and substitutions) over all texts, and H
    the number of hits, the words that are right. If several alignments have the fewest edits, the
    one with the most hits counts. `add` takes `predictions` and `references`, N strings each.
    Source: A. Morris, V. Maier and P. Green, "From WER and RIL to MER and WIL" (Interspeech 2004).
    Needs rapidfuzz.

    Formula:
        mer = E / (H + E)

    Args:
        **options: As for `TextMetric`.

    Returns of `compute`: `mer`, in [0, 1]; nan without words. Lower is better.

    Raises:
        ImportError: rapidfuzz is not installed.

    Example:
        >>> metric = MatchErrorRate()
        >>> metric.add(["the cat sat on mat", "hello there"], ["the cat sat on the mat", "hello"])
        >>> metric.compute()  # 2 edits, 5 + 1 hits
        {'mer': 0.25}
    """

    key = "mer"
    aligned = True
    ranges = SHARE

    def value(self, results: Results) -> float:
        """Return the rate."""
        errors = 2 * results.edits
        return ratio(errors, _twice_hits(results) + errors)


class WordInfoPreserved(EditRate):
    """Word information preserved (WIP): how many words are hits, in both directions.

    H words are hits, of the n words of all predictions and the m words of all references. The value
    is the share of reference words that are hits, times the share of predicted words that are hits.
    If several alignments have the fewest edits, the one with the most hits counts. `add` takes
    `predictions` and `references`, N strings each. Source: A. Morris, V. Maier and P. Green, "From
    WER and RIL to MER and WIL" (Interspeech 2004). Needs rapidfuzz.

    Formula:
        wip = H^2 / (n m)

    Args:
        **options: As for `TextMetric`.

    Returns of `compute`: `wip`, in [0, 1]; 0.0 if either predictions or references have no words,
    nan if both have none. Higher is better.

    Raises:
        ImportError: rapidfuzz is not installed.

    Example:
        >>> metric = WordInfoPreserved()
        >>> metric.add(["the cat sat on mat"], ["the cat sat on the mat"])
        >>> metric.compute()  # (5 / 6) * (5 / 5)
        {'wip': 0.8333333333333334}
    """

    key = "wip"
    aligned = True
    ranges = SHARE
    higher_is_better = True

    def value(self, results: Results) -> float:
        """Return the share."""
        return _share(results, _twice_hits(results) ** 2, 0.0)


class WordInfoLost(EditRate):
    """Word information lost (WIL): 1 minus the word information preserved.

    H words are hits, of the n words of all predictions and the m words of all references; see
    `WordInfoPreserved`. `add` takes `predictions` and `references`, N strings each. Source: A.
    Morris, V. Maier and P. Green, "From WER and RIL to MER and WIL" (Interspeech 2004). Needs
    rapidfuzz.

    Formula:
        wil = 1 - H^2 / (n m)

    Args:
        **options: As for `TextMetric`.

    Returns of `compute`: `wil`, in [0, 1]; 1.0 if either predictions or references have no words,
    nan if both have none. Lower is better.

    Raises:
        ImportError: rapidfuzz is not installed.

    Example:
        >>> metric = WordInfoLost()
        >>> metric.add(["the cat sat on mat"], ["the cat sat on the mat"])
        >>> metric.compute()  # 1 - (5 / 6) * (5 / 5)
        {'wil': 0.16666666666666666}
    """

    key = "wil"
    aligned = True
    ranges = SHARE

    def value(self, results: Results) -> float:
        """Return the share, computed from the counts so that it is rounded once."""
        pairs = results.predicted_units * results.reference_units
        return _share(results, 4 * pairs - _twice_hits(results) ** 2, 1.0)


def _twice_hits(results: Results) -> int:
    words = results.reference_units + results.predicted_units
    twice: int = words - results.substitutions - results.edits
    return twice


def _share(results: Results, numerator: int, one_is_empty: float) -> float:
    """Return a fraction of four times the pairs of words of both sides."""
    pairs = results.predicted_units * results.reference_units
    some = results.predicted_units or results.reference_units
    return ratio(numerator, 4 * pairs, one_is_empty if some else math.nan)
