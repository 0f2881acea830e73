"""Checks of inputs; each reports the first bad value.

On an accelerator, they instead count the samples with bad values, and replace these values by 0.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from mmeval_like.arrays.accelerator import DeviceArray, Remark

__all__ = [
    "as_sample_count",
    "check_exact",
    "check_finite",
    "check_not_negative",
    "check_probabilities",
    "check_range",
    "check_same_length",
    "places",
    "possibly",
    "remark",
    "require",
]

_EXACT = 2**53  # float64 holds every integer up to this
_UNSIGNED = {size: np.dtype(f"u{size}") for size in (1, 2, 4, 8)}


def as_sample_count(value: Any, name: str) -> int:
    """Return a number of samples as a Python integer, since numpy integers overflow in sums.

    Raises:
        TypeError: The value is not an integer.
        ValueError: The value is negative, or beyond int64.
    """
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be a number of samples, got {value!r}") from None
    if isinstance(value, bool) or not 0 <= number < 2**63:
        raise ValueError(f"{name} must be a number of samples, got {value!r}")
    return number


def check_same_length(name: str, array: Any, other_name: str, other: Any) -> None:
    """Raise ValueError, naming both arguments, unless they have the same number of samples.

    Raises:
        TypeError: One of them has no length.
    """
    try:
        sizes = len(array), len(other)
    except TypeError:
        raise TypeError(
            f"{name} and {other_name} must both be sequences or arrays with an axis of samples, "
            f"got {type(array).__name__} and {type(other).__name__}"
        ) from None
    if sizes[0] != sizes[1]:
        raise ValueError(
            f"{name} and {other_name} must have the same length, got {sizes[0]} and {sizes[1]}"
        )


def check_range(
    name: str, codes: np.ndarray | DeviceArray, stop: int, advice: str = "", ignored_by: str = ""
) -> None:
    """Raise ValueError, with the first bad value and its index, unless 0 <= codes < stop.

    Args:
        name: The argument's name, for error messages.
        codes: Integers.
        stop: The smallest integer that is too large.
        advice: Advice to the user, added to the error message.
        ignored_by: The option that ignores a code, to be named if the bad one is negative.
    """
    if codes.size == 0:
        return
    if type(codes) is DeviceArray:
        codes.require((codes >= 0) & (codes < stop), f"{name} must be in [0, {stop})")
        return
    unsigned, limit = codes, stop
    if codes.dtype.kind == "i":
        # As an unsigned integer, a negative number is very large, so one pass checks both ends.
        if not codes.dtype.isnative:
            codes = codes.astype(np.int64)
        unsigned = codes.view(_UNSIGNED[codes.itemsize])
        limit = min(stop, 1 << (8 * codes.itemsize - 1))
    if unsigned.item(unsigned.argmax()) >= limit:  # twice as fast as max()
        flat = codes.reshape(-1)
        place = int(np.flatnonzero((flat < 0) | (flat >= stop))[0])
        bad, index = int(flat[place]), _index(place, codes.shape)
        if ignored_by and bad < 0:
            advice += f"; to ignore it, pass {ignored_by}={bad}"
        raise ValueError(f"{name} must be in [0, {stop}), got {bad} at index {index}{advice}")


def check_not_negative(
    name: str, values: np.ndarray | DeviceArray, rule: str = "must not be negative"
) -> None:
    """Raise ValueError, with the rule and a bad value, if a value is negative or nan."""
    if type(values) is DeviceArray:
        values.require(values >= 0, f"{name} {rule}")
    elif values.size and not values.item(values.argmin()) >= 0:  # argmin returns the first nan
        raise ValueError(f"{name} {rule}, got {values[~(values >= 0)][0]}")


def check_finite(
    name: str, values: np.ndarray | DeviceArray, *, allow_infinite: bool = False
) -> None:
    """Raise ValueError, with a bad value and its index, if a value is nan (or infinite)."""
    if values.dtype.kind != "f" or values.size == 0:
        return
    if type(values) is DeviceArray:
        kind = "nan" if allow_infinite else "nan or infinity"
        good = values == values if allow_infinite else np.abs(values) < math.inf
        values.require(good, f"{name} must not contain {kind}")
        return
    # argmax and argmin return the first nan, and allocate no array.
    for place in (values.argmax(), values.argmin()):
        value = values.item(place)
        if math.isnan(value) or (math.isinf(value) and not allow_infinite):
            kind = "nan" if allow_infinite else "nan or infinity"
            raise ValueError(
                f"{name} must not contain {kind}, got {value} at index "
                f"{_index(int(place), values.shape)}"
            )
        if allow_infinite:
            return


def check_probabilities(name: str, values: np.ndarray, advice: str) -> None:
    """Raise ValueError, with a bad value, if a value is nan or outside [0, 1].

    Args:
        name: The argument's name, for error messages.
        values: Floats.
        advice: Advice to the user, added to the error message.

    Example:
        >>> check_probabilities("predictions", np.array([0.5, 2.0]), "apply a sigmoid")
        Traceback (most recent call last):
        ValueError: predictions must be in [0, 1], got 2.0 at index 1: apply a sigmoid
    """
    for place in (values.argmin(), values.argmax()) if values.size else ():
        value = values.item(place)
        if not 0 <= value <= 1:
            check_finite(name, values, allow_infinite=True)
            index = _index(int(place), values.shape)
            raise ValueError(f"{name} must be in [0, 1], got {value} at index {index}: {advice}")


def check_exact(name: str, values: np.ndarray | DeviceArray) -> None:
    """Raise ValueError, with a bad value, if float64 may round an integer.

    Example:
        >>> check_exact("times", np.array([2**53 + 1]))
        Traceback (most recent call last):
        ValueError: times must be in [-2^53, 2^53], ... got 9007199254740993
    """
    if values.dtype.kind in "iu" and values.dtype.itemsize == 8:
        rule = (
            "must be in [-2^53, 2^53], beyond which float64 rounds integers: "
            "subtract an offset, or pass floats"
        )
        require(name, values, (values >= -_EXACT) & (values <= _EXACT), rule)


def require(name: str, values: Any, good: Any, rule: str) -> None:
    """Raise ValueError, with the rule and the first bad value, unless all values are good."""
    if type(values) is DeviceArray:
        values.require(good, f"{name} {rule}")
    elif not good.all():
        raise ValueError(f"{name} {rule}, got {values[~good][0]}")


def remark(values: Any, good: Any, text: str) -> None:
    """Make `compute` warn if values on an accelerator are not all good; do nothing on the host.

    Args:
        values: The values, which are not changed.
        good: A mask of the good values, on the same device.
        text: The warning.
    """
    if type(values) is DeviceArray:
        values.count(good, Remark(text))


def possibly(condition: Any) -> bool:
    """Return a truth value; True if it is on an accelerator, without waiting for it.

    Use it for work that only a true condition requires, and that is harmless otherwise.
    """
    return type(condition) is DeviceArray or bool(condition)


def places(mask: np.ndarray | DeviceArray) -> np.ndarray:
    """Return the indices of the true entries of a mask (n,); on an accelerator, all indices.

    Use it for work that only true entries require, and that is harmless for the others.
    """
    return np.arange(len(mask)) if type(mask) is DeviceArray else np.flatnonzero(mask)


def _index(place: int, shape: tuple[int, ...]) -> int | tuple[int, ...]:
    index = tuple(int(i) for i in np.unravel_index(place, shape))
    return index[0] if len(index) == 1 else index
