"""VOCMeanAP against the textbook and scikit-learn, and what it promises on its own."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmeval_like import VOCMeanAP
from mmeval_like.metrics.detection import overlaps
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers import requires
from tests.helpers.examples import examples
from tests.metrics.detections import image
from tests.metrics.textbook_map import average_precision, box_area, box_iou, match_image, mean

CLASSES = 3
THRS = (0.3, 0.5, 0.75)
RANGES = [(None, 30), (30, 90), (90, None)]


def samples(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """Images, some with ground truths to be ignored, some without that key."""
    pairs = [image(rng, CLASSES) for _ in range(n)]
    truths = []
    for _, truth in pairs:
        ignored = truth.pop("ignore_flags")
        split = {key: value[~ignored] for key, value in truth.items()}
        if ignored.any():
            split |= {f"{key}_ignore": value[ignored] for key, value in truth.items()}
        truths.append(split)
    return [prediction for prediction, _ in pairs], truths


def expected(
    predictions: list[Any],
    truths: list[Any],
    mode: str = "area",
    extra: float = 0.0,
    drop: bool = True,
    thrs: Any = THRS,
    ranges: Any = RANGES,
) -> dict[str, float]:
    """Every mean, by the textbook."""
    found = {}
    for bounds in [*ranges, (None, None)]:
        for thr in thrs:
            found[bounds, thr] = [
                class_ap(predictions, truths, label, thr, bounds, mode, extra)
                for label in range(CLASSES)
            ]
            if not drop:
                found[bounds, thr] = [0.0 if math.isnan(ap) else ap for ap in found[bounds, thr]]
    values = {f"AP{100 * thr:.0f}": mean(found[(None, None), thr]) for thr in thrs}
    for bounds in [*ranges, (None, None)]:
        name = "mAP" if bounds == (None, None) else f"mAP@{bounds}"
        values[name] = mean([ap for thr in thrs for ap in found[bounds, thr]])
    return values


def class_ap(
    predictions: list[Any],
    truths: list[Any],
    label: int,
    thr: float,
    bounds: Any,
    mode: str,
    extra: float,
) -> float:
    """One class's average precision, by the textbook."""

    def in_range(box: Any) -> bool:
        area = box_area(box, extra)
        return (bounds[0] is None or area >= bounds[0] ** 2) and (
            bounds[1] is None or area < bounds[1] ** 2
        )

    outcome, count = [], 0
    for prediction, truth in zip(predictions, truths, strict=True):
        of_class = prediction["labels"] == label
        scores, boxes = prediction["scores"][of_class], prediction["bboxes"][of_class]
        own = list(zip(scores.tolist(), boxes.tolist(), strict=True))
        wanted = []
        for suffix, ignored in (("", False), ("_ignore", True)):
            if f"labels{suffix}" in truth:
                of_class = truth[f"labels{suffix}"] == label
                boxes = truth[f"bboxes{suffix}"][of_class]
                wanted += [(box, ignored) for box in boxes.tolist()]
        outcome += match_image(own, wanted, thr, lambda a, b: box_iou(a, b, extra), in_range)
        count += sum(in_range(box) and not ignored for box, ignored in wanted)
    return average_precision(outcome, count, mode)


def make(**options: Any) -> VOCMeanAP:
    """Several thresholds and ranges."""
    return VOCMeanAP(
        **({"iou_thrs": list(THRS), "scale_ranges": RANGES, "num_classes": CLASSES} | options)
    )


CASES = {
    "VOCMeanAP": MetricCase(make, samples, expected, array_inputs=False, most=10),
}


def test_laws() -> None:
    """Every law of metrics holds, with the textbook as the oracle."""
    check_metric(CASES["VOCMeanAP"], examples=examples(4))


@settings(max_examples=examples(40))
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 8),
    st.sampled_from(["area", "11points"]),
    st.booleans(),
    st.booleans(),
)
def test_equals_the_textbook(seed: int, count: int, mode: str, legacy: bool, drop: bool) -> None:
    """Both ways to average, both kinds of coordinates, with and without absent classes."""
    data = samples(np.random.default_rng(seed), count)
    metric = make(eval_mode=mode, use_legacy_coordinate=legacy, drop_class_ap=drop)

    value = metric(*data)

    assert value == pytest.approx(
        expected(*data, mode, float(legacy), drop), abs=1e-12, nan_ok=True
    )


