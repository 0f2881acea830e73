"""SampleMean and RatioOfSums, the bases of metrics that are a mean or a ratio."""

import math
from typing import Any

import numpy as np
import pytest

from mmeval_like import RatioOfSums, SampleMean, arrays
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples

WEIGHTS = [0.0, 0.25, 1.0, 3.0]


class Quotient(SampleMean):
    """A mean of quotients; 0 / 0 is undefined."""

    key = "quotient"
    leaves_out_nan = True

    def scores(self, first: Any, second: Any) -> np.ndarray:
        """Divide."""
        with np.errstate(all="ignore"):
            return arrays.as_floats(first, "first") / arrays.as_floats(second, "second")


class Pairs(Quotient):
    """Two quotients per sample."""

    outputs = 2

    def scores(self, first: Any, second: Any) -> np.ndarray:
        """Divide, and the other way round."""
        return np.stack([super().scores(first, second), super().scores(second, first)], axis=1)


class Poisoned(Quotient):
    """A nan is a value like others."""

    leaves_out_nan = False


class Share(RatioOfSums):
    """A ratio of sums."""

    key = "share"

    def parts(self, first: Any, second: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return both."""
        return arrays.as_floats(first, "first"), arrays.as_floats(second, "second")


class WholeShare(Share):
    """A ratio of sums of integers."""

    dtype = int

    def parts(self, first: Any, second: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return both."""
        first, second = super().parts(first, second)
        return first.astype(int), second.astype(int)


def pairs(rng: np.random.Generator, n: int) -> tuple[np.ndarray, ...]:
    """Small whole numbers, many of them 0."""
    return rng.integers(0, 3, n).astype(float), rng.integers(0, 3, n).astype(float)


def weighted_pairs(rng: np.random.Generator, n: int) -> tuple[np.ndarray, ...]:
    """The same with weights."""
    return *pairs(rng, n), rng.choice(WEIGHTS, n)


def mean_of_quotients(first: Any, second: Any, weights: Any = None) -> float:
    """The mean, one by one; infinities count, undefined quotients do not."""
    total, weight = 0.0, 0.0
    for a, b, w in zip(first, second, weights if weights is not None else [1] * len(first)):  # noqa: B905
        if (a or b) and w:
            total, weight = total + w * (a / b if b else math.inf), weight + w
    return total / weight if weight else math.nan


def ratio(first: Any, second: Any, weights: Any = None) -> dict[str, float]:
    """The ratio by numpy's dot products."""
    weights = np.ones(len(first)) if weights is None else weights
    bottom = float(weights @ second)
    return {"share": float(weights @ first) / bottom if bottom else math.nan}


def both_means(first: Any, second: Any, weights: Any = None) -> dict[str, Any]:
    """Both means of `Pairs`."""
    return {
        "quotient": [
            mean_of_quotients(first, second, weights),
            mean_of_quotients(second, first, weights),
        ]
    }


def one_mean(*data: Any) -> dict[str, Any]:
    """The mean of `Quotient`."""
    return {"quotient": mean_of_quotients(*data)}


CASES = {
    "SampleMean": MetricCase(Quotient, pairs, one_mean, empty={"quotient": math.nan}),
    "SampleMean, weighted": MetricCase(Quotient, weighted_pairs, one_mean),
    "SampleMean, two outputs": MetricCase(
        Pairs, weighted_pairs, both_means, empty={"quotient": [math.nan] * 2}
    ),
    "RatioOfSums": MetricCase(Share, pairs, ratio, empty={"share": math.nan}),
    "RatioOfSums, weighted": MetricCase(Share, weighted_pairs, ratio),
    "RatioOfSums of integers": MetricCase(WholeShare, pairs, ratio, empty={"share": math.nan}),
}


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """Metrics on these bases keep every law."""
    check_metric(CASES[name], examples=examples(6))


def test_undefined_samples_are_left_out_with_a_warning() -> None:
    """The warning has their number; samples of weight 0 are not among them."""
    metric = Quotient()
    metric.add([1, 0, 0, 3], [2, 0, 0, 2], sample_weight=[1, 1, 0, 1])

    with pytest.warns(RuntimeWarning, match="Quotient is undefined for 1 of 4 samples"):
        assert metric.compute() == {"quotient": 1.0}


def test_a_nan_counts_unless_it_is_declared_undefined() -> None:
    """A metric that does not say that nan is undefined does not lose one."""
    assert math.isnan(Poisoned()([1, 0], [1, 0])["quotient"])
    assert Poisoned()([1, 0], [1, 0], [1, 0]) == {"quotient": 1.0}


def test_weights_by_position_and_by_name() -> None:
    """`sample_weight` stands behind the inputs of `scores`, or comes by name."""
    for metric in (Poisoned(), Share()):
        by_name = metric([1, 2], second=[2, 2], sample_weight=[1, 3])

        assert metric([1, 2], [2, 2], [1, 3]) == by_name
        assert by_name != metric([1, 2], [2, 2])
    with pytest.raises(TypeError):
        Share()([1], [2], [3], [4])


def test_whole_numbers_have_no_weights() -> None:
    """A ratio of integers refuses weights, and loses nothing by it."""
    metric = WholeShare()
    metric.add([1], [2])
    with pytest.raises(TypeError, match="sample_weight"):
        metric.add([1], [2], sample_weight=[1])

    assert metric.compute() == {"share": 0.5}


@pytest.mark.parametrize("second", [[1.0, 2.0, 4.0], [1.0, 0.0, 4.0], [0.0, 2.0, 0.0]])
@pytest.mark.parametrize("first", [[-0.0, 3.0, 0.1], [0.0, 0.0, 0.0], [math.inf, -1.0, 1e-310]])
def test_rows_without_weights_are_those_of_weights_of_one(
    first: list[float], second: list[float]
) -> None:
    """Whether a score is undefined or none is, no weights mean the same as weights of 1."""
    for metric in (Quotient(), Pairs()):
        rows = metric.rows(first, second)
        weighted = metric.rows(first, second, sample_weight=[1, 1, 1])
        assert rows.keys() == weighted.keys()
        for name, column in weighted.items():
            assert rows[name].dtype == column.dtype
            np.testing.assert_array_equal(rows[name], column)
            np.testing.assert_array_equal(np.signbit(rows[name] * 1.0), np.signbit(column * 1.0))
