"""Inputs of any array library as host numpy arrays, checked; sums with one set of bits.

Everything that the metrics know of array libraries is here.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from mmeval_like._checks import (
    check_finite,
    check_range,
    check_same_length,
    places,
    possibly,
    require,
)
from mmeval_like.accelerator import DeviceArray, is_device

__all__ = [
    "as_floats",
    "as_integers",
    "as_numbers",
    "check_finite",
    "check_range",
    "check_same_length",
    "describe",
    "from_host",
    "places",
    "possibly",
    "require",
    "sum_rows",
    "to_host",
    "to_samples",
]

_INT64 = np.dtype(np.int64)


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
    array = value if type(value) is np.ndarray else _readers[type(value)](value, name)
    if array.dtype.kind not in "biufc":
        raise TypeError(f"{name} must be numeric, got dtype {array.dtype}")
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
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


def _from_torch(tensor: Any, name: str) -> Any:
    try:
        return tensor.numpy()
    except (TypeError, RuntimeError):  # on an accelerator, part of a graph, or bfloat16
        wide = tensor.float() if str(tensor.dtype) == "torch.bfloat16" else tensor
        return wide.numpy(force=True)


def _from_oneflow(tensor: Any, name: str) -> Any:
    tensor = tensor.detach().cpu()
    return (tensor.float() if str(tensor.dtype).endswith("bfloat16") else tensor).numpy()


def _from_paddle(tensor: Any, name: str) -> Any:
    tensor = tensor.detach().cpu()
    return (tensor.astype("float32") if str(tensor.dtype).endswith("bfloat16") else tensor).numpy()


def _from_cupy(array: Any, name: str) -> Any:
    return array.get()


def _from_sequence(values: Sequence[Any], name: str) -> np.ndarray:
    if values and not isinstance(values[0], bool | int | float | np.generic):
        values = [to_host(value, name) for value in values]
        shapes = sorted({value.shape for value in values})
        if len(shapes) > 1:
            raise ValueError(f"{name} must have elements of one shape, got {shapes[0]} and others")
        if type(values[0]) is DeviceArray:
            return np.stack(values)
    try:
        return np.array(values)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} must be numeric: {error}") from error


def _from_any(value: Any, name: str) -> np.ndarray:
    if type(value).__module__.startswith("numpy.ma"):
        raise TypeError(f"{name} must not be a masked array: leave the masked entries out")
    if isinstance(value, str | bytes | dict | set) or value is None:
        raise TypeError(f"{name} must be an array or a sequence of arrays, got {describe(value)}")
    try:
        if hasattr(value, "__dlpack__") and not hasattr(value, "__array__"):
            array = np.from_dlpack(value)
        else:
            array = np.asarray(value)
    except (TypeError, ValueError, BufferError) as error:
        raise TypeError(f"{name} cannot be read as an array: {error}") from error
    # JAX and TensorFlow hand out bfloat16 as an extension dtype.
    return array.astype(np.float32) if array.dtype.name == "bfloat16" else array


_Reader: TypeAlias = Callable[[Any, str], Any]

# By library and class, so that no library is imported to recognise its arrays.
_LIBRARIES: dict[tuple[str, str], _Reader] = {
    ("torch", "Tensor"): _from_torch,
    ("oneflow", "Tensor"): _from_oneflow,
    ("paddle", "Tensor"): _from_paddle,
    ("cupy", "ndarray"): _from_cupy,
    ("mmeval_like", "DeviceArray"): lambda array, name: array,
    ("builtins", "list"): _from_sequence,
    ("builtins", "tuple"): _from_sequence,
}


class _Readers(dict[type, _Reader]):
    """What reads values of a type; found when the type is seen for the first time."""

    def __missing__(self, kind: type) -> _Reader:
        names = [(base.__module__.partition(".")[0], base.__name__) for base in kind.__mro__]
        self[kind] = next((_LIBRARIES[name] for name in names if name in _LIBRARIES), _from_any)
        return self[kind]


_readers = _Readers()


def from_host(array: np.ndarray, like: Any) -> Any:
    """Return a host array as an array of the library of `like`, on its device; a copy.

    Args:
        array: A numpy array.
        like: An array of numpy, torch, JAX, TensorFlow, Paddle, OneFlow or CuPy.

    Raises:
        TypeError: `like` is an array of another library.

    Example:
        >>> from_host(np.ones(2), np.zeros(3))
        array([1., 1.])
    """
    library = type(like).__module__.partition(".")[0]
    module = sys.modules.get(library)
    if library == "numpy":
        return array.copy()
    if library in ("torch", "oneflow"):
        return module.from_numpy(array.copy()).to(like.device)  # type: ignore[union-attr]
    if library == "paddle":
        return module.to_tensor(array, place=like.place)  # type: ignore[union-attr]
    if library == "cupy":
        with like.device:
            return module.array(array)  # type: ignore[union-attr]
    if library in ("jax", "jaxlib"):
        return sys.modules["jax"].device_put(array, like.device)
    if library == "tensorflow":
        with module.device(like.device):  # type: ignore[union-attr]
            return module.constant(array)  # type: ignore[union-attr]
    raise TypeError(f"no way is known to make an array of {library}, got {describe(like)}")


def as_integers(value: Any, name: str) -> np.ndarray:
    """Return an input as int64, whatever integer width it came in.

    Raises:
        TypeError: Not numeric, or floats that are not whole numbers.

    Example:
        >>> as_integers(np.array([1, 255], np.uint8), "labels").dtype
        dtype('int64')
    """
    kind = type(value)
    array: np.ndarray = value if kind is np.ndarray else _readers[kind](value, name)
    if array.dtype is _INT64 and array.flags.c_contiguous:
        return array
    array = to_host(array, name)
    if array.dtype.kind in "biu":
        if array.dtype == np.uint64 and array.size and array.max() > np.iinfo(np.int64).max:
            raise ValueError(f"{name} must fit into int64, got {array.max()}")
        return array.astype(np.int64)
    if array.dtype.kind == "f":
        # Nothing is cut off in silence: 1.9 is not class 1.
        with np.errstate(invalid="ignore"):
            whole = array.astype(np.int64)
        if is_device(whole):
            require(name, whole, whole == array, "must be integers")
            return whole
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
    kind = type(value)
    array: np.ndarray = value if kind is np.ndarray else _readers[kind](value, name)
    dtype = array.dtype
    plain = dtype is _INT64 or (dtype.kind in "biuf" and dtype.isnative)
    if plain and array.flags.c_contiguous:
        return array
    array = to_host(array, name)
    if array.dtype.kind == "c":
        raise TypeError(f"{name} must be real numbers, got {describe(array)}")
    return array


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
    width = math.prod(array.shape[1:])
    values = array.astype(wide, order="C", copy=False).reshape(len(array), width)
    if wide is np.int64:  # integer addition is associative
        sums: np.ndarray = values.sum(axis=1)
        return sums
    if width == 0:
        return np.zeros(len(values))
    while width > 1:
        half = width // 2
        folded = np.empty_like(values, shape=(len(values), width - half))
        np.add(values[:, :half], values[:, width - half :], out=folded[:, :half])
        if width % 2:
            folded[:, half] = values[:, half]
        values, width = folded, width - half
    return values.reshape(-1)
