"""The base class of text metrics: the option `normalizer`, and checked and normalised texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias

import numpy as np

from mmeval_like.metrics._common.shared_options import shared_options
from mmeval_like.metrics.text.words import check_references, check_texts
from mmeval_like.writing import BaseMetric, MetricOptions, Statistic, Unpack, arrays

__all__ = [
    "Answers",
    "Normalizer",
    "TextMetric",
    "check_normalizer",
    "filled_texts",
    "read_pairs",
    "read_references",
    "read_samples",
    "read_texts",
]

Normalizer: TypeAlias = Callable[[str], str]


@shared_options
class TextMetric(BaseMetric):
    """The base class of metrics of texts.

    For `unscored="bounds"`, a text without a score counts as the empty text at the worst, and as
    its first reference at the best, unless the score of a single text has a known range.

    Args:
        normalizer: A function from string to string, which is applied to every prediction and
            reference first. None: texts are compared as they are.
        **options: As for `BaseMetric`.

    Raises:
        TypeError: `normalizer` is neither None nor callable.
    """

    takes_texts = True

    def __init__(
        self, *, normalizer: Normalizer | None = None, **options: Unpack[MetricOptions]
    ) -> None:
        super().__init__(**options)
        self.normalizer = check_normalizer(normalizer)

    def filled(self, fill: Any, count: int, inputs: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return rows of scores with a known range, or of empty texts and of references."""
        found = super().filled(fill, count, inputs)
        return filled_texts(self, fill, count, inputs) if found is None else found


def filled_texts(
    statistic: Statistic, fill: Any, count: int, inputs: Mapping[str, Any]
) -> Mapping[str, Any] | None:
    """Return the rows of predictions without a score; see `Statistic.filled`.

    At the worst, such a prediction is the empty text; at the best, it is its first reference.

    Args:
        statistic: A statistic of `predictions` and `references`.
        fill: "worst" or "best"; no number is a text.
        count: The number of predictions.
        inputs: The references.

    Raises:
        ValueError: There are no references.
    """
    if fill not in ("worst", "best"):
        return None
    if "references" not in inputs:
        raise ValueError("texts without a score need references=: metrics of texts count them")
    references = inputs["references"]
    predictions = [""] * count
    if fill == "best":
        predictions = [one if isinstance(one, str) else one[0] for one in references]
    return statistic.rows(predictions, references)


def check_normalizer(normalizer: Normalizer | None) -> Normalizer | None:
    """Return `normalizer`; raise TypeError unless it is None or callable."""
    if normalizer is not None and not callable(normalizer):
        raise TypeError(f"normalizer must be a function from string to string, got {normalizer!r}")
    return normalizer


def read_texts(texts: Any, name: str, normalizer: Normalizer | None = None) -> list[str]:
    """Return a sequence of strings as a list, each of them normalised.

    Raises:
        TypeError: `texts` is not a list of strings, or the normalizer returns something other than
            a string.
    """
    checked = check_texts(texts, name)
    if normalizer is None:
        return checked
    return check_texts([*map(normalizer, checked)], f"normalizer: what it returns for {name}")


def read_pairs(
    predictions: Any, references: Any, normalizer: Normalizer | None = None
) -> tuple[list[str], list[str]]:
    """Return predictions and the same number of references, normalised.

    Raises:
        TypeError: An input is not a list of strings.
        ValueError: `references` and `predictions` differ in length.
    """
    predicted = read_texts(predictions, "predictions", normalizer)
    expected = read_texts(references, "references", normalizer)
    arrays.check_same_length("predictions", predicted, "references", expected)
    return predicted, expected


def read_references(
    predictions: list[str],
    references: Any,
    normalizer: Normalizer | None = None,
    *,
    may_lack: bool = False,
) -> list[list[str]]:
    """Return the references of each prediction, normalised.

    Args:
        predictions: N strings.
        references: N lists of strings, or N strings.
        normalizer: The function that is applied to every text; None: no function.
        may_lack: Whether a prediction may have no reference.

    Raises:
        TypeError: An input is not a list of strings.
        ValueError: `references` and `predictions` differ in length, or a prediction has no
            reference.
    """
    lists = check_references(references, predictions, may_lack=may_lack)
    if normalizer is None:
        return lists
    return [read_texts(texts, "references", normalizer) for texts in lists]


def read_samples(
    predictions: Any, references: Any, normalizer: Normalizer | None
) -> list[tuple[str, list[str]]]:
    """Return every prediction with its references, normalised.

    Args:
        predictions: N strings.
        references: N lists of strings, or N strings.
        normalizer: The function that is applied to every text; None: no function.

    Raises:
        TypeError: An input is not a list of strings.
        ValueError: `references` and `predictions` differ in length, or a prediction has no
            reference.
    """
    found = read_texts(predictions, "predictions", normalizer)
    return [*zip(found, read_references(found, references, normalizer), strict=True)]


@dataclass(frozen=True)
class Answers:
    """Predictions with their references; the best reference of each prediction counts.

    Attributes:
        predictions: The predictions, each repeated for each of its references.
        references: The references of all predictions, concatenated.
        counts: The number of references of each prediction, at least one; None: one for each.
    """

    predictions: list[str]
    references: list[str]
    counts: list[int] | None = None

    @classmethod
    def read(cls, predictions: Any, references: Any, normalizer: Normalizer | None) -> Answers:
        """Return the checked inputs of `add`; see `read_samples` for them and the errors."""
        if isinstance(references, list | tuple) and set(map(type, references)) <= {str}:
            return cls(*read_pairs(predictions, references, normalizer))
        found = read_texts(predictions, "predictions", normalizer)
        return cls.of(found, read_references(found, references, normalizer))

    @classmethod
    def of(cls, predictions: list[str], lists: list[list[str]]) -> Answers:
        """Return predictions with the lists of their references, which are never empty."""
        repeated = [text for text, own in zip(predictions, lists, strict=True) for _ in own]
        return cls(repeated, [*chain.from_iterable(lists)], [*map(len, lists)])

    def best(self, values: np.ndarray) -> np.ndarray:
        """Return every prediction's largest value, given one value for each reference.

        Example:
            >>> Answers.of(["x", "y"], [["a", "b"], ["c"]]).best(np.array([1.0, 3.0, 2.0]))
            array([3., 2.])
        """
        if not self.counts:
            return values
        starts = np.cumsum([0, *self.counts[:-1]])
        found: np.ndarray = np.maximum.reduceat(values, starts)
        return found
