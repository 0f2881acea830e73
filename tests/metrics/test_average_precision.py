"""AveragePrecision against scikit-learn."""

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from mmeval_like import AveragePrecision
from mmeval_like.testing import LocalWorld, MetricCase, check_metric
from tests.helpers.examples import examples
from tests.metrics import classes

SIZE = classes.CLASSES
ROUNDED = 5.1e-5  # to four decimals


def average_precision(scores: np.ndarray, truth: np.ndarray, weights: Any = None) -> float:
    """scikit-learn's value in percent; 0 without positives."""
    if not (truth if weights is None else truth * weights).any():
        return 0.0
    return 100 * average_precision_score(truth, scores, sample_weight=weights)


def oracle(scores: np.ndarray, labels: Any, weights: Any = None) -> dict[str, Any]:
    """Class by class."""
    if scores.ndim == 1:
        return {"mAP": average_precision(scores, labels, weights)}
    if isinstance(labels, list):
        labels = np.array([[c in entry for c in range(SIZE)] for entry in labels])
    truth = labels if labels.ndim == 2 else labels[:, None] == np.arange(SIZE)
    values = [average_precision(s, t, weights) for s, t in zip(scores.T, truth.T, strict=True)]
    return {"mAP": np.mean(values), "AP_classwise": values}


def only(name: str) -> Any:
    """The oracle's value of one key."""
    return lambda *batch: {name: oracle(*batch)[name]}


def listed(rng: np.random.Generator, n: int) -> classes.Arguments:
    """Scores, and labels as lists of class indices, some of them empty."""
    scores, rows = classes.label_sets(rng, n)
    return scores, [np.flatnonzero(row) for row in rows]


def weighted(rng: np.random.Generator, n: int) -> classes.Arguments:
    """Scores, one-hot rows and weights."""
    return *classes.label_sets(rng, n), classes.weights(rng, n)


def case(sample: Any, key: str = "mAP", empty: Any = math.nan, **options: Any) -> MetricCase:
    """A case of the metric."""
    average = "macro" if key == "mAP" else None
    make = partial(AveragePrecision, average, **options)
    return MetricCase(make, sample, only(key), ROUNDED, empty=empty)


