"""Checks of shapes, with errors that name the complete shapes and a likely remedy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mmeval_like.writing import arrays

__all__ = ["check_one_axis", "check_same_shape"]


def check_one_axis(name: str, values: Any, advice: str = "") -> None:
    """Raise ValueError, naming the shape, unless an array is 1-D.

    Example:
        >>> import numpy as np
        >>> check_one_axis("labels", np.zeros((3, 1)))
        Traceback (most recent call last):
        ValueError: labels must have shape (N,), got (3, 1): pass labels.reshape(-1)
        >>> check_one_axis("labels", np.eye(3))
        Traceback (most recent call last):
        ValueError: labels must have shape (N,), got (3, 3): pass labels.argmax(1)
    """
    if values.ndim != 1:
        one_each = values.ndim > 1 and set(values.shape[1:]) == {1}
        cure = f": pass {name}.reshape(-1)" if one_each else advice
        if not one_each and _is_one_hot(values):
            cure = f": pass {name}.argmax(1)"
        raise ValueError(f"{name} must have shape (N,), got {values.shape}{cure}")


def _is_one_hot(values: Any) -> bool:
    """Return whether each row of an array (N, C) has a single 1 and else 0."""
    if not isinstance(values, np.ndarray) or values.ndim != 2 or values.dtype.kind not in "biuf":
        return False
    return len(values) > 0 and bool((np.sort(values)[:, ::-1] == np.eye(1, values.shape[1])).all())


def check_same_shape(
    name: str, samples: Any, other_name: str, others: Any, *, classes: bool = False
) -> None:
    """Raise ValueError, naming both shapes, unless the samples of two inputs have equal shapes.

    Args:
        name: The name of the first input.
        samples: An array (N, ...), or a sequence of one array per sample.
        other_name: The name of the other input.
        others: The samples of the other input, in either form.
        classes: Whether samples hold class indices, so that an additional axis may hold scores.

    Example:
        >>> import numpy as np
        >>> check_same_shape("predictions", np.zeros(4), "labels", np.zeros((4, 1)))
        Traceback (most recent call last):
        ValueError: predictions and labels must have the same shape, got (4,) and (4, 1): pass \
labels[..., 0]
    """
    arrays.check_same_length(name, samples, other_name, others)
    if not len(samples):
        return
    if hasattr(samples, "shape") and hasattr(others, "shape"):
        if samples.shape != others.shape:
            cure = _cure(name, samples.shape, other_name, others.shape, classes, 1)
            raise _unequal(name, samples.shape, other_name, others.shape, cure)
        return
    for index, (sample, other) in enumerate(zip(samples, others, strict=True)):
        shapes = sample.shape, other.shape
        if shapes[0] != shapes[1]:
            cure = _cure(
                f"{name}[{index}]", shapes[0], f"{other_name}[{index}]", shapes[1], classes, 0
            )
            raise _unequal(name, shapes[0], other_name, shapes[1], f" at index {index}{cure}")


def _unequal(
    name: str, shape: Sequence[int], other_name: str, other: Sequence[int], rest: str
) -> ValueError:
    return ValueError(
        f"{name} and {other_name} must have the same shape, got {shape} and {other}{rest}"
    )


def _cure(
    name: str,
    shape: tuple[int, ...],
    other_name: str,
    other: tuple[int, ...],
    classes: bool,
    axis: int,
) -> str:
    """Return what to pass instead, if the shapes suggest it."""
    if shape == (*other, 1):
        return f": pass {name}[..., 0]"
    if other == (*shape, 1):
        return f": pass {other_name}[..., 0]"
    if classes and shape[:axis] + shape[axis + 1 :] == other:
        return f": if axis {axis} of {name} holds the scores of classes, pass {name}.argmax({axis})"
    return ""
