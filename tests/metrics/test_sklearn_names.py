"""Inputs by scikit-learn's names, whose functions take the labels first."""

from typing import Any

import numpy as np
import pytest
import sklearn.metrics

import mmeval_like as mm

RNG = np.random.default_rng(5)
CLASSES, GUESSES = RNG.integers(0, 3, 60), RNG.integers(0, 3, 60)
NUMBERS, NEAR = RNG.normal(size=60), RNG.normal(size=60)
OPTIONS: dict[str, Any] = {"task": "multiclass", "num_classes": 3}
# A metric, scikit-learn's function with the arguments that make it the same, the inputs.
PAIRS = [
    (mm.Precision(**OPTIONS), "precision_score", {"average": "macro"}, (CLASSES, GUESSES)),
    (mm.Recall(**OPTIONS), "recall_score", {"average": "macro"}, (CLASSES, GUESSES)),
    (mm.ConfusionMatrix(num_classes=3), "confusion_matrix", {}, (CLASSES, GUESSES)),
    (mm.R2Score(), "r2_score", {}, (NUMBERS, NEAR)),
    (mm.MaxError(), "max_error", {}, (NUMBERS, NEAR)),
    (mm.MeanSquaredError(), "mean_squared_error", {}, (NUMBERS, NEAR)),
    (mm.MeanAbsoluteError(), "mean_absolute_error", {}, (NUMBERS, NEAR)),
]


@pytest.mark.parametrize(("metric", "name", "options", "inputs"), PAIRS, ids=lambda v: str(v)[:24])
def test_names_of_scikit_learn(metric: Any, name: str, options: Any, inputs: Any) -> None:
    """The same keywords, in any order, give the value of the function."""
    truth, guess = inputs
    wanted = getattr(sklearn.metrics, name)(y_true=truth, y_pred=guess, **options)

    [found] = metric(y_pred=guess, y_true=truth).values()

    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    metric.add(y_true=truth, y_pred=guess)
    np.testing.assert_array_equal(next(iter(metric.compute().values())), found)


def test_names_in_collections_and_slices() -> None:
    """Metrics of one batch take the names wherever they are."""
    collection = mm.MetricCollection([mm.Precision(**OPTIONS), mm.Accuracy(num_classes=3)])
    sliced = mm.Sliced(collection, by="side")
    sliced.add(y_true=CLASSES, y_pred=GUESSES, by={"side": CLASSES % 2})

    assert sliced.compute()["all"] == collection(GUESSES, CLASSES)


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({"y_pred": [0], "y_score": [0], "y_true": [0]}, "both 'y_pred' and 'y_score'"),
        ({"predictions": [0], "labels": [0], "y_true": [0]}, "both 'labels' and 'y_true'"),
        ({"y_true": [0]}, "missing a required argument: 'predictions'"),
    ],
)
def test_names_that_do_not_fit(named: dict[str, Any], message: str) -> None:
    """One input under two names, or none, is an error; nothing is added."""
    metric = mm.Accuracy()
    with pytest.raises(TypeError, match=message):
        metric.add(**named)
    with pytest.raises(TypeError, match="multiple values for argument 'predictions'"):
        metric.add([0], y_pred=[0])

    assert "0 samples" in repr(metric)


def test_a_metric_with_such_an_argument_keeps_it() -> None:
    """A metric whose `rows` takes `y_true` gets it by this name."""

    class Share(mm.BaseMetric):
        hits = mm.state.sum(int)

        def rows(self, y_true: Any, y_pred: Any) -> dict[str, Any]:
            return {"hits": np.asarray(y_true) >= np.asarray(y_pred)}

        def compute_metric(self, results: Any) -> dict[str, float]:
            return {"share": results.hits / len(results)}

    assert Share()(y_pred=[1, 1], y_true=[1, 0]) == {"share": 0.5}
