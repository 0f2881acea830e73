"""LVISDetection: average precision of many classes, only some of them labelled in an image."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mmeval_like.metrics._common.number_inputs import check_option
from mmeval_like.metrics._common.option_checks import check_count
from mmeval_like.metrics.detection import coco_summary, image_dicts
from mmeval_like.metrics.detection.coco_batch import class_names, detections_of, image_ids_of
from mmeval_like.metrics.detection.coco_file import AnnotationFile, FileTruths
from mmeval_like.metrics.detection.coco_states import Evaluation
from mmeval_like.metrics.detection.images import NO_ID, have_identities
from mmeval_like.metrics.detection.lvis_task import (
    LvisTask,
    federated_truths_of,
    federated_truths_of_file,
)
from mmeval_like.metrics.detection.thresholds import as_iou_thresholds
from mmeval_like.writing import SHARE, BaseMetric, MetricOptions, Results, Rows, State, Unpack
from mmeval_like.writing.intervals import Jackknife

__all__ = ["LVISDetection"]

_FREQUENCIES = ("r", "c", "f")  # rare, common, frequent


class LVISDetection(BaseMetric):
    """LVIS's average precision, for images in which only some of many classes are annotated.

    The ground truths of an image list the classes that it contains, and `neg_labels` the classes
    that it is known not to contain. Detections of all other classes are ignored, since nothing is
    known about them. If a class is not annotated exhaustively in an image, its detections that
    match nothing are ignored. Everything else is as in `COCODetection`.

    Formula:
        AP = mean_(c, t) 1/101 sum_r max_(recall >= r) precision
        AR_n = mean_(c, t) recall_n

    Args:
        ann_file: The path of an LVIS annotation file (JSON) with the ground truths. Images of the
            file that no rank added then count as images without detections. None: `add` takes the
            ground truths.
        metric: "bbox" (boxes) or "segm" (masks).
        iou_thrs: The IoU threshold, or several; None: 0.50, 0.55, ..., 0.95.
        max_dets: The number of detections per image that count: those with the highest scores over
            all classes.
        frequencies: The frequency of each class: "r" (rare), "c" (common) or "f" (frequent). None:
            the frequencies in the annotation file; without a file, the values of these three groups
            are -1.
        **options: As for `BaseMetric`. `dataset_meta["classes"]` names the classes.

    Returns of `compute`: `{metric}_AP`; `{metric}_AP50` and `{metric}_AP75`, at a single threshold;
    `{metric}_APs`, `{metric}_APm` and `{metric}_APl`, for small, medium and large objects;
    `{metric}_APr`, `{metric}_APc` and `{metric}_APf`, for rare, common and frequent classes; and
    recall, `{metric}_AR@{max_dets}`, `{metric}_ARs@{max_dets}` and so on: floats in [0, 1], or -1
    where no ground truth defines them. Higher is better.

    Images are identified by `img_id`: an image that is added more than once counts once. Equal
    scores are ranked by img_id, then by their order in the image; images without img_id by their
    place in the dataset.

    Source: A. Gupta, P. Dollár, R. Girshick, "LVIS: a dataset for large vocabulary instance
    segmentation" (CVPR 2019).

    Raises:
        TypeError: A threshold or a number has the wrong type.
        ValueError: A threshold is out of [0, 1]; `metric` is unknown; a file has no annotations; a
            frequency is not "r", "c" or "f"; or, in `compute`, their number is not that of the
            classes.
        RuntimeError: `add` was called, and `dataset_meta` has no classes.

    Example:
        >>> meta = {"classes": ("cat", "dog", "emu")}
        >>> metric = LVISDetection(dataset_meta=meta, frequencies="frc")
        >>> box = [0, 0, 10, 10]
        >>> truth = {"bboxes": [box], "labels": [0], "neg_labels": [1]}
        >>> found = {"bboxes": [box] * 3, "scores": [0.5, 0.7, 0.9], "labels": [0, 1, 2]}
        >>> metric.add([found], [truth])  # the emu is ignored: emus were not annotated
        >>> values = metric.compute()
        >>> values["bbox_AP"], values["bbox_APf"], values["bbox_APr"]
        (1.0, 1.0, -1.0)
    """

    ranges = SHARE
    higher_is_better = True
    _sizes_of_boxes = False

    def __init__(
        self,
        ann_file: str | None = None,
        metric: str = "bbox",
        iou_thrs: float | Sequence[float] | None = None,
        max_dets: int = 300,
        frequencies: Sequence[str] | None = None,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        self.metric = check_option("metric", metric, ("bbox", "segm"))
        self.iou_thrs = as_iou_thresholds(iou_thrs)
        self.max_dets = check_count("max_dets", max_dets)
        if frequencies is not None and not {*frequencies} <= {*_FREQUENCIES}:
            raise ValueError(
                f"frequencies must be 'r', 'c' or 'f' for each class, got {frequencies}"
            )
        self.frequencies = frequencies
        self._file = None if ann_file is None else AnnotationFile(ann_file)

    def states(self) -> dict[str, State]:
        """Return the image's identity and its matches."""
        return self._evaluation().states()

    def in_any_order(self, rows: Mapping[str, Rows]) -> bool:
        """Return whether all images have an `img_id`."""
        return have_identities(rows)

    @property
    def jackknife(self) -> Jackknife:
        """The caveat for classes with few ground truths."""
        return self._evaluation().jackknife

    def rows(self, predictions: Any, groundtruths: Any = None) -> dict[str, Any]:
        """Return one row per image.

        Args:
            predictions: A list with a dict for each image: `bboxes` (n, 4) of x1, y1, x2, y2 in
                pixels; `scores` (n,); `labels` (n,), class indices; `img_id`, an integer, which is
                needed with `ann_file`; for "segm" `masks`, n masks as run-length encoded (RLE)
                dicts with `size` and `counts`, and optionally `mask_scores` (n,).
            groundtruths: A list with a dict for each image: `bboxes` (m, 4), `labels` (m,);
                optionally `img_id`; `neg_labels`, the classes that the image is known not to have;
                `not_exhaustive_labels`, the classes with objects in the image that may not be
                annotated; `masks`, which "segm" needs; and `areas` (m,), by default those of the
                masks, or else of the boxes. It is not used with `ann_file`.

        Raises:
            KeyError: A key is missing.
            TypeError: A value has the wrong type.
            ValueError: Lengths differ, a label is out of range, a value is nan or infinite, or an
                image has no img_id or is not in `ann_file`.
        """
        count, with_masks = len(self._classes()), self.metric == "segm"
        if self._file is None:
            predictions, groundtruths = image_dicts.check_image_pairs(predictions, groundtruths)
            image_ids = image_ids_of(predictions, groundtruths)
            truths = federated_truths_of(groundtruths, count, with_masks)
        else:
            predictions = image_dicts.check_images("predictions", predictions)
            image_ids = image_ids_of(predictions, None)
            if NO_ID in image_ids:
                raise ValueError("predictions need the key 'img_id', to be found in ann_file")
            truths = federated_truths_of_file(self._of_file(self._file), image_ids, with_masks)
        found = detections_of(predictions, count, with_masks)
        return {"image": image_ids, **self._task().rows(found, truths)}

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Sort the matched detections, accumulate, average."""
        frequencies: Sequence[str | None] = self.frequencies or ()
        if self._file is not None:
            frequencies = frequencies or self._of_file(self._file).frequencies
        evaluation = self._evaluation()
        [curves] = evaluation.curves(results, evaluation.images(results))
        items = coco_summary.lvis_items(self.max_dets)
        values = coco_summary.values_of(curves, self.iou_thrs, (self.max_dets,), items)
        precisions = {name: number for name, number in values.items() if name.startswith("AP")}
        for kind in _FREQUENCIES:
            group = [i for i, own in enumerate(frequencies) if own == kind]
            precisions[f"AP{kind}"] = coco_summary.mean_precision(curves, group)
        return {f"{self.metric}_{name}": number for name, number in (precisions | values).items()}

    @property
    def asks(self) -> frozenset[Any] | None:
        """The curves."""
        return self._evaluation().asks

    def _classes(self) -> tuple[str, ...]:
        classes = class_names("LVISDetection", self._dataset_meta)
        if self.frequencies is not None and len(self.frequencies) != len(classes):
            raise ValueError(
                f"frequencies must have one entry per class, {len(classes)}, "
                f"got {len(self.frequencies)}"
            )
        return classes

    def _evaluation(self) -> Evaluation:
        file = self._file
        of_file = None if file is None else lambda: self._of_file(file).truths
        return Evaluation([self._task()], of_file)

    def _task(self) -> LvisTask:
        return LvisTask(
            self.metric,
            self.iou_thrs,
            self.max_dets,
            len(self._classes()),
            self._file is None,
            self._sizes_of_boxes,
        )

    def _of_file(self, file: AnnotationFile) -> FileTruths:
        return file.of_classes(self._classes())
