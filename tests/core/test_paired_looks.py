"""Comparisons that are looked at again and again: only where the promise holds."""

import math
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like._intervals.betting import Bets
from mmeval_like._intervals.jackknife.groups import groups_of_ids
from mmeval_like._intervals.sequential import Looks
from mmeval_like._samples.ids import read_ids
from tests.helpers.paired import compared, systems

pytestmark = pytest.mark.filterwarnings("ignore:intervals that promise less")

COUNT = 400
LOOKS = {"anytime": True, "planned": 1000}


def numbers(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Numbers in [0, 1] of two systems."""
    rng = np.random.default_rng(seed)
    return rng.beta(2, 1, count), rng.beta(2, 1.5, count)


def of_values(metric: mm.BaseMetric, a: np.ndarray, b: np.ndarray, **options: object) -> mm.Paired:
    """A pair of a metric that takes numbers alone, computed."""
    pair = mm.Paired(metric, dist_backend="non_dist", **options)
    for side, values in ((pair.a, a), (pair.b, b)):
        side.add(values, ids=np.arange(len(values)))
    pair.compute()
    return pair


def test_item_15_catastrophes_decide_nothing() -> None:
    """Issue 33, item 15: a mean without bounds has no interval at any time, and no gate decides.

    Of equal systems, one with an error of 100 in a hundred, 41 of 100 streams showed a difference.
    """
    rng = np.random.default_rng(0)
    a, b = np.ones(COUNT), np.where(rng.random(COUNT) < 0.01, 100.0, 0.0)
    pair = compared(mm.MeanAbsoluteError(), a, b, np.zeros(COUNT), **LOOKS)
    found, one = pair.compute(), pair.intervals["mae_difference"]
    ends = found["mae_difference_low"], found["mae_difference_high"]
    assert all(map(math.isnan, (found["mae_p"], found["mae_detectable"], *ends)))
    assert "Mean(bounds=(least, most))" in str(one.thin)
    assert mm.gate(pair, "mae", margin=50).outcome == "undecided"


def test_item_15_bounded_means_bet() -> None:
    """Issue 33, item 15: a mean of values between two bounds has the ends and the p of bets."""
    a, b = numbers(COUNT)
    metrics = {
        "mean": mm.Mean(bounds=(0, 1)),
        "scaled": mm.Mean(bounds=(-1, 3)),
    }
    pair = of_values(mm.MetricCollection(metrics), a, b, **LOOKS)
    for name, width in (("mean", 1), ("scaled", 4)):
        found, one = pair.compute()[name], pair.intervals[name]["mean_difference"]
        bets, scaled = Bets(1000, 0.95), (b - a) / width
        assert (one.method, one.thin, one.units) == ("betting", None, COUNT)
        assert (one.low, one.high) == pytest.approx(np.multiply(bets.ends(scaled), width), abs=1e-9)
        assert found["mean_p"] == pytest.approx(bets.p_value(scaled), rel=1e-9)


def test_item_15_what_is_no_bounded_mean_is_refused() -> None:
    """Issue 33, item 15: neither F1, nor weighted means, nor values beyond the bounds."""
    a, b, labels = systems(COUNT)
    f1 = compared(mm.FBetaScore(task="multiclass", num_classes=3), a, b, labels, **LOOKS)
    assert "mean of one value per sample" in str(f1.intervals["fbeta_difference"].thin)
    beyond = of_values(mm.Mean(bounds=(0, 1)), *(3 * values for values in numbers(COUNT)), **LOOKS)
    assert "not between 0.0 and 1.0" in str(beyond.intervals["mean_difference"].thin)
    weighted = mm.Paired(mm.Mean(bounds=(0, 1)), dist_backend="non_dist", **LOOKS)
    for side, values in zip((weighted.a, weighted.b), numbers(COUNT), strict=True):
        side.add(values, sample_weight=np.arange(1.0, COUNT + 1), ids=np.arange(COUNT))
    weighted.compute()
    assert "mean of one value per sample" in str(weighted.intervals["mean_difference"].thin)
    a, b = numbers(COUNT)
    missing = of_values(mm.Mean(bounds=(0, 1)), np.append(a[1:], math.nan), b, **LOOKS)
    assert missing.intervals["mean_difference"].thin == "the difference is not finite"
    for pair in (f1, beyond, weighted, missing):
        [one] = pair.intervals.values()
        assert math.isnan(one.low)
        assert one.method == "none"


def test_item_15_shares_of_hits_are_as_before() -> None:
    """Issue 33, item 15: several shares of hits have the confidence sequence that one has."""
    rng = np.random.default_rng(1)
    a, b, labels = rng.random((COUNT, 5)), rng.random((COUNT, 5)), rng.integers(0, 5, COUNT)
    one = compared(mm.Accuracy(topk=3), a, b, labels, **LOOKS)
    several = compared(mm.Accuracy(topk=(1, 3)), a, b, labels, **LOOKS)
    wanted = one.intervals["top3_difference"]
    assert wanted.method == "confidence sequence"
    found = several.intervals["top3_difference"]
    assert repr(replace(found, changed=wanted.changed)) == repr(wanted)  # with nan
    assert several.compute()["top3_p"] == one.compute()["top3_p"]


def test_a_window_is_not_looked_at_again_and_again() -> None:
    """Issue 33, item 15: samples that leave a window take the promise with them."""
    with pytest.raises(TypeError, match="Running forgets samples"):
        mm.Paired(mm.Running(mm.Accuracy(), 100), **LOOKS)


@pytest.mark.parametrize("count", [1024, 1025, 3000])
def test_item_15_the_error_of_a_mean_is_that_of_its_samples(count: int) -> None:
    """Issue 33, item 15: beyond 1,024 samples too, where 50 groups were 25 of 100 beside it."""
    rng = np.random.default_rng(count)
    a, b = rng.exponential(size=(2, count))
    for metric, key, d in (
        (mm.MeanAbsoluteError(), "mae_difference", b - a),
        (mm.MeanSquaredError(), "mse_difference", b * b - a * a),
    ):
        one = compared(metric, a, b, np.zeros(count)).intervals[key]
        assert (one.unit, one.units) == ("sample", count)
        assert one.standard_error == pytest.approx(np.std(d, ddof=1) / count**0.5, rel=1e-9)


def test_item_15_groups_follow_from_ids() -> None:
    """Issue 33, item 15: a sample stays in its group when others arrive, whatever their order."""
    for ids in (
        read_ids([*range(0, 30_000, 7)], 4286),
        read_ids([f"t{n}" for n in range(4000)], 4000),
    ):
        groups = groups_of_ids(ids)
        order = np.random.default_rng(0).permutation(len(ids))
        assert (groups_of_ids(ids[:1500]) == groups[:1500]).all()
        assert (groups_of_ids(ids[order]) == groups[order]).all()
        sizes = np.bincount(groups, minlength=50)
        assert len(sizes) == 50
        assert ((sizes - len(ids) / 50) ** 2).sum() / (len(ids) / 50) < 49 + 4 * (2 * 49) ** 0.5
    a, b = np.random.default_rng(0).exponential(size=(2, 3000))
    rooted = compared(mm.RootMeanSquaredError(), a, b, np.zeros(3000))
    [one] = rooted.intervals.values()
    assert (one.unit, one.units) == ("group", 50)


@pytest.mark.parametrize(("up", "down"), [(0, 40), (20, 20), (60, 20)])
def test_flips_in_one_direction_make_the_sequence_wider(up: int, down: int) -> None:
    """From one flip more than there are, if they balance, to five."""
    count = 400
    a = (np.arange(count) < down).astype(int)
    b = (np.arange(count) >= count - up).astype(int)
    one = compared(mm.Accuracy(), a, b, np.ones(count, int), **LOOKS).intervals["top1_difference"]
    flips, value = up + down, (up - down) / count
    added = 1 + 4 * abs(up - down) / flips
    variance = (flips / count - value**2) / (count - 1) + added / count**2
    arm = float(Looks(1000, 0.95).radius(Decimal(math.sqrt(variance)), count))
    assert (one.low, one.high) == pytest.approx((value - arm, value + arm), rel=1e-9)
