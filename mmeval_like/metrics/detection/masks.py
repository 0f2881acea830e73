"""Masks in COCO's run-length encoding, by pycocotools."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mmeval_like.metrics.detection.run_lengths import pixels_of
from mmeval_like.writing import arrays

__all__ = ["Rle", "areas", "box_of", "overlaps", "rles_of", "to_rle"]

Rle = dict[str, Any]

# With NumPy 2, pycocotools' `area` raises for more masks than an 8-bit integer can count.
_AREAS_AT_ONCE = 255
_FARTHEST = 1e6  # the largest coordinate of a polygon, in pixels


def to_rle(
    segmentation: Any, where: str, size: tuple[int | None, int | None] = (None, None)
) -> Rle:
    """Return a compressed RLE that shares nothing with the caller's dict.

    Args:
        segmentation: An RLE dict with size (height, width) and counts (compressed bytes or
            text, or the uncompressed list); or polygons, for which `size` must be given.
        where: What the mask is, for error messages.
        size: The height and width of the image.

    Raises:
        ImportError: pycocotools is not installed.
        TypeError, ValueError: `segmentation` is neither a valid RLE dict nor polygons with a valid
            `size`.
    """
    if isinstance(segmentation, list) and segmentation and None not in size:
        return _of_polygons(segmentation, where, *_as_size(size, where))
    rle = _unchecked(segmentation, where)
    _check_pixels([rle], [where])
    return rle


def _of_polygons(polygons: list[Any], where: str, height: int, width: int) -> Rle:
    codec = _codec()
    for polygon in polygons:
        points = arrays.as_floats(polygon, f"a polygon of {where}")
        # pycocotools reads four numbers as a box, and allocates memory for each pixel of the
        # outline.
        if points.ndim != 1 or points.size < 6 or points.size % 2:
            raise ValueError(
                f"{where} must have polygons of at least 3 points, x1, y1, x2, y2, ..., "
                f"got shape {points.shape}"
            )
        inside = np.abs(points) <= _FARTHEST
        arrays.require(f"the points of {where}", points, inside, "must be within a million pixels")
    merged: Rle = codec.merge(codec.frPyObjects(polygons, height, width))
    return merged


def _unchecked(segmentation: Any, where: str) -> Rle:
    if not isinstance(segmentation, Mapping) or not {"size", "counts"} <= segmentation.keys():
        raise TypeError(
            f"{where} must be an RLE dict with 'size' and 'counts', "
            f"got {arrays.describe(segmentation)}"
        )
    height, width = _as_size(segmentation["size"], where)
    counts = segmentation["counts"]
    if isinstance(counts, str):
        counts = counts.encode()
    if isinstance(counts, bytes):
        return {"size": [height, width], "counts": counts}
    runs = arrays.as_integers(counts, f"the counts of {where}")
    if runs.ndim != 1 or runs.min(initial=0) < 0 or int(runs.sum()) != height * width:
        raise ValueError(f"{where} must have counts that add up to {height} * {width}")
    plain = {"size": [height, width], "counts": runs.tolist()}
    compressed: Rle = _codec().frPyObjects(plain, height, width)
    return compressed


def _as_size(size: Any, where: str) -> tuple[int, int]:
    try:
        height, width = map(operator.index, size)
    except (TypeError, ValueError):
        raise TypeError(f"{where} must have a size of two integers, got {size!r}") from None
    if min(height, width) < 0 or height * width >= 1 << 32:
        raise ValueError(f"{where} must have a size of at most 2^32 pixels, got {size!r}")
    return height, width


def _check_pixels(rles: Sequence[Rle], wheres: Sequence[str]) -> None:
    """Raise ValueError, naming the first bad mask, unless the runs of every mask fill its size."""
    pixels = pixels_of([rle["counts"] for rle in rles])
    for rle, found, where in zip(rles, pixels.tolist(), wheres, strict=True):
        height, width = rle["size"]
        if found != height * width:
            what = f"cover {found} pixels" if found >= 0 else "are not valid compressed run lengths"
            raise ValueError(
                f"{where} must have counts that add up to {height} * {width}; they {what}"
            )


def rles_of(
    name: str, index: int, image: Mapping[str, Any], length: int, *, required: bool
) -> list[Rle]:
    """Return one RLE per box of an image; none if it has no masks and they are optional.

    Raises:
        KeyError: There are no masks, although they are required and there are boxes.
        TypeError, ValueError: The masks are not RLEs, or their number differs from that of boxes.
    """
    if "masks" not in image:
        if required and length:
            wanted = "'masks' (in a file of COCO results: 'segmentation')"
            raise KeyError(f"{name}[{index}] needs the key {wanted}, it has {[*image]}")
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
    wheres = [f"{name}[{index}]['masks'][{place}]" for place in range(length)]
    rles = [_unchecked(mask, where) for mask, where in zip(given, wheres, strict=True)]
    _check_pixels(rles, wheres)
    if len({tuple(rle["size"]) for rle in rles}) > 1:
        raise ValueError(f"{name}[{index}]['masks'] must have the same size")
    return rles


def box_of(segmentation: Any, where: str) -> np.ndarray:
    """Return x, y, width and height of the box around a mask, float64 (4,).

    Raises:
        ImportError, TypeError, ValueError: As for `to_rle`.
    """
    rle = to_rle(segmentation, where)
    return np.asarray(_codec().toBbox(rle), np.float64)


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
    """Return the IoU of all pairs within a group, in the order of `pairs_of_groups`.

    For crowds the intersection is divided by the area of the detection. The groups of detections
    and those of ground truths are ascending.

    Raises:
        ValueError: The masks of one image differ in size.
    """
    codec = _codec()
    found = [np.empty(0)]
    for group in np.intersect1d(detection_groups, truth_groups).tolist():
        ours = slice(*np.searchsorted(detection_groups, [group, group + 1]).tolist())
        theirs = slice(*np.searchsorted(truth_groups, [group, group + 1]).tolist())
        sizes = {tuple(rle["size"]) for rle in (*detections[ours], *truths[theirs])}
        if len(sizes) > 1:
            raise ValueError(f"the masks of an image must have the same size, got {sorted(sizes)}")
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
