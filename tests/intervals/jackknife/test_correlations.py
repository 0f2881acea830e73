"""Correlations of evenly spread numbers: intervals allow for the skewness of their estimates."""

import math

import numpy as np
import pytest
from scipy.stats import t

import mmeval_like as mm
from mmeval_like._intervals.interval import Interval
from tools.interval_rows import evenly


def _interval(x: np.ndarray, y: np.ndarray) -> Interval:
    metric = mm.PearsonCorrCoef(interval=0.95)
    metric.add(y, x)
    metric.compute()
    found: Interval = metric.intervals["pearson"]
    return found


@pytest.mark.parametrize("slope", [0.95, -0.8, 0.1])
def test_the_farther_end_is_that_of_the_tilted_interval_on_the_scale_of_fisher(
    slope: float,
) -> None:
    """By numpy, from the samples: both variances of squares give the third cumulant of z."""
    rng = np.random.default_rng(3)
    x = rng.uniform(-1, 1, 60)
    y = slope * x + 0.2 * rng.normal(size=60)
    one = _interval(x, y)
    first, second = (x - x.mean()) / x.std(), (y - y.mean()) / y.std()
    sums = [(first + second) ** 2, (first - second) ** 2]
    cubes = [min(each.var() / each.mean() ** 2, 2) ** 3 for each in sums]
    variance = (one.standard_error / (1 - one.value**2)) ** 2
    skew = (cubes[0] - cubes[1]) / 8 / 60**2 / variance
    quantile = t.ppf(0.975, 55)  # five sums vary
    grown = abs(skew) * quantile**2 / 2
    arm = grown + math.sqrt(quantile**2 * variance + grown**2)
    end = math.tanh(math.atanh(one.value) + math.copysign(arm, skew))
    assert (one.low if skew < 0 else one.high) == pytest.approx(end, abs=1e-12)
    assert one.method == "Wilson, effective n, tilted t"


def test_a_correlation_is_the_same_with_both_numbers_swapped_moved_or_mirrored() -> None:
    """The interval of -x and y is the mirrored one."""
    y, x = evenly(np.random.default_rng(1), 50)
    one = _interval(x, y)
    ends = pytest.approx((one.low, one.high), abs=1e-4)  # the delta method takes sums in turn
    swapped, moved, mirrored = _interval(y, x), _interval(1024 * x + 1e6, y - 8), _interval(-x, y)
    assert (swapped.low, swapped.high) == ends
    assert (moved.low, moved.high) == ends
    assert (-mirrored.high, -mirrored.low) == ends


def test_other_values_between_the_same_bounds_are_not_tilted() -> None:
    """Lin's concordance differs from the correlation if one mean is larger."""
    y, x = evenly(np.random.default_rng(1), 50)
    metric = mm.ConcordanceCorrCoef(interval=0.95)
    metric.add(y + 1, x)
    metric.compute()
    assert next(iter(metric.intervals.values())).method == "Wilson, effective n, less bias"
