"""RunningMean and RunningSum against Python's own functions."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from mmeval_like import RunningMean, RunningSum
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples


def numbers(rng: np.random.Generator, n: int) -> tuple[np.ndarray]:
    """Numbers of very different size."""
    return (rng.normal(size=n) * 10.0 ** rng.integers(-9, 9, n),)


CASES = {
    "RunningMean": MetricCase(
        partial(RunningMean, 5), numbers,
        lambda v: {"running_mean": math.fsum(v[-5:]) / len(v[-5:])}, order_matters=True,
    ),
    "RunningSum": MetricCase(
        partial(RunningSum, 5), numbers, lambda v: {"running_sum": math.fsum(v[-5:])}, 0,
        order_matters=True, empty={"running_sum": 0.0},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The aggregate equals Python's own and keeps every law."""
    check_metric(CASES[name], examples=examples(4), libraries=["array_api_strict"])


def test_a_number_is_a_sample() -> None:
    """A loss per batch: the window counts numbers, not calls."""
    metric = RunningMean(2)
    for value in (1.0, 2.0, 4.0):
        metric.add(value)
    assert metric.compute() == {"running_mean": 3.0}


BAD = [
    (partial(RunningMean, 0), "window"),
    (lambda: RunningSum(2)([math.inf]), "values must not contain nan or inf"),
]


@pytest.mark.parametrize(("action", "text"), BAD)
def test_bad_arguments_and_inputs(action: Callable[[], Any], text: str) -> None:
    """What means nothing is refused."""
    with pytest.raises(ValueError, match=text):
        action()
