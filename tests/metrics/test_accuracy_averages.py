"""Accuracy by class: its averages, ignored labels and samples of many positions."""

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import recall_score

from mmeval_like import Accuracy, MetricCollection
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples
from tests.metrics import classes

SIZE = classes.CLASSES
AVERAGES = ("micro", "macro", "weighted", None)


def shares(scores: np.ndarray, labels: np.ndarray, average: Any) -> dict[str, Any]:
    """scikit-learn's recall, once the label stands for what hits it."""
    found = {}
    for k in (1, 2):
        for thr, name in ((0.25, "thr-0.25"), (None, "no-thr")):
            order = np.argsort(-scores, axis=1, kind="stable")[:, :k]
            own = scores[np.arange(len(labels)), labels]
            hit = (order == labels[:, None]).any(1) & (own > (-1 if thr is None else thr))
            value = recall_score(
                labels, np.where(hit, labels, SIZE), labels=range(SIZE), average=average,
                zero_division=0.0,
            )  # fmt: skip
            found[f"top{k}_{name}" + "_classwise" * (average is None)] = value
    return found


def of_indices(predictions: Any, labels: Any, weights: Any = None) -> dict[str, float]:
    """scikit-learn's mean recall."""
    value = recall_score(labels, predictions, labels=range(SIZE), average="macro",
                         sample_weight=weights, zero_division=0.0)  # fmt: skip
    return {"top1": value}


CASES = {
    **{
        f"Accuracy, {average}": MetricCase(
            partial(Accuracy, (1, 2), (0.25, None), num_classes=SIZE, average=average),
            classes.tied_scores,
            partial(shares, average=average),
        )
        for average in AVERAGES
    },
    "Accuracy, macro, class indices": MetricCase(
        partial(Accuracy, num_classes=SIZE, average="macro"),
        classes.indices,
        of_indices,
        empty={"top1": math.nan},
    ),
    "Accuracy, macro, weighted": MetricCase(
        partial(Accuracy, num_classes=SIZE, average="macro", use_sample_weight=True),
        lambda rng, n: (*classes.indices(rng, n), rng.integers(1, 9, n) / 8),
        of_indices,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The metric equals scikit-learn's value and keeps every law."""
    check_metric(CASES[name], examples=examples(3), libraries=["array_api_strict"])


def test_both_ways_to_count_agree() -> None:
    """With and without num_classes the micro average is the same."""
    scores, labels = classes.tied_scores(np.random.default_rng(0), 50)
    metrics = MetricCollection(
        {"plain": Accuracy((1, 3)), "by class": Accuracy((1, 3), num_classes=SIZE)}
    )
    metrics.add(scores, labels)

    plain, by_class = metrics.compute().values()
    assert plain == by_class


def test_positions_and_ignored_labels() -> None:
    """Pixels count one by one, those with the ignored label do not."""
    metric = Accuracy(num_classes=3, ignore_index=255)
    labels = np.array([[[0, 1], [255, 2]]])
    scores = np.moveaxis(np.eye(3)[[[[0, 0], [1, 2]]]], -1, 1)

    assert metric(scores, labels) == {"top1": 2 / 3}
    assert metric(scores.argmax(1), labels) == {"top1": 2 / 3}
    assert Accuracy(num_classes=3)([[0, 1], [2]], [[0, 0], [2]]) == {"top1": 2 / 3}


def test_an_ignored_class_and_classes_without_labels() -> None:
    """An ignored class leaves the mean; one without labels counts as it is said to."""
    make = partial(Accuracy, num_classes=3, average="macro")
    batch = [0, 1, 1, 0], [0, 0, 1, 1]

    assert make()(*batch) == {"top1": 1 / 3}
    assert make(zero_division=math.nan)(*batch) == {"top1": 0.5}
    assert make(zero_division=1.0)(*batch) == {"top1": 2 / 3}
    assert make(ignore_index=0)(*batch) == {"top1": 0.25}
    values = make(average=None, ignore_index=0)(*batch)["top1_classwise"]
    assert values[1:] == [0.5, 0.0]
    assert math.isnan(values[0])


BAD = [
    ({"average": "macro"}, None, "num_classes must be given"),
    ({"ignore_index": 1}, None, "num_classes must be given"),
    ({"num_classes": 0}, None, "num_classes must be positive"),
    ({"num_classes": 2, "average": "mean"}, None, "average must be one of"),
    ({"num_classes": 2, "zero_division": 3}, None, "zero_division"),
    ({"num_classes": 2}, ([[0.5, 0.5, 0]], [1]), "scores of 2 classes, got 3"),
    ({"num_classes": 2}, ([1], [2]), "labels must be in"),
    ({"num_classes": 2}, ([1, 1], [1]), "same length"),
    ({"num_classes": 2}, ([0.5], [1], [1]), "use_sample_weight"),
]


@pytest.mark.parametrize(("options", "batch", "text"), BAD)
def test_bad_arguments_and_inputs(options: Any, batch: Any, text: str) -> None:
    """Options and inputs that do not fit are refused."""
    with pytest.raises(ValueError, match=text):
        Accuracy(**options).add(*batch)
