"""Columns of texts of any library as lists: what has no place in an array of numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

__all__ = ["as_texts", "categories_of", "is_missing", "may_be_texts"]

_TEXTS = "OUT"  # the kinds of numpy's dtypes that may hold texts


def as_texts(value: Any, name: str) -> list[Any] | None:
    """Return texts as a list of Python's, or None for an input that holds anything else.

    Args:
        value: A list, a tuple, or an array of numpy, pandas, polars or Arrow; also a categorical
            one. Its entries may be lists of texts themselves.
        name: The argument's name, for the errors.

    Raises:
        TypeError: An entry among texts is not a string.
        ValueError: An entry among texts has no value.

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
            text = f"{name} must be texts for all samples, or for none"
            raise TypeError(f"{text}, got {entry!r:.50} at index {index}")
        texts.append(text if nested else str(text))
    return texts


def categories_of(value: Any) -> list[str] | None:
    """Return the categories of a categorical column of texts, in their order; None: it is no such.

    Categories of polars' Categorical and of Arrow's dictionaries have the order in which they
    appeared; those of pandas and of polars' Enum have an order of their own.

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


def may_be_texts(value: Any) -> bool:
    """Return whether an input may hold texts: a question of its type, asked for every batch."""
    if type(value) is np.ndarray:
        return value.dtype.kind in _TEXTS
    return _may_hold_texts(type(value))  # type: ignore[arg-type]  # mypy: types are hashable


@lru_cache(256)
def _may_hold_texts(kind: type) -> bool:
    library = kind.__module__.partition(".")[0]
    return issubclass(kind, list | tuple | np.ndarray) or library in ("pandas", "polars", "pyarrow")


def is_missing(entry: Any) -> bool:
    """Return whether an entry is a missing value: None, nan, or one of pandas."""
    if entry is None or type(entry).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(entry, float) and math.isnan(entry)


def _is_empty(entry: Any) -> bool:
    return isinstance(entry, list | tuple | np.ndarray) and len(entry) == 0


def _listed(value: Any) -> Sequence[Any] | None:
    """Return the entries of what may hold texts; None for what cannot."""
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
    """Return whether a type of polars or Arrow is one of texts, or of lists of these."""
    return any(word in str(kind) for word in ("string", "String", "Categorical", "Enum"))
