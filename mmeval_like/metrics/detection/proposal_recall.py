"""ProposalRecall: how many ground truths the first n proposals of an image cover."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mmeval_like.metrics.detection import image_dicts, overlaps
from mmeval_like.metrics.detection.axis_aligned import AxisAligned
from mmeval_like.metrics.detection.one_to_one import closest_pairs
from mmeval_like.metrics.detection.runs import place_in_run
from mmeval_like.metrics.detection.thresholds import as_iou_thresholds
from mmeval_like.writing import (
    SHARE,
    BaseMetric,
    MetricOptions,
    Results,
    State,
    Unpack,
    ratio,
    speaks,
    state,
)

__all__ = ["ProposalRecall"]


class ProposalRecall(BaseMetric):
    """Average recall: the fraction of objects that the best n proposals of an image cover.

    In every image and for every n, the proposal and the ground truth that overlap most are
    matched, then the next two of those left, and so on. A ground truth is recalled at a
    threshold if the overlap with its proposal reaches it.

    Formula:
        AR_n = mean_t recalled_n(t) / truths

    Args:
        iou_thrs: The IoU threshold, or several; None: 0.50, 0.55, ..., 0.95.
        proposal_nums: The number n of proposals, or several numbers in ascending order.
        use_legacy_coordinate: Whether boxes include their last pixel, so that widths and heights
            are larger by 1.
        nproc: Without effect, since matching is vectorised. The argument exists for compatibility
            with MMEval.
        print_results: Whether the process that computes prints the recalls at all thresholds.
        **options: As for `BaseMetric`.

    Returns of `compute`: `AR@{n}` for every n: a float in [0, 1]; nan without ground truths. Higher
    is better.

    Source: J. Hosang et al., What makes for effective detection proposals?, 2015 (average
    recall); one-to-one matching as in COCO and in object detection toolboxes.

    Raises:
        TypeError: A threshold or a number has the wrong type.
        ValueError: A threshold is out of [0, 1], or the numbers are not ascending.

    Example:
        >>> metric = ProposalRecall(proposal_nums=(1, 2), print_results=False)
        >>> found = {"bboxes": [[0, 0, 10, 6], [20, 20, 30, 30]], "scores": [0.7, 0.8]}
        >>> truth = {"bboxes": [[0, 0, 10, 10], [20, 20, 30, 30]]}
        >>> metric.add([found], [truth])
        >>> metric.compute()
        {'AR@1': 0.5, 'AR@2': 0.65}
    """

    ranges = SHARE
    higher_is_better = True

    def __init__(
        self,
        iou_thrs: float | Sequence[float] | None = None,
        proposal_nums: int | Sequence[int] = (1, 10, 100, 1000),
        use_legacy_coordinate: bool = False,
        nproc: int = 4,
        print_results: bool = True,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        self.iou_thrs = as_iou_thresholds(iou_thrs)
        numbers = (proposal_nums,) if isinstance(proposal_nums, int) else proposal_nums
        if not isinstance(numbers, list | tuple) or not all(isinstance(n, int) for n in numbers):
            raise TypeError(f"proposal_nums must be an int or a list of int, got {proposal_nums!r}")
        if not numbers or numbers[0] < 1 or list(numbers) != sorted(set(numbers)):
            raise ValueError(f"proposal_nums must be positive and ascending, got {proposal_nums!r}")
        self.proposal_nums = tuple(numbers)
        self.geometry = AxisAligned(1.0 if use_legacy_coordinate else 0.0)
        self.print_results = print_results
        self.every_rank_computes = not print_results  # only rank 0 prints the table

    def states(self) -> dict[str, State]:
        """Return the number of recalled ground truths by n and threshold, and of all of them."""
        shape = (len(self.proposal_nums), len(self.iou_thrs))
        return {"recalled": state.sum(int, shape), "truths": state.sum(int)}

    def rows(self, predictions: Any, groundtruths: Any) -> dict[str, np.ndarray]:
        """Return one row per image.

        Args:
            predictions: A list with a dict for each image: `bboxes` (n, 4) of x1, y1, x2, y2 in
                pixels; optionally `scores` (n,), by which the boxes are ordered. Without scores the
                boxes must be in order, the best first.
            groundtruths: A list with a dict for each image: `bboxes` (m, 4).

        Raises:
            KeyError: A key is missing.
            TypeError: A value has the wrong type.
            ValueError: Lengths differ, or a value is nan or infinite.
        """
        predictions, groundtruths = image_dicts.check_image_pairs(predictions, groundtruths)
        boxes = self.geometry.boxes_of("predictions", predictions, "bboxes")
        scores = image_dicts.numbers_of("predictions", predictions, "scores", optional="bboxes")
        image_dicts.check_lengths("predictions", bboxes=boxes, scores=scores)
        truths = self.geometry.boxes_of("groundtruths", groundtruths, "bboxes")
        recalled = np.zeros((len(predictions), len(self.proposal_nums), len(self.iou_thrs)), int)
        images = np.repeat(np.arange(len(predictions)), boxes.lengths)
        order = np.lexsort((-scores.values.astype(np.float64), images))
        truth_images = np.repeat(np.arange(len(predictions)), truths.lengths)
        for block in overlaps.blocks(boxes.lengths, truths.lengths):
            own = order[slice(*np.searchsorted(images, (block.start, block.stop)))]
            other = slice(*np.searchsorted(truth_images, (block.start, block.stop)))
            self._match(
                recalled, boxes.values[own], images[own], truths.values[other], truth_images[other]
            )
        return {"recalled": recalled, "truths": truths.lengths}

    def _match(
        self,
        recalled: np.ndarray,
        boxes: np.ndarray,
        images: np.ndarray,
        truths: np.ndarray,
        truth_images: np.ndarray,
    ) -> None:
        own, other = overlaps.pairs_of_groups(images, truth_images)
        ious = self.geometry.overlaps(boxes, truths, (own, other))
        near = np.flatnonzero(ious >= min(self.iou_thrs))
        own, other, ious = own[near], other[near], ious[near]
        turns = place_in_run(images)[own]
        for i, number in enumerate(self.proposal_nums):
            allowed = np.flatnonzero(turns < number)
            chosen = allowed[closest_pairs(other[allowed], own[allowed], ious[allowed])]
            for j, thr in enumerate(self.iou_thrs):
                hits = images[own[chosen[ious[chosen] >= thr]]]
                recalled[:, i, j] += np.bincount(hits, minlength=len(recalled))

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return the recalls, averaged over thresholds."""
        recalled = results.recalled.tolist()
        truths = results.truths
        if self.print_results and speaks():
            print(self._table(recalled, truths))
        return {
            f"AR@{number}": ratio(sum(counts), truths * len(self.iou_thrs))
            for number, counts in zip(self.proposal_nums, recalled, strict=True)
        }

    def _table(self, recalled: list[list[int]], truths: int) -> str:
        lines = ["proposals     AR " + "".join(f"   @{thr:.2f}" for thr in self.iou_thrs)]
        for number, counts in zip(self.proposal_nums, recalled, strict=True):
            shares = [ratio(sum(counts), truths * len(counts)), *(ratio(c, truths) for c in counts)]
            lines.append(f"{number:>9}" + "".join(f"   {share:5.3f}" for share in shares))
        return "\n".join(lines)
