"""MeanSquaredError and MeanAbsoluteError against scikit-learn and numpy's averages."""

import math
from functools import partial
from typing import Any

import numpy as np
import pytest

from mmeval_like import MeanAbsoluteError, MeanSquaredError, RootMeanSquaredError
from mmeval_like.testing import LocalWorld, MetricCase, check_metric
from tests.helpers import requires
from tests.helpers.examples import examples
from tests.metrics.pictures import images, of_many_sizes


def oracle(predictions: Any, groundtruths: Any) -> dict[str, float]:
    """scikit-learn's error of each image's pixels, then the mean."""
    error = requires("sklearn.metrics").mean_squared_error
    pairs = zip(predictions, groundtruths, strict=True)
    return {"mse": np.mean([error(np.ravel(t) / 255, np.ravel(p) / 255) for p, t in pairs])}


def masked(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """Images with weights for their pixels, some images without any."""
    masks = rng.random((n, 4, 5, 1)) * rng.integers(0, 2, (n, 1, 1, 1))
    return *images(4, 5, 3)(rng, n), masks


def masked_oracle(predictions: Any, groundtruths: Any, masks: Any) -> dict[str, float]:
    """Averages weighted by the repeated masks, 0 where there is nothing to average."""
    errors = ((predictions.astype(float) - groundtruths) / 255) ** 2
    weights = np.repeat(masks, 3, axis=3)
    pairs = zip(errors, weights, strict=True)
    return {"mse": np.mean([np.average(e, weights=w) if w.any() else 0 for e, w in pairs])}


def weighted(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """Single numbers with weights, as in a regression."""
    return rng.normal(size=n), rng.normal(size=n), None, 0.1 + rng.random(n)


def weighted_oracle(predictions: Any, labels: Any, _: None, weights: Any) -> dict[str, float]:
    """scikit-learn's weighted error."""
    error = requires("sklearn.metrics").mean_squared_error
    return {"mse": error(labels, predictions, sample_weight=weights)}


EMPTY = {"mse": math.nan}
CASES = {
    "MeanSquaredError": MetricCase(MeanSquaredError, images(4, 5, 3), oracle, empty=EMPTY),
}
VARIANTS = {
    "MeanSquaredError of lists": MetricCase(MeanSquaredError, of_many_sizes(1, 9), oracle),
    "MeanSquaredError, masked": MetricCase(MeanSquaredError, masked, masked_oracle),
    "MeanSquaredError of numbers": MetricCase(MeanSquaredError, weighted, weighted_oracle),
}


@pytest.mark.parametrize("name", [*CASES, *VARIANTS])
def test_laws(name: str) -> None:
    """The metric equals scikit-learn's and keeps every law."""
    check_metric((CASES | VARIANTS)[name], examples=examples(4))


@pytest.mark.parametrize("kind", [MeanSquaredError, MeanAbsoluteError])
def test_one_set_of_bits_for_arrays_and_lists(kind: Any) -> None:
    """Samples in one array, which are worked on together, give the same as one by one."""
    predictions, truths = images(2, 3)(np.random.default_rng(0), 30_000)

    assert kind()(predictions, truths) == kind()(list(predictions), list(truths))


@pytest.mark.parametrize("kind", [MeanSquaredError, MeanAbsoluteError])
@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.float16, np.float64])
def test_no_wrap_around(kind: Any, dtype: Any) -> None:
    """Black against white is 1 in every dtype, and with every mask."""
    black, white = np.zeros((1, 2, 2, 3), dtype), np.full((1, 2, 2, 3), 255, dtype)
    for mask in (None, np.ones((1, 2, 2)), np.ones((1, 2, 2, 1)), np.ones((1, 2, 2, 3))):
        for pair in ((black, white), (white, black)):
            assert [*kind()(*pair, mask).values()] == [1.0]


@pytest.mark.parametrize("kind", [MeanSquaredError, MeanAbsoluteError])
@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        (([[1.0]], [[1.0], [2.0]]), ValueError, "predictions and groundtruths"),
        (([[1.0, 2.0]], [[1.0]]), ValueError, "same shape"),
        ((np.zeros((1, 0)), np.zeros((1, 0))), ValueError, "empty"),
        (([[1.0]], [[1.0]], [[1.0], [1.0]]), ValueError, "masks"),
        (([[1.0]], [[2.0]], [[-1.0]]), ValueError, "masks must not be negative, got -1.0"),
        (([[1.0]], [[2.0]], [[np.nan]]), ValueError, "masks must not be negative, got nan"),
        ((np.zeros((1, 2, 2)), np.zeros((1, 2, 2)), np.zeros((1, 3, 3))), ValueError, "masks"),
        (([[1.0]], [[1.0]], None, [-1.0]), ValueError, "negative"),
        ((1.0, 1.0), ValueError, "axis of samples"),
        ((None, [1.0]), TypeError, "predictions"),
        ((["a"], [1.0]), TypeError, "predictions"),
        (([[1j]], [[1.0]]), TypeError, "real"),
        (([np.ones(2), np.ones((2, 2))], [np.ones(2), np.ones((2, 2))]), ValueError, "data_range="),
    ],
)
def test_bad_inputs(
    kind: Any, arguments: tuple[Any, ...], error: type[Exception], text: str
) -> None:
    """What cannot be compared is refused."""
    with pytest.raises(error, match=text):
        kind().add(*arguments)


