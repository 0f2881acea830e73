"""Curves at a chosen number of points that the ranks find by counting: those of one process."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like._exchange.dealing import shares
from mmeval_like.metrics.curves import curve_metrics, score_lists, thinned_curves
from mmeval_like.testing import LocalWorld
from mmeval_like.testing.same import same
from tests.helpers.dealing import check_failure_is_heard, deal_everything
from tests.metrics.test_dealt_scores import CLASSES, SAMPLES, SCORES, labels_of, on_ranks, split
from tests.metrics.test_thinned_curves import CURVES, TASKS


@pytest.fixture(autouse=True)
def _all_are_dealt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of any size are dealt: none fits into a slot."""
    deal_everything(monkeypatch)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", SCORES)
@pytest.mark.parametrize("task", TASKS)
def test_ranks_that_count_find_the_same(task: str, kind: str) -> None:
    """Any scores, ranks and split: `==` to one process, and no score leaves its rank."""
    rng = np.random.default_rng(4)
    options = TASKS[task]
    labels = labels_of(rng, options["task"])
    scores = SCORES[kind](rng, SAMPLES if task == "binary" else (SAMPLES, CLASSES))
    curve = [*CURVES.values()][len(kind) % 4]
    make = partial(curve, max_points=9, **options)
    [expected] = on_ranks(make, [(scores, labels)]).found  # type: ignore[attr-defined]
    for ranks, skewed in ((2, False), (3, True), (5, False)):
        world = on_ranks(make, split((scores, labels), ranks, skewed))
        assert all(same(value, expected) for value in world.found)  # type: ignore[attr-defined]
        assert world.calls[0]["gather_bytes"] == 0
        assert world.calls[0]["all_to_all_pieces"] == 0


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("positive", [0, 1])
def test_labels_that_are_all_alike(positive: int) -> None:
    """The kind that is there has all points; rates of the other are nan."""
    scores, labels = np.random.default_rng(0).random(SAMPLES), np.full(SAMPLES, positive)
    make = partial(mm.ROC, max_points=9)
    [expected] = on_ranks(make, [(scores, labels)]).found  # type: ignore[attr-defined]
    found = on_ranks(make, split((scores, labels), 3, False)).found  # type: ignore[attr-defined]

    assert all(same(value, expected) for value in found)
    assert len(expected["thresholds"]) == 9


