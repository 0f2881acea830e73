"""Scores that are logits: an error or a warning where the number would be wrong."""

import warnings
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.arrays import accelerator
from tests.helpers import requires

CUTTING = [
    mm.Precision, mm.Recall, mm.FBetaScore, mm.Specificity, mm.JaccardIndex, mm.HammingDistance,
    mm.NegativePredictiveValue, mm.StatScores, mm.SubsetAccuracy,
]  # fmt: skip
LOGITS, LABELS = np.array([-2.0, 0.25, 3.0, -0.5]), np.array([0, 1, 1, 1])


def multilabel(values: np.ndarray) -> np.ndarray:
    """The values as those of two classes."""
    return np.stack([values, values[::-1]], axis=1)


@pytest.mark.parametrize("kind", CUTTING)
@pytest.mark.parametrize("task", ["binary", "multilabel"])
def test_logits_need_a_threshold(kind: Any, task: str) -> None:
    """They are an error, and nothing is added; with threshold=0 they count as their sigmoids."""
    options = {"task": task} | ({"num_classes": 2} if task == "multilabel" else {})
    if task not in kind.tasks:
        pytest.skip("the metric has no such task")
    shaped = multilabel if task == "multilabel" else lambda values: values
    metric = kind(**options)
    with pytest.raises(ValueError, match=r"in \[0, 1\], got -?[23].0 at.*sigmoid.*threshold=0"):
        metric.add(shaped(LOGITS), shaped(LABELS))

    assert "0 samples" in repr(metric)
    found = kind(**options, threshold=0)(shaped(LOGITS), shaped(LABELS))
    sure = kind(**options)(shaped(1 / (1 + np.exp(-LOGITS))), shaped(LABELS))
    np.testing.assert_equal(dict(found), dict(sure))


@pytest.mark.parametrize(
    "metric",
    [mm.ConfusionMatrix(2, task="binary"), mm.MatthewsCorrCoef(2, task="binary")],
)
def test_logits_of_other_counts(metric: Any) -> None:
    """What has a threshold by a task is as strict."""
    with pytest.raises(ValueError, match="sigmoid"):
        metric(LOGITS, LABELS)


def test_logits_of_groups() -> None:
    """Fairness decides by the same cut."""
    with pytest.raises(ValueError, match="sigmoid"):
        mm.Fairness(2)(LOGITS, LABELS, [0, 1, 0, 1])


@pytest.mark.parametrize("score", [-0.01, 1.01, np.inf, -np.inf])
def test_a_threshold_that_was_given(score: float) -> None:
    """0.5 that was asked for cuts any score; classes and probabilities need no threshold."""
    assert mm.Recall(threshold=0.5)([score, 0.5], [1, 1])["recall"] in (0.5, 1.0)
    with pytest.raises(ValueError, match=r"\[0, 1\]"):
        mm.Recall()([score, 0.5], [1, 1])
    assert mm.Recall()([0.0, 1.0], [1, 1]) == mm.Recall()([0, 1], [1, 1]) == {"recall": 0.5}


def test_scores_that_do_not_count() -> None:
    """The score of an ignored label may be any number."""
    assert mm.Recall(ignore_index=-1)([-9.0, 0.7], [-1, 1]) == {"recall": 1.0}
    found = mm.Recall(task="multilabel", num_classes=1, ignore_index=-1)(
        [[-9.0], [0.7]], [[-1], [1]]
    )
    assert found == {"recall": 1.0}


@pytest.mark.parametrize(
    "kind", [mm.AUROC, mm.AveragePrecision, mm.ROC, mm.PrecisionRecallCurve, mm.DETCurve]
)
def test_multiclass_logits_warn_once(kind: Any) -> None:
    """Rows that are no distributions are warned of in the first batch, others never."""
    logits = np.random.default_rng(1).normal(size=(30, 3))
    labels = np.arange(30) % 3
    metric = kind(task="multiclass", num_classes=3)
    with pytest.warns(UserWarning, match=r"softmax\(logits\)"):
        metric.add(logits, labels)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        metric.add(logits, labels)
        likely = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        kind(task="multiclass", num_classes=3).add(likely.astype(np.float16), labels)
        kind().add(logits[:, 0], labels % 2)
        kind(task="multilabel", num_classes=3).add(logits, labels[:, None] == np.arange(3))


