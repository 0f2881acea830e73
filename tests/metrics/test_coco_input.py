"""What COCODetection refuses."""

import json
from pathlib import Path

import numpy as np
import pytest

from mmeval_like import COCODetection
from tests.helpers import requires
from tests.metrics.coco_oracle import coco, make

BOX = {"bboxes": [[0, 0, 9, 9]], "labels": [1], "scores": [0.3]}

MASK = {"size": [4, 4], "counts": [16]}

BAD = {
    "no list": ({}, BOX, [BOX], TypeError, "predictions must be a list"),
    "no dict": ({}, [3], [BOX], TypeError, r"predictions\[0\] must be a dict"),
    "no truths": ({}, [BOX], None, TypeError, "groundtruths must be a list"),
    "lengths": ({}, [BOX, BOX], [BOX], ValueError, "same length, got 2 and 1"),
    "no scores": ({}, [{"bboxes": [], "labels": []}], [BOX], KeyError, "needs the key 'scores'"),
    "no labels": ({}, [BOX], [{"bboxes": []}], KeyError, "groundtruths.*'labels'"),
    "few scores": ({}, [BOX | {"scores": []}], [BOX], ValueError, "as many 'scores' as 'bboxes'"),
    "many labels": ({}, [BOX], [BOX | {"labels": [0, 1]}], ValueError, "as many 'labels'"),
    "few areas": ({}, [BOX], [BOX | {"areas": []}], ValueError, "as many 'areas' as 'labels'"),
    "area -1": ({}, [BOX], [BOX | {"areas": [-1]}], ValueError, "areas of .* must not be negative"),
    "corners": ({}, [BOX | {"bboxes": [[0, 9]]}], [BOX], ValueError, r"shape \(n, 4\), got \(1, 2"),
    "flat": ({}, [BOX | {"bboxes": [0, 0, 9, 9]}], [BOX], ValueError, r"shape \(n, 4\), got \(4,"),
    "nan box": ({}, [BOX], [BOX | {"bboxes": [[0, 0, 9, np.nan]]}], ValueError, "must be finite"),
    "nan score": (
        {},
        [BOX, BOX | {"scores": [np.nan]}],
        [BOX, BOX],
        ValueError,
        r"predictions\[1\]",
    ),
    "label 3": ({}, [BOX | {"labels": [3]}], [BOX], ValueError, r"in \[0, 3\).*got 3 in row 0"),
    "label -1": ({}, [BOX], [BOX | {"labels": [-1]}], ValueError, "got -1"),
    "label 0.5": ({}, [BOX | {"labels": [0.5]}], [BOX], TypeError, "must be integers"),
    "text": ({}, [BOX | {"scores": ["high"]}], [BOX], TypeError, "must be numeric, got 'high'"),
    "img_id": ({}, [BOX | {"img_id": 1}], [BOX | {"img_id": 2}], ValueError, "img_id 1 and 2"),
    "text id": ({}, [BOX | {"img_id": "a"}], [BOX], TypeError, "img_id must be an integer"),
    "huge id": ({}, [BOX | {"img_id": 2**63}], [BOX], ValueError, "img_id must fit into int64"),
    "ids": ({}, [BOX | {"img_id": [1, 2]}], [BOX], TypeError, "img_id must be an integer"),
    "far": ({}, [BOX], [BOX | {"bboxes": [[0, 0, 9, 1e101]]}], ValueError, r"within 1e\+100"),
    "rounded": ({}, [BOX | {"bboxes": [[0, 0, 9, 2**53 + 1]]}], [BOX], ValueError, "float64"),
    "no masks": ({"metric": "segm"}, [BOX], [BOX | {"masks": [MASK]}], KeyError, "'masks'"),
    "few masks": ({"metric": "segm"}, [BOX | {"masks": []}], [BOX], ValueError, "as many 'masks'"),
    "no rle": ({"metric": "segm"}, [BOX | {"masks": [3]}], [BOX], TypeError, "must be an RLE dict"),
    "short rle": (
        {"metric": "segm"},
        [BOX | {"masks": [{"size": [4, 4], "counts": [3]}]}],
        [BOX],
        ValueError,
        "add up to 4",
    ),
    # pycocotools would loop for ever over the runs of two such masks.
    "long rle": (
        {"metric": "segm"},
        [BOX | {"masks": [{"size": [4, 4], "counts": b"55424000"}]}],
        [BOX | {"masks": [MASK]}],
        ValueError,
        r"predictions\[0\]\['masks'\]\[0\] must have counts that add up to 4 \* 4",
    ),
    "no runs": (
        {"metric": "segm"},
        [BOX | {"masks": [{"size": [4, 4], "counts": "abc"}]}],
        [BOX | {"masks": [MASK]}],
        ValueError,
        "not valid compressed run lengths",
    ),
    "large rle": (
        {"metric": "segm"},
        [BOX | {"masks": [{"size": [1 << 31, 2], "counts": [1 << 32]}]}],
        [BOX],
        ValueError,
        "at most 2\\^32 pixels",
    ),
    "size 4.5": (
        {"metric": "segm"},
        [BOX | {"masks": [{"size": [4.5, 4], "counts": [16]}]}],
        [BOX],
        TypeError,
        "size of two integers",
    ),
    "rle sizes": (
        {"metric": "segm"},
        [BOX | {"masks": [MASK]}],
        [BOX | {"masks": [{"size": [2, 8], "counts": [16]}]}],
        ValueError,
        "have the same size",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused(name: str) -> None:
    """What cannot be meant raises, names the argument, and leaves the metric as it was."""
    requires("pycocotools")
    options, predictions, truths, error, text = BAD[name]
    metric = make(**options)

    with pytest.raises(error, match=text):
        metric.add(predictions, truths)
    assert metric._samples().stores()[0].count == 0


OPTIONS = {
    "metric": ({"metric": "keypoints"}, KeyError, "bbox, segm, proposal"),
    "no metric": ({"metric": ()}, KeyError, "bbox, segm, proposal"),
    "item": ({"metric_items": ["AP"]}, KeyError, "mAP_50"),
    "thr text": ({"iou_thrs": "0.5"}, TypeError, "iou_thrs must be a number"),
    "thr percent": ({"iou_thrs": [50]}, ValueError, r"in \[0, 1\], got 50"),
    "no thr": ({"iou_thrs": []}, ValueError, "must not be empty"),
    "numbers": ({"proposal_nums": (1.5,)}, TypeError, "positive integers"),
    "zero": ({"proposal_nums": (0, 1)}, TypeError, "positive integers"),
    "prefix": ({"format_only": True}, ValueError, "needs outfile_prefix"),
    "backend": ({"backend_args": {"backend": "s3"}}, ValueError, "local disk"),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_bad_options_are_refused(name: str) -> None:
    """Wrong arguments of the constructor raise there."""
    options, error, text = OPTIONS[name]

    with pytest.raises(error, match=text):
        make(**options)


def test_classes_are_needed() -> None:
    """Names of classes come from dataset_meta, each once."""
    with pytest.raises(RuntimeError, match="dataset_meta"):
        COCODetection().add([BOX], [BOX])
    with pytest.raises(ValueError, match="distinct"):
        COCODetection(dataset_meta={"classes": ("ant", "ant")}).add([BOX], [BOX])


def test_bad_files_are_refused(tmp_path: Path) -> None:
    """A file that is no annotation file, lacks a class, or lacks an image, is named."""
    path = tmp_path / "file.json"
    path.write_text("[]")
    with pytest.raises(ValueError, match="annotations"):
        make(ann_file=str(path))
    path.write_text(json.dumps(coco([])))
    with pytest.raises(ValueError, match="no category 'emu'"):
        make(ann_file=str(path), dataset_meta={"classes": ["emu"]}).add_predictions([])
    with pytest.raises(ValueError, match="img_id 4, which is not in ann_file"):
        make(ann_file=str(path)).add_predictions([BOX | {"img_id": 4}])
    with pytest.raises(ValueError, match="need the key 'img_id'"):
        make(ann_file=str(path)).add_predictions([BOX])


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"bbox": [0, 0, 9]}, "'bbox' of every annotation must be 4 finite numbers"),
        ({"area": None}, "'area' of annotation 7 must be a finite number, got None"),
        ({"area": float("nan")}, "'area' of annotation 7 must be a finite number, got nan"),
        ({"segmentation": [[0, 0, 5, 5]]}, "annotation 7 .* at least 3 points"),
        ({"segmentation": [[0, 0, 5, 5, 1e9, 0]]}, "annotation 7 .* within a million pixels"),
        ({"segmentation": {"size": [9, 9], "counts": "55"}}, "annotation 7 .* add up to 9"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_bad_annotations_are_refused(changed: dict[str, object], text: str, tmp_path: Path) -> None:
    """A box, an area or a mask of a file that cannot be meant is named."""
    requires("pycocotools")
    content = coco([])
    content["images"] = [{"id": 4, "height": 9, "width": 9}]
    good = {"id": 7, "image_id": 4, "category_id": 1, "bbox": [0, 0, 9, 9], "area": 81}
    content["annotations"] = [good | {"segmentation": [[0, 0, 9, 0, 9, 9]]} | changed]
    path = tmp_path / "file.json"
    path.write_text(json.dumps(content))
    metric = make(ann_file=str(path), metric="segm")

    with pytest.raises(ValueError, match=text):
        metric.add_predictions([BOX | {"img_id": 4, "masks": [{"size": [9, 9], "counts": [81]}]}])


def test_a_file_is_a_path() -> None:
    """A number is no file, not even where a file of that number is open."""
    with pytest.raises(TypeError, match="PathLike"):
        make(ann_file=0)
