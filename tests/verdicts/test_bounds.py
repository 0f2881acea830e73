"""Verdicts at bounds."""

import math

import numpy as np
import pytest

import mmeval_like as mm


@pytest.mark.filterwarnings("ignore:intervals that promise less")
@pytest.mark.parametrize("bound", [0.2, 0.5, 0.9])
def test_one_sample_decides_nothing(bound: float) -> None:
    """A mean of one value has an interval, the whole range, and no degrees of freedom."""
    metric = mm.Mean(bounds=(0, 1), interval=0.95)
    metric.add([0.5])
    metric.compute()
    found = mm.gate(metric, "mean", at_least=bound)
    assert (found.outcome, found.p, found.why) == ("undecided", 1.0, "there is only one sample")


def pair_of(up: int, down: int, count: int) -> mm.Paired:
    """Two systems, of which b alone is right on some samples, and a alone on others."""
    pair, labels = mm.Paired(mm.Accuracy()), [1] * count
    pair.a.add([0] * up + [1] * (count - up), labels, ids=range(count))
    pair.b.add([1] * up + [0] * down + [1] * (count - up - down), labels, ids=range(count))
    pair.compute()
    return pair


@pytest.mark.parametrize(("up", "down"), [(5, 5), (30, 10), (10, 30), (90, 5), (5, 90), (0, 0)])
@pytest.mark.parametrize("margin", [0.01, 0.05, 0.1])
def test_equivalence_is_the_shown_interval_within_the_margin(
    up: int, down: int, margin: float
) -> None:
    """It passes if both one-sided gates would, of b against a and of a against b."""
    pair = pair_of(up, down, 400)
    found = mm.gate(pair, "top1", margin=margin, both=True)
    worse = mm.gate(pair, "top1", margin=margin).outcome
    better = mm.gate(pair_of(down, up, 400), "top1", margin=margin).outcome

    assert (found.outcome == "pass") == (worse == better == "pass")
    assert (found.outcome == "fail") == ("fail" in (worse, better))
    assert (found.outcome == "pass") == (found.p < 0.025)
    assert (found.sign, found.bound) == ("within", margin)


def test_equivalence_says_how_many_samples_pass_in_80_of_100_cases() -> None:
    """Of two equally good systems, either end may be beyond the margin: with 80% each, 60% pass."""
    count, margin = 400, 0.03
    said = mm.gate(pair_of(20, 20, count), "top1", margin=margin, both=True).needed
    assert said is not None
    error = math.sqrt(0.1 / said)
    far = (margin - 1.96 * math.sqrt((0.1 - margin**2) / said)) / error
    assert math.erf(far / math.sqrt(2)) == pytest.approx(0.8, abs=0.03)


@pytest.mark.parametrize("hits", [False, True])
@pytest.mark.parametrize(("count", "margin"), [(30, 0.06), (60, 0.01), (400, 0.005)])
def test_equal_systems_are_decided_by_about_as_many_samples_as_are_said(
    hits: bool, count: int, margin: float
) -> None:
    """What was not seen shrinks with their number: 1.05 times as many pass, 0.9 times do not."""

    def gated(samples: int) -> mm.Verdict:
        pair = mm.Paired(mm.Accuracy() if hits else mm.Mean(bounds=(0, 1)))
        values = np.arange(samples) % (2 if hits else 11) / (1 if hits else 10)
        args = (values.astype(int), np.ones(samples, int)) if hits else (values,)
        pair.a.add(*args, ids=range(samples))
        pair.b.add(*args, ids=range(samples))
        pair.compute()
        return mm.gate(pair, "top1" if hits else "mean", margin=margin, both=True)

    first = gated(count)
    assert first.outcome == "undecided"
    assert first.needed is not None
    assert gated(math.ceil(1.05 * first.needed)).outcome == "pass"
    assert gated(round(0.9 * first.needed)).outcome == "undecided"


def test_equivalence_needs_a_pair() -> None:
    """A single value has no margin on both sides."""
    metric = mm.Accuracy(interval=0.95)
    metric.add([1] * 30, [1] * 30)
    metric.compute()
    with pytest.raises(TypeError, match="both=True needs margin=, and a Paired"):
        mm.gate(metric, "top1", at_least=0.5, both=True)


@pytest.mark.parametrize("ends", [(30, 40, 30), (45, 10, 45), (0, 100, 0)])
@pytest.mark.parametrize("bound", [0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5])
@pytest.mark.parametrize("side", ["at_least", "at_most"])
def test_the_p_value_of_a_median_agrees_with_the_outcome(
    ends: tuple[int, int, int], bound: float, side: str
) -> None:
    """Of tied numbers too, whose value and both ends are the bound: p was 1 beside a pass."""
    metric = mm.Quantile(interval=0.95)
    metric.add(np.repeat([1.0, 2.0, 3.0], ends))
    metric.compute()
    found = mm.gate(metric, "quantile", **{side: bound})
    assert (found.outcome == "pass") == (found.p <= 0.025)
    assert (found.outcome == "fail") == (found.p_fail < 0.025)


@pytest.mark.filterwarnings("ignore:intervals that promise less")
def test_a_mark_names_no_number_of_units() -> None:
    """Of 12 clusters more would be undecided as well, up to 20; without the mark there is one."""
    for clusters, marked in ((12, True), (60, False)):
        where = np.arange(10 * clusters) % clusters
        pair, labels = mm.Paired(mm.Accuracy()), np.ones(len(where), int)
        for side, shift in ((pair.a, 0), (pair.b, 1)):
            right = (np.arange(len(where)) + shift) % 7 > 0
            side.add(right.astype(int), labels, ids=range(len(where)), clusters=where)
        pair.compute()
        found = mm.gate(pair, "top1", margin=0.01)
        assert found.outcome == "undecided"
        assert (found.why is not None, found.needed is None) == (marked, marked)
