"""ConfusionMatrix against scikit-learn."""

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix, multilabel_confusion_matrix

from mmeval_like import ConfusionMatrix, MetricCollection
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples
from tests.metrics import classes

SIZE = classes.CLASSES


def oracle(
    predictions: np.ndarray, labels: np.ndarray, weights: Any = None, normalize: Any = None
) -> dict[str, np.ndarray]:
    """scikit-learn's matrix."""
    if predictions.ndim == 2:
        predictions = predictions.argmax(axis=1)
    matrix = confusion_matrix(
        labels, predictions, labels=range(SIZE), sample_weight=weights, normalize=normalize
    )
    return {"confusion_matrix": matrix}


CASES = {
    **{
        f"ConfusionMatrix, {normalize}": MetricCase(
            partial(ConfusionMatrix, SIZE, normalize),
            classes.indices,
            partial(oracle, normalize=normalize),
            empty=0,
        )
        for normalize in (None, "true", "pred", "all")
    },
    "ConfusionMatrix, scores": MetricCase(
        partial(ConfusionMatrix, SIZE), classes.probabilities, oracle, 0, empty=0
    ),
    "ConfusionMatrix, weighted": MetricCase(
        partial(ConfusionMatrix, SIZE, use_sample_weight=True),
        classes.weighted_indices,
        oracle,
        empty=0,
    ),
    "ConfusionMatrix, weighted shares": MetricCase(
        partial(ConfusionMatrix, SIZE, "true", use_sample_weight=True),
        classes.weighted_indices,
        partial(oracle, normalize="true"),
        empty=0,
    ),
}


def label_sets(
    scores: np.ndarray, labels: np.ndarray, weights: Any = None
) -> dict[str, np.ndarray]:
    """scikit-learn's matrix of every class; of weights, which it subtracts, a sum for each cell."""
    if weights is None:
        return {"confusion_matrix": multilabel_confusion_matrix(labels, scores >= 0.5)}
    pairs = zip(np.transpose(labels), np.transpose(scores >= 0.5), strict=True)
    matrix = [
        [[math.fsum(weights[(t == i) & (p == j)]) for j in (0, 1)] for i in (0, 1)]
        for t, p in pairs
    ]
    return {"confusion_matrix": np.array(matrix)}


CASES |= {
    "ConfusionMatrix, binary": MetricCase(
        partial(ConfusionMatrix, 2, task="binary", threshold=0.25),
        classes.binary,
        lambda scores, labels: {
            "confusion_matrix": confusion_matrix(labels, scores >= 0.25, labels=[0, 1])
        },
    ),
    "ConfusionMatrix, multilabel": MetricCase(
        partial(ConfusionMatrix, SIZE, task="multilabel"),
        classes.label_sets,
        label_sets,
        empty={"confusion_matrix": np.zeros((SIZE, 2, 2), int)},
    ),
    "ConfusionMatrix, multilabel, weighted": MetricCase(
        partial(ConfusionMatrix, SIZE, task="multilabel", use_sample_weight=True),
        lambda rng, n: (*classes.label_sets(rng, n), classes.weights(rng, n)),
        label_sets,
        empty={"confusion_matrix": np.zeros((SIZE, 2, 2))},
    ),
}


@pytest.mark.parametrize("normalize", ["true", "pred", "all"])
def test_shares_of_label_sets(normalize: str) -> None:
    """Every class is normalized by itself, with and without weights."""
    scores, labels = classes.label_sets(np.random.default_rng(0), 30)
    for weights in (None, np.arange(30) / 4):
        metric = ConfusionMatrix(
            SIZE, normalize, task="multilabel", use_sample_weight=weights is not None
        )
        expected = [
            confusion_matrix(t, s >= 0.5, sample_weight=weights, normalize=normalize)
            for t, s in zip(labels.T, scores.T, strict=True)
        ]
        np.testing.assert_allclose(metric(scores, labels, weights)["confusion_matrix"], expected)


def test_ignored_positions_are_not_counted() -> None:
    """Pixels with the ignored label leave the matrix, whatever is predicted there."""
    metric = ConfusionMatrix(2, ignore_index=255)
    metric.add([[[0, 1], [1, 7]]], [[[0, 0], [1, 255]]])

    assert metric.compute()["confusion_matrix"].tolist() == [[1, 1], [0, 1]]


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The metric equals scikit-learn's matrix and keeps every law."""
    check_metric(CASES[name], examples=examples(4), libraries=["array_api_strict"])


def test_counts_are_integers_and_the_callers_own() -> None:
    """Counts are int64, and writing into a result changes nothing else."""
    metric = ConfusionMatrix(2)
    metric.add([0, 1], [0, 0])
    first = metric.compute()["confusion_matrix"]
    first[:] = -1

    assert first.dtype == np.int64
    assert metric.compute()["confusion_matrix"].tolist() == [[1, 1], [0, 0]]


def test_members_of_a_collection_share_no_result() -> None:
    """Equal metrics count once, but what each returns is its own."""
    metrics = MetricCollection({"a": ConfusionMatrix(2), "b": ConfusionMatrix(2)})
    metrics.add([0, 1], [0, 0])
    values = metrics.compute()
    values["a"]["confusion_matrix"][:] = -1

    assert values["b"]["confusion_matrix"].tolist() == [[1, 1], [0, 0]]


def test_bad_arguments() -> None:
    """Arguments that mean nothing are refused."""
    with pytest.raises(ValueError, match="normalize"):
        ConfusionMatrix(2, "rows")
    with pytest.raises(ValueError, match="num_classes"):
        ConfusionMatrix(0)


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        (([0, 2], [0, 1]), ValueError, r"predictions must be in \[0, 2\), got 2 at index 1"),
        (([0, 1], [0, -1]), ValueError, r"labels must be in \[0, 2\), got -1 at index 1"),
        (([0, 1], [2**62, 0]), ValueError, "labels must be in"),
        (([0], [0, 1]), ValueError, "same length"),
        (([[0.1, np.nan]], [0]), ValueError, "nan"),
        (([0.5], [0]), TypeError, "integers"),
    ],
)
def test_bad_inputs(arguments: tuple[Any, ...], error: type[Exception], text: str) -> None:
    """Classes out of range never reach another class's cell."""
    with pytest.raises(error, match=text):
        ConfusionMatrix(2).add(*arguments)
