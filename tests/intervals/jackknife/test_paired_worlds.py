"""Comparisons of few changes, in clusters, and of dense values: part of `make intervals`.

Each world was wrong before: more than 13 of 100 gates passed wrongly, or the interval was up to
twice as wide as Student's.
"""

import numpy as np
import pytest

import mmeval_like as mm
from tools.paired_worlds import WORLDS, compared, exactly_detected, verdicts

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("world", [w for w in WORLDS if w.changes], ids=lambda world: world.name)
def test_systems_at_the_margin_seldom_pass(world) -> None:
    """By all outcomes: at most 2.5 of 100 pass, and 2.5 of 100 fail."""
    found = verdicts(world, 1)
    assert found["pass"] <= 0.025
    assert found["fail"] <= 0.025


def test_clusters_of_unequal_sizes_seldom_pass() -> None:
    """Some of 100 documents are much larger than those that were seen to change."""
    [world] = [w for w in WORLDS if not w.changes and w.units == 100]
    found = verdicts(world, 60)
    assert found["pass"] <= 0.025 + 3 * (0.025 * 0.975 / 60) ** 0.5
    assert found["marked"] < 0.6


@pytest.mark.parametrize("count", [30, 50, 100])
def test_dense_bounded_differences_are_as_narrow_as_students(count: int) -> None:
    """Judges, Dice and other values that change in every sample: at most 1.1 times as wide."""
    stats = pytest.importorskip("scipy.stats")
    rng, widths, found = np.random.default_rng(count), [], 0
    for _ in range(40):
        a, b = rng.beta(5, 2, (2, count))
        pair = mm.Paired(mm.Mean(bounds=(0, 1)), dist_backend="non_dist")
        for side, values in ((pair.a, a), (pair.b, b + 0.05 * (1 - b))):
            side.add(values, ids=np.arange(count))
        pair.compute()
        [one] = pair.intervals.values()
        theirs = stats.ttest_rel(b + 0.05 * (1 - b), a).confidence_interval(0.95)
        widths.append((one.high - one.low) / (theirs.high - theirs.low))
        found += one.thin is not None
    assert 1 <= np.median(widths) <= 1.05
    assert max(widths) <= 1.2
    assert found <= 1


@pytest.mark.parametrize("units", [19, 20])
def test_fewer_than_20_clusters_are_marked(units: int) -> None:
    """As fewer than 20 samples are; unequal clusters count as fewer."""
    clusters = np.repeat(np.arange(units), 4)
    found = compared(mm.Accuracy(), (clusters % 3 == 0) * 1.0, clusters)
    assert (found.thin == "there are only 19 clusters") == (units == 19)
    uneven = np.repeat(np.arange(30), np.where(np.arange(30) < 3, 40, 2))
    thin = compared(mm.Accuracy(), (uneven % 3 == 0) * 1.0, uneven).thin
    assert thin == "given their sizes, 30 clusters count as 6.2"  # 174^2 / (3 40^2 + 27 2^2)


@pytest.mark.parametrize(
    ("up", "down", "count"), [(0, 0, 400), (1, 0, 400), (2, 1, 100), (5, 4, 100)]
)
def test_what_is_called_detectable_is_detected(up: int, down: int, count: int) -> None:
    """By all outcomes, in 80 of 100 cases or more; it was 31 of 100 without flips."""
    found, power = exactly_detected(up, down, count)
    assert found < 0.1
    assert 0.799 <= power <= 0.95


def test_values_that_rest_on_a_rare_class_seldom_pass() -> None:
    """A system that loses 15% of 20 positives among 200 samples: MCC falls by 0.09.

    In 7 of 100 cases no positive is lost; what one would cost is known from the other samples.
    """
    rng, labels, passed = np.random.default_rng(0), (np.arange(200) < 20).astype(int), 0
    for _ in range(60):
        a = np.where(rng.random(200) < 0.9, labels, 1 - labels)
        lost = (rng.random(200) < 0.15) & (labels == 1) & (a == 1)
        pair = mm.Paired(mm.MatthewsCorrCoef(2), dist_backend="non_dist")
        for side, values in ((pair.a, a), (pair.b, np.where(lost, 0, a))):
            side.add(values, labels, ids=np.arange(200))
        pair.compute()
        [one] = pair.intervals.values()
        passed += one.thin is None and one.low >= -0.09
    assert passed <= 60 * 0.025 + 3 * (60 * 0.025 * 0.975) ** 0.5
