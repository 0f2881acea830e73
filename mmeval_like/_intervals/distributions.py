"""Quantiles of the normal and of Student's t distribution, with the same bits on every processor.

All arithmetic uses the standard library's `decimal` with 50 digits, and results are rounded once,
to a float. The mathematical functions of the C library differ between processors in the last
bit, those of `decimal` do not.
"""

from __future__ import annotations

from decimal import Context, Decimal, localcontext
from functools import lru_cache

__all__ = ["PI", "normal_cdf", "normal_quantile", "precise_quantile", "t_cdf", "t_quantile"]

_DIGITS = Context(prec=50)
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459")
_ENOUGH = Decimal("1e-48")  # smaller terms of a series are ignored
_FAR = Decimal(15)  # a normal variable is farther from 0 with probability 1e-50
_EXACT_UP_TO = 300  # degrees of freedom; beyond, the expansion in 1 / df is exact to a float


def normal_quantile(probability: float) -> float:
    """Return the value that a standard normal variable stays below with this probability.

    Args:
        probability: Between 0 and 1, both excluded.

    Raises:
        ValueError: The probability is outside this range.

    Example:
        >>> round(normal_quantile(0.975), 12)
        1.95996398454
    """
    return float(precise_quantile(probability, None))


def normal_cdf(value: float) -> float:
    """Return the probability that a standard normal variable is at most `value`.

    Example:
        >>> normal_cdf(0.0)
        0.5
    """
    with localcontext(_DIGITS):
        return float((1 + _normal_centre(Decimal(value))) / 2)


def t_quantile(probability: float, df: int) -> float:
    """Return the value that Student's t stays below with this probability.

    The distribution function is the finite sum of Abramowitz and Stegun, Handbook of Mathematical
    Functions (1964), 26.7.3 and 26.7.4, inverted by Newton's method; beyond 300 degrees of freedom
    it is the expansion 26.7.5 around the normal quantile.

    Args:
        probability: Between 0 and 1, both excluded.
        df: Degrees of freedom, a positive integer.

    Raises:
        ValueError: An argument is outside its range.

    Example:
        >>> round(t_quantile(0.975, 10), 12)
        2.228138851986
    """
    return float(precise_quantile(probability, df))


def precise_quantile(probability: float | Decimal, df: int | None) -> Decimal:
    """Return a quantile before it is rounded to a float.

    Args:
        probability: As in `normal_quantile`.
        df: As in `t_quantile`; None for the normal distribution.

    Raises:
        ValueError: An argument is outside its range.

    Example:
        >>> float(precise_quantile(0.75, 1))
        1.0
    """
    if not 0 < probability < 1:
        raise ValueError(f"probability must lie between 0 and 1, got {probability}")
    if df is None:
        return _normal_quantile(Decimal(probability))
    if df < 1:
        raise ValueError(f"df must be a positive integer, got {df}")
    return _t_quantile(Decimal(probability), df)


def t_cdf(value: float, df: int) -> float:
    """Return the probability that Student's t with `df` degrees of freedom is at most `value`.

    Beyond 300 degrees of freedom it is the normal distribution at the value that the expansion
    26.7.5 of Abramowitz and Stegun maps to `value`.

    Raises:
        ValueError: `df` is not a positive integer.

    Example:
        >>> t_cdf(1.0, 1)
        0.75
    """
    if df < 1:
        raise ValueError(f"df must be a positive integer, got {df}")
    with localcontext(_DIGITS):
        size = abs(Decimal(value))
        if not size.is_finite() or size > 10**15:
            centre = Decimal(1)
        elif df <= _EXACT_UP_TO:
            centre = _t_centre(size, df)
        else:
            centre = _normal_centre(_normal_at(size, df))
        return float((1 + centre if value > 0 else 1 - centre) / 2)


def _normal_centre(x: Decimal) -> Decimal:
    """Return the probability between -x and x, with the sign of x."""
    if abs(x) > _FAR:
        return Decimal(1).copy_sign(x)
    # Abramowitz and Stegun 26.2.11: all terms are positive, so that nothing cancels.
    term = total = x
    n = 1
    while abs(term) > _ENOUGH:
        n += 2
        term = term * x * x / n
        total += term
    return 2 * total * _normal_density(x)


