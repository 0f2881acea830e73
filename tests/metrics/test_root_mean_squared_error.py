"""RootMeanSquaredError against scikit-learn and fractions."""

import math
from typing import Any

import numpy as np
import pytest

from mmeval_like import MetricCollection, PearsonCorrCoef, R2Score, RootMeanSquaredError
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers import requires
from tests.helpers.examples import examples
from tests.metrics import regressions


def oracle(predictions: Any, labels: Any, weights: Any = None, **options: Any) -> dict[str, Any]:
    """scikit-learn's value, of differences, since it does not take them exactly."""
    errors = np.asarray(predictions, float) - np.asarray(labels, float)
    sklearn = requires("sklearn.metrics")
    value = sklearn.root_mean_squared_error(
        np.zeros_like(errors), errors, sample_weight=weights, **options
    )
    return {"rmse": value}


def raw(predictions: Any, labels: Any, weights: Any) -> dict[str, Any]:
    """scikit-learn's value for each output."""
    return oracle(predictions, labels, weights, multioutput="raw_values")


def three(**options: Any) -> RootMeanSquaredError:
    """The metric of three outputs."""
    return RootMeanSquaredError(3, "raw_values", **options)


EMPTY = {"rmse": math.nan}
CASES = {
    "RootMeanSquaredError": MetricCase(
        RootMeanSquaredError, regressions.unweighted, oracle, 1e-14, empty=EMPTY
    ),
}
VARIANTS = {
    "RootMeanSquaredError, weighted": MetricCase(
        RootMeanSquaredError, regressions.numbers, oracle, 1e-14, empty=EMPTY
    ),
    "RootMeanSquaredError of columns": MetricCase(three, regressions.table, raw, 1e-14),
}


@pytest.mark.parametrize("name", [*CASES, *VARIANTS])
def test_laws(name: str) -> None:
    """The metric equals scikit-learn's and keeps every law."""
    check_metric((CASES | VARIANTS)[name], examples=examples(4))


@pytest.mark.parametrize(("arguments", "error", "text"), regressions.BAD_INPUTS)
@pytest.mark.parametrize("kind", [RootMeanSquaredError, R2Score, PearsonCorrCoef])
def test_bad_inputs(kind: Any, arguments: tuple[Any, ...], error: Any, text: str) -> None:
    """Inputs that the regression metrics refuse are named in the error; nothing is kept."""
    metric = kind()
    metric.add([1.0, 2.0], [2.0, 3.0])
    before = metric.compute()

    with pytest.raises(error, match=text):
        metric.add(*arguments)
    assert metric.compute() == before


@pytest.mark.parametrize("kind", [RootMeanSquaredError, R2Score, PearsonCorrCoef])
def test_bad_options(kind: Any) -> None:
    """A bad number of outputs, or way to combine them, is refused."""
    with pytest.raises(ValueError, match="num_outputs"):
        kind(num_outputs=0)
    with pytest.raises(ValueError, match="multioutput"):
        kind(multioutput="median")


def test_weights_of_zero() -> None:
    """Samples of weight 0 leave the value as it is; with no other it is nan."""
    metric = RootMeanSquaredError()

    assert metric([3.0, 9.0], [0.0, 0.0], [1.0, 0.0]) == {"rmse": 3.0}
    assert math.isnan(metric([3.0], [0.0], [0.0])["rmse"])


def test_regression_metrics_share_their_sums() -> None:
    """In a collection the three regression metrics keep one statistic."""
    together = MetricCollection({"rmse": RootMeanSquaredError(), "r2": R2Score()})
    together.add([1.0, 2.0, 4.0], [1.0, 2.0, 3.0])

    assert together.compute() == {"rmse": {"rmse": math.sqrt(1 / 3)}, "r2": {"r2": 0.5}}
    assert RootMeanSquaredError().statistic == PearsonCorrCoef().statistic == R2Score().statistic
