"""DOTAMeanAP against shapely and the textbook, and what it promises on its own."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmeval_like import DOTAMeanAP, VOCMeanAP
from mmeval_like.metrics.detection.rotated import (
    Rotated,
    corners_of,
    intersection_areas,
    smallest_boxes,
)
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers import requires
from tests.helpers.examples import examples
from tests.metrics.textbook_map import average_precision, match_image, mean

CLASSES = 2


def boxes(rng: np.random.Generator, count: int) -> np.ndarray:
    """Rotated boxes, some without area."""
    center, sides = rng.integers(0, 40, (count, 2)), rng.integers(0, 30, (count, 2))
    return np.concatenate([center, sides, rng.uniform(-4, 4, (count, 1))], axis=1)


def samples(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """Images; some ground truths are given by their corners."""
    predictions, truths = [], []
    for _ in range(n):
        m, k = rng.integers(0, 6, 2)
        truth = boxes(rng, m)
        found = boxes(rng, k)
        for box in found:
            if m and rng.random() < 0.7:
                box[:] = truth[rng.integers(m)] + rng.normal(0, 0.5, 5) * [1, 1, 0, 0, 0.1]
        given = corners_of(truth).reshape(-1, 8) if rng.random() < 0.5 else truth
        labels = rng.integers(0, CLASSES, (2, 6))
        scores = rng.integers(0, 5, k) / 4
        predictions.append({"bboxes": found, "scores": scores, "labels": labels[0, :k]})
        truths.append({"bboxes": given, "labels": labels[1, :m]})
    return predictions, truths


def expected(predictions: list[Any], truths: list[Any]) -> dict[str, float]:
    """The textbook's matching with shapely's overlaps."""
    found = []
    for label in range(CLASSES):
        outcome, count = [], 0
        for prediction, truth in zip(predictions, truths, strict=True):
            of_class = prediction["labels"] == label
            own = list(
                zip(prediction["scores"][of_class], prediction["bboxes"][of_class], strict=True)
            )
            wanted = [(box, False) for box in truth["bboxes"][truth["labels"] == label]]
            outcome += match_image(own, wanted, 0.5, iou, lambda box: True)
            count += len(wanted)
        found.append(average_precision(outcome, count, "11points"))
    return {"AP50": mean(found), "mAP": mean(found)}


def iou(box: np.ndarray, other: np.ndarray) -> float:
    """By shapely."""
    first, second = polygon(box), polygon(other)
    union = first.area + second.area - (inner := first.intersection(second).area)
    return inner / union if inner else 0.0


def polygon(box: np.ndarray) -> Any:
    """Shapely's, of 5 numbers or of 8."""
    shapely = requires("shapely")
    corners = corners_of(box[None])[0] if len(box) == 5 else box.reshape(4, 2)
    return shapely.Polygon(corners)


def make(**options: Any) -> DOTAMeanAP:
    """Of two classes."""
    return DOTAMeanAP(num_classes=CLASSES, **options)


CASES = {
    "DOTAMeanAP": MetricCase(make, samples, expected, array_inputs=False, most=8),
}


def test_laws() -> None:
    """Every law of metrics holds, with shapely and the textbook as the oracle."""
    requires("shapely")
    check_metric(CASES["DOTAMeanAP"], examples=examples(4))


@settings(max_examples=examples(30))
@given(st.integers(0, 2**32 - 1))
def test_overlaps_are_shapelys(seed: int) -> None:
    """The shared area of two rotated boxes is shapely's, whatever their sizes and distance."""
    shapely = requires("shapely")
    rng = np.random.default_rng(seed)
    own = np.concatenate(
        [rng.uniform(0, 50, (40, 2)), rng.uniform(0.1, 60, (40, 2)), rng.uniform(-9, 9, (40, 1))], 1
    )
    other = np.concatenate(
        [rng.uniform(0, 50, (40, 2)), rng.uniform(0.1, 60, (40, 2)), rng.uniform(-9, 9, (40, 1))], 1
    )
    polygons = [shapely.polygons(corners_of(side)) for side in (own, other)]

    found = intersection_areas(own, other)

    assert found == pytest.approx(shapely.area(shapely.intersection(*polygons)), abs=1e-9)
    ious = Rotated().overlaps(own, other, (np.arange(40), np.arange(40)))
    union = shapely.area(shapely.union(*polygons))
    assert ious == pytest.approx(found / union, abs=1e-12)


@given(st.integers(0, 2**32 - 1), st.integers(0, 3), st.sampled_from([0.0, 1e4]))
def test_the_same_box_turned_by_quarters(seed: int, quarters: int, far: float) -> None:
    """A box and its other names (sides swapped, half a turn) overlap fully, also far away."""
    rng = np.random.default_rng(seed)
    box = np.concatenate([rng.uniform(0, 9, 2) + far, rng.uniform(1, 99, 2), rng.uniform(-4, 4, 1)])
    other = box.copy()
    other[4] += quarters * np.pi / 2
    if quarters % 2:
        other[2:4] = box[3:1:-1]

    found = Rotated().overlaps(box[None], other[None], (np.array([0]), np.array([0])))

    assert found == pytest.approx([1.0], abs=1e-11)


