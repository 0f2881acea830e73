"""Values of several skewed sums: an end is farther away on the side of the long tail."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Context, localcontext

from mmeval_like._intervals.interval import Interval
from mmeval_like._intervals.jackknife.estimand import Estimand
from mmeval_like._intervals.jackknife.moved_sums import Sums, both_ways
from mmeval_like._intervals.jackknife.residuals import Residuals
from mmeval_like._intervals.tilting import growth, tilted
from mmeval_like._intervals.transforms import as_decimal
from mmeval_like._states.kinds.powers import Spread

__all__ = ["allow_for_skewness"]

_DIGITS = Context(prec=50)


def allow_for_skewness(
    estimand: Estimand,
    found: dict[str, list[Interval]],
    sums: Sums,
    spread: Spread,
    of_values: Residuals,
    free: int,
    alike: float,
    df: int,
) -> None:
    """Extend the intervals of functions of several sums of errors on the side of a long tail.

    Quotients of two sums are left as they are: the skewness of their residuals is known. If a
    value moves by d with one of the sums, as far as that sum explains it, and by s in all, which
    are standard errors, its third cumulant is d^3 times the skewness of what the n samples add to
    this sum, over the root of n. The sum that tilts an end most decides. Sums of squares far from 0
    have another skewness than squared distances, so that these are no such values.

    Args:
        estimand: The estimand.
        found: Its intervals, by key.
        sums: The sums.
        spread: Their moments.
        of_values: The residuals of the values that have some.
        free: As in `both_ways`.
        alike: The effective number of samples.
        df: The degrees of freedom.
    """
    tails = []
    for place, row in enumerate(spread.covariance):
        own = spread.tails({place: 1})
        if own is None or not own.third_is_known:
            continue
        with localcontext(_DIGITS):
            step = as_decimal(row[place]).sqrt()
            skewness = as_decimal(own.third) / step**3
            skewness *= as_decimal(growth(float(skewness), alike))
            direction = [as_decimal(shared) / step for shared in row]
        tails.append((skewness, [sums.numbers(way) for way in both_ways(direction, free)]))
    for key, intervals in found.items():
        for index, one in enumerate(intervals):
            if one.method != "log t" or estimand.range(key)[0] != 0 or (key, index) in of_values:
                continue
            low, high, squared = one.low, one.high, as_decimal(one.standard_error) ** 2
            for skewness, at in tails:
                up, down = (numbers[key][index] if key in numbers else math.nan for numbers in at)
                if not math.isfinite(up - down):
                    continue
                with localcontext(_DIGITS):
                    moved = (as_decimal(up) - as_decimal(down)) / 2
                    skew = moved**3 * skewness / squared / as_decimal(alike).sqrt()
                ends = tilted(one.value, squared, skew, one.level, df)
                low = min(low, max(ends[0], 0.0)) if skew < 0 else low
                high = max(high, ends[1]) if skew > 0 else high
            if (low, high) != (one.low, one.high):
                intervals[index] = replace(one, low=low, high=high, method="log t, tilted t")
