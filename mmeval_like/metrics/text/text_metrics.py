"""The base class of text metrics: the option `normalizer`, and checked and normalised texts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias

import numpy as np

from mmeval_like.metrics._common.shared_options import shared_options
from mmeval_like.metrics.text.words import check_references, check_texts
from mmeval_like.writing import BaseMetric, MetricOptions, Unpack, arrays

__all__ = [
    "ANY_LENGTH",
    "Answers",
    "Normalizer",
    "TextMetric",
    "check_normalizer",
    "read_pairs",
    "read_references",
    "read_samples",
    "read_texts",
]

Normalizer: TypeAlias = Callable[[str], str]

ANY_LENGTH = 'a longer wrong text may be worse than the empty one, as which unscored="" counts it'
"""Why metrics have no bounds if a prediction is the worse, the more wrong words it has."""


@shared_options
class TextMetric(BaseMetric):
    """The base class of metrics of texts.

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
