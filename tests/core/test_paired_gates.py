"""Gates of two systems: pass, fail, or undecided."""

import math
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from tests.helpers.paired import compared, sliced_pair, systems

pytestmark = pytest.mark.filterwarnings("ignore:intervals that promise less", "ignore:.*no samples")


def test_wrong_passes_are_rare() -> None:
    """Of systems that are just as much worse as the margin allows, 2.5 of 100 pass at most."""
    rng = np.random.default_rng(4)
    passed, labels = 0, np.ones(100, int)
    for _ in range(200):
        hard = rng.random(100)
        a = (hard < 0.8).astype(int)
        b = np.where(rng.random(100) < 0.3, rng.random(100) < 0.8 - 0.1 / 0.3, a).astype(int)
        passed += (
            mm.gate(compared(mm.Accuracy(), a, b, labels), "top1", margin=0.1).outcome == "pass"
        )
    assert passed <= 200 * 0.025 + 3 * math.sqrt(200 * 0.025 * 0.975)


def test_looks_at_systems_of_which_nearly_all_samples_flip() -> None:
    """Those that flip the other way move the difference by two: its error is twice as large.

    That is, as of two systems in which the former do not flip. With an error of half the size, a
    gate at a true difference of -0.8 failed wrongly in 3.3% of 6,000 streams, 10% of whose samples
    flip up and all others down; now, in 2.4%.
    """
    up, labels = np.arange(200) < 12, np.ones(200, int)
    both = compared(mm.Accuracy(), 1 - up, up.astype(int), labels, anytime=True, planned=500)
    once = compared(mm.Accuracy(), labels, up.astype(int), labels, anytime=True, planned=500)
    one, two = (pair.intervals["top1_difference"] for pair in (once, both))
    assert two.standard_error == pytest.approx(2 * one.standard_error, rel=1e-12)
    assert two.high - two.value == pytest.approx(2 * (one.high - one.value), rel=1e-12)


def test_looks_at_any_time() -> None:
    """The interval is wider than that of one look, p is larger, and few samples decide nothing."""
    a, b, labels = systems(400)
    once = compared(mm.Accuracy(), a, b, labels)
    often = compared(mm.Accuracy(), a, b, labels, anytime=True, planned=2000)
    one, other = (pair.intervals["top1_difference"] for pair in (once, often))
    assert (other.method, other.thin) == ("confidence sequence", None)
    assert other.standard_error == pytest.approx(one.standard_error, rel=1e-12)
    assert other.low < one.low < one.value == other.value < one.high < other.high
    assert once.compute()["top1_p"] < often.compute()["top1_p"]
    few = compared(mm.Accuracy(), a[:99], b[:99], labels[:99], anytime=True, planned=2000)
    found = few.compute()
    assert (found["top1_p"], found["top1_difference_low"], found["top1_difference_high"]) == (
        1,
        -1,
        1,
    )
    assert "no decision before 100 samples" in str(few.intervals["top1_difference"].thin)
    alike = compared(mm.Accuracy(), a, a, labels, anytime=True, planned=2000)
    assert "there are 400 and 0" in str(alike.intervals["top1_difference"].thin)
    assert mm.gate(alike, "top1", margin=0.5).outcome == "undecided"


