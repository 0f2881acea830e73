"""EditDistance, NormalizedEditSimilarity and ANLS: the distance of texts from their references."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from mmeval_like.metrics.text.edits import UNITS, check_rapidfuzz, edit_distances, units_of
from mmeval_like.metrics.text.text_metrics import ANY_LENGTH, Answers, TextMetric, read_pairs
from mmeval_like.writing import NOT_NEGATIVE, SHARE, Ranges, SampleMean

__all__ = ["ANLS", "EditDistance", "NormalizedEditSimilarity"]


class EditMean(TextMetric, SampleMean):
    """The base class of means of a value that is computed from a text's edit distance.

    Args:
        **options: As for `TextMetric`.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        check_rapidfuzz(type(self).__name__)


class EditDistance(EditMean):
    """The mean edit distance between predictions and their references (Levenshtein, 1966).

    The edit distance d is the least number of insertions, deletions and substitutions that turn one
    text into the other. `add` takes `predictions` and `references`, N strings each, and
    `sample_weight` (N,). Needs rapidfuzz.

    Formula:
        distance = mean d(p, r)

    Args:
        unit: "characters" (without whitespace around the text) or "words".
        substitution_cost: The number of edits that a substitution counts as, an integer. With 2 or
            more, a deletion and an insertion never cost more than a substitution.
        **options: As for `TextMetric`.

    Returns of `compute`: `edit_distance`, at least 0; nan without samples. Lower is better.

    Raises:
        ImportError: rapidfuzz is not installed.
        TypeError: `substitution_cost` is not an integer.
        ValueError: `unit` is not one of the allowed values, or `substitution_cost` is below 0 or
            beyond 2^31.

    Example:
        >>> metric = EditDistance()
        >>> metric.add(predictions=["kitten", "a"], references=["sitting", "a"])
        >>> metric.compute()  # k/s, e/i and g: (3 + 0) / 2
        {'edit_distance': 1.5}
    """

    key = "edit_distance"
    ranges: Ranges = NOT_NEGATIVE
    no_bounds = ANY_LENGTH
    higher_is_better = False

    def __init__(
        self, unit: str = "characters", *, substitution_cost: int = 1, **options: Any
    ) -> None:
        super().__init__(**options)
        if unit not in UNITS:
            raise ValueError(f"unit must be one of {UNITS}, got {unit!r}")
        try:
            self.substitution_cost = operator.index(substitution_cost)
        except TypeError:
            text = f"substitution_cost must be an integer, got {substitution_cost!r}"
            raise TypeError(text) from None
        if not 0 <= substitution_cost <= 1 << 31:
            raise ValueError(f"substitution_cost must be in [0, 2^31], got {substitution_cost}")
        self.unit = unit

    def scores(self, predictions: Any, references: Any) -> np.ndarray:
        """Return the distance of every pair.

        Args:
            predictions: N strings.
            references: N strings.

        Raises:
            TypeError: An input is not a list of strings.
            ValueError: `references` and `predictions` differ in length.
        """
        both = read_pairs(predictions, references, self.normalizer)
        found, expected = ([units_of(text, self.unit) for text in texts] for texts in both)
        # A higher cost changes nothing: a deletion and an insertion cost 2.
        weights = (1, 1, min(self.substitution_cost, 2))
        return edit_distances(found, expected, weights).astype(np.float64)


class NormalizedEditSimilarity(EditMean):
    """The mean normalised edit similarity of texts, 1-N.E.D.: 1 for equal texts.

    The edit distance d(p, r) of a prediction p and a reference r is divided by the larger of their
    lengths n and m, in characters, as in the ICDAR 2019 challenges (Y. Sun et al., "ICDAR 2019
    competition on large-scale street view text with partial labeling", 2019). Whitespace around a
    text does not count; two empty texts have the similarity 1. `add` takes `predictions` and
    `references`, N strings each, and `sample_weight` (N,). Needs rapidfuzz.

    Formula:
        similarity = mean (1 - d(p, r) / max(n, m))

    Args:
        **options: As for `TextMetric`.

    Returns of `compute`: `one_minus_ned`, in [0, 1]; nan without samples. Higher is better.

    Raises:
        ImportError: rapidfuzz is not installed.

    Example:
        >>> metric = NormalizedEditSimilarity()
        >>> metric.add(predictions=["helo", "yes"], references=["hello", "yes"])
        >>> metric.compute()  # (1 - 1 / 5 + 1) / 2
        {'one_minus_ned': 0.9}
    """

    key = "one_minus_ned"
    ranges: Ranges = SHARE
    higher_is_better = True

    def scores(self, predictions: Any, references: Any) -> np.ndarray:
        """Return the similarity of every pair.

        Args:
            predictions: N strings.
            references: N strings.

        Raises:
            TypeError: An input is not a list of strings.
            ValueError: `references` and `predictions` differ in length.
        """
        pairs = read_pairs(predictions, references, self.normalizer)
        distances, longest = _distances(*pairs)
        found: np.ndarray = (longest - distances) / longest
        return found


class ANLS(EditMean):
    """ANLS: the similarity of answers read from documents or scenes to the right answers.

    ANLS means average normalised Levenshtein similarity. For a prediction p and an answer r of
    n and m characters, d is their edit distance and e the normalised distance. The closest answer
    counts; if its e is not below the threshold, the prediction scores 0. Texts are compared in
    lower case, without whitespace around them. Source: A. F. Biten et al., "Scene text visual
    question answering" (ICCV 2019). `add` takes `predictions`, N strings, `references`, N lists of
    answers or N strings, and `sample_weight` (N,). Needs rapidfuzz.

    Formula:
        ANLS = mean max_r s(p, r)
        s(p, r) = (1 - e) [e < threshold]
        e = d(p, r) / max(n, m)

    Args:
        threshold: The normalised distance, in (0, 1], at and above which an answer scores 0.
        **options: As for `TextMetric`.

    Returns of `compute`: `anls`, in [0, 1]; nan without samples. Higher is better.

    Raises:
        ImportError: rapidfuzz is not installed.
        ValueError: `threshold` is not in (0, 1].

    Example:
        >>> metric = ANLS()
        >>> metric.add(["Coca cola", "pepsi"], [["coca cola", "coke"], ["fanta"]])
        >>> metric.compute()  # (1 + 0) / 2
        {'anls': 0.5}
    """

    key = "anls"
    ranges: Ranges = SHARE
    higher_is_better = True

    def __init__(self, threshold: float = 0.5, **options: Any) -> None:
        super().__init__(**options)
        if not 0 < threshold <= 1:
            raise ValueError(f"threshold must be in (0, 1], got {threshold}")
        self.threshold = threshold

    def scores(self, predictions: Any, references: Any) -> np.ndarray:
        """Return the similarity of every prediction to its closest answer.

        Args:
            predictions: N strings.
            references: N lists of at least one string, or N strings.

        Raises:
            TypeError: An input is not a list of strings.
            ValueError: `references` and `predictions` differ in length, or a prediction has no
                answers.
        """
        answers = Answers.read(predictions, references, self.normalizer)
        pairs = (answers.predictions, answers.references)
        distances, longest = _distances(*([text.lower() for text in texts] for texts in pairs))
        close = distances / longest < self.threshold
        return answers.best(np.where(close, (longest - distances) / longest, 0.0))


def _distances(first: list[str], second: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return the edit distance of every pair, and the length of the longer text, at least 1."""
    both = [[text.strip() for text in texts] for texts in (first, second)]
    lengths = [np.array([*map(len, texts)], np.int64) for texts in both]
    return edit_distances(both[0], both[1]), np.maximum(np.maximum(*lengths), 1)
