"""Intervals of values that rest on the labels of few samples: the tails of the labels decide."""

from typing import Any

import numpy as np
import pytest

import mmeval_like as mm

pytestmark = pytest.mark.filterwarnings("ignore:intervals that promise less")


def judged(rng: np.random.Generator, labels: int, others: int) -> Any:
    """Of a judge that passes 12% of wrong answers, which are 30% of all."""
    right = (rng.random(labels + others) < 0.7).astype(float)
    passed = np.where(rng.random(len(right)) < 0.12, 1.0, right)
    right[labels:] = np.nan
    metric = mm.PredictionPoweredMean(interval=0.95)
    metric.add(passed, right)
    metric.compute()
    return metric.intervals["mean"]


@pytest.mark.parametrize("labels", [40, 100])
def test_errors_in_one_direction_are_few(labels: int) -> None:
    """In at most 2.5% of cases the true mean, 0.7, is below an interval without a mark.

    Of 40 or 100 labels, about 1 or 4 differ from what the judge says, and all in one direction.
    """
    below, draws = 0, 300
    for seed in range(draws):
        one = judged(np.random.default_rng(seed), labels, 10 * labels)
        below += one.thin is None and one.low > 0.7
    assert below / draws <= 0.025 + 2 * np.sqrt(0.025 * 0.975 / draws)


def test_tails_of_few_labels_are_marked() -> None:
    """One label of 200 that is far away, whatever the number of samples without a label."""
    for others in (10, 5000):
        rng = np.random.default_rng(0)
        said = rng.normal(size=200 + others)
        labels = said + rng.normal(0, 0.1, len(said))
        labels[3] += 40
        labels[200:] = np.nan
        metric = mm.PredictionPoweredMean(interval=0.95)
        metric.add(said, labels)
        metric.compute()
        thin = metric.intervals["mean"].thin
        assert thin is not None
        assert "few labels account for most" in thin


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_labels_alone_have_the_interval_of_their_mean(sign: float) -> None:
    """Without weight of the predictions, on the side of the long tail; the other is Student's."""
    values = sign * np.random.default_rng(1).exponential(size=300)
    mean = mm.Mean(interval=0.95)
    mean.add(values)
    powered = mm.PredictionPoweredMean(power=0, interval=0.95)
    powered.add(np.zeros(300), values)
    mean.compute()
    powered.compute()
    one, other = mean.intervals["mean"], powered.intervals["mean"]
    width = one.high - one.low
    assert (other.low, other.high) == pytest.approx((one.low, one.high), abs=0.01 * width)
