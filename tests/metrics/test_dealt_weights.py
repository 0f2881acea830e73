"""Weights, partial areas, pairs of classes and intervals, dealt: the bits of one process."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like._exact import fixed_point
from mmeval_like._exchange import deal
from mmeval_like._exchange.dealing.steps import Steps
from mmeval_like.metrics.curves import auroc, weighed_scores
from mmeval_like.testing import LocalWorld
from mmeval_like.testing.same import same
from tests.metrics.test_dealt_scores import (
    CLASSES,
    SAMPLES,
    SCORES,
    _all_are_dealt,  # noqa: F401 - a fixture of every test
    labels_of,
    normal,
)

WEIGHTS: list[Callable[[np.random.Generator], np.ndarray]] = [
    lambda rng: rng.random(SAMPLES),
    lambda rng: (1 + rng.random(SAMPLES)) * 10.0 ** rng.integers(-60, 59, SAMPLES),
    lambda rng: rng.random(SAMPLES).astype(np.float32) * rng.integers(0, 2, SAMPLES),
    lambda rng: rng.integers(0, 9, SAMPLES),
    lambda rng: np.zeros(SAMPLES),
]
SPLITS = [(2, False), (3, True), (5, False)]

METRICS: dict[str, tuple[str, Callable[..., Any]]] = {
    "auroc": ("binary", mm.AUROC),
    "ap": ("binary", lambda **o: mm.AveragePrecision(percent=False, **o)),
    "gini": ("binary", mm.GiniCoefficient),
    "partial": ("binary", lambda **o: mm.AUROC(max_fpr=0.3, **o)),
    "auroc of classes": (
        "multiclass",
        lambda **o: mm.AUROC("multiclass", average=None, ignore_index=1, **o),
    ),
    "ap of all": (
        "multiclass",
        lambda **o: mm.AveragePrecision("micro", percent=False, task="multiclass", **o),
    ),
    "auroc of labels": (
        "multilabel",
        lambda **o: mm.AUROC("multilabel", average="weighted", **o),
    ),
    "pairs": (
        "multiclass",
        lambda **o: mm.AUROC("multiclass", CLASSES, "weighted", multi_class="ovo", **o),
    ),
    "pairs but one": (
        "multiclass",
        lambda **o: mm.AUROC("multiclass", CLASSES, multi_class="ovo", ignore_index=1, **o),
    ),
    "several": (
        "binary",
        lambda dist_backend, **o: mm.MetricCollection(
            {
                "area": mm.AUROC(**o),
                "start": mm.AUROC(max_fpr=0.1, **o),
                "half": mm.AUROC(max_fpr=0.5, **o),
                "ap": mm.AveragePrecision(percent=False, task="binary", **o),
            },
            dist_backend,
        ),
    ),
}
# What is dealt without weights is tested in `test_dealt_scores`, but for these.
COMPUTED = [
    *((name, True) for name in METRICS),
    *((name, False) for name in ("partial", "pairs", "pairs but one", "several")),
]
INTERVALS: dict[str, tuple[str, Callable[..., Any]]] = {
    "binary": ("binary", lambda **o: mm.AUROC(interval=0.9, **o)),
    "classes": (
        "multiclass",
        lambda **o: mm.AUROC("multiclass", average=None, interval=0.9, **o),
    ),
    "labels": ("multilabel", lambda **o: mm.AUROC("multilabel", average=None, interval=0.9, **o)),
}


def on_ranks(make: Callable[..., Any], columns: tuple[Any, ...], ranks: int, skewed: bool) -> Any:
    """Compute on as many ranks; return the world, the values and the intervals."""
    owner = np.arange(SAMPLES) % ranks
    if skewed:  # one rank has nearly all, the first none
        owner = np.where(np.arange(SAMPLES) < SAMPLES - 2, ranks - 1, 1 % ranks)
    world = LocalWorld(ranks)

    def of_rank(backend: Any) -> Any:
        metric, here = make(dist_backend=backend), owner == backend.rank
        if here.any():
            metric.add(*(column[here] for column in columns))
        return metric.compute(), repr(metric.intervals)

    return world, world.run(of_rank)


def check(make: Callable[..., Any], columns: tuple[Any, ...], ranks: int, skewed: bool) -> None:
    """Dealt is what one process has, to the bit, and no rank gets all scores."""
    _, [expected] = on_ranks(make, columns, 1, False)
    world, found = on_ranks(make, columns, ranks, skewed)
    assert all(same(value, expected) for value in found)
    assert world.calls[0]["gather_bytes"] == 0
    assert world.calls[0]["all_to_all_pieces"] >= 2


@pytest.mark.filterwarnings("ignore")  # undefined where all scores or weights are alike
@pytest.mark.parametrize("kind", SCORES)
@pytest.mark.parametrize(("name", "weighted"), COMPUTED)
def test_dealt_is_one_process(
    name: str, kind: str, weighted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Any scores, weights, ranks and split, and any number of limbs and blocks."""
    task, make = METRICS[name]
    turn = [*METRICS].index(name) + [*SCORES].index(kind)
    rng = np.random.default_rng(turn)
    scores = SCORES[kind](rng, SAMPLES if task == "binary" else (SAMPLES, CLASSES))
    columns = (scores, labels_of(rng, task))
    if weighted:
        columns = (*columns, WEIGHTS[turn % len(WEIGHTS)](rng))
        monkeypatch.setattr(fixed_point, "_ROOM", [62, 45][turn % 2])
        monkeypatch.setattr(weighed_scores, "_BLOCK", [1 << 15, 25][turn % 2])

    def of_weights(**options: Any) -> Any:
        return make(use_sample_weight=weighted, **options)

    check(of_weights, columns, *SPLITS[turn % 3])


