"""Inputs of any array library as host numpy arrays, checked; sums with one set of bits.

Everything that the metrics know of array libraries is here.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = [
    "as_floats",
    "as_integers",
    "as_numbers",
    "check_finite",
    "check_range",
    "check_same_length",
    "describe",
    "ones",
    "sum_rows",
    "to_host",
    "to_samples",
]


def describe(value: Any) -> str:
    """Return a short text that says what a value is, for error messages.

    Example:
        >>> describe(np.zeros((2, 3)))
        'an array of float64 and shape (2, 3)'
    """
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} and shape {value.shape}"
    return f"{type(value).__name__}"


def to_host(value: Any, name: str) -> np.ndarray:
    """Return an input as a C-contiguous numpy array: without a copy where that is possible.

    Args:
        value: A numpy array; an array of torch, JAX, TensorFlow, Paddle, OneFlow, CuPy or any
            library with `__array__` or DLPack (detached from autograd, fetched to the host);
            a number; or a sequence of these, which is stacked.
        name: The argument's name, for the errors.

    Returns:
        An array of bool, integers, floats or complex numbers. bfloat16, which numpy lacks, is
        widened to float32; other dtypes are kept.

    Raises:
        TypeError: The value is not numeric.
        ValueError: A sequence whose elements differ in shape.

    Example:
        >>> to_host([1, 2], "labels")
        array([1, 2])
    """
    if type(value) is np.ndarray:
        array = value
    elif isinstance(value, list | tuple):
        array = _stack(value, name)
    else:
        array = _from_library(value, name)
    if array.dtype.kind not in "biufc":
        raise TypeError(f"{name} must be numeric, got dtype {array.dtype}")
    return array if array.flags.c_contiguous else np.ascontiguousarray(array)


def to_samples(value: Any, name: str) -> Sequence[np.ndarray]:
    """Return one host array per sample, of an array's first axis or of a sequence.

    Args:
        value: An array of any library, of shape (n, ...), or a sequence of arrays, which may
            differ in shape.
        name: The argument's name, for the errors.

    Raises:
        TypeError: Not numeric.
        ValueError: An array without axes.

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


def _stack(values: Sequence[Any], name: str) -> np.ndarray:
    if values and not isinstance(values[0], bool | int | float | np.generic):
        values = [to_host(value, name) for value in values]
        shapes = sorted({value.shape for value in values})
        if len(shapes) > 1:
            raise ValueError(f"{name} must have elements of one shape, got {shapes[0]} and others")
    try:
        return np.array(values)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} must be numeric: {error}") from error


def _from_library(value: Any, name: str) -> np.ndarray:
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        if value.requires_grad:
            value = value.detach()
        if value.dtype is torch.bfloat16:
            value = value.float()
        return value.numpy(force=True)
    library = type(value).__module__.partition(".")[0]
    if library in ("oneflow", "paddle"):
        value = value.detach()
        if str(value.dtype).endswith("bfloat16"):
            value = value.astype("float32") if library == "paddle" else value.float()
        if not (value.place.is_cpu_place() if library == "paddle" else value.device.type == "cpu"):
            value = value.cpu()
        return np.asarray(value.numpy())
    if library == "cupy":
        return np.asarray(value.get())
    if isinstance(value, str | bytes | dict | set) or value is None:
        raise TypeError(f"{name} must be an array or a sequence of arrays, got {describe(value)}")
    try:
        if hasattr(value, "__array__"):
            array = np.asarray(value)
        elif hasattr(value, "__dlpack__"):
            array = np.from_dlpack(value)
        else:
            array = np.asarray(value)
    except (TypeError, ValueError, BufferError) as error:
        raise TypeError(f"{name} cannot be read as an array: {error}") from error
    # JAX and TensorFlow hand out bfloat16 as an extension dtype.
    return array.astype(np.float32) if array.dtype.name == "bfloat16" else array


def as_integers(value: Any, name: str) -> np.ndarray:
    """Return an input as int64, whatever integer width it came in.

    Raises:
        TypeError: Not numeric, or floats that are not whole numbers.

    Example:
        >>> as_integers(np.array([1, 255], np.uint8), "labels").dtype
        dtype('int64')
    """
    array = to_host(value, name)
    if array.dtype == np.int64:
        return array
    if array.dtype.kind in "biu":
        if array.dtype == np.uint64 and array.size and array.max() > np.iinfo(np.int64).max:
            raise ValueError(f"{name} must fit into int64, got {array.max()}")
        return array.astype(np.int64)
    if array.dtype.kind == "f":
        # Nothing is cut off in silence: 1.9 is not class 1.
        with np.errstate(invalid="ignore"):
            whole = array.astype(np.int64)
        if np.array_equal(whole, array):
            return whole
    raise TypeError(f"{name} must be integers, got {describe(array)}")


