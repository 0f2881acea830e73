"""Masks in COCO's run-length encoding, by pycocotools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mmeval_like import arrays

__all__ = ["Rle", "areas", "overlaps", "rles_of", "to_rle"]

Rle = dict[str, Any]

# With NumPy 2, pycocotools' `area` refuses more masks than fit into 8 bits.
_AREAS_AT_ONCE = 255


def to_rle(
    segmentation: Any, where: str, size: tuple[int | None, int | None] = (None, None)
) -> Rle:
    """Return a compressed RLE that shares nothing with the caller's dict.

    Args:
        segmentation: An RLE dict with size (height, width) and counts (compressed bytes or
            text, or the uncompressed list); or polygons, for which `size` must be given.
        where: What it is, for the errors.
        size: The height and width of the image.

    Raises:
        ImportError: pycocotools is not installed.
        TypeError, ValueError: Something else.
    """
    codec = _codec()
    if isinstance(segmentation, list) and segmentation and None not in size:
        merged: Rle = codec.merge(codec.frPyObjects(segmentation, *size))
        return merged
    if not isinstance(segmentation, Mapping) or not {"size", "counts"} <= segmentation.keys():
        raise TypeError(
            f"{where} must be an RLE dict with 'size' and 'counts', "
            f"got {arrays.describe(segmentation)}"
        )
    height, width = (int(side) for side in segmentation["size"])
    counts = segmentation["counts"]
    if isinstance(counts, str):
        counts = counts.encode()
    if isinstance(counts, bytes):
        return {"size": [height, width], "counts": counts}
    runs = arrays.as_integers(counts, f"the counts of {where}")
    if runs.ndim != 1 or runs.min(initial=0) < 0 or int(runs.sum()) != height * width:
        raise ValueError(f"{where} must have counts that add up to {height} * {width}")
    plain = {"size": [height, width], "counts": runs.tolist()}
    compressed: Rle = codec.frPyObjects(plain, height, width)
    return compressed


def rles_of(
    name: str, index: int, image: Mapping[str, Any], length: int, *, required: bool
) -> list[Rle]:
    """Return one RLE per box of an image; none if it has no masks and need not.

    Raises:
        KeyError: No masks, although they are required and there are boxes.
        TypeError, ValueError: No RLEs, or not one per box.
    """
    if "masks" not in image:
        if required and length:
            raise KeyError(f"{name}[{index}] needs the key 'masks', it has {[*image]}")
        return []
    given = image["masks"]
    if not isinstance(given, Sequence) and not isinstance(given, np.ndarray):
        raise TypeError(
            f"{name}[{index}]['masks'] must be a list of RLE dicts, got {arrays.describe(given)}"
        )
    if len(given) != length:
        raise ValueError(
            f"{name}[{index}] must have as many 'masks' as 'bboxes', got {len(given)} and {length}"
        )
    rles = [to_rle(mask, f"{name}[{index}]['masks'][{i}]") for i, mask in enumerate(given)]
    if len({tuple(rle["size"]) for rle in rles}) > 1:
        raise ValueError(f"{name}[{index}]['masks'] must be of one size")
    return rles


def areas(rles: Sequence[Rle]) -> np.ndarray:
    """Return the number of pixels of every mask, float64 (n,)."""
    codec, starts = _codec(), range(0, len(rles), _AREAS_AT_ONCE)
    parts = [codec.area(list(rles[start : start + _AREAS_AT_ONCE])) for start in starts]
    return np.concatenate([np.empty(0), *parts])


def overlaps(
    detections: Sequence[Rle],
    truths: Sequence[Rle],
    crowd: np.ndarray,
    detection_groups: np.ndarray,
    truth_groups: np.ndarray,
) -> np.ndarray:
    """Return the IoU of all pairs of one group, in the order of `pairs_of_groups`.

    For crowds the intersection is divided by the area of the detection. Both kinds of groups
    are ascending.

    Raises:
        ValueError: Masks of one image that differ in size.
    """
    codec = _codec()
    found = [np.empty(0)]
    for group in np.intersect1d(detection_groups, truth_groups).tolist():
        ours = slice(*np.searchsorted(detection_groups, [group, group + 1]).tolist())
        theirs = slice(*np.searchsorted(truth_groups, [group, group + 1]).tolist())
        sizes = {tuple(rle["size"]) for rle in (*detections[ours], *truths[theirs])}
        if len(sizes) > 1:
            raise ValueError(f"the masks of one image must be of one size, got {sorted(sizes)}")
        iscrowd = crowd[theirs].astype(np.uint8).tolist()
        matrix = codec.iou(list(detections[ours]), list(truths[theirs]), iscrowd)
        found.append(np.ascontiguousarray(matrix).reshape(-1))
    return np.concatenate(found)


def _codec() -> Any:
    try:
        from pycocotools import mask
    except ImportError as error:
        raise ImportError("masks need pycocotools: pip install 'mmeval-like[detection]'") from error
    return mask
