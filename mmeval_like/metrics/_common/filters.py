"""Image filters whose results are bitwise reproducible."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from mmeval_like.writing.exact import exp

__all__ = ["correlate", "gaussian"]

_STRIP = 32  # rows that are processed at once


def gaussian(sigma: float, radius: int) -> list[float]:
    """Return a Gaussian at -radius, ..., radius, scaled to sum 1."""
    values = [exp(-(x * x) / (2 * sigma * sigma)) for x in range(-radius, radius + 1)]
    total = math.fsum(values)
    return [value / total for value in values]


def correlate(
    planes: np.ndarray, down: Sequence[float], across: Sequence[float], stride: int = 1
) -> np.ndarray:
    """Return weighted sums of neighbours in planes (..., H, W), wherever all neighbours exist.

    Only elementwise products and sums are used, so that the result is bitwise reproducible. Strips
    of rows are processed one by one, so that they stay in the processor's cache.

    Args:
        planes: The planes, float64.
        down: The weights along H.
        across: The weights along W.
        stride: The step in pixels, along both axes.
    """
    height = (planes.shape[-2] - len(down)) // stride + 1
    width = (planes.shape[-1] - len(across)) // stride + 1
    sums = np.empty((*planes.shape[:-2], height, width))
    for top in range(0, height, _STRIP):
        rows = min(_STRIP, height - top)
        for plane, target in zip(
            planes.reshape(-1, *planes.shape[-2:]), sums.reshape(-1, height, width), strict=True
        ):
            strip = plane[top * stride : (top + rows - 1) * stride + len(down)]
            strip = _weighted_sums(strip, down, rows, stride)
            target[top : top + rows] = _weighted_sums(strip.T, across, width, stride).T
    return sums


def _weighted_sums(lines: np.ndarray, taps: Sequence[float], count: int, stride: int) -> np.ndarray:
    """Return weighted sums of neighbours along the first axis, keeping the memory order."""
    parts = [lines[start : start + (count - 1) * stride + 1 : stride] for start in range(len(taps))]
    total = parts[0] * taps[0]
    product = np.empty_like(total)
    for part, tap in zip(parts[1:], taps[1:], strict=True):
        total += np.multiply(part, tap, out=product)
    return np.asarray(total)
