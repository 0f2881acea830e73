"""The counts that classification metrics share, and how few of them are kept."""

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix

from mmeval_like import (
    CohenKappa,
    ConfusionMatrix,
    MatthewsCorrCoef,
    MetricCollection,
    SingleLabelPrecisionRecallF1score,
)
from mmeval_like.metrics.classification.class_counts import ClassCounts, class_counts
from mmeval_like.metrics.classification.confusion_counts import ConfusionCounts
from mmeval_like.metrics.classification.weighted_counts import WeightedCount
from mmeval_like.testing import LocalWorld
from tests.metrics import classes

MANY = 50  # more classes than are counted by their whole matrix


def table(statistic: Any, *batch: Any) -> np.ndarray:
    """The table of one batch."""
    metric = SingleLabelPrecisionRecallF1score(statistic.num_classes)
    metric.statistic = statistic
    found = []
    metric.compute_metric = lambda results: found.append(statistic.table(results)) or {}
    metric(*batch)
    return found[0]


@given(st.integers(0, 999), st.booleans())
def test_both_ways_to_count_agree(seed: int, weighted: bool) -> None:
    """Per class or by the whole matrix: the same numbers, and scikit-learn's."""
    rng = np.random.default_rng(seed)
    predictions, labels, weights = classes.weighted_indices(rng, 20)
    batch = (predictions, labels, weights) if weighted else (predictions, labels)
    size = classes.CLASSES
    matrix = confusion_matrix(labels, predictions, sample_weight=weights if weighted else None,
                              labels=range(size))  # fmt: skip

    one = table(ConfusionCounts(size, weighted), *batch)
    other = table(ClassCounts(size, (None,), weighted), *batch)
    assert one.dtype == other.dtype == (np.float64 if weighted else np.int64)
    assert np.array_equal(one, other)
    assert np.allclose(one[:, 0], [matrix.diagonal(), matrix.sum(0), matrix.sum(1)], rtol=1e-13)


def test_few_classes_are_counted_by_their_matrix() -> None:
    """Where C * C is small one code per sample does; beyond that 3 C numbers are kept."""
    assert class_counts(10) == ConfusionCounts(10)
    assert class_counts(MANY) == ClassCounts(MANY)
    assert class_counts(10, (0.5,)) == ClassCounts(10, (0.5,))
    assert class_counts(None) == ClassCounts(None)


@pytest.mark.parametrize("size", [10, MANY])
def test_a_collection_counts_once(size: int) -> None:
    """Everything that follows from a confusion matrix follows from one, and is the same."""
    make = {
        "matrix": partial(ConfusionMatrix, size),
        "macro": partial(SingleLabelPrecisionRecallF1score, size),
        "micro": partial(SingleLabelPrecisionRecallF1score, size, average="micro"),
        "kappa": partial(CohenKappa, size),
        "linear": partial(CohenKappa, size, "linear"),
        "mcc": partial(MatthewsCorrCoef, size),
    }
    rng = np.random.default_rng(0)
    labels = rng.integers(0, size, 200)
    predictions = np.where(rng.random(200) < 0.7, labels, rng.integers(0, size, 200))
    metrics = MetricCollection({name: metric() for name, metric in make.items()})
    metrics.add(predictions, labels)

    assert len(metrics._samples().stores()) == 1
    for name, value in metrics.compute().items():
        expected = make[name]()(predictions, labels)
        assert all(np.array_equal(value[key], expected[key]) for key in expected), name


def test_many_classes_send_little() -> None:
    """At 21,841 classes precision, recall and F1 send 512 KiB, not the matrix's 3.6 GiB."""
    metric = SingleLabelPrecisionRecallF1score(21_841)
    metric.add([0, 21_840], [0, 1])
    store = metric._samples().stores()[0]

    assert 8 * store.layout.size < 2**19 + 2**6


def test_codes_take_little_memory() -> None:
    """A sample's code takes one byte for up to 16 classes: with `ids=` all codes are kept."""
    rows = ConfusionCounts(16).rows(np.array([15]), np.array([15]))

    assert rows["matrix"].dtype == np.uint8
    assert rows["matrix"].tolist() == [255]


@given(st.lists(st.tuples(st.integers(0, 4), st.floats(-1e300, 1e300)), max_size=30))
def test_weighted_count_is_a_sum_per_bin(entries: list[tuple[int, float]]) -> None:
    """Every bin has the correctly rounded sum of its numbers."""
    count = WeightedCount(5)
    rows = np.array([(value, code) for code, value in entries], np.float64).reshape(-1, 2)
    values = count.value(count.fold(count.empty(), count.check("x", rows)))

    assert values.tolist() == [math.fsum(v for c, v in entries if c == code) for code in range(5)]


@pytest.mark.parametrize(
    ("rows", "error"),
    [
        (np.zeros((1, 2), np.float32), TypeError),
        ([[0.0, 0.0]], TypeError),
        (np.zeros((1, 3)), ValueError),
        (np.array([[1.0, 5.0]]), ValueError),
        (np.array([[1.0, -1.0]]), ValueError),
    ],
)
def test_weighted_count_checks_its_rows(rows: Any, error: type[Exception]) -> None:
    """Rows of another dtype or shape, and codes out of range, are refused."""
    with pytest.raises(error):
        WeightedCount(5).check("x", rows)


def test_batches_of_different_width() -> None:
    """While the number of classes is open, batches that differ in it are an error everywhere."""

    def evaluate(backend: Any) -> Any:
        metric = SingleLabelPrecisionRecallF1score(dist_backend=backend)
        metric.add(np.ones((1, 3 + backend.rank)), [0])
        with pytest.raises(Exception, match="same number of classes in every batch"):
            metric.compute()

    LocalWorld(2).run(evaluate)