def as_floats(value: Any, name: str) -> np.ndarray:
    """Return an input as float64, whatever real dtype it came in.

    Raises:
        TypeError: Not numeric, or complex.
    """
    array = to_host(value, name)
    if array.dtype.kind == "c":
        raise TypeError(f"{name} must be real numbers, got {describe(array)}")
    return array.astype(np.float64, copy=False)


def as_numbers(value: Any, name: str) -> np.ndarray:
    """Return an input in its own real dtype, for order comparisons only.

    Raises:
        TypeError: Not numeric, or complex.
    """
    array = to_host(value, name)
    if array.dtype.kind == "c":
        raise TypeError(f"{name} must be real numbers, got {describe(array)}")
    return array


def check_same_length(name: str, array: Any, other_name: str, other: Any) -> None:
    """Raise ValueError, naming both, unless the two have the same number of samples."""
    if len(array) != len(other):
        raise ValueError(
            f"{name} and {other_name} must have the same length, got {len(array)} and {len(other)}"
        )


def check_range(name: str, codes: np.ndarray, stop: int) -> None:
    """Raise ValueError, naming the first bad value and its place, unless 0 <= codes < stop."""
    if codes.size == 0:
        return
    # Seen as unsigned, a negative number is a very large one: one pass checks both ends.
    unsigned = codes.view(np.uint64) if codes.dtype == np.int64 else codes
    if (codes.dtype.kind == "i" and codes.dtype != np.int64 and codes.min() < 0) or (
        unsigned.max() >= stop
    ):
        flat = codes.reshape(-1)
        place = int(np.flatnonzero((flat < 0) | (flat >= stop))[0])
        index = tuple(int(i) for i in np.unravel_index(place, codes.shape))
        raise ValueError(
            f"{name} must be in [0, {stop}), got {flat[place]} at index "
            f"{index[0] if len(index) == 1 else index}"
        )


def check_finite(name: str, values: np.ndarray, *, allow_infinite: bool = False) -> None:
    """Raise ValueError, naming the first bad place, if there is a nan (or an infinity)."""
    if values.dtype.kind != "f":
        return
    bad = np.isnan(values) if allow_infinite else ~np.isfinite(values)
    if bad.any():
        place = tuple(int(i) for i in np.argwhere(bad)[0])
        kind = "nan" if allow_infinite else "nan or infinity"
        raise ValueError(f"{name} must not contain {kind}, got {values[place]} at index {place}")


def sum_rows(array: np.ndarray) -> np.ndarray:
    """Return the sum over all axes but the first, with the same bits for every batching.

    The sum of one sample is taken by repeated halving: the first half plus the last half, an
    odd middle element carried. Library sums change with the batch, the memory layout and the
    number of threads, because they add in blocks whose borders these decide; here each sample
    is added in one order that depends on its own size alone.

    Args:
        array: Shape (n, ...). Integers are summed in int64, floats in float64.

    Returns:
        Shape (n,).

    Example:
        >>> sum_rows(np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
        array([ 6., 15.])
    """
    wide = np.float64 if array.dtype.kind == "f" else np.int64
    values = np.ascontiguousarray(array, dtype=wide).reshape(len(array), -1)
    if wide is np.int64:  # integer addition is associative
        return values.sum(axis=1)
    width = values.shape[1]
    if width == 0:
        return np.zeros(len(values))
    while width > 1:
        half = width // 2
        folded = np.empty((len(values), width - half))
        np.add(values[:, :half], values[:, width - half :], out=folded[:, :half])
        if width % 2:
            folded[:, half] = values[:, half]
        values, width = folded, width - half
    return values.reshape(-1)


_ones = np.ones(1, np.int8)


def ones(count: int) -> np.ndarray:
    """Return int8 ones of shape (count,), read-only: the rows of a state that counts samples."""
    global _ones
    if len(_ones) < count:
        _ones = np.ones(count, np.int8)
        _ones.flags.writeable = False
    return _ones[:count]
