"""MMDetection's evaluators."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from mmengine.logging import print_log

import mmeval_like as mm
from mmeval_like.integrations.openmmlab.adapter import Adapter, Unsupported, array_of, refuse
from mmeval_like.integrations.openmmlab.masks import as_rles

__all__ = ["CocoMetric", "LVISMetric", "VOCMetric"]

_SIZES = ("s", "m", "l")
# The names of pycocotools' twelve numbers, whatever `proposal_nums` are.
_PRECISIONS = ("mAP", "mAP_50", "mAP_75", *(f"mAP_{size}" for size in _SIZES))
_LVIS_ITEMS = ("AP", "AP50", "AP75", "APs", "APm", "APl", "APr", "APc", "APf")
_RECALLS = ("AR@100", "AR@300", "AR@1000", *(f"AR_{size}@1000" for size in _SIZES))


class CocoMetric(Adapter):
    """`mmdet.CocoMetric`: COCO's average precision of boxes and masks, and recall of proposals.

    Label i is the i-th of the classes in the order of the annotation file's categories, as there.
    `mAP` counts 100 detections of each image and class, the other values the largest of
    `proposal_nums`.

    Raises:
        Unsupported: metric="proposal_fast", files that are not local, other than three
            `proposal_nums`, `sort_categories`, or `outfile_prefix` without `ann_file`.
    """

    default_prefix = "coco"
    digits = 3

    def __init__(
        self,
        ann_file: str | None = None,
        metric: str | list[str] = "bbox",
        classwise: bool = False,
        proposal_nums: Sequence[int] = (100, 300, 1000),
        iou_thrs: float | Sequence[float] | None = None,
        metric_items: Sequence[str] | None = None,
        format_only: bool = False,
        outfile_prefix: str | None = None,
        file_client_args: Any = None,
        backend_args: Any = None,
        collect_device: str = "cpu",
        prefix: str | None = None,
        sort_categories: bool = False,
        use_mp_eval: bool = False,
    ) -> None:
        refuse(file_client_args=file_client_args, backend_args=backend_args)
        refuse(sort_categories=sort_categories)
        self.kinds = [metric] if isinstance(metric, str) else [*metric]
        nums = sorted(set(proposal_nums))
        if "proposal_fast" in self.kinds or len(nums) != 3 or "://" in (ann_file or ""):
            raise Unsupported(f"{metric=}, {ann_file=}, {proposal_nums=}")
        if outfile_prefix is not None and ann_file is None:
            raise Unsupported("outfile_prefix= without ann_file=")
        # Our names of the twelve numbers, which are asked for by MMDetection's.
        recalls = (f"AR@{n}" for n in nums), (f"AR_{size}@{nums[-1]}" for size in _SIZES)
        ours = (*_PRECISIONS, *recalls[0], *recalls[1])
        self.names = dict(zip((*_PRECISIONS, *_RECALLS), ours, strict=True))
        unknown = [item for item in metric_items or () if item not in self.names]
        if unknown:
            raise KeyError(f"metric_items must be of {', '.join(self.names)}, got {unknown[0]!r}")
        self.ann_file, self.nums, self.items = ann_file, nums, metric_items
        self.classwise, self.format_only = classwise, format_only
        self.with_masks = "segm" in self.kinds or outfile_prefix is not None
        options: dict[str, Any] = {"iou_thrs": iou_thrs, "gt_mask_area": False}
        self.every = _Detection(
            ann_file,
            self.kinds,
            proposal_nums=nums,
            metric_items=ours,
            classwise=classwise,
            format_only=format_only,
            outfile_prefix=outfile_prefix,
            **options,
        )
        metrics: dict[str, Any] = {"every": self.every}
        boxes = [kind for kind in self.kinds if kind != "proposal"]
        if 100 in nums[:-1] and boxes and not format_only:
            metrics["first"] = mm.COCODetection(
                ann_file, boxes, proposal_nums=[100], print_results=False, **options
            )
        super().__init__(metrics, prefix, collect_device)

    def facts_of(self, meta: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the classes in the order of the file's categories."""
        classes = meta.get("classes", ())
        if self.ann_file is not None:
            classes = [name for name in self.every.categories if name in classes]
        return {"classes": tuple(classes)}

    def columns(self, data_samples: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Return the detections, and the ground truths if they are not in a file."""
        found = {"predictions": [_detections(one, self.with_masks) for one in data_samples]}
        if self.ann_file is None:
            found["groundtruths"] = [_truths(one, "segm" in self.kinds) for one in data_samples]
        return found

    def numbers(self, result: Any) -> dict[str, float]:
        """Return the numbers of every kind, after those of its classes."""
        every = result["every"]
        if not every:
            if not self.format_only:
                _say_nothing_found("CocoMetric")
            return {}
        values: dict[str, float] = {}
        for kind in self.kinds:
            start = "" if kind == "proposal" else f"{kind}_"
            numbers = {name: every[start + ours] for name, ours in self.names.items()}
            if "first" in result and start:
                numbers["mAP"] = result["first"][f"{start}mAP"]
            elif 100 not in self.nums:
                numbers["mAP"] = -1.0
            if self.classwise and start:
                for name in self.every.classes:
                    value = every[f"{start}{name}_precision"]
                    values[f"{name}_precision"] = math.nan if value == -1 else value
            default = _PRECISIONS if start else _RECALLS
            values |= {start + item: numbers[item] for item in self.items or default}
        return values


class LVISMetric(Adapter):
    """`mmdet.LVISMetric`: LVIS's average precision of boxes and masks.

    Label i is the i-th of the annotation file's categories. `iou_thrs` and `proposal_nums` have no
    effect, and a mask is small, medium or large by the area of its box, as there.

    Raises:
        Unsupported: metric="proposal" or "proposal_fast", no `ann_file` or one that is not local,
            `classwise`, `format_only`, or `outfile_prefix`.
    """

    default_prefix = "lvis"
    digits = 3

    def __init__(
        self,
        ann_file: str | None = None,
        metric: str | list[str] = "bbox",
        classwise: bool = False,
        proposal_nums: Sequence[int] = (100, 300, 1000),
        iou_thrs: float | Sequence[float] | None = None,
        metric_items: Sequence[str] | None = None,
        format_only: bool = False,
        outfile_prefix: str | None = None,
        collect_device: str = "cpu",
        prefix: str | None = None,
        file_client_args: Any = None,
        backend_args: Any = None,
    ) -> None:
        refuse(file_client_args=file_client_args, backend_args=backend_args, classwise=classwise)
        refuse(format_only=format_only, outfile_prefix=outfile_prefix)
        self.kinds: list[Any] = [metric] if isinstance(metric, str) else [*metric]
        if not {*self.kinds} <= {"bbox", "segm"} or ann_file is None or "://" in ann_file:
            raise Unsupported(f"{metric=}, {ann_file=}")
        self.items = _LVIS_ITEMS if metric_items is None else metric_items
        self.of_kind = {kind: _LVISDetection(ann_file, kind) for kind in self.kinds}
        super().__init__(self.of_kind, prefix, collect_device)

    def facts_of(self, meta: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the categories of the file, whatever the dataset's classes are."""
        return {"classes": self.of_kind[self.kinds[0]].categories}

    def columns(self, data_samples: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Return the detections."""
        with_masks = "segm" in self.kinds
        return {"predictions": [_detections(one, with_masks) for one in data_samples]}

    def numbers(self, result: Any) -> dict[str, float]:
        """Return the numbers of every kind."""
        if not any(result.values()):
            _say_nothing_found("LVISMetric")
        return {
            name: value
            for kind in self.kinds
            for name, value in result[kind].items()
            if name.partition("_")[2] in self.items
        }


class VOCMetric(Adapter):
    """`mmdet.VOCMetric`: the mean average precision of PASCAL VOC, of boxes with their last pixel.

    Raises:
        Unsupported: metric="recall", or `scale_ranges`.
    """

    default_prefix = "pascal_voc"

    def __init__(
        self,
        iou_thrs: float | list[float] = 0.5,
        scale_ranges: Any = None,
        metric: str | list[str] = "mAP",
        proposal_nums: Sequence[int] = (100, 300, 1000),
        eval_mode: Any = "11points",
        collect_device: str = "cpu",
        prefix: str | None = None,
    ) -> None:
        refuse(scale_ranges=scale_ranges)
        if metric not in ("mAP", ["mAP"], ("mAP",)):
            raise Unsupported(f"{metric=}")
        self.thrs = [iou_thrs] if isinstance(iou_thrs, float) else [*iou_thrs]
        self.eval_mode = eval_mode
        super().__init__(self.made(classwise=True), prefix, collect_device)

    def made(self, **options: Any) -> Any:
        """Return what computes."""
        return mm.VOCMeanAP(
            self.thrs, eval_mode=self.eval_mode, use_legacy_coordinate=True, **options
        )

    def columns(self, data_samples: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Return the detections, and the ground truths with those to ignore."""
        found, truths = [], []
        for one in data_samples:
            detected = one["pred_instances"]
            found.append({key: array_of(detected[key]) for key in ("bboxes", "scores", "labels")})
            truth = {key: array_of(one["gt_instances"][key]) for key in ("bboxes", "labels")}
            for key in ("bboxes", "labels"):
                truth[f"{key}_ignore"] = array_of(one["ignored_instances"][key])
            truths.append(truth)
        return {"predictions": found, "groundtruths": truths}

    def numbers(self, result: Any) -> dict[str, float]:
        """Return `mAP`, which is not rounded, and the value of every threshold, which is."""
        ours = [value for name, value in result.items() if name.startswith("AP")]
        if self.eval_mode == "11points":
            known = [one for one in result["classwise_result"].values() if one["num_gts"]]
            by_class = [_eleven_points(one["recalls"], one["precisions"]) for one in known]
            ours = np.mean(by_class, axis=0).tolist() if known else [0.0] * len(self.thrs)
        values = [0.0 if math.isnan(value) else value for value in ours]
        names = [f"AP{int(thr * 100):02d}" for thr in self.thrs]
        rounded = [float(np.round(value, 3)) for value in values]
        return {"mAP": sum(values) / len(values), **dict(zip(names, rounded, strict=True))}


def _eleven_points(recalls: np.ndarray, precisions: np.ndarray) -> np.ndarray:
    """Return the mean of the best precision at 11 recalls, for each threshold.

    Three of these recalls are above 0.3, 0.6 and 0.7 by rounding, as in MMDetection: a class that
    ends at such a recall does not reach it.
    """
    reached = recalls[..., None] >= np.arange(0, 1 + 1e-3, 0.1)
    best = np.where(reached, precisions[..., None], 0.0).max(axis=-2, initial=0.0)
    return np.asarray(best.sum(axis=-1) / 11)


class _Counting(mm.BaseMetric):
    """Values of a class after it; none if no image has a detection, as in MMDetection."""

    def states(self) -> dict[str, Any]:
        """Return the states, and the number of detections."""
        return super().states() | {"detections": mm.state.sum(int)}

    def rows(self, predictions: Any, *truths: Any, **named: Any) -> dict[str, Any]:
        """Return the rows, and the number of detections of every image."""
        rows: dict[str, Any] = {**super().rows(predictions, *truths, **named)}
        return rows | {"detections": np.array([len(one["bboxes"]) for one in predictions], int)}

    def compute_metric(self, results: Any) -> dict[str, float]:
        """Return the values, or none."""
        values: dict[str, float] = super().compute_metric(results)  # type: ignore[safe-super]
        return values if results.detections else {}


class _Detection(_Counting, mm.COCODetection):
    """COCO's values, or none."""


class _LVISDetection(_Counting, mm.LVISDetection):
    """LVIS's values, or none; a mask has the size of its box."""

    _sizes_of_boxes = True

    @property
    def categories(self) -> tuple[str, ...]:
        """The names of the file's categories, in its order."""
        assert self._file is not None  # LVISMetric needs one
        return self._file.names


def _say_nothing_found(name: str) -> None:
    print_log(f"{name}: there are no detections", logger="current", level=logging.ERROR)


def _detections(sample: Mapping[str, Any], with_masks: bool) -> dict[str, Any]:
    found = sample["pred_instances"]
    keys = ("bboxes", "scores", "labels", *(("mask_scores",) if with_masks else ()))
    one = {key: array_of(found[key]) for key in keys if key in found}
    if with_masks and "masks" in found:
        one["masks"] = as_rles(found["masks"], sample["ori_shape"])
    return {"img_id": sample["img_id"], **one}


def _truths(sample: Mapping[str, Any], with_masks: bool) -> dict[str, Any]:
    objects = sample["instances"]
    truths = {
        "img_id": sample["img_id"],
        "bboxes": [one["bbox"] for one in objects],
        "labels": [int(one["bbox_label"]) for one in objects],
        "ignore_flags": [bool(one.get("ignore_flag", 0)) for one in objects],
    }
    if with_masks:
        truths["masks"] = as_rles([one["mask"] for one in objects], sample["ori_shape"])
    return truths
