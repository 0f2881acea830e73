"""SpearmanCorrCoef against scipy."""

import math
from typing import Any

import numpy as np
import pytest

from mmeval_like import SpearmanCorrCoef
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers import requires
from tests.helpers.examples import examples


def samples(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Numbers with ties on both sides."""
    labels = rng.integers(0, 6, n)
    return (labels + rng.integers(-3, 4, n)).astype(np.float32), labels


def oracle(predictions: Any, labels: Any) -> dict[str, float]:
    """The value of scipy."""
    return {"spearman": requires("scipy.stats").spearmanr(predictions, labels).statistic}


CASES = {
    "SpearmanCorrCoef": MetricCase(
        SpearmanCorrCoef, samples, oracle, 1e-13, empty={"spearman": math.nan}, least=2
    ),
}


def test_laws() -> None:
    """The metric equals scipy's and keeps every law."""
    check_metric(CASES["SpearmanCorrCoef"], examples=examples(4))


def test_many_samples_do_not_overflow() -> None:
    """Squares of ranks that leave float64's whole numbers when summed still give exactly -1."""
    values = np.arange(500_000, dtype=np.float32)

    assert SpearmanCorrCoef()(-values, values) == {"spearman": -1.0}


def test_infinities_are_ordered() -> None:
    """Infinities are the largest and the smallest number; zeros of both signs are equal."""
    assert SpearmanCorrCoef()([-np.inf, 0, 1, np.inf], [1, 2, 3, 4]) == {"spearman": 1.0}
    assert SpearmanCorrCoef()([0.0, -0.0, 1.0], [1, 1, 2]) == {"spearman": 1.0}


def test_constant() -> None:
    """Without variation there is no correlation."""
    assert math.isnan(SpearmanCorrCoef()([1.0, 1.0], [1.0, 2.0])["spearman"])


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        (([1.0], [1.0, 2.0]), ValueError, "same length"),
        (([[1.0]], [[1.0]]), ValueError, "shape"),
        (([np.nan], [1.0]), ValueError, "predictions must not contain nan"),
        ((["a"], [1.0]), TypeError, "predictions"),
    ],
)
def test_bad_inputs(arguments: tuple[Any, ...], error: type[Exception], text: str) -> None:
    """What cannot be ranked is refused."""
    with pytest.raises(error, match=text):
        SpearmanCorrCoef().add(*arguments)
