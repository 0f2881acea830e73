"""Intervals from a value and its standard error: one function for each shape.

The shape for a metric depends on the range of its values and on what is known about its units. All
arithmetic is decimal, see `distributions`; both ends are rounded once, to floats.
"""

from __future__ import annotations

from decimal import Context, Decimal, localcontext
from fractions import Fraction

from mmeval_like._intervals.distributions import precise_quantile

__all__ = [
    "as_decimal",
    "as_float",
    "bounded",
    "delong",
    "log_ratio",
    "newcombe",
    "symmetric",
    "wilson",
]

_DIGITS = Context(prec=50)
_ALL_FLOATS = Decimal(2000)  # every float times e^-2000 is 0, and times e^2000 infinite

_HALVINGS = 60  # of the distance to an end

Number = int | float | Fraction | Decimal
Ends = tuple[float, float]


def as_decimal(value: Number) -> Decimal:
    """Return a number with 50 digits; floats and integers keep their exact value."""
    if isinstance(value, Fraction):
        with localcontext(_DIGITS):
            return Decimal(value.numerator) / Decimal(value.denominator)
    return Decimal(value)


def as_float(value: Decimal) -> float:
    """Return the nearest float.

    Raises:
        MemoryError: Memory ran out; Python raises a ValueError, as for text that is not a number.
    """
    try:
        return float(value)
    except ValueError as error:
        raise MemoryError(f"memory ran out while {value} was converted") from error


def wilson(share: Number, count: Number, level: float, df: int | None = None) -> Ends:
    """Return Wilson's interval of a share that rests on `count` samples.

    E. B. Wilson, Probable inference, the law of succession, and statistical inference, JASA 1927.

    Args:
        share: The share, in [0, 1].
        count: The number of independent samples; an effective number need not be an integer.
        level: The share of such intervals that contain the truth, for instance 0.95.
        df: The degrees of freedom of Student's t; None for the normal distribution.

    Returns:
        Both ends; 0 and 1 if there are no samples.

    Example:
        >>> [round(end, 6) for end in wilson(Fraction(45, 50), 50, 0.95)]
        [0.786398, 0.956524]
    """
    with localcontext(_DIGITS):
        p, m, q = as_decimal(share), as_decimal(count), _quantile(level, df)
        if m == 0:
            return 0.0, 1.0
        middle = p + q * q / (2 * m)
        arm = q * (p * (1 - p) / m + q * q / (4 * m * m)).sqrt()
        scale = 1 + q * q / m
        low, high = (middle - arm) / scale, (middle + arm) / scale
        return as_float(max(low, Decimal(0))), as_float(min(high, Decimal(1)))


def bounded(
    value: Number,
    variance: Number,
    units: Number,
    bounds: tuple[float, float],
    level: float,
    df: int | None,
) -> tuple[Ends, float]:
    """Return Wilson's interval with the effective number of samples, and that number.

    The effective number is that with which a proportion of this value has this variance (Korn and
    Graubard, Confidence intervals for proportions with small expected number of positive counts
    estimated from survey data, Survey Methodology 1998).

    Args:
        value: The value, inside the bounds.
        variance: The squared standard error of the value.
        units: The number of units, which is the effective number if the variance is 0.
        bounds: The smallest and the largest possible value.
        level: As in `wilson`.
        df: As in `wilson`.

    Example:
        >>> bounded(0.9, 0.9 * 0.1 / 50, 50, (0.0, 1.0), 0.95, None)[1] > 49
        True
    """
    with localcontext(_DIGITS):
        least, most = map(as_decimal, bounds)
        p = (as_decimal(value) - least) / (most - least)
        squared = as_decimal(variance) / (most - least) ** 2
        known = squared > 0 and 0 < p < 1
        effective = p * (1 - p) / squared if known else as_decimal(units)
        low, high = wilson(p, effective, level, df)
        scaled = (as_float(least + (most - least) * as_decimal(end)) for end in (low, high))
        return (next(scaled), next(scaled)), as_float(effective)


def symmetric(value: Number, variance: Number, level: float, df: int | None) -> Ends:
    """Return value -+ quantile * standard error.

    Example:
        >>> [round(end, 3) for end in symmetric(22, Fraction(77005, 204), 0.95, 4)]
        [-31.943, 75.943]
    """
    with localcontext(_DIGITS):
        arm = _quantile(level, df) * as_decimal(variance).sqrt()
        return as_float(as_decimal(value) - arm), as_float(as_decimal(value) + arm)


