"""Rare classes, of which few samples, or none, are wrong, or right, or differ between systems."""

import numpy as np
import pytest
from scipy.stats import beta

import mmeval_like as mm
from mmeval_like.writing.intervals import Interval

pytestmark = pytest.mark.filterwarnings("ignore:intervals that promise less")


def single(frequent: tuple[int, int], rare: tuple[int, int]) -> Interval:
    """The interval of the balanced accuracy of classes with these numbers of hits and misses."""
    labels = [0] * sum(frequent) + [1] * sum(rare)
    predictions = [0] * frequent[0] + [1] * frequent[1] + [1] * rare[0] + [0] * rare[1]
    metric = mm.BalancedAccuracy(num_classes=2, task="multiclass", interval=0.95)
    metric.add(predictions, labels)
    metric.compute()
    [found] = metric.intervals.values()
    return found


@pytest.mark.parametrize("misses", [0, 1, 2, 3])
def test_few_misses_reach_as_far_as_those_of_the_class_alone(misses: int) -> None:
    """To the value with the Clopper-Pearson end of the recall, by scipy's beta distribution."""
    found = single((8_820, 980), (30 - misses, misses))
    end = beta.ppf(0.975, misses + 1, 30 - misses)
    assert found.low <= (0.9 + 1 - end) / 2 + 1e-6
    mirrored = single((8_820, 980), (misses, 30 - misses))
    assert mirrored.high >= (0.9 + end) / 2 - 1e-6


def test_a_frequent_class_is_not_affected() -> None:
    """Three misses among thousands say enough."""
    assert single((2_997, 3), (40, 20)).method == "Wilson, effective n, smoothed"


def test_classes_without_a_hit_are_covered() -> None:
    """11% of the intervals of such samples ended below the true value."""
    rng = np.random.default_rng(3)
    missed = 0
    for _ in range(200):
        hits = rng.binomial([980, 30], [0.9, 0.07])
        found = single((hits[0], 980 - hits[0]), (hits[1], 30 - hits[1]))
        missed += found.thin is None and found.high < (0.9 + 0.07) / 2
    assert missed <= 8


@pytest.mark.parametrize(("frequent", "rare", "loss"), [(980, 20, 0.1), (270, 30, 0.08)])
def test_gates_rarely_pass_where_no_rare_sample_happens_to_be_lost(
    frequent: int, rare: int, loss: float
) -> None:
    """They did in 10% to 16% of cases: frequent samples do not show what a rare one would do."""
    rng = np.random.default_rng(3)
    labels = np.r_[np.zeros(frequent, int), np.ones(rare, int)]
    is_rare, passed = labels == 1, 0
    for _ in range(150):
        right_a = rng.random(len(labels)) < np.where(is_rare, 0.9, 0.95)
        chance = np.where(right_a, np.where(is_rare, loss, 0.03), np.where(is_rare, 0, 0.57))
        right_b = right_a ^ (rng.random(len(labels)) < chance)
        pair = mm.Paired(mm.BalancedAccuracy(num_classes=2, task="multiclass"))
        for side, right in ((pair.a, right_a), (pair.b, right_b)):
            side.add(np.where(right, labels, 1 - labels), labels, ids=range(len(labels)))
        pair.compute()
        [found] = [one for key, one in pair.intervals.items() if key.endswith("_difference")]
        passed += found.thin is None and found.low > -0.9 * loss / 2
    assert passed <= 6
