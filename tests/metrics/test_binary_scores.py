"""Binary scores (N,) in one collection of all metrics that take two classes."""

import numpy as np
import pytest

import mmeval_like as mm
from tests.helpers.optional import requires

BINARY = {"num_classes": 2, "task": "binary"}
RNG = np.random.default_rng(7)
SCORES = RNG.random(400)
LABELS = (RNG.random(400) < SCORES).astype(int)


def test_one_collection_takes_binary_scores():
    """Its numbers are scikit-learn's of the decisions, and of the scores for AUROC."""
    metrics = requires("sklearn.metrics")
    decided = SCORES >= 0.5
    every = mm.MetricCollection(
        [
            mm.Accuracy(task="binary"),
            mm.ConfusionMatrix(**BINARY),
            mm.CohenKappa(**BINARY),
            mm.MatthewsCorrCoef(**BINARY),
            mm.AUROC(),
            mm.FBetaScore(),
            mm.Precision(),
        ]
    )

    every.add(SCORES, LABELS)

    expected = {
        "Accuracy_top1": metrics.accuracy_score(LABELS, decided),
        "CohenKappa_kappa": metrics.cohen_kappa_score(LABELS, decided),
        "MatthewsCorrCoef_mcc": metrics.matthews_corrcoef(LABELS, decided),
        "AUROC_auroc": metrics.roc_auc_score(LABELS, SCORES),
        "FBetaScore_fbeta": metrics.f1_score(LABELS, decided),
        "Precision_precision": metrics.precision_score(LABELS, decided),
    }
    found = every.compute()
    assert {key: found.flat()[key] for key in expected} == pytest.approx(expected)
    matrix = metrics.confusion_matrix(LABELS, decided)
    assert np.array_equal(found["ConfusionMatrix"]["confusion_matrix"], matrix)


def test_binary_accuracy():
    """Of scores, decisions and logits with a threshold, many positions and averages."""
    metrics = requires("sklearn.metrics")
    decided = SCORES >= 0.5
    wanted = mm.Accuracy()(decided.astype(int), LABELS)

    assert mm.Accuracy(task="binary")(SCORES, LABELS) == wanted
    assert mm.Accuracy(task="binary")(decided, LABELS) == wanted
    assert mm.Accuracy(task="binary", threshold=0)(SCORES - 0.5, LABELS) == wanted
    many = mm.Accuracy(task="binary", num_classes=2)
    assert many(SCORES.reshape(40, 10), LABELS.reshape(40, 10)) == wanted
    macro = mm.Accuracy(task="binary", num_classes=2, average="macro")(SCORES, LABELS)
    assert macro["top1"] == pytest.approx(metrics.balanced_accuracy_score(LABELS, decided))


@pytest.mark.parametrize(
    ("options", "inputs", "message"),
    [
        ({"task": "binary"}, (3 * SCORES, LABELS), r"must be in \[0, 1\]"),
        (
            {"task": "binary"},
            (np.stack([SCORES, SCORES], 1), LABELS),
            r"got shape \(400, 2\): pass predictions\[:, 1\]",
        ),
        ({"task": "binary"}, ([2], [1]), r"must be in \[0, 2\)"),
        ({"task": "binary", "topk": 2}, (SCORES, LABELS), "topk, thrs and num_classes do not"),
        ({"task": "multilabel"}, (SCORES, LABELS), "task must be one of"),
        ({"threshold": 0.3}, (SCORES, LABELS), "threshold applies to task="),
    ],
)
def test_what_is_no_binary_task(options, inputs, message):
    """Logits without a threshold, other shapes, other classes and options of several classes."""
    with pytest.raises(ValueError, match=message):
        mm.Accuracy(**options)(*inputs)


def test_scores_without_a_task_name_it():
    """Metrics that take `task="binary"` say so of scores (N,)."""
    for metric in (mm.Accuracy(), mm.CohenKappa(2), mm.ConfusionMatrix(2), mm.MatthewsCorrCoef(2)):
        with pytest.raises(TypeError, match='task="binary"'):
            metric.add(SCORES, LABELS)


@pytest.mark.parametrize(
    "other",
    [
        mm.Precision(task="multiclass", num_classes=3, top_k=2),
        mm.ConfusionMatrix(3, ignore_index=2),
    ],
)
def test_accuracy_follows_from_equal_counts_only(other):
    """A member that counts the label among the best two, or no label of a class, counts others."""
    scores, labels = RNG.random((200, 3)), RNG.integers(0, 3, 200)
    both = mm.MetricCollection({"accuracy": mm.Accuracy(thrs=None), "other": other})

    both.add(scores, labels)

    assert both.compute()["accuracy"] == mm.Accuracy(thrs=None)(scores, labels)
