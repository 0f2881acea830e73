"""Two systems on weighted samples: a sample of a large weight is not taken for one of many."""

import warnings

import numpy as np
import pytest

import mmeval_like as mm

SEED = 20261128
WEIGHED = {
    "top1": lambda: mm.Accuracy(use_sample_weight=True),
    "fbeta": lambda: mm.FBetaScore(num_classes=2, use_sample_weight=True),
    "mse": lambda: mm.MeanSquaredError(),
}


def compared(make, labels, predictions, weights):
    """Both systems on the same samples; the first one predicts the labels."""
    pair = mm.Paired(make())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for side, predicted in ((pair.a, labels), (pair.b, predictions)):
            side.add(predicted, labels, sample_weight=weights, ids=np.arange(len(labels)))
        return pair, pair.compute()


def test_gates_of_weighted_samples_rarely_pass_worse_models():
    """A tenth of the samples weighs ten times as much; the true difference is the margin."""
    rng, count, draws, wrong = np.random.default_rng(SEED), 80, 250, 0
    labels = np.ones(count, int)
    for _ in range(draws):
        weights = np.where(rng.random(count) < 0.1, 10.0, 1.0)
        worse = np.where(rng.random(count) < 0.2, 0, 1)
        pair, _ = compared(WEIGHED["top1"], labels, worse, weights)
        wrong += mm.gate(pair, "top1", margin=0.2).outcome == "pass"

    assert wrong / draws <= 0.031 + 3 * (0.031 / draws) ** 0.5


@pytest.mark.parametrize("key", ["top1", "fbeta", "mse"])
def test_few_heavy_samples_are_told(key):
    """Ten samples of 100 have nearly all of the weight; then they count as 10."""
    rng = np.random.default_rng(SEED)
    labels, predictions = rng.integers(0, 2, (2, 100))
    weights = np.where(np.arange(100) < 10, 1e4, 1.0)
    _, result = compared(WEIGHED[key], labels, predictions, weights)

    told = result.intervals[f"{key}_difference"].thin
    assert told == "given their weights, 100 samples count as 10.0"


@pytest.mark.parametrize("key", ["top1", "fbeta", "mse"])
@pytest.mark.parametrize("weight", [0.25, 8.0])
def test_equal_weights_change_nothing(key, weight):
    """The result is the same for any weight that all samples have."""
    rng = np.random.default_rng(SEED)
    labels, predictions = rng.integers(0, 2, (2, 100))
    one, other = (
        compared(WEIGHED[key], labels, predictions, np.full(100, each))[1] for each in (1.0, weight)
    )

    assert one == other
    assert repr(one.intervals) == repr(other.intervals)  # with their nan


def test_the_sign_of_0_is_no_change():
    """Scores of equal systems were taken for weights if one has -0.0: 30 samples counted as 1.6."""
    scores = np.r_[1.0, 0.05, 0.25, np.zeros(27)]
    intervals = []
    for other in (scores, np.where(scores == 0, -0.0, scores)):
        pair = mm.Paired(mm.Mean(bounds=(-1, 1)))
        for side, values in ((pair.a, scores), (pair.b, other)):
            side.add(values, ids=np.arange(30))
        pair.compute()
        intervals.append(pair.intervals["mean_difference"])

    assert intervals[0].thin is intervals[1].thin is None
    assert (intervals[0].low, intervals[0].high) == (intervals[1].low, intervals[1].high)
