"""The interval of average precision: the jackknife in closed form, and how often it is right."""

from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like._intervals.interval import Interval
from mmeval_like.metrics.curves.precision_interval import precision_interval
from mmeval_like.metrics.curves.ranking import Ranking
from mmeval_like.testing import LocalWorld
from mmeval_like.testing.same import same

pytestmark = pytest.mark.filterwarnings("ignore:intervals that promise less")


def interval_of(scores: Any, labels: Any, **options: Any) -> Interval:
    """The interval of the average precision of a binary task, as a share."""
    metric = mm.AveragePrecision(task="binary", percent=False, interval=0.95, **options)
    metric.add(scores, labels)
    metric.compute()
    found: Interval = metric.intervals["mAP"]
    return found


def value_of(scores: np.ndarray, labels: np.ndarray) -> float:
    """The mean precision over positives, sample by sample."""
    precisions = [labels[scores >= score].mean() for score in scores[labels == 1]]
    return float(np.mean(precisions))


@pytest.mark.parametrize("levels", [3, 12, 1000])
def test_the_error_is_that_of_leaving_out_each_sample(levels: int) -> None:
    """With many equal scores, and with none; of a best sample of either class."""
    rng = np.random.default_rng(levels)
    for count, best in ((5, 0), (12, 1), (60, 0), (60, 1)):
        labels = np.append((rng.random(count - 4) < 0.4).astype(int), [1, 1, 0, best])
        scores = np.append(rng.integers(0, levels, count - 1), levels)
        every = np.arange(count)
        without = np.array([value_of(scores[every != k], labels[every != k]) for k in every])
        found = interval_of(scores.astype(float), labels)
        squares = ((without - without.mean()) ** 2).sum() * (count - 1) / count
        assert found.value == pytest.approx(value_of(scores, labels), rel=1e-12)
        assert found.standard_error == pytest.approx(np.sqrt(squares), rel=1e-9)


@pytest.mark.parametrize(("share", "count", "truth"), [(0.1, 400, 0.4777), (0.05, 800, 0.3352)])
def test_few_positives_have_an_average_precision_that_is_too_high(
    share: float, count: int, truth: float
) -> None:
    """The truth was below 5% to 7% of unmarked intervals of 40 positives."""
    assert missed(share, count, truth, 2000).max() < 0.037


def missed(share: float, count: int, truth: float, draws: int) -> np.ndarray:
    """How often the truth is below and above unmarked intervals of normal scores, 1.5 apart."""
    rng = np.random.default_rng(6)
    found = np.zeros(2)
    for _ in range(draws):
        labels = (rng.random(count) < share).astype(int)
        places = np.argsort(rng.normal(size=count) + 1.5 * labels)
        ranking = Ranking.of_counts(np.arange(float(count)), 1 - labels[places], labels[places])
        one = precision_interval(ranking, 0.95)
        found += (one.thin is None) * np.array([truth < one.low, one.high < truth])
    return found / draws


def test_both_ends_miss_alike_where_half_of_the_samples_are_positive() -> None:
    """0.036 of intervals were above the truth, 0.012 below it: the logit is too far from 0."""
    assert missed(0.5, 100, 0.8538, 1200).max() < 0.03


def test_percent_classes_and_bins_have_the_same_interval() -> None:
    """Of one class: a hundred times it, the first of a list, and of counts of scores."""
    rng = np.random.default_rng(1)
    labels = (np.arange(90) % 3 == 0).astype(int)
    scores = rng.integers(0, 16, 90) / 16
    one = interval_of(scores, labels)
    assert one.thin is None
    assert one.method == "jackknife, logit t"
    assert repr(interval_of(scores, labels, bins=16)) == repr(one)  # with nan for nan
    listed = mm.AveragePrecision("none", task="multilabel", percent=False, interval=0.95)
    listed.add(scores[:, None], labels[:, None])
    listed.compute()
    assert repr(listed.intervals["AP_classwise"]) == repr([one])
    percent = mm.AveragePrecision(task="binary", interval=0.95)
    percent.add(scores, labels)
    percent.compute()
    assert percent.intervals["mAP"].low == 100 * one.low
    assert percent.intervals["mAP"].standard_error == 100 * one.standard_error


def test_few_samples_of_a_class_are_told() -> None:
    """Fewer than two positives have no interval; fewer than 30 of a class have a mark."""
    scores = np.arange(100.0)
    for positives, known in (
        (0, False),
        (1, False),
        (2, True),
        (29, True),
        (71, True),
        (100, True),
    ):
        found = interval_of(scores, (np.arange(100) < positives).astype(int))
        assert found.thin is not None
        assert np.isfinite(found.low) == known
        assert not found.low > found.value
    assert interval_of(scores, (np.arange(100) % 3 == 0).astype(int)).thin is None


def test_a_perfect_order_has_the_interval_of_a_share_of_the_rarer_class() -> None:
    """Wilson's of 40 of 40."""
    found = interval_of(np.arange(100.0), (np.arange(100) >= 60).astype(int))
    assert (found.method, found.high) == ("Wilson", 1.0)
    assert found.low == pytest.approx(40 / (40 + 1.959964**2))


def test_ranks_and_order_do_not_matter() -> None:
    """The same bits on one rank and on three."""
    rng = np.random.default_rng(3)
    labels = (np.arange(120) % 3 == 0).astype(int)
    scores = np.round(rng.normal(size=120) + labels, 1)
    whole = mm.AveragePrecision(task="binary", interval=0.95, dist_backend="non_dist")
    whole.add(scores[::-1], labels[::-1])

    def of_rank(backend: Any) -> Any:
        metric = mm.AveragePrecision(task="binary", interval=0.95, dist_backend=backend)
        metric.add(scores[backend.rank :: 3], labels[backend.rank :: 3])
        return metric.compute()

    assert all(same(found, whole.compute()) for found in LocalWorld(3).run(of_rank))
