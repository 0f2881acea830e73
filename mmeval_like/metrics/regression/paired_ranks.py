"""Rank moments and medians of paired numbers, from all pairs or from pairs dealt over ranks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from mmeval_like.metrics._common.order_statistics import HALF, Ends, dealt_neighbours, shares_of
from mmeval_like.metrics._common.wide_integers import DIGITS, digits_of, number_of
from mmeval_like.writing.dealing import Ranks, Run
from mmeval_like.writing.exact import exact_dot
from mmeval_like.writing.states import Cat

__all__ = ["RANKS", "Middle", "Ordered", "PairedValues", "RankMoments", "known"]

RANKS = "ranks"

_Met: TypeAlias = Callable[[], tuple[np.ndarray, int]]


@dataclass(frozen=True)
class RankMoments:
    """The sums of products of the doubled, centred ranks, as whole numbers.

    Attributes:
        xx: The sum of squares for the first numbers.
        yy: The sum of squares for the second numbers.
        xy: The sum of products of the first and the second numbers.
    """

    xx: int
    yy: int
    xy: int

    @classmethod
    def of(cls, pairs: np.ndarray) -> RankMoments:
        """Return the moments of pairs (n, 2) without nan.

        Example:
            >>> RankMoments.of(np.array([[1.0, 5.0], [2.0, 6.0]]))
            RankMoments(xx=2, yy=2, xy=2)
        """
        x, y = (_centred(column, 0, len(pairs)) for column in pairs.T)
        return cls(*_products(x, y))


@dataclass(frozen=True)
class Middle:
    """The request of the interval of a median.

    Attributes:
        function: The function of pairs (n, 2) whose median is meant.
        level: The level of the interval.
    """

    function: Callable[[np.ndarray], np.ndarray]
    level: float

    @property
    def __name__(self) -> str:
        """The name by which requests are sorted."""
        return f"{self.function.__name__} {self.level}"

    @property
    def ends(self) -> Ends:
        """The request of its ends."""
        return Ends(HALF, self.level)


@dataclass(frozen=True)
class Ordered:
    """The requested results, computed from the pairs of all ranks.

    Attributes:
        found: For each request, `RankMoments`, the middle two values, or for a `Middle` both ends
            of the interval and the number of pairs.
    """

    found: dict[Any, Any]


class PairedValues(Cat):
    """Pairs of float64, kept in order; results that depend on ranks can be computed from deals.

    A request is `RANKS`, or a function of pairs (n, 2) without nan that returns a number for each
    pair; the middle two of these numbers are found. For a `Middle`, the ends of the interval of
    their median are found.
    """

    deals = True

    def __init__(self) -> None:
        super().__init__(np.float64, (2,))

    def deal(self, folded: Callable[[], Any], wanted: frozenset[Any], ranks: Ranks) -> Ordered:
        """Return the requested results."""
        held: list[np.ndarray] = []

        def read() -> int:
            held.append(known(folded()))
            return len(held[0])

        counts = ranks.gathered(read)
        found: dict[Any, Any] = {}
        for one in sorted(wanted, key=lambda one: getattr(one, "__name__", RANKS)):
            if one == RANKS:
                found[one] = _dealt_moments(held[0], sum(counts), ranks)
            elif isinstance(one, Middle):
                count, work = sum(counts), partial(one.function, held[0])
                near = dealt_neighbours(work, count, shares_of([one.ends], count), ranks)
                found[one] = one.ends.among(near, count), count
            else:
                work = partial(one, held[0])
                found[one] = dealt_neighbours(work, sum(counts), [HALF], ranks).get(HALF, ())
        return Ordered(found)


def known(pairs: np.ndarray) -> np.ndarray:
    """Return the pairs without a nan."""
    kept: np.ndarray = pairs[~np.isnan(pairs).any(axis=1)]
    return kept


def _dealt_moments(pairs: np.ndarray, count: int, ranks: Ranks) -> RankMoments:
    """Return the moments of all pairs, dealt by the first number and then by the second."""

    def ranked(met: _Met) -> np.ndarray:
        found, before = met()
        return np.stack([found[:, 1], _centred(found[:, 0], before, count)], axis=1)

    def digits(met: _Met) -> np.ndarray:
        y, x = ranked(met).T[::-1]
        return np.concatenate([digits_of(number) for number in _products(x, y)])

    by_first = _dealt(lambda: pairs, count, ranks)
    by_second = _dealt(partial(ranked, by_first), count, ranks)
    total = ranks.total(partial(digits, by_second), 3 * DIGITS).reshape(3, DIGITS)
    return RankMoments(*map(number_of, total))


def _dealt(work: Callable[[], np.ndarray], count: int, ranks: Ranks) -> _Met:
    """Deal pairs over the ranks by their first number.

    Args:
        work: A function that returns this rank's pairs.
        count: The number of pairs on all ranks.
        ranks: The ranks.

    Returns:
        A function, to be called within a work, that returns the pairs dealt to this rank, unsorted,
        and the number of pairs of all ranks that precede them.
    """

    def ascending() -> list[Run]:
        pairs = work()
        ordered = pairs[np.argsort(pairs[:, 0], kind="stable")]
        return [Run(0, 0, 0, np.ascontiguousarray(ordered[:, 0]), (ordered,))]

    partition = ranks.partition(ascending, 1)
    partition.totals(lambda run, cuts: (len(run.keys) - cuts)[:, None], 1, 1)
    share = partition.share()

    def met() -> tuple[np.ndarray, int]:
        found = np.concatenate([np.empty((0, 2)), *[pairs for (pairs,) in share().get(0, [])]])
        above = partition.above(0)
        return found, count - len(found) - (0 if above is None else int(above[0, 0]))

    return met


def _centred(values: np.ndarray, before: int, count: int) -> np.ndarray:
    """Return twice the ranks minus twice their mean: whole numbers in float64.

    Args:
        values: Numbers, with all numbers equal to them. Equal numbers share the mean of their
            ranks.
        before: The number of other numbers, all smaller than these.
        count: The number of all numbers.
    """
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    last = before + np.cumsum(sizes)  # a group's ranks are last - size + 1, ..., last
    return (2 * last - sizes - count)[group.reshape(-1)].astype(np.float64)


def _products(x: np.ndarray, y: np.ndarray) -> list[int]:
    return [int(exact_dot(a, b)) for a, b in ((x, x), (y, y), (x, y))]