def test_dtypes_that_differ_by_rank() -> None:
    """Scores that are counted on one rank, float64 on another, nothing on the third."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, SAMPLES)
    scores, wide = np.round(rng.normal(labels, 1), 1).astype(np.float16), rng.random(SAMPLES)
    make = partial(mm.ROC, max_points=12)
    shards = [(scores, labels), (np.empty(0), np.empty(0, int)), (wide, labels)]
    expected = make()(np.concatenate([scores, wide]), np.tile(labels, 2))

    found = on_ranks(make, shards).found  # type: ignore[attr-defined]
    assert all(same(value, expected) for value in found)


def test_curves_and_areas_of_the_same_scores() -> None:
    """A collection deals what its members ask: areas, and curves of different numbers of points."""
    rng = np.random.default_rng(0)
    columns = rng.normal(size=SAMPLES).astype(np.float32), rng.integers(0, 2, SAMPLES)

    def make(**options: Any) -> mm.MetricCollection:
        members = {
            "auroc": mm.AUROC(),
            "ap": mm.AveragePrecision(percent=False),
            "roc": mm.ROC(max_points=9),
            "coarse": mm.DETCurve(max_points=5),
            "curve": mm.PrecisionRecallCurve(max_points=9),
        }
        return mm.MetricCollection(members, **options)

    [expected] = on_ranks(make, [columns]).found  # type: ignore[attr-defined]
    world = on_ranks(make, split(columns, 3, False))
    assert all(same(value, expected) for value in world.found)  # type: ignore[attr-defined]
    assert world.calls[0]["gather_bytes"] == 0


def test_whole_curves_are_gathered() -> None:
    """With the bits of one process."""
    rng = np.random.default_rng(0)
    columns = rng.normal(size=SAMPLES).astype(np.float32), rng.integers(0, 2, SAMPLES)
    world = on_ranks(mm.ROC, split(columns, 2, False))

    assert all(same(value, mm.ROC()(*columns)) for value in world.found)  # type: ignore[attr-defined]
    assert world.calls[0]["all_to_all_pieces"] == 0


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", SCORES)
@pytest.mark.parametrize("task", ["binary", "classes", "label sets together"])
def test_ranks_add_up_weights(task: str, kind: str) -> None:
    """Of any magnitude, also 0, and on ranks without samples: `==` to one process."""
    rng = np.random.default_rng(5)
    labels = labels_of(rng, TASKS[task]["task"])
    scores = SCORES[kind](rng, SAMPLES if task == "binary" else (SAMPLES, CLASSES))
    weights = rng.choice([0.0, 1e-60, 1e-3, 0.1, 1.0, 3.0, 1e17, 1e60], SAMPLES)
    columns = scores, labels, weights
    make = partial(mm.ROC, max_points=12, use_sample_weight=True, **TASKS[task])
    expected = make()(*columns)
    for ranks, owner in ((2, np.arange(SAMPLES) % 2), (3, np.arange(SAMPLES) % 7 // 6)):
        world = LocalWorld(ranks)

        def of_rank(backend: Any, owner: np.ndarray = owner) -> Any:
            metric = make(dist_backend=backend)
            if (here := owner == backend.rank).any():
                metric.add(*[column[here] for column in columns])
            return metric.compute()

        assert all(same(value, expected) for value in world.run(of_rank))
        assert world.calls[0]["gather_bytes"] == 0


@pytest.mark.parametrize("weighed", [11, 12])
def test_weights_at_many_thresholds_are_gathered(
    weighed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their exact sums would take more than the scores; the curve is the same either way."""
    monkeypatch.setattr(curve_metrics, "_WEIGHED", weighed)
    rng = np.random.default_rng(3)
    columns = rng.normal(size=SAMPLES), rng.integers(0, 2, SAMPLES), rng.random(SAMPLES)
    make = partial(mm.ROC, max_points=12, use_sample_weight=True)
    world = on_ranks(make, [tuple(c[r::2] for c in columns) for r in range(2)])  # type: ignore[misc]

    assert all(same(value, make()(*columns)) for value in world.found)  # type: ignore[attr-defined]
    assert (world.calls[0]["gather_bytes"] > 0) == (weighed < 12)


def test_a_thousand_points_take_few_rounds() -> None:
    """Whether scores are spread or crowded: a message for each 4 bits of their dtype, and five."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 40_000)
    for dtype, most in ((np.float32, 13), (np.float64, 21)):
        for scores in (rng.normal(size=40_000), 1 + rng.random(40_000) * 1e-3):
            columns = scores.astype(dtype), labels
            shards = [tuple(column[rank::2] for column in columns) for rank in range(2)]
            world = on_ranks(partial(mm.ROC, max_points=1000), shards)  # type: ignore[arg-type]
            assert world.calls[0]["all_reduce"] <= most


# Where each step of a rank's own work can break: what is replaced there.
STEPS: dict[str, tuple[Any, str]] = {
    "converted": (score_lists, "converted"),
    "ordered": (thinned_curves, "_Kind"),
    "probed": (shares, "_counts"),
    "counted": (thinned_curves._Kind, "below"),
}


@pytest.mark.parametrize("step", STEPS)
def test_a_rank_that_fails_in_any_step_is_heard(step: str) -> None:
    """Every rank raises at once, nothing is lost, and the next compute is right."""
    rng = np.random.default_rng(0)
    scores, labels = rng.normal(size=SAMPLES), rng.integers(0, 2, SAMPLES)

    def construct(backend: Any) -> mm.ROC:
        metric = mm.ROC(max_points=9, dist_backend=backend)
        metric.add(scores[backend.rank :: 3], labels[backend.rank :: 3])
        return metric

    expected = mm.ROC(max_points=9)(scores, labels)
    assert all(same(one, expected) for one in check_failure_is_heard(STEPS[step], construct))
