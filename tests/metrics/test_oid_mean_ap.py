"""OIDMeanAP against the textbook, and what it promises on its own."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmeval_like import OIDMeanAP, VOCMeanAP
from mmeval_like.metrics.detection.oid_mean_ap import get_relation_matrix
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples
from tests.metrics.detections import image
from tests.metrics.textbook_map import average_precision, box_area, box_iou, mean

CLASSES = 4
RELATION = np.array([[1, 0, 1, 1], [0, 1, 0, 1], [0, 0, 1, 1], [0, 0, 0, 1]])
THRS = ((0.5, 0.4), (0.75, 0.9))  # IoU and IoF
RANGES = [(None, 40), (None, None)]


def samples(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """Images with groups, and with labels that were verified for the whole image."""
    predictions, truths = [], []
    for _ in range(n):
        prediction, truth = image(rng, CLASSES)
        prediction["scores"] = prediction["scores"] + 0.1
        instances = [
            {"bbox": box, "bbox_label": int(label), "is_group_of": bool(rng.random() < 0.4)}
            for box, label in zip(truth["bboxes"].tolist(), truth["labels"], strict=True)
        ]
        predictions.append(prediction)
        truths.append({"instances": instances})
        if rng.random() < 0.6:
            truths[-1]["image_level_labels"] = rng.integers(0, CLASSES, rng.integers(0, 3))
    return predictions, truths


def expected(
    predictions: list[Any],
    truths: list[Any],
    use_group_of: bool = True,
    get_supercategory: bool = True,
    filter_labels: bool = True,
) -> dict[str, float]:
    """Image by image, label by label, detection by detection."""
    relation = RELATION if get_supercategory else np.eye(CLASSES)
    found = {}
    for thrs in THRS:
        for bounds in RANGES:
            outcomes: list[list[Any]] = [[] for _ in range(CLASSES)]
            counts = [0] * CLASSES
            for prediction, truth in zip(predictions, truths, strict=True):
                known = {
                    label
                    for instance in truth["instances"]
                    for label in range(CLASSES)
                    if relation[instance["bbox_label"], label]
                } | {int(label) for label in truth.get("image_level_labels", ())}
                for label in range(CLASSES):
                    detections = [
                        (float(score), box)
                        for score, box, own in zip(
                            prediction["scores"],
                            prediction["bboxes"].tolist(),
                            prediction["labels"],
                            strict=True,
                        )
                        if (own == label or (relation[own, label] and label in known))
                        and (label in known or not filter_labels)
                    ]
                    wanted = [
                        (instance["bbox"], instance["is_group_of"] and use_group_of)
                        for instance in truth["instances"]
                        if relation[instance["bbox_label"], label]
                    ]
                    outcome, count = match(detections, wanted, thrs, bounds)
                    outcomes[label] += outcome
                    counts[label] += count
            found[thrs, bounds] = [
                average_precision(outcome, count, "area")
                for outcome, count in zip(outcomes, counts, strict=True)
            ]
    values = {f"AP{100 * thrs[0]:.0f}": mean(found[thrs, (None, None)]) for thrs in THRS}
    values["mAP@(None, 40)"] = mean([ap for thrs in THRS for ap in found[thrs, (None, 40)]])
    return values | {"mAP": mean([ap for thrs in THRS for ap in found[thrs, (None, None)]])}


def match(
    detections: list[Any], wanted: list[Any], thrs: tuple[float, float], bounds: Any
) -> tuple[list[Any], int]:
    """The detections of one image and class that count, and the number of ground truths."""

    def in_range(box: Any) -> bool:
        return bounds[1] is None or box_area(box) < bounds[1] ** 2

    single = [box for box, is_group in wanted if not is_group]
    groups = [box for box, is_group in wanted if is_group]
    free = [True] * len(single)
    best_of: list[float | None] = [None] * len(groups)
    outcome = []
    for score, box in sorted(detections, key=lambda entry: -entry[0]):
        ious = [box_iou(box, other) for other in single]
        iofs = [iof(box, other) for other in groups]
        verdict: bool | None = False if in_range(box) else None
        if max(ious, default=-1) >= thrs[0]:
            index = ious.index(max(ious))
            verdict = free[index] if in_range(single[index]) else None
            free[index] = False
        if verdict is not True and max(iofs, default=-1) >= thrs[1]:
            index = iofs.index(max(iofs))
            if best_of[index] is None:
                best_of[index] = score
            continue
        if verdict is not None:
            outcome.append((score, verdict))
    for box, best in zip(groups, best_of, strict=True):
        if in_range(box):
            outcome.append((0.0, False) if best is None else (best, True))
    return outcome, sum(in_range(box) for box, _ in wanted)


def iof(box: Any, other: Any) -> float:
    """Which part of a box is inside another."""
    width = min(box[2], other[2]) - max(box[0], other[0])
    height = min(box[3], other[3]) - max(box[1], other[1])
    return width * height / box_area(box) if width > 0 and height > 0 else 0.0


def make(**options: Any) -> OIDMeanAP:
    """Several thresholds and ranges."""
    defaults = {
        "iou_thrs": [iou for iou, _ in THRS],
        "iof_thrs": [part for _, part in THRS],
        "scale_ranges": RANGES,
        "num_classes": CLASSES,
        "class_relation_matrix": RELATION,
    }
    return OIDMeanAP(**(defaults | options))


CASES = {"OIDMeanAP": MetricCase(make, samples, expected, array_inputs=False, most=10)}


def test_laws() -> None:
    """Every law of metrics holds, with the textbook as the oracle."""
    check_metric(CASES["OIDMeanAP"], examples=examples(4))


@settings(max_examples=examples(40))
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 6),
    st.fixed_dictionaries(
        {name: st.booleans() for name in ("use_group_of", "get_supercategory", "filter_labels")}
    ),
)
def test_equals_the_textbook(seed: int, count: int, options: dict[str, bool]) -> None:
    """Groups, classes above others and verified labels, each with and without."""
    data = samples(np.random.default_rng(seed), count)

    value = make(**options)(*data)

    assert value == pytest.approx(expected(*data, **options), abs=1e-12, nan_ok=True)


def test_without_its_additions_it_is_vocs() -> None:
    """No groups, no classes above, no filter: VOCMeanAP."""
    predictions, truths = samples(np.random.default_rng(4), 12)
    plain = [
        {
            "bboxes": np.array([i["bbox"] for i in truth["instances"]]).reshape(-1, 4),
            "labels": [i["bbox_label"] for i in truth["instances"]],
        }
        for truth in truths
    ]
    metric = OIDMeanAP(
        num_classes=CLASSES, use_group_of=False, get_supercategory=False, filter_labels=False
    )

    assert metric(predictions, truths) == VOCMeanAP(num_classes=CLASSES)(predictions, plain)


def test_relation_matrix(tmp_path: Path) -> None:
    """A class is related to itself and to all above it, on every path from the root."""
    labels = tmp_path / "labels.csv"
    labels.write_text(
        'LabelName,DisplayName\n/m/cat,Cat\n/m/pet,"Pet, tame"\n/m/animal,Animal\n/m/car,Car\n'
    )
    tree = {
        "LabelName": "/m/root",
        "Subcategory": [
            {
                "LabelName": "/m/animal",
                "Subcategory": [{"LabelName": "/m/cat"}],
                "Part": [{"LabelName": "/m/car"}],
            },
            {"LabelName": "/m/pet", "Subcategory": [{"LabelName": "/m/cat"}]},
            {"LabelName": "/m/car"},
        ],
    }
    hierarchy = tmp_path / "hierarchy.json"
    hierarchy.write_text(json.dumps(tree))

    matrix = get_relation_matrix(hierarchy, str(labels))

    assert matrix.tolist() == [[1, 1, 1, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    labels.write_text("/m/cat,Cat\n/m/cat,Cat\n")
    with pytest.raises(ValueError, match="each once"):
        get_relation_matrix(hierarchy, labels)


def test_without_ground_truths() -> None:
    """Nothing to find is nan; nothing found is 0, a group alone is a false positive at 0."""
    nothing = {"bboxes": [], "labels": [], "scores": []}
    group = {"bbox": [0, 0, 9, 9], "bbox_label": 3, "is_group_of": True}
    metric = make(classwise=True, scale_ranges=None, dataset_meta={"classes": "abcd"})

    value = metric([nothing], [{"instances": [group]}])

    assert value["mAP"] == 0.0
    assert value["classwise_result"]["d"]["num_dets"] == 1
    assert math.isnan(make()([nothing], [{"instances": []}])["mAP"])


def test_the_matrix_may_come_with_the_dataset() -> None:
    """dataset_meta['relation_matrix'] is used; without any, only get_supercategory needs one."""
    data = samples(np.random.default_rng(5), 6)
    meta = {"relation_matrix": RELATION.tolist()}

    assert make(class_relation_matrix=None, dataset_meta=meta)(*data) == pytest.approx(
        make()(*data), nan_ok=True
    )
    make(class_relation_matrix=None, get_supercategory=False).add(*data)
    with pytest.raises(RuntimeError, match="relation_matrix"):
        make(class_relation_matrix=None).add(*data)
