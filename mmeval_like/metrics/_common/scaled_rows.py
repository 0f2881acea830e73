"""Rows of numbers scaled to about 1, so that their squares neither overflow nor underflow."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["magnitudes", "scaled_rows"]

_LARGEST_POWER = 1023  # of two, in float64


def magnitudes(rows: np.ndarray) -> np.ndarray:
    """Return the largest magnitude of each row of numbers (n, D), D > 0; nan if a row has a nan.

    Example:
        >>> magnitudes(np.array([[1.0, -3.0], [0.5, 0.25]])).tolist()
        [3.0, 0.5]
    """
    found: np.ndarray = np.maximum(rows.max(axis=1), -rows.min(axis=1))
    return found


def scaled_rows(
    *inputs: np.ndarray, memory: Sequence[np.ndarray | None] | None = None
) -> list[np.ndarray]:
    """Return inputs (n, D) times a power of two for each row, which scales its numbers to about 1.

    In each row, all inputs are scaled by the same power; the largest magnitude is then in [1/2, 1).
    Only numbers below 2^-970 times the largest are rounded.

    Args:
        *inputs: Finite numbers, float32 or float64.
        memory: An array for each result, float64; None: new ones.

    Example:
        >>> [rows] = scaled_rows(np.array([[3e300, -4e300], [5.0, 0.0]]))
        >>> rows[1].tolist(), float(np.abs(rows[0]).max()) < 1
        ([0.625, 0.0], True)
    """
    most = magnitudes(inputs[0]).astype(np.float64)
    for rows in inputs[1:]:
        most = np.maximum(most, magnitudes(rows))
    exponents = -np.frexp(most)[1][:, None]
    outputs = memory if memory is not None else [None] * len(inputs)
    pairs = zip(inputs, outputs, strict=True)
    if (exponents > _LARGEST_POWER).any():  # rows with only subnormal numbers
        return [np.ldexp(rows, exponents, out=out, dtype=np.float64) for rows, out in pairs]
    powers = np.ldexp(1.0, exponents)  # a product with a power of two is twice as fast as ldexp
    return [np.multiply(rows, powers, out=out) for rows, out in pairs]
