"""COCODetection reads and writes COCO's files, and prints pycocotools' table."""

import contextlib
import io
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.testing import LocalWorld
from tests.helpers import requires
from tests.metrics.coco_oracle import (
    CLASSES,
    coco,
    entries,
    make,
    oracle,
    samples,
    with_masks,
)


def test_annotation_file(tmp_path: Path) -> None:
    """Ground truths from a file: images that nobody added count, class order is the caller's."""
    requires("pycocotools")
    predictions, truths = with_masks(np.random.default_rng(2), 9)
    content = coco(truths)
    for category in content["categories"]:
        category["id"] += 40
    for annotation in content["annotations"]:
        annotation["category_id"] += 40
        counts = annotation["segmentation"]["counts"]
        annotation["segmentation"]["counts"] = counts.decode()
    path = tmp_path / "annotations.json"
    path.write_text(json.dumps(content))
    swapped = [{**p, "labels": 2 - p["labels"]} for p in predictions[:6]]
    metric = make(
        ann_file=str(path), metric=["bbox", "segm"], dataset_meta={"classes": CLASSES[::-1]}
    )
    metric.add_predictions(swapped[:2])
    metric.add(swapped[2:])

    value = metric.compute()

    for kind in ("bbox", "segm"):
        for key, number in oracle(kind)(predictions[:6], truths).items():
            assert value[key] == pytest.approx(number, abs=1e-12, rel=0), key


def test_polygons_and_plain_runs_in_a_file(tmp_path: Path) -> None:
    """Segmentations may be polygons or uncompressed runs, as in COCO's own files."""
    requires("pycocotools")
    square = {"size": [8, 8], "counts": [0, 4, 4, 4, 4, 4, 4, 4, 36]}
    content = {
        "images": [{"id": 5, "height": 8, "width": 8}],
        "categories": [{"id": 1, "name": "ant"}],
        "annotations": [
            {"id": 1, "image_id": 5, "category_id": 1, "area": 16.0, "bbox": [0, 0, 4, 4],
             "iscrowd": 0, "segmentation": [[0, 0, 4, 0, 4, 4, 0, 4]]},
            {"id": 2, "image_id": 5, "category_id": 1, "area": 16.0, "bbox": [0, 0, 4, 4],
             "iscrowd": 1, "segmentation": square},
        ],
    }  # fmt: skip
    path = tmp_path / "annotations.json"
    path.write_text(json.dumps(content))
    metric = make(ann_file=str(path), metric="segm", dataset_meta={"classes": ("ant",)})
    metric.add_predictions(
        [{"img_id": 5, "bboxes": [[0, 0, 4, 4]], "scores": [1.0], "labels": [0], "masks": [square]}]
    )

    assert metric.compute()["segm_mAP"] == 1.0


def test_files_are_written_by_rank_0(tmp_path: Path) -> None:
    """With a prefix the detections of all ranks land in COCO result files, also with masks."""
    requires("pycocotools")
    predictions, truths = with_masks(np.random.default_rng(4), 7)
    prefix = str(tmp_path / "out" / "run")

    def evaluate(backend: Any) -> dict[str, Any]:
        metric = make(metric="segm", outfile_prefix=prefix, dist_backend=backend)
        metric.add(predictions[backend.rank :: 3], truths[backend.rank :: 3])
        return metric.compute()

    values = LocalWorld(3).run(evaluate)

    for kind in ("bbox", "segm"):
        written = json.loads(Path(f"{prefix}.{kind}.json").read_text())
        expected = entries(sorted(predictions, key=lambda p: p["img_id"]), kind)
        for entry in expected:
            if kind == "segm":
                entry["segmentation"]["counts"] = entry["segmentation"]["counts"].decode()
        assert written == expected
    expected_values = oracle("segm")(predictions, truths)
    assert values[2] == pytest.approx(expected_values, abs=1e-12)


