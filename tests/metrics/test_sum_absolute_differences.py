"""SumAbsoluteDifferences against numpy."""

import math
from typing import Any

import numpy as np
import pytest

from mmeval_like import SumAbsoluteDifferences
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples
from tests.metrics.mattes import mattes


def samples(rng: np.random.Generator, n: int) -> tuple[np.ndarray, ...]:
    """Mattes of 8 bits."""
    prediction, truth, _ = mattes(rng, n)
    return (prediction * 255).astype(np.uint8), (truth * 255).astype(np.uint8)


def oracle(predictions: Any, groundtruths: Any) -> dict[str, float]:
    """The mean over images of the summed differences."""
    difference = np.abs(predictions.astype(int) - groundtruths)
    return {"sad": difference.sum() / len(predictions) / 1000}


CASES = {
    "SumAbsoluteDifferences": MetricCase(
        SumAbsoluteDifferences, samples, oracle, empty={"sad": math.nan}
    ),
}


def test_laws() -> None:
    """The metric equals numpy's sums and keeps every law."""
    check_metric(CASES["SumAbsoluteDifferences"], examples=examples(4))


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.float32])
def test_no_wrap_around(dtype: Any) -> None:
    """0 and 255 differ by 255 in every dtype."""
    black, white = np.zeros((1, 1, 1), dtype), np.full((1, 1, 1), 255, dtype)

    assert SumAbsoluteDifferences(norm_const=1)(black, white) == {"sad": 255.0}
    assert SumAbsoluteDifferences()([black[0]], [white[0]]) == {"sad": 0.255}


def test_bad_inputs() -> None:
    """What does not fit together is refused."""
    alpha = np.zeros((1, 2, 2))
    with pytest.raises(ValueError, match="same length"):
        SumAbsoluteDifferences().add(alpha, alpha[:0])
    with pytest.raises(ValueError, match="same shape"):
        SumAbsoluteDifferences().add(alpha, alpha[:, 1:])
    with pytest.raises(ValueError, match="norm_const"):
        SumAbsoluteDifferences(norm_const=0)
    alpha[0, 0, 0] = math.nan
    with pytest.raises(ValueError, match="predictions must not contain nan"):
        SumAbsoluteDifferences().add(alpha, np.zeros((1, 2, 2)))
