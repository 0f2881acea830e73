"""Sum, Max, Min and Cat against Python's own functions."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from mmeval_like import Cat, Max, Min, Sliced, Sum
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples


def numbers(rng: np.random.Generator, n: int) -> tuple[np.ndarray]:
    """Numbers of very different size."""
    return (rng.normal(size=n) * 10.0 ** rng.integers(-9, 9, n),)


def holes(rng: np.random.Generator, n: int) -> tuple[np.ndarray]:
    """The same with some nan, but not all."""
    (found,) = numbers(rng, n)
    found[1:] = np.where(rng.random(n - 1) < 0.3, math.nan, found[1:])
    return (found,)


def weighted(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The same with weights that are eighths."""
    return *numbers(rng, n), rng.integers(0, 9, n) / 8


def known(values: np.ndarray) -> list[float]:
    """Those that are not nan."""
    return [value for value in values.tolist() if value == value]


CASES = {
    "Sum": MetricCase(Sum, numbers, lambda v: {"sum": math.fsum(v)}, 0, empty={"sum": 0.0}),
    "Sum, weighted": MetricCase(
        Sum, weighted, lambda v, w: {"sum": math.fsum(v * w)}, empty={"sum": 0.0}
    ),
    "Sum, omit": MetricCase(
        partial(Sum, nan="omit"), holes, lambda v: {"sum": math.fsum(known(v))}, 0,
        empty={"sum": 0.0},
    ),
    "Max": MetricCase(Max, numbers, lambda v: {"max": max(v.tolist())}, 0),
    "Max, omit": MetricCase(
        partial(Max, nan="omit"), holes, lambda v: {"max": max(known(v))}, 0
    ),
    "Min": MetricCase(Min, numbers, lambda v: {"min": min(v.tolist())}, 0),
    "Min, omit": MetricCase(
        partial(Min, nan="omit"), holes, lambda v: {"min": min(known(v))}, 0
    ),
    "Cat": MetricCase(
        Cat, numbers, lambda v: {"values": v}, 0, order_matters=True,
        empty={"values": np.empty(0)},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The aggregate equals Python's own and keeps every law."""
    check_metric(CASES[name], examples=examples(4), libraries=["array_api_strict"])


def test_a_number_is_a_sample() -> None:
    """A loss per batch, with or without a weight."""
    metric = Sum()
    metric.add(0.5)
    metric.add(0.25, sample_weight=2)
    assert metric.compute() == {"sum": 1.0}
    assert Cat("int64", (2,))([1, 2])["values"].tolist() == [[1, 2]]


def test_nan_as_it_is_said() -> None:
    """A nan is refused, left out or makes the result nan."""
    for cls in (Sum, Max, Min):
        key = cls.__name__.lower()
        with pytest.raises(ValueError, match="values must not contain nan"):
            cls()([math.nan, 1.0])
        assert cls(nan="omit")([math.nan, 1.0]) == {key: 1.0}
        assert math.isnan(cls(nan="propagate")([math.nan, 1.0])[key])
    assert math.isnan(Max(nan="omit")([math.nan])["max"])
    assert Sum()([math.inf, 1.0]) == {"sum": math.inf}


@pytest.mark.parametrize("zeros", [(0.0, -0.0), (-0.0, 0.0), (-0.0, -0.0)])
def test_both_zeros(zeros: tuple[float, float]) -> None:
    """Item 13: 0.0 and -0.0 are equal, and the order does not say which of them comes out.

    This holds for batches, for batches of one, for parts, and for slices.
    """
    for cls in (Max, Min):
        key = cls.__name__.lower()
        single, parts, sliced = cls(), cls(), Sliced(cls(), by="group")
        for zero in zeros:
            single.add(zero)
            part = cls()
            part.add([zero])
            parts.merge(part)
            sliced.add([zero], by={"group": [7]})
        values = [single.compute()[key], parts.compute()[key], cls()(zeros)[key]]
        values += [sliced.compute()["group=7"][key], cls()(np.array(zeros, "f2"))[key]]
        assert [*map(repr, values)] == ["0.0"] * 5


BAD = [
    (partial(Sum, nan="drop"), "nan must be one of"),
    (lambda: Sum()([[1.0]]), "shape"),
    (lambda: Sum()([1.0], [-1.0]), "sample_weight"),
    (lambda: Cat("int64")([0.5]), "values"),
]


@pytest.mark.parametrize(("action", "text"), BAD)
def test_bad_arguments_and_inputs(action: Callable[[], Any], text: str) -> None:
    """What means nothing is refused."""
    with pytest.raises(ValueError, match=text):
        action()
