"""Intervals of shares of hits from the exact binomial distribution.

C. J. Clopper and E. S. Pearson, The use of confidence or fiducial limits illustrated in the case of
the binomial, Biometrika 26 (1934). Each end is an exact one-sided bound: whatever the true share
and the number of samples, it lies beyond the end in at most (1 - level) / 2 of all cases.
"""

from __future__ import annotations

from decimal import Context, Decimal, localcontext
from functools import lru_cache

from mmeval_like._intervals.binomial_test import log_ways
from mmeval_like._intervals.share_differences import difference_of_shares

__all__ = ["FEW", "clopper_pearson", "exact_difference", "least_share", "square_and_add", "tail"]

FEW = 3
"""The number of hits, or misses, up to which a normal approximation is too optimistic."""

_DIGITS = Context(prec=50)
_ENOUGH = Decimal("1e-25")  # the relative precision of a sum, or of a step


def tail(hits: int, count: int, share: Decimal) -> Decimal:
    """Return the probability of at least this many hits among samples with this share of hits.

    Example:
        >>> round(tail(hits=2, count=3, share=Decimal("0.5")), 6)
        Decimal('0.500000')
    """
    if hits <= 0 or share >= 1:
        return Decimal(1)
    if share <= 0:
        return Decimal(0)
    with localcontext(_DIGITS):
        if hits < count * share:  # the other tail has the shorter sum
            return 1 - _sum_of_terms(count - hits + 1, count, 1 - share)[0]
        return _sum_of_terms(hits, count, share)[0]


@lru_cache(maxsize=4096)  # many slices have the same few hits
def clopper_pearson(hits: int, count: int, level: float) -> tuple[float, float]:
    """Return the Clopper-Pearson interval of a share.

    Args:
        hits: The number of hits.
        count: The number of samples, at least 1.
        level: The least share of such intervals that contain the truth, for instance 0.95.

    Example:
        >>> [round(end, 4) for end in clopper_pearson(9, 10, 0.95)]
        [0.555, 0.9975]
    """
    with localcontext(_DIGITS):
        chance = (1 - Decimal(repr(level))) / 2
        low, high = least_share(hits, count, chance), 1 - least_share(count - hits, count, chance)
        return float(low), float(high)


@lru_cache(maxsize=4096)  # as above
def exact_difference(up: int, down: int, count: int, level: float) -> tuple[float, float]:
    """Return an interval of the difference of two shares that is valid for few flips as well.

    If at most 3 samples flip in one direction, Tango's interval ends too early on that side. The
    result is then the hull of Tango's interval and of the one computed from the Clopper-Pearson
    intervals of both shares of flips by R. G. Newcombe's square-and-add rule (Interval estimation
    for the difference between independent proportions, Statist. Med. 17, 1998).

    Args:
        up: The number of samples that are hits only for the second system.
        down: The number of samples that are hits only for the first system.
        count: The number of all samples, at least 1.
        level: As in `clopper_pearson`.

    Example:
        >>> [round(end, 4) for end in exact_difference(up=10, down=0, count=100, level=0.95)]
        [0.0375, 0.1762]
    """
    low, high = difference_of_shares(up, down, count, level)
    if min(up, down) > FEW:
        return low, high
    with localcontext(_DIGITS):
        middle = Decimal(up - down) / count
        below, above = square_and_add(up, down, count, (1 - Decimal(repr(level))) / 2)
        low, high = min(low, float(middle - below)), max(high, float(middle + above))
        return max(low, -1.0), min(high, 1.0)


def square_and_add(up: int, down: int, count: int, chance: Decimal) -> tuple[Decimal, Decimal]:
    """Return the distances of Newcombe's ends from the difference of two exact shares.

    Args:
        up: As in `exact_difference`.
        down: As in `exact_difference`.
        count: As in `exact_difference`.
        chance: The probability that a share lies beyond an end of its Clopper-Pearson interval.

    Example:
        >>> [round(arm, 4) for arm in square_and_add(10, 0, 100, Decimal("0.025"))]
        [Decimal('0.0625'), Decimal('0.0762')]
    """
    with localcontext(_DIGITS):
        arms = []
        for hits in (up, down):
            share = Decimal(hits) / count
            least, most = (least_share(each, count, chance) for each in (hits, count - hits))
            arms.append((share - least, 1 - most - share))
        (up_low, up_high), (down_low, down_high) = arms
        below = (up_low**2 + down_high**2).sqrt()
        return below, (up_high**2 + down_low**2).sqrt()


def least_share(hits: int, count: int, chance: Decimal) -> Decimal:
    """Return the share for which this many hits, or more, have the given probability.

    Example:
        >>> round(least_share(2, 2, Decimal("0.25")), 9)
        Decimal('0.500000000')
    """
    if not hits:
        return Decimal(0)
    # Newton's method for the logarithm of the tail as a function of the logarithm of the share. It
    # is concave, so that only the first step can pass the root.
    root = Decimal(hits) / count * chance ** (Decimal(1) / hits)
    while True:
        total, first = _sum_of_terms(hits, count, root)
        step = (chance / total).ln() * total / (hits * first)
        root *= step.exp()
        if abs(step) < _ENOUGH:
            return root


def _sum_of_terms(hits: int, count: int, share: Decimal) -> tuple[Decimal, Decimal]:
    """Return the probabilities of at least this many hits, and of exactly this many.

    The terms decrease from the first on if there are more hits than expected.
    """
    rest = 1 - share
    first = term = (log_ways(count, hits) + hits * share.ln() + (count - hits) * rest.ln()).exp()
    total, odds = first, share / rest
    while hits < count and (term > total * _ENOUGH or hits < count * share):
        term = term * odds * (count - hits) / (hits + 1)
        total += term
        hits += 1
    return total, first
