"""Scores that are dealt over the ranks: the bits of the path that gathers them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like._exchange import contribution
from mmeval_like._exchange.dealing import partition, shares
from mmeval_like.backends import rounds
from mmeval_like.metrics.curves import score_lists, score_shares
from mmeval_like.testing import LocalWorld
from mmeval_like.testing.same import same
from tests.exchange.in_world import errors_of
from tests.helpers.dealing import check_failure_is_heard, deal_everything

Columns = tuple[np.ndarray, np.ndarray]
SAMPLES, CLASSES = 120, 3


@pytest.fixture(autouse=True)
def _all_are_dealt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of any size are dealt: none fits into a slot."""
    deal_everything(monkeypatch)


def normal(rng: np.random.Generator, shape: Any) -> np.ndarray:
    """Scores of both signs."""
    return rng.normal(size=shape).astype(np.float32)


SCORES: dict[str, Callable[[np.random.Generator, Any], np.ndarray]] = {
    "float32": normal,
    "float64": lambda rng, shape: rng.random(shape),
    "float16": lambda rng, shape: rng.random(shape).astype(np.float16),
    "many ties": lambda rng, shape: rng.integers(-2, 3, shape) / np.float32(4),
    "one distinct": lambda rng, shape: np.full(shape, 0.25, np.float32),
    "denormal and infinite": lambda rng, shape: rng.choice(
        np.array([0.0, -0.0, 1e-45, -1e-45, 3e-45, np.inf, -np.inf, 1], np.float32), shape
    ),
    "two far apart": lambda rng, shape: rng.choice(np.array([-1e300, 1e300, 5e-324]), shape),
}


def labels_of(rng: np.random.Generator, task: str | None) -> np.ndarray:
    """Labels as the task takes them."""
    if task == "multiclass":
        return rng.integers(0, CLASSES, SAMPLES)
    return rng.integers(0, 2, (SAMPLES, CLASSES) if task == "multilabel" else SAMPLES)


METRICS: dict[str, tuple[str, Callable[..., Any]]] = {
    "auroc": ("binary", mm.AUROC),
    "ap": ("binary", lambda **o: mm.AveragePrecision(percent=False, **o)),
    "gini": ("binary", mm.GiniCoefficient),
    "auroc of classes": (
        "multiclass",
        lambda **o: mm.AUROC("multiclass", average=None, ignore_index=1, **o),
    ),
    "ap of classes": (
        "multiclass",
        lambda **o: mm.AveragePrecision("weighted", percent=False, task="multiclass", **o),
    ),
    "auroc of all": (
        "multiclass",
        lambda **o: mm.AUROC("multiclass", average="micro", ignore_index=2, **o),
    ),
    "ap of labels": (
        "multilabel",
        lambda **o: mm.AveragePrecision(percent=False, task="multilabel", **o),
    ),
    "both, and of all": (
        "multilabel",
        lambda **o: mm.MetricCollection(
            [
                mm.AUROC("multilabel", average=None),
                mm.AveragePrecision("micro", percent=False, task="multilabel"),
            ],
            **o,
        ),
    ),
}


def on_ranks(make: Callable[..., Any], shards: list[Columns], **options: Any) -> LocalWorld:
    """Compute on as many ranks; their values are in `found`."""
    world = LocalWorld(len(shards))

    def of_rank(backend: Any) -> Any:
        metric = make(dist_backend=backend)
        if len(shards[backend.rank][1]):
            metric.add(*shards[backend.rank])
        return metric.compute(**options)

    world.found = world.run(of_rank)  # type: ignore[attr-defined]
    return world


def split(columns: Columns, ranks: int, skewed: bool) -> list[Columns]:
    """The samples of each rank; skewed: one rank has nearly all, the first none."""
    scores, labels = columns
    owner = np.arange(SAMPLES) % ranks
    if skewed:
        owner = np.where(np.arange(SAMPLES) < SAMPLES - 2, ranks - 1, 1 % ranks)
    return [(scores[owner == r], labels[owner == r]) for r in range(ranks)]


