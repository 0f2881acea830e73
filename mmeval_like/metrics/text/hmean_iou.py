"""HmeanIoU: precision, recall and their harmonic mean of detected text polygons."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, ClassVar

import numpy as np

from mmeval_like.metrics._common.option_checks import as_thresholds
from mmeval_like.metrics.text.matched_pairs import first_come, most_pairs
from mmeval_like.metrics.text.polygons import Overlaps, as_corners, load_shapely
from mmeval_like.writing import (
    SHARE,
    BaseMetric,
    MetricOptions,
    Results,
    State,
    Unpack,
    arrays,
    ratio,
    state,
)

__all__ = ["HmeanIoU", "compute_hmean"]

_STRATEGIES = ("vanilla", "max_matching")
_DEFAULT_THRS = {"start": 0.3, "stop": 0.9, "step": 0.1}


def compute_hmean(
    hits_recall: float, hits_precision: float, gt_num: int, pred_num: int
) -> tuple[float, float, float]:
    """Return recall, precision and their harmonic mean.

    Args:
        hits_recall: The number of ground truths that were found.
        hits_precision: The number of predictions that are right.
        gt_num: The number of ground truths. If it is 0, recall is 1, and precision is 1 without
            predictions and 0 otherwise.
        pred_num: The number of predictions.

    Raises:
        ValueError: A number is negative.

    Example:
        >>> compute_hmean(3, 3, 4, 6)
        (0.75, 0.5, 0.6)
    """
    if min(hits_recall, hits_precision, gt_num, pred_num) < 0:
        raise ValueError(
            f"hits_recall, hits_precision, gt_num and pred_num must not be negative, "
            f"got {hits_recall}, {hits_precision}, {gt_num} and {pred_num}"
        )
    if gt_num == 0:
        recall, precision = 1.0, float(pred_num == 0)
    else:
        recall, precision = ratio(hits_recall, gt_num), ratio(hits_precision, pred_num, 0.0)
    return recall, precision, ratio(2 * recall * precision, recall + precision, 0.0)


class HmeanIoU(BaseMetric):
    """Precision, recall and their harmonic mean for text detected as polygons.

    A prediction counts at a threshold if its score is at least the threshold, compared in the dtype
    of the scores (the float32 nearest to 0.7 passes 0.7), and if no ignored ground truth covers
    more than `ignore_precision_thr` of its area. A ground truth that is not ignored and a
    prediction match if their IoU is greater than `match_iou_thr`; each is matched at most once. An
    overlap that equals a threshold is not greater: near a threshold, areas are computed exactly.

    An invalid polygon (its border crosses itself) consists of the points that its border
    encloses an odd number of times (`shapely.make_valid`): both halves of a bow tie.

    Formula:
        precision = hits / predictions
        recall = hits / truths
        hmean = 2 precision recall / (precision + recall)

    Args:
        match_iou_thr: The IoU above which a prediction and a ground truth match.
        ignore_precision_thr: The share of a prediction's area; if an ignored ground truth covers
            more of it, the prediction does not count.
        pred_score_thrs: The score thresholds: one or several, or a dict with "start", "stop" and
            "step", which means start, start + step, and so on up to stop, which is included.
        strategy: "vanilla": each ground truth, in order, takes the first free prediction that
            matches (the ICDAR protocol); "max_matching": as many pairs as possible.
        **options: As for `BaseMetric`.

    Raises:
        ImportError: shapely is not installed.
        TypeError: A score threshold is not a number.
        ValueError: The strategy is unknown; an IoU or share is outside [0, 1]; no score threshold
            is given, or two are equal; or a dict has other keys or a step that is not positive.

    Returns of `compute`: for each threshold, under the threshold as a float (0.6, not
    0.6000000000000001), {"precision", "recall", "hmean"} as in `compute_hmean`; under "best" the
    entry with the highest hmean, and of the first threshold in a tie. Without samples, the value
    is nan. Higher is better.

    Example:
        >>> metric = HmeanIoU(pred_score_thrs=(0.5, 0.7))
        >>> square, other = [0, 0, 2, 0, 2, 2, 0, 2], [5, 5, 6, 5, 6, 6, 5, 6]
        >>> metric.add([[square, other]], [[0.9, 0.6]], [[square]], [[False]])
        >>> metric.compute()[0.5]
        {'precision': 0.5, 'recall': 1.0, 'hmean': 0.6666666666666666}
        >>> metric.compute()["best"]
        {'precision': 1.0, 'recall': 1.0, 'hmean': 1.0}
    """

    every_rank_computes = True
    ranges = SHARE
    truth_inputs: ClassVar[tuple[str, ...]] = ("batch_gt_polygons", "batch_gt_ignore_flags")
    higher_is_better = True

    def __init__(
        self,
        match_iou_thr: float = 0.5,
        ignore_precision_thr: float = 0.5,
        pred_score_thrs: Mapping[str, float] | Sequence[float] | float = _DEFAULT_THRS,
        strategy: str = "vanilla",
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        load_shapely()
        if strategy not in _STRATEGIES:
            raise ValueError(f"strategy must be one of {_STRATEGIES}, got {strategy!r}")
        for name, thr in (
            ("match_iou_thr", match_iou_thr),
            ("ignore_precision_thr", ignore_precision_thr),
        ):
            if not isinstance(thr, int | float) or not 0 <= thr <= 1:
                raise ValueError(f"{name} must be a number in [0, 1], got {thr!r}")
        self.match_iou_thr = match_iou_thr
        self.ignore_precision_thr = ignore_precision_thr
        self.pred_score_thrs = _as_score_thresholds(pred_score_thrs)
        self.strategy = strategy

    def states(self) -> dict[str, State]:
        """Return pairs and predictions at each threshold, and the number of ground truths."""
        shape = (len(self.pred_score_thrs),)
        return {
            "hits": state.sum(int, shape),
            "predicted": state.sum(int, shape),
            "groundtruths": state.sum(int),
        }

    def rows(
        self,
        batch_pred_polygons: Any,
        batch_pred_scores: Any,
        batch_gt_polygons: Any,
        batch_gt_ignore_flags: Any,
    ) -> dict[str, np.ndarray]:
        """Return the counts of each image.

        Args:
            batch_pred_polygons: For each image its predicted polygons; a polygon has at least 3
                points, (2k,) as x1, y1, x2, y2, ..., or (k, 2).
            batch_pred_scores: For each image (P,), one score per predicted polygon.
            batch_gt_polygons: For each image its ground truths, in the form of the predictions.
            batch_gt_ignore_flags: For each image (G,), whether a ground truth is ignored.

        Raises:
            TypeError: An input is not numeric.
            ValueError: The numbers of images, polygons, scores or flags differ; a polygon has fewer
                than 3 points or a coordinate that is not finite; or a score is nan.
        """
        columns = {
            "batch_pred_polygons": batch_pred_polygons,
            "batch_pred_scores": batch_pred_scores,
            "batch_gt_polygons": batch_gt_polygons,
            "batch_gt_ignore_flags": batch_gt_ignore_flags,
        }
        columns = {name: _sequence(column, name) for name, column in columns.items()}
        for name, column in columns.items():
            first = "batch_pred_polygons"
            arrays.check_same_length(first, columns[first], name, column)
        counts = [self._match(*image) for image in zip(*columns.values(), strict=True)]
        size = len(self.pred_score_thrs)
        table = np.array(counts, np.int64).reshape(len(counts), 2 * size + 1)
        return {
            "hits": table[:, :size],
            "predicted": table[:, size : 2 * size],
            "groundtruths": table[:, 2 * size],
        }

    def compute_metric(self, results: Results) -> dict[Any, dict[str, float]]:
        """Return the entry of each threshold, and the best."""
        values: dict[Any, dict[str, float]] = {}
        counts = zip(results.hits.tolist(), results.predicted.tolist(), strict=True)
        for thr, (hits, predicted) in zip(self.pred_score_thrs, counts, strict=True):
            recall, precision, hmean = (math.nan,) * 3
            if len(results):
                recall, precision, hmean = compute_hmean(
                    hits, hits, results.groundtruths, predicted
                )
            values[thr] = {"precision": precision, "recall": recall, "hmean": hmean}
        best = max(values.values(), key=lambda entry: entry["hmean"])
        return values | {"best": dict(best)}

    def _match(self, predictions: Any, scores: Any, groundtruths: Any, ignored: Any) -> list[int]:
        predictions = _sequence(predictions, "batch_pred_polygons")
        groundtruths = _sequence(groundtruths, "batch_gt_polygons")
        scores = arrays.as_numbers(scores, "batch_pred_scores")
        arrays.check_finite("batch_pred_scores", scores, allow_infinite=True)
        flags = arrays.to_host(ignored, "batch_gt_ignore_flags")
        arrays.require(
            "batch_gt_ignore_flags", flags, (flags == 0) | (flags == 1), "must be 0 or 1"
        )
        ignored = flags.astype(np.bool_)
        for name, values, other, polygons in (
            ("batch_pred_scores", scores, "batch_pred_polygons", predictions),
            ("batch_gt_ignore_flags", ignored, "batch_gt_polygons", groundtruths),
        ):
            if values.shape != (len(polygons),):
                raise ValueError(
                    f"{name} must have shape ({len(polygons)},) for an image with "
                    f"{len(polygons)} {other}, got {values.shape}"
                )
        own = as_corners(predictions, "batch_pred_polygons")
        others = as_corners(groundtruths, "batch_gt_polygons")
        try:
            overlaps = Overlaps(own, others)
        except load_shapely().errors.ShapelyError as error:  # for extreme coordinates
            raise ValueError(
                f"batch_pred_polygons and batch_gt_polygons must have a size that shapely can "
                f"handle: {error}"
            ) from error
        covered = overlaps.shares_above(self.ignore_precision_thr)[:, ignored].any(axis=1)
        pairs = overlaps.ious_above(self.match_iou_thr)[:, ~ignored]
        dtype = scores.dtype if scores.dtype.kind == "f" else np.dtype(np.float64)
        counts = [scores >= dtype.type(thr) for thr in self.pred_score_thrs]
        kept = np.array(counts, np.bool_) & ~covered
        candidates = [np.flatnonzero(column).tolist() for column in pairs.T]
        count_pairs = first_come if self.strategy == "vanilla" else most_pairs
        hits = [
            count_pairs([[p for p in c if keep[p]] for c in candidates]) for keep in kept.tolist()
        ]
        return [*hits, *kept.sum(axis=1).tolist(), int(np.count_nonzero(~ignored))]


def _sequence(values: Any, name: str) -> Any:
    """Return an object with a length and an iterator, which arrays of some libraries lack."""
    return values if isinstance(values, list | tuple | np.ndarray) else arrays.to_host(values, name)


def _as_score_thresholds(thrs: Any) -> tuple[float, ...]:
    if isinstance(thrs, Mapping):
        if set(thrs) != {"start", "stop", "step"}:
            raise ValueError(
                f"pred_score_thrs must have the keys 'start', 'stop' and 'step', got {[*thrs]}"
            )
        # In decimal, as the numbers are written: 0.3 + 3 * 0.1 is 0.6.
        start, stop, step = (Decimal(repr(float(thrs[key]))) for key in ("start", "stop", "step"))
        if not (start.is_finite() and stop.is_finite() and step.is_finite() and step > 0):
            raise ValueError(f"pred_score_thrs must be finite and have a step above 0, got {thrs}")
        thrs = [float(start + i * step) for i in range(math.floor((stop - start) / step) + 1)]
    elif isinstance(thrs, np.ndarray):
        thrs = thrs.tolist()
    checked = as_thresholds(thrs, "pred_score_thrs")
    numbers = tuple(thr for thr in checked if thr is not None)
    if len(numbers) < len(checked) or len(set(numbers)) < len(numbers):
        raise ValueError(f"pred_score_thrs must be different numbers, got {thrs}")
    return numbers
