"""The rankings of labels within a sample, against scikit-learn."""

from functools import partial
from typing import Any

import numpy as np
import pytest
from sklearn import metrics as sk

from mmeval_like import CoverageError, LabelRankingAveragePrecision, LabelRankingLoss
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples
from tests.metrics import classes

SK = {
    CoverageError: ("coverage_error", sk.coverage_error),
    LabelRankingAveragePrecision: ("lrap", sk.label_ranking_average_precision_score),
    LabelRankingLoss: ("label_ranking_loss", sk.label_ranking_loss),
}


def weighted(rng: np.random.Generator, n: int) -> classes.Arguments:
    """Sets of labels and weights."""
    return *classes.label_sets(rng, n), rng.integers(1, 9, n) / 8


def oracle(cls: type, scores: Any, labels: Any, weights: Any = None) -> dict[str, float]:
    """scikit-learn's value."""
    key, function = SK[cls]
    scores = np.asarray(scores, float)  # of float32, scipy 1.18 rounds to float32
    return {key: float(function(labels, scores, sample_weight=weights))}


CASES = {
    **{cls.__name__: MetricCase(cls, classes.label_sets, partial(oracle, cls)) for cls in SK},
    **{f"{cls.__name__}, weighted": MetricCase(cls, weighted, partial(oracle, cls)) for cls in SK},
}


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The metric equals scikit-learn's value and keeps every law."""
    check_metric(CASES[name], examples=examples(4), libraries=["array_api_strict"])


@pytest.mark.parametrize("cls", SK)
def test_entries_that_do_not_count(cls: Any) -> None:
    """A sample of which entries are ignored is one without these classes, for scikit-learn too."""
    key, function = SK[cls]
    scores, labels = classes.label_sets(np.random.default_rng(0), 30)
    labels = np.where(np.random.default_rng(1).random(labels.shape) < 0.3, -1, labels.astype(int))
    metric = cls(ignore_index=-1)

    for row, truth in zip(scores, labels, strict=True):
        kept = truth >= 0
        if kept.sum() > 1:  # scikit-learn takes one class for no set of labels
            expected = function(truth[kept][None], row[kept][None].astype(float))
            assert metric(row[None], truth[None])[key] == pytest.approx(expected)
    with pytest.raises(ValueError, match="labels must be in"):
        cls().add(scores, labels)


def test_samples_with_all_labels_or_none() -> None:
    """As scikit-learn has it."""
    scores = [[0.5, 0.5], [0.9, 0.1]]
    for labels in ([[0, 0], [1, 1]], [[1, 1], [1, 1]]):
        for cls, (key, function) in SK.items():
            assert cls()(scores, labels)[key] == function(labels, scores)


BAD = [
    (([[0.5, 0.5]], [[2, 0]]), ValueError, "labels must be in"),
    (([[0.5, 0.5]], [[1]]), ValueError, "same shape"),
    (([0.5], [1]), ValueError, "same shape"),
    (([[np.nan, 0.5]], [[1, 0]]), ValueError, "nan"),
    (([[0.5, 0.5]], [[0.5, 0]]), TypeError, "integers"),
]


@pytest.mark.parametrize(("batch", "error", "text"), BAD)
def test_bad_inputs(batch: Any, error: type[Exception], text: str) -> None:
    """What are no scores and labels of the same classes is refused."""
    with pytest.raises(error, match=text):
        CoverageError().add(*batch)
