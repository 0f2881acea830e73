"""Queries with their lists of documents: read, checked, and concatenated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like.writing import Ragged, arrays

__all__ = ["Queries", "Topics", "as_gains", "as_lists", "read_queries", "sortable"]


@dataclass(frozen=True)
class Topics:
    """Which of S subtopics documents are about: 1 if they are, otherwise 0.

    Attributes:
        listed: The subtopics of the documents of all lists, concatenated, int64 (documents, S).
        judged: For each query, the subtopics of the judged documents, int64 (M, S).
    """

    listed: np.ndarray
    judged: Sequence[np.ndarray]


@dataclass(frozen=True)
class Queries:
    """The lists of documents of Q queries.

    Attributes:
        scores: The scores by which documents are ranked, highest first; floats without nan.
        gains: The gain of each document, float64; -1: not judged.
        documents: The ids of the documents of all lists, concatenated; None: not known.
        judged: The gains of all documents that were judged for each query, retrieved or not; None:
            only the listed documents were judged.
        topics: The subtopics of the documents; None: not known.
    """

    scores: Ragged
    gains: Ragged
    documents: np.ndarray | list[str] | None = None
    judged: Ragged | None = None
    topics: Topics | None = None

    def __len__(self) -> int:
        return len(self.scores)


def read_queries(
    predictions: Any, labels: Any, documents: Any = None, judged: Any = None
) -> Queries:
    """Return the queries of a batch; `QueryMetric` describes the arguments.

    Raises:
        TypeError: Scores or gains are not real numbers, or ids are neither texts nor integers.
        ValueError: Lists have different lengths, a value is nan, a gain is below 0 and not -1, or
            an id occurs twice.
    """
    scores = as_lists(predictions, "predictions")
    arrays.check_finite("predictions", scores.values, allow_infinite=True)
    gains = as_gains(labels, "labels")
    check_lengths("labels", gains.lengths, scores.lengths)
    found = Queries(Ragged(sortable(scores.values), scores.lengths), gains)
    if documents is not None:
        names = _as_documents(documents, scores.lengths)
        found = Queries(found.scores, gains, names)
    if judged is None:
        return found
    known = as_gains(judged, "judged")
    arrays.check_same_length("judged", known, "predictions", scores)
    return Queries(found.scores, gains, found.documents, known)


def as_lists(
    value: Any, name: str, read: Callable[[Any, str], np.ndarray] = arrays.as_numbers, axes: int = 1
) -> Ragged:
    """Return Q lists, or an array (Q, L), concatenated.

    Args:
        value: A sequence of Q arrays with `axes` axes, or one array with one axis more.
        name: The argument's name, for the errors.
        read: A function that converts an array and checks its dtype.
        axes: The number of axes of one query's array.

    Raises:
        ValueError: The shapes differ.
    """
    if getattr(getattr(value, "dtype", None), "kind", "") == "O":
        value = list(value)  # a column of a DataFrame, or an array of arrays
    if not isinstance(value, list | tuple):
        array = read(value, name)
        _check_axes(array.ndim - 1, axes, name, f"an array of shape {array.shape}")
        lengths = np.full(len(array), array.shape[1], np.int64)
        return Ragged(array.reshape(-1, *array.shape[2:]), lengths)
    parts = [read(entry, name) for entry in value]
    for place, part in enumerate(parts):
        _check_axes(part.ndim, axes, name, f"shape {part.shape} at index {place}")
    filled = [part for part in parts if len(part)] or parts[:1]
    if len({part.dtype for part in filled}) > 1:
        filled = [arrays.as_floats(part, name) for part in filled]
    if len({part.shape[1:] for part in filled}) > 1:
        raise ValueError(f"{name} must have the same number of columns for all queries")
    lengths = np.array([len(part) for part in parts], np.int64)
    return Ragged(np.concatenate(filled) if filled else np.empty((0,) * axes), lengths)


def _check_axes(axes: int, wanted: int, name: str, given: str) -> None:
    if axes != wanted:
        each = "list" if wanted == 1 else "table"
        raise ValueError(
            f"{name} must have one {each} for each query, as an array or a sequence of arrays; "
            f"got {given}. Pass a single query as a sequence of one {each}"
        )


def as_gains(value: Any, name: str) -> Ragged:
    """Return gains as float64; raise ValueError unless each is finite and at least 0, or -1."""
    gains = as_lists(value, name, arrays.as_floats)
    arrays.check_finite(name, gains.values)
    good = (gains.values >= 0) | (gains.values == -1)
    arrays.require(name, gains.values, good, "must be at least 0, or -1 for unjudged documents")
    return gains


def check_lengths(name: str, lengths: np.ndarray, wanted: np.ndarray) -> None:
    """Raise ValueError unless there is one entry for each score of each query."""
    if len(lengths) != len(wanted):
        raise ValueError(
            f"{name} must have one list for each of the {len(wanted)} lists of predictions, "
            f"got {len(lengths)}"
        )
    if (lengths != wanted).any():
        place = int(np.flatnonzero(lengths != wanted)[0])
        raise ValueError(
            f"{name} must have one entry for each score, got {lengths[place]} for the "
            f"{wanted[place]} scores of the query at index {place}"
        )


def sortable(scores: np.ndarray) -> np.ndarray:
    """Return floats in the same order as numbers of any real dtype.

    Example:
        >>> sortable(np.array([3, 2**63 - 1, 2**63 - 2]))
        array([0., 2., 1.])
    """
    if scores.dtype.kind == "f":
        return scores
    try:
        return arrays.as_floats(scores, "scores")
    except ValueError:  # floats would round these integers: use their ranks instead
        return np.unique(scores, return_inverse=True)[1].reshape(-1).astype(np.float64)


def _as_documents(documents: Any, lengths: np.ndarray) -> np.ndarray | list[str]:
    texts = arrays.as_texts(documents, "documents")
    if texts is None:
        numbers = as_lists(documents, "documents", arrays.as_integers)
        check_lengths("documents", numbers.lengths, lengths)
        check_different(numbers.values, lengths)
        return numbers.values
    if any(isinstance(entry, str) for entry in texts):
        raise ValueError("documents must have one list of ids for each query, got strings")
    check_lengths("documents", np.array([len(names) for names in texts], np.int64), lengths)
    for place, names in enumerate(texts):
        if len(set(names)) < len(names):
            raise ValueError(_twice(place))
    return [name for names in texts for name in names]


def check_different(numbers: np.ndarray, lengths: np.ndarray) -> None:
    """Raise ValueError if an id occurs twice in one query."""
    query = np.repeat(np.arange(len(lengths)), lengths)
    order = np.lexsort((numbers, query))
    alike = (np.diff(numbers[order]) == 0) & (np.diff(query[order]) == 0)
    if alike.any():
        raise ValueError(_twice(int(query[order][1:][alike][0])))


def _twice(place: int) -> str:
    return f"documents must differ within a query, got one twice at index {place}"