@pytest.mark.filterwarnings("ignore")  # undefined where all scores or labels are alike
@pytest.mark.parametrize("kind", SCORES)
@pytest.mark.parametrize("name", METRICS)
def test_dealt_is_gathered(name: str, kind: str) -> None:
    """Any scores, ranks and split: `==` to one rank, and no rank gets all scores."""
    task, make = METRICS[name]
    rng = np.random.default_rng(3)
    labels = labels_of(rng, task)
    scores = SCORES[kind](rng, SAMPLES if task == "binary" else (SAMPLES, CLASSES))
    [expected] = on_ranks(make, [(scores, labels)]).found  # type: ignore[attr-defined]
    for ranks, skewed in ((2, False), (3, True), (5, False)):
        world = on_ranks(make, split((scores, labels), ranks, skewed))
        assert all(same(value, expected) for value in world.found)  # type: ignore[attr-defined]
        assert world.calls[0]["gather_bytes"] == 0
        assert world.calls[0]["all_to_all_pieces"] >= 2


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("positive", [0, 1])
def test_labels_that_are_all_alike(positive: int) -> None:
    """All negative or all positive: nan, 0 or 1, as on one rank."""
    columns = normal(np.random.default_rng(0), SAMPLES), np.full(SAMPLES, positive)
    for name in ("auroc", "ap", "gini"):
        make = METRICS[name][1]
        [expected] = on_ranks(make, [columns]).found  # type: ignore[attr-defined]
        found = on_ranks(make, split(columns, 3, False)).found  # type: ignore[attr-defined]
        assert all(same(value, expected) for value in found)


def test_dtypes_that_differ_by_rank() -> None:
    """Float16 on one rank, float64 on another, nothing on the third; counted, and one by one."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, SAMPLES)
    scores = np.round(rng.normal(labels, 1), 1).astype(np.float16)
    wide = rng.random(SAMPLES)
    expected = mm.AUROC()(np.concatenate([scores, wide]), np.tile(labels, 2))
    shards = [(scores, labels), (np.empty(0), np.empty(0, int)), (wide, labels)]

    assert on_ranks(mm.AUROC, shards).found == [expected] * 3  # type: ignore[attr-defined]


@pytest.mark.parametrize("more", [0, 1, 2])
def test_padding_does_not_count(more: int) -> None:
    """With `size=` every rank leaves out its own padding before the values are dealt."""
    rng = np.random.default_rng(0)
    scores, labels = normal(rng, SAMPLES), rng.integers(0, 2, SAMPLES)
    size = SAMPLES - more
    expected = mm.AUROC()(scores[:size], labels[:size])
    world = on_ranks(mm.AUROC, split((scores, labels), 3, False), size=size)

    assert world.found == [expected] * 3  # type: ignore[attr-defined]
    assert world.calls[0]["gather_bytes"] == 0


@pytest.mark.parametrize(
    ("make", "ids"),
    [
        (mm.AUROC, True),
        (lambda **o: mm.AUROC(max_fpr=0.5, interval=0.9, **o), False),
        (lambda **o: mm.MetricCollection([mm.AUROC(), mm.ROC()], **o), False),
    ],
)
def test_what_needs_all_scores_gathers_them(make: Callable[..., Any], ids: bool) -> None:
    """Ids, intervals that leave out samples, and curves: also one in a collection."""
    rng = np.random.default_rng(0)
    columns = np.round(normal(rng, SAMPLES), 1), np.arange(SAMPLES) % 2
    world = LocalWorld(2)

    def of_rank(backend: Any) -> Any:
        metric, here = make(dist_backend=backend), np.arange(backend.rank, SAMPLES, 2)
        metric.add(*(c[here] for c in columns), **({"ids": here} if ids else {}))
        return metric.compute()

    whole = make(dist_backend="non_dist")
    whole.add(*columns)
    assert same(world.run(of_rank)[1], whole.compute())
    assert world.calls[0]["all_to_all_pieces"] == 0


@pytest.mark.parametrize("few", [0, 1 << 30])
def test_rows_that_wait_do_not_copy_the_others(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """They go beside what is sorted, or in it; a later `size=` still drops them."""
    monkeypatch.setattr(contribution, "_FEW", few)
    rng = np.random.default_rng(0)
    scores, labels = normal(rng, SAMPLES), rng.integers(0, 2, SAMPLES)
    expected = [mm.AUROC()(scores[:size], labels[:size]) for size in (SAMPLES, SAMPLES - 2)]

    def of_rank(backend: Any) -> Any:
        metric = mm.AUROC(dist_backend=backend, max_padding=1)
        store = metric._samples().stores()[0]
        store.backlog.block = 0
        for place in range(backend.rank, SAMPLES, 3):
            metric.add(scores[place : place + 1], labels[place : place + 1])
        found = metric.compute()
        [run] = store._folded["scores"]
        assert 0 < store.waiting < 8
        assert store.part(None).folded["scores"][0] is run
        assert run.settled
        return found, metric.compute(size=SAMPLES - 2)

    world = LocalWorld(3)
    assert world.run(of_rank) == [tuple(expected)] * 3
    assert world.calls[0]["gather_bytes"] == 0


class SomePoints(mm.AUROC):
    """A metric of a user's own, which looks at more than the area."""

    def compute_metric(self, results: Any) -> dict[str, Any]:
        """Return the area, and the highest true positive rate without false positives."""
        [ranking] = self.scores.rankings(results)
        _, fpr, tpr = ranking.rates()
        return super().compute_metric(results) | {"tpr": float(tpr[fpr == 0].max())}


