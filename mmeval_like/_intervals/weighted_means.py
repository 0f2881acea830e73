"""The interval of a weighted mean of independent values, such as those of slices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Context, localcontext
from fractions import Fraction

from mmeval_like._intervals.interval import Interval, unknown
from mmeval_like._intervals.spanning import spanning, spans
from mmeval_like._intervals.transforms import as_decimal, bounded

__all__ = ["weighted_mean"]

_DIGITS = Context(prec=50)
_TOGETHER = "clusters may have samples in several slices, whose values then depend on each other"


def weighted_mean(value: float, several: Sequence[tuple[Interval, Fraction]]) -> Interval:
    """Return the interval of a weighted mean of independent values.

    The squares of the arms add up, each times the square of the weight (G. Y. Zou, W. Huang and X.
    Zhang, Comput. Stat. Data Anal. 53, 2009). The interval of shares of hits also contains Wilson's
    with the effective number of samples (E. L. Korn and B. I. Graubard, Survey Methodology 24,
    1998). Where samples have no score, it reaches from the interval of the mean of the lowest
    values to that of the highest.

    Args:
        value: The weighted mean.
        several: The intervals of the values, and their weights, which add up to 1.
    """
    found = _weighted_mean(value, several)
    if not any(spans(one) for one, _ in several) or math.isnan(found.low):
        return found
    ends = [
        [(one.below if below else one.above, share) for one, share in several]
        for below in (True, False)
    ]
    means = [float(sum(Fraction(one.value) * share for one, share in end)) for end in ends]
    return spanning(found, *map(_weighted_mean, means, ends))


def _weighted_mean(value: float, several: Sequence[tuple[Interval, Fraction]]) -> Interval:
    units, level = sum(one.units for one, _ in several), several[0][0].level
    unit = several[0][0].unit
    thin = next((one.thin for one, _ in several if one.thin is not None), None)
    if not all(map(math.isfinite, (e for one, _ in several for e in (one.low, one.high)))):
        return unknown(value, level, units, thin or "a slice has no finite interval", unit)
    if unit == "cluster":
        thin = thin or _TOGETHER
    mean = sum((Fraction(one.value) * share for one, share in several), Fraction(0))
    below = _root([(Fraction(one.value) - Fraction(one.low), share) for one, share in several])
    above = _root([(Fraction(one.high) - Fraction(one.value), share) for one, share in several])
    low, high, error = float(mean - below), float(mean + above), math.nan
    if all(math.isfinite(one.standard_error) for one, _ in several):
        error = float(_root([(Fraction(one.standard_error), share) for one, share in several]))
    scale = _scale_of_hits([one for one, _ in several])
    if scale is not None and error and len(several) > 1:
        ends, _ = bounded(value, Fraction(error) ** 2, units, (0.0, scale), level, None)
        low, high = min(low, ends[0]), max(high, ends[1])
    method, nan = "post-stratified", math.nan
    return Interval(value, low, high, level, error, method, unit, units, nan, thin)


def _scale_of_hits(several: Sequence[Interval]) -> float | None:
    """Return the value of only hits, such as 100; None if not all are shares, or none has hits."""
    scale = None
    for one in several:
        if one.counts is None or len(one.counts) != 2:
            return None
        if one.counts[0]:
            scale = float(round(one.value * sum(one.counts) / one.counts[0]))
        hits = (scale or 1.0) * one.counts[0] / sum(one.counts)
        if not math.isclose(one.value, hits, rel_tol=1e-9):
            return None  # values without hits are not 0, as those of a judge who says 1 or 5
    return scale


def _root(arms: Sequence[tuple[Fraction, Fraction]]) -> Fraction:
    """Return the root of the sum of the squares of arms times shares, to 50 digits."""
    total = sum(((arm * share) ** 2 for arm, share in arms), Fraction(0))
    with localcontext(_DIGITS):
        return Fraction(as_decimal(total).sqrt())
