"""Intervals of the same numbers in another unit: they scale with it, or say why there are none."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm

pytestmark = pytest.mark.filterwarnings("ignore:intervals that promise less")

N = 400
RNG = np.random.default_rng(0)
NUMBERS = np.abs(RNG.normal(size=N)) + 0.1
OTHERS = np.abs(RNG.normal(size=N)) + 0.1
HEAVY = RNG.standard_t(2, N)
CLUSTERS = np.arange(N) // 8
EXPONENTS = [*range(-1020, -40, 20), *range(60, 1000, 20)]


def _of(metric: Any, *inputs: np.ndarray, **named: Any) -> Any:
    metric.add(*inputs, **named)
    metric.compute()
    [found] = metric.intervals.values()
    return found


def _of_pair(unit: float, **named: Any) -> Any:
    pair = mm.Paired(mm.Mean(), interval=0.95)
    for side, numbers in ((pair.a, NUMBERS), (pair.b, OTHERS)):
        side.add(numbers * unit, ids=np.arange(N), **named)
    pair.compute()
    [found] = pair.intervals.values()
    return found


MADE: dict[str, tuple[Callable[[float], Any], int]] = {  # with the power of the unit in the value
    "mean": (lambda unit: _of(mm.Mean(interval=0.95), NUMBERS * unit), 1),
    "heavy tails": (lambda unit: _of(mm.Mean(interval=0.95), HEAVY * unit), 1),
    "errors": (
        lambda unit: _of(mm.MeanAbsoluteError(interval=0.95), NUMBERS * unit, OTHERS * unit),
        1,
    ),
    "ratio": (
        lambda unit: _of(
            mm.WeightedMeanAbsolutePercentageError(interval=0.95), NUMBERS * unit, OTHERS * unit
        ),
        0,
    ),
    "clusters": (
        lambda unit: _of(mm.Mean(interval=0.95), NUMBERS * unit, clusters=CLUSTERS),
        1,
    ),
    "pair": (_of_pair, 1),
    "pair of clusters": (lambda unit: _of_pair(unit, clusters=CLUSTERS), 1),
}


@pytest.mark.parametrize("name", MADE)
def test_an_interval_scales_with_the_unit_or_says_why_not(name: str) -> None:
    """A power of two as unit changes no digit, no method and no mark; or there is no interval."""
    make, power = MADE[name]
    wanted = make(1.0)
    for exponent in EXPONENTS:
        found = make(math.ldexp(1.0, exponent))
        if math.isnan(found.low):
            assert abs(exponent) >= 240
            assert "too small" in found.thin or "too large" in found.thin
            continue
        assert abs(exponent) <= 520
        assert (found.method, found.thin) == (wanted.method, wanted.thin)
        ends = [math.ldexp(end, -exponent * power) for end in (found.low, found.high)]
        assert ends == pytest.approx([wanted.low, wanted.high], rel=1e-9)


@pytest.mark.parametrize("exponent", [-300, -200, 0, 200, 300])
def test_only_values_of_such_numbers_have_no_interval(exponent: int) -> None:
    """Of two outputs in different units, each has the interval that it has alone."""
    unit = math.ldexp(1.0, exponent)
    both = mm.MeanAbsoluteError(num_outputs=2, multioutput="raw_values", interval=0.95)
    both.add(np.stack([NUMBERS, NUMBERS * unit], 1), np.stack([OTHERS, OTHERS * unit], 1))
    both.compute()
    alone = [
        _of(mm.MeanAbsoluteError(interval=0.95), NUMBERS * one, OTHERS * one) for one in (1, unit)
    ]

    [found] = both.intervals.values()
    assert [one.thin for one in found] == [one.thin for one in alone]
    assert (alone[1].thin is None) == (abs(exponent) < 240)
    for one, other in zip(found, alone, strict=True):
        assert math.isnan(one.low) == math.isnan(other.low)
        assert one.standard_error == pytest.approx(other.standard_error, rel=0.01, nan_ok=True)


def test_numbers_that_are_0_are_not_small() -> None:
    """They have an interval, also beside others, and rounding errors of products may be tiny."""
    none = _of(mm.Mean(interval=0.95), np.zeros(N))
    assert (none.low, none.high) == (0, 0)
    some = _of(mm.Mean(interval=0.95), np.where(np.arange(N) % 2, NUMBERS, 1e-300))
    assert 0 < some.low < some.high
    least = 2.0**-110
    for metric in (mm.R2Score(interval=0.95), mm.PearsonCorrCoef(interval=0.95)):
        found = _of(metric, (NUMBERS + OTHERS) * least, NUMBERS * least)
        assert math.isfinite(found.low)
