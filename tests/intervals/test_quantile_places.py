"""The places of the ends of a quantile's interval, against scipy's binomial distribution."""

from fractions import Fraction

import pytest
from scipy.stats import binom

from mmeval_like._intervals.quantile_places import quantile_places

SHARES = [
    Fraction(0),
    Fraction(1, 100),
    Fraction(1, 3),
    Fraction(1, 2),
    Fraction(9, 10),
    Fraction(1),
]


@pytest.mark.parametrize("count", [1, 2, 5, 6, 10, 30, 100, 999])
@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
def test_each_end_is_the_closest_valid_one(count: int, level: float) -> None:
    """It is missed in at most (1 - level) / 2 of all cases, and the next sample in more."""
    for share in SHARES:
        low, high = quantile_places(share, count, level)
        below = binom(count, float(share))
        chance = (1 - level) / 2
        number = 0 if low is None else low + 1
        assert below.cdf(number - 1) <= chance + 1e-12
        assert number == count or below.cdf(number) > chance - 1e-12
        number = count if high is None else high
        assert below.sf(number) <= chance + 1e-12
        assert number == 0 or below.sf(number - 1) > chance - 1e-12
