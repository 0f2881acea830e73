"""Values between two bounds whose skewness is not that of a proportion."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq
from scipy.stats import t as student

import mmeval_like as mm
from mmeval_like._intervals.interval import Interval, estimate
from mmeval_like._intervals.jackknife.left_out import LeftOut
from mmeval_like._intervals.jackknife.skewed_samples import of_skewed_samples


@cache
def kappa_of(*cells: int) -> Interval:
    """The interval of the kappa of two judges of two classes, from the four counts."""
    metric = mm.CohenKappa(2, interval=0.95)
    metric.add(np.repeat([0, 1, 0, 1], cells), np.repeat([0, 0, 1, 1], cells))
    metric.compute()
    found: Interval = metric.intervals["kappa"]
    return found


def test_a_kappa_of_a_rare_class_is_covered_on_both_sides() -> None:
    """0.037 of intervals ended below a kappa of 0.3 of 300 samples of classes 9 to 1."""
    rng = np.random.default_rng(3)
    agreed = 0.3 * 0.09 * np.array([1, -1, -1, 1]) + [0.81, 0.09, 0.09, 0.01]
    found = [kappa_of(*cells) for cells in rng.multinomial(300, agreed, 500).tolist()]
    assert np.mean([one.thin is None and one.high < 0.3 for one in found]) < 0.03
    assert np.mean([one.thin is None and one.low > 0.3 for one in found]) < 0.03


def plain_and_extended(values: Any, bounds: tuple[float, float]) -> tuple[Interval, Interval]:
    """The interval of Wilson's form of a mean, and the extended one."""
    numbers = np.asarray(values, float)
    count = len(numbers)
    without = ((numbers.sum() - numbers) / (count - 1)).tolist()
    left = LeftOut("sample", count, [1] * count, lambda: {"mean": [without]})
    value = float(numbers.mean())
    one = estimate(value, left.variance("mean"), bounds, 0.95, count, left.df)
    return one, of_skewed_samples(one, left, "mean", 0, bounds)


@pytest.mark.parametrize("side", [1, -1])
def test_the_variance_grows_at_half_of_the_measured_rate(side: int) -> None:
    """The end is where the squared distance is that many variances, found by bisection."""
    values = side * np.array([0.2] * 50 + [0.3] * 40 + [1.0] * 10)
    bounds = (-1.0, 0.5) if side > 0 else (-0.5, 1.0)
    plain, extended = plain_and_extended(values, bounds)
    apart = values - values.mean()
    rate = (apart**3).mean() / (apart**2).mean() / 100 / 2  # of the variance of a tilted mean

    def beyond(end: float) -> float:
        arm = end - plain.value
        wilson = (end - bounds[0]) * (bounds[1] - end) / plain.effective
        return float(arm**2 - student.ppf(0.975, 99) ** 2 * (wilson + rate * arm))

    end, other = (extended.high, extended.low) if side > 0 else (extended.low, extended.high)
    assert end == pytest.approx(brentq(beyond, plain.value + side * 1e-3, side * 0.5), abs=1e-6)
    assert other == (plain.low if side > 0 else plain.high)


def test_a_proportion_has_its_own_skewness() -> None:
    """Nothing is added to the variance of hits, which Wilson knows, nor to symmetric values."""
    for values in ([1] * 90 + [0] * 10, [1] * 10 + [0] * 90, [0.4, 0.6] * 50):
        plain, extended = plain_and_extended(values, (0.0, 1.0))
        assert (extended.low, extended.high) == pytest.approx((plain.low, plain.high), abs=1e-12)


def test_a_win_rate_with_hardly_a_win_is_rarely_below() -> None:
    """30 games, of which 0.5% are won and 60% are drawn, over all outcomes with at most 4 wins.

    The multinomial distribution gives the exact probability: 4.9% with Wilson's skewness alone.
    """
    games, chances = 30, (0.005, 0.6, 0.395)
    true, missed, total = chances[0] + chances[1] / 2, 0.0, 0.0
    for won in range(5):
        for drawn in range(games - won + 1):
            counts = (won, drawn, games - won - drawn)
            chance = stats.multinomial.pmf(counts, games, chances)
            total += chance
            if chance < 1e-6:
                continue
            metric = mm.Mean(bounds=(0, 1), interval=0.95)
            metric.add(np.repeat([1.0, 0.5, 0.0], counts))
            metric.compute()
            one = metric.intervals["mean"]
            missed += chance * (one.thin is None and one.low > true)
    assert total > 0.999
    assert missed < 0.026
