"""Values that few samples keep from a bound: gates at the true value, and exact ends of shares."""

import itertools
import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, binomtest

import mmeval_like as mm
from mmeval_like._intervals.interval import Interval

SURE: dict[str, Any] = {"interval": 0.95}
EACH = 60  # positives, and negatives
MOST = 6  # errors of either class that are tried; more are out of reach
METRICS: dict[str, Callable[[], mm.BaseMetric]] = {
    "F1": lambda: mm.FBetaScore(task="binary", **SURE),
    "macro F1": lambda: mm.FBetaScore(task="multiclass", num_classes=2, **SURE),
    "IoU": lambda: mm.JaccardIndex(task="binary", **SURE),
    "recall": lambda: mm.Recall(task="binary", **SURE),
    "balanced accuracy": lambda: mm.BalancedAccuracy(task="multiclass", num_classes=2, **SURE),
    "kappa": lambda: mm.CohenKappa(2, **SURE),
    "MCC": lambda: mm.MatthewsCorrCoef(2, **SURE),
}


def _interval(metric: mm.BaseMetric, missed: int, false: int, each: int = EACH) -> Interval:
    """The interval if so many positives are missed, and so many negatives taken for positives."""
    labels = np.repeat([1, 0], each)
    predictions = labels.copy()
    predictions[:missed] = 0
    predictions[each : each + false] = 1
    metric.add(predictions, labels)
    metric.compute()
    found: Interval
    [found] = metric.intervals.values()
    return found


@cache
def _of_all(name: str) -> dict[tuple[int, int], Interval]:
    every = itertools.product(range(MOST), range(MOST))
    return {errors: _interval(METRICS[name](), *errors) for errors in every}


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("error", [0.0005, 0.001, 0.0014, 0.0025, 0.004])
def test_a_value_near_the_bound_is_rarely_above_its_interval(name: str, error: float) -> None:
    """By all outcomes, in 3% of cases at most; one error in 120 samples failed a gate in 15%."""
    # All values are symmetric in both classes here, so that the truth is that of a rounded table.
    labels = np.repeat([1, 0], 10_000)
    wrong = np.tile(np.arange(10_000) < round(error * 10_000), 2)
    pool = METRICS[name]()
    pool.add(np.where(wrong, 1 - labels, labels), labels)
    true = next(iter(pool.compute().values()))
    chances = binom.pmf(range(MOST), EACH, error)
    found = _of_all(name)
    above = sum(chances[i] * chances[j] for (i, j), one in found.items() if one.high < true)
    assert above <= 0.03
    assert all(one.thin is None for one in found.values())


@pytest.mark.parametrize("each", [34, 100])
@pytest.mark.parametrize("misses", [1, 2, 3])
def test_a_recall_of_few_misses_or_hits_ends_where_the_exact_interval_does(
    each: int, misses: int
) -> None:
    """A recall is a share of the positives: its end towards the bound is Clopper and Pearson's."""
    exact = binomtest(each - misses, each).proportion_ci(0.95)
    near = _interval(METRICS["recall"](), misses, 5, each)
    assert near.high == pytest.approx(exact.high, abs=1e-12)
    assert near.low <= exact.low
    far = _interval(METRICS["recall"](), each - misses, 5, each)
    assert far.low == pytest.approx(1 - exact.high, abs=1e-12)
    assert near.method == far.method == "Wilson, effective n, smoothed, Clopper-Pearson"


@pytest.mark.parametrize("name", ["F1", "recall", "kappa", "MCC"])
def test_a_value_that_some_errors_keep_from_the_bound_is_rarely_above(name: str) -> None:
    """By all outcomes of 120 samples with 2 to 12 errors, in 3% at most; a gate failed in 6%."""
    most = 18
    highs = np.zeros((most, most))
    for missed, false in itertools.product(range(most), range(most)):
        one = _interval(METRICS[name](), missed, false)
        highs[missed, false] = math.inf if one.thin else one.high
    for errors in range(2, 13):
        labels = np.repeat([1, 0], EACH * 100)  # samples, of which each stands for a hundredth
        wrong = np.tile(np.arange(EACH * 100) < errors * 50, 2)
        pool = METRICS[name]()
        pool.add(np.where(wrong, 1 - labels, labels), labels)
        true = next(iter(pool.compute().values()))
        chances = binom.pmf(range(most), EACH, errors / 2 / EACH)
        assert (np.outer(chances, chances) * (highs < true)).sum() <= 0.03, errors