def _normal_density(x: Decimal) -> Decimal:
    return (-x * x / 2).exp() / (2 * PI).sqrt()


@lru_cache(maxsize=256)
def _normal_quantile(probability: Decimal) -> Decimal:
    with localcontext(_DIGITS):
        wanted = 2 * probability - 1
        x = Decimal(0)
        for _ in range(200):  # Newton's method from the steepest point never passes the root
            step = (_normal_centre(x) - wanted) / (2 * _normal_density(x))
            x -= step
            if abs(step) < Decimal("1e-40"):
                break
        return x


def _atan(x: Decimal) -> Decimal:
    """Return the arc tangent of a number that is not negative."""
    halvings = 0
    while x > Decimal("0.1"):
        x = x / (1 + (1 + x * x).sqrt())
        halvings += 1
    term = total = x
    n = 1
    while abs(term) > _ENOUGH:
        n += 2
        term = -term * x * x
        total += term / n
    return total * Decimal(2**halvings)


def _t_centre(t: Decimal, df: int) -> Decimal:
    """Return the probability between -t and t, for t >= 0."""
    cos2 = df / (df + t * t)
    sin = (t * t / (df + t * t)).sqrt()
    even = df % 2 == 0
    term = Decimal(1) if even else cos2.sqrt()
    total = Decimal(0)
    for n in range(2 if even else 3, df + 1, 2):
        total += term
        term = term * cos2 * (n - 1) / n
    if even:
        return sin * total
    return 2 / PI * (_atan(t / Decimal(df).sqrt()) + sin * total)


def _t_density(t: Decimal, df: int) -> Decimal:
    """Return the density at t, without gamma functions: their ratio is a finite product."""
    factor = Decimal(1) / (2 * Decimal(2).sqrt()) if df % 2 == 0 else 1 / PI
    if df % 2 == 0:
        for n in range(2, df, 2):
            factor = factor * (n + 1) / n
        factor = factor * Decimal(2).sqrt() / Decimal(df).sqrt()
    else:
        for n in range(1, df, 2):
            factor = factor * (n + 1) / n
        factor = factor / Decimal(df).sqrt()
    base = df / (df + t * t)
    half = base.sqrt() if df % 2 == 0 else Decimal(1)
    density: Decimal = factor * half * base ** ((df + 1) // 2)
    return density


@lru_cache(maxsize=256)
def _t_quantile(probability: Decimal, df: int) -> Decimal:
    with localcontext(_DIGITS):
        if df > _EXACT_UP_TO:
            return _t_at(_normal_quantile(probability), df)
        upper = abs(2 * probability - 1)
        t = Decimal(0)
        for _ in range(400):
            step = (upper - _t_centre(t, df)) / (2 * _t_density(t, df))
            t += step
            if abs(step) <= Decimal("1e-40") * (1 + t):
                break
        return t if probability > Decimal("0.5") else -t


def _t_at(x: Decimal, df: int) -> Decimal:
    """Return the quantile of t for the probability whose normal quantile is x.

    The first four terms are those of Abramowitz and Stegun 26.7.5, the fifth is that of Fisher and
    Cornish, The percentile points of distributions having known cumulants (1960).
    """
    x2 = x * x
    terms = (
        (x2 + 1) * x / 4,
        ((5 * x2 + 16) * x2 + 3) * x / 96,
        (((3 * x2 + 19) * x2 + 17) * x2 - 15) * x / 384,
        ((((79 * x2 + 776) * x2 + 1482) * x2 - 1920) * x2 - 945) * x / 92160,
        (((((27 * x2 + 339) * x2 + 930) * x2 - 1782) * x2 - 765) * x2 + 17955) * x / 368640,
    )
    return x + sum((term / df**n for n, term in enumerate(terms, 1)), Decimal(0))


def _normal_at(t: Decimal, df: int) -> Decimal:
    """Return the normal value that `_t_at` maps to t, for t >= 0; above `_FAR`, any such value."""
    if t > _t_at(_FAR, df):
        return _FAR + 1  # the iteration below would diverge
    x = t
    for _ in range(100):
        step = t - _t_at(x, df)
        x += step
        if abs(step) <= Decimal("1e-30") * (1 + abs(t)):
            break
    return x