def test_gates_of_slices() -> None:
    """Pass if every slice passes; fail if one does so after Holm; else undecided, naming one."""
    count = 900
    labels, languages = np.ones(count, int), np.array(["de", "en", "fr"])[np.arange(count) % 3]
    rng = np.random.default_rng(0)
    a = (rng.random(count) < 0.7).astype(int)
    better = np.where(rng.random(count) < 0.5, 1, a)
    verdict = mm.gate(sliced_pair(a, better, labels, languages), "top1", margin=0.0)
    assert (verdict.outcome, verdict.worst) == ("pass", None)
    assert {one.outcome for one in verdict.slices.values()} == {"pass"}
    broken = np.where(languages == "fr", rng.random(count) < 0.3, better).astype(int)
    verdict = mm.gate(sliced_pair(a, broken, labels, languages), "top1", margin=0.0)
    assert (verdict.outcome, verdict.worst) == ("fail", "language=fr")
    assert verdict.slices["language=fr"].outcome == "fail"
    weaker = np.where((languages == "fr") & (rng.random(count) < 0.5), a, better)
    weaker = np.where((languages == "fr") & (rng.random(count) < 0.12), 0, weaker)
    verdict = mm.gate(sliced_pair(a, weaker, labels, languages), "top1", margin=0.0)
    assert (verdict.outcome, verdict.worst) == ("undecided", "language=fr")
    scores = mm.Sliced({"acc": mm.Accuracy(interval=0.95)}, by="language")
    scores.add(broken, labels, by={"language": languages})
    scores.compute()
    verdict = mm.gate(scores, "acc.top1", at_least=0.5)
    assert (verdict.outcome, verdict.worst) == ("fail", "language=fr")


def test_a_slice_at_its_holm_level() -> None:
    """One slice of 20 that fails by itself alone, but not after the correction, is no failure."""
    count = 20 * 100
    labels, slices = np.ones(count, int), np.arange(count) % 20
    a = np.ones(count, int)
    a[slices > 0] = np.arange((slices > 0).sum()) % 2
    b = np.where(slices > 0, 1, np.where(np.arange(count) < 20 * 7, 0, 1))
    pair = sliced_pair(a, b, labels, slices)
    verdict = mm.gate(pair, "top1", margin=0.0)
    assert verdict.slices["language=0"].outcome == "fail"
    assert (verdict.outcome, verdict.worst) == ("undecided", "language=0")


def test_quantiles_of_slices_rarely_fail_at_their_true_value() -> None:
    """The median of grades is 3, the bound; slices of 100 have 4 in 3 of 100 cases each."""
    rng, failed, beyond = np.random.default_rng(0), 0, 0
    for _ in range(20):
        scores = mm.Sliced(mm.Quantile(0.5, interval=0.95), by="topic")
        grades = rng.choice([1, 2, 3, 4, 5], 1000, p=[0.1, 0.2, 0.2, 0.3, 0.2])
        scores.add(grades, by={"topic": np.arange(1000) % 10})
        scores.compute()
        verdict = mm.gate(scores, "quantile", at_most=3)
        failed += verdict.outcome == "fail"
        beyond += any(one.outcome == "fail" for one in verdict.slices.values())
    assert failed <= 1  # the promise is 5%, of all samples and slices
    assert beyond >= 3


def test_gates() -> None:
    """A pair passes if b is not worse than a by more than the margin; a value, if beyond doubt."""
    a, b, labels = systems(400)
    pair = compared(mm.Accuracy(), a, b, labels)
    assert pair.compute()["top1_difference"] > 0
    assert mm.gate(pair, "top1", margin=0.02).outcome == "pass"
    worse = compared(mm.Accuracy(), b, a, labels)
    assert mm.gate(worse, "top1", margin=0.0).outcome == "fail"
    near = mm.gate(worse, "top1", margin=-worse.compute()["top1_difference"] + 0.001)
    assert near.outcome == "undecided"
    assert near.needed is not None
    assert near.needed > 400
    error = mm.MeanSquaredError(interval=0.95)
    error.add(np.random.default_rng(0).normal(size=300), np.zeros(300))
    error.compute()
    assert mm.gate(error, "mse", at_most=2).outcome == "pass"
    assert mm.gate(error, "mse", at_most=0.5).outcome == "fail"
    few = mm.MeanSquaredError(interval=0.95)
    few.add([0.1, 0.2, 0.1], [0.0, 0.0, 0.0])
    few.compute()
    assert mm.gate(few, "mse", at_most=5).outcome == "undecided"  # thin


