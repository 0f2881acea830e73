"""The shapes of intervals, against figures of statsmodels, scipy and published examples."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mmeval_like._intervals.transforms import bounded, delong, log_ratio, symmetric, wilson
from tests.helpers import requires

stats = requires("scipy.stats")


def test_wilson_is_statsmodels() -> None:
    """Wilson's interval of 45 of 50: all but the last bit of statsmodels' `proportion_confint`.

    Their sum is rounded at every step, ours once.
    """
    theirs = (float.fromhex("0x1.92a2b7aad217dp-1"), float.fromhex("0x1.e9bd8b66e5dc5p-1"))
    assert wilson(Fraction(45, 50), 50, 0.95) == pytest.approx(theirs, rel=2**-52)
    low, high = wilson(1, 50, 0.95)
    assert (round(low, 8), high) == (0.92865240, 1.0)


@given(st.integers(0, 300), st.integers(1, 300), st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_wilson_is_scipys(hits: int, count: int, level: float) -> None:
    """Wilson's interval of any share is scipy's."""
    hits = min(hits, count)
    theirs = stats.binomtest(hits, count).proportion_ci(level, method="wilson")

    low, high = wilson(Fraction(hits, count), count, level)

    assert low == pytest.approx(theirs.low, abs=1e-12)
    assert high == pytest.approx(theirs.high, abs=1e-12)


@given(st.lists(st.floats(-1e3, 1e3), min_size=3, max_size=30))
def test_symmetric_is_scipys_t_interval(values: list[float]) -> None:
    """The interval of a mean by Student's t is scipy's."""
    n, variance = len(values), float(np.var(values, ddof=1))
    assume(variance > 0)
    theirs = stats.t.interval(0.9, n - 1, np.mean(values), math.sqrt(variance / n))

    ours = symmetric(float(np.mean(values)), variance / n, 0.9, n - 1)

    assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-9)


@given(st.floats(0.001, 0.999), st.floats(1e-6, 0.1), st.integers(2, 500), st.floats(0.5, 0.99))
def test_every_shape_contains_the_value_and_grows_with_the_level(
    value: float, variance: float, units: int, level: float
) -> None:
    """An interval contains its value and lies inside that of a higher level."""
    for shape in (
        lambda level: bounded(value, variance, units, (0.0, 1.0), level, units - 1)[0],
        lambda level: delong(value, variance, units, units, units - 1, level),
        lambda level: log_ratio(value, variance, level, units - 1),
        lambda level: symmetric(value, variance, level, units - 1),
    ):
        low, high = shape(level)
        wider = shape((1 + level) / 2)
        assert wider[0] <= low <= value <= high <= wider[1]


@given(st.floats(1e-300, 1e300), st.floats(0, 1e300), st.integers(2, 500), st.floats(0.5, 0.99))
def test_the_logarithmic_shape_has_ends_whatever_the_error(
    value: float, variance: float, units: int, level: float
) -> None:
    """An error far above the value gives 0 and infinity; decimals have no such exponents."""
    low, high = log_ratio(value, variance, level, units - 1)
    assert 0 <= low <= value <= high


@given(st.floats(0.001, 0.999), st.floats(1e-6, 0.1), st.integers(2, 500))
def test_bounds_shift_and_scale(value: float, variance: float, units: int) -> None:
    """A share in per cent has the interval of the share, a hundred times as wide."""
    (low, high), effective = bounded(value, variance, units, (0.0, 1.0), 0.95, 10)
    scaled, same = bounded(value * 100, variance * 1e4, units, (0.0, 100.0), 0.95, 10)

    assert scaled == pytest.approx((low * 100, high * 100), rel=1e-9, abs=1e-9)
    assert effective == pytest.approx(same, rel=1e-9)


def test_area_of_a_worked_example() -> None:
    """DeLong's variance by numpy, then the logit: the figures of a worked example."""
    positives = np.array([0.8, 0.7, 0.65, 0.9, 0.55, 0.6])
    negatives = np.array([0.3, 0.5, 0.6, 0.2, 0.75, 0.1, 0.4])
    wins = (positives[:, None] > negatives) + 0.5 * (positives[:, None] == negatives)
    of_positives, of_negatives = wins.mean(1).var(ddof=1) / 6, wins.mean(0).var(ddof=1) / 7
    variance = of_positives + of_negatives
    df = math.floor(variance**2 / (of_positives**2 / 5 + of_negatives**2 / 6))

    low, high = delong(wins.mean(), variance, 6, 7, df, 0.95)

    assert wins.mean() == pytest.approx(0.8690476, abs=1e-7)
    assert (round(low, 6), round(high, 6)) == (0.432806, 0.982969)


def test_a_shift_moves_both_ends_of_an_area_on_the_logit_scale() -> None:
    """By as much; without it, the interval is around the logit of the area."""
    logits = [
        [math.log(end / (1 - end)) for end in delong(0.8, 0.001, 40, 60, 39, 0.95, shift)]
        for shift in (0.0, 0.25)
    ]
    assert sum(logits[0]) == pytest.approx(2 * math.log(4))
    assert logits[1] == pytest.approx([end - 0.25 for end in logits[0]])


def test_an_area_next_to_a_bound_may_be_any() -> None:
    """Its logit is uncertain by 1e8, which raised an overflow."""
    assert (
        delong(1e-9, 0.01, 30, 30, 20, 0.95) == delong(1 - 1e-9, 0.01, 30, 30, 20, 0.95) == (0, 1)
    )
