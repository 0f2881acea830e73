"""Masks, boxes and poses: the batches, and the rows with their peers."""

from __future__ import annotations

import contextlib
import importlib
import io
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from benchmarks.peers.data import Batches
from benchmarks.peers.packages import Peer, Row, each, run, torchmetrics

__all__ = ["MASKS", "MASK_DATA"]

_PERSONS = {"images": 2693, "persons": 11004}  # of COCO val2017
_SIZE, _JOINTS = 16, 17


def _organs() -> Batches:
    """Disks of three classes, and the same a little moved: 64 x 64 pixels, since peers are slow."""
    rng, places = np.random.default_rng(0), np.indices((64, 64))

    def disks(centres: np.ndarray) -> np.ndarray:
        image = np.zeros((64, 64), np.int64)
        for index, (centre, radius) in enumerate(zip(centres, (15, 10, 5), strict=True)):
            image[np.hypot(*(places - centre[:, None, None])) < radius] = index + 1
        return image

    batches = []
    for _ in range(2):
        centres = rng.uniform(20, 44, (4, 3, 2))
        truths = np.stack([disks(c) for c in centres])
        batches.append((np.stack([disks(c + rng.normal(0, 1, (3, 2))) for c in centres]), truths))
    return batches


def _panoptic() -> Batches:
    """Images of 120 x 160 pixels, since peers are slow, with as many segments as COCO's have."""
    rng, batches = np.random.default_rng(0), []
    for _ in range(2):
        coarse = np.stack([rng.integers(0, 20, (4, 4, 4)), rng.integers(0, 3, (4, 4, 4))], axis=-1)
        truths = coarse.repeat(30, axis=1).repeat(40, axis=2)
        found = np.roll(truths, (7, 5), axis=(1, 2))
        batches.append((found, truths))
    return batches


def _boxes() -> Batches:
    from benchmarks.coco_images import make_images

    found, truths = make_images(500)
    return [(found[i : i + _SIZE], truths[i : i + _SIZE]) for i in range(0, len(found), _SIZE)]


def _poses() -> Batches:
    """As many images and persons as those of COCO val2017 that have persons; 20 detections each."""
    rng = np.random.default_rng(0)
    counts = rng.multinomial(
        _PERSONS["persons"], np.full(_PERSONS["images"], 1 / _PERSONS["images"])
    )
    found, truths = [], []
    for image, count in enumerate(counts.tolist()):
        low, side = (
            rng.random((count, 2)) * 400,
            np.exp(rng.normal(4.4, 0.7, (count, 2))),
        )
        joints = low[:, None] + rng.random((count, _JOINTS, 2)) * side[:, None]
        visible = rng.integers(0, 3, (count, _JOINTS)) * (rng.random((count, 1)) < 0.6)
        around = rng.integers(0, max(count, 1), 20)
        poses = joints[around] if count else np.zeros((20, _JOINTS, 2))
        noise = rng.normal(0, 8, poses.shape) * rng.random((20, 1, 1))
        found.append({"img_id": image, "keypoints": poses + noise, "scores": rng.random(20)})
        truths.append(
            {
                "img_id": image,
                "keypoints": np.concatenate([joints, visible[:, :, None]], axis=2),
                "bboxes": np.hstack([low, low + side]),
                "areas": side.prod(axis=1) * 0.6,
                "ignore_flags": rng.random(count) < 0.02,
            }
        )
    return [(found[i : i + _SIZE], truths[i : i + _SIZE]) for i in range(0, len(found), _SIZE)]


def _shapes() -> Batches:
    rng = np.random.default_rng(0)
    truths = rng.normal(size=(8, 64, 17, 3))
    return [(t + rng.normal(0, 0.1, t.shape), t) for t in truths]


def _of_images(name: str, key: str) -> Peer:
    """A class of torchmetrics that takes dicts of boxes."""

    def prepare(batches: Batches) -> Callable[[], Any]:
        torch = importlib.import_module("torch")
        metric = getattr(importlib.import_module("torchmetrics.detection"), name)()
        names = {"boxes": "bboxes", "labels": "labels", "scores": "scores"}

        def side(images: Any, count: int) -> list[dict[str, Any]]:
            keys = list(names.items())[:count]
            return [{k: torch.from_numpy(image[ours]) for k, ours in keys} for image in images]

        tensors = [(side(found, 3), side(truths, 2)) for found, truths in batches]
        return lambda: float(run(metric, metric.update, tensors)[key])

    return Peer("torchmetrics", prepare)


