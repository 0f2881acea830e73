"""PearsonCorrCoef against scipy and numpy, and against what a line must give."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval_like import PearsonCorrCoef
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers import requires
from tests.helpers.examples import examples
from tests.metrics import regressions


def oracle(predictions: Any, labels: Any) -> dict[str, float]:
    """The value of scipy."""
    pearsonr = requires("scipy.stats").pearsonr
    return {"pearson": pearsonr(np.asarray(predictions, float), np.asarray(labels, float))[0]}


def weighted(predictions: Any, labels: Any, weights: Any) -> dict[str, float]:
    """By the weighted covariances of numpy."""
    shifted = np.stack([predictions - predictions[0], labels - predictions[0]])
    (xx, xy), (_, yy) = np.cov(shifted, aweights=weights, ddof=0)
    return {"pearson": xy / math.sqrt(xx * yy)}


def columns(predictions: Any, labels: Any, weights: Any) -> dict[str, list[float]]:
    """The same for each output."""
    pairs = zip(predictions.T, labels.T, strict=True)
    return {"pearson": [weighted(p, y, weights)["pearson"] for p, y in pairs]}


def three(**options: Any) -> PearsonCorrCoef:
    """The metric of three outputs."""
    return PearsonCorrCoef(3, "raw_values", **options)


def samples(rng: np.random.Generator, n: int) -> regressions.Arguments:
    """Weighted numbers, at least three of which count."""
    predictions, labels, weights = regressions.numbers(rng, n)
    weights[:3] = 1
    return predictions, labels, weights


def sample_columns(rng: np.random.Generator, n: int) -> regressions.Arguments:
    """The same with three outputs."""
    predictions, labels, weights = regressions.table(rng, n)
    weights[:3] = 1
    return predictions, labels, weights


EMPTY = {"pearson": math.nan}
CASES = {
    "PearsonCorrCoef": MetricCase(
        PearsonCorrCoef, regressions.unweighted, oracle, 1e-6, empty=EMPTY, least=3
    ),
}
VARIANTS = {
    "PearsonCorrCoef, weighted": MetricCase(PearsonCorrCoef, samples, weighted, 1e-8, least=3),
    "PearsonCorrCoef of columns": MetricCase(three, sample_columns, columns, 1e-8, least=3),
}


@pytest.mark.parametrize("name", [*CASES, *VARIANTS])
def test_laws(name: str) -> None:
    """The metric equals scipy's and numpy's, and keeps every law."""
    check_metric((CASES | VARIANTS)[name], examples=examples(4))


whole = st.integers(-(2**20), 2**20)


@given(st.lists(whole, min_size=2, max_size=6, unique=True), whole.filter(bool), whole)
def test_lines_give_exactly_one(labels: list[int], slope: int, offset: int) -> None:
    """Points on a line give 1 or -1 to the bit, wherever the line is."""
    predictions = [float(slope * label + offset) for label in labels]

    assert PearsonCorrCoef()(predictions, labels) == {"pearson": math.copysign(1, slope)}


numbers = st.floats(-1e115, 1e115).filter(lambda x: x == 0 or abs(x) >= 1e-105)


@given(st.lists(st.tuples(numbers, numbers), max_size=5))
def test_never_beyond_one(pairs: list[tuple[float, float]]) -> None:
    """The value lies in [-1, 1], or is nan when one side does not vary."""
    metric = PearsonCorrCoef()
    metric.add([pair[0] for pair in pairs], [pair[1] for pair in pairs])
    metric.add([0.0], [0.0])
    value = metric.compute()["pearson"]

    assert math.isnan(value) or -1 <= value <= 1
