"""Inputs that have one entry for each sample, in the order of the samples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mmeval_like.arrays.libraries import describe
from mmeval_like.arrays.texts import is_frame

__all__ = ["check_ordered", "is_per_sample", "listed"]

_UNORDERED = (Mapping, set, frozenset)
_NO_SEQUENCES = (str, bytes, *_UNORDERED)


def is_per_sample(value: Any) -> bool:
    """Return whether a value has an entry for each sample: a list, an array, a column, a frame.

    Example:
        >>> is_per_sample(["cat"]), is_per_sample("cat"), is_per_sample({"id": "cat"})
        (True, False, False)
    """
    if isinstance(value, _NO_SEQUENCES) or not hasattr(value, "__len__"):
        return False
    return getattr(value, "ndim", 1) != 0  # an array without axes is a number


def listed(values: Any, name: str, wanted: str) -> list[Any]:
    """Return the entries of a sequence or a column, those of one axis as Python objects.

    Args:
        values: A list, a tuple, an array or a column.
        name: The argument's name, for the error.
        wanted: What it must be, for the error.

    Raises:
        TypeError: The values have no order, as those of a set or of a dict; or they are one string,
            a data frame, an iterator, or not several values.

    Example:
        >>> listed(("cat", "dog"), "labels", "a list of strings")
        ['cat', 'dog']
    """
    if not is_per_sample(values) or is_frame(values):
        raise _wrong(values, name, wanted)
    if hasattr(values, "tolist") and getattr(values, "ndim", 0) == 1:
        found: list[Any] = values.tolist()
        return found
    return values.to_pylist() if hasattr(values, "to_pylist") else list(values)


def check_ordered(values: Any, name: str, wanted: str) -> None:
    """Raise TypeError for a dict or a set, whose order is not that of the samples.

    Args:
        values: The argument.
        name: Its name.
        wanted: What it must be.

    Example:
        >>> check_ordered({"cat", "dog"}, "labels", "a list of strings")
        Traceback (most recent call last):
            ...
        TypeError: labels must be a list of strings, got set; a set has no order: pass a list
    """
    if isinstance(values, _UNORDERED):
        raise _wrong(values, name, wanted)


def _wrong(values: Any, name: str, wanted: str) -> TypeError:
    cure = ""
    if isinstance(values, Mapping):
        cure = "; pass a list of its values, in order"
    elif isinstance(values, _UNORDERED):
        cure = "; a set has no order: pass a list"
    elif is_frame(values):
        cure = "; pass one of its columns"
    elif hasattr(values, "__next__"):
        cure = f"; pass list({name})"
    return TypeError(f"{name} must be {wanted}, got {describe(values)}{cure}")