def log_ratio(value: Number, log_variance: Number, level: float, df: int | None) -> Ends:
    """Return the interval that is symmetric on the logarithmic scale.

    Args:
        value: The value, which is positive.
        log_variance: The squared standard error of the value's natural logarithm.
        level: As in `wilson`.
        df: As in `wilson`.

    Example:
        >>> log_ratio(2.0, 0.0, 0.95, 10)
        (2.0, 2.0)
        >>> log_ratio(2.0, 1e20, 0.95, 10)
        (0.0, inf)
    """
    with localcontext(_DIGITS):
        arm = min(_quantile(level, df) * as_decimal(log_variance).sqrt(), _ALL_FLOATS).exp()
        return as_float(as_decimal(value) / arm), as_float(as_decimal(value) * arm)


def delong(
    area: Number,
    variance: Number,
    positives: int,
    negatives: int,
    df: int,
    level: float,
    shift: Number = 0,
) -> Ends:
    """Return the interval of an area under the ROC curve, symmetric on the logit scale.

    The variance is that of DeLong et al., Biometrics 1988; the scale is from Kottas, Kuss and
    Zapf, BMC Med. Res. Methodol. 14:26 (2014). Without variance it is Wilson's interval with the
    sample count of the rarer class.

    Args:
        area: The area, in [0, 1].
        variance: The squared standard error of the area.
        positives: The number of positive samples, at least 1.
        negatives: The number of negative samples, at least 1.
        df: The degrees of freedom of the variance.
        level: As in `wilson`.
        shift: By how much the middle of the interval is below the logit of the area.

    Example:
        >>> delong(1.0, 0.0, 20, 30, 1, 0.95)[1]
        1.0
    """
    with localcontext(_DIGITS):
        a, v = as_decimal(area), as_decimal(variance)
        if v <= 0 or not 0 < a < 1:
            return wilson(a, min(positives, negatives), level)
        centre = (a / (1 - a)).ln() - as_decimal(shift)
        arm = _quantile(level, df) * v.sqrt() / (a * (1 - a))
        ends = (min(arm - centre, _ALL_FLOATS), min(-arm - centre, _ALL_FLOATS))
        low, high = (1 / (1 + end.exp()) for end in ends)
        return as_float(low), as_float(high)


def newcombe(area: Number, positives: int, negatives: int, level: float) -> Ends:
    """Return the interval of an area under the ROC curve, from its variance at the supposed area.

    It does not need to know how the placements are distributed. The variance is that of J. A.
    Hanley and B. J. McNeil (Radiology 143, 1982) with the mean of both sample counts, method 5 of
    R. G. Newcombe, Confidence intervals for an effect size measure based on the Mann-Whitney
    statistic, part 2, Statist. Med. 25 (2006).

    Args:
        area: The area, in [0, 1].
        positives: The number of positive samples, at least 1.
        negatives: The number of negative samples, at least 1.
        level: As in `wilson`.

    Example:
        >>> [round(end, 4) for end in newcombe(0.98, 40, 400, 0.95)]
        [0.9397, 0.9933]
    """
    with localcontext(_DIGITS):
        a, q = as_decimal(area), _quantile(level, None)
        scale = q * q / (Decimal(positives) * negatives)
        more = Decimal(positives + negatives) / 2 - 1

        def beyond(supposed: Decimal) -> bool:
            pairs = (1 - supposed) / (2 - supposed) + supposed / (1 + supposed)
            return (a - supposed) ** 2 > scale * supposed * (1 - supposed) * (1 + more * pairs)

        ends = []
        for outside in (Decimal(0), Decimal(1)):
            inside = a
            for _ in range(_HALVINGS if inside != outside else 0):
                middle = (inside + outside) / 2
                outside, inside = (middle, inside) if beyond(middle) else (outside, middle)
            ends.append(as_float(outside))
        return ends[0], ends[1]


def _quantile(level: float, df: int | None) -> Decimal:
    with localcontext(_DIGITS):
        upper = (1 + Decimal(repr(level))) / 2  # 0.95 means 95 in 100, not the float next to it
    return precise_quantile(upper, df)
