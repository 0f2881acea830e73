"""The same samples in other units, in other directions, and twice: the same decisions."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import mmeval_like as mm
from mmeval_like._intervals.flips import Flips
from tests.helpers.examples import examples

pytestmark = pytest.mark.filterwarnings("ignore:intervals that promise less")

KINDS = {
    "normal": lambda rng, count: rng.normal(size=count),
    "skewed": lambda rng, count: rng.exponential(size=count),
    "sparse": lambda rng, count: rng.normal(size=count) * (rng.random(count) < 0.1),
    "judge": lambda rng, count: rng.integers(1, 11, count),
}


def world(seed: int, kind: str, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Scores of two systems that float64 represents exactly, with a constant added and scaled."""
    rng = np.random.default_rng(seed)
    a, more = (np.round(256 * KINDS[kind](rng, count)) / 256 for _ in range(2))
    return a, a + more * (rng.random(count) < 0.4)


def pair_of(a: Any, b: Any, better: bool = True, **options: Any) -> mm.Paired:
    """Two systems by their mean score."""
    pair = mm.Paired(mm.Mean(higher_is_better=better), dist_backend="non_dist")
    for side, values in ((pair.a, a), (pair.b, b)):
        side.add(values, ids=np.arange(len(values)), **options)
    pair.compute()
    return pair


def numbers(pair: mm.Paired, unit: float = 1.0) -> tuple[float, ...]:
    """The difference, its ends and its p-value."""
    one = pair.intervals["mean_difference"]
    return one.value / unit, one.low / unit, one.high / unit, one.p


@settings(max_examples=examples(20), deadline=None)
@example(492, "sparse", 20, (1.0, -1e9))  # one difference of 1/128
@given(
    st.integers(0, 10**6),
    st.sampled_from([*KINDS]),
    st.sampled_from([20, 45, 100]),
    st.sampled_from([(1.0, 1e6), (1.0, -1e9), (2.0**40, 0.0), (2.0**-40, 0.0), (3.0, 0.0)]),
)
def test_units_change_no_comparison(
    seed: int, kind: str, count: int, way: tuple[float, float]
) -> None:
    """Shifted and scaled scores have the shifted and scaled difference, mark, p and verdict."""
    (a, b), (unit, shift) = world(seed, kind, count), way
    one, other = pair_of(a, b), pair_of(unit * a + shift, unit * b + shift)
    slack = {"rel": 1e-5, "abs": 1e-6} if shift else {"rel": 1e-9, "abs": 1e-12}
    rounded = float(np.spacing(abs(shift))) if shift else 0.0  # half of it for each mean
    error = one.intervals["mean_difference"].standard_error
    near = {"rel": slack["rel"], "abs": slack["abs"] + rounded}
    assert numbers(other, unit)[:3] == pytest.approx(numbers(one)[:3], **near)
    near["abs"] = slack["abs"] + (rounded / error if error > 0 else 0.0)
    assert numbers(other)[3] == pytest.approx(numbers(one)[3], **near)
    assert one.intervals["mean_difference"].thin == other.intervals["mean_difference"].thin
    low = one.intervals["mean_difference"].low
    for margin in (0.0, abs(low) / 2, 2 * abs(low)):
        found = [
            mm.gate(p, "mean", margin=m).outcome for p, m in ((one, margin), (other, unit * margin))
        ]
        assert found[0] == found[1] or abs(margin + low) < 1e-6 * abs(low)


@settings(max_examples=examples(15), deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([*KINDS]), st.sampled_from([20, 45, 100]))
def test_losses_are_scores_with_a_minus_sign(seed: int, kind: str, count: int) -> None:
    """The interval is mirrored, and the verdict of the gate is the same."""
    a, b = world(seed, kind, count)
    scores, losses = pair_of(a, b), pair_of(-a, -b, better=False)
    value, low, high, p = numbers(losses)
    assert numbers(scores) == pytest.approx((-value, -high, -low, p), rel=1e-12, abs=1e-15)
    one, other = (mm.gate(pair, "mean", margin=0.125) for pair in (scores, losses))
    assert (one.outcome, one.needed, one.why) == (other.outcome, other.needed, other.why)
    assert one.p == pytest.approx(other.p, rel=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [40, 120])
def test_samples_that_are_given_twice_as_clusters_are_no_more_than_once(
    kind: str, count: int
) -> None:
    """As samples they would make the interval narrower by a third."""
    a, b = world(7, kind, count)
    twice = pair_of(np.tile(a, 2), np.tile(b, 2), clusters=np.tile(np.arange(count), 2))
    once = pair_of(a, b).intervals["mean_difference"]
    found = twice.intervals["mean_difference"]
    assert (found.unit, found.units, found.value) == ("cluster", count, pytest.approx(once.value))
    assert 0.95 < (found.high - found.low) / (once.high - once.low) < 1.1
    assert (found.thin is None) == (once.thin is None)


@pytest.mark.parametrize("heavy", [30.0, 1e3, 1e6, 1e12])
def test_a_heavy_sample_counts_as_much_if_it_is_a_miss(heavy: float) -> None:
    """The share of misses has about the mirrored interval, and the mark, of the share of hits.

    Only the heavy hit was seen: a heavy miss left hits of equal weights, and [0, 0.70] unmarked.
    """
    hits = (np.arange(200) % 5 > 0).astype(int)
    weights = np.where(np.arange(200) == 7, heavy, 1.0)
    found = []
    for right in (hits, 1 - hits):
        metric = mm.Accuracy(use_sample_weight=True, interval=0.95)
        metric.add(right, np.ones(200, int), sample_weight=weights)
        metric.compute()
        found.append(metric.intervals["top1"])
    one, other = found
    assert one.thin == other.thin
    assert one.thin is not None or heavy < 100
    assert (one.low, one.high) == pytest.approx((1 - other.high, 1 - other.low), abs=1e-3)


@pytest.mark.parametrize("share", [0.07, 0.2, 0.4])
@pytest.mark.parametrize("slices", [1, 6, 12])
def test_slices_at_the_margin_seldom_fail_a_gate(share: float, slices: int) -> None:
    """All flips of 60 samples are enumerated: after Holm's correction, it is 2.5% at most."""
    count, margin, chance = 60, 0.05, 0.0
    up, down = (share - margin) / 2, (share + margin) / 2
    ups = [_binomial(k, count, up) for k in range(count + 1)]
    for more, of_more in enumerate(ups):
        for less in range(count - more + 1):
            probability = of_more * _binomial(less, count - more, down / (1 - up))
            if (more - less) / count < -margin and probability > 1e-9:
                p = Flips(more, less, count, 1.0).p_at(-margin) / 2
                chance += probability * (p < 0.025 / slices)
    assert 0 < chance * slices < 0.025 * 1.1


def _binomial(hits: int, count: int, share: float) -> float:
    return math.comb(count, hits) * share**hits * (1 - share) ** (count - hits)
