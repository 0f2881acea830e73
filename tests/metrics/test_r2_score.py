"""R2Score against scikit-learn, and against fractions where that loses its digits."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval_like import R2Score
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers import requires
from tests.helpers.examples import examples
from tests.metrics import regressions


def oracle(
    predictions: Any, labels: Any, weights: Any = None, multioutput: str = "uniform_average"
) -> dict[str, Any]:
    """scikit-learn's value."""
    r2_score = requires("sklearn.metrics").r2_score
    value = r2_score(
        np.asarray(labels, float),
        np.asarray(predictions, float),
        sample_weight=weights,
        multioutput=multioutput,
    )
    return {"r2": value}


def case(multioutput: str) -> MetricCase:
    """Three outputs, combined in this way."""

    def make(**options: Any) -> R2Score:
        return R2Score(num_outputs=3, multioutput=multioutput, **options)

    def expected(*arguments: Any) -> dict[str, Any]:
        return oracle(*arguments, multioutput=multioutput)

    return MetricCase(make, regressions.table, expected, 1e-8, least=3)


EMPTY = {"r2": math.nan}
CASES = {
    "R2Score": MetricCase(R2Score, regressions.unweighted, oracle, 1e-8, empty=EMPTY, least=3),
}
VARIANTS = {
    "R2Score, weighted": MetricCase(R2Score, regressions.numbers, oracle, 1e-8, least=3),
    "R2Score of columns": case("raw_values"),
    "R2Score, mean of columns": case("uniform_average"),
    "R2Score by variance": case("variance_weighted"),
}


@pytest.mark.parametrize("name", [*CASES, *VARIANTS])
def test_laws(name: str) -> None:
    """The metric equals scikit-learn's and keeps every law."""
    check_metric((CASES | VARIANTS)[name], examples=examples(4))


values = st.floats(-1e115, 1e115).filter(lambda x: x == 0 or abs(x) >= 1e-105)
weights = st.floats(0, 1e60).filter(lambda x: x == 0 or x >= 1e-60)


@given(st.lists(st.tuples(values, values, weights), min_size=2, max_size=6))
def test_rounded_once(samples: list[tuple[float, float, float]]) -> None:
    """The value is that of exact arithmetic, rounded once: products and sums lose nothing."""
    predictions, labels, sample_weight = zip(*samples, strict=True)
    p, y, w = ([Fraction(x) for x in column] for column in zip(*samples, strict=True))
    value = R2Score()(predictions, labels, sample_weight)["r2"]

    if not sum(w):
        assert math.isnan(value)
        return
    mean = sum(a * b for a, b in zip(w, y, strict=True)) / sum(w)
    variance = sum(a * (b - mean) ** 2 for a, b in zip(w, y, strict=True))
    residual = sum(a * (b - c) ** 2 for a, b, c in zip(w, y, p, strict=True))
    if not variance:
        assert value == float(residual == 0)
        return
    try:
        expected = float(1 - residual / variance)
    except OverflowError:
        expected = -math.inf
    assert value == expected


def test_far_from_zero() -> None:
    """20,000 labels near 1e8 with a variance of about 1 keep all digits."""
    rng = np.random.default_rng(0)
    labels = 1e8 + rng.normal(size=20_000)
    predictions = labels + 0.5 * rng.normal(size=20_000)
    p, y = ([Fraction(x) for x in column.tolist()] for column in (predictions, labels))
    mean = sum(y) / len(y)
    residual = sum((a - b) ** 2 for a, b in zip(y, p, strict=True))
    expected = float(1 - residual / sum((a - mean) ** 2 for a in y))

    assert R2Score()(predictions, labels) == {"r2": expected}


@pytest.mark.parametrize(
    ("predictions", "labels", "expected"),
    [
        ([1.0], [1.0], math.nan),
        ([1.0, 1.0], [1.0, 1.0], 1.0),
        ([1.0, 2.0], [1.0, 1.0], 0.0),
        ([1e115, 0.0], [0.0, 1e-104], -math.inf),
    ],
)
def test_degenerate(predictions: list[float], labels: list[float], expected: float) -> None:
    """One sample: nan; equal labels: 1 if perfect, else 0; hopeless: minus infinity."""
    value = R2Score()(predictions, labels)["r2"]

    assert np.array_equal(value, expected, equal_nan=True)


def test_constant_outputs_by_variance() -> None:
    """With no variance in any output, "variance_weighted" falls back to the mean."""
    metric = R2Score(num_outputs=2, multioutput="variance_weighted")

    assert metric([[1.0, 2.0], [1.0, 3.0]], [[1.0, 2.0], [1.0, 2.0]]) == {"r2": 0.5}


def test_constant_outputs_have_no_weight_by_variance() -> None:
    """An output whose labels are all equal has weight 0, with its residual, as in scikit-learn."""
    predictions, labels = [[1.0, 9.0], [2.0, 5.0], [4.0, 1.0]], [[1.0, 3.0], [2.0, 3.0], [3.0, 3.0]]
    metric = R2Score(num_outputs=2, multioutput="variance_weighted")

    assert metric(predictions, labels) == oracle(
        predictions, labels, multioutput="variance_weighted"
    )
    assert metric(predictions, labels) == {"r2": 0.5}
