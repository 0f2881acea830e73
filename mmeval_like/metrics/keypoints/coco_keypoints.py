"""CocoKeypoints: COCO's average precision and recall of poses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mmeval_like.metrics._common.option_checks import check_count
from mmeval_like.metrics.detection import coco_summary, image_dicts
from mmeval_like.metrics.detection.coco_batch import image_ids_of
from mmeval_like.metrics.detection.coco_file import AnnotationFile
from mmeval_like.metrics.detection.coco_states import Evaluation
from mmeval_like.metrics.detection.images import NO_ID, have_identities
from mmeval_like.metrics.detection.thresholds import as_iou_thresholds
from mmeval_like.metrics.keypoints.oks_task import COCO_SIGMAS, OksTask
from mmeval_like.metrics.keypoints.poses import poses_of, poses_of_file, true_poses_of
from mmeval_like.writing import SHARE, BaseMetric, MetricOptions, Results, Rows, State, Unpack

__all__ = ["CocoKeypoints"]


class CocoKeypoints(BaseMetric):
    """COCO's average precision and recall of poses, as computed by pycocotools' COCOeval.

    Detections and persons are matched as `COCODetection` matches boxes, with the object keypoint
    similarity (OKS) in place of the IoU. d_j is the distance of joint j from the true one, v_j says
    whether the joint is labelled, sigma_j is the spread of its annotated positions, and A is the
    person's area. Crowds and persons without a labelled joint are ignored, and so are detections
    that match such a person.

    Formula:
        OKS = (sum_j [v_j > 0] exp(-d_j^2 / (8 A sigma_j^2))) / (sum_j [v_j > 0])
        mAP = mean_t 1/101 sum_r max_(recall >= r) precision

    Args:
        ann_file: The path of a COCO annotation file (JSON) with the ground truths, all of which
            form a single class. Images of the file that no rank added then count as images without
            detections. None: `add` takes the ground truths.
        sigmas: The number sigma_j of each joint, the spread of its annotated positions; None: the
            values of COCO's 17 joints.
        oks_thrs: The OKS threshold, or several; None: 0.50, 0.55, ..., 0.95.
        max_dets: The number of detections per image that count, in order of their scores.
        **options: As for `BaseMetric`.

    Returns of `compute`: the average precisions `keypoints_mAP`, `keypoints_mAP_50`,
    `keypoints_mAP_75`, and for medium and large persons `keypoints_mAP_m` and `keypoints_mAP_l`;
    and the recalls `keypoints_AR` to `keypoints_AR_l`. They are in [0, 1], or -1 where no ground
    truth or no such threshold exists. Higher is better.

    Images are identified by `img_id`: an image that is added more than once counts once. Equal
    scores are ranked by img_id, then by their order in the image; images without img_id by
    their place in the dataset.

    Source: the evaluation of https://cocodataset.org/#keypoints-eval.

    Raises:
        ValueError: A threshold is out of [0, 1], a sigma is not positive, or the file is not an
            annotation file.
        TypeError: A threshold or a number has the wrong type.

    Example:
        >>> metric = CocoKeypoints(sigmas=[0.05, 0.05])
        >>> truth = {"keypoints": [[[0, 0, 2], [40, 0, 1]]], "bboxes": [[0, -30, 40, 30]],
        ...          "areas": [1500]}
        >>> metric.add([{"keypoints": [[[0, 2, 1], [40, 2, 1]]], "scores": [0.9]}], [truth])
        >>> values = metric.compute()  # OKS = exp(-2² / (2 · 1500 · 0.1²)) = 0.875
        >>> round(values["keypoints_mAP"], 2), values["keypoints_mAP_75"]
        (0.8, 1.0)
    """

    processor_dependent = "exp"
    ranges = SHARE
    higher_is_better = True

    def __init__(
        self,
        ann_file: str | None = None,
        sigmas: Sequence[float] | None = None,
        oks_thrs: float | Sequence[float] | None = None,
        max_dets: int = 20,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        self.sigmas = COCO_SIGMAS if sigmas is None else tuple(map(float, sigmas))
        if not self.sigmas or not all(1e-50 < sigma < 1e50 for sigma in self.sigmas):
            raise ValueError(f"sigmas must be positive numbers, at least one, got {sigmas}")
        thresholds = as_iou_thresholds(oks_thrs, "oks_thrs")
        self._task = OksTask(
            self.sigmas, thresholds, check_count("max_dets", max_dets), ann_file is None
        )
        self._truths = None
        if ann_file is not None:
            file = AnnotationFile(ann_file)
            names = [entry["name"] for entry in file.content["categories"]]
            self._file = file.of_classes(names)
            self._truths = poses_of_file(self._file, len(self.sigmas))

    def states(self) -> dict[str, State]:
        """Return the image's identity and its matches."""
        return self._evaluation().states()

    def in_any_order(self, rows: Mapping[str, Rows]) -> bool:
        """Return whether all images have an `img_id`."""
        return have_identities(rows)

    def rows(self, predictions: Any, groundtruths: Any = None) -> dict[str, Any]:
        """Return one row per image.

        Args:
            predictions: A list with a dict for each image: `keypoints` (n, K, 2) of x and y, or (n,
                K, 3), whose third number is not used; `scores` (n,); optionally `areas` (n,), for
                instance of detected boxes, which decide whether a detection without a match is
                medium or large, by default those of the boxes around the keypoints; `img_id`, an
                integer, which is needed with `ann_file`.
            groundtruths: A list with a dict for each image: `keypoints` (m, K, 3) of x, y and
                visibility, which is 0 for a joint without a label; `bboxes` (m, 4) of x1, y1, x2,
                y2; `areas` (m,); optionally `img_id`, and `ignore_flags` (m,), which mark crowds.
                It is not used with `ann_file`.

        Raises:
            KeyError: A key is missing.
            TypeError: A value has the wrong type.
            ValueError: Lengths or numbers of joints differ, a value is nan or infinite, or an image
                has no img_id or is not in `ann_file`.
        """
        joints = len(self.sigmas)
        if self._truths is None:
            predictions, groundtruths = image_dicts.check_image_pairs(predictions, groundtruths)
            image_ids = image_ids_of(predictions, groundtruths)
            truths = true_poses_of(groundtruths, joints)
        else:
            predictions = image_dicts.check_images("predictions", predictions)
            image_ids = image_ids_of(predictions, None)
            if NO_ID in image_ids:
                raise ValueError("predictions need the key 'img_id', to be found in ann_file")
            truths = self._truths.take(self._file.places(image_ids))
        found = poses_of(predictions, joints)
        return {"image": image_ids, **self._task.rows(found, truths)}

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Sort the matched detections, accumulate, average."""
        task = self._task
        evaluation = self._evaluation()
        [curves] = evaluation.curves(results, evaluation.images(results))
        items = coco_summary.keypoint_items(task.max_dets[-1])
        numbers = coco_summary.values_of(curves, task.iou_thrs, task.max_dets, items, task.areas)
        return {f"keypoints_{name}": number for name, number in numbers.items()}

    def _evaluation(self) -> Evaluation:
        truths = self._truths
        return Evaluation([self._task], None if truths is None else lambda: truths)
