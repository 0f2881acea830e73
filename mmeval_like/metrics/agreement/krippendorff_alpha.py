"""KrippendorffAlpha: the agreement of any number of raters on classes, ranks or numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from mmeval_like.metrics._common.moment_sums import MomentSums
from mmeval_like.metrics._common.number_inputs import bounded, check_option
from mmeval_like.metrics.agreement.rating_counts import RatingCounts
from mmeval_like.writing import (
    BELOW_ONE,
    BaseMetric,
    MetricOptions,
    Results,
    State,
    Statistic,
    Unpack,
    arrays,
    state,
)
from mmeval_like.writing.exact import to_float

__all__ = ["KrippendorffAlpha"]

_LEVELS = ("nominal", "ordinal", "interval", "ratio")


@dataclass(frozen=True)
class NumberRatings(Statistic):
    """The moments of numeric ratings, within items and between the means of items."""

    def states(self) -> dict[str, State]:
        """Return the sums over items of their means, in two parts, and spreads."""
        return {"means": MomentSums(1), "spread": state.sum(float, (2,))}

    def rows(self, ratings: Any) -> dict[str, np.ndarray]:
        """Return the number of ratings of every item, their mean, and their spread around it.

        A mean is the least rating plus a number: their sum as one float would lose the digits in
        which the means of ratings far from 0 differ.

        Args:
            ratings: Numbers (N, R), one for each rater, nan for a missing rating.

        Raises:
            TypeError: The inputs are not real numbers.
            ValueError: The shape does not fit, a rating is infinite, or it is not 0 and its
                magnitude is outside [1e-105, 1e115].
        """
        given = arrays.as_floats(ratings, "ratings")
        if given.shape == (0,):
            given = given.reshape(0, 0)
        if given.ndim != 2:
            raise ValueError(f"ratings must have shape (N, R), got {given.shape}")
        given = np.sort(given, axis=1)  # makes results independent of the order of raters; nan last
        known = ~np.isnan(given)
        filled = bounded("ratings", np.where(known, given, 0.0))
        count = np.count_nonzero(known, axis=1).astype(np.float64)
        several = count > 1
        least = filled[:, 0] if filled.shape[1] else np.zeros(len(filled))
        above = np.where(known, filled - least[:, None], 0.0)
        mean = _total(above) / np.maximum(count, 1)
        inner = _total(np.where(known & several[:, None], above - mean[:, None], 0.0) ** 2)
        pairs = inner * count / np.maximum(count - 1, 1)
        means = np.stack([count, least, mean], axis=1) * several[:, None]
        return {"means": means[:, None], "spread": np.stack([inner, pairs], axis=1)}


def _total(table: np.ndarray) -> np.ndarray:
    """Return the sums of rows, added in order, whatever their padding."""
    found: np.ndarray = table.cumsum(axis=1)[:, -1] if table.shape[1] else np.zeros(len(table))
    return found


class KrippendorffAlpha(BaseMetric):
    """Krippendorff's alpha: 1 minus the ratio of observed to expected disagreement of raters.

    o_(c k) is how often two raters of one item gave the values c and k, where each item has the
    weight 1 / (its number of ratings - 1). n_c is how often the value c was given, and n the number
    of all ratings. d_(c k) is the difference of two values, according to `level`. Items with fewer
    than two ratings do not count. Source: K. Krippendorff, "Computing Krippendorff's
    alpha-reliability" (2011).

    A sample is an item: `add` takes `ratings` (N, R), one for each rater. A missing rating is nan
    (or -1, if ratings are classes).

    Formula:
        alpha = 1 - (n - 1) (sum_(c, k) o_(c k) d_(c k)) / (sum_(c, k) n_c n_k d_(c k))

    Args:
        num_classes: The number of classes C; ratings are then class indices in [0, C). None:
            ratings are any numbers, 0 or of magnitude 1e-105 to 1e115, and the level is "interval".
        level: The level of measurement, which defines the difference of two values c and k.
            "nominal": 1 for different classes. "ordinal": the square of how many ratings lie
            between the middles of the two classes. "interval": (c - k)^2. "ratio": ((c - k) / (c +
            k))^2. None: "nominal", or without `num_classes` "interval".
        values: The numeric values of the C classes, for "interval" and "ratio"; None: 0, 1, 2, ...
        **options: As for `BaseMetric`.

    Returns of `compute`: `alpha`, at most 1; nan without two ratings of an item, and where all
    ratings are equal. Higher is better.

    Raises:
        ValueError: `level` is not one of the allowed values, `values` are not C finite numbers, or
            `level` is not "interval" and `num_classes` is missing.

    Example:
        >>> metric = KrippendorffAlpha(num_classes=2)
        >>> metric.add([[0, 0, -1], [1, 1, 1], [0, 1, -1]])
        >>> metric.compute()  # 1 - 6 * 2 / (2 * 3 * 4)
        {'alpha': 0.5}
    """

    every_rank_computes = True
    ranges = BELOW_ONE
    higher_is_better = True

    if TYPE_CHECKING:

        def rows(self, ratings: Any) -> Mapping[str, Any]:
            """For type checkers."""

    _takes_inputs = RatingCounts.rows

    def __init__(
        self,
        num_classes: int | None = None,
        level: str | None = None,
        values: Sequence[float] | None = None,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        level = level or ("interval" if num_classes is None else "nominal")
        self.level = check_option("level", level, _LEVELS)
        self.counts: RatingCounts | None = None
        if num_classes is None:
            if level != "interval" or values is not None:
                raise ValueError("without num_classes, level must be 'interval' and values None")
            self.statistic: Statistic = NumberRatings()
            return
        self.statistic = self.counts = RatingCounts(num_classes)
        numbers = arrays.as_floats(range(num_classes) if values is None else values, "values")
        if numbers.shape != (num_classes,) or not np.isfinite(numbers).all():
            raise ValueError(f"values must be {num_classes} finite numbers, got {values!r}")
        self.values = [Fraction(number) for number in numbers.tolist()]

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return alpha."""
        parts = self._of_numbers(results) if self.counts is None else self._of_classes(results)
        total, observed, expected = parts
        if total < 2 or not expected:
            return {"alpha": math.nan}
        return {"alpha": to_float(1 - (total - 1) * Fraction(observed) / expected)}

    def _of_numbers(self, results: Results) -> tuple[Any, Any, Any]:
        if not len(results):
            return 0, 0, 0
        total, least, above, *squares = np.asarray(results.exact("means")).ravel().tolist()
        inner, pairs = np.asarray(results.exact("spread")).tolist()
        square = squares[0] + 2 * squares[1] + squares[2]
        around = inner + (square - (least + above) ** 2 / total if total else 0)
        return total, 2 * pairs, 2 * total * around

    def _of_classes(self, results: Results) -> tuple[Any, Any, Any]:
        assert self.counts is not None
        ratings = self.counts.ratings(results)
        several = [n for n in ratings.items if n > 1]
        if not several:
            return 0, 0, 0
        scale = math.lcm(*(n - 1 for n in several))
        together = sum(ratings.pairs[n] * (scale // (n - 1)) for n in several)
        number = np.asarray(sum(ratings.totals[n] for n in several))
        apart = self._differences(number)
        observed = Fraction((together * apart).sum()) / scale
        return int(number.sum()), observed, (np.outer(number, number) * apart).sum()

    def _differences(self, number: np.ndarray) -> np.ndarray:
        """Return the distances between classes, (C, C) exact numbers."""
        count = len(number)
        if self.level == "nominal":
            return 1 - np.eye(count, dtype=object)
        if self.level == "ordinal":  # twice the number of ratings up to the middle of each class
            middle = 2 * number.cumsum() - number
            square: np.ndarray = np.subtract.outer(middle, middle) ** 2
            return square
        values = np.array(self.values, object)
        apart = np.subtract.outer(values, values)
        if self.level == "ratio":
            sums = np.add.outer(values, values)
            sums[sums == 0] = 1
            apart = apart / sums
        found: np.ndarray = apart * apart
        return found