def test_a_subclass_that_looks_at_more_is_given_all_scores() -> None:
    """What its base asks for is not enough for it."""
    columns = normal(np.random.default_rng(0), SAMPLES), np.arange(SAMPLES) % 2
    world = on_ranks(SomePoints, split(columns, 3, False))

    assert world.found == [SomePoints()(*columns)] * 3  # type: ignore[attr-defined]
    assert world.calls[0]["all_to_all_pieces"] == 0


# Where each step of a rank's own work can break: what is replaced there.
STEPS: dict[str, tuple[Any, str]] = {
    "sorted": (score_lists, "ascending_runs"),
    "converted": (score_lists, "converted"),
    "without weights": (score_shares, "scores_of"),
    "probed": (shares, "_counts"),
    "counted": (score_shares, "_from_cuts"),
    "packed": (partition, "_packed"),
    "received": (rounds, "_room_for"),
    "ranked": (score_shares.Ranking, "doubled_pairs"),
}


@pytest.mark.parametrize("step", STEPS)
def test_a_rank_that_fails_in_any_step_is_heard(step: str) -> None:
    """Every rank raises at once, nothing is lost, and the next compute is right."""
    rng = np.random.default_rng(0)
    scores, labels = normal(rng, SAMPLES), rng.integers(0, 2, SAMPLES)

    def construct(backend: Any) -> mm.AUROC:
        metric = mm.AUROC(dist_backend=backend)
        metric.add(scores[backend.rank :: 3], labels[backend.rank :: 3])
        return metric

    found = check_failure_is_heard(STEPS[step], construct)
    assert found == [mm.AUROC()(scores, labels)] * 3


def test_widths_that_differ_are_an_error_everywhere() -> None:
    """Scores for two classes on one rank and for three on another."""

    def of_rank(backend: Any) -> Any:
        metric = mm.AUROC("multiclass", dist_backend=backend)
        metric.add(np.random.default_rng(0).random((9, 2 + backend.rank)), [0, 1] * 4 + [0])
        return metric.compute()

    for error in errors_of(LocalWorld(2), of_rank):
        assert isinstance(error, ValueError)
        assert "same number of classes" in str(error)


@pytest.mark.filterwarnings("ignore:.*no samples were added")
@pytest.mark.parametrize("name", ["auroc", "classes", "roc"])
def test_no_sample_on_any_rank(name: str) -> None:
    """Where `size=0` drops all samples the value is that of none, on every rank."""
    labels, make = np.array([1, 0]), partial(mm.AUROC, max_padding=2)
    if name == "classes":  # so many as the scores have: nobody knows how many that would be
        make = partial(mm.AUROC, "multiclass", average=None, max_padding=2)
    if name == "roc":
        make = partial(mm.ROC, max_points=9, max_padding=2)
    scores = np.eye(3)[:2] if name == "classes" else np.array([0.5, 0.25])
    world = on_ranks(make, [(scores, labels)] * 2, size=0)
    alone = make(dist_backend="non_dist")
    alone.add(scores[:0], labels[:0])
    expected = alone.compute()
    assert all(same(value, expected) for value in world.found)  # type: ignore[attr-defined]
