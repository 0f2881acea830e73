"""EndPointError against numpy's norms."""

import math
from typing import Any

import numpy as np
import pytest

from mmeval_like import EndPointError
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples


def samples(rng: np.random.Generator, n: int) -> tuple[np.ndarray, ...]:
    """Flow maps with masks, some of which leave nothing; the truth is nan where invalid."""
    masks = rng.random((n, 4, 5)) * rng.integers(0, 2, (n, 1, 1))
    masks[0, 0, 0] = 1
    labels = rng.normal(size=(n, 4, 5, 2)).astype(np.float32)
    labels[masks < 0.5] = np.nan
    return rng.normal(size=(n, 4, 5, 2)).astype(np.float32), labels, masks


def oracle(predictions: Any, labels: Any, masks: Any = None) -> dict[str, float]:
    """The mean norm over all valid pixels."""
    distances = np.linalg.norm(np.float64(predictions) - np.float64(labels), axis=-1)
    return {"EPE": distances.mean() if masks is None else distances[masks >= 0.5].mean()}


def unmasked(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Flow maps that are valid everywhere."""
    return rng.normal(size=(n, 3, 2, 2)), rng.normal(size=(n, 3, 2, 2))


EMPTY = {"EPE": math.nan}
CASES = {
    "EndPointError": MetricCase(EndPointError, unmasked, oracle, empty=EMPTY),
}
VARIANTS = {
    "EndPointError, masked": MetricCase(EndPointError, samples, oracle, empty=EMPTY),
}


@pytest.mark.parametrize("name", [*CASES, *VARIANTS])
def test_laws(name: str) -> None:
    """The metric equals the mean of norms and keeps every law."""
    check_metric((CASES | VARIANTS)[name], examples=examples(4))


def test_maps_of_different_size() -> None:
    """The mean is over pixels, not over maps; a map without valid pixels adds nothing."""
    metric = EndPointError()
    metric.add(
        [np.zeros((1, 1, 2)), np.zeros((1, 3, 2))],
        [np.full((1, 1, 2), [3, 4]), np.full((1, 3, 2), [0, 1])],
    )
    metric.add(np.zeros((1, 2, 2, 2)), np.full((1, 2, 2, 2), np.inf), np.zeros((1, 2, 2)))

    assert metric.compute() == {"EPE": 2.0}


def test_no_valid_pixels() -> None:
    """Without a valid pixel there is no mean."""
    flow = np.zeros((1, 2, 2, 2))

    assert math.isnan(EndPointError()(flow, flow, np.full((1, 2, 2), 0.4))["EPE"])


@pytest.mark.parametrize(
    ("shapes", "text"),
    [
        (((2, 4, 4, 2), (1, 4, 4, 2)), "same length"),
        (((1, 4, 4, 2), (1, 4, 5, 2)), "same shape"),
        (((1, 4, 4, 3), (1, 4, 4, 3)), "\\(H, W, 2\\)"),
        (((4, 4, 2), (4, 4, 2)), "\\(H, W, 2\\)"),
        (((1, 4, 4, 2), (1, 4, 4, 2), (1, 4, 5)), "valid_masks"),
        (((1, 4, 4, 2), (1, 4, 4, 2), (2, 4, 4)), "same length"),
    ],
)
def test_bad_inputs(shapes: tuple[tuple[int, ...], ...], text: str) -> None:
    """Maps that do not fit are refused."""
    with pytest.raises(ValueError, match=text):
        EndPointError().add(*(np.zeros(shape) for shape in shapes))
