"""Conversion of class names to class indices."""

from __future__ import annotations

import inspect
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from mmeval_like import arrays
from mmeval_like._base.names import did_you_mean

__all__ = ["as_indices", "check_names", "may_be_names", "places_of", "replace_names"]


def check_names(classes: Any) -> list[str]:
    """Return the names of classes as a list.

    Raises:
        TypeError: The argument is not a sequence of strings.
        ValueError: Two classes have the same name.
    """
    names = None if isinstance(classes, str) else arrays.as_texts(classes, "classes")
    if names is None or any(not isinstance(name, str) for name in names):
        cure = "; for their number pass num_classes=" if isinstance(classes, int) else ""
        raise TypeError(f"classes must be the class names, as strings, got {classes!r:.50}{cure}")
    twice = [name for index, name in enumerate(names) if name in names[:index]]
    if twice:
        raise ValueError(f"classes must have different names, got {twice[0]!r} twice")
    return names


def replace_names(
    inputs: Callable[..., Any],
    named_classes: tuple[str, ...],
    batch: tuple[Any, ...],
    named: dict[str, Any],
    classes: Callable[[], Sequence[str] | None],
    finish: Callable[[str, Any], Any],
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the inputs of a batch with class indices instead of class names.

    Args:
        inputs: The method that takes the inputs.
        named_classes: The names of its arguments that may contain class names.
        batch: Its positional arguments.
        named: Its keyword arguments.
        classes: Returns the names of the classes, in the order of their indices; called if needed.
        finish: Converts the indices of an argument to the method's input, given its name and them.

    Raises:
        TypeError: Class names were given to a metric without class names, or an entry is not a
            string.
        ValueError: A given name is not a class name; the error contains the name and its index. Or
            booleans are given, and the names say other classes of them.
    """
    for name, place in places_of(inputs, named_classes):
        value = batch[place] if place < len(batch) else named.get(name)
        if _are_truths(value):
            _check_truths(name, classes() or ())
            continue
        if not arrays.may_be_texts(value):
            continue
        texts = arrays.as_texts(value, name)
        if texts is None:
            continue
        known = classes()
        if known is None:
            raise _unnamed(name, arrays.categories_of(value))
        indices = finish(name, as_indices(texts, name, known))
        if place < len(batch):
            batch = (*batch[:place], indices, *batch[place + 1 :])
        else:
            named = {**named, name: indices}
    return batch, named


def may_be_names(value: Any) -> bool:
    """Return whether an input may hold names of classes, or booleans; called for every batch."""
    return arrays.may_be_texts(value) or _are_truths(value)


def _are_truths(value: Any) -> bool:
    """Return whether an input is a column of booleans."""
    if isinstance(value, list | tuple):
        return bool(value) and isinstance(value[0], bool | np.bool_)
    dtype = getattr(value, "dtype", None)
    if isinstance(dtype, np.dtype):
        return dtype.kind == "b" and value.ndim == 1
    return str(dtype).endswith(("bool", "boolean", "Boolean")) and getattr(value, "ndim", 1) == 1


def _check_truths(name: str, classes: Sequence[str]) -> None:
    """Raise ValueError if a class is called "true" or "false", and is not that of the boolean."""
    for index, text in enumerate(classes):
        if {"false": 0, "true": 1}.get(text.lower(), index) != index:
            raise ValueError(
                f"{name} are booleans, of which True is class 1, and classes= calls class {index} "
                f"{text!r}: pass them as strings, or list False before True"
            )


@lru_cache(256)  # called for every batch
def places_of(inputs: Callable[..., Any], names: tuple[str, ...]) -> list[tuple[str, int]]:
    """Return those of the names that are arguments of a method, each with its position."""
    parameters = [*inspect.signature(inputs).parameters][1:]  # without `self`
    return [(name, place) for place, name in enumerate(parameters) if name in names]


def as_indices(texts: Sequence[Any], name: str, classes: Sequence[str] | None) -> Any:
    """Return the class indices of names: int64 (n,), or for lists of names, a list of arrays.

    Args:
        texts: The names, or lists of names.
        name: The argument's name, for error messages.
        classes: The names of the classes, compared code point by code point; None: unknown.

    Raises:
        TypeError: `classes` is None.
        ValueError: A name is not a class name, or two classes have the same name.

    Example:
        >>> as_indices(["dog", "cat", "dog"], "labels", ["cat", "dog"])
        array([1, 0, 1])
    """
    if classes is None:
        raise _unnamed(name, None)
    known = {text: index for index, text in enumerate(check_names(classes))}
    return _looked_up(texts, name, known)


def _unnamed(name: str, categories: Sequence[str] | None) -> TypeError:
    """Return the error for class names if the metric has none.

    Args:
        name: The argument's name.
        categories: The categories of its column. They are not a default, since the columns of other
            batches and ranks may have other categories.
    """
    shown = "..." if categories is None else str([*categories])[1:-1]
    shown = shown if len(shown) <= 200 else "..."
    its = "" if categories is None else ", its categories,"
    return TypeError(
        f"{name} are {'strings' if categories is None else 'categorical'}, but no names of classes "
        f"are known: pass classes=[{shown}]{its} to the metric (members of a collection: all the "
        f"same) or --classes on the command line, in the order of the class indices"
    )


def _looked_up(texts: Sequence[Any], name: str, known: Mapping[str, int]) -> Any:
    if any(isinstance(text, list) for text in texts[:1]):
        return [_looked_up(entry, f"{name}[{row}]", known) for row, entry in enumerate(texts)]
    try:
        return np.array([known[text] for text in texts], np.int64)
    except KeyError as error:
        odd: str = error.args[0]
    form = unicodedata.normalize("NFC", odd)
    alike = [text for text in known if unicodedata.normalize("NFC", text) == form]
    spaced = [text for text in known if text != odd and text.strip() == odd.strip()]
    hint = f"; it differs from {spaced[0]!r} only in spaces" if spaced else did_you_mean(odd, known)
    if alike:
        hint = "; a class that looks the same has different code points: normalize both (NFC)"
    raise ValueError(
        f"{name} must be names of classes, got {odd!r} at index {texts.index(odd)}{hint}"
    )
