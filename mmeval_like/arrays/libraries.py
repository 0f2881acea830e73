"""Conversion of arrays of any library to host arrays and back."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from mmeval_like.arrays.accelerator import DeviceArray
from mmeval_like.arrays.checks import check_exact
from mmeval_like.arrays.texts import is_missing

__all__ = ["check_joined", "describe", "from_host", "readers", "to_host"]

_NO_ARRAYS = (str, bytes, dict, set)
_PLAIN = {bool, int, float}
_EXACT = 2**53  # float64 holds every integer up to this
_EXTENSION = 2  # `isbuiltin` of dtypes that other packages registered


def describe(value: Any) -> str:
    """Return a short description of a value, for error messages.

    Example:
        >>> describe(np.zeros((2, 3)))
        'an array of float64 and shape (2, 3)'
    """
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} and shape {value.shape}"
    return f"{type(value).__name__}"


def to_host(value: Any, name: str) -> np.ndarray:
    """Return an input as a C-contiguous numpy array, without a copy if possible.

    Args:
        value: A numpy array; an array of torch, JAX, TensorFlow, Paddle, OneFlow, CuPy or any
            library with `__array__` or DLPack (detached from autograd, fetched to the host);
            a number; or a sequence of these, which is stacked.
        name: The argument's name, for error messages.

    Returns:
        An array of bool, integers, floats or complex numbers. bfloat16 and floats of 8
        bits, which numpy lacks, are widened to float32; other dtypes are kept.

    Raises:
        TypeError: The value is not numeric.
        ValueError: The elements of a sequence differ in shape or in their float dtype, or an entry
            is missing.

    Example:
        >>> to_host([1, 2], "labels")
        array([1, 2])
    """
    array = value if type(value) is np.ndarray else readers[type(value)](value, name)
    if array.dtype.kind not in "biufc" or array.dtype.isbuiltin == _EXTENSION:
        # Dtypes of JAX and TensorFlow; numpy treats some of them like its own floats.
        if not array.dtype.name.startswith(("bfloat16", "float8")):
            raise _not_numeric(array, name)
        array = array.astype(np.float32)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    return array if array.flags.c_contiguous else np.ascontiguousarray(array)


def _not_numeric(array: np.ndarray, name: str) -> TypeError | ValueError:
    """Return the error for an input that numpy did not read as numbers."""
    text = f"{name} must be numeric"
    if array.ndim == 0 and array.dtype.kind == "O":  # numpy wraps objects that it cannot read
        value = array.item()
        return TypeError(
            f"{text}, got an object of type {type(value).__name__}{_cure(value, name)}"
        )
    entries = array.reshape(-1).tolist() if array.dtype.kind in "OU" else []
    for place, entry in enumerate(entries):
        index = int(np.unravel_index(place, array.shape)[0]) if array.ndim else 0
        if is_missing(entry):
            return ValueError(f"{name} must not have missing values, got none at index {index}")
        if not isinstance(entry, bool | int | float | np.number):
            text += f", got dtype {array.dtype} with {entry!r:.50} at index {index}"
            return TypeError(text + _CONVERT.format(name) * isinstance(entry, str))
    cure = f": pass {name}.astype(float), or .astype(int) for integers" if entries else ""
    return TypeError(f"{text}, got dtype {array.dtype}{cure}")


_CONVERT = ": pass np.array({}, float) if these are numbers"


def _cure(value: Any, name: str) -> str:
    """Return advice about an object that is neither an array nor a sequence, or ""."""
    if hasattr(value, "toarray"):
        return f": pass {name}.toarray()"
    if hasattr(value, "__iter__"):
        return f": pass list({name})"
    return ""


def from_host(array: np.ndarray, like: Any) -> Any:
    """Return a copy of a host array as an array of the library of `like`, on its device.

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
    raise TypeError(f"cannot make an array of {library}, got {describe(like)}")


# By library -------------------------------------------------------------------------------


def _from_torch(tensor: Any, name: str) -> Any:
    try:
        return tensor.numpy()
    except (TypeError, RuntimeError):  # on an accelerator, part of a graph, or such a dtype
        narrow = str(tensor.dtype).startswith(("torch.bfloat16", "torch.float8"))
    try:
        return (tensor.float() if narrow else tensor).numpy(force=True)
    except TypeError as error:  # a sparse tensor
        raise TypeError(f"{name} cannot be read as an array: {error}") from error


def _from_oneflow(tensor: Any, name: str) -> Any:
    tensor = tensor.detach().cpu()
    return (tensor.float() if str(tensor.dtype).endswith("bfloat16") else tensor).numpy()


def _from_paddle(tensor: Any, name: str) -> Any:
    tensor = tensor.detach().cpu()
    return (tensor.astype("float32") if str(tensor.dtype).endswith("bfloat16") else tensor).numpy()


def _from_cupy(array: Any, name: str) -> Any:
    return array.get()


