"""Errors about inputs of the wrong shape or kind: they name whole shapes and the likely cure."""

import re

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.metrics._common.shapes import check_same_shape

FOUR, COLUMN = np.ones(4), np.ones((4, 1))
MAPS = np.zeros((2, 4, 4), int)
LOGITS = np.zeros((2, 3, 4, 4))
SHARES = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]])
ONE_HOT = np.eye(3, dtype=bool)
LABELS = np.array([0, 1, 2])
MULTICLASS = {"task": "multiclass", "num_classes": 3}
FLAT = ": pass labels.reshape(-1)"

WRONG = [
    (mm.MeanSquaredError(), FOUR, COLUMN, "got (4,) and (4, 1): pass groundtruths[..., 0]"),
    (mm.MeanSquaredError(), COLUMN, FOUR, "got (4, 1) and (4,): pass predictions[..., 0]"),
    (mm.MeanSquaredError(), [FOUR], [COLUMN], " at index 0: pass groundtruths[0][..., 0]"),
    (mm.PeakSignalNoiseRatio(), MAPS, MAPS[:, 1:], "got (2, 4, 4) and (2, 3, 4)"),
    (
        mm.MeanIoU(num_classes=3),
        LOGITS,
        MAPS,
        "got (2, 3, 4, 4) and (2, 4, 4): if axis 1 of predictions holds the scores of classes, "
        "pass predictions.argmax(1)",
    ),
    (
        mm.MeanIoU(num_classes=3),
        [MAPS[0], LOGITS[0]],
        [*MAPS],
        "got (3, 4, 4) and (4, 4) at index 1: if axis 0 of predictions[1] holds the scores of "
        "classes, pass predictions[1].argmax(0)",
    ),
    (mm.F1Score(3), LOGITS, MAPS, "pass predictions.argmax(1)"),
    (mm.Precision(**MULTICLASS), SHARES, ONE_HOT, "got 0.7: if the labels are one-hot, pass"),
    (mm.AUROC(**MULTICLASS), SHARES, ONE_HOT, "pass labels.argmax(1), if they are one-hot"),
    (mm.LogLoss(), SHARES, ONE_HOT, "if the labels are one-hot, pass labels.argmax(1)"),
    (mm.Precision(**MULTICLASS), SHARES, LABELS[:, None], f"labels of shape (3, 1){FLAT}"),
    (mm.Accuracy(), SHARES, LABELS[:, None], f"labels must have shape (N,), got (3, 1){FLAT}"),
    (mm.Accuracy(), SHARES, ONE_HOT, "got (3, 3): pass labels.argmax(1)"),
    (mm.Accuracy(), LOGITS, MAPS, "such as tokens or pixels, pass num_classes=C"),
    (mm.BrierScore(), SHARES, LABELS[:, None], f"got (3, 3) and (3, 1){FLAT}"),
    (mm.AUROC(**MULTICLASS), SHARES, LABELS[:, None], f"got (3, 1){FLAT}"),
    (mm.SpearmanCorrCoef(), FOUR, COLUMN, f"labels must have shape (N,), got (4, 1){FLAT}"),
    (mm.Accuracy(), COLUMN, [1, 0, 1, 0], "pass predictions.reshape(-1)"),
    (mm.LogLoss(), COLUMN, [1, 0, 1, 0], "pass predictions.reshape(-1)"),
    (mm.Precision(), SHARES[:, :1], [1, 0, 1], "got shape (3, 1): pass predictions.reshape(-1)"),
    (mm.Precision(), SHARES[:, :2], [1, 0, 1], "got shape (3, 2): pass predictions[:, 1]"),
    (mm.BLEU(), {"a": "b"}, ["b"], "predictions must be a list of strings, got dict"),
]


@pytest.mark.parametrize(("metric", "predictions", "labels", "text"), WRONG)
def test_an_error_about_a_shape_names_the_cure(metric, predictions, labels, text):
    """It shows the shapes as given, not those of one sample, and what to pass instead."""
    with pytest.raises((ValueError, TypeError), match=re.escape(text)):
        metric(predictions, labels)


def test_the_cures_work():
    """What the errors advise is accepted."""
    assert mm.MeanIoU(num_classes=3)(LOGITS.argmax(1), MAPS)["mIoU"] == 1
    assert mm.AUROC(**MULTICLASS)(SHARES, ONE_HOT.argmax(1)) == {"auroc": 1}
    assert mm.Precision()(SHARES[:, 1], [0, 1, 0]) == {"precision": 1}
    assert mm.MeanSquaredError()(FOUR, COLUMN[..., 0]) == {"mse": 0}


def test_shapes_without_a_likely_cure_get_none():
    """Advice is given only where one axis too many explains the shapes."""
    with pytest.raises(ValueError, match=r"got \(2, 3\) and \(2, 4\)$"):
        check_same_shape("a", np.ones((2, 3)), "b", np.ones((2, 4)), classes=True)


def test_classes_without_a_task_are_named():
    """`num_classes` alone does not make a task multiclass, and the error says what does."""
    with pytest.raises(
        ValueError, match='must be 2 for task="binary", got 4: pass task="multiclass" or'
    ):
        mm.Precision(num_classes=4)
