"""Intervals of means of values between two bounds that hold for any distribution of the values.

An end is the supposed mean against which bets on the values have just won the largest capital that
chance allows: I. Waudby-Smith and A. Ramdas, Estimating means of bounded random variables by
betting, J. R. Stat. Soc. B 86 (2024), for a single look. The capital needs all values. Of all
distributions with the same first four moments, the capital is smallest for the one that has at most
three values, of which one is the bound (M. G. Krein and A. A. Nudelman, The Markov moment problem
and extremal problems, AMS 1977): by Markov's theorem, since the fifth derivative of the logarithm
is positive. So four moments are enough, and the ends are still valid.

A mean of values in clusters is a ratio: the sum of the clusters' sums divided by that of their
sizes. If it is m, a sum less m times the size is 0 on average, for clusters of any sizes, and so a
cluster is a value between 0 and 1 whose mean is m: m plus this difference divided by the largest
size. If all sizes are equal, that is the mean of the cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from math import comb, lcm

from mmeval_like._intervals.transforms import as_decimal, as_float

__all__ = ["any_clusters", "any_distribution"]

_DIGITS = Context(prec=28)
_BETS = 4  # each is twice as large as the one before
_LARGEST = Decimal("0.9")  # the share of the capital that a value at the bound may cost
_EQUAL = 10**20  # relative to the moments: values that vary less than 1 in this are taken as equal
_SLACK = Decimal("1e-9")  # by how much rounding may move a value beyond a bound
_ENOUGH = Decimal("1e-12")  # the precision of an end

Atom = tuple[Decimal, Decimal]  # a value, and its share of the samples


def any_distribution(
    moments: Sequence[Fraction], count: int, level: float
) -> tuple[float, float] | None:
    """Return the ends of the interval of the mean of values in [0, 1]; None for other values.

    Args:
        moments: The means of the values, and of their second to fourth powers.
        count: The number of samples.
        level: The least share of such intervals that contain the truth, for instance 0.95.

    Example:
        >>> ones = any_distribution([Fraction(1)] * 4, 30, 0.95)
        >>> [round(end, 3) for end in ones]
        [0.873, 1.0]
        >>> half = [Fraction(29 + Fraction(1, 2) ** k, 30) for k in range(1, 5)]
        >>> [round(end, 3) for end in any_distribution(half, 30, 0.95)]
        [0.854, 1.0]
    """
    one, two, three, four = moments
    mirrored = (
        1 - one,
        1 - 2 * one + two,
        1 - 3 * one + 3 * two - three,
        1 - 4 * one + 6 * two - 4 * three + four,
    )
    with localcontext(_DIGITS):
        atoms = [_least_favourable(each) for each in (moments, mirrored)]
        if any(not -_SLACK <= value <= 1 + _SLACK for each in atoms for value, _ in each):
            return None
        lower = [
            _lower(lambda _, each=each: each, mean, count, level)  # type: ignore[misc]
            for each, mean in zip(atoms, (one, 1 - one), strict=True)
        ]
        return as_float(lower[0]), as_float(1 - lower[1])


def any_clusters(
    sums: Sequence[Fraction], sizes: Sequence[Fraction], level: float
) -> tuple[float, float] | None:
    """Return the ends of the interval of the mean of values in [0, 1] in clusters.

    Args:
        sums: The sum of the values of each cluster.
        sizes: The number of values of each cluster, at least one of them positive.
        level: As in `any_distribution`.

    Returns:
        Both ends; None if the mean of a cluster is not in [0, 1].

    Example:
        >>> ten, half = [Fraction(10)] * 30, [Fraction(10)] * 29 + [Fraction(5)]
        >>> [round(end, 3) for end in any_clusters(ten, ten, 0.95)]  # all hits
        [0.873, 1.0]
        >>> [round(end, 3) for end in any_clusters(half, ten, 0.95)]  # as of 30 samples
        [0.854, 1.0]
        >>> [round(end, 3) for end in any_clusters(half, half, 0.95)]
        [0.871, 1.0]
    """
    pairs = zip(sums, sizes, strict=True)
    if any(not abs(2 * value - size) <= (1 + 2 * Fraction(_SLACK)) * size for value, size in pairs):
        return None
    missed = [size - value for value, size in zip(sums, sizes, strict=True)]
    with localcontext(_DIGITS):
        low, below_one = (_lower_of_clusters(each, sizes, level) for each in (sums, missed))
        return as_float(low), as_float(1 - below_one)


def _lower_of_clusters(
    sums: Sequence[Fraction], sizes: Sequence[Fraction], level: float
) -> Decimal:
    mean = sum(sums, Fraction(0)) / sum(sizes, Fraction(0))
    return _lower(_Clusters(sums, sizes).atoms, mean, len(sizes), level)


class _Clusters:
    """Clusters as values in [0, 1] whose mean is the supposed one, see above.

    Sums and sizes are multiplied by one number that makes all of them integers, which Python adds
    and multiplies much faster than fractions.

    Args:
        sums: The sum of the values of each cluster.
        sizes: The number of values of each cluster.
    """

    def __init__(self, sums: Sequence[Fraction], sizes: Sequence[Fraction]) -> None:
        whole = _integers([*sums, *sizes])
        hits, counts = whole[: len(sums)], whole[len(sums) :]
        self._largest = max(counts)
        # A value, times the largest size, is h + m rest, with the supposed mean m.
        pairs = [(h, self._largest - n) for h, n in zip(hits, counts, strict=True)]
        self._products = [
            [
                comb(power, i) * sum(h**i * rest ** (power - i) for h, rest in pairs)
                for i in range(power + 1)
            ]
            for power in range(1, 5)
        ]
        self._count = len(pairs)

    def atoms(self, supposed: Decimal) -> list[Atom]:
        """Return the least favourable values with the moments of the clusters."""
        (above, below), moments = supposed.as_integer_ratio(), []
        for power, products in enumerate(self._products, 1):
            terms = (one * above ** (power - i) * below**i for i, one in enumerate(products))
            moments.append(Fraction(sum(terms), self._count * (self._largest * below) ** power))
        return _least_favourable(moments)


def _integers(fractions: Sequence[Fraction]) -> list[int]:
    """Return the fractions times the least common multiple of their denominators."""
    unit = lcm(*(one.denominator for one in fractions))
    return [one.numerator * (unit // one.denominator) for one in fractions]


def _least_favourable(moments: Sequence[Fraction]) -> list[Atom]:
    """Return 0 and up to two more values that have these four moments.

    The other values are the nodes of Gauss's quadrature for the distribution whose moments are
    shifted by one, and so do not see the values that are 0.
    """
    if moments[0] <= 0:
        return [(Decimal(0), Decimal(1))]
    m0, m1, m2, m3 = _integers(moments)  # their unit cancels out
    apart = m0 * m2 - m1 * m1
    if apart * _EQUAL <= m0 * m2:
        value = Fraction(m1, m0)
        found = [(as_decimal(value), as_decimal(moments[0] / value))]
    else:
        total = as_decimal(Fraction(m0 * m3 - m1 * m2, apart))
        product = as_decimal(Fraction(m1 * m3 - m2 * m2, apart))
        middle = total / 2
        arm = max(middle * middle - product, Decimal(0)).sqrt()
        if not arm or middle <= arm:  # only of values beyond the bounds
            return [(Decimal(-1), Decimal(1))]
        size, mean = as_decimal(moments[0]), as_decimal(moments[1])
        upper = (mean - (middle - arm) * size) / (2 * arm)
        sizes = size - upper, upper
        ways = (middle - arm, middle + arm)
        found = [(value, size / value) for value, size in zip(ways, sizes, strict=True)]
    rest = 1 - sum((share for _, share in found), Decimal(0))
    return [(Decimal(0), max(rest, Decimal(0))), *found]


def _lower(
    atoms: Callable[[Decimal], Sequence[Atom]], mean: Fraction, count: int, level: float
) -> Decimal:
    """Return the largest supposed mean that bets on larger values reject.

    The capital falls as the supposed mean rises. The end is found by regula falsi (Illinois
    algorithm) for its logarithm.

    Args:
        atoms: Returns the values and their shares, given the supposed mean.
        mean: The mean.
        count: The number of samples, or clusters.
        level: As in `any_distribution`.
    """
    chance = (1 - Decimal(repr(level))) / 2
    rejected, kept = _ENOUGH, min(as_decimal(mean), 1 - _ENOUGH)
    if kept <= rejected or (won := _beyond(atoms(rejected), count, chance, rejected)) <= 0:
        return Decimal(0)
    lost, moved = chance.ln(), 0  # without a bet won or lost
    while kept - rejected > _ENOUGH:
        at = (kept * won - rejected * lost) / (won - lost)
        at = min(max(at, rejected + _ENOUGH / 2), kept - _ENOUGH / 2)
        beyond = _beyond(atoms(at), count, chance, at)
        if beyond >= 0:  # if one end moves twice, the other gets less weight
            lost = lost / 2 if moved > 0 else lost
            rejected, won, moved = at, beyond, 1
        else:
            won = won / 2 if moved < 0 else won
            kept, lost, moved = at, beyond, -1
    return rejected


def _beyond(atoms: Sequence[Atom], count: int, chance: Decimal, supposed: Decimal) -> Decimal:
    """Return the logarithm of the capital relative to the one that rejects a mean in (0, 1).

    The capital is divided among bets that are best for the variance of hits, a quarter of it, and
    so on.
    """
    most = _LARGEST / supposed
    bet = (-2 * chance.ln() / (count * supposed * (1 - supposed))).sqrt()
    logs: list[Decimal] = []
    while len(logs) < _BETS and bet < most:
        logs.append(_log_capital(atoms, bet, supposed))
        bet *= 2
    if len(logs) < _BETS:
        logs += [_log_capital(atoms, most, supposed)] * (_BETS - len(logs))
    largest = max(logs)
    total = sum(((count * (one - largest)).exp() for one in logs), Decimal(0))
    return count * largest + (total * chance / _BETS).ln()


def _log_capital(atoms: Sequence[Atom], bet: Decimal, supposed: Decimal) -> Decimal:
    """Return the logarithm of what a bet makes of a capital of 1 for each sample, on average."""
    each = (share * (1 + bet * (value - supposed)).ln() for value, share in atoms if share)
    return sum(each, Decimal(0))
