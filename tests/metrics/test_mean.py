"""Mean against fractions."""

import math
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval_like import Mean
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples
from tests.helpers.optional import requires


def samples(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of very different size that cancel, and weights."""
    values = rng.normal(size=n) * 10.0 ** rng.integers(-20, 20, n)
    weights = rng.random(n) * rng.integers(0, 3, n)
    weights[0] = 0.1
    return values, weights


def unweighted(rng: np.random.Generator, n: int) -> tuple[np.ndarray, None]:
    """Numbers alone."""
    return rng.normal(size=n).astype(np.float32), None


def some_nan(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The same, and numbers that are unknown."""
    values, weights = samples(rng, n)
    values[1:][rng.random(n - 1) < 0.3] = math.nan
    return values, weights


def oracle(values: Any, weights: Any = None) -> dict[str, float]:
    """The mean in exact arithmetic."""
    weights = np.ones(len(values)) if weights is None else weights
    pairs = [(Fraction(float(v)), Fraction(float(w))) for v, w in zip(values, weights, strict=True)]
    return {"mean": float(sum(v * w for v, w in pairs) / sum(w for _, w in pairs))}


EMPTY = {"mean": math.nan}
CASES = {
    "Mean": MetricCase(Mean, unweighted, oracle, 0, empty=EMPTY),
}
VARIANTS = {
    "Mean, some nan": MetricCase(
        partial(Mean, nan="omit"),
        some_nan,
        lambda values, weights: oracle(values[values == values], weights[values == values]),
        0,
        empty=EMPTY,
    ),
    "Mean, weighted": MetricCase(Mean, samples, oracle, 0, empty=EMPTY),
}


@pytest.mark.parametrize("name", [*CASES, *VARIANTS])
def test_laws(name: str) -> None:
    """The metric equals exact arithmetic to the bit and keeps every law."""
    check_metric((CASES | VARIANTS)[name], examples=examples(4))


@given(st.lists(st.floats(-1e290, 1e290), min_size=1, max_size=9), st.floats(1e-9, 1e9))
def test_rounded_once(values: list[float], weight: float) -> None:
    """Whatever cancels, and wherever sums leave float64, the mean is rounded once."""
    kept = [0.0 if abs(value) < 1e-280 else value for value in values]
    weights = [weight, *([1.0] * (len(kept) - 1))]

    assert Mean()(kept, weights) == oracle(kept, weights)


def test_sum_beyond_float64() -> None:
    """The mean of numbers whose sum overflows is right."""
    assert Mean()([1e308, 1e308, 1e308]) == {"mean": 1e308}


@pytest.mark.parametrize(
    ("values", "weights", "expected"),
    [
        (0.5, None, 0.5),
        (np.float32(0.5), 3, 0.5),
        ([math.nan, 1.0], None, math.nan),
        ([math.inf, 1.0], None, math.inf),
        ([math.inf, -math.inf], None, math.nan),
        ([math.nan, math.inf, 2.0], [0, 0, 1], 2.0),
        ([1.0], [0.0], math.nan),
        ([True, False], None, 0.5),
    ],
)
def test_values(values: Any, weights: Any, expected: float) -> None:
    """Single numbers, nan and infinities, weights of 0: as documented."""
    assert np.array_equal(Mean()(values, weights)["mean"], expected, equal_nan=True)


def test_what_a_nan_does() -> None:
    """It makes the mean nan, is left out with its weight, or is refused: infinities never are."""
    values, weights = [math.nan, 1.0, 4.0], [5.0, 1.0, 2.0]
    assert math.isnan(Mean()(values, weights)["mean"])
    assert Mean(nan="omit")(values, weights) == {"mean": 3.0}
    assert Mean(nan="omit")(values) == {"mean": float(np.nanmean(values))}
    assert Mean(nan="omit")([math.inf, math.nan]) == {"mean": math.inf}
    strict = Mean(nan="raise")
    strict.add([math.inf, 1.0])
    with pytest.raises(ValueError, match="values must not contain nan"):
        strict.add(values, weights)
    assert strict.compute() == {"mean": math.inf}
    with pytest.raises(ValueError, match="nan must be one of"):
        Mean(nan="drop")


def test_only_nan() -> None:
    """Where nothing is known the mean is nan."""
    assert math.isnan(Mean(nan="omit")(math.nan)["mean"])


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        (("a",), TypeError, "values"),
        (([[1.0]],), ValueError, "shape"),
        (([1.0], [1.0, 2.0]), ValueError, "sample_weight"),
        (([1.0], [-1.0]), ValueError, "negative"),
        (([1.0], [math.inf]), ValueError, "sample_weight"),
        ((1.0, [1.0, 2.0]), ValueError, "sample_weight"),
    ],
)
def test_bad_inputs(arguments: tuple[Any, ...], error: type[Exception], text: str) -> None:
    """What has no weighted mean is refused."""
    with pytest.raises(error, match=text):
        Mean().add(*arguments)


@pytest.mark.parametrize("change", ["requires_grad_", "bfloat16"])
def test_losses_of_torch_in_a_list(change: str) -> None:
    """Tensors of a graph and of bfloat16 count as their numbers, also one alone, with weights."""
    torch = requires("torch")
    losses = [getattr(torch.tensor(one), change)() for one in (1.0, 3.0)]
    metric = Mean()
    metric.add(losses)
    metric.add(losses[1] * 2, sample_weight=2.0)

    assert metric.compute() == {"mean": 4.0}  # (1 + 3 + 2 * 6) / 4


@pytest.mark.parametrize("bad", [-0.1, 1.5, math.inf, -math.inf, np.nextafter(1, 2)])
def test_a_value_outside_the_bounds_is_an_error(bad):
    """The worst and the best value of samples without a score rely on them."""
    metric = Mean(bounds=(0, 1), nan="omit", unscored="bounds")
    metric.add([0.25, 1.0, 0.0, math.nan])

    with pytest.raises(ValueError, match=r"values must lie in the bounds \[0.0, 1.0\].*index 1"):
        metric.add([0.5, bad, 0.5])

    assert metric.compute() == {"mean": 1.25 / 3}
    metric.add([0.5, bad], sample_weight=[1, 0])  # a sample of weight 0 does not count at all
    assert metric.compute() == {"mean": 1.75 / 4}
