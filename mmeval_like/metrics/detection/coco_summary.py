"""COCO's values, and the tables that pycocotools prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from mmeval_like.metrics.detection.coco_curves import Curves

__all__ = [
    "classwise_text",
    "item_names",
    "keypoint_items",
    "lvis_items",
    "mean_precision",
    "precision_by_class",
    "summary_text",
    "values_of",
]

_AREAS = {"": "all", "_s": "small", "_m": "medium", "_l": "large"}


def item_names(max_dets: Sequence[int]) -> dict[str, tuple[bool, float | None, str, int]]:
    """Return the definitions of COCO's values by name, in pycocotools' order.

    Args:
        max_dets: The numbers of detections, ascending.

    Returns:
        For each value: whether it is an average precision, the IoU threshold (None: the mean over
        all), the area range, and the number of detections.

    Example:
        >>> [*item_names((1, 10, 100))][:9]
        ['mAP', 'mAP_50', 'mAP_75', 'mAP_s', 'mAP_m', 'mAP_l', 'AR@1', 'AR@10', 'AR@100']
    """
    most = max_dets[-1]
    items: dict[str, tuple[bool, float | None, str, int]] = {
        "mAP": (True, None, "all", most),
        "mAP_50": (True, 0.5, "all", most),
        "mAP_75": (True, 0.75, "all", most),
    }
    sizes = {suffix: area for suffix, area in _AREAS.items() if suffix}
    items |= {f"mAP{suffix}": (True, None, area, most) for suffix, area in sizes.items()}
    items |= {f"AR@{number}": (False, None, "all", number) for number in max_dets}
    items |= {f"AR{suffix}@{most}": (False, None, area, most) for suffix, area in sizes.items()}
    return items


def keypoint_items(number: int) -> dict[str, tuple[bool, float | None, str, int]]:
    """Return the definitions of COCO's values for keypoints, as `item_names` does.

    Args:
        number: How many detections of an image count.

    Example:
        >>> [*keypoint_items(20)][5:]
        ['AR', 'AR_50', 'AR_75', 'AR_m', 'AR_l']
    """
    kinds = {"": (None, "all"), "_50": (0.5, "all"), "_75": (0.75, "all")}
    kinds |= {"_m": (None, "medium"), "_l": (None, "large")}
    return {
        kind + suffix: (kind == "mAP", thr, area, number)
        for kind in ("mAP", "AR")
        for suffix, (thr, area) in kinds.items()
    }


def lvis_items(number: int) -> dict[str, tuple[bool, float | None, str, int]]:
    """Return the definitions of LVIS's values, without those by frequency, as `item_names` does.

    Args:
        number: How many detections of an image count.

    Example:
        >>> [*lvis_items(300)][4:8]
        ['APm', 'APl', 'AR@300', 'ARs@300']
    """
    sizes = {suffix.lstrip("_"): area for suffix, area in _AREAS.items()}
    thresholds = {"AP": None, "AP50": 0.5, "AP75": 0.75}
    return {
        **{name: (True, thr, "all", number) for name, thr in thresholds.items()},
        **{f"AP{size}": (True, None, area, number) for size, area in sizes.items() if size},
        **{f"AR{size}@{number}": (False, None, area, number) for size, area in sizes.items()},
    }


def values_of(
    curves: Curves,
    iou_thrs: Sequence[float],
    max_dets: Sequence[int],
    items: Mapping[str, tuple[bool, float | None, str, int]] | None = None,
    areas: Sequence[str] = tuple(_AREAS.values()),
) -> dict[str, float]:
    """Return COCO's values by name; -1 where there is nothing to average.

    Args:
        curves: Precision and recall.
        iou_thrs: The IoU thresholds.
        max_dets: The numbers of detections, ascending.
        items: The definitions of the values; None: those of `item_names`.
        areas: The names of the area ranges.
    """
    values = {}
    for name, (is_precision, thr, area, number) in (items or item_names(max_dets)).items():
        if is_precision:
            scores = curves.precision[..., areas.index(area)]
        else:
            scores = curves.recall[..., areas.index(area), [*max_dets].index(number)]
        if thr is not None:
            scores = scores[np.isclose(iou_thrs, thr, rtol=0, atol=1e-9)]
        values[name] = _mean(scores)
    return values


def precision_by_class(curves: Curves, classes: Sequence[str]) -> dict[str, float]:
    """Return the average precision of every class; -1 for classes without ground truths."""
    return {name: mean_precision(curves, [i]) for i, name in enumerate(classes)}


def mean_precision(curves: Curves, classes: Sequence[int]) -> float:
    """Return the mean average precision of some classes, for all sizes; -1 without values."""
    return _mean(curves.precision[:, :, classes, 0])


def summary_text(
    values: Mapping[str, float], iou_thrs: Sequence[float], max_dets: Sequence[int]
) -> str:
    """Return the lines that pycocotools prints."""
    lines = []
    every = f"{iou_thrs[0]:0.2f}:{iou_thrs[-1]:0.2f}"
    for name, (is_precision, thr, area, number) in item_names(max_dets).items():
        title = "Average Precision  (AP)" if is_precision else "Average Recall     (AR)"
        iou = every if thr is None else f"{thr:0.2f}"
        lines.append(
            f" {title} @[ IoU={iou:<9} | area={area:>6s} | maxDets={number:>3d} ] = "
            f"{values[name]:0.3f}"
        )
    return "\n".join(lines)


def classwise_text(precisions: Mapping[str, float]) -> str:
    """Return a table of the average precision of every class."""
    width = max([len("class"), *map(len, precisions)])
    lines = [f" {'class':<{width}}     AP"]
    lines += [f" {name:<{width}} {value:>6.3f}" for name, value in precisions.items()]
    return "\n".join(lines)


def _mean(scores: np.ndarray) -> float:
    known = scores[scores > -1]
    return float(known.mean()) if known.size else -1.0
