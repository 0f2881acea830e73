"""Data frames are read by position, so names of columns that say another order are refused."""

import importlib

import numpy as np
import pytest

import mmeval_like as mm

SCORES = {"dog": [0.9, 0.2, 0.6], "cat": [0.1, 0.8, 0.4]}
LABELS = ["dog", "cat", "cat"]


def frame(library, columns):
    """Return a data frame of a library."""
    module = importlib.import_module(library)
    return module.table(columns) if library == "pyarrow" else module.DataFrame(columns)


@pytest.fixture(params=["pandas", "polars", "pyarrow"])
def library(request):
    """Each library of data frames that is installed."""
    pytest.importorskip(request.param)
    return request.param


@pytest.mark.parametrize("metric", [mm.classification.Accuracy, mm.classification.LogLoss])
@pytest.mark.parametrize("prefix", ["", "p_"])
def test_columns_in_another_order_than_the_classes(library, metric, prefix) -> None:
    """The score of the dog is never taken for that of the cat, and nothing is added."""
    scores = frame(library, {prefix + name: values for name, values in SCORES.items()})
    wrong, right = metric(classes=["cat", "dog"]), metric(classes=["dog", "cat"])
    pair = f"{prefix}dog, {prefix}cat, but the order of the classes is cat, dog"

    with pytest.raises(ValueError, match=f"predictions are read from {pair}"):
        wrong.add(scores, LABELS)
    with pytest.raises(ValueError, match=f"predictions are read from {pair}"):
        mm.MetricCollection(member=wrong).add(predictions=scores, labels=LABELS)

    right.add(scores, LABELS)
    wrong.add(np.transpose([SCORES["cat"], SCORES["dog"]]), LABELS)
    assert wrong.compute() == right.compute()


def test_columns_that_are_named_after_class_indices(library) -> None:
    """Sorted as texts, p_10 follows p_1; two frames in the same order are read as they are."""
    labels = np.arange(12)
    columns = {f"p_{n}": np.where(labels == n, 0.9, 0.01).tolist() for n in range(12)}
    metric = mm.classification.Accuracy()

    with pytest.raises(ValueError, match=r"p_0, p_1, p_10, p_11, p_2, .* the order of the classes"):
        metric.add(frame(library, {name: columns[name] for name in sorted(columns)}), labels)

    metric.add(frame(library, columns), labels)
    assert metric.compute() == {"top1": 1.0}
    both = mm.classification.SubsetAccuracy(num_classes=2)
    swapped = frame(library, {"y_1": [1, 0], "y_0": [0, 0]})
    both.add(swapped, swapped)
    assert both.compute() == {"subset_accuracy": 1.0}


def test_two_frames_with_the_same_columns_in_different_orders(library) -> None:
    """The errors of `x` are not those between `x` and `y`."""
    metric = mm.regression.MeanBias(num_outputs=2, multioutput="raw_values")
    predictions = frame(library, {"x": [1.0, 2.0], "y": [10.0, 20.0]})

    with pytest.raises(ValueError, match="read from x, y, but labels from y, x, in another order"):
        metric.add(predictions, frame(library, {"y": [10.0, 20.0], "x": [1.0, 2.0]}))

    metric.add(predictions, frame(library, {"x": [0.0, 1.0], "y": [10.0, 20.0]}))
    assert metric.compute() == {"bias": [1.0, 0.0]}


def test_columns_that_are_not_named_after_classes(library) -> None:
    """They are in the order of the class indices."""
    metric = mm.classification.Accuracy(classes=["cat", "dog"])
    metric.add(frame(library, {"x": SCORES["cat"], "y": SCORES["dog"]}), LABELS)
    assert metric.compute() == {"top1": 2 / 3}


def test_columns_of_pandas_without_names() -> None:
    """A frame that was made from an array numbers its columns."""
    pandas = pytest.importorskip("pandas")
    metric = mm.classification.Accuracy(classes=["1", "0"])
    metric.add(pandas.DataFrame(np.transpose([*SCORES.values()])), [0, 1, 1])
    assert metric.compute() == {"top1": 2 / 3}
