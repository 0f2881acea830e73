"""The same samples in other forms: a part of them, other memory layouts, other libraries."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

__all__ = ["converters", "layouts", "overwrite", "take_samples"]


def take_samples(data: tuple[Any, ...], which: np.ndarray) -> tuple[Any, ...]:
    """Return the chosen samples of every argument: array, list of samples, or None."""
    return tuple(_take(column, which) for column in data)


def _take(column: Any, which: np.ndarray) -> Any:
    if isinstance(column, np.ndarray):
        return column[which]
    return None if column is None else [column[index] for index in which]


def overwrite(value: Any) -> None:
    """Fill every array in lists, tuples and dicts with other numbers, and empty the containers."""
    if isinstance(value, np.ndarray):
        value[...] = np.ones((), value.dtype)
        return
    if isinstance(value, list | tuple | dict):
        for entry in value.values() if isinstance(value, dict) else value:
            overwrite(entry)
    if isinstance(value, list | dict):
        value.clear()


def layouts(data: tuple[Any, ...]) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yield the arguments with their arrays in other memory layouts, with a name for each."""
    arrange: dict[str, Callable[[np.ndarray], Any]] = {
        "Fortran-ordered arrays": np.asfortranarray,
        "read-only arrays": _read_only,
        "strided views": _strided,
        "reversed views": lambda array: np.ascontiguousarray(array[::-1])[::-1],
        "lists of samples": list,
    }
    for name, function in arrange.items():
        yield name, tuple(function(c) if isinstance(c, np.ndarray) else c for c in data)


def _read_only(array: np.ndarray) -> np.ndarray:
    copied = array.copy()
    copied.flags.writeable = False
    return copied


def _strided(array: np.ndarray) -> np.ndarray:
    wide = np.zeros((2 * array.shape[0], *array.shape[1:]), array.dtype)
    wide[::2] = array
    return wide[::2]


def converters() -> dict[str, Callable[[np.ndarray], Any]]:
    """Return, by library name, the function that converts a numpy array to that library."""
    return {
        "torch": lambda array: _library("torch").from_numpy(array.copy()),
        "jax": lambda array: _library("jax.numpy").asarray(array),
        "array_api_strict": lambda array: _library("array_api_strict").asarray(array),
        "oneflow": lambda array: _library("oneflow").tensor(array),
        "paddle": lambda array: _library("paddle").to_tensor(array),
        "tensorflow": lambda array: _library("tensorflow").constant(array),
    }


def _library(name: str) -> Any:
    return importlib.import_module(name)
