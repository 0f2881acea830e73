"""COCODetection: COCO's average precision and recall of boxes, masks and proposals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mmeval_like.metrics.detection import coco_json, coco_summary, image_dicts
from mmeval_like.metrics.detection.coco_batch import class_names, detections_of, image_ids_of
from mmeval_like.metrics.detection.coco_file import AnnotationFile, FileTruths
from mmeval_like.metrics.detection.coco_states import Evaluation
from mmeval_like.metrics.detection.coco_task import CocoTask
from mmeval_like.metrics.detection.coco_truths import truths_of
from mmeval_like.metrics.detection.images import NO_ID, have_identities
from mmeval_like.metrics.detection.thresholds import as_iou_thresholds
from mmeval_like.writing import (
    SHARE,
    BaseMetric,
    MetricOptions,
    Results,
    Rows,
    State,
    Unpack,
    speaks,
    state,
)
from mmeval_like.writing.intervals import Jackknife

__all__ = ["COCODetection"]

_KINDS = ("bbox", "segm", "proposal")


class COCODetection(BaseMetric):
    """COCO's average precision and recall of boxes, masks or proposals, as by pycocotools.

    Formula:
        mAP = mean_(c, t) 1/101 sum_r max_(recall >= r) precision
        AR_n = mean_(c, t) recall_n

    Args:
        ann_file: The path of a COCO annotation file (JSON) with the ground truths. Images of the
            file that no rank added then count as images without detections. None: `add` takes the
            ground truths.
        metric: What is evaluated, one or several of "bbox" (boxes), "segm" (masks) and "proposal"
            (boxes, whatever their class).
        iou_thrs: The IoU threshold, or several; None: 0.50, 0.55, ..., 0.95.
        classwise: Whether the result also has the average precision of every class.
        proposal_nums: How many detections of each image and class count, in the order of their
            scores: the largest number for precision, and each of the numbers for recall.
        metric_items: Which values to return, out of `mAP`, `mAP_50`, `mAP_75`, `mAP_s`, `mAP_m`,
            `mAP_l`, `AR@{n}` for every n of `proposal_nums`, and `AR_s@{n}`, `AR_m@{n}`, `AR_l@{n}`
            for the largest n. None: the first six for "bbox" and "segm", the others for "proposal".
        format_only: Whether result files are only written, and `compute` returns an empty dict.
        outfile_prefix: If it is given, rank 0 writes the detections in `compute` to
            `{prefix}.bbox.json`, and, if they have masks, to `{prefix}.segm.json`.
        gt_mask_area: Whether the area of a ground truth with a mask is the area of the mask;
            otherwise it is the area of the box. Not used where `ann_file` or `add` gives areas.
        backend_args: Only None, since files are local. The argument exists for compatibility with
            MMEval.
        print_results: Whether the process that computes prints pycocotools' table of all
            samples; slices, and the systems of `Paired`, neither print nor write.
        **options: As for `BaseMetric`. `dataset_meta["classes"]` names the classes.

    Returns of `compute`: floats in [0, 1], or -1 for values for which there is no ground truth. The
    keys are `{metric}_{item}` for "bbox" and "segm", `{item}` for "proposal", and with `classwise`
    `{metric}_{class}_precision`. Higher is better.

    Images are identified by `img_id`: one that is added more than once counts once. Equal
    scores are ranked by img_id, then by their order in the image; images without img_id by
    their place in the dataset. Equal scores of proposals in one image are ranked by the ids of
    their categories first, or without `ann_file` by their labels.

    Source: the evaluation of https://cocodataset.org/#detection-eval. Equal to pycocotools up
    to rounding, except: average precision uses the largest of `proposal_nums`, even if that is not
    100; annotations with id 0 can be matched; without any detection the values are 0.

    Raises:
        KeyError: A metric or an item is unknown.
        TypeError: A threshold or a number has the wrong type.
        ValueError: A threshold is out of [0, 1]; `format_only` is given without `outfile_prefix`; a
            file is not an annotation file, or has two categories with the name of a class; or
            `backend_args` are given.
        RuntimeError: `add` was called, and `dataset_meta` has no classes.

    Example:
        >>> metric = COCODetection(
        ...     dataset_meta={"classes": ("cat", "dog")}, classwise=True, print_results=False
        ... )
        >>> truth = {"bboxes": [[0, 0, 10, 10], [50, 50, 90, 90]], "labels": [0, 1]}
        >>> found = {"bboxes": [[0, 0, 10, 8], [0, 50, 30, 90]], "scores": [0.9, 0.8],
        ...          "labels": [0, 1]}
        >>> metric.add([{"img_id": 7, **found}], [{"img_id": 7, **truth}])
        >>> values = metric.compute()
        >>> round(values["bbox_mAP"], 2), values["bbox_mAP_50"], values["bbox_mAP_l"]
        (0.35, 0.5, -1.0)
        >>> round(values["bbox_cat_precision"], 2), values["bbox_dog_precision"]
        (0.7, 0.0)
    """

    ranges = SHARE
    higher_is_better = True

    def __init__(
        self,
        ann_file: str | None = None,
        metric: str | Sequence[str] = "bbox",
        iou_thrs: float | Sequence[float] | None = None,
        classwise: bool = False,
        proposal_nums: Sequence[int] = (1, 10, 100),
        metric_items: Sequence[str] | None = None,
        format_only: bool = False,
        outfile_prefix: str | None = None,
        gt_mask_area: bool = True,
        backend_args: None = None,
        print_results: bool = True,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        self.metrics = (metric,) if isinstance(metric, str) else tuple(dict.fromkeys(metric))
        unknown = [name for name in self.metrics if name not in _KINDS]
        if unknown or not self.metrics:
            raise KeyError(f"metric must be of {', '.join(_KINDS)}, got {metric!r}")
        self.iou_thrs = as_iou_thresholds(iou_thrs)
        if not all(isinstance(n, int) and n > 0 for n in proposal_nums) or not proposal_nums:
            raise TypeError(f"proposal_nums must be positive integers, got {proposal_nums!r}")
        self.proposal_nums = tuple(sorted(set(proposal_nums)))
        names = [*coco_summary.item_names(self.proposal_nums)]
        unknown = [item for item in metric_items or () if item not in names]
        if unknown:
            raise KeyError(f"metric_items must be of {', '.join(names)}, got {unknown[0]!r}")
        self.metric_items = None if metric_items is None else tuple(metric_items)
        if format_only and outfile_prefix is None:
            raise ValueError("format_only needs outfile_prefix, the start of the files' paths")
        if backend_args is not None:
            raise ValueError("backend_args must be None: ann_file is read from the local disk")
        self.classwise = classwise
        self.format_only = format_only
        self.outfile_prefix = outfile_prefix
        self.gt_mask_area = gt_mask_area
        self.print_results = print_results
        self._file = None if ann_file is None else AnnotationFile(ann_file, not format_only)

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of the classes.

        Raises:
            RuntimeError: `dataset_meta` has no classes.
            ValueError: Two classes have the same name.
        """
        return class_names("COCODetection", self._dataset_meta)

    @property
    def categories(self) -> tuple[str, ...]:
        """The names of the categories in `ann_file`, in the file's order; none without a file."""
        return () if self._file is None else self._file.names

    def states(self) -> dict[str, State]:
        """Return the image's identity, its matches, and its detections if they are written."""
        states = self._evaluation().states()
        return states if self.outfile_prefix is None else states | {"written": state.objects()}

    def in_any_order(self, rows: Mapping[str, Rows]) -> bool:
        """Return whether all images have an `img_id`."""
        return have_identities(rows)

    @property
    def jackknife(self) -> Jackknife:
        """The caveat for classes with few ground truths."""
        return self._evaluation().jackknife

    def add_predictions(self, predictions: Any, ids: Any = None) -> None:
        """Accumulate detections whose ground truths are in `ann_file`; otherwise as `add`."""
        self.add(predictions, ids=ids)

    def rows(self, predictions: Any, groundtruths: Any = None) -> dict[str, Any]:
        """Return one row per image.

        Args:
            predictions: A list with a dict for each image: `bboxes` (n, 4) of x1, y1, x2, y2 in
                pixels; `scores` (n,); `labels` (n,), class indices; `img_id`, an integer, which is
                needed with `ann_file`; for "segm" `masks`, n masks as run-length encoded (RLE)
                dicts with `size` and `counts`, and optionally `mask_scores` (n,).
            groundtruths: A list with a dict for each image: `bboxes` (m, 4), `labels` (m,);
                optionally `img_id`; `areas` (m,), which decide whether an object is small, medium
                or large; `ignore_flags` (m,), which mark crowds; and `masks`, which "segm" needs.
                It is not used with `ann_file`.

        Raises:
            KeyError: A key is missing.
            TypeError: A value has the wrong type.
            ValueError: Lengths differ, a label is out of range, a value is nan or infinite, or an
                image has no img_id or is not in `ann_file`.
        """
        classes = self.classes
        if self._file is None and not self.format_only:
            predictions, groundtruths = image_dicts.check_image_pairs(predictions, groundtruths)
        else:
            predictions, groundtruths = image_dicts.check_images("predictions", predictions), None
        image_ids = image_ids_of(predictions, groundtruths)
        with_masks = "segm" in self.metrics and not self.format_only
        found = detections_of(predictions, len(classes), with_masks)
        rows: dict[str, Any] = {"image": image_ids}
        if self.outfile_prefix is not None:
            rows["written"] = coco_json.portable(predictions, image_ids)
        if self.format_only:
            return rows
        if groundtruths is None:
            if NO_ID in image_ids:
                raise ValueError("predictions need the key 'img_id', to be found in ann_file")
            truths = self._file_truths().of(image_ids, with_masks)
        else:
            truths = truths_of(groundtruths, len(classes), with_masks, self.gt_mask_area)
        for task in self._tasks():
            rows |= task.rows(found, truths)
        return rows

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Sort the matched detections, accumulate, average; write and print if asked to."""
        evaluation = self._evaluation()
        images = evaluation.images(results)
        if self.outfile_prefix is not None and speaks():
            written = results.written
            self.results2json(
                written if images is None else [written[i] for i in images], self.outfile_prefix
            )
        values: dict[str, float] = {}
        found = evaluation.curves(results, images)
        for task, curves in zip(evaluation.tasks, found, strict=True):
            numbers = coco_summary.values_of(curves, self.iou_thrs, self.proposal_nums)
            values |= self._named(task.kind, numbers)
            if self.print_results and speaks():
                print(f"\n{task.kind}")
                print(coco_summary.summary_text(numbers, self.iou_thrs, self.proposal_nums))
            if self.classwise and task.kind != "proposal":
                by_class = coco_summary.precision_by_class(curves, self.classes)
                if self.print_results and speaks():
                    print(coco_summary.classwise_text(by_class))
                values |= {f"{task.kind}_{k}_precision": v for k, v in by_class.items()}
        return values

    @property
    def asks(self) -> frozenset[Any] | None:
        """The curves; None if detections are written, which requires all of them."""
        return None if self.outfile_prefix is not None else self._evaluation().asks

    def results2json(self, results: Sequence[Any], outfile_prefix: str) -> dict[str, str]:
        """Write detections as COCO result files.

        Args:
            results: Predictions, as for `add`; img_id defaults to the index in the list.
            outfile_prefix: The start of the files' paths.

        Returns:
            The paths by kind: `bbox`, `proposal` (the same file) and, with masks, `segm`.
        """
        if self._file is not None:
            category_ids = self._file_truths().category_ids
        else:
            category_ids = [*range(len(self.classes))]
        paths = {
            kind: coco_json.write(entries, f"{outfile_prefix}.{kind}.json")
            for kind, entries in coco_json.results_of(results, category_ids).items()
        }
        return paths | {"proposal": paths["bbox"]}

    def gt_to_coco_json(self, gt_dicts: Sequence[Any], outfile_prefix: str) -> str:
        """Write ground truths, as for `add`, to `{prefix}.gt.json`; return that path."""
        content = coco_json.dataset_of(gt_dicts, self.classes, self.gt_mask_area)
        return coco_json.write(content, f"{outfile_prefix}.gt.json")

    @staticmethod
    def xyxy2xywh(bbox: Any) -> list[float]:
        """Return a box of corners x1, y1, x2, y2 as a list of x, y, width, height."""
        return coco_json.xyxy2xywh(bbox)

    def _evaluation(self) -> Evaluation:
        of_file = None if self._file is None else lambda: self._file_truths().truths
        return Evaluation(self._tasks(), of_file)

    def _tasks(self) -> list[CocoTask]:
        if self.format_only:
            return []
        numbers = (self.iou_thrs, self.proposal_nums, len(self.classes), self._file is None)
        ids = None if self._file is None else self._file_truths().category_ids
        return [CocoTask(kind, *numbers, ids) for kind in self.metrics]

    def _file_truths(self) -> FileTruths:
        assert self._file is not None
        return self._file.of_classes(self.classes)

    def _named(self, kind: str, numbers: dict[str, float]) -> dict[str, float]:
        chosen = self.metric_items
        if chosen is None:
            wanted = "AR" if kind == "proposal" else "mAP"
            chosen = tuple(name for name in numbers if name.startswith(wanted))
        prefix = "" if kind == "proposal" else f"{kind}_"
        return {prefix + name: numbers[name] for name in chosen}
