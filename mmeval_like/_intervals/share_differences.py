"""The difference of two shares of the same samples: its score interval and its test.

T. Tango, Equivalence test and confidence interval for the difference in proportions for the
paired-sample design, Statistics in Medicine 17 (1998). The standard error is computed at the
supposed difference, not at the observed one, so the interval also keeps its level if few samples
differ, or many more in one direction than in the other.
"""

from __future__ import annotations

from decimal import Context, Decimal, localcontext

from mmeval_like._intervals.distributions import normal_cdf, precise_quantile

__all__ = ["difference_of_shares", "no_difference", "supposed_difference"]

_DIGITS = Context(prec=50)
_ENOUGH = Decimal("1e-30")  # the precision of an end


def difference_of_shares(up: int, down: int, count: int, level: float) -> tuple[float, float]:
    """Return the ends of the interval of a difference of two shares, in [-1, 1].

    Args:
        up: The number of samples that are hits only for the second system.
        down: The number of samples that are hits only for the first system.
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
    """Return the two-sided p-value of no difference; below 1 - level if 0 is not between the ends.

    It is McNemar's test without continuity correction, to which the interval corresponds.

    Example:
        >>> no_difference(up=3, down=3), round(no_difference(up=10, down=0), 4)
        (1.0, 0.0016)
    """
    if up == down:
        return 1.0
    with localcontext(_DIGITS):
        size = abs(up - down) / Decimal(up + down).sqrt()
    return 2 * normal_cdf(-float(size))


def supposed_difference(up: int, down: int, count: int, supposed: Decimal) -> float:
    """Return the two-sided p-value of a supposed difference, to which the interval corresponds.

    Example:
        >>> low, _ = difference_of_shares(up=10, down=0, count=100, level=0.95)
        >>> round(supposed_difference(10, 0, 100, Decimal(low)), 9)
        0.05
    """
    if supposed > Decimal(up - down) / count:
        up, down, supposed = down, up, -supposed
    with localcontext(_DIGITS):
        distance, error = _distance(up, down, count, supposed)
        if not error:
            return 0.0 if distance else 1.0
        return 2 * normal_cdf(-float(abs(distance) / error))


def _lower(up: int, down: int, count: int, quantile: Decimal) -> Decimal:
    """Return the least difference that is not rejected, by regula falsi (Illinois algorithm)."""
    left, right = Decimal(-1), Decimal(up - down) / count
    above, below = (_beyond(up, down, count, quantile, end) for end in (left, right))
    if not above:  # all samples flip down
        return left
    below = below or -above  # without variance it is 0 here as well, and negative before
    moved = 0  # which end moved last: if one moves twice, the other gets less weight
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
    """Return by how much the flips exceed the bound of a supposed difference at this quantile."""
    distance, error = _distance(up, down, count, supposed)
    return distance - quantile * error


def _distance(up: int, down: int, count: int, supposed: Decimal) -> tuple[Decimal, Decimal]:
    """Return by how much the flips exceed a supposed difference, and the standard error of this."""
    # The most likely share of samples that flip down, if the difference is the supposed one.
    half = (up + down - (2 * count - up + down) * supposed) / 2
    product = 2 * count * down * supposed * (1 - supposed)
    share = (half + max(half * half + product, Decimal(0)).sqrt()) / (2 * count)
    variance = max(2 * share + supposed * (1 - supposed), Decimal(0))
    return up - down - count * supposed, (count * variance).sqrt()
