"""The difference of two shares of the same samples: its score interval, and the test of it.

T. Tango, Equivalence test and confidence interval for the difference in proportions for the
paired-sample design, Statistics in Medicine 17 (1998). The standard error is that of the supposed
difference, and not that of the one which was found: so the interval also means what it says where
few samples differ, or many more in one direction than in the other.
"""

from __future__ import annotations

from decimal import Context, Decimal, localcontext

from mmeval_like._intervals.distributions import normal_cdf, precise_quantile

__all__ = ["difference_of_shares", "no_difference"]

_DIGITS = Context(prec=50)
_ENOUGH = Decimal("1e-30")  # of a step towards an end


def difference_of_shares(up: int, down: int, count: int, level: float) -> tuple[float, float]:
    """Return the ends of the interval of a difference of two shares, in [-1, 1].

    Args:
        up: How many samples are hits for the second system alone.
        down: How many are hits for the first system alone.
        count: The number of all samples, at least 1.
        level: The share of such intervals that contain the truth, for instance 0.95.

    Example:
        >>> [round(end, 4) for end in difference_of_shares(up=10, down=0, count=100, level=0.95)]
        [0.0552, 0.1744]
    """
    with localcontext(_DIGITS):
        quantile = precise_quantile((1 + Decimal(repr(level))) / 2, None)
        low, high = _lower(up, down, count, quantile), -_lower(down, up, count, quantile)
        return float(low), float(high)


def no_difference(up: int, down: int) -> float:
    """Return the two-sided p-value of no difference; it is below 1 - level where the ends leave 0.

    It is McNemar's test without a correction for continuity, in which the interval ends.

    Example:
        >>> no_difference(up=3, down=3), round(no_difference(up=10, down=0), 4)
        (1.0, 0.0016)
    """
    if up == down:
        return 1.0
    with localcontext(_DIGITS):
        size = abs(up - down) / Decimal(up + down).sqrt()
    return 2 * normal_cdf(-float(size))


def _lower(up: int, down: int, count: int, quantile: Decimal) -> Decimal:
    """Return the least difference that is not rejected: by regula falsi, in the Illinois way."""
    left, right = Decimal(-1), Decimal(up - down) / count
    above, below = (_beyond(up, down, count, quantile, end) for end in (left, right))
    if not above:  # all samples flip down
        return left
    below = below or -above  # without a spread it is 0 here as well, and less before
    moved = 0  # which end moved last: where one moves twice, the other one pulls less
    while True:
        middle = (left * below - right * above) / (below - above)
        at = _beyond(up, down, count, quantile, middle)
        if at > 0:
            below = below / 2 if moved > 0 else below
            step, left, above, moved = middle - left, middle, at, 1
        else:
            above = above / 2 if moved < 0 else above
            step, right, below, moved = right - middle, middle, at, -1
        if step < _ENOUGH or not at:
            return middle


def _beyond(up: int, down: int, count: int, quantile: Decimal, supposed: Decimal) -> Decimal:
    """Return by how much the flips exceed what a supposed difference explains at this quantile."""
    # The most likely share of samples that flip down, if the difference is the supposed one.
    half = (up + down - (2 * count - up + down) * supposed) / 2
    product = 2 * count * down * supposed * (1 - supposed)
    share = (half + max(half * half + product, Decimal(0)).sqrt()) / (2 * count)
    variance = max(2 * share + supposed * (1 - supposed), Decimal(0))
    return up - down - count * supposed - quantile * (count * variance).sqrt()
