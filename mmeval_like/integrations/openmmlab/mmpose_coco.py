"""MMPose's evaluators of persons: COCO's average precision of poses."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import mmeval_like as mm
from mmeval_like.integrations.openmmlab.adapter import Adapter, Unsupported, array_of, refuse

__all__ = ["CocoMetric", "CocoWholeBodyMetric"]

# Our names of COCO's ten numbers, and MMPose's.
_NAMES = {
    f"keypoints_{ours}{size}": theirs + label
    for ours, theirs in (("mAP", "AP"), ("AR", "AR"))
    for size, label in {"": "", "_50": " .5", "_75": " .75", "_m": " (M)", "_l": " (L)"}.items()
}


class CocoMetric(Adapter):
    """`mmpose.CocoMetric`: COCO's average precision and recall of poses.

    The persons of an image may be samples of several ranks: they meet in `evaluate`, where those
    that are nearly the same as a better one are left out.

    Raises:
        Unsupported: No `ann_file`, or one that is not local or has several categories; options
            other than the default of `use_area`, `iou_type`, `format_only`, the converters and
            `outfile_prefix`; nms_mode="soft_oks_nms".
    """

    default_prefix = "coco"
    parts: tuple[str, ...] = ("keypoints",)

    def __init__(
        self,
        ann_file: str | None = None,
        use_area: bool = True,
        iou_type: str = "keypoints",
        score_mode: str = "bbox_keypoint",
        keypoint_score_thr: float = 0.2,
        nms_mode: str = "oks_nms",
        nms_thr: float = 0.9,
        format_only: bool = False,
        pred_converter: Any = None,
        gt_converter: Any = None,
        outfile_prefix: str | None = None,
        collect_device: str = "cpu",
        prefix: str | None = None,
    ) -> None:
        refuse(format_only=format_only, outfile_prefix=outfile_prefix)
        refuse(pred_converter=pred_converter, gt_converter=gt_converter)
        if iou_type != "keypoints" or not use_area or nms_mode not in ("oks_nms", "none"):
            raise Unsupported(f"{iou_type=}, {use_area=}, {nms_mode=}")
        if ann_file is None or "://" in ann_file:
            raise Unsupported(f"{ann_file=}")
        if score_mode not in ("bbox", "bbox_keypoint", "bbox_rle", "keypoint"):
            raise ValueError(f"score_mode must be one of MMPose's, got {score_mode!r}")
        with open(ann_file, encoding="utf-8") as file:
            content = json.load(file)
        if len(content["categories"]) != 1:
            raise Unsupported("the categories of ann_file: there must be one")
        persons = _Persons(
            _truths_of(content, self.parts),
            (score_mode, keypoint_score_thr),
            nms_thr if nms_mode == "oks_nms" else None,
        )
        super().__init__(persons, prefix, collect_device)

    def facts_of(self, meta: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the spread of the annotated positions of each joint."""
        return {"sigmas": [*map(float, meta["sigmas"])]} if "sigmas" in meta else None

    def columns(self, data_samples: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Return the persons of every data sample: one, or those of a whole image."""
        return {"samples": [self._persons(one) for one in data_samples]}

    def _persons(self, sample: Mapping[str, Any]) -> dict[str, Any]:
        found, truth = sample["pred_instances"], sample["gt_instances"]
        keypoints = array_of(found["keypoints"])
        scores = found.get("bbox_scores", truth.get("bbox_scores", ()))
        if "bbox_scores" not in found and len(scores) != len(keypoints):
            scores = np.ones(len(keypoints))
        spans = np.ptp(keypoints, axis=1).prod(axis=1)
        scales = truth.get("bbox_scales")
        return {
            "id": sample["id"],
            "img_id": int(sample["img_id"]),
            "keypoints": keypoints,
            "keypoint_scores": array_of(found["keypoint_scores"]),
            "bbox_scores": array_of(scores),
            "units": spans if scales is None else np.prod(array_of(scales), axis=1),
            "areas": self.areas_of(found, keypoints),
        }

    def areas_of(self, found: Mapping[str, Any], keypoints: np.ndarray) -> np.ndarray:
        """Return the areas that say which persons are medium or large."""
        if "bboxes" not in found:
            return np.asarray(np.ptp(keypoints, axis=1).prod(axis=1))
        boxes = array_of(found["bboxes"])
        return np.asarray((boxes[:, 2:] - boxes[:, :2]).prod(axis=1))

    def numbers(self, result: Any) -> dict[str, float]:
        """Return the ten numbers."""
        return {theirs: result[ours] for ours, theirs in _NAMES.items()}


class CocoWholeBodyMetric(CocoMetric):
    """`mmpose.CocoWholeBodyMetric`: of body, feet, face and hands together."""

    default_prefix = "coco-wholebody"
    parts = ("keypoints", "foot_kpts", "face_kpts", "lefthand_kpts", "righthand_kpts")

    def areas_of(self, found: Mapping[str, Any], keypoints: np.ndarray) -> np.ndarray:
        """Return the areas of the boxes around the body's 17 joints."""
        return np.asarray(np.ptp(keypoints[:, :17], axis=1).prod(axis=1))


class _Persons(mm.BaseMetric):
    """COCO's numbers of persons that meet in the computation, image by image.

    Args:
        truths: The persons of every image of the annotation file.
        scoring: The way to score a person, and the score above which a joint counts in it.
        thr: The similarity above which a person is the same as a better one; None: all stay.
    """

    def __init__(
        self, truths: list[dict[str, Any]], scoring: tuple[str, float], thr: float | None
    ) -> None:
        super().__init__()
        self.truths, self.scoring, self.thr = truths, scoring, thr

    def states(self) -> dict[str, Any]:
        """Return the data samples, as dicts."""
        return {"samples": mm.state.objects()}

    def rows(self, samples: Any) -> dict[str, Any]:
        """Return one row per data sample, which may have several persons."""
        return {"samples": samples}

    def compute_metric(self, results: Any) -> dict[str, float]:
        """Return the numbers of the persons that are left."""
        images: dict[int, list[dict[str, Any]]] = {one["img_id"]: [] for one in self.truths}
        for sample in results.samples:
            if sample["img_id"] not in images:
                raise ValueError(f"ann_file has no image with img_id {sample['img_id']}")
            images[sample["img_id"]] += self._scored(sample)
        sigmas = np.array((self.dataset_meta or {})["sigmas"])
        poses = mm.CocoKeypoints(sigmas=sigmas.tolist(), dist_backend="non_dist")
        found = [self._left(_once(persons), sigmas) for persons in images.values()]
        poses.add(found, self.truths)
        return dict(poses.compute())

    def _scored(self, sample: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the persons of a data sample, each with its score."""
        mode, thr = self.scoring
        persons = []
        for place, joints in enumerate(sample["keypoint_scores"]):
            score = float(sample["bbox_scores"][place])
            if mode == "keypoint":
                score = float(np.mean(joints))
            elif mode == "bbox_rle":
                score += float(np.mean(joints) + np.max(joints))
            elif mode == "bbox_keypoint":
                kept = joints[joints > thr]
                score *= float(kept.mean()) if kept.size else 0.0
            one = {key: sample[key][place] for key in ("keypoints", "units", "areas")}
            persons.append({"id": sample["id"], "score": score, "seen": (joints > 0).any(), **one})
        return persons

    def _left(self, persons: list[dict[str, Any]], sigmas: np.ndarray) -> dict[str, Any]:
        """Return the persons of an image, without those that nearly are a better one again."""
        if not persons:
            return {"keypoints": [], "scores": []}
        keypoints, scores, units, areas, seen = (
            np.array([one[key] for one in persons])
            for key in ("keypoints", "score", "units", "areas", "seen")
        )
        order = np.argsort(scores, kind="stable")[::-1]
        if self.thr is not None:
            left = []
            while len(order):
                best, order = order[0], order[1:]
                left.append(best)
                squares = ((keypoints[order] - keypoints[best]) ** 2).sum(axis=2)
                means = (units[order] + units[best])[:, None] / 2 + np.spacing(1)
                near = np.exp(-squares / (2 * sigmas) ** 2 / means / 2).mean(axis=1)
                order = order[near.astype(np.float32) <= np.float32(self.thr)]
            order = np.array(left)
        else:
            order = np.sort(order)
        order = order[seen[order]]
        return {"keypoints": keypoints[order], "scores": scores[order], "areas": areas[order]}


def _once(persons: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the persons in the order of their ids, each once; unchanged if ids are of images."""
    if persons and isinstance(persons[0]["id"], Sequence):
        return persons
    first: dict[Any, dict[str, Any]] = {}
    for one in persons:
        first.setdefault(one["id"], one)
    return [first[key] for key in sorted(first)]


def _truths_of(content: Mapping[str, Any], parts: Sequence[str]) -> list[dict[str, Any]]:
    """Return the persons of every image, with the joints of all parts."""
    images: dict[int, list[Mapping[str, Any]]] = {one["id"]: [] for one in content["images"]}
    for person in content["annotations"]:
        images[person["image_id"]].append(person)
    return [
        {
            "img_id": image,
            "keypoints": [
                np.concatenate([one[part] for part in parts]).reshape(-1, 3) for one in persons
            ],
            "bboxes": [[x, y, x + w, y + h] for x, y, w, h in (one["bbox"] for one in persons)],
            "areas": [one["area"] for one in persons],
            "ignore_flags": [bool(one.get("iscrowd", 0)) for one in persons],
        }
        for image, persons in images.items()
    ]
