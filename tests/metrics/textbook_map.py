"""PASCAL VOC's average precision as a textbook has it: one detection after the other."""

import math
from collections.abc import Callable, Sequence
from typing import Any

Iou = Callable[[Any, Any], float]


def box_iou(box: Sequence[float], other: Sequence[float], extra: float = 0.0) -> float:
    """Of boxes x1, y1, x2, y2."""
    width = min(box[2], other[2]) - max(box[0], other[0]) + extra
    height = min(box[3], other[3]) - max(box[1], other[1]) + extra
    if width <= 0 or height <= 0:
        return 0.0
    inner = width * height
    return inner / (box_area(box, extra) + box_area(other, extra) - inner)


def box_area(box: Sequence[float], extra: float = 0.0) -> float:
    """Of a box x1, y1, x2, y2."""
    return (box[2] - box[0] + extra) * (box[3] - box[1] + extra)


def match_image(
    found: list[tuple[float, Any]],
    truths: list[tuple[Any, bool]],
    thr: float,
    iou: Iou,
    in_range: Callable[[Any], bool],
) -> list[tuple[float, bool]]:
    """The detections of one image and class that count: score, and whether it is a hit.

    Args:
        found: Score and box of the detections, as given.
        truths: Box of the ground truths, and whether to ignore it; those to ignore are last.
    """
    free = [True] * len(truths)
    outcome = []
    for score, box in sorted(found, key=lambda entry: -entry[0]):
        overlaps = [iou(box, other) for other, _ in truths]
        best = max(overlaps, default=-1.0)
        if best >= thr:
            index = overlaps.index(best)
            other, ignored = truths[index]
            if ignored or not in_range(other):
                continue
            outcome.append((score, free[index]))
            free[index] = False
        elif in_range(box):
            outcome.append((score, False))
    return outcome


def average_precision(outcome: list[tuple[float, bool]], truths: int, mode: str) -> float:
    """Of one class: all detections that count, and the number of ground truths."""
    if truths == 0:
        return math.nan
    points = []
    for score in sorted({score for score, _ in outcome}, reverse=True):
        kept = [hit for other, hit in outcome if other >= score]
        points.append((sum(kept) / truths, sum(kept) / len(kept)))

    def best(recall: float) -> float:
        return max((p for r, p in points if r >= recall - 1e-12), default=0.0)

    if mode == "11points":
        return math.fsum(best(i / 10) for i in range(11)) / 11
    area, before = 0.0, 0.0
    for recall, _ in points:
        area += (recall - before) * best(recall)
        before = recall
    return area


def mean(values: Sequence[float]) -> float:
    """Of those that are not nan."""
    known = [value for value in values if not math.isnan(value)]
    return math.fsum(known) / len(known) if known else math.nan