@pytest.mark.parametrize("how", ["interval", "sliced", "rest"])
def test_what_is_printed_and_written_is_of_all_samples(
    how: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not of the images without some, for an interval, and not of a slice."""
    requires("pycocotools")
    predictions, truths = with_masks(np.random.default_rng(4), 12)
    plain = make(outfile_prefix=str(tmp_path / "plain"), print_results=True)
    plain.add(predictions, truths)
    plain.compute()
    wanted = capsys.readouterr().out

    options = {} if how == "sliced" else {"interval": 0.95}
    metric = make(outfile_prefix=str(tmp_path / "run"), print_results=True, **options)
    if how == "interval":
        metric.add(predictions, truths)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of few images
            metric.compute()
    else:
        sliced = mm.Sliced(metric, by="half", rest=how == "rest")
        sliced.add(predictions, truths, by={"half": ["a", "b"] * 6})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sliced.compute()

    assert capsys.readouterr().out == wanted
    written = [(tmp_path / f"{name}.bbox.json").read_text() for name in ("plain", "run")]
    assert written[0] == written[1]


def test_a_comparison_prints_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file would have the detections of one of the systems, or of a part of its images."""
    requires("pycocotools")
    predictions, truths = with_masks(np.random.default_rng(4), 12)
    pair = mm.Paired(make(outfile_prefix=str(tmp_path / "run"), print_results=True))
    for side in (pair.a, pair.b):
        side.add(predictions, truths, ids=range(12))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pair.compute()
    assert not capsys.readouterr().out
    assert not [*tmp_path.iterdir()]


def test_format_only_needs_no_ground_truths(tmp_path: Path) -> None:
    """Submission files for a test set: nothing is evaluated."""
    prefix = str(tmp_path / "test")
    metric = make(format_only=True, outfile_prefix=prefix)
    metric.add_predictions(
        [{"img_id": 3, "bboxes": [[1, 2, 4, 8]], "scores": [0.5], "labels": [2]}]
    )

    assert metric.compute() == {}
    assert json.loads(Path(f"{prefix}.bbox.json").read_text()) == [
        {"image_id": 3, "category_id": 2, "bbox": [1.0, 2.0, 3.0, 6.0], "score": 0.5}
    ]


def test_ground_truths_as_a_file(tmp_path: Path) -> None:
    """What gt_to_coco_json writes evaluates like the ground truths themselves."""
    requires("pycocotools")
    predictions, truths = with_masks(np.random.default_rng(6), 6)
    metric = make(metric="segm")
    path = metric.gt_to_coco_json(truths, str(tmp_path / "set"))
    from_file = make(ann_file=path, metric="segm")
    from_file.add_predictions(predictions)

    assert path == str(tmp_path / "set.gt.json")
    assert from_file.compute() == metric(predictions, truths)


def test_prints_what_pycocotools_prints(capsys: pytest.CaptureFixture[str]) -> None:
    """The table has pycocotools' very lines; one rank prints."""
    requires("pycocotools")
    predictions, truths = samples(np.random.default_rng(7), 10)

    def evaluate(backend: Any) -> dict[str, Any]:
        metric = make(print_results=True, dist_backend=backend)
        metric.add(predictions[backend.rank :: 2], truths[backend.rank :: 2])
        return metric.compute()

    LocalWorld(2).run(evaluate)

    printed = [line for line in capsys.readouterr().out.splitlines() if line]
    assert printed[:13] == ["bbox", *summary(predictions, truths)]
    assert [line.split()[0] for line in printed[13:]] == ["class", *CLASSES]


def summary(predictions: list[Any], truths: list[Any]) -> list[str]:
    """The lines that pycocotools prints."""
    COCO = requires("pycocotools.coco").COCO
    COCOeval = requires("pycocotools.cocoeval").COCOeval
    with contextlib.redirect_stdout(io.StringIO()):
        dataset = COCO()
        dataset.dataset = coco(truths)
        dataset.createIndex()
        evaluator = COCOeval(dataset, dataset.loadRes(entries(predictions, "bbox")), "bbox")
        evaluator.evaluate()
        evaluator.accumulate()
    with contextlib.redirect_stdout(io.StringIO()) as output:
        evaluator.summarize()
    return output.getvalue().splitlines()


def test_annotations_that_are_not_listed_are_told(tmp_path: Path) -> None:
    """Of images or categories that the file does not list: not counted by pycocotools either."""
    COCO = requires("pycocotools.coco").COCO
    COCOeval = requires("pycocotools.cocoeval").COCOeval
    predictions, truths = samples(np.random.default_rng(8), 9)
    content = coco(truths)
    gone = {image["id"] for image in content["images"][6:]}
    content["images"], content["categories"] = content["images"][:6], content["categories"][:2]
    of_images = [one for one in content["annotations"] if one["image_id"] in gone]
    of_classes = [one for one in content["annotations"] if one["category_id"] == 2]
    assert of_images
    assert of_classes
    path = tmp_path / "annotations.json"
    path.write_text(json.dumps(content))
    found = [one for one in entries(predictions[:6], "bbox") if one["category_id"] < 2]
    with contextlib.redirect_stdout(io.StringIO()):
        truth = COCO(str(path))
        theirs = COCOeval(truth, truth.loadRes(found), "bbox")
        theirs.evaluate()
        theirs.accumulate()
        theirs.summarize()

    with pytest.warns(UserWarning, match="do not count, as in pycocotools") as told:
        metric = make(ann_file=str(path), dataset_meta={"classes": CLASSES[:2]})
    kept = [one["labels"] < 2 for one in predictions[:6]]
    metric.add([
        {key: one[key] if key == "img_id" else one[key][known] for key in one}
        for one, known in zip(predictions[:6], kept, strict=True)
    ])  # fmt: skip

    assert metric.compute()["bbox_mAP"] == pytest.approx(theirs.stats[0], abs=1e-12, rel=0)
    texts = [str(one.message) for one in told]
    assert f"{len(of_images)} of {len(content['annotations'])} annotations" in texts[0]
    assert f"image_id is not in 'images', for instance {of_images[0]['image_id']}" in texts[0]
    assert texts[1].endswith("their category_id is not in 'categories', for instance 2")
    content["annotations"] = [
        one for one in content["annotations"] if one not in [*of_images, *of_classes]
    ]
    path.write_text(json.dumps(content))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make(ann_file=str(path), dataset_meta={"classes": CLASSES[:1]})  # fewer classes are chosen


@pytest.mark.parametrize("seed", range(4))
def test_equal_scores_of_proposals_are_ranked_by_category_id(seed: int, tmp_path: Path) -> None:
    """Proposals of equal scores in an image come in the order of the category ids, as pycocotools
    ranks them, whatever the order of the classes.
    """
    requires("pycocotools")
    rng = np.random.default_rng(seed)
    predictions, truths = samples(rng, 12)
    for prediction in predictions:
        prediction["scores"] = rng.choice([0.25, 0.75], len(prediction["scores"]))
    path = tmp_path / "annotations.json"
    path.write_text(json.dumps(coco(truths)))
    shuffled = rng.permutation(len(CLASSES))  # the new label of each category
    names = tuple(CLASSES[label] for label in np.argsort(shuffled))
    metric = make(ann_file=str(path), metric="proposal", dataset_meta={"classes": names})
    metric.add_predictions([{**p, "labels": shuffled[p["labels"]]} for p in predictions])

    value = metric.compute()

    for key, number in oracle("proposal")(predictions, truths).items():
        assert value[key] == pytest.approx(number, abs=1e-12, rel=0), key


def _file(path: Path, images: list[Any], categories: list[dict[str, Any]]) -> str:
    """Write a file with one ground truth in each image, of the first category."""
    annotation = {"category_id": categories[0]["id"], "bbox": [0, 0, 9, 9], "area": 81}
    content = {
        "images": [{"id": image} for image in images],
        "categories": categories,
        "annotations": [{**annotation, "image_id": image} for image in images],
    }
    path.write_text(json.dumps(content))
    return str(path)


def test_two_categories_of_one_name_are_refused(tmp_path: Path) -> None:
    """The annotations of the first of two categories with one name were lost in silence."""
    categories = [{"id": 4, "name": "ant"}, {"id": 7, "name": "ant"}, {"id": 9, "name": "bee"}]
    path = _file(tmp_path / "annotations.json", [1], categories)
    found = {"img_id": 1, "bboxes": [[0, 0, 9, 9]], "scores": [1.0], "labels": [0]}
    metric = make(ann_file=path, dataset_meta={"classes": ("ant",)})

    with pytest.raises(ValueError, match=r"two categories .* 'ant', ids 4 and 7: rename"):
        metric.add([found])

    other = make(ann_file=path, dataset_meta={"classes": ("bee",)})
    other.add([found])
    assert other.compute()["bbox_mAP"] == -1


@pytest.mark.parametrize("ids", [[1.5, 2.5], ["9", "10"], ["a"], [None, 1]])
def test_image_ids_of_a_file_are_integers(ids: list[Any], tmp_path: Path) -> None:
    """Other ids are refused: 1.5 was read as 1, and texts of digits in an order of their own."""
    path = _file(tmp_path / "annotations.json", ids, [{"id": 1, "name": "ant"}])
    metric = make(ann_file=path, dataset_meta={"classes": ("ant",)})

    with pytest.raises((TypeError, ValueError), match=r"the image ids of ann_file .* must"):
        metric.add([{"img_id": 1, "bboxes": [[0, 0, 9, 9]], "scores": [1.0], "labels": [0]}])
