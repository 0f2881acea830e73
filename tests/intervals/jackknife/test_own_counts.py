"""The number of one class is as sure as a share of this class's own samples."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like._intervals.transforms import wilson

pytestmark = pytest.mark.filterwarnings("ignore:intervals that promise less", "ignore:.*undefined")

Make = Callable[[int], mm.BaseMetric]  # given the number of classes
COUNT = 1600  # samples: of 60 classes more kinds than are left out one by one


def of(name: str, **options: Any) -> Make:
    """A metric of every class."""
    asked = {"average": None, "interval": 0.95} | options
    return lambda size: getattr(mm, name)(task="multiclass", num_classes=size, **asked)


RECALLS: dict[str, Make] = {
    "recall": of("Recall"),
    "accuracy": lambda size: mm.Accuracy(num_classes=size, average=None, interval=0.95),
    "percent": lambda size: mm.SingleLabelPrecisionRecallF1score(
        num_classes=size, average=None, items=["recall"], interval=0.95
    ),
}
METRICS = RECALLS | {
    "precision": of("Precision"),
    "f1": of("FBetaScore"),
    "f2": of("FBetaScore", beta=2),
    "jaccard": of("JaccardIndex"),
    "missed": of("FalseNegativeRate"),
}


def drawn(own: int, hits: int, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Predictions and labels: class 0 has `own` of each, and so many of them are hits."""
    rng = np.random.default_rng(size)
    predictions, labels = rng.integers(1, size, (2, COUNT))
    labels[:own] = 0
    predictions[own - hits : 2 * own - hits] = 0
    return predictions, labels


def of_class(metric: mm.BaseMetric, *batch: Any, clusters: Any = None) -> Any:
    """The interval of class 0, as a share of the range."""
    metric.add(*batch, clusters=clusters)
    metric.compute()
    [found] = metric.intervals.values()
    return found[0]