def _coco(package: str) -> Peer:
    """The evaluation of keypoints by pycocotools or faster-coco-eval."""

    def prepare(batches: Batches) -> Callable[[], Any]:
        if package == "pycocotools":
            dataset = importlib.import_module("pycocotools.coco").COCO
            evaluator = importlib.import_module("pycocotools.cocoeval").COCOeval
        else:
            module = importlib.import_module("faster_coco_eval")
            dataset, evaluator = module.COCO, module.COCOeval_faster
        content, found = _coco_dicts(batches)

        def evaluate() -> list[float]:
            with contextlib.redirect_stdout(io.StringIO()):
                truths = dataset()
                truths.dataset = content
                truths.createIndex()
                result = evaluator(
                    truths, truths.loadRes([dict(one) for one in found]), "keypoints"
                )
                result.evaluate()
                result.accumulate()
                result.summarize()
            return [float(value) for value in result.stats[:10]]

        return evaluate

    return Peer(package, prepare)


def _coco_dicts(batches: Batches) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    annotations: list[dict[str, Any]] = []
    found: list[dict[str, Any]] = []
    images = [pair for batch in batches for pair in zip(*batch, strict=True)]
    for detections, truth in images:
        same = {"image_id": truth["img_id"], "category_id": 1}
        for joints, (x1, y1, x2, y2), area, crowd in zip(
            *(truth[key] for key in ("keypoints", "bboxes", "areas", "ignore_flags")),
            strict=True,
        ):
            annotations.append(
                {
                    **same,
                    "id": len(annotations) + 1,
                    "keypoints": joints.reshape(-1).tolist(),
                    "num_keypoints": int(np.count_nonzero(joints[:, 2])),
                    "bbox": [x1, y1, x2 - x1, y2 - y1],
                    "area": area,
                    "iscrowd": int(crowd),
                }
            )
        for pose, score in zip(detections["keypoints"], detections["scores"], strict=True):
            joints = np.hstack([pose, np.ones((_JOINTS, 1))]).reshape(-1).tolist()
            found.append({**same, "keypoints": joints, "score": float(score)})
    content = {
        "info": {},
        "images": [{"id": truth["img_id"], "width": 640, "height": 480} for _, truth in images],
        "annotations": annotations,
        "categories": [{"id": 1, "name": "person", "keypoints": [""] * _JOINTS, "skeleton": []}],
    }
    return content, found


MASK_DATA: dict[str, Callable[[], Batches]] = {
    name: cache(make)
    for name, make in {
        "organs": _organs,
        "one organ": lambda: [
            (found.clip(max=1), truths.clip(max=1)) for found, truths in _organs()
        ],
        "panoptic": _panoptic,
        "boxes": _boxes,
        "coco poses": _poses,
        "shapes": _shapes,
    }.items()
}
_MAPS: Any = {"num_classes": 4, "input_format": "index"}
_SEGMENTS: Any = {"things": range(10), "stuffs": range(10, 20)}
_THEIRS: Any = {"things": set(range(10)), "stuffs": set(range(10, 20))}
MASKS = [
    Row(
        "DiceScore",
        "sums",
        "organs",
        {"num_classes": 4},
        [torchmetrics("DiceScore", average="macro", **_MAPS)],
    ),
    Row(
        "GeneralizedDiceScore",
        "sums",
        "organs",
        {"num_classes": 4},
        [torchmetrics("GeneralizedDiceScore", **_MAPS)],
    ),
    Row(
        "MeanIoU (per image)",
        "sums",
        "organs",
        {"num_classes": 4, "per_image": True},
        [torchmetrics("MeanIoU", **_MAPS)],
        compared=False,
    ),
    Row(
        "HausdorffDistance",
        "sums",
        "one organ",
        {"num_classes": 2},
        [each("skimage.metrics.hausdorff_distance")],
        compared=False,
    ),
    Row(
        "PanopticQuality",
        "sums",
        "panoptic",
        _SEGMENTS,
        [torchmetrics("PanopticQuality", **_THEIRS)],
    ),
    Row(
        "ModifiedPanopticQuality",
        "sums",
        "panoptic",
        _SEGMENTS,
        [torchmetrics("ModifiedPanopticQuality", **_THEIRS)],
    ),
    *(
        Row(name, "sums", "boxes", {}, [_of_images(name, key)])
        for name, key in {
            "IntersectionOverUnion": "iou",
            "GeneralizedIntersectionOverUnion": "giou",
            "DistanceIntersectionOverUnion": "diou",
            "CompleteIntersectionOverUnion": "ciou",
        }.items()
    ),
    Row(
        "CocoKeypoints",
        "scores",
        "coco poses",
        {},
        [_coco("faster-coco-eval"), _coco("pycocotools")],
    ),
    Row("ProcrustesDisparity", "sums", "shapes", {}, [torchmetrics("ProcrustesDisparity")]),
]
