"""Conversion of columns of strings, of any library, to lists."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

__all__ = [
    "as_text",
    "as_texts",
    "categories_of",
    "column_names",
    "is_frame",
    "is_missing",
    "may_be_texts",
]

_TEXTS = "OUT"  # the kinds of numpy dtypes that may hold strings


def as_text(value: object) -> str:
    """Return a value as a plain string; for a member of an enum of strings, this is its value.

    Example:
        >>> import enum
        >>> as_text(enum.Enum("Animal", {"CAT": "cat"}, type=str).CAT), as_text(7)
        ('cat', '7')
    """
    return str.__str__(value) if isinstance(value, str) else str(value)


def as_texts(value: Any, name: str) -> list[Any] | None:
    """Return strings as a list of Python strings; None for an input of anything else.

    Args:
        value: A list, a tuple, or an array of numpy, pandas, polars or Arrow, which may be
            categorical. Its entries may be lists of strings.
        name: The argument's name, for error messages.

    Raises:
        TypeError: Some entries are strings, and others are not.
        ValueError: Some entries are strings, and others are missing.

    Example:
        >>> as_texts(np.array(["cat", "dog"]), "labels"), as_texts([["cat"], []], "labels")
        (['cat', 'dog'], [['cat'], []])
        >>> as_texts([0, 1], "labels") is None
        True
    """
    listed = _listed(value)
    if listed is None:
        return None
    first = next((entry for entry in listed if not is_missing(entry) and not _is_empty(entry)), 0)
    if not isinstance(first, str) and as_texts(first, name) is None:
        return None
    nested = not isinstance(first, str)
    texts: list[Any] = []
    for index, entry in enumerate(listed):
        if is_missing(entry):
            raise ValueError(f"{name} must not have missing values, got none at index {index}")
        text = ([] if _is_empty(entry) else as_texts(entry, name)) if nested else entry
        if not isinstance(text, list if nested else str):
            text = f"{name} must be strings for all samples, or for none"
            raise TypeError(f"{text}, got {entry!r:.50} at index {index}")
        texts.append(text if nested else as_text(text))
    return texts


def categories_of(value: Any) -> list[str] | None:
    """Return the categories of a categorical column of strings, in order; None for other values.

    Categories of polars' Categorical and of Arrow's dictionaries are in order of appearance; those
    of pandas and of polars' Enum are in their declared order.

    Example:
        >>> categories_of(["dog", "cat"]) is None
        True
    """
    found: Any = None
    match type(value).__module__.partition(".")[0]:
        case "pandas" | "polars":
            found = getattr(getattr(value, "dtype", None), "categories", None)
        case "pyarrow":
            found = getattr(value, "dictionary", None)
    listed = getattr(found, "tolist", getattr(found, "to_list", lambda: None))()
    return as_texts(listed, "categories") if isinstance(listed, list) else None


def column_names(value: Any) -> list[str] | None:
    """Return the names of a data frame's columns; None for other values; called for every batch.

    A frame of pandas whose columns are numbers, as those made from an array, has no names.

    Example:
        >>> column_names([[0.5, 0.5]]) is None
        True
    """
    if not is_frame(value):
        return None
    names = list(getattr(value, "column_names", value.columns))
    return names if all(isinstance(name, str) for name in names) else None


def is_frame(value: Any) -> bool:
    """Return whether a value is a data frame, of pandas, polars or Arrow.

    Example:
        >>> is_frame([[0.5, 0.5]])
        False
    """
    return _is_frame(type(value))  # type: ignore[arg-type]  # mypy: types are hashable


@lru_cache(256)
def _is_frame(kind: type) -> bool:
    library = kind.__module__.partition(".")[0]
    return library in ("pandas", "polars", "pyarrow") and hasattr(kind, "columns")


def may_be_texts(value: Any) -> bool:
    """Return whether an input of this type may hold strings; called for every batch."""
    if type(value) is np.ndarray:
        return value.dtype.kind in _TEXTS
    return _may_hold_texts(type(value))  # type: ignore[arg-type]  # mypy: types are hashable


@lru_cache(256)
def _may_hold_texts(kind: type) -> bool:
    library = kind.__module__.partition(".")[0]
    return issubclass(kind, list | tuple | np.ndarray) or library in ("pandas", "polars", "pyarrow")


def is_missing(entry: Any) -> bool:
    """Return whether an entry is a missing value: None, nan, or that of pandas."""
    if entry is None or type(entry).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(entry, float) and math.isnan(entry)


def _is_empty(entry: Any) -> bool:
    listed = isinstance(entry, list | tuple) or (isinstance(entry, np.ndarray) and entry.ndim > 0)
    return listed and len(entry) == 0


def _listed(value: Any) -> Sequence[Any] | None:
    """Return the entries of a value that may hold strings; None for other values."""
    if isinstance(value, list | tuple):
        return value
    if isinstance(value, np.ndarray):
        return value.tolist() if value.ndim and value.dtype.kind in _TEXTS else None
    found: Any = None
    match type(value).__module__.partition(".")[0]:
        case "pandas" if getattr(getattr(value, "dtype", None), "kind", "") in ("O", "U"):
            found = value.tolist()
        case "polars" if _names_texts(getattr(value, "dtype", "")):
            found = value.to_list()
        case "pyarrow" if _names_texts(getattr(value, "type", "")):
            found = value.to_pylist()
    return found if isinstance(found, list) else None


def _names_texts(kind: Any) -> bool:
    """Return whether a polars or Arrow type is that of strings, or of lists of strings."""
    return any(word in str(kind) for word in ("string", "String", "Categorical", "Enum"))
