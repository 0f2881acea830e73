"""Quantiles of sorted numbers, which may be distributed over the ranks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from mmeval_like.writing.dealing import Ranks

__all__ = ["HALF", "dealt_neighbours", "neighbours"]

HALF = Fraction(1, 2)

Neighbours = dict[Fraction, tuple[float, float]]


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