def _from_arrow(column: Any, name: str) -> Any:
    from mmeval_like.arrays import arrow  # pyarrow has been imported: it made the column

    index = arrow.first_null(column)
    if index is not None:
        raise ValueError(f"{name} must not have missing values, got none at index {index}")
    values = arrow.from_arrow(column)
    return _from_sequence(values, name) if isinstance(values, list) else values


def _from_sequence(values: Sequence[Any], name: str) -> np.ndarray:
    if values and values[0] is None:
        raise ValueError(f"{name} must not have missing values, got none at index 0")
    if values and not isinstance(values[0], bool | int | float | np.generic):
        for index, value in enumerate(values):
            if isinstance(value, _NO_ARRAYS):
                cure = _CONVERT.format(name) if isinstance(value, str) else ""
                raise TypeError(f"{name} must be numeric, got {value!r:.50} at index {index}{cure}")
        values = [to_host(value, name) for value in values]
        shapes = sorted({value.shape for value in values})
        if len(shapes) > 1:
            raise ValueError(
                f"{name} must have elements of the same shape, got {shapes[0]} and others"
            )
        array: np.ndarray = np.stack(values) if type(values[0]) is DeviceArray else np.array(values)
        check_joined(array, values, name)
        return array
    try:
        array = np.array(values)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} must be numeric: {error}") from error
    kinds = set(map(type, values))
    # numpy makes floats of integers alone, too: of some beyond int64 and others.
    mixed = array.dtype.kind in "fc" and (len(kinds) > 1 or int in kinds)
    if mixed and not (kinds <= _PLAIN and (np.abs(array) < _EXACT).all()):
        check_joined(array, [to_host(value, name) for value in values], name)
    return array


def check_joined(array: np.ndarray, entries: Sequence[np.ndarray], name: str) -> None:
    """Raise ValueError if an entry alone would be another number, or be rounded in another way.

    A float32 0.7 reaches a threshold of 0.7; widened to float64, it does not. Integers alone are
    float64: beside a float32 they would be float32.
    """
    dtypes = {entry.dtype for entry in entries}
    if len(dtypes) == 1 or array.dtype.kind not in "fc":
        return
    if any(dtype.kind in "fc" and array.dtype != dtype for dtype in dtypes) or (
        array.dtype != np.result_type(array.dtype, np.float64)
    ):
        given = ", ".join(sorted(map(str, dtypes)))
        raise ValueError(
            f"{name} must have entries of one dtype, got a list with {given}: convert it, for "
            f"instance with np.array({name}, {str(array.dtype)!r})"
        )
    for entry in entries:
        check_exact(name, entry)


def _from_any(value: Any, name: str) -> np.ndarray:
    if type(value).__module__.startswith("numpy.ma"):
        raise TypeError(f"{name} must not be a masked array: leave the masked entries out")
    if isinstance(value, _NO_ARRAYS) or value is None:
        raise TypeError(
            f"{name} must be an array or a list of numbers or arrays, got {value!r:.50}"
        )
    nulls = _nulls(value)
    if nulls is not None and nulls.any():
        raise ValueError(
            f"{name} must not have missing values, got none at index {int(nulls.argmax())}"
        )
    try:
        if hasattr(value, "__dlpack__") and not hasattr(value, "__array__"):
            array = np.from_dlpack(value)
        else:
            # A view, which shows that the value may own the memory; it is copied when stored.
            array = np.asarray(value).view()
    except (TypeError, ValueError, BufferError) as error:
        raise TypeError(f"{name} cannot be read as an array: {error}") from error
    return array


def _nulls(column: Any) -> np.ndarray | None:
    """Return which entries of a pandas or polars column are missing; None if this is unknown.

    Their numpy arrays have nan for missing entries, which could also be an undefined number.
    """
    match type(column).__module__.partition(".")[0]:
        case "polars" if hasattr(column, "is_null"):
            return np.asarray(column.is_null())
        case "pandas" if (
            type(getattr(getattr(column, "dtype", None), "na_value", None)).__name__ == "NAType"
        ):
            return np.asarray(column.isna())
    return None


_Reader: TypeAlias = Callable[[Any, str], Any]

# Keyed by library and class, so that no library is imported to recognise its arrays.
_LIBRARIES: dict[tuple[str, str], _Reader] = {
    ("torch", "Tensor"): _from_torch,
    ("oneflow", "Tensor"): _from_oneflow,
    ("paddle", "Tensor"): _from_paddle,
    ("cupy", "ndarray"): _from_cupy,
    ("pyarrow", "Array"): _from_arrow,
    ("pyarrow", "ChunkedArray"): _from_arrow,
    ("mmeval_like", "DeviceArray"): lambda array, name: array,
    ("builtins", "list"): _from_sequence,
    ("builtins", "tuple"): _from_sequence,
}


class _Readers(dict[type, _Reader]):
    """The functions that read values of each type, found when a type is first seen."""

    def __missing__(self, kind: type) -> _Reader:
        names = [(base.__module__.partition(".")[0], base.__name__) for base in kind.__mro__]
        self[kind] = next((_LIBRARIES[name] for name in names if name in _LIBRARIES), _from_any)
        return self[kind]


readers = _Readers()
