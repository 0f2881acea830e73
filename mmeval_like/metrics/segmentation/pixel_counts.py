"""The numbers of pixels of every class in two maps, and where the maps agree."""

from __future__ import annotations

from typing import Any

import numpy as np

from mmeval_like.writing import arrays

__all__ = ["as_map", "count_pixels"]

_JOINT_BINS = 1 << 16  # up to this size, one histogram of pairs is faster than three of classes


def as_map(classes: np.ndarray, name: str) -> np.ndarray:
    """Return a class map as integers of any width; most maps have one byte per pixel.

    Raises:
        TypeError: The inputs are not whole numbers.
    """
    return classes if classes.dtype.kind in "biu" else arrays.as_integers(classes, name)


def count_pixels(
    prediction: np.ndarray,
    label: np.ndarray,
    num_classes: int,
    ignore_index: int | None,
    name: str = "labels",
) -> np.ndarray:
    """Return the pixels of each class, int64 (3, C): right, labelled, predicted.

    Args:
        prediction: Classes, integers (pixels,).
        label: True classes, of the same shape; pixels with the label `ignore_index` do not count.
        num_classes: The number C of classes.
        ignore_index: The label of pixels that do not count; None: all pixels count.
        name: The caller's name for `label`, for error messages.

    Raises:
        ValueError: A class is out of range.

    Example:
        >>> count_pixels(np.array([0, 1, 1, 0]), np.array([0, 1, 0, 9]), 2, 9).tolist()
        [[1, 1], [2, 1], [1, 2]]
    """
    ignored: Any = 0
    if ignore_index is not None:
        kept = label != ignore_index
        ignored = label.size - np.count_nonzero(kept)
        if arrays.possibly(ignored):  # counted as right pixels of class 0, subtracted at the end
            label, prediction = label * kept, prediction * kept
    arrays.check_range(name, label, num_classes)
    arrays.check_range("predictions", prediction, num_classes)
    if num_classes**2 <= _JOINT_BINS:
        codes = label.astype(np.uint16)
        codes *= num_classes
        codes += prediction.astype(np.uint16)
        pairs = np.bincount(codes, minlength=num_classes**2).reshape(num_classes, num_classes)
        counts = np.stack([pairs.diagonal(), pairs.sum(axis=1), pairs.sum(axis=0)])
    else:
        hits = label == prediction
        maps = (label * hits, label, prediction)  # wrong pixels count as hits of class 0
        counts = np.stack([np.bincount(m.astype(np.intp), minlength=num_classes) for m in maps])
        counts[0, 0] -= label.size - np.count_nonzero(hits)
    counts[:, 0] -= ignored
    return counts
