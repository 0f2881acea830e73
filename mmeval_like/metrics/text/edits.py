"""Edit distances of many pairs of sequences at once, by rapidfuzz."""

from __future__ import annotations

import importlib
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from mmeval_like.writing import needed_for

__all__ = ["UNITS", "check_rapidfuzz", "edit_distances", "units_of"]

UNITS = ("words", "characters")


def check_rapidfuzz(metric: str) -> None:
    """Raise ModuleNotFoundError, with the install command, if rapidfuzz is missing."""
    with needed_for(metric, "pip install 'mmeval-like[text]'"):
        importlib.import_module("rapidfuzz.distance.Levenshtein")


def units_of(text: str, unit: str) -> Sequence[str]:
    """Return the words of a text, or its characters without the whitespace around it.

    Example:
        >>> units_of(" two  words ", "words"), units_of(" a b ", "characters")
        (['two', 'words'], 'a b')
    """
    return text.split() if unit == "words" else text.strip()


def edit_distances(
    first: Sequence[Sequence[Hashable]],
    second: Sequence[Sequence[Hashable]],
    weights: tuple[int, int, int] = (1, 1, 1),
) -> np.ndarray:
    """Return the Levenshtein distance of each pair, int64.

    Args:
        first: Texts, or sequences of words; those of one pair are of the same kind.
        second: The same number of texts or sequences.
        weights: The costs of an insertion, a deletion and a substitution.

    Example:
        >>> edit_distances(["kitten", "a"], ["sitting", ""]).tolist()
        [3, 1]
        >>> edit_distances([["the", "cat"]], [["the", "dog"]]).tolist()
        [1]
    """
    if not first:
        return np.zeros(0, np.int64)
    process: Any = importlib.import_module("rapidfuzz.process")
    scorer = importlib.import_module("rapidfuzz.distance.Levenshtein").distance
    found: np.ndarray = process.cpdist(
        first, second, scorer=scorer, scorer_kwargs={"weights": weights}, dtype=np.int64, workers=1
    )
    return found