@pytest.mark.parametrize("each", [34, 100, 1000])
def test_a_recall_of_more_misses_ends_near_the_exact_interval(each: int) -> None:
    """The end towards 1 is that of Clopper and Pearson or beyond, by 2% of their width at most."""
    for misses in (4, 6, 8):
        exact = binomtest(each - misses, each).proportion_ci(0.95)
        width = exact.high - exact.low
        one = _interval(METRICS["recall"](), misses, 5, each)
        assert -0.005 * width <= one.high - exact.high <= 0.02 * width, misses
        mirrored = _interval(METRICS["recall"](), each - misses, 5, each)
        assert mirrored.low == pytest.approx(1 - one.high, abs=1e-12)


@pytest.mark.parametrize("bounds", [(0, 1), (1, 5), (-2, 0)])
@pytest.mark.parametrize("hits", [0, 1, 4, 50, 97, 100])
def test_a_mean_of_two_bounds_is_a_share_of_hits(hits: int, bounds: tuple[float, float]) -> None:
    """It has the interval and the counts of an accuracy, on any scale, and so have all its gates.

    By Wilson's interval with the effective number, one gate in six failed at a true share of .998.
    """
    share = mm.Accuracy(**SURE)
    share.add([1] * hits + [0] * (100 - hits), [1] * 100)
    share.compute()
    [exact] = share.intervals.values()
    least, most = bounds
    one = _of_values([float(most)] * hits + [float(least)] * (100 - hits), bounds)
    ends = [least + (most - least) * end for end in (exact.low, exact.high)]
    assert [one.low, one.high] == pytest.approx(ends, abs=1e-12)
    assert (one.method, one.counts, one.thin) == (exact.method, exact.counts, exact.thin)
    words = mm.ExactMatch(**SURE)
    words.add(["a"] * hits + ["b"] * (100 - hits), [["a"]] * 100)
    words.compute()
    assert words.intervals["exact_match"] == exact


@pytest.mark.parametrize("true", [0.5, 0.9, 0.983, 0.9983])
def test_gates_of_a_mean_of_hits_keep_their_level(true: float) -> None:
    """By all outcomes of 50 samples, at most 2.5% of gates at the true share fail, or pass."""
    wrong = {"pass": 0.0, "fail": 0.0, "undecided": 0.0}
    for hits in range(51):
        words = mm.ExactMatch(**SURE)
        words.add(["a"] * hits + ["b"] * (50 - hits), [["a"]] * 50)
        words.compute()
        verdict = mm.gate(words, "exact_match", at_least=true)
        wrong[verdict.outcome] += binom.pmf(hits, 50, true)
    assert max(wrong["pass"], wrong["fail"]) <= 0.025


def test_a_value_between_the_bounds_is_no_hit() -> None:
    """One half among 99 hits and misses leaves the mean as it was, without counts."""
    one = _of_values([1.0] * 49 + [0.0] * 49 + [0.5, 0.5])
    assert one.counts is None
    assert one.method == "Wilson, effective n"


def test_a_mean_of_few_halves_and_ones_is_rarely_below_its_interval() -> None:
    """By all outcomes of 20 samples of which 3% are no zeros, in 3% at most; it was 6.4%."""
    ones, halves, below = 0.02, 0.01, 0.0
    for i, j in itertools.product(range(6), range(6)):
        one = _of_values([1.0] * i + [0.5] * j + [0.0] * (20 - i - j))
        chance = binom.pmf(i, 20, ones) * binom.pmf(j, 20 - i, halves / (1 - ones))
        below += chance * (one.low > ones + halves / 2)
    assert below <= 0.03


def _of_values(values: list[float], bounds: tuple[float, float] = (0, 1)) -> Interval:
    metric = mm.Mean(bounds=bounds, **SURE)
    metric.add(values)
    metric.compute()
    found: Interval = metric.intervals["mean"]
    return found


@pytest.mark.filterwarnings("ignore:intervals that promise less")
def test_a_single_sample_of_a_class_that_is_right_has_the_interval_of_one_sample() -> None:
    """No sample keeps a recall of 1 from a bound; without the sample the class has no recall."""
    metric = mm.Recall(task="multiclass", num_classes=3, average=None, **SURE)
    metric.add([0] + [1, 2] * 50, [0] + [1, 2] * 50)
    metric.compute()
    [found] = metric.intervals.values()
    assert [one.value for one in found] == [1, 1, 1]
    assert not any("Clopper" in one.method for one in found)
