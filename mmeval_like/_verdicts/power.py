"""How many units a decision needs, and which difference a comparison detects, with 80% power."""

from __future__ import annotations

import math

from mmeval_like._intervals.distributions import normal_quantile, t_quantile
from mmeval_like._intervals.interval import Interval
from mmeval_like._intervals.spanning import spans
from mmeval_like._intervals.value_ranges import Range

__all__ = ["POWER", "largest_unseen", "needed", "needed_at", "needed_to_detect"]

POWER = 0.8
"""The probability with which the numbers of units that are given decide."""


def needed(
    deviations: tuple[float, float],
    distance: float,
    level: float,
    power: float = POWER,
    df: int | None = None,
) -> float:
    """Return the number of units for a decision, before it is rounded up.

    Args:
        deviations: The standard deviation of one unit where the true value is at the bound, and
            where it is at the distance. The second is 0 for an interval of a given half-width.
        distance: The distance of the true value from the bound, not 0.
        level: The level of the interval that must exclude the bound.
        power: The probability of it.
        df: The degrees of freedom of the variance; None: the normal distribution.

    Example:
        >>> round(needed((1.0, 1.0), 0.5, 0.95), 1)  # (1.96 + 0.84)^2 / 0.25
        31.4
    """
    quantiles = (
        normal_quantile(chance) if df is None else t_quantile(chance, df)
        for chance in ((1 + level) / 2, power)
    )
    arm = sum(q * deviation for q, deviation in zip(quantiles, deviations, strict=True))
    return (arm / distance) ** 2


def needed_at(interval: Interval, bound: float, values: Range, power: float = POWER) -> int | None:
    """Return the number of units for a decision at a bound; None: unknown.

    With that number of units, most intervals are symmetric. The intervals of Wilson and Tango end
    where a true value at the bound would be equally far away: their error is the error at the
    bound, where the share of samples that change is at least the bound. An interval that holds for
    any distribution shrinks at least as fast as the root of the number of units grows, and what
    units may be that were not seen as fast as this number. Exact bounds
    of shares of hits need 1 / distance more samples (J. L. Fleiss, B. Levin and M. C. Paik,
    Statistical Methods for Rates and Proportions, 2003).

    Args:
        interval: The interval that did not decide; its value is assumed to be the true one.
        bound: The bound.
        values: The range of the value.
        power: The probability of the decision.
    """
    one, (least, most), error = interval, values, interval.standard_error
    if spans(one):  # more samples do not help if as many of them have no score
        return None
    if one.effective > 0 and math.isfinite(most - least):  # nan for most other shapes
        error = math.sqrt((bound - least) * (most - bound) / one.effective)
    if one.method.startswith("Tango") and math.isfinite(most - least):
        error = max(error, math.sqrt(abs(bound) * (most - least - abs(bound)) / one.units))
    arm = one.value - one.low if bound < one.value else one.high - one.value
    side = normal_quantile((1 + one.level) / 2)
    if one.method.endswith("betting"):  # it ends farther away than the error says
        error = max(error, arm / side)
    # A value at the bound: the difference of two decimals is close to 0, rarely exactly 0.
    there = math.isclose(one.value, bound, rel_tol=1e-9, abs_tol=1e-12)
    if there or not math.isfinite(error + one.standard_error) or one.unit == "group":
        return None
    distance = abs(one.value - bound)
    # As many units as there are:
    times = needed((error, one.standard_error), distance, one.level, power)
    if one.counts is not None and not any(one.counts[:2]):  # no flip: the whole arm is unseen
        times = _with_unseen(0.0, arm, distance)
    elif one.method.endswith(", Clopper-Pearson"):
        times = _with_unseen(math.sqrt(times) * distance, arm - side * error, distance)
    exact = one.method == "Clopper-Pearson" and math.isfinite(most - least)
    more = (most - least) / distance if exact else 0.0
    return max(one.units + 1, math.ceil(one.units * times + more))


def _with_unseen(error: float, unseen: float, distance: float) -> float:
    """Return how many times the units are needed if two parts of an arm must fit into a distance.

    Args:
        error: The part that shrinks with the root of the number of units.
        unseen: The part that shrinks with the number itself.
        distance: The distance, above 0.
    """
    if unseen <= 0:
        return (error / distance) ** 2
    root = (error + math.sqrt(error * error + 4 * unseen * distance)) / (2 * distance)
    return root * root


def needed_to_detect(units: int, detectable: float, difference: float) -> int | None:
    """Return the number of units with which a true difference is detected; None: unknown.

    The detectable difference shrinks with the square root of the number of units.

    Args:
        units: The number of units so far.
        detectable: The difference that this number detects.
        difference: The difference to detect.

    Example:
        >>> needed_to_detect(200, 0.06, 0.02)
        1800
    """
    if not (math.isfinite(detectable) and detectable > 0 and difference):
        return None
    return math.ceil(round(units * (detectable / difference) ** 2, 6))


def largest_unseen(units: int, level: float) -> float:
    """Return the largest share of units that differ, if none of these units does.

    It is the exact one-sided bound of a share without hits; for the level 0.95 about 3 / units.

    Example:
        >>> round(largest_unseen(40, 0.95), 3)
        0.072
    """
    return -math.expm1(math.log1p(-level) / units)
