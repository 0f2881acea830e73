"""Files of COCO results against annotations, for each metric that reads them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mmeval_like.cli import main
from tests.helpers import requires

coco = requires("pycocotools.coco")
cocoeval = requires("pycocotools.cocoeval")
codec = requires("pycocotools.mask")

SIZE = 120


def drawn(kind: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Objects of two classes in six images, and detections near them, with one place each."""
    rng = np.random.default_rng(5)
    annotations, found = [], []
    for number in range(24):
        image, category = 1 + number // 4, int(rng.choice([7, 3]))
        x, y, width, height = rng.integers(20, 60, 4).tolist()
        joints = np.c_[rng.uniform(x, x + width, 17), rng.uniform(y, y + height, 17)]
        place = {"image_id": image, "category_id": category}
        outline = [x, y, x + width, y, x + width, y + height, x, y + height]
        truth = {"id": number + 1, "bbox": [x, y, width, height], "area": width * height}
        truth |= {"iscrowd": 0, "num_keypoints": 17, "segmentation": [outline]}
        truth["keypoints"] = np.c_[joints, np.full(17, 2)].ravel().tolist()
        annotations.append(place | truth)
        outline = (np.array(outline) + rng.integers(-6, 7, 8)).tolist()
        mask = codec.merge(codec.frPyObjects([outline], SIZE, SIZE))
        seen = {
            "segmentation": {"size": mask["size"], "counts": mask["counts"].decode()},
            "keypoints": np.c_[joints + rng.normal(0, 1.5, (17, 2)), np.ones(17)].ravel().tolist(),
            "bbox": (np.array([x, y, width, height]) + rng.normal(0, 3, 4)).tolist(),
        }
        found.append(place | {"score": float(rng.random()), kind: seen[kind]})
    images = [
        {"id": i, "width": SIZE, "height": SIZE, "neg_category_ids": [3, 7],
         "not_exhaustive_category_ids": []}
        for i in range(1, 7)
    ]  # fmt: skip
    categories = [{"id": i, "name": name, "frequency": "f"} for i, name in ((7, "cat"), (3, "dog"))]
    return {"images": images, "annotations": annotations, "categories": categories}, found


def average_precisions(truth: Any, found: Any, kind: str) -> list[float]:
    """Return pycocotools' mAP, and those at thresholds of 0.5 and 0.75; of poses of one class."""
    truth, found = json.loads(json.dumps([truth, found]))
    if kind == "keypoints":
        for one in (*truth["annotations"], *found):
            one["category_id"] = 7
    theirs = coco.COCO()
    theirs.dataset = truth
    theirs.createIndex()
    evaluation = cocoeval.COCOeval(theirs, theirs.loadRes(found), kind)
    evaluation.evaluate()
    evaluation.accumulate()
    evaluation.summarize()
    return list(evaluation.stats[:3])


def scored(folder: Path, truth: Any, found: Any, metric: str) -> dict[str, float]:
    """Return the numbers of the command."""
    for name, content in (("truth", truth), ("found", found)):
        (folder / f"{name}.json").write_text(json.dumps(content))
    files = [str(folder / f"{name}.json") for name in ("found", "truth", "numbers")]
    given = ["score", files[0], "--annotations", files[1], "--metric", metric, "-q"]
    assert main([*given, "--json", files[2]]) == 0
    numbers: dict[str, float] = json.loads(Path(files[2]).read_text())[metric]
    return numbers


@pytest.mark.parametrize(
    ("place", "metric", "kind", "names"),
    [
        ("segmentation", "coco_detection", "bbox", ("bbox_mAP", "bbox_mAP_50", "bbox_mAP_75")),
        ("bbox", "lvis_detection", "bbox", ("bbox_AP", "bbox_AP50", "bbox_AP75")),
        ("keypoints", "coco_keypoints", "keypoints",
         ("keypoints_mAP", "keypoints_mAP_50", "keypoints_mAP_75")),
    ],
)  # fmt: skip
def test_results_without_boxes_and_of_other_metrics(
    tmp_path: Path, place: str, metric: str, kind: str, names: tuple[str, ...]
) -> None:
    """The numbers of pycocotools. The box of a mask without one is the box around it; in images of
    which every class is known, LVIS's average precision is COCO's; poses are of one class.
    """
    truth, found = drawn(place)
    numbers = scored(tmp_path, truth, found, metric)
    theirs = average_precisions(truth, found, kind)
    assert 0 < theirs[0] < 1
    assert [numbers[name] for name in names] == pytest.approx(theirs, abs=1e-12)


def test_boxes_of_poses_without_boxes_are_refused(tmp_path: Path, capsys: Any) -> None:
    """A file of keypoints has no boxes to evaluate: an error that says so, and no value of 0."""
    truth, found = drawn("keypoints")
    with pytest.raises(AssertionError):
        scored(tmp_path, truth, found, "coco_detection")
    assert "bboxes" in capsys.readouterr().err
