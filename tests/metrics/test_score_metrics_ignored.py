"""Metrics of scores leave out what is ignored: samples, classes, and bounds of their bins."""

import math
from functools import partial

import numpy as np
import pytest

from mmeval_like import AUROC, ROC, AveragePrecision, DETCurve, EqualErrorRate, PrecisionRecallCurve
from tests.metrics import classes
from tests.metrics.test_score_metrics import MAKE, SIZE, both


@pytest.mark.parametrize("name", [*MAKE, "AUROC", "AveragePrecision"])
def test_ignored_samples_do_not_count(name: str) -> None:
    """The value is that of the others, exact and binned, for every task."""
    make = MAKE | {
        "AUROC": AUROC,
        "AveragePrecision": partial(AveragePrecision, percent=False),
    }
    rng = np.random.default_rng(1)
    for bins in (None, 16):
        scores, labels = both(rng, 80)
        out = rng.random(80) < 0.3
        holes = np.where(out, -1, labels)
        one = make[name](task="binary", bins=bins, ignore_index=-1)(scores, holes)
        assert one == make[name](task="binary", bins=bins)(scores[~out], labels[~out])

        scores, labels = classes.probabilities(rng, 80)
        holes = np.where(out, -1, labels.astype(int))
        options = {"task": "multiclass", "num_classes": SIZE, "bins": bins}
        many = make[name](ignore_index=-1, **options)(scores, holes)
        assert many == make[name](**options)(scores[~out], labels[~out])

        scores, sets = classes.label_sets(rng, 80)
        options["task"] = "multilabel"
        holes = np.where(rng.random(sets.shape) < 0.3, -1, sets.astype(int))
        listed = make[name](average=None, ignore_index=-1, **options)(scores, holes)
        for c in range(SIZE):
            kept = holes[:, c] >= 0
            one = make[name](task="binary", bins=bins)(scores[kept, c], sets[kept, c])
            key = next(iter(one))
            listed_key = "AP_classwise" if name == "AveragePrecision" else f"{key}_classwise"
            assert listed[listed_key][c] == one[key]


def test_an_ignored_class_leaves_the_mean() -> None:
    """Its samples do not count, and it has no value of its own."""
    rng = np.random.default_rng(2)
    scores, labels = classes.probabilities(rng, 80)
    kept = labels != 1
    for make, key in ((AUROC, "auroc"), (EqualErrorRate, "eer"),
                      (partial(AveragePrecision, percent=False), "AP")):  # fmt: skip
        listed = make(task="multiclass", num_classes=SIZE, average=None, ignore_index=1)
        values = listed(scores, labels)[f"{key}_classwise"]
        expected = make(task="multiclass", num_classes=SIZE, average=None)(
            scores[kept], labels[kept]
        )
        assert math.isnan(values[1])
        others = [0, 2, 3]
        assert [values[c] for c in others] == [expected[f"{key}_classwise"][c] for c in others]


def test_an_ignored_label_need_not_be_a_class() -> None:
    """A label above the classes is left out like -1, whether or not their number is given."""
    rng = np.random.default_rng(5)
    scores, labels = classes.probabilities(rng, 80)
    labels = labels.astype(int)
    out = rng.random(80) < 0.3
    pooled = {"AUROC": partial(AUROC, average="micro"), "pairs": partial(AUROC, multi_class="ovo")}
    for name, make in {**MAKE, **pooled, "AveragePrecision": AveragePrecision}.items():
        for bins in (None, 16) if name != "pairs" else (None,):
            options = {"task": "multiclass", "num_classes": SIZE, "bins": bins}
            high, low = (
                make(ignore_index=ignored, **options)(scores, np.where(out, ignored, labels))
                for ignored in (200, -1)
            )
            assert high == low, name


def test_the_bound_is_that_of_the_classes_of_the_mean() -> None:
    """A class that leaves the mean of average precisions leaves the mean of their bounds."""
    rng = np.random.default_rng(6)
    scores, labels = classes.probabilities(rng, 80)
    kept = labels != 1
    options = {"task": "multiclass", "num_classes": SIZE, "bins": 4, "percent": False}
    others = AveragePrecision(average=None, **options)(scores[kept], labels[kept])
    bounds = np.delete(others["AP_error_bound_classwise"], 1)

    ignored = AveragePrecision(ignore_index=1, **options)
    assert ignored(scores, labels)["mAP_error_bound"] == pytest.approx(bounds.mean())
    left_out = AveragePrecision(zero_division=math.nan, **options)
    with pytest.warns(RuntimeWarning, match="left out|undefined"):
        found = left_out(scores[kept], labels[kept])
    assert found["mAP_error_bound"] == pytest.approx(bounds.mean())


def test_curves_with_ignored_samples() -> None:
    """ROC and precision-recall curves are those of the others."""
    scores, labels = both(np.random.default_rng(3), 40)
    out = np.arange(40) % 3 == 2
    for cls in (ROC, PrecisionRecallCurve, DETCurve):
        found = cls(ignore_index=-1)(scores, np.where(out, -1, labels))
        expected = cls()(scores[~out], labels[~out])
        assert all(np.array_equal(found[name], expected[name]) for name in expected)


@pytest.mark.parametrize("task", ["binary", "multiclass", "multilabel"])
@pytest.mark.parametrize("bins", [None, 10])
def test_an_empty_batch_with_a_label_that_is_ignored(task: str, bins: int | None) -> None:
    """It is none, as without such a label: the rank that has no samples of a short dataset."""
    number = None if task == "binary" else 3
    scores = np.array([0.1, 0.7, 0.9]) if number is None else np.eye(3)
    labels = np.eye(3, dtype=int) if task == "multilabel" else np.array([0, 1, 1])
    metric = AUROC(task, number, bins=bins, average="micro", ignore_index=-1)
    metric.add(scores[:0], labels[:0])
    metric.add(scores, labels)

    found = metric.compute()
    assert found == AUROC(task, number, bins=bins, average="micro")(scores, labels)