@pytest.mark.parametrize("kind", [MeanSquaredError, MeanAbsoluteError])
def test_bad_options(kind: Any) -> None:
    """A range that nothing can be divided by is refused."""
    with pytest.raises(ValueError, match="data_range"):
        kind(data_range=0)


@pytest.mark.parametrize("kind", [MeanSquaredError, MeanAbsoluteError])
def test_the_unit_is_that_of_the_samples(kind: Any) -> None:
    """Numbers and vectors are in units of their own, images in units of 255."""
    numbers = ([1.0, 2.0, 3.0], [1.0, 2.0, 5.0])
    vectors = tuple(np.array(column)[:, None] for column in numbers)
    image = tuple(np.array(column)[None, None] for column in numbers)
    [own] = kind(data_range=1)(*numbers).values()

    assert own == (4 if kind is MeanSquaredError else 2) / 3
    assert [*kind()(*numbers).values()] == [*kind()(*vectors).values()] == [own]
    assert kind()(*image) == kind(data_range=255)(*image)
    assert [*kind(data_range=1)(*image).values()] == pytest.approx([own])


def test_the_root_is_that_of_the_mean() -> None:
    """RootMeanSquaredError is the square root of MeanSquaredError, for numbers."""
    rng = np.random.default_rng(0)
    batch = rng.normal(size=50), rng.normal(size=50)

    root = RootMeanSquaredError()(*batch)["rmse"]
    assert root == pytest.approx(math.sqrt(MeanSquaredError()(*batch)["mse"]), rel=1e-15)


@pytest.mark.parametrize("kind", [MeanSquaredError, MeanAbsoluteError])
def test_images_among_numbers(kind: Any) -> None:
    """Images on one rank, numbers on another: an error on every rank at `compute`."""

    def evaluate(backend: Any) -> None:
        metric = kind(dist_backend=backend)
        sample = np.ones((2, 2)) if backend.rank == 0 else np.ones(2)
        metric.add(sample[None], sample[None])
        with pytest.raises(Exception, match=r"data_range=, got 1 images in 2 samples"):
            metric.compute()

    LocalWorld(2).run(evaluate)
    metric = kind(data_range=2)
    metric.add(np.ones((1, 2, 2)), np.zeros((1, 2, 2)))
    metric.add([1.0], [0.0])
    assert [*metric.compute().values()] == [0.25 if kind is MeanSquaredError else 0.5]


def table(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """Three numbers a sample, and weights."""
    return rng.normal(size=(n, 3)), rng.normal(size=(n, 3)), None, 0.1 + rng.random(n)


def of_outputs(name: str, key: str) -> Any:
    """The value of scikit-learn for each output."""

    def value(predictions: Any, labels: Any, _: None, weights: Any) -> dict[str, Any]:
        error = getattr(requires("sklearn.metrics"), name)
        found = error(labels, predictions, sample_weight=weights, multioutput="raw_values")
        return {key: found.tolist()}

    return value


@pytest.mark.parametrize(
    ("metric", "name", "key"),
    [
        (MeanSquaredError, "mean_squared_error", "mse"),
        (MeanAbsoluteError, "mean_absolute_error", "mae"),
    ],
)
def test_a_value_for_each_output(metric: Any, name: str, key: str) -> None:
    """With "raw_values" each output has scikit-learn's value, and the laws are kept."""
    make = partial(metric, num_outputs=3, multioutput="raw_values")
    case = MetricCase(make, table, of_outputs(name, key), empty={key: [math.nan] * 3})
    check_metric(case, examples=examples(2))


def test_outputs_are_no_images() -> None:
    """Masks, other shapes and numbers of outputs below 1 are refused."""
    metric = MeanSquaredError(2.0, num_outputs=2, multioutput="raw_values")
    assert metric([[2.0, 4.0]], [[0.0, 0.0]]) == {"mse": [1.0, 4.0]}
    with pytest.raises(ValueError, match="masks apply to images"):
        metric.add([[2.0, 4.0]], [[0.0, 0.0]], masks=[[1.0, 1.0]])
    with pytest.raises(ValueError, match=r"shape \(N, 2\)"):
        metric.add(np.zeros((1, 2, 2)), np.zeros((1, 2, 2)))
    with pytest.raises(ValueError, match="num_outputs must be positive"):
        MeanAbsoluteError(num_outputs=0)
    with pytest.raises(ValueError, match="multioutput must be one of"):
        MeanAbsoluteError(multioutput="mean")
