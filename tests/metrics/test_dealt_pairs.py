"""Pairs of numbers that are dealt over the ranks: the bits of the path that gathers them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import spearmanr

import mmeval_like as mm
from mmeval_like._exchange.dealing import shares
from mmeval_like.metrics.regression import paired_ranks
from mmeval_like.testing import LocalWorld
from mmeval_like.testing.same import same
from tests.helpers.dealing import check_failure_is_heard, deal_everything

SAMPLES = 90
SPECIAL = np.array([-math.inf, -1e300, -1.0, -0.0, 0.0, 5e-324, 1.0, 1e300, math.inf])


@pytest.fixture(autouse=True)
def _all_are_dealt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of any size are dealt: none fits into a slot."""
    deal_everything(monkeypatch)


NUMBERS: dict[str, Callable[[np.random.Generator], np.ndarray]] = {
    "normal": lambda rng: rng.normal(size=(SAMPLES, 2)),
    "ties": lambda rng: rng.integers(0, 3, (SAMPLES, 2)),
    "one distinct": lambda rng: np.ones((SAMPLES, 2)),
    "with nan": lambda rng: np.where(
        rng.random((SAMPLES, 2)) < 0.1, math.nan, rng.random((SAMPLES, 2))
    ),
    "all nan": lambda rng: np.full((SAMPLES, 2), math.nan),
    "special": lambda rng: rng.choice(SPECIAL[1:-1], (SAMPLES, 2)),
    "infinite": lambda rng: rng.choice(SPECIAL, (SAMPLES, 2)),
}
METRICS: dict[str, Callable[..., Any]] = {
    "spearman": mm.SpearmanCorrCoef,
    "median": mm.MedianAbsoluteError,
    "relative median": lambda **o: mm.MedianAbsoluteError(relative=True, **o),
    "both medians": lambda **o: mm.MetricCollection(
        {
            "plain": mm.MedianAbsoluteError(nan="omit"),
            "relative": mm.MedianAbsoluteError(relative=True, nan="omit"),
        },
        **o,
    ),
}


# Infinite numbers have an order, and no errors.
NAMED = [(n, k) for n in METRICS for k in NUMBERS if n == "spearman" or k != "infinite"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "kind"), NAMED)
def test_dealt_is_gathered(name: str, kind: str) -> None:
    """Any numbers, ranks, split and padding: `==` to one rank, and no rank gets all pairs."""
    pairs = NUMBERS[kind](np.random.default_rng(1))
    options: dict[str, Any] = {} if name == "both medians" else {"nan": "omit"}
    whole = METRICS[name](dist_backend="non_dist", **options)
    whole.add(*pairs[: SAMPLES - 1].T)
    expected = whole.compute()
    for ranks, skewed in ((2, False), (3, True), (4, False)):
        world = LocalWorld(ranks)

        def of_rank(backend: Any, skewed: bool = skewed, ranks: int = ranks) -> Any:
            metric = METRICS[name](dist_backend=backend, **options)
            if not skewed:
                metric.add(*pairs[backend.rank :: ranks].T)
                return metric.compute(size=SAMPLES - 1)
            if backend.rank == 1:
                metric.add(*pairs[: SAMPLES - 1].T)
            return metric.compute()

        assert all(same(value, expected) for value in world.run(of_rank))
        assert world.calls[0]["gather_bytes"] == 0
        assert (world.calls[0]["all_to_all_pieces"] > 0) == (name == "spearman")


@pytest.mark.filterwarnings("ignore")
def test_spearman_is_scipys() -> None:
    """The value over ranks is that of scipy."""
    pairs = np.random.default_rng(2).integers(0, 30, (SAMPLES, 2)).astype(float)

    def of_rank(backend: Any) -> Any:
        metric = mm.SpearmanCorrCoef(dist_backend=backend)
        metric.add(*pairs[backend.rank :: 3].T)
        return metric.compute()

    [found, *_] = LocalWorld(3).run(of_rank)
    assert found["spearman"] == pytest.approx(spearmanr(*pairs.T).statistic, rel=1e-14)


def test_what_needs_all_pairs_gathers_them() -> None:
    """A member of a collection that asks for nothing: Kendall's tau."""
    pairs = np.random.default_rng(3).random((SAMPLES, 2))
    world = LocalWorld(2)

    def of_rank(backend: Any) -> Any:
        members = [mm.SpearmanCorrCoef(), mm.KendallRankCorrCoef()]
        metric = mm.MetricCollection(members, dist_backend=backend)
        metric.add(*pairs[backend.rank :: 2].T)
        return metric.compute()

    [found, _] = world.run(of_rank)
    assert found["SpearmanCorrCoef"] == mm.SpearmanCorrCoef()(*pairs.T)
    assert found["KendallRankCorrCoef"] == mm.KendallRankCorrCoef()(*pairs.T)
    assert world.calls[0]["all_to_all_pieces"] == 0


# Where each step of a rank's own work can break: what is replaced there.
STEPS: dict[str, tuple[Any, str]] = {
    "read": (paired_ranks, "known"),
    "sorted": (np, "argsort"),
    "laid out": (paired_ranks, "Run"),
    "probed": (shares, "_counts"),
    "packed": (np, "split"),
    "ranked": (paired_ranks, "_centred"),
    "multiplied": (paired_ranks, "_products"),
}


@pytest.mark.parametrize("step", STEPS)
def test_a_rank_that_fails_in_any_step_is_heard(step: str) -> None:
    """Every rank raises at once, nothing is lost, and the next compute is right."""
    pairs = np.random.default_rng(4).random((SAMPLES, 2))

    def construct(backend: Any) -> mm.SpearmanCorrCoef:
        metric = mm.SpearmanCorrCoef(dist_backend=backend)
        metric.add(*pairs[backend.rank :: 3].T)
        return metric

    found = check_failure_is_heard(STEPS[step], construct)
    assert found == [mm.SpearmanCorrCoef()(*pairs.T)] * 3