CASES = {
    "AveragePrecision, one-hot": MetricCase(
        AveragePrecision, classes.label_sets, only("mAP"), ROUNDED, empty={"mAP": math.nan}
    ),
    "AveragePrecision, classwise": case(classes.label_sets, "AP_classwise"),
    "AveragePrecision, lists": case(listed),
    "AveragePrecision, class indices": case(classes.tied_scores, "AP_classwise"),
    "AveragePrecision, one class": case(classes.binary),
    "AveragePrecision, weighted": case(weighted, "AP_classwise", use_sample_weight=True),
    # The scores are multiples of 1/8: the bins below hold one value each.
    "AveragePrecision, bins": case(classes.label_sets, num_classes=SIZE, bins=24),
    "AveragePrecision, bins, weighted": case(
        weighted,
        "AP_classwise",
        empty={"AP_classwise": [0.0] * SIZE, "AP_error_bound_classwise": [0.0001] * SIZE},
        num_classes=SIZE,
        bins=24,
        use_sample_weight=True,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The metric equals scikit-learn's value and keeps every law."""
    check_metric(CASES[name], examples=examples(4), libraries=["array_api_strict"])


@given(st.integers(0, 999), st.integers(1, 12), st.booleans())
def test_error_bound_holds(seed: int, bins: int, weighted: bool) -> None:
    """With bins the exact value is within the bound that comes with the value."""
    rng = np.random.default_rng(seed)
    scores, labels = np.round(rng.random(40), 2), rng.integers(0, 2, 40)
    weights = (rng.random(40) + 0.1,) if weighted else ()
    exact = AveragePrecision(use_sample_weight=weighted)(scores, labels, *weights)["mAP"]
    metric = AveragePrecision(num_classes=1, bins=bins, use_sample_weight=weighted)
    value = metric(scores, labels, *weights)

    assert abs(value["mAP"] - exact) <= value["mAP_error_bound"]
    by_class = AveragePrecision(None, num_classes=1, bins=bins, use_sample_weight=weighted)(
        scores, labels, *weights
    )
    assert by_class["AP_classwise"] == [value["mAP"]]
    assert by_class["AP_error_bound_classwise"] == [value["mAP_error_bound"]]


def test_error_bound_on_both_sides() -> None:
    """The order within a bin may be better than equal scores, or worse: both are bounded."""
    for first in (0.0, 1.0):  # a negative sample below or above nine positive ones
        scores, labels = np.append(np.linspace(0.1, 0.9, 9), first), [1] * 9 + [0]
        value = AveragePrecision(num_classes=1, bins=1)(scores, labels)
        exact = AveragePrecision()(scores, labels)["mAP"]

        assert 10.0 <= abs(value["mAP"] - exact) <= value["mAP_error_bound"] < 46


def test_equal_scores_are_one_threshold() -> None:
    """With all scores equal the precision is the share of positives, whatever the order."""
    for labels in ([1, 0, 0, 0], [0, 0, 0, 1]):
        assert AveragePrecision()([0.5] * 4, labels) == {"mAP": 25.0}


def test_name_of_the_scores_in_mmeval() -> None:
    """`preds` stands for `predictions`; both at once are one too many."""
    scores, labels = [[0.9, 0.1], [0.2, 0.6]], [[1, 0], [0, 1]]
    metric = AveragePrecision()
    metric.add(preds=scores, labels=labels)

    assert metric.compute() == metric(predictions=scores, labels=labels) == {"mAP": 100.0}
    with pytest.raises(TypeError, match="preds"):
        metric.add(preds=scores, predictions=scores, labels=labels)


def test_absent_classes_count_as_zero() -> None:
    """A class without positive samples has AP 0 and is part of the mean."""
    assert AveragePrecision()([[0.9, 0.1, 0.2]], [[1, 0, 0]]) == {"mAP": 33.3333}


def test_two_classes() -> None:
    """Rows of width 2 are one-hot, unless lists are asked for."""
    scores = [[0.9, 0.8], [0.1, 0.2]]

    assert AveragePrecision()(scores, [[1, 0], [0, 1]]) == {"mAP": 75.0}
    assert AveragePrecision(label_is_onehot=False)(scores, [[1, 0], [0, 1]]) == {"mAP": 100.0}
    mixed = AveragePrecision()
    mixed.add(scores, [[1, 0], [0, 1]])
    mixed.add(scores, [[1], [0]])
    with pytest.raises(ValueError, match="labels must be one-hot rows"):
        mixed.compute()


def test_batches_of_different_width() -> None:
    """While the number of classes is open, batches that differ in it are an error everywhere."""

    def evaluate(backend: Any) -> Any:
        metric = AveragePrecision(dist_backend=backend)
        metric.add(np.ones((1, 3 + backend.rank)), [[0]])
        with pytest.raises(Exception, match="same number of classes in every batch"):
            metric.compute()

    LocalWorld(2).run(evaluate)


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        (([[0.5, 0.1, 0.2]], [[0], [1]]), ValueError, "same length.* 1 and 2"),
        (([[0.5, 0.1, 0.2]], [[3]]), ValueError, r"labels must be in \[0, 3\), got 3"),
        (([[0.5, 0.1, 0.2]], [[-1]]), ValueError, r"labels must be in \[0, 3\), got -1"),
        (([[0.5, 0.1, 0.2]], [[0.5]]), TypeError, "labels must be integers"),
        (([[0.5, math.nan, 0.2]], [[0]]), ValueError, "predictions must not contain nan"),
        (([0.5], [2]), ValueError, r"labels must be in \[0, 2\), got 2"),
        (([[[0.5]]], [[0]]), ValueError, r"predictions must have shape \(N, C\)"),
        (([["a"]], [[0]]), TypeError, "predictions"),
        (([0.5], [1], [1]), ValueError, "use_sample_weight=True"),
    ],
)
def test_bad_inputs(arguments: tuple[Any, ...], error: type[Exception], text: str) -> None:
    """What cannot be ranked is refused, with both sides of the comparison."""
    with pytest.raises(error, match=text):
        AveragePrecision().add(*arguments)


@pytest.mark.parametrize(
    "options",
    [{"average": "mean"}, {"bins": 0, "num_classes": 1}, {"num_classes": 0}, {"bins": 9}],
)
def test_bad_arguments(options: dict[str, Any]) -> None:
    """Arguments that mean nothing are refused."""
    with pytest.raises(ValueError, match=next(iter(options))):
        AveragePrecision(**options)
