"""SingleLabelPrecisionRecallF1score against scikit-learn."""

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import precision_recall_fscore_support

from mmeval_like import SingleLabelPrecisionRecallF1score as Metric
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples
from tests.metrics import classes

SIZE = classes.CLASSES
NAMES = ("precision", "recall", "f1-score", "support")
SUFFIX = {"macro": "", "micro": "_micro", "weighted": "_weighted", None: "_classwise"}
ROUNDED = 5.1e-5  # to four decimals


def from_indices(
    predictions: np.ndarray, labels: np.ndarray, weights: Any = None, average: Any = "macro"
) -> dict[str, Any]:
    """scikit-learn's values, in percent."""
    values = precision_recall_fscore_support(
        labels, predictions, labels=range(SIZE), average=average, zero_division=0,
        sample_weight=weights,
    )  # fmt: skip
    found = {n: 100 * v for n, v in zip(NAMES[:3], values[:3], strict=True)}
    support = np.bincount(labels, weights, SIZE)
    found["support"] = support if average is None else support.sum()
    return {f"{name}{SUFFIX[average]}": value for name, value in found.items()}


def from_scores(scores: np.ndarray, labels: np.ndarray) -> dict[str, Any]:
    """The first of the highest scores is predicted, if it is above the threshold."""
    found = {}
    for thr, name in ((0.0, "thr-0.00"), (0.5, "thr-0.50"), (None, "no-thr")):
        best = np.array([row.tolist().index(max(row)) for row in scores])
        above = [thr is None or row.max() > thr for row in scores]
        values = from_indices(np.where(above, best, SIZE), labels)
        found |= {f"{item}_{name}": values[item] for item in NAMES}
    return found


def case(sample: Any, oracle: Any, **options: Any) -> MetricCase:
    """A case with all items."""
    return MetricCase(partial(Metric, items=NAMES, **options), sample, oracle, ROUNDED, empty=0.0)


CASES = {
    **{
        f"SingleLabelPrecisionRecallF1score, {average}": case(
            classes.indices,
            partial(from_indices, average=average),
            num_classes=SIZE,
            average=average,
        )
        for average in SUFFIX
    },
    "SingleLabelPrecisionRecallF1score, scores": case(
        classes.tied_scores, from_scores, thrs=(0.0, 0.5, None)
    ),
    "SingleLabelPrecisionRecallF1score, weighted samples": case(
        classes.weighted_indices, from_indices, num_classes=SIZE, use_sample_weight=True
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The metric equals scikit-learn's values and keeps every law."""
    check_metric(CASES[name], examples=examples(4), libraries=["array_api_strict"])


def test_weights_with_thresholds_and_many_classes() -> None:
    """Weights count at every threshold, and where classes are counted one by one."""
    rng = np.random.default_rng(1)
    scores, labels = classes.tied_scores(rng, 30)
    weights = rng.integers(1, 5, 30)  # samples that come several times
    metric = Metric(SIZE, (0.2, 0.6), NAMES, None, use_sample_weight=True)
    repeated = Metric(SIZE, (0.2, 0.6), NAMES, None)

    value = metric(scores, labels, weights)
    expected = repeated(np.repeat(scores, weights, 0), np.repeat(labels, weights))
    assert value == expected


def test_thresholds_in_the_scores_own_dtype() -> None:
    """The float32 nearest to 0.7 is not above the threshold 0.7."""
    scores = np.array([[0.7, 0.3], [0.3, 0.7], [0.2, 0.8]], np.float32)

    assert Metric(2, 0.7, average=None, items=("recall",))(scores, [0, 1, 1]) == {
        "recall_classwise": [0.0, 50.0]
    }


def test_no_samples() -> None:
    """Without samples, as for classes that never occur, everything is 0, with a warning."""
    with pytest.warns(RuntimeWarning, match="no samples"):
        assert Metric(2).compute() == {"precision": 0.0, "recall": 0.0, "f1-score": 0.0}
    with pytest.warns(RuntimeWarning, match="no samples"):
        assert Metric(average=None).compute()["precision_classwise"] == []


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        (([0, 1], [0]), ValueError, "same length.* 2 and 1"),
        (([0, 2], [0, 1]), ValueError, r"predictions must be in \[0, 2\), got 2 at index 1"),
        (([0, -1], [0, 1]), ValueError, r"predictions must be in \[0, 2\), got -1"),
        (([0, 1], [0, 2]), ValueError, r"labels must be in \[0, 2\), got 2"),
        (([[0.5, 0.5]], [2]), ValueError, r"labels must be in \[0, 2\)"),
        (([[0.5, 0.2, 0.3]], [0]), ValueError, "num_classes=2 classes, got 3"),
        (([[0.5, math.nan]], [0]), ValueError, "predictions must not contain nan"),
        (([1.5], [0]), TypeError, "predictions must be integers"),
        (([1], [0], [1]), ValueError, "use_sample_weight=True"),
        (([[[1]]], [0]), ValueError, "shape"),
        (([1], [[0]]), ValueError, "shape"),
    ],
)
def test_bad_inputs(arguments: tuple[Any, ...], error: type[Exception], text: str) -> None:
    """What cannot be counted is refused, with the argument's name and both values."""
    metric = Metric(2)
    with pytest.raises(error, match=text):
        metric.add(*arguments)

    metric.add([0], [0])
    assert metric.compute()["recall"] == 50.0


def test_bad_arguments() -> None:
    """Arguments that mean nothing are refused; so are class indices of unknown number."""
    for options in (
        {"num_classes": 0},
        {"items": "precision"},
        {"items": ("accuracy",)},
        {"average": "mean"},
        {"thrs": ()},
        {"use_sample_weight": True},
    ):
        with pytest.raises(ValueError, match=next(iter(options))):
            Metric(**options)
    with pytest.raises(ValueError, match="num_classes"):
        Metric()([0], [0])