@settings(max_examples=examples(40))
@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1), st.integers(0, 3))
def test_is_scikit_learns_curve(detections: list[tuple[int, bool]], missed: int) -> None:
    """Where matching is trivial, the area is that under scikit-learn's curve, made monotone."""
    metrics = requires("sklearn.metrics")
    hits = [hit for _, hit in detections]
    count = sum(hits) + missed
    if sum(hits) == 0:
        return
    far = np.arange(len(detections))[:, None] * 20.0 + [[0, 0, 10, 10]]
    prediction = {
        "bboxes": far,
        "scores": np.array([score for score, _ in detections]),
        "labels": np.zeros(len(far), int),
    }
    wanted = np.concatenate([far[np.array(hits)], np.tile([-99.0, 0, -90, 9], (missed, 1))])
    truth = {"bboxes": wanted, "labels": np.zeros(count, int)}
    precision, recall, _ = metrics.precision_recall_curve(hits, prediction["scores"])
    best = np.maximum.accumulate(precision[:-1])  # by rising threshold: by falling recall
    area = (best * -np.diff(recall)).sum() * sum(hits) / count

    value = VOCMeanAP(num_classes=1)([prediction], [truth])

    assert value["mAP"] == pytest.approx(area, abs=1e-12)


def test_classwise_results_carry_names() -> None:
    """Per class: how many boxes, the curve, the average precision."""
    truth = {"bboxes": [[0, 0, 10, 10], [20, 0, 30, 10]], "labels": [1, 1]}
    found = {
        "bboxes": [[0, 0, 10, 10], [50, 50, 60, 60], [20, 0, 30, 10], [70, 0, 80, 10]],
        "scores": [0.9, 0.8, 0.7, 0.7],
        "labels": [1, 1, 1, 1],
    }
    metric = VOCMeanAP(dataset_meta={"classes": ("ant", "bee")}, classwise=True)

    bee, ant = (metric([found], [truth])["classwise_result"][name] for name in ("bee", "ant"))

    assert (bee["num_gts"], bee["num_dets"], bee["ap"]) == (2, 4, 0.75)
    assert bee["recalls"].tolist() == [0.5, 0.5, 1.0]
    assert bee["precisions"].tolist() == [1.0, 0.5, 0.5]
    assert (ant["num_gts"], ant["num_dets"]) == (0, 0)
    assert math.isnan(ant["ap"])
    several = make(classwise=True)([found], [truth])["classwise_result"]["1"]
    assert several["num_gts"].tolist() == [2, 0, 0, 2]
    assert several["recalls"].shape == several["precisions"].shape == (4, 3, 3)
    assert several["ap"].shape == (4, 3)


def test_equal_scores_are_one_point() -> None:
    """A hit and a false positive of one score give 0.5, whichever comes first."""
    truth = {"bboxes": [[0, 0, 10, 10]], "labels": [0]}
    boxes = np.array([[0.0, 0, 10, 10], [50, 50, 60, 60]])
    for order in ([0, 1], [1, 0]):
        found = {"bboxes": boxes[order], "scores": [0.5, 0.5], "labels": [0, 0]}
        assert VOCMeanAP(num_classes=1)([found], [truth])["mAP"] == 0.5


def test_equal_overlaps_belong_to_the_first_ground_truth() -> None:
    """A detection between two ground truths looks at the first; that one may be taken then."""
    left, right, middle = [0, 0, 20, 10], [10, 0, 30, 10], [5, 0, 25, 10]
    found = {"bboxes": [middle, left], "scores": [0.9, 0.8], "labels": [0, 0]}
    for order, expected in (([left, right], 0.5), ([right, left], 1.0)):
        truth = {"bboxes": order, "labels": [0, 0]}
        assert VOCMeanAP(num_classes=1)([found], [truth])["mAP"] == expected