def test_perplexity_of_probabilities_warns_once() -> None:
    """Rows in [0, 1] that add up to 1 are taken for logits, with a warning."""
    likely = np.full((2, 3, 4), 0.25)
    targets = np.zeros((2, 3), int)
    metric = mm.Perplexity()
    with pytest.warns(UserWarning, match="Perplexity takes their softmax"):
        metric.add(likely, targets)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        metric.add(likely, targets)
        mm.Perplexity().add(np.log(likely), targets)
        mm.Perplexity().add(likely * 2, targets)


def likely(logits: np.ndarray) -> np.ndarray:
    """The distributions of rows of logits."""
    shares: np.ndarray = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    return shares


def test_logits_in_a_later_batch_warn() -> None:
    """Batches without samples that count, and batches of distributions, say nothing of the next."""
    logits = np.random.default_rng(2).normal(size=(30, 3))
    labels = np.arange(30) % 3
    for first, truth in ((likely(logits), labels), (logits, np.full(30, -1))):
        metric = mm.AUROC(task="multiclass", num_classes=3, ignore_index=-1)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            metric.add(first, truth)
        with pytest.warns(UserWarning, match=r"softmax\(logits\)"):
            metric.add(logits, labels)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            metric.add(logits, labels)


@pytest.mark.parametrize("kind", [list, np.asarray])
def test_logits_of_one_label_each_warn_without_a_task(kind: Any) -> None:
    """Class indices say that a sample has one label; sets of labels and shares do not warn."""
    logits = np.random.default_rng(3).normal(size=(30, 3))
    labels = kind(np.arange(30) % 3)
    with pytest.warns(UserWarning, match=r"softmax\(logits\)"):
        mm.AveragePrecision().add(logits, labels)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mm.AveragePrecision().add(likely(logits), labels)
        mm.AveragePrecision().add(1 / (1 + np.exp(-logits)), labels)
        mm.AveragePrecision().add(logits, np.eye(3, dtype=int)[labels])
        mm.AveragePrecision().add(logits, [[label] for label in labels])


ONE_HOT = np.eye(3, dtype=int)[[0, 1, 2, 1]], np.eye(3, dtype=int)[[0, 2, 2, 1]]
COUNTING = [
    mm.Accuracy(num_classes=3, average="macro"),
    mm.ConfusionMatrix(3),
    mm.CohenKappa(3),
    mm.MatthewsCorrCoef(3),
    mm.Precision(task="multiclass", num_classes=3),
    mm.SingleLabelPrecisionRecallF1score(num_classes=3),
]


@pytest.mark.parametrize("metric", COUNTING, ids=lambda one: type(one).__name__)
def test_one_hot_rows_warn(metric: Any) -> None:
    """Each of their numbers would count as a class; other numbers of positions do not warn."""
    predictions, labels = ONE_HOT
    for kind in (np.asarray, np.float32, np.ndarray.tolist):
        with pytest.warns(UserWarning, match=r"labels.argmax\(1\)"):
            metric.add(kind(predictions), labels.tolist() if kind is np.ndarray.tolist else labels)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        metric.add(predictions.argmax(1), labels.argmax(1))
        metric.add(predictions[:, :2], labels[:, :2])
        metric.add(predictions, 1 - labels)
        metric.add(np.zeros((0, 3), int), np.zeros((0, 3), int))


def test_one_hot_rows_of_two_classes_warn() -> None:
    """A binary task would count each sample twice; a task of several labels and a subset do not."""
    labels = np.eye(2, dtype=int)[[0, 1, 1]]
    shares = np.array([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]])
    with pytest.warns(UserWarning, match=r"labels.argmax\(1\)"):
        mm.Precision().add(shares, labels)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mm.Precision(task="multilabel", num_classes=2).add(shares, labels)
        assert mm.SubsetAccuracy()(shares, labels) == {"subset_accuracy": 2 / 3}


def test_one_hot_rows_on_an_accelerator(monkeypatch: pytest.MonkeyPatch) -> None:
    """`compute` warns, since `add` does not wait for the device."""
    torch = requires("torch")
    monkeypatch.setattr(accelerator, "is_accelerator", lambda v: isinstance(v, torch.Tensor))
    for given, warns in ((ONE_HOT, 1), ((ONE_HOT[0], 1 - ONE_HOT[1]), 0)):
        metric = mm.ConfusionMatrix(3)
        metric.add(*map(torch.from_numpy, given))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            metric.compute()
        assert sum("argmax(1)" in str(one.message) for one in caught) == warns