@pytest.mark.parametrize("bound", [math.nan, math.inf, "0.8", True])
def test_gates_refuse_what_is_no_finite_number(bound: Any) -> None:
    """A bound that no number reaches, or that is none, is named; no verdict comes of it."""
    metric = mm.Accuracy(interval=0.95)
    metric.add([1] * 90 + [0] * 10, [1] * 100)
    metric.compute()
    with pytest.raises((TypeError, ValueError), match=r"^at_least must be"):
        mm.gate(metric, "top1", at_least=bound)


def test_gates_need_one_bound() -> None:
    """The bound of a pair is a margin, that of a metric is not."""
    a, b, labels = systems(30)
    pair = compared(mm.Accuracy(), a, b, labels)
    with pytest.raises(TypeError, match="pass one of margin, got at_least"):
        mm.gate(pair, "top1", at_least=0.5)
    with pytest.raises(ValueError, match="margin must not be negative"):
        mm.gate(pair, "top1", margin=-0.1)
    with pytest.raises(ValueError, match=r"no interval of 'top5': there are \['top1'\]"):
        mm.gate(pair, "top5", margin=0.1)
    with pytest.raises(ValueError, match="pass 'top1', of which a pair judges the difference"):
        mm.gate(pair, "top1_difference", margin=0.1)
    with pytest.raises(TypeError, match="pass one of at_least and at_most, got none"):
        mm.gate(mm.Accuracy(), "top1")
    unknown = compared(mm.WeightedCalibration(), a / 3, b / 3, labels > 0)
    with pytest.raises(ValueError, match="whether higher is better"):
        mm.gate(unknown, "weighted_calibration", margin=0.1)


def test_the_samples_that_are_needed_decide_in_four_of_five_cases() -> None:
    """Item 19: with so many samples whose truth is the value of the first ones."""
    rng = np.random.default_rng(19)

    def gated(hits: int, count: int, bound: float) -> mm.Verdict:
        metric = mm.Accuracy(interval=0.95, dist_backend="non_dist")
        metric.add((np.arange(count) < hits).astype(int), np.ones(count, int))
        metric.compute()
        return mm.gate(metric, "top1", at_least=bound)

    for hits, bound in ((90, 0.88), (95, 0.9), (80, 0.82), (90, 0.95)):
        needed = gated(hits, 100, bound).needed
        assert needed is not None
        numbers = rng.binomial(needed, hits / 100, 300)
        decided = [gated(int(number), needed, bound).outcome != "undecided" for number in numbers]
        assert 0.72 < np.mean(decided) < 0.88

    def changed(up: int, down: int, count: int) -> mm.Verdict:
        places = np.arange(count)
        b = np.where(places < up, 1, np.where(places >= count - down, 0, places % 2))
        a = np.where(places < up, 0, np.where(places >= count - down, 1, places % 2))
        return mm.gate(compared(mm.Accuracy(), a, b, np.ones(count, int)), "top1", margin=0.03)

    for up, down in ((6, 9), (0, 2)):
        needed = changed(up, down, 200).needed
        assert needed is not None
        flips = rng.multinomial(needed, [up / 200, down / 200, 1 - (up + down) / 200], 200)
        decided = [changed(int(u), int(d), needed).outcome != "undecided" for u, d, _ in flips]
        assert 0.7 < np.mean(decided) < 0.95


@pytest.mark.parametrize("count", [150, 200, 300])
def test_sequences_hold_where_nearly_all_samples_change(count: int) -> None:
    """Few samples tell how often one does not: exactly, from the probability of every number."""
    share, wrong = 0.99, 0.0
    for ups in range(count, 0, -1):
        b = np.arange(count) < ups
        pair = compared(
            mm.Accuracy(), 1 - b, b.astype(int), np.ones(count, int), anytime=True, planned=1000
        )
        if pair.intervals["top1_difference"].low <= 2 * share - 1:
            break
        wrong += math.comb(count, ups) * share**ups * (1 - share) ** (count - ups)
    assert wrong <= 0.025
