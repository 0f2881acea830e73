"""Moved ends: how near to its best a value from moments may be, if all its sums are moved at once.

R2, Lin's concordance and the Kling-Gupta efficiency are 1 less a distance. The logarithmic scale
takes the standard error of a distance as proportional to it. But that of 1 - r is proportional to
(1 - r)(1 + r), and a length keeps its error when it gets shorter: the true value is then nearer to
1 than the interval reaches. So the interval also contains the value with the sums moved towards 1
by as many standard errors as it has, in the least favourable direction, in which the value moves
most. A length is too large by chance, too, as errors across it add to it, whatever their sign. This
path has the part of the bias that comes from its own curve; the other one is subtracted (T.
DiCiccio and B. Efron, More accurate confidence intervals in exponential families, Biometrika 79,
1992).

A length that is as short as its error turns on this path, and gets longer again. If the path bends
so much that it goes less than half as far as a straight line, the end is that of the line.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Context, Decimal, localcontext
from operator import mul

from mmeval_like._intervals.distributions import precise_quantile
from mmeval_like._intervals.interval import Interval
from mmeval_like._intervals.jackknife.estimand import Estimand, Numbers
from mmeval_like._intervals.jackknife.moved_sums import Directions, Sums, both_ways
from mmeval_like._intervals.jackknife.sum_marks import free_of_scale
from mmeval_like._states.kinds.powers import Spread

__all__ = ["move_ends"]

_DIGITS = Context(prec=50)
_BENT = 0.5  # of a straight path: one that is shorter turns


def move_ends(
    estimand: Estimand,
    found: Mapping[str, list[Interval]],
    spread: Spread,
    sums: Sums,
    directions: Directions,
    at: Sequence[Numbers],
    free: int,
    df: int,
) -> None:
    """Extend the intervals of values with an upper bound towards this bound.

    Correlations are left as they are: the skewness of their estimates is known.

    Args:
        estimand: The estimand.
        found: Its intervals, by key.
        spread: The moments of the sums.
        sums: The sums.
        directions: The independent directions in which they vary.
        at: The values with the sums moved by a standard error in each of them, both ways.
        free: As in `both_ways`.
        df: The degrees of freedom.
    """
    keys = [key for key in found if math.isfinite(estimand.range(key)[1])]
    with localcontext(_DIGITS):
        quantile = precise_quantile((1 + Decimal(repr(estimand.level))) / 2, df)
    still = sums.numbers([Decimal(0)] * len(spread.mean)) if keys else {}
    pairs = estimand.statistic.jackknife.pairs if keys else ()
    alike = [free_of_scale(estimand, spread, sums, places) for places in pairs]
    for key in keys:
        for place, one in enumerate(found[key]):
            correlation = all((key, place) in each for each in alike)
            if correlation or not (one.standard_error > 0 and math.isfinite(one.high)):
                continue
            middle, moved = still[key][place], [numbers[key][place] for numbers in at]
            steps = [(up - down) / 2 for up, down in zip(moved[::2], moved[1::2], strict=True)]
            with localcontext(_DIGITS):
                parts = [quantile * Decimal(step) / Decimal(one.standard_error) for step in steps]
                columns = zip(*directions.values(), strict=True)
                direction = [sum(map(mul, parts, cells), Decimal(0)) for cells in columns]
            nearer = sums.numbers(both_ways(direction, free)[0])
            path = nearer[key][place] - middle if key in nearer else math.nan
            bias = math.fsum((each - middle) / 2 for each in moved)
            rise = _rise(path, bias, one.standard_error, float(quantile))
            high = min(max(one.high, one.value + rise), estimand.range(key)[1])
            if high > one.high:
                found[key][place] = replace(one, high=high, method=f"{one.method}, less bias")


def _rise(path: float, bias: float, error: float, quantile: float) -> float:
    """Return how far the upper end is above the value.

    Args:
        path: How far the value rises as the sums are moved; nan if it is undefined then.
        bias: Its bias.
        error: Its standard error.
        quantile: By how many of them the sums are moved.
    """
    straight = quantile * error
    turned = not path > _BENT * straight
    bend = -_BENT * straight if turned else path - straight
    return (straight if turned else path) - (bias - bend / (quantile * quantile))
