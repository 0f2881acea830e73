"""Quantiles of sorted numbers, which may be distributed over the ranks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from mmeval_like.writing.dealing import Ranks
from mmeval_like.writing.intervals import Interval, quantile_places, unknown

__all__ = [
    "HALF",
    "UNORDERED",
    "Ends",
    "dealt_neighbours",
    "neighbours",
    "quantile_interval",
    "shares_of",
]

HALF = Fraction(1, 2)
UNORDERED = (
    "the interval of a quantile needs independent samples of one system: it does not hold for "
    "clusters and differences"
)
"""Why quantiles have no intervals of samples in clusters, and of differences."""

Neighbours = dict[Fraction, tuple[float, float]]


@dataclass(frozen=True)
class Ends:
    """The request of the ends of a quantile's interval.

    Attributes:
        share: The share of the population below the quantile.
        level: The level of the interval.
    """

    share: Fraction
    level: float

    def shares(self, count: int) -> list[Fraction | None]:
        """Return the shares of `count` numbers that give both ends; None: an end is unknown."""
        places = quantile_places(self.share, count, self.level) if count else (None, None)
        return [None if p is None else Fraction(p, max(count - 1, 1)) for p in places]

    def among(self, found: Neighbours, count: int) -> tuple[float | None, float | None]:
        """Return both ends, from the numbers at these shares."""
        low, high = (None if s is None else found[s][0] for s in self.shares(count))
        return low, high


def shares_of(wanted: Iterable[Fraction | Ends], count: int) -> list[Fraction]:
    """Return all shares that are needed of `count` numbers, in order."""
    found: set[Fraction] = set()
    for one in wanted:
        more = one.shares(count) if isinstance(one, Ends) else [one]
        found |= {share for share in more if share is not None}
    return sorted(found)


def quantile_interval(
    value: float,
    ends: tuple[float | None, float | None],
    bounds: tuple[float, float],
    level: float,
    count: int,
) -> Interval:
    """Return the interval of a quantile of `count` numbers.

    Args:
        value: The quantile.
        ends: Both ends; None: there are too few samples for this end.
        bounds: The range of the values, which has the ends that are None.
        level: As in `Interval`.
        count: The number of samples.
    """
    if value != value:
        return unknown(value, level, count, "the value is not finite")
    low, high = (bound if end is None else end for end, bound in zip(ends, bounds, strict=True))
    nan, low, high = float("nan"), min(low, value), max(high, value)
    thin = "there are too few samples for any end" if ends == (None, None) else None
    at = ("order statistics", "sample", count, nan)
    return Interval(value, low, high, level, nan, *at, thin)


def neighbours(numbers: np.ndarray, shares: Sequence[Fraction]) -> Neighbours:
    """Return the two numbers, possibly equal, around each share's rank; empty without numbers.

    Share s of n numbers has the rank (n - 1) s, counted from 0: the share 1/2 gives the median.

    Args:
        numbers: The numbers (n,), without nan.
        shares: From 0 to 1.

    Example:
        >>> neighbours(np.array([4.0, 1.0, 3.0, 2.0]), [HALF, Fraction(1)])
        {Fraction(1, 2): (2.0, 3.0), Fraction(1, 1): (4.0, 4.0)}
    """
    ascending = np.sort(numbers)
    found = ascending[_places(len(ascending), shares)] + 0.0  # turns -0.0 into 0.0
    return _by_share(shares, found.tolist())


def dealt_neighbours(
    work: Callable[[], np.ndarray], count: int, shares: Sequence[Fraction], ranks: Ranks
) -> Neighbours:
    """Return the `neighbours` of the numbers of all ranks by counting; numbers stay on their ranks.

    Args:
        work: Returns the numbers of this rank.
        count: How many numbers all ranks have together.
        shares: The shares, the same on every rank.
        ranks: The ranks, all of which call this.
    """
    held: list[np.ndarray] = []
    ranks.gathered(lambda: held.append(np.sort(work())))
    places = _places(count, shares)
    return _by_share(shares, ranks.smallest(held[0], places) if places else [])


def _places(count: int, shares: Sequence[Fraction]) -> list[int]:
    exact = [(count - 1) * share for share in shares if count]
    return [place for x in exact for place in (x.__floor__(), x.__ceil__())]


def _by_share(shares: Sequence[Fraction], found: Sequence[float]) -> Neighbours:
    return dict(zip(shares, zip(found[::2], found[1::2], strict=True), strict=False))
