"""Files of COCO results against annotations, for each metric that reads them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
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
    numbers: dict[str, float] = json.loads(Path(files[2]).read_text())[metric.partition(":")[0]]
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


def near(truth: Any, seed: int, without: int) -> list[dict[str, Any]]:
    """Detections near the boxes of all images but one, of which every third image is difficult."""
    rng, found = np.random.default_rng(seed), []
    for one in truth["annotations"]:
        box = np.array(one["bbox"], float)
        box[0] += 60 if one["image_id"] % 3 == 0 else rng.uniform(0, 8)
        if one["image_id"] != without:
            place = {"image_id": one["image_id"], "category_id": one["category_id"]}
            found.append(place | {"score": float(rng.random()), "bbox": box.tolist()})
    return found


def photographs(count: int) -> dict[str, Any]:
    """Annotations of images with two cats or dogs each."""
    annotations = [
        {"id": number + 1, "image_id": 1 + number // 2, "category_id": 3 + 4 * (number % 2),
         "bbox": [10 + 70 * (number % 2), 10, 40, 40], "area": 1600, "iscrowd": 0}
        for number in range(2 * count)
    ]  # fmt: skip
    images = [{"id": i, "width": 200, "height": 100} for i in range(1, count + 1)]
    categories = [{"id": i, "name": name} for i, name in ((7, "cat"), (3, "dog"))]
    return {"images": images, "annotations": annotations, "categories": categories}


def in_python(metric: Any, truth: Any, found: Any, *, ids: bool) -> None:
    """Add every image, with or without detections."""
    for image in truth["images"]:
        own = [one for one in found if one["image_id"] == image["id"]]
        boxes = np.array([one["bbox"] for one in own], float).reshape(-1, 4)
        boxes[:, 2:] += boxes[:, :2]
        one = {"img_id": image["id"], "bboxes": boxes}
        one["scores"] = np.array([detection["score"] for detection in own], float)
        one["labels"] = np.array([[7, 3].index(d["category_id"]) for d in own], np.int64)
        metric.add_predictions([one], **({"ids": [image["id"]]} if ids else {}))


@pytest.mark.filterwarnings("ignore:intervals that promise less")
@pytest.mark.parametrize("parts", [1, 2])
def test_images_without_detections_are_samples(tmp_path: Path, parts: int) -> None:
    """A file of results does not name them, but the annotations do: they vary as the others."""
    truth = photographs(40)
    found = [one for one in near(truth, 1, 0) if one["image_id"] > 15]
    (tmp_path / "truth.json").write_text(json.dumps(truth))
    files = [str(tmp_path / f"{part}.json") for part in range(parts)]
    for part, file in enumerate(files):
        some = [one for one in found if one["image_id"] % parts == part]
        Path(file).write_text(json.dumps(some))
    given = ["score", *files, "--annotations", str(tmp_path / "truth.json"), "--interval", "-q"]
    assert main([*given, "--json", str(tmp_path / "numbers.json")]) == 0
    numbers = json.loads((tmp_path / "numbers.json").read_text())
    metric = mm.COCODetection(
        ann_file=str(tmp_path / "truth.json"), dataset_meta={"classes": ["cat", "dog"]},
        interval=0.95, print_results=False,
    )  # fmt: skip
    in_python(metric, truth, found, ids=True)
    values = metric.compute()
    assert numbers["samples"] == values.samples == 40
    for key in ("bbox_mAP", "bbox_mAP_low", "bbox_mAP_high"):
        assert numbers["coco_detection"][key] == values[key]


@pytest.mark.filterwarnings("ignore:intervals that promise less")
def test_images_are_compared_with_themselves(tmp_path: Path, capsys: Any) -> None:
    """Of two files of 59 images each, one lacks the first image and the other the last."""
    truth = photographs(60)
    a, b = near(truth, 1, 1), near(truth, 2, 60)
    for name, content in (("truth", truth), ("a", a), ("b", b)):
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    files = [str(tmp_path / f"{name}.json") for name in ("a", "b", "truth", "numbers")]
    given = ["compare", files[0], "--", files[1], "--annotations", files[2], "-q"]
    assert main([*given, "--json", files[3]]) == 0
    numbers = json.loads(Path(files[3]).read_text())["coco_detection"]
    pair = mm.Paired(
        mm.COCODetection(
            ann_file=files[2], dataset_meta={"classes": ["cat", "dog"]}, print_results=False
        )
    )
    for side, found in ((pair.a, a), (pair.b, b)):
        in_python(side, truth, found, ids=True)
    values = pair.compute()
    for key in ("bbox_mAP_difference", "bbox_mAP_p", "bbox_mAP_difference_low"):
        assert numbers[key] == values[key]
    assert values["samples"] == 60
    assert np.isnan(values["bbox_mAP_l_p"])  # both are -1: there are no large objects
    assert pair.intervals["bbox_mAP_l_difference"].thin == "a value is not between 0.0 and 1.0"
    gate = ["gate", *given[1:-1], "--key", "bbox_mAP_50", "--margin", "0.1"]
    assert main(gate) == 0
    assert capsys.readouterr().out.startswith("PASS")


@pytest.mark.parametrize(
    ("place", "metric"),
    [("segmentation", "coco_detection:metric=segm"), ("bbox", "lvis_detection"),
     ("keypoints", "coco_keypoints")],
)  # fmt: skip
def test_an_empty_image_has_the_places_of_the_others(
    tmp_path: Path, place: str, metric: str
) -> None:
    """Images without detections change no value of masks, poses and LVIS."""
    truth, found = drawn(place)
    for entry in truth["annotations"]:
        entry["id"] += 100
    few = [one for one in found if one["image_id"] not in (2, 6)]
    kind = {"segmentation": "segm", "bbox": "bbox", "keypoints": "keypoints"}[place]
    values = scored(tmp_path, truth, few, metric)
    theirs = average_precisions(truth, few, kind)
    name = next(key for key in values if key.endswith(("_mAP", "_AP")))
    assert values[name] == pytest.approx(theirs[0], abs=1e-12)
    assert json.loads((tmp_path / "numbers.json").read_text())["samples"] == 6
    assert scored(tmp_path, truth, [], metric)[name] == 0


@pytest.mark.filterwarnings("ignore:intervals that promise less")
@pytest.mark.parametrize("command", ["python", "state"])
def test_an_interval_without_some_images_is_marked(tmp_path: Path, command: str) -> None:
    """How those vary that were not added is unknown, and a part of the results does not know it."""
    truth = photographs(40)
    found = near(truth, 1, 0)[:60]
    few = {**truth, "images": truth["images"][:30]}
    (tmp_path / "truth.json").write_text(json.dumps(truth))
    if command == "python":
        metric = mm.COCODetection(
            ann_file=str(tmp_path / "truth.json"), dataset_meta={"classes": ["cat", "dog"]},
            interval=0.95, print_results=False,
        )  # fmt: skip
        in_python(metric, few, found, ids=False)
        metric.compute()
        why = metric.intervals["bbox_mAP"].thin
    else:
        (tmp_path / "found.json").write_text(json.dumps(found))
        words = ["score", str(tmp_path / "found.json"), "--annotations"]
        words += [str(tmp_path / "truth.json"), "--interval", "-q"]
        state, record = str(tmp_path / "state"), str(tmp_path / "record.json")
        assert main([*words, "--state", state, "--record", record]) == 0
        made = json.loads(Path(record).read_text())
        why = made["claim"]["values"]["all"]["coco_detection"]["bbox_mAP"]["thin"]
        verify = ["verify", record, str(tmp_path / "found.json")]
        assert main([*verify, "--annotations", str(tmp_path / "truth.json")]) == 0
        assert main([*words, "--record", record]) == 0
        assert main([*verify, "--annotations", str(tmp_path / "truth.json")]) == 0
        assert json.loads(Path(record).read_text())["claim"]["samples"]["count"] == 40
    assert why == "only 30 of the 40 images of ann_file were added"
