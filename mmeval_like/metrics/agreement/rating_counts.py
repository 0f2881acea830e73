"""Counts of how often each class was given to an item: the statistic of agreement metrics."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from mmeval_like.metrics._common.number_inputs import check_option
from mmeval_like.metrics._common.option_checks import check_count
from mmeval_like.writing import Results, Statistic, arrays, state

__all__ = ["RatingCounts", "Ratings"]

_MODES = ("classes", "counts", "probs")
_MOST = 1 << 22  # ratings of an item; a table has one row for each


@dataclass(frozen=True)
class Ratings:
    """The ratings of all items, grouped by the number of ratings of an item.

    Attributes:
        items: The number of items with n ratings.
        totals: How often each class was given to items with n ratings, (C,) Python integers.
        pairs: The number of ordered pairs of ratings of the same item, by their two classes, (C,
            C).
    """

    items: dict[int, int]
    totals: dict[int, np.ndarray]
    pairs: dict[int, np.ndarray]

    def agreement(self, weights: np.ndarray) -> Fraction | None:
        """Return the mean over items with two or more ratings of their pairs' mean weight."""
        several = [n for n in self.items if n > 1]
        if not several:
            return None
        terms = (Fraction((self.pairs[n] * weights).sum()) / (n * (n - 1)) for n in several)
        return sum(terms, Fraction(0)) / sum(self.items[n] for n in several)

    def shares(self) -> list[Fraction]:
        """Return the mean over items of the share of each class in the item's ratings."""
        number = sum(self.items.values())
        columns = zip(*(totals.tolist() for totals in self.totals.values()), strict=True)
        return [
            sum((Fraction(t, n) for t, n in zip(column, self.totals, strict=True)), Fraction(0))
            / number
            for column in columns
        ]


@dataclass(frozen=True)
class RatingCounts(Statistic):
    """The number of items with each combination of ratings; an item is encoded as one integer.

    The code of the counts r_0, ..., r_(C-1) is the sum over j of binom(r_0 + ... + r_j + j, j + 1),
    the combinatorial number system, which assigns a unique integer to every combination.

    Attributes:
        num_classes: The number of classes C.
        mode: The form of ratings: "classes" (N, R), -1 or nan for a missing rating; "counts" (N,
            C); or "probs", scores (N, C, R), where the class with the highest score counts.
    """

    num_classes: int
    mode: str = "classes"

    items = state.tally()

    def __post_init__(self) -> None:
        check_count("num_classes", self.num_classes)
        check_option("mode", self.mode, _MODES)

    def rows(self, ratings: Any) -> dict[str, np.ndarray]:
        """Return the code of every item.

        Args:
            ratings: For every item, the classes that its raters gave, or how often each class was
                given, or the scores of all classes from each rater; see `mode`.

        Raises:
            TypeError: The ratings are not numbers, or classes or counts are not whole numbers.
            ValueError: The shape does not fit, a class is out of range, a count is negative, a
                score is nan, or there are too many ratings and classes to encode the combinations
                in int64.
        """
        counts = self._counts(ratings)
        most = int(np.einsum("ij->i", counts).max(initial=0))
        if most > _MOST or math.comb(most + self.num_classes, self.num_classes) >= 1 << 63:
            raise ValueError(
                f"ratings must have fewer than 2^63 combinations, and at most {_MOST} for an item: "
                f"one has {most} of {self.num_classes} classes"
            )
        codes, given = np.zeros((2, len(counts)), np.int64)
        for column, binomials in enumerate(_binomials(most, self.num_classes)):
            given += counts[:, column]
            codes += binomials.take(given)
        return {"items": codes}

    def ratings(self, results: Results) -> Ratings:
        """Return the ratings of all items, without items that have no rating."""
        codes, numbers = results.items
        counts = self._decoded(codes)
        found = Ratings({}, {}, {})
        size = counts.sum(axis=1)
        for n in np.unique(size[size > 0]).tolist():
            some, times = counts[size == n], numbers[size == n]
            found.items[n] = items = sum(times.tolist())
            # Floats hold all sums up to 2^53 exactly, and their products are fastest.
            exact = np.float64 if items * n * n <= 1 << 53 else object
            some, times = some.astype(exact), times.astype(exact)
            totals = times @ some
            pairs = (some.T * times) @ some - np.diag(totals)
            found.totals[n], found.pairs[n] = _integers(totals), _integers(pairs)
        return found

    def _counts(self, ratings: Any) -> np.ndarray:
        """Return how often each class was given to each item, (N, C)."""
        if self.mode == "counts":
            counts = _shaped(arrays.as_integers(ratings, "ratings"), (None, self.num_classes))
            arrays.check_not_negative("ratings", counts)
            return counts
        if self.mode == "probs":
            shape = None, self.num_classes, None
            scores = _shaped(arrays.as_numbers(ratings, "ratings"), shape)
            arrays.check_finite("ratings", scores, allow_infinite=True)
            given = scores.argmax(axis=1)
        else:
            given = _shaped(_whole(arrays.as_numbers(ratings, "ratings")), (None, None))
            arrays.check_range("ratings", given[given != -1], self.num_classes)
        width = self.num_classes + 1  # missing ratings are an extra class
        codes = np.arange(len(given))[:, None] * width + given % width
        found = np.bincount(codes.ravel(), minlength=len(given) * width)
        return found.reshape(len(given), width)[:, :-1]

    def _decoded(self, codes: np.ndarray) -> np.ndarray:
        """Return the counts (n, C) that codes represent."""
        largest, classes = int(codes.max(initial=0)), self.num_classes
        numbers = range(_MOST + 1)
        most = bisect_right(numbers, largest, key=lambda n: math.comb(n + classes, classes))
        table, left = _binomials(most, self.num_classes), codes.copy()
        sums = np.zeros((len(codes), self.num_classes + 1), np.int64)
        for column in range(self.num_classes - 1, -1, -1):
            sums[:, column + 1] = np.searchsorted(table[column], left, "right") - 1
            left -= table[column, sums[:, column + 1]]
        found: np.ndarray = np.diff(sums, axis=1)
        return found


def _integers(array: np.ndarray) -> np.ndarray:
    """Return integers as Python integers."""
    return array.astype(np.int64).astype(object) if array.dtype == np.float64 else array


def _whole(ratings: np.ndarray) -> np.ndarray:
    """Return classes as int64, with -1 for nan."""
    if ratings.dtype.kind == "f":
        ratings = np.where(np.isnan(ratings), -1, ratings)
    return arrays.as_integers(ratings, "ratings")


def _shaped(array: np.ndarray, shape: tuple[int | None, ...]) -> np.ndarray:
    """Return an array; raise ValueError unless it has the shape, where None means any length."""
    if array.shape == (0,):
        return array.reshape(0, *(length or 0 for length in shape[1:]))
    fits = (wanted in (None, length) for wanted, length in zip(shape, array.shape, strict=False))
    if array.ndim != len(shape) or not all(fits):
        names = ("N", "R")
        shown = ", ".join(str(length or names[place > 0]) for place, length in enumerate(shape))
        raise ValueError(f"ratings must have shape ({shown}), got {array.shape}")
    return array


@lru_cache(maxsize=4)
def _binomials(most: int, classes: int) -> np.ndarray:
    """Return binom(p + j, j + 1) for j below `classes` and p up to `most`, not to be modified."""
    table = np.empty((classes, most + 1), np.int64)
    table[0] = np.arange(most + 1)
    for j in range(1, classes):
        table[j - 1].cumsum(out=table[j])
    return table
