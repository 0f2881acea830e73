"""Metrics of classes: what counts of ignored labels, positions and ties, and what is refused."""

import math
from typing import Any

import numpy as np
import pytest
from sklearn import metrics as sk

from mmeval_like import Precision, StatScores, SubsetAccuracy
from tests.metrics.decisions import SAMPLES, SIZE, TASKS, make, tables
from tests.metrics.test_class_metrics import FORMULAS


def test_ignored_positions_do_not_count() -> None:
    """Of any label that means "ignore", every metric is that of the other samples."""
    rng = np.random.default_rng(0)
    for task in TASKS:
        scores, labels = SAMPLES[task](rng, 60)
        labels = labels.astype(int)
        if task == "multilabel":
            out = rng.random(labels.shape) < 0.3
            table = tables("binary", scores[~out].reshape(-1), labels[~out].reshape(-1))
            pooled = make("StatScores", task, ignore_index=-7)
            found = pooled(scores, np.where(out, -7, labels))
            assert [found[k] for k in ("tn", "fp", "fn", "tp")] == table[:, 0].tolist()
            continue
        out = rng.random(60) < 0.3
        for name in [*FORMULAS, "BalancedAccuracy", "SubsetAccuracy", "ClassificationReport"]:
            metric = make(name, task, ignore_index=-7)
            kept = make(name, task)(scores[~out], labels[~out])
            assert metric(scores, np.where(out, -7, labels)) == kept


@pytest.mark.parametrize("task", TASKS)
def test_many_positions_count_as_many_samples(task: str) -> None:
    """Pixels or tokens: the counts are those of the flattened samples, in any form."""
    rng = np.random.default_rng(2)
    flat_scores, flat_labels = SAMPLES[task](rng, 4 * 6)
    axes = flat_scores.shape[1:]
    scores = np.moveaxis(flat_scores.reshape(4, 2, 3, *axes), (1, 2), (-2, -1))
    inner = flat_labels.shape[1:]
    labels = np.moveaxis(flat_labels.reshape(4, 2, 3, *inner), (1, 2), (-2, -1))
    for name in ("FBetaScore", "StatScores"):
        expected = make(name, task)(flat_scores, flat_labels)

        assert make(name, task)(scores, labels) == expected
        if task != "multilabel":
            assert make(name, task)([*scores], [*labels]) == expected
            ragged = [scores[0], scores[1][..., :2], scores[1][..., 2:], *scores[2:]]
            truths = [labels[0], labels[1][..., :2], labels[1][..., 2:], *labels[2:]]
            assert make(name, task)(ragged, truths) == expected


def test_a_sample_is_right_if_all_its_positions_are() -> None:
    """Ignored positions are none of them; a sample without others is left out."""
    metric = SubsetAccuracy(task="multiclass", num_classes=3, ignore_index=-1)
    metric.add([[0, 1], [1, 2], [2, 2]], [[0, 1], [1, 0], [-1, -1]])
    metric.add([[0, 2]], [[0, -1]])

    assert metric.compute() == {"subset_accuracy": 2 / 3}
    lists = SubsetAccuracy(task="multiclass", num_classes=3)
    assert lists([[0, 1], [1]], [[0, 1], [2]]) == {"subset_accuracy": 0.5}


@pytest.mark.parametrize("top_k", [1, 2, 3])
def test_top_k(top_k: int) -> None:
    """A label among the k best is a hit; else the best class is what was predicted."""
    rng = np.random.default_rng(3)
    scores, labels = (
        rng.permuted(np.tile(np.arange(SIZE), (50, 1)), axis=1),
        rng.integers(0, SIZE, 50),
    )
    hits = sk.top_k_accuracy_score(labels, scores, k=top_k, normalize=False, labels=range(SIZE))
    order = np.argsort(-scores, axis=1)[:, :top_k]
    decided = np.where((order == labels[:, None]).any(1), labels, order[:, 0])

    assert (
        StatScores(task="multiclass", num_classes=SIZE, top_k=top_k)(scores, labels)["tp"] == hits
    )
    found = Precision(task="multiclass", num_classes=SIZE, top_k=top_k)(scores, labels)
    assert found["precision"] == pytest.approx(sk.precision_score(labels, decided, average="macro"))


def test_thresholds_are_reached_not_passed() -> None:
    """A score equal to the threshold is positive, in the scores' own width; labels are labels."""
    for dtype in (np.float16, np.float32, np.float64):
        scores = np.array([0.3, 0.2], dtype)
        assert StatScores(threshold=0.3)(scores, [1, 1])["tp"] == 1
    assert StatScores(threshold=0.7)([1, 0], [1, 1])["tp"] == 1  # integers are labels
    assert StatScores(threshold=-1.0)([-0.5, -2.0], [1, 1])["tp"] == 1


BAD_INPUTS = [
    ({}, ([0.5], [2]), ValueError, r"labels must be in \[0, 2\), got 2"),
    ({}, ([math.nan], [1]), ValueError, "nan"),
    ({}, ([[0.5, 0.5]], [1]), ValueError, "predictions"),
    ({}, ([2], [1]), ValueError, "predictions must be in"),
    ({}, ([0.5, 0.5], [1]), ValueError, "same length"),
    ({}, ([0.5], [1], [1.0]), ValueError, "use_sample_weight"),
    ({"use_sample_weight": True}, ([[0.5, 0.5]], [[1, 0]], [1.0]), ValueError, "one position"),
    ({"task": "multilabel"}, ([[0.5] * 3], [[1] * 3]), ValueError, r"shape \(N, 4, ...\)"),
    ({"task": "multilabel"}, ([[0.5] * 4], [[2] * 4]), ValueError, "labels must be in"),
    ({"task": "multilabel"}, ([[2] * 4], [[1] * 4]), ValueError, "predictions must be in"),
    ({"task": "multilabel"}, ([[0.5] * 4], [[0.5] * 4]), TypeError, "labels must be integers"),
    ({"task": "multiclass"}, ([4], [1]), ValueError, "predictions must be in"),
    ({"task": "multiclass"}, ([[0, 1]], [[0, 1, 2]]), ValueError, "labels' shape"),
    ({"task": "multiclass", "top_k": 2}, ([1], [1]), ValueError, "top_k=2 needs scores"),
    ({"task": "multiclass"}, (["a"], [1]), TypeError, "predictions"),
]


@pytest.mark.parametrize(("options", "batch", "error", "text"), BAD_INPUTS)
def test_bad_inputs(options: Any, batch: Any, error: type[Exception], text: str) -> None:
    """What does not fit the task is refused, and loses nothing."""
    task = options.get("task", "binary")
    metric = make("JaccardIndex", **{"task": task} | options)
    with pytest.raises(error, match=text):
        metric.add(*batch)

    assert metric._samples().stores()[0].count == 0
