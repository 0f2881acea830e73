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
OPTIONS: list[dict[str, Any]] = [
    {},
    *({"num_outputs": 2, **more} for more in ({}, {"squared": False})),
    {"squared": False},
    *({"reduction": one} for one in ("mean", "sum", "none")),
    *({"multioutput": one} for one in ("raw_values", "uniform_average", "variance_weighted")),
    {"adjusted": 2},
    {"log_prob": False, "reduction": None},
    *({"variant": one} for one in "abc"),
    *({"p": one} for one in (1, 2.5)),
    *({"power": one} for one in (-1, 0, 1, 1.5, 2, 3)),
    {"threshold": 0.5},
    *({"normalization": one} for one in ("mean", "range", "std", "l2")),
    {"normalization": "range", "num_outputs": 2},
]


def outcome(metric: Any, batches: list[Any]) -> Any:
    """Return the values of the batches and of all, or the error's text."""
    try:
        found = [metric(*one) for one in batches] + [metric.compute()]
    except (IndexError, RuntimeError, ValueError) as error:
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
    for options in OPTIONS:
        try:
            cls(**options)
        except (TypeError, ValueError):
            continue
        columns = {"CosineSimilarity", "KLDivergence", "JensenShannonDivergence"}
        wide = "num_outputs" in options or "multioutput" in options or name in columns
        shape = (5, 2) if wide else (5,)
        shapes = (5, 3) if name == "ContinuousRankedProbabilityScore" else shape, shape
        batches = [tuple(torch.rand(one, generator=random) for one in shapes) for _ in range(3)]
        pair = [getattr(where.regression, name)(**options) for where in (original, ours)]
        same(*(outcome(metric, batches) for metric in pair))
        pickled = pickle.loads(pickle.dumps(pair[1]))
        assert torch.equal(pickled.compute(), pair[1].compute())
        wrong = [(torch.rand(3), torch.rand(4))]
        same(*(outcome(metric, wrong) for metric in pair))


def test_outputs_of_the_first_batch() -> None:
    """R2 has as many columns as it, and refuses others until `reset`."""
    one, two = torch.rand(4), torch.rand(4, 2)
    for where in (original, ours):
        metric = where.R2Score(multioutput="raw_values")
        metric.update(two, 1 - two)
        assert metric.compute().shape == (2,)
        metric.reset()
        metric.update(one, 1 - one)
        assert metric.compute().shape == ()
    with pytest.raises(ValueError, match=r"got float32 of shape \(4, 2\)"):
        metric.update(two, two)
    for where in (original, ours):
        with pytest.raises(ValueError, match="Needs at least two samples"):
            where.R2Score()(one[:1], one[:1])
    few = [where.R2Score(adjusted=3)(one, 1 - one) for where in (original, ours)]
    assert torch.allclose(*few)


def test_r2_of_small_numbers_is_that_of_large_ones() -> None:
    """Other units change nothing; torchmetrics takes sums of squares below 0.0001 as 0."""
    numbers, labels = torch.tensor([1.0, 2.0, 3.0, 4.0]), torch.tensor([1.0, 2.0, 4.0, 3.0])
    for scale, expected in ((1.0, 0.6), (1e-3, 1.0)):
        for where, value in ((original, expected), (ours, 0.6)):
            assert float(where.R2Score()(numbers * scale, labels * scale)) == pytest.approx(value)
    assert float(original.R2Score()(numbers, labels * 1e-3)) == 0.0
    assert float(ours.R2Score()(numbers, labels * 1e-3)) < -1e6


@pytest.mark.parametrize("name", ["SpearmanCorrCoef", "KendallRankCorrCoef", "PearsonCorrCoef"])
def test_correlations_without_samples_are_nan(name: str) -> None:
    """Also Spearman's, which is 0 of samples without order, and for each output."""
    for outputs, shape in ((1, (0,)), (2, (0, 2))):
        metric = getattr(ours, name)(num_outputs=outputs)
        assert metric.compute().isnan().all()
        assert metric(torch.zeros(shape), torch.zeros(shape)).isnan().all()


def test_spearman_of_the_same_order_is_one() -> None:
    """Exactly; in torchmetrics a small constant is in the denominator."""
    numbers = torch.tensor([1.0, 2.0])
    assert 1 - 5e-6 < float(original.SpearmanCorrCoef()(numbers, numbers)) < 1
    assert float(ours.SpearmanCorrCoef()(numbers, numbers)) == 1.0


def test_what_is_not_offered_is_refused() -> None:
    """When the metric is made."""
    for name, options in (
        ("KendallRankCorrCoef", {"t_test": True}),
        ("CriticalSuccessIndex", {"threshold": 0.5, "keep_sequence_dim": 0}),
    ):
        with pytest.raises(TypeError, match="torchmetrics' own class"):
            getattr(ours.regression, name)(**options)


def test_correlations_without_order() -> None:
    """0 of Spearman's, nan of Kendall's, in both packages."""
    numbers, same_number = torch.rand(4), torch.ones(4)
    for name in ("SpearmanCorrCoef", "KendallRankCorrCoef", "ConcordanceCorrCoef"):
        pair = [getattr(where.regression, name)() for where in (original, ours)]
        same(*(outcome(metric, [(numbers, same_number)]) for metric in pair))


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
