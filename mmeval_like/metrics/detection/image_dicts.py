"""Converts one dict per image to concatenated arrays of all images, with checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mmeval_like.writing import Ragged, arrays

__all__ = [
    "FARTHEST",
    "areas_of",
    "boxes_of",
    "check_boxes",
    "check_image_pairs",
    "check_images",
    "check_lengths",
    "flags_of",
    "labels_of",
    "numbers_of",
    "ordered_boxes_of",
    "scores_of",
]

Images = Sequence[Mapping[str, Any]]

FARTHEST = 1e100
"""The largest coordinate: areas of larger ones are infinite."""


def check_images(name: str, images: Any) -> Images:
    """Return a batch of images.

    Raises:
        TypeError: The argument is not a sequence of dicts.

    Example:
        >>> check_images("predictions", {"bboxes": []})
        Traceback (most recent call last):
        TypeError: predictions must be a list with one dict per image, got dict
    """
    if not isinstance(images, list | tuple):
        raise TypeError(
            f"{name} must be a list with one dict per image, got {arrays.describe(images)}"
        )
    for index, image in enumerate(images):
        if not isinstance(image, Mapping):
            raise TypeError(f"{name}[{index}] must be a dict, got {arrays.describe(image)}")
    return images


def check_image_pairs(predictions: Any, groundtruths: Any) -> tuple[Images, Images]:
    """Return the predictions and the ground truths of a batch of images.

    Raises:
        TypeError: As for `check_images`.
        ValueError: `groundtruths` and `predictions` differ in length.
    """
    predictions = check_images("predictions", predictions)
    groundtruths = check_images("groundtruths", groundtruths)
    arrays.check_same_length("predictions", predictions, "groundtruths", groundtruths)
    return predictions, groundtruths


def numbers_of(
    name: str, images: Images, key: str, width: int = 0, optional: str | None = None
) -> Ragged:
    """Return the values of every image under a key, in the widest of their dtypes.

    Args:
        name: What the images are, for error messages.
        images: The batch.
        key: The key.
        width: 0 for arrays (n,), otherwise the width of arrays (n, width).
        optional: None if the key is required. "" if a missing key means an empty array.
            Another key: a missing key means as many zeros as the other key has entries.

    Raises:
        KeyError: An image lacks the key.
        TypeError: The values are not numbers.
        ValueError: The shape does not fit, a value is nan or infinite, or an integer that becomes a
            float is rounded.
    """
    shape = (width,) if width else ()
    parts, lengths = [], np.empty(len(images), np.int64)
    for index, image in enumerate(images):
        if key in image:
            part = arrays.to_host(image[key], f"{name}[{index}][{key!r}]")
            if part.shape[1:] != shape or part.ndim == 0:
                if part.size or part.ndim > 2:
                    wanted = f"(n, {width})" if width else "(n,)"
                    raise ValueError(
                        f"{name}[{index}][{key!r}] must have shape {wanted}, got {part.shape}"
                    )
                part = part.reshape(0, *shape)
        elif optional is not None:
            part = np.zeros((len(image.get(optional, ())), *shape))
        else:
            raise KeyError(f"{name}[{index}] needs the key {key!r}, it has {[*image]}")
        lengths[index] = len(part)
        if len(part):  # an empty list has no meaningful dtype
            parts.append(part)
    values = parts[0] if len(parts) == 1 else None
    if values is None:
        values = np.concatenate(parts) if parts else np.empty((0, *shape), np.float32)
    if values.dtype.kind == "c":
        raise TypeError(f"{name}: {key!r} must be real numbers, got {values.dtype}")
    if values.dtype.kind == "f":
        for part in parts:  # integers among floats, or signed among unsigned ones
            arrays.check_exact(f"{name}: {key!r}", part)
        if not np.isfinite(values).all():
            _refuse(name, key, lengths, ~np.isfinite(values), values, "be finite")
    return Ragged(values, lengths)


def boxes_of(
    name: str, images: Images, key: str = "bboxes", width: int = 4, optional: str | None = None
) -> Ragged:
    """Return boxes as float64 (n, width).

    Raises:
        ValueError: A value is beyond 1e100, where areas are infinite, or an integer that float64
            rounds.
    """
    boxes = numbers_of(name, images, key, width, optional)
    check_boxes(name, key, boxes)
    return boxes.with_values(boxes.values.astype(np.float64, copy=False))


def ordered_boxes_of(name: str, images: Images) -> Ragged:
    """Return boxes as `boxes_of`.

    Raises:
        ValueError: Also if a box has x2 < x1 or y2 < y1.
    """
    boxes = boxes_of(name, images)
    wrong = boxes.values[:, 2:] < boxes.values[:, :2]
    if wrong.any():
        wrong = np.hstack([np.zeros_like(wrong), wrong])
        wanted = "have x1 <= x2 and y1 <= y2"
        _refuse(name, "bboxes", boxes.lengths, wrong, boxes.values, wanted)
    return boxes


def check_boxes(name: str, key: str, boxes: Ragged) -> None:
    """Raise ValueError if areas would overflow, or float64 would round a coordinate."""
    arrays.check_exact(f"{name}: {key!r}", boxes.values)
    if boxes.values.dtype not in (np.float64, np.longdouble):
        return  # narrower dtypes cannot hold such values
    far = np.abs(boxes.values) > FARTHEST
    if far.any():
        _refuse(name, key, boxes.lengths, far, boxes.values, f"be within {FARTHEST:g}")


def scores_of(name: str, images: Images, key: str = "scores") -> Ragged:
    """Return scores as float32 if that holds all values of their dtype, else as float64."""
    scores = numbers_of(name, images, key)
    arrays.check_exact(f"{name}: {key!r}", scores.values)
    dtype = np.float32 if scores.values.dtype in (np.float16, np.float32) else np.float64
    return scores.with_values(scores.values.astype(dtype, copy=False))


def labels_of(
    name: str, images: Images, num_classes: int, key: str = "labels", optional: str | None = None
) -> Ragged:
    """Return class indices in [0, num_classes) as int64.

    Raises:
        TypeError: The inputs are not whole numbers.
        ValueError: A value is out of range.
    """
    labels = numbers_of(name, images, key, optional=optional)
    values = arrays.as_integers(labels.values, f"{name}: {key!r}")
    outside = (values < 0) | (values >= num_classes)
    if outside.any():
        wanted = f"be in [0, {num_classes}), the classes"
        _refuse(name, key, labels.lengths, outside, values, wanted)
    return labels.with_values(values)


def flags_of(name: str, images: Images, key: str, optional: str) -> Ragged:
    """Return flags as bool; all False for an image without the key.

    Raises:
        ValueError: A value is neither 0 nor 1.
    """
    flags = numbers_of(name, images, key, optional=optional)
    other = (flags.values != 0) & (flags.values != 1)
    if other.any():
        _refuse(name, key, flags.lengths, other, flags.values, "be 0 or 1")
    return flags.with_values(flags.values.astype(np.bool_))


def areas_of(name: str, images: Images, default: Ragged, optional: str) -> np.ndarray:
    """Return areas, float64 (n,): those under `areas`; the default in images without this key.

    Args:
        name: What the images are, for error messages.
        images: The batch.
        default: The areas of objects without others, float64 (n,).
        optional: A key that every image has, with an entry for each object.

    Raises:
        TypeError: The areas are not numbers.
        ValueError: An area is negative, not finite or beyond 1e100, or there are not as many areas
            as objects.
    """
    own = ["areas" in image for image in images]
    if not any(own):
        return default.values
    areas = boxes_of(name, images, "areas", 0, optional)
    check_lengths(name, **{optional: default, "areas": areas})
    arrays.check_not_negative(f"the areas of {name}", areas.values)
    return np.where(np.repeat(own, default.lengths), areas.values, default.values)


def check_lengths(name: str, **fields: Ragged) -> None:
    """Raise ValueError unless all fields of an image have the same number of entries."""
    (first, expected), *others = fields.items()
    for key, field in others:
        if (field.lengths != expected.lengths).any():
            index = int(np.flatnonzero(field.lengths != expected.lengths)[0])
            raise ValueError(
                f"{name}[{index}] must have as many {key!r} as {first!r}, "
                f"got {field.lengths[index]} and {expected.lengths[index]}"
            )


def _refuse(
    name: str, key: str, lengths: np.ndarray, bad: np.ndarray, values: np.ndarray, wanted: str
) -> None:
    """Raise ValueError about the first bad value, naming its image."""
    place = tuple(int(i) for i in np.argwhere(bad)[0])
    ends = np.cumsum(lengths)
    image = int(np.searchsorted(ends, place[0], side="right"))
    row = place[0] - int(ends[image] - lengths[image])
    raise ValueError(f"{name}[{image}][{key!r}] must {wanted}; got {values[place]} in row {row}")