@given(st.integers(0, 2**32 - 1))
def test_smallest_boxes_are_shapelys(seed: int) -> None:
    """The rotated box around any four points has the least area, and contains them."""
    shapely = requires("shapely")
    points = np.random.default_rng(seed).uniform(0, 50, (1, 4, 2))

    found = smallest_boxes(points)

    least = shapely.MultiPoint(points[0]).minimum_rotated_rectangle
    assert found[0, 2] * found[0, 3] == pytest.approx(least.area, rel=1e-9)
    around = shapely.Polygon(corners_of(found)[0]).buffer(1e-6)
    assert all(around.contains(shapely.Point(point)) for point in points[0])


def test_axis_aligned_boxes_are_vocs() -> None:
    """Without rotation the result is VOCMeanAP's."""
    rng = np.random.default_rng(3)
    flat = []
    for _ in range(12):
        corner, sides = rng.integers(0, 9, (2, 4, 2)), rng.integers(1, 9, (2, 4, 2))
        flat.append((corner, sides, rng.integers(0, 2, (2, 4)), rng.integers(0, 5, 4) / 4))
    results = []
    for cls in (VOCMeanAP, DOTAMeanAP):
        columns: tuple[list[Any], list[Any]] = ([], [])
        for corner, sides, labels, scores in flat:
            for i, column in enumerate(columns):
                given = np.concatenate([corner[i], corner[i] + sides[i]], axis=1)
                if cls is DOTAMeanAP:
                    center = corner[i] + sides[i] / 2
                    given = np.concatenate([center, sides[i], np.zeros((4, 1))], axis=1)
                column.append({"bboxes": given, "labels": labels[i], "scores": scores})
        results.append(cls(num_classes=2, eval_mode="area", iou_thrs=[0.3, 0.5])(*columns))

    assert results[0] == pytest.approx(results[1])


def test_corners_keep_their_fractions_and_scores() -> None:
    """Detections given by corners rank by score, and are not cut to whole pixels."""
    box = np.array([[10.5, 10.5, 1.6, 1.6, 0.3], [30.0, 30.0, 4.0, 2.0, 1.2]])
    wrong = np.array([[50.0, 50.0, 4.0, 2.0, 0.0]])
    given = np.concatenate([box, wrong])
    truth = {"bboxes": corners_of(box).reshape(-1, 8), "labels": [0, 0]}
    found = {"scores": [0.9, 0.8, 0.1], "labels": [0, 0, 0]}

    for detections in (given, corners_of(given).reshape(-1, 8)):
        assert make(iou_thrs=0.95)([found | {"bboxes": detections}], [truth])["mAP"] == 1.0


@given(st.floats(0, 7), st.sampled_from([0.0, 1e4]))
def test_corners_on_a_line_have_no_area(angle: float, far: float) -> None:
    """Four points on a line overlap with nothing, whatever the line's direction."""
    line = far + np.outer([0, 3, 5, 9], [math.cos(angle), math.sin(angle)])
    box = {"bboxes": [line.reshape(-1)], "labels": [0]}

    assert make()([box | {"scores": [0.9]}], [box])["mAP"] == 0.0


def test_without_ground_truths() -> None:
    """Nothing to find is nan; nothing found is 0; ignored ones are skipped."""
    nothing = {"bboxes": np.zeros((0, 5)), "labels": [], "scores": []}
    something = {"bboxes": [[5, 5, 9, 9, 0.1]], "labels": [1], "scores": [0.3]}
    ignored = {f"{key}_ignore": something[key] for key in ("bboxes", "labels")}

    assert make()([nothing], [something]) == {"AP50": 0.0, "mAP": 0.0}
    assert math.isnan(make()([something], [nothing | ignored])["mAP"])


@pytest.mark.parametrize(
    ("bboxes", "text"),
    [
        ([[0, 0, 9, 9]], r"shape \(n, 5\), got \(1, 4\)"),
        ([[0, 0, 9, -9, 0]], "negative widths"),
        ([[0, 0, 9, np.inf, 0]], "must be finite"),
        ([[0, 0, 9, 0, 9, np.nan, 0, 9]], "must be finite"),
    ],
)
def test_bad_boxes_are_refused(bboxes: Any, text: str) -> None:
    """Boxes have 5 or 8 numbers, all finite."""
    box = {"bboxes": bboxes, "labels": [0], "scores": [0.5]}
    with pytest.raises(ValueError, match=text):
        make().add([box], [box])
