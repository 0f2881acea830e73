"""Reads and checks numeric inputs, and leaves out samples with nan."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from mmeval_like.metrics._common.shapes import check_one_axis
from mmeval_like.writing import arrays

__all__ = [
    "MULTIOUTPUT",
    "as_numbers",
    "as_outputs",
    "bounded",
    "check_option",
    "combine_outputs",
    "is_usual",
    "omit_nan",
    "read_columns",
    "read_pair",
    "without_tiny",
]

MULTIOUTPUT = ("uniform_average", "raw_values")

# For magnitudes between these, the product of two values and a weight in [1e-60, 1e60] is an exact
# sum of normal or subnormal floats.
_LEAST, _MOST = 1e-105, 1e115

_FEW = 10_000
_BLOCK = 1 << 14  # values whose magnitudes are computed at once: more would need new memory


def check_option(name: str, value: Any, allowed: Iterable[Any]) -> Any:
    """Return an option's value; ValueError, naming the option, if it is not allowed."""
    if value not in (several := tuple(allowed)):
        raise ValueError(f"{name} must be one of {several}, got {value!r}")
    return value


def as_numbers(values: Any) -> np.ndarray:
    """Return a number or numbers (N,) of any real dtype as float64 (N,).

    Raises:
        TypeError: The inputs are not real numbers.
        ValueError: `values` has more than one axis.
    """
    numbers = arrays.as_floats(values, "values")
    numbers = numbers[None] if numbers.ndim == 0 else numbers
    if numbers.ndim != 1:
        raise ValueError(f"values must be a number or have shape (N,), got {numbers.shape}")
    return numbers


def as_outputs(value: Any, name: str, num_outputs: int) -> np.ndarray:
    """Return numbers (N,) or (N, D) as float64 (N, D).

    Raises:
        TypeError: The inputs are not real numbers.
        ValueError: The shape does not fit, or an integer is beyond 2^53.
    """
    array = arrays.as_floats(value, name)
    if array.ndim == 1 and num_outputs == 1:
        array = array[:, None]
    if array.ndim != 2 or array.shape[1] != num_outputs:
        wanted = "(N,)" if num_outputs == 1 else f"(N, {num_outputs})"
        raise ValueError(
            f"{name} must have shape {wanted}, got {array.shape}; pass num_outputs= for "
            f"another number of columns"
        )
    return array


def bounded(name: str, array: np.ndarray) -> np.ndarray:
    """Return float64 numbers whose products are all exact as sums of floats.

    Raises:
        ValueError: A value is nan or infinite, or has a magnitude beyond [1e-105, 1e115] and is not
            0.
    """
    if is_usual(array):
        return array
    magnitudes = np.abs(array)
    arrays.check_finite(name, array)
    rule = f"must not exceed {_MOST:g} in magnitude"
    arrays.require(name, array, magnitudes <= _MOST, rule)
    rule = f"must be 0 or at least {_LEAST:g} in magnitude (use a larger unit, or 0)"
    arrays.require(name, array, (magnitudes == 0) | (magnitudes >= _LEAST), rule)
    return array


def without_tiny(array: np.ndarray) -> np.ndarray:
    """Return numbers with magnitudes below 1e-105 set to 0, where these do not matter."""
    return np.where(np.abs(array) < _LEAST, 0.0, array)


def is_usual(array: np.ndarray) -> bool:
    """Return whether `bounded` is known to accept the numbers unchanged."""
    if type(array) is not np.ndarray or not array.size:
        return False
    numbers = array.ravel("K")
    for start in range(0, len(numbers), _BLOCK):
        magnitudes = np.abs(numbers[start : start + _BLOCK])
        least, most = magnitudes[magnitudes.argmin()], magnitudes[magnitudes.argmax()]
        if not (least >= _LEAST and most <= _MOST):  # min and max propagate nan
            return False
    return True


def read_columns(**inputs: Any) -> list[np.ndarray]:
    """Return inputs, given by name, as finite float64 numbers (N,) of equal length.

    Raises:
        TypeError: The inputs are not real numbers.
        ValueError: Shapes or lengths do not fit, a value is nan or infinite, or an integer is
            beyond 2^53.
    """
    found: dict[str, np.ndarray] = {}
    for name, values in inputs.items():
        numbers = arrays.as_floats(values, name)
        check_one_axis(name, numbers)
        arrays.check_finite(name, numbers)
        for other, column in found.items():
            arrays.check_same_length(other, column, name, numbers)
        found[name] = numbers
    return list(found.values())


def read_pair(predictions: Any, labels: Any, num_outputs: int) -> tuple[np.ndarray, np.ndarray]:
    """Return finite predictions and labels as float64 (N, D); see `as_outputs` for the errors."""
    first = as_outputs(predictions, "predictions", num_outputs)
    second = as_outputs(labels, "labels", num_outputs)
    few = type(first) is type(second) is np.ndarray and first.size == second.size <= _FEW
    # A nan or an infinity propagates through products and sums. For larger arrays BLAS starts
    # threads.
    if not few or not math.isfinite(np.vdot(first, second)):
        arrays.check_finite("predictions", first)
        arrays.check_finite("labels", second)
    arrays.check_same_length("predictions", first, "labels", second)
    return first, second


def combine_outputs(values: list[float], multioutput: str) -> float | list[float]:
    """Return the values of the outputs as a list ("raw_values"), or their mean."""
    if multioutput == "raw_values":
        return values
    if len(values) == 1:
        return float(values[0]) + 0.0  # 0.0 for -0.0, as in a sum
    if not all(map(math.isfinite, values)):
        return sum(values) / len(values)
    return float(sum(map(Fraction, values)) / len(values))  # the sum may overflow float64


def omit_nan(
    inputs: Mapping[str, Any],
    sample_weight: Any,
    read: Callable[[Any, str], Any] = arrays.as_floats,
) -> tuple[dict[str, Any], np.ndarray]:
    """Return inputs with 1.0 instead of every sample with a nan, and weights, 0 for these samples.

    Args:
        inputs: The inputs by name: arrays, or sequences of arrays with one entry per sample.
        sample_weight: Numbers (N,); a nan here leaves the sample out too. None: all are 1.
        read: Converts an input to float64.

    Example:
        >>> found, weights = omit_nan({"labels": [1.0, float("nan")]}, None)
        >>> found["labels"].tolist(), weights.tolist()
        ([1.0, 1.0], [1.0, 0.0])
    """
    found: dict[str, Any] = {}
    for name, value in inputs.items():
        found[name] = read(value, name)
        if getattr(found[name], "ndim", 1) == 0:
            raise ValueError(f"{name} must have one axis of samples, got a number")
    (first, some), *others = found.items()
    for name, value in others:
        arrays.check_same_length(first, some, name, value)
    bad = np.zeros(len(some), np.bool_)
    for value in found.values():
        if isinstance(value, np.ndarray):
            bad |= np.isnan(value).any(axis=tuple(range(1, value.ndim)))
        else:
            bad |= np.array([np.isnan(row).any() for row in value], np.bool_)
    weights = np.ones(len(some))
    if sample_weight is not None:
        weights = arrays.as_floats(sample_weight, "sample_weight")
        if weights.shape != bad.shape:
            return found, weights  # as_weights raises the error
        bad |= np.isnan(weights)
    for name, value in found.items():
        if isinstance(value, np.ndarray):
            wide = bad.reshape(-1, *[1] * (value.ndim - 1))
            found[name] = np.where(wide, 1.0, value)
        else:
            found[name] = [
                np.ones_like(row) if out else row for row, out in zip(value, bad, strict=True)
            ]
    return found, np.where(bad, 0.0, weights)