def test_weights_of_very_many_ranks_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """No number that a rank sends to be added is above 2^32, however many slices it adds up."""
    largest, total = [], Steps.total

    def watched(ranks: Any, work: Callable[[], np.ndarray], length: int) -> np.ndarray:
        def seen() -> np.ndarray:
            vector = work()
            largest.append(int(np.abs(vector).max(initial=0)))
            return vector

        return total(ranks, seen, length)

    monkeypatch.setattr(Steps, "total", watched)
    rng = np.random.default_rng(0)
    weights = np.full(SAMPLES, (2**31 - 1) * 2.0**-18)  # all bits of one limb
    columns = (rng.random((SAMPLES, CLASSES)), labels_of(rng, "multiclass"), weights)
    check(partial(METRICS["ap of all"][1], use_sample_weight=True), columns, 5, False)
    assert max(largest) <= 2**32


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", SCORES)
@pytest.mark.parametrize("name", INTERVALS)
def test_intervals_are_those_of_one_process(name: str, kind: str) -> None:
    """DeLong's variance is made of whole numbers that add up over the shares."""
    task, make = INTERVALS[name]
    turn = [*INTERVALS].index(name) + [*SCORES].index(kind)
    rng = np.random.default_rng(turn)
    scores = SCORES[kind](rng, SAMPLES if task == "binary" else (SAMPLES, CLASSES))
    check(make, (scores, labels_of(rng, task)), *SPLITS[turn % 3])


@pytest.mark.parametrize("name", ["auroc", "ap", "partial"])
@pytest.mark.parametrize("positive", [0, 1])
@pytest.mark.filterwarnings("ignore")
def test_labels_that_are_all_alike(name: str, positive: int) -> None:
    """All negative or all positive: nan, 0 or 1, as in one process."""
    rng = np.random.default_rng(0)
    columns = normal(rng, SAMPLES), np.full(SAMPLES, positive), rng.random(SAMPLES)
    make = METRICS[name][1]
    check(lambda **o: make(use_sample_weight=True, **o), columns, 3, False)


@pytest.mark.parametrize("name", ["auroc", "ap", "pairs", "partial"])
def test_gathered_is_dealt(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Weighted scores that are few go to rank 0, and have the same bits."""
    task, make = METRICS[name]
    rng = np.random.default_rng(0)
    scores = normal(rng, SAMPLES if task == "binary" else (SAMPLES, CLASSES))
    columns = scores, labels_of(rng, task), WEIGHTS[1](rng)

    def of_weights(**options: Any) -> Any:
        return make(use_sample_weight=True, **options)

    _, dealt = on_ranks(of_weights, columns, 3, False)
    monkeypatch.setattr(deal, "_GATHERED", 1 << 40)
    world, gathered = on_ranks(of_weights, columns, 3, True)
    assert world.calls[0]["all_to_all_pieces"] == 0
    assert dealt == gathered


def test_a_metric_that_looks_at_more_for_its_interval_is_given_all_scores() -> None:
    """Intervals that are made by leaving out samples need the samples."""
    rng = np.random.default_rng(0)
    columns = normal(rng, SAMPLES), labels_of(rng, "binary"), rng.random(SAMPLES)

    def make(**options: Any) -> Any:
        return mm.AUROC(use_sample_weight=True, interval=0.9, **options)

    _, [expected] = on_ranks(make, columns, 1, False)
    world, found = on_ranks(make, columns, 3, False)
    assert found[0][0] == expected[0]
    assert world.calls[0]["all_to_all_pieces"] == 0


def test_weights_of_many_pairs_of_classes_are_gathered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sums of all pairs would take more than the scores; the number is the same either way."""
    task, make = METRICS["pairs"]
    rng = np.random.default_rng(1)
    columns = normal(rng, (SAMPLES, CLASSES)), labels_of(rng, task), rng.random(SAMPLES)

    def of_weights(**options: Any) -> Any:
        return make(use_sample_weight=True, **options)

    _, dealt = on_ranks(of_weights, columns, 2, False)
    monkeypatch.setattr(auroc, "_WEIGHED", CLASSES - 1)
    world, gathered = on_ranks(of_weights, columns, 2, False)
    assert dealt == gathered
    assert world.calls[0]["all_to_all_pieces"] == 0
