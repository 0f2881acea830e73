"""MattingMeanSquaredError against numpy."""

import math
from typing import Any

import numpy as np
import pytest

from mmeval_like import MattingMeanSquaredError
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples
from tests.metrics.mattes import check_refusals, mattes


def oracle(predictions: Any, groundtruths: Any, trimaps: Any) -> dict[str, float]:
    """Image by image, the summed squares over the number of unknown pixels."""
    triples = zip(predictions, groundtruths, trimaps, strict=True)
    scores = [((p - t) ** 2).sum() / (m == 128).sum() for p, t, m in triples]
    return {"matting_mse": np.mean(scores)}


CASES = {
    "MattingMeanSquaredError": MetricCase(
        MattingMeanSquaredError, mattes, oracle, empty={"matting_mse": math.nan}
    ),
}


def test_laws() -> None:
    """The metric equals numpy's sums and keeps every law."""
    check_metric(CASES["MattingMeanSquaredError"], examples=examples(4))


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.float32])
def test_no_wrap_around(dtype: Any) -> None:
    """0 and 255 differ by 255 in every dtype."""
    black, white = np.zeros((1, 2, 2), dtype), np.full((1, 2, 2), 255, dtype)
    trimap = np.array([[[128, 128], [128, 128]]], np.uint8)

    assert MattingMeanSquaredError()(black, white, trimap) == {"matting_mse": 65025.0}


def test_known_pixels() -> None:
    """Errors outside the unknown region count too; an image without one counts as 0."""
    black, white = np.zeros((1, 1, 3)), np.ones((1, 1, 3))

    assert MattingMeanSquaredError()(black, white, [[[0, 128, 255]]]) == {"matting_mse": 3.0}
    assert MattingMeanSquaredError()(black, white, [[[0, 0, 255]]]) == {"matting_mse": 0.0}


def test_bad_inputs() -> None:
    """What is no matte with a trimap is refused."""
    check_refusals(MattingMeanSquaredError())
