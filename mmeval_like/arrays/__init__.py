"""Conversion of inputs to host numpy arrays that metrics use, and reproducible sums.

Metrics import all functions about array libraries from this package.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from mmeval_like.arrays.accelerator import fetch, is_device
from mmeval_like.arrays.checks import (
    check_exact,
    check_finite,
    check_not_negative,
    check_probabilities,
    check_range,
    check_same_length,
    places,
    possibly,
    remark,
    require,
)
from mmeval_like.arrays.libraries import check_joined, describe, from_host, readers, to_host
from mmeval_like.arrays.sequences import check_ordered, is_per_sample, listed
from mmeval_like.arrays.texts import (
    as_text,
    as_texts,
    categories_of,
    column_names,
    is_missing,
    may_be_texts,
)

__all__ = [
    "as_floats",
    "as_integers",
    "as_numbers",
    "as_text",
    "as_texts",
    "categories_of",
    "check_exact",
    "check_finite",
    "check_joined",
    "check_not_negative",
    "check_ordered",
    "check_probabilities",
    "check_range",
    "check_same_length",
    "column_names",
    "count_true",
    "describe",
    "fetch",
    "from_host",
    "is_device",
    "is_missing",
    "is_per_sample",
    "listed",
    "may_be_texts",
    "places",
    "possibly",
    "remark",
    "require",
    "sum_rows",
    "to_host",
    "to_samples",
]

_INT64 = np.dtype(np.int64)
_BYTE = 255


def to_samples(value: Any, name: str) -> Sequence[np.ndarray]:
    """Return one host array per sample, along an array's first axis or from a sequence.

    Args:
        value: An array of any library, of shape (n, ...), or a sequence of arrays, which may
            differ in shape.
        name: The argument's name, for error messages.

    Raises:
        TypeError: The values are not numbers.
        ValueError: The array has no axes.

    Example:
        >>> [sample.shape for sample in to_samples([np.ones((2, 2)), np.ones(3)], "images")]
        [(2, 2), (3,)]
    """
    if isinstance(value, list | tuple):
        return [to_host(entry, name) for entry in value]
    array = to_host(value, name)
    if array.ndim == 0:
        raise ValueError(f"{name} must have one axis of samples, got {describe(array)}")
    return array  # type: ignore[return-value]


def as_integers(value: Any, name: str) -> np.ndarray:
    """Return an input as int64, from any integer dtype.

    Raises:
        TypeError: The values are not numbers, or they are floats that are not whole numbers.
        ValueError: A value does not fit into int64, or is a float so large that it may have been
            rounded.

    Example:
        >>> as_integers(np.array([1, 255], np.uint8), "labels").dtype
        dtype('int64')
    """
    kind = type(value)
    array: np.ndarray = value if kind is np.ndarray else readers[kind](value, name)
    if array.dtype is _INT64 and array.flags.c_contiguous:
        return array
    array = to_host(array, name)
    if array.dtype.kind in "biu":
        if array.dtype == np.uint64 and array.size and array.max() > np.iinfo(np.int64).max:
            raise ValueError(f"{name} must fit into int64, got {array.max()}")
        return array.astype(np.int64)
    if array.dtype.kind == "f":
        # Nothing is truncated silently: 1.9 is not class 1.
        with np.errstate(invalid="ignore"):
            whole = array.astype(np.int64)
        if is_device(whole):
            require(name, whole, whole == array, "must be integers")
            return whole
        if np.array_equal(whole, array):
            _check_not_rounded(value, array, name)
            return whole
        odd = np.flatnonzero(np.reshape(whole != array, -1))[0]
        index = np.unravel_index(odd, array.shape)[0] if array.ndim else 0
        text = f"{name} must be integers, got {describe(array)}"
        text += f", with {array.reshape(-1)[odd]} at index {index}"
        if name == "predictions" and array.ndim == 1 and not np.isnan(array).any():
            text += (
                '; if these are scores of class 1, give the metric task="binary" or pass the '
                "decisions, `scores >= 0.5`, or the "
                "scores of all classes (N, C)"
            )
        raise TypeError(text)
    raise TypeError(f"{name} must be integers, got {describe(array)}")


def _check_not_rounded(value: Any, array: np.ndarray, name: str) -> None:
    """Raise ValueError for whole numbers so large that the dtype may have rounded them."""
    dtype = str(getattr(value, "dtype", array.dtype))
    limit = 256 if "bfloat16" in dtype else 2 ** (np.finfo(array.dtype).nmant + 1)
    if array.size and np.abs(array).max() >= limit:
        raise ValueError(
            f"{name} must be of an integer dtype from {limit} on, got {np.abs(array).max()} as "
            f"{dtype}, which may have rounded it"
        )


def as_floats(value: Any, name: str) -> np.ndarray:
    """Return an input as float64, from any real dtype.

    Raises:
        TypeError: The values are not numbers, or they are complex.
        ValueError: There are integers beyond 2^53, which float64 may round.
    """
    array = to_host(value, name)
    if array.dtype.kind == "c":
        raise TypeError(f"{name} must be real numbers, got {describe(array)}")
    check_exact(name, array)
    return array.astype(np.float64, copy=False)


def as_numbers(value: Any, name: str) -> np.ndarray:
    """Return an input in its own real dtype, which suffices for order comparisons.

    Raises:
        TypeError: The values are not numbers, or they are complex.
    """
    kind = type(value)
    array: np.ndarray = value if kind is np.ndarray else readers[kind](value, name)
    dtype = array.dtype
    plain = dtype is _INT64 or (dtype.kind in "biuf" and dtype.isbuiltin == 1)
    if plain and array.flags.c_contiguous:
        return array
    array = to_host(array, name)
    if array.dtype.kind == "c":
        raise TypeError(f"{name} must be real numbers, got {describe(array)}")
    return array


def count_true(mask: np.ndarray) -> np.ndarray:
    """Return the number of true entries in each row of a mask (n, C), as unsigned or int64 (n,).

    This is two to four times as fast as `np.sum`, which first widens every entry to int64.

    Example:
        >>> count_true(np.array([[True, False], [True, True]])).tolist()
        [1, 2]
    """
    if is_device(mask):
        counts: np.ndarray = mask.sum(axis=1)
        return counts
    width = mask.shape[1]
    ones = mask.view(np.uint8)
    if width <= _BYTE:
        counts = np.einsum("ij->i", ones)
        return counts
    counts = np.zeros(len(mask), np.int64)
    for start in range(0, width, _BYTE):  # the sum of this many entries fits into one byte
        counts += np.einsum("ij->i", ones[:, start : start + _BYTE])
    return counts


def sum_rows(array: np.ndarray, *, overwrite: bool = False) -> np.ndarray:
    """Return the sum over all axes but the first, with the same bits for any batch size.

    Each sample is summed by repeated halving: the first half is added to the last half, and an odd
    middle element is carried over. Sums of libraries depend on the batch, the memory layout and the
    number of threads, because these determine the blocks in which they add; here, the order of the
    additions depends only on the size of a sample.

    Args:
        array: Shape (n, ...). Integers are summed in int64, floats in float64.
        overwrite: Whether the array may be overwritten, so that no other memory is needed. This
            makes sums of floats faster, because fresh memory costs as much as the additions.

    Returns:
        The sums, of shape (n,), in new memory.

    Example:
        >>> sum_rows(np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
        array([ 6., 15.])
    """
    wide = np.float64 if array.dtype.kind == "f" else np.int64
    width = math.prod(array.shape[1:])
    if array.ndim == 2 and array.flags.f_contiguous:  # every column is contiguous
        values = array.astype(wide, order="K", copy=False)
    else:
        values = array.astype(wide, order="C", copy=False).reshape(len(array), width)
    if wide is np.int64:  # integer addition is associative
        sums: np.ndarray = values.sum(axis=1)
        return sums
    if width == 0:
        return np.zeros(len(values))
    columns, count, rest = np.transpose(values, (1, 0)), len(values), width - width // 2
    # numpy's inner loops run along the longer axis.
    along = count >= rest
    if overwrite:
        folded = columns
    else:
        shape = (rest, count) if along else (count, rest)
        memory = np.empty_like(values, shape=shape, order="C")
        folded = memory if along else np.transpose(memory, (1, 0))
    while width > 2:
        half = width // 2
        np.add(columns[:half], columns[width - half : width], out=folded[:half])
        if width % 2 and columns is not folded:  # otherwise the middle element is in place already
            folded[half] = columns[half]
        columns, width = folded, width - half
    total: np.ndarray = columns[0] + columns[1] if width > 1 else columns[0].copy()
    return total
