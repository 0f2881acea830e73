"""Values near a bound, from which only a few samples keep them.

One error in 100 samples moves an F1, a recall or a kappa away from 1. Wilson's interval with the
effective number of samples then ends too far away from 1, as that of a share with few misses does:
a gate at the true value failed in up to 16 of 100 cases.

For up to three errors, the end is that of an exact interval of their share. For more of them, it is
that of Wilson's interval with a little less than one error fewer: half a sample as samples are
whole, and (z^2 - 1) / 6 times |1 - 2 share| for the skewness of the binomial distribution, with the
quantile z (T. T. Cai, One-sided confidence intervals in discrete distributions, J. Statist. Plann.
Inference 131, 2005). The end of a share is then close to that of Clopper and Pearson. From three
quarters to a half, where no bound is nearer, this fades to Wilson's interval. Without it, gates
with 4 to 40 errors failed at the true value in up to 7 of 100 cases.
"""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal

from mmeval_like._intervals.distributions import precise_quantile
from mmeval_like._intervals.exact_shares import FEW, clopper_pearson
from mmeval_like._intervals.interval import Interval
from mmeval_like._intervals.jackknife.left_out import LeftOut
from mmeval_like._intervals.transforms import wilson
from mmeval_like._intervals.value_ranges import Range

__all__ = ["of_few_errors", "of_few_values"]

_ROUNDED = 1e-6  # by how much rounding may change the number of samples off a bound


def of_few_errors(one: Interval, left: LeftOut, key: str, place: int, bounds: Range) -> Interval:
    """Return the interval, extended towards a bound from which few units keep the value.

    Counted are samples, or clusters, without which the value would be nearer to the bound; its
    distance from the bound is in proportion to their number. Of at most 3, the new end is at the
    distance that belongs to the lower Clopper-Pearson end of their share of the units that change
    the value: of a share of samples, such as a recall, it is the Clopper-Pearson end. Of more, it
    is Wilson's with fewer errors, see above.

    Args:
        one: The interval; returned as it is if it is unknown, or if groups of samples are left out.
        left: What is left out.
        key: The key of the value.
        place: Its place in a list.
        bounds: The range of the value.
    """
    least, most = bounds
    if left.unit == "group" or left.sampled or not math.isfinite(one.low + most - least):
        return one
    if not least < one.value < most:  # nothing is nearer; without a class of one sample it is nan
        return one
    without = [*zip(left.without[key][place], left.weights, strict=True)]
    higher = sum(weight for value, weight in without if value > one.value)
    lower = sum(weight for value, weight in without if value < one.value)
    nearer = higher if one.value - least >= most - one.value else lower
    if nearer > FEW:
        one = _of_more_errors(one, left.df, bounds)
    if not (0 < higher <= FEW or 0 < lower <= FEW):
        return one
    low, high, count = one.low, one.high, higher + lower
    if 0 < higher <= FEW:
        fewest = clopper_pearson(higher, count, one.level)[0] * count / higher
        high = max(high, most - (most - one.value) * fewest)
    if 0 < lower <= FEW:
        fewest = clopper_pearson(lower, count, one.level)[0] * count / lower
        low = min(low, least + (one.value - least) * fewest)
    return replace(one, low=low, high=high, method=f"{one.method}, Clopper-Pearson")


def of_few_values(one: Interval, bounds: Range) -> Interval:
    """Return the interval of a mean of values, extended towards a bound off which few of them are.

    The values are not known one by one, but their mean and their variance are. The square of the
    sum of their distances from the bound, over the sum of the squares, is the number of equal
    distances with these moments (L. Kish, Survey Sampling, 1965), here rounded up. Of hits, it is
    their number. Up to 3, the end is that of Clopper and Pearson, and of more, it is Wilson's with
    fewer errors, see above.

    Args:
        one: The interval by the standard error; returned as it is if it is of another method.
        bounds: The range of the values.
    """
    least, most = bounds
    known = math.isfinite(one.standard_error) and least < one.value < most
    if one.method != "Wilson, effective n" or not known:
        return one
    count, variance = one.units, one.standard_error**2 * (one.units - 1)
    numbers = [
        math.ceil(count * square / (variance + square) - _ROUNDED)
        for square in ((one.value - bound) ** 2 for bound in bounds)
    ]
    if min(numbers) > FEW:
        return _of_more_errors(one, count - 1, bounds)
    low, high = one.low, one.high
    for bound, few in zip(bounds, numbers, strict=True):
        if few <= FEW:
            fewest = clopper_pearson(few, count, one.level)[0] * count / few
            end = bound + (one.value - bound) * fewest
            low, high = min(low, end), max(high, end)
    return replace(one, low=low, high=high, method=f"{one.method}, Clopper-Pearson")


def _of_more_errors(one: Interval, df: int, bounds: Range) -> Interval:
    """Return the interval, extended towards the nearer bound."""
    least, most = bounds
    share = (one.value - least) / (most - least)
    near = abs(2 * share - 1)
    quantile = float(precise_quantile((1 + Decimal(repr(one.level))) / 2, df))
    fewer = min(1.0, 2 * near) * (0.5 + (quantile * quantile - 1) / 6 * near) / one.effective
    if share < 0.5:
        end, _ = wilson(max(share - fewer, 0.0), one.effective, one.level, df)
        return replace(one, low=min(one.low, least + (most - least) * end))
    _, end = wilson(min(share + fewer, 1.0), one.effective, one.level, df)
    return replace(one, high=max(one.high, least + (most - least) * end))