def test_thresholds_that_round_alike_stay_apart() -> None:
    """0.5 and 0.504 have keys of their own; a caller's list of ranges stays as it is."""
    ranges = [(0, 10)]
    metric = VOCMeanAP(iou_thrs=[0.5, 0.504], scale_ranges=ranges, num_classes=1)
    truth = {"bboxes": [[0, 0, 10, 10]], "labels": [0]}
    found = {"bboxes": [[0, 0, 10, 5.02]], "labels": [0], "scores": [1]}

    value = metric([found], [truth])

    assert value == pytest.approx(
        {"AP50.0": 1.0, "AP50.4": 0.0, "mAP@(0, 10)": math.nan, "mAP": 0.5}, nan_ok=True
    )
    assert ranges == [(0, 10)]


def test_large_batches_are_matched_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Splitting a batch into blocks of images changes nothing."""
    data = samples(np.random.default_rng(8), 30)
    whole = make()(*data)

    monkeypatch.setattr(overlaps, "_BLOCK_PAIRS", 7)

    assert make()(*data) == pytest.approx(whole, abs=0, nan_ok=True)


def test_without_ground_truths() -> None:
    """Nothing to find is nan; nothing found is 0."""
    nothing = {"bboxes": np.zeros((0, 4)), "labels": [], "scores": []}
    something = {"bboxes": [[0, 0, 9, 9]], "labels": [1], "scores": [0.3]}
    metric = VOCMeanAP(num_classes=2)

    assert metric([nothing], [something]) == {"AP50": 0.0, "mAP": 0.0}
    assert all(map(math.isnan, metric([something], [nothing]).values()))
    assert VOCMeanAP(num_classes=2, drop_class_ap=False)([something], [something])["mAP"] == 0.5


BOX = {"bboxes": [[0, 0, 9, 9]], "labels": [1], "scores": [0.3]}
BAD = {
    "no list": (BOX, [BOX], TypeError, "predictions must be a list"),
    "lengths": ([BOX], [BOX, BOX], ValueError, "same length, got 1 and 2"),
    "no boxes": ([{"scores": [], "labels": []}], [BOX], KeyError, "'bboxes'"),
    "few": ([BOX | {"scores": [0.1, 0.2]}], [BOX], ValueError, "as many 'scores'"),
    "ignored": ([BOX], [BOX | {"bboxes_ignore": [[0, 0, 1, 1]]}], ValueError, "'labels_ignore'"),
    "labels_ignore": ([BOX], [BOX | {"labels_ignore": [1]}], ValueError, "as many 'labels_ignore'"),
    "label": ([BOX | {"labels": [3]}], [BOX], ValueError, r"in \[0, 3\)"),
    "nan": ([BOX | {"scores": [np.nan]}], [BOX], ValueError, "must be finite"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused(name: str) -> None:
    """What cannot be meant raises and names the argument."""
    predictions, truths, error, text = BAD[name]

    with pytest.raises(error, match=text):
        make().add(predictions, truths)


OPTIONS = {
    "thr": ({"iou_thrs": "half"}, TypeError, "iou_thrs"),
    "no thr": ({"iou_thrs": None}, TypeError, "iou_thrs"),
    "mode": ({"eval_mode": "12points"}, ValueError, "eval_mode"),
    "range": ({"scale_ranges": [32]}, TypeError, "scale_ranges must be pairs"),
    "open range": ({"scale_ranges": [(1, 2, 3)]}, TypeError, "scale_ranges must be pairs"),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_bad_options_are_refused(name: str) -> None:
    """Wrong arguments of the constructor raise there."""
    options, error, text = OPTIONS[name]

    with pytest.raises(error, match=text):
        make(**options)


def test_classes_are_needed() -> None:
    """Their number comes from the argument or from dataset_meta, also if set later."""
    metric = VOCMeanAP()
    with pytest.raises(RuntimeError, match="num_classes"):
        metric.add([BOX], [BOX])
    metric.dataset_meta = {"classes": ("ant", "bee")}
    metric.add([BOX], [BOX])

    assert metric.compute()["mAP"] == 1.0
