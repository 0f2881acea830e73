"""MeanIoU against scikit-learn over all pixels."""

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import (
    accuracy_score,
    cohen_kappa_score,
    fbeta_score,
    jaccard_score,
    precision_score,
    recall_score,
)

from mmeval_like import MeanIoU
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples
from tests.metrics.classes import CLASSES, Arguments

KEYS = ("aAcc", "mIoU", "mAcc", "mDice", "mPrecision", "mRecall", "mFscore", "kappa")
EMPTY = dict.fromkeys(KEYS, math.nan)
MANY = 300  # more classes than one joint histogram is made for


def maps(rng: np.random.Generator, n: int) -> Arguments:
    """Maps of one byte a pixel, some pixels ignored, one class that never occurs."""
    labels = rng.integers(0, CLASSES - 1, (n, 5, 4)).astype(np.uint8)
    predictions = np.where(rng.random(labels.shape) < 0.6, labels, rng.integers(0, 2, labels.shape))
    labels[rng.random(labels.shape) < 0.2] = 255
    labels[:, 0] = predictions[:, 0] = 0
    return predictions.astype(np.uint8), labels


def images(rng: np.random.Generator, n: int) -> Arguments:
    """Maps of different size, in lists, of many classes."""
    labels = [rng.integers(0, 9, tuple(rng.integers(1, 6, 2))) * 30 for _ in range(n)]
    return [np.where(rng.random(m.shape) < 0.6, m, 30) for m in labels], labels


def oracle(predictions: Any, labels: Any, beta: float = 1, size: int = CLASSES) -> dict[str, Any]:
    """scikit-learn's scores of the classes for which they are defined."""
    predicted, actual = (
        np.concatenate([np.ravel(m) for m in part]) for part in (predictions, labels)
    )
    predicted, actual = predicted[actual != 255], actual[actual != 255]
    options = {"average": None, "labels": range(size), "zero_division": np.nan}
    precision = precision_score(actual, predicted, **options)
    recall = recall_score(actual, predicted, **options)
    options["zero_division"] = 0.0
    both = ~(np.isnan(precision) | np.isnan(recall) | (precision + recall == 0))
    seen = ~(np.isnan(precision) & np.isnan(recall))
    scores = {
        "mIoU": jaccard_score(actual, predicted, **options)[seen],
        "mAcc": recall,
        "mDice": fbeta_score(actual, predicted, beta=1, **options)[seen],
        "mPrecision": precision,
        "mRecall": recall,
        "mFscore": fbeta_score(actual, predicted, beta=beta, **options)[both],
    }
    found = {name: np.nanmean(values) if len(values) else np.nan for name, values in scores.items()}
    found["aAcc"] = accuracy_score(actual, predicted)
    if len(set(predicted) | set(actual)) > 1:
        found["kappa"] = cohen_kappa_score(actual, predicted)
    return found


CASES = {
    "MeanIoU, maps": MetricCase(partial(MeanIoU, CLASSES), maps, oracle, empty=EMPTY),
    "MeanIoU, beta": MetricCase(
        partial(MeanIoU, CLASSES, beta=2.0), maps, partial(oracle, beta=2.0)
    ),
    "MeanIoU, sizes, many classes": MetricCase(
        partial(MeanIoU, MANY), images, partial(oracle, size=MANY)
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The metric equals scikit-learn's scores and keeps every law."""
    check_metric(CASES[name], examples=examples(4), libraries=["array_api_strict"])


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint16, np.int64, np.float32])
@pytest.mark.parametrize("size", [19, 150, 254, MANY])
def test_any_integers(size: int, dtype: type) -> None:
    """Perfect predictions are perfect in every integer width, whatever the number of classes."""
    top = int(min(size, np.iinfo(dtype).max + 1 if dtype is not np.float32 else size))
    labels = np.arange(top).reshape(1, 1, -1).astype(dtype)
    value = MeanIoU(size, ignore_index=1000)(labels, labels)

    assert (value["aAcc"], value["mIoU"], value["kappa"]) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize("ignore_index", [255, -1, 1000])
def test_ignored_pixels(ignore_index: int) -> None:
    """Where the label is `ignore_index`, predictions may be anything."""
    labels = np.array([[[0, 1, ignore_index, ignore_index]]])
    predictions = np.array([[[0, 0, 99, -7]]])

    assert MeanIoU(2, ignore_index=ignore_index)(predictions, labels)["mIoU"] == 0.25


def test_all_pixels_ignored() -> None:
    """Nothing to judge is nan, without warnings."""
    value = MeanIoU(2)(np.zeros((1, 2, 2), int), np.full((1, 2, 2), 255))

    assert all(map(math.isnan, value.values()))


def test_nan_to_num_and_classwise() -> None:
    """Classes that never occur count as told; values by class are there when asked for."""
    maps = np.zeros((1, 2, 2), np.uint8)
    value = MeanIoU(2, nan_to_num=-1, classwise_results=True)(maps, maps)

    assert value["mIoU"] == 0.0
    assert value["classwise_results"]["IoU"].tolist() == [1.0, -1.0]
    assert [*value["classwise_results"]] == ["IoU", "Acc", "Dice", "Precision", "Recall", "Fscore"]


def test_kappa_of_very_many_pixels() -> None:
    """Counts beyond 3e9, whose squares leave int64."""
    metric = MeanIoU(2)
    metric.add(np.array([[[0, 0, 1, 1]]]), np.array([[[0, 1, 1, 1]]]))
    expected = metric.compute()
    store = metric._samples().stores()[0]
    for _ in range(40):  # what there is, once more
        store.merge(store.part(0))

    assert metric.compute()["kappa"] == pytest.approx(expected["kappa"], rel=1e-10)


def test_number_of_classes_from_the_dataset() -> None:
    """From `dataset_meta`, also when that is set later; without it an error on use."""
    maps = np.zeros((1, 2, 2), np.uint8)
    late = MeanIoU()
    with pytest.raises(RuntimeError, match="num_classes=, or dataset_meta"):
        late.add(maps, maps)
    late.dataset_meta = {"classes": ("road", "sky")}

    assert late(maps, maps)["aAcc"] == 1.0
    assert MeanIoU(dataset_meta={"num_classes": 3}).num_classes == 3
    with pytest.raises(ValueError, match="num_classes"):
        MeanIoU(0)


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        (([[[0]]], [[[0]], [[0]]]), ValueError, "same length.* 1 and 2"),
        (([[[0, 1]]], [[[0]]]), ValueError, r"same shape, got \(1, 2\) and \(1, 1\)"),
        (([[[2]]], [[[0]]]), ValueError, r"predictions must be in \[0, 2\), got 2"),
        (([[[-1]]], [[[0]]]), ValueError, r"predictions must be in \[0, 2\), got -1"),
        (([[[0]]], [[[2]]]), ValueError, r"labels must be in \[0, 2\), got 2"),
        (([[[0]]], [[[-1]]]), ValueError, r"labels must be in \[0, 2\), got -1"),
        (([[[0.5]]], [[[0]]]), TypeError, "predictions must be integers"),
        (("a", "b"), TypeError, "predictions"),
    ],
)
def test_bad_inputs(arguments: tuple[Any, ...], error: type[Exception], text: str) -> None:
    """No pixel is booked under another class: what is out of range is refused."""
    metric = MeanIoU(2)
    with pytest.raises(error, match=text):
        metric.add(*arguments)

    assert (
        len(metric._samples().stores()[0].backlog.ids()) == metric._samples().stores()[0].count == 0
    )
