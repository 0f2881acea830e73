"""The model of exact rank statistics in docs/cost-model.md: its bytes are those that ranks send."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from benchmarks import score_exchange
from benchmarks.simulation import NETWORKS
from mmeval_like._exchange import deal
from mmeval_like._exchange.dealing import steps
from mmeval_like.backends import rounds
from mmeval_like.testing import LocalWorld

METRICS: dict[str, Callable[..., Any]] = {
    "auroc": mm.AUROC,
    "gini": mm.GiniCoefficient,
    "average precision": partial(mm.AveragePrecision, task="binary"),
}
Calls = list[list[tuple[str, int]]]


def brought(metric: Callable[..., Any], scores: list[np.ndarray]) -> Calls:
    """By rank, every call of the backend in one compute, and how many bytes the rank brought."""
    world = LocalWorld(len(scores))
    found: Calls = [[] for _ in scores]
    exchange = world.exchange

    def counting(rank: int, name: str, value: Any) -> list[Any]:
        parts = value if isinstance(value, list) else [] if value is None else [value]
        found[rank].append((name, sum(memoryview(part).nbytes for part in parts)))
        return exchange(rank, name, value)

    world.exchange = counting  # type: ignore[method-assign]

    def of_rank(backend: Any) -> Any:
        evaluated = metric(dist_backend=backend)
        own = scores[backend.rank]
        for start in range(0, len(own), 8192):
            batch = own[start : start + 8192]
            evaluated.add(batch, np.arange(len(batch)) % 3 == 0)
        return evaluated.compute()

    world.run(of_rank)
    return found


def scores_of(ranks: int, dtype: type) -> list[np.ndarray]:
    """Scores of each rank, too many for a slot, and of each another number."""
    rng = np.random.default_rng(ranks)
    return [rng.random(1200 + 37 * rank).astype(dtype) for rank in range(ranks)]


def but_the_broadcast(steps: list[tuple[str, int]], rank: int) -> list[tuple[str, int]]:
    """The steps of a rank; only rank 0 brings bytes to the broadcast."""
    return [(call, 0 if rank and call == "broadcast_bytes" else n) for call, n in steps]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("ranks", [2, 3, 4, 8])
@pytest.mark.parametrize("metric", METRICS)
def test_dealt_scores_take_the_bytes_of_the_model(
    metric: str, ranks: int, dtype: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Call by call, on every rank."""
    monkeypatch.setattr(deal, "_GATHERED", 0)
    scores = scores_of(ranks, dtype)
    every = np.sort(np.concatenate(scores))

    for rank, calls in enumerate(brought(METRICS[metric], scores)):
        total = "PRECISIONS" if metric == "average precision" else "PAIRS"
        steps = score_exchange.dealt(
            every, len(scores[rank]), ranks, getattr(score_exchange, total)
        )
        assert calls == but_the_broadcast(steps, rank)


@pytest.mark.parametrize("ranks", [2, 8])
def test_gathered_scores_take_the_bytes_of_the_model(ranks: int) -> None:
    """Call by call; names and the dtype, which the model leaves out, take less than 500 bytes."""
    scores = scores_of(ranks, np.float32)
    every = np.sort(np.concatenate(scores))

    for rank, calls in enumerate(brought(mm.AUROC, scores)):
        steps = but_the_broadcast(score_exchange.gathered(every, len(scores[rank]), ranks), rank)
        assert [call for call, _ in calls] == [call for call, _ in steps]
        extra = [n - m for (_, n), (_, m) in zip(calls, steps, strict=True)]
        assert extra[0] == extra[2] == 0 < extra[1] < 500


@pytest.mark.parametrize("is_dealt", [True, False])
def test_the_memory_is_that_of_the_model(is_dealt: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """What all ranks take together at the peak, which not all of them reach at one moment."""
    monkeypatch.setattr(deal, "_GATHERED", 0 if is_dealt else 1 << 40)
    # The rest is address space: nothing is written there.
    written = 4 * 110_000
    for module in (rounds, steps):
        monkeypatch.setattr(
            module,
            "room_for_rounds",
            lambda ranks: [np.empty(written, np.uint8), *[np.empty(0)] * 2],
        )
    ranks, own = 4, 400_000  # beside which what a rank has for any scores is little
    rng = np.random.default_rng(0)
    scores = [rng.random(own, np.float32) for _ in range(ranks)]
    brought(mm.AUROC, [part[:9999] for part in scores])  # what is made once

    tracemalloc.start()
    brought(mm.AUROC, scores)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    expected = ranks * score_exchange.dealt_memory(own, 4, ranks)
    if not is_dealt:  # the others hold their scores, sorted, as they send them, and on their way
        expected = score_exchange.gathered_memory(own, 4, ranks) + 4 * 4 * own * (ranks - 1)
    assert 0.75 < peak / expected < 1.1


def test_evenly_spread_scores_stand_for_an_array() -> None:
    """As many are below a value as in an array of them, but for one at a border."""
    values = np.linspace(-0.5, 1.5, 999, dtype=np.float32)
    array = (np.arange(10_000) + 0.5) / 10_000
    found = np.searchsorted(score_exchange.Even(10_000), values)  # type: ignore[call-overload]
    assert np.abs(found - np.searchsorted(array, values)).max() <= 1


def test_the_busiest_rank_receives_its_share_or_everything() -> None:
    """Of a million scores each: what all others have gathered, and about a share of all dealt."""
    ranks, own = 64, 1_000_000
    scores = score_exchange.Even(ranks * own)
    dealt, gathered = (
        score_exchange.exchanged(steps(scores, own, ranks), ranks, NETWORKS[0])
        for steps in (score_exchange.dealt, score_exchange.gathered)
    )
    assert gathered.received[0] >= 4 * own * (ranks - 1)
    assert 4 * own * (ranks - 1) / ranks < dealt.received.max() < 2 * 4 * own
    assert dealt.clock.max() < gathered.clock.max()
