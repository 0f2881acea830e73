"""However scores arrive, in order or not, in one block or many: the areas are the same bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

from mmeval_like import AUROC, ROC, AveragePrecision, PrecisionRecallCurve
from mmeval_like._core.metric import BaseMetric
from mmeval_like.metrics.curves import score_lists
from mmeval_like.testing import LocalWorld
from mmeval_like.testing.same import same

SAMPLES = 240


def data(seed: int, weighted: bool, rare: bool) -> tuple[np.ndarray, ...]:
    """Logits of both signs, many of them equal, labels, and perhaps weights of any size."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(SAMPLES) < (0.04 if rare else 0.5)).astype(int)
    truth[0] = 1
    scores = np.round(rng.normal(truth - 0.5, 1.5), 1)
    if not weighted:
        return scores, truth
    return scores, truth, rng.random(SAMPLES) * 10.0 ** rng.integers(-50, 55, SAMPLES)


# How the samples come: each is a function of the scores that returns an order.
ORDERS = {
    "as drawn": lambda scores: np.arange(len(scores)),
    "ascending": lambda scores: np.argsort(scores, kind="stable"),
    "descending": lambda scores: np.argsort(-scores, kind="stable"),
    "first third ascending": lambda scores: np.concatenate(
        [np.argsort(scores[:80], kind="stable"), np.arange(80, len(scores))]
    ),
    "every third ascending": lambda scores: np.concatenate(
        [start + np.argsort(scores[start : start + 80]) for start in range(0, len(scores), 80)]
    ),
    "last third ascending": lambda scores: np.concatenate(
        [np.arange(160), 160 + np.argsort(scores[160:], kind="stable")]
    ),
}
METRICS = {"auroc": AUROC, "ap": AveragePrecision, "roc": ROC, "curve": PrecisionRecallCurve}


def evaluate(
    name: str, columns: tuple[np.ndarray, ...], block: int | None, batch: int, backend: Any
) -> Any:
    """The metric of this rank's samples; after so many bytes of rows they fold."""
    metric: BaseMetric = METRICS[name](use_sample_weight=len(columns) == 3, dist_backend=backend)
    if block is not None:
        store = metric._samples().stores()[0]
        store.backlog.block = block
        store.max_padding = 1
    rank, ranks = backend.rank, backend.world_size
    shard = np.arange(rank, len(columns[0]), ranks)
    for start in range(0, len(shard), batch):
        metric.add(*(column[shard[start : start + batch]] for column in columns))
    return metric.compute(size=len(columns[0]) if ranks > 1 else None)


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("block", [None, 0, 700])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", METRICS)
def test_every_way_in_gives_the_same_bits(
    name: str, weighted: bool, order: str, block: int | None, ranks: int
) -> None:
    """Runs that are sorted already, all, some or none, and of any length, are merged rightly."""
    for seed, rare in ((0, False), (1, True)):
        columns = data(seed, weighted, rare)
        [expected] = LocalWorld(1).run(lambda b, c=columns: evaluate(name, c, None, SAMPLES, b))
        places = ORDERS[order](columns[0])
        arranged = tuple(column[places] for column in columns)

        for value in LocalWorld(ranks).run(
            lambda b, c=arranged: evaluate(name, c, block, 10 if block else 80, b)
        ):
            assert same(value, expected)


@pytest.mark.parametrize("dtypes", [("f2", "f4"), ("f4", "f8"), ("f8", "f4"), ("f2", "f8", "i8")])
def test_dtypes_that_differ_by_batch(dtypes: tuple[str, ...]) -> None:
    """Batches of mixed dtypes, in any order, give what their widest dtype gives."""
    scores, truth = data(0, False, False)
    scores = np.round(scores)  # whole numbers: of the same value in every dtype
    expected = AUROC()(scores, truth)
    for order in ORDERS.values():
        metric, places = AUROC(), order(scores)
        for index, part in enumerate(np.array_split(places, 2 * len(dtypes))):
            metric.add(scores[part].astype(dtypes[index % len(dtypes)]), truth[part])
        assert metric.compute() == expected


@given(
    st.lists(
        st.lists(st.sampled_from([-2.0, -1.0, 0.0, 0.5, 1.0]), min_size=1, max_size=4),
        min_size=1,
        max_size=5,
    ),
    st.booleans(),
)
def test_runs_ascend(parts: list[list[float]], weighted: bool) -> None:
    """What a group of runs becomes is ascending runs of the same numbers."""
    runs = [np.array(part, complex if weighted else float) for part in parts]
    found = score_lists._sorted_runs(runs)

    assert all((run[1:] >= run[:-1]).all() for run in found)
    assert np.array_equal(np.sort(np.concatenate(found)), np.sort(np.concatenate(runs)))


@pytest.mark.parametrize("magnitude", [1.0, 1e-45, 1e45])
@pytest.mark.parametrize("seed", range(20))
def test_weighted_areas_equal_scikit_learn(seed: int, magnitude: float) -> None:
    """Weights of very different and of extreme size, equal scores of both signs."""
    rng = np.random.default_rng(seed)
    truth = np.append(rng.integers(0, 2, 60), [0, 1])
    scores = np.round(rng.normal(truth, 1.0), 1)
    weights = rng.random(62) * 10.0 ** rng.integers(-5, 5, 62)
    area = AUROC(use_sample_weight=True)(scores, truth, weights * magnitude)["auroc"]
    precision = AveragePrecision(use_sample_weight=True)(scores, truth, weights * magnitude)["mAP"]

    assert area == pytest.approx(roc_auc_score(truth, scores, sample_weight=weights), rel=1e-12)
    expected = 100 * average_precision_score(truth, scores, sample_weight=weights)
    assert precision == pytest.approx(expected, abs=1e-4)
