"""torchmetrics' classes of numbers: the installed torchmetrics is the oracle."""

from __future__ import annotations

import math
import pickle
from typing import Any

import pytest

from tests.helpers.optional import requires

torch = requires("torch")
original = requires("torchmetrics")
pytestmark = pytest.mark.filterwarnings("ignore")

ours = pytest.importorskip("mmeval_like.compat.torchmetrics")
NAN = math.nan
VALUES = [
    [],
    [torch.tensor([1.0, 2.0])],
    [3, torch.tensor([0.25, 7.0, -1.0])],
    [[4.0, 5.0]],
    [torch.tensor([1.0, NAN]), 2.0],
    [math.inf, 1.0],
    [torch.tensor([])],
]


def outcome(metric: Any, batches: list[Any]) -> Any:
    """Return the values of the batches and of all, or the error's text."""
    try:
        found = [metric(*one) for one in batches] + [metric.compute()]
    except (RuntimeError, ValueError) as error:
        return str(error)
    return [value.float() if isinstance(value, torch.Tensor) else torch.tensor(value)
            for value in found]  # fmt: skip


def same(one: Any, other: Any) -> None:
    """Check that two outcomes are equal but for rounding."""
    assert isinstance(one, str) == isinstance(other, str), (one, other)
    if isinstance(one, str):
        assert one == other
        return
    for a, b in zip(one, other, strict=True):
        assert a.shape == b.shape
        assert torch.allclose(a, b, rtol=1e-5, atol=1e-6, equal_nan=True), (one, other)


@pytest.mark.parametrize("name", ours.regression.__all__)
def test_regression(name: str) -> None:
    """Values of each batch and of all, for each option."""
    random = torch.Generator().manual_seed(0)
    cls = getattr(original.regression, name)
    for options in ({}, {"num_outputs": 2}, {"squared": False}, {"reduction": "mean"},
                    {"reduction": "none"}):  # fmt: skip
        try:
            cls(**options)
        except (TypeError, ValueError):
            continue
        shape = (5, 2) if "num_outputs" in options or name == "CosineSimilarity" else (5,)
        batches = [
            (torch.rand(shape, generator=random), torch.rand(shape, generator=random))
            for _ in range(3)
        ]
        pair = [getattr(where.regression, name)(**options) for where in (original, ours)]
        same(*(outcome(metric, batches) for metric in pair))
        pickled = pickle.loads(pickle.dumps(pair[1]))
        assert torch.equal(pickled.compute(), pair[1].compute())
        wrong = [(torch.rand(3), torch.rand(4))]
        same(*(outcome(metric, wrong) for metric in pair))


@pytest.mark.parametrize("strategy", ["warn", "ignore", "error", "disable", 0.5])
@pytest.mark.parametrize("name", ours.aggregation.__all__)
def test_aggregation(name: str, strategy: Any) -> None:
    """Of scalars, lists and tensors, with every `nan_strategy`."""
    for values in VALUES:
        batches = [(value,) for value in values]
        if strategy == "disable" and not sum(map(torch.numel, map(torch.as_tensor, values))):
            continue  # ours is nan
        pair = [getattr(where, name)(nan_strategy=strategy) for where in (original, ours)]
        same(*(outcome(metric, batches) for metric in pair))


def test_weights() -> None:
    """They have the values' shape, or one that fits; a negative one is an error."""
    for value, weight in (
        (torch.tensor([1.0, 2.0]), torch.tensor([1.0, 3.0])),
        (2.0, 0.0),
        (torch.tensor([[1.0, 2.0], [1.0, 2.0]]), torch.tensor([1.0, 0.0])),
        (torch.tensor([1.0, NAN]), torch.tensor([NAN, 1.0])),
    ):
        same(*(outcome(where.MeanMetric(), [(value, weight)]) for where in (original, ours)))
    with pytest.raises(ValueError, match="must not be negative"):
        ours.MeanMetric().update(1.0, weight=-1.0)


def test_a_subclass_may_change_what_is_added_and_computed() -> None:
    """`forward` calls `update` and `compute`, as torchmetrics' does."""

    class Doubled(ours.MeanMetric):  # type: ignore[misc, name-defined]
        def update(self, value: Any) -> None:
            super().update(2 * value)

        def compute(self) -> Any:
            return super().compute() + 1

    metric = Doubled()
    assert float(metric(torch.tensor([1.0, 2.0]))) == 4.0
    assert float(metric(torch.tensor([6.0]))) == 13.0
    assert float(metric.compute()) == 7.0