@pytest.mark.parametrize("name", RECALLS)
@pytest.mark.parametrize("own", [0, 1, 3, 12])
def test_a_class_has_the_interval_of_its_own_labels(name: str, own: int) -> None:
    """Wilson's of so many labels, for 0, for 1 and between, whatever the other classes."""
    scale = 100 if name == "percent" else 1
    # Of accuracies there are few kinds, which are all left out: between 0 and 1 by the jackknife.
    for hits in {0, own} if name == "accuracy" else {0, own // 3, own}:
        found = {size: of_class(RECALLS[name](size), *drawn(own, hits, size)) for size in (60, 90)}
        low, high = wilson(hits / max(own, 1), own, 0.95, COUNT - 1)
        for one in found.values():
            assert one.low / scale == pytest.approx(low, abs=1e-6)
            assert one.high / scale == pytest.approx(high, abs=1e-6)
            assert one.effective == pytest.approx(own, rel=1e-9)
        assert found[60] == found[90]


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("right", [False, True])
def test_more_samples_of_a_class_make_it_surer(name: str, right: bool) -> None:
    """With none the interval is the whole range, then it shrinks, and more so with every sample."""
    found = [of_class(METRICS[name](60), *drawn(own, own if right else 0, 60)) for own in range(5)]
    widths = [one.high - one.low for one in found]

    assert widths[0] == (100 if name == "percent" else 1)
    assert all(more < fewer for fewer, more in pairwise(widths))
    assert all(one.low <= one.value <= one.high for one in found)


def test_all_kinds_or_some_of_them_left_out() -> None:
    """A class that no sample moves is as sure among few samples, all left out, as among many."""
    few = of("Recall")(60)
    few.add([1] * 3 + [1, 2] * 50, [0] * 3 + [1, 2] * 50)
    few.compute()
    alone = few.intervals["recall_classwise"][0]
    many = of_class(of("Recall")(60), *drawn(3, 0, 60))
    assert alone.effective == many.effective == 3
    assert (alone.low, alone.high) == pytest.approx((many.low, many.high), abs=0.01)


@pytest.mark.parametrize("right", [False, True])
def test_f1_and_iou_say_the_same(right: bool) -> None:
    """F1 is 2 IoU / (1 + IoU), and at 0 and 1 so are the ends of their intervals."""
    batch = drawn(4, 4 if right else 0, 60)
    iou, f1 = (of_class(METRICS[name](60), *batch) for name in ("jaccard", "f1"))
    for end in ("value", "low", "high"):
        share = getattr(iou, end)
        assert getattr(f1, end) == pytest.approx(2 * share / (1 + share), rel=1e-9)


def test_what_a_class_is_not_rests_on_the_others() -> None:
    """Specificity counts the samples of all other labels."""
    found = of_class(of("Specificity")(60), *drawn(3, 3, 60))
    assert found.value == 1
    assert found.effective == pytest.approx(COUNT - 3, rel=1e-9)


def test_a_class_at_several_thresholds() -> None:
    """Three labels count three at every threshold, also where there are three classes."""
    metric = mm.SingleLabelPrecisionRecallF1score(
        num_classes=3, thrs=(0.2, 0.9), items=["recall"], average=None, interval=0.95
    )
    metric.add(np.tile([0.95, 0.05, 0.0], (100, 1)), [0] * 97 + [2] * 3)
    metric.compute()
    assert len(metric.intervals) == 2
    for everywhere, never, missed in metric.intervals.values():
        assert [one.effective for one in (everywhere, never, missed)] == pytest.approx([97, 0, 3])


@pytest.mark.filterwarnings("ignore:intervals that promise less")
def test_samples_in_clusters_are_not_surer() -> None:
    """Three labels without a hit count three at most, and fewer if they are in fewer clusters."""
    batch = drawn(3, 0, 60)
    alone = of_class(of("Recall")(60), *batch, clusters=np.arange(COUNT))
    assert (alone.value, alone.effective) == (0.0, 3.0)
    together = of_class(of("Recall")(60), *batch, clusters=np.arange(COUNT) // 4)
    assert together.value == 0.0
    assert together.effective < 3
    assert together.thin == "for a part of the samples, there is only one cluster"
    few = of_class(of("Recall")(60), *batch, clusters=np.arange(COUNT) % 2)
    assert few.effective == 2


def test_labels_that_do_not_exclude_each_other() -> None:
    """Sums are moved along their covariances, which tell nothing of a label without a hit."""
    labels = np.zeros((100, 3), int)
    labels[:3, 0] = labels[:50, 1] = 1
    predictions = np.tile([0, 1, 0], (100, 1))
    metrics = [
        mm.Recall(task="multilabel", num_classes=3, average=None, interval=0.95),
        mm.MultiLabelPrecisionRecallF1score(
            3, thr=0.5, items=["recall"], average=None, percent=False, interval=0.95
        ),
    ]
    for metric in metrics:
        metric.add(predictions, labels)
        metric.compute()
        [found] = metric.intervals.values()
        assert [one.value for one in found] == [0, 1, 0]
        assert [one.effective for one in found] == pytest.approx([3, 50, 0], rel=1e-9)
        assert (found[2].low, found[2].high) == (0, 1)
        assert found[0].high > 0.5 > found[1].high - found[1].low


def test_entities_of_a_rare_type() -> None:
    """Three entities that nobody found leave recall open, however many sentences there are."""
    metric = mm.EntityF1(types=["PER", "LOC"], average=None, interval=0.95)
    tags = [["O", "B-PER"]] * 197 + [["B-LOC", "B-PER"]] * 3
    metric.add(predictions=[["O", "B-PER"]] * 200, references=tags)
    metric.compute()
    person, place = metric.intervals["recall_classwise"]
    assert (person.value, place.value) == (1.0, 0.0)
    assert (person.effective, place.effective) == pytest.approx((200, 3), rel=1e-9)
    never = metric.intervals["precision_classwise"][1]
    assert (never.low, never.high) == (0.0, 1.0)


@pytest.mark.parametrize("weight", [1.0, 0.01])
def test_a_class_of_few_images(weight: float) -> None:
    """A mean over the images that have a class rests on these, whatever the unit of weights."""
    truths = np.zeros((60, 4, 4), int)
    truths[:, 0], truths[:3, 1, 0] = 1, 2
    predictions = np.where(truths == 2, 0, truths)
    metric = mm.DiceScore(num_classes=4, average=None, interval=0.95)
    metric.add(predictions, truths, sample_weight=np.full(60, weight))
    metric.compute()
    _, everywhere, rare, never = metric.intervals["dice_classwise"]
    assert (everywhere.value, everywhere.effective) == (1.0, pytest.approx(60))
    assert (rare.value, rare.effective) == (0.0, pytest.approx(3))
    assert rare.high == pytest.approx(wilson(0, 3, 0.95, 57)[1], abs=0.01)
    assert np.isnan(never.low)


def test_weights_have_no_number_of_samples() -> None:
    """Of sums of weights nobody knows what a sample more would add: all samples count."""
    metric = mm.Recall(
        task="multilabel", num_classes=2, average=None, interval=0.95, use_sample_weight=True
    )
    metric.add([[0, 1]] * 50, [[1, 1]] * 50, sample_weight=[2.0] * 50)
    metric.compute()
    assert metric.intervals["recall_classwise"][0].effective == 50
