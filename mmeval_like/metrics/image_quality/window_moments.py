"""Means and variances under a sliding window, centred on each window."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["less_first", "window_moments"]

_STRIP = 32  # rows that are worked on at once, so that they stay in the processor's cache


def window_moments(planes: np.ndarray, taps: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """Return the means and variances in every window that fits into planes (..., H, W).

    The variance of a window is the mean variance of its columns plus the variance of their means,
    and numbers are taken less the one in the middle. The middle has a weight of its own, so that
    what is subtracted is never many times larger than what is left: neither numbers far from 0 nor
    a step elsewhere in the image costs digits.

    Args:
        planes: float64.
        taps: The weights along both axes: an odd number of them, with the sum 1.
    """
    size = len(taps) - 1
    height, width = planes.shape[-2] - size, planes.shape[-1] - size
    means = np.empty((*planes.shape[:-2], height, width))
    variances = np.empty_like(means)
    flat = (array.reshape(-1, *array.shape[-2:]) for array in (planes, means, variances))
    for plane, mean, variance in zip(*flat, strict=True):
        for top in range(0, height, _STRIP):
            rows = slice(top, min(top + _STRIP, height))
            columns = _moments(plane[top : rows.stop + size], taps)
            mean.T[:, rows], variance.T[:, rows] = _moments(columns[0].T, taps, columns[1].T)
    return means, np.maximum(variances, 0.0, out=variances)


def less_first(planes: np.ndarray) -> np.ndarray:
    """Return planes (..., H, W) less the first pixel of each."""
    return np.asarray(planes - planes[..., :1, :1])


def _moments(
    lines: np.ndarray, taps: Sequence[float], inner: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return means and variances of neighbours along the first axis.

    Args:
        lines: The numbers, or means of several.
        taps: Their weights.
        inner: The variances in what `lines` are means of.
    """
    middle, count = len(taps) // 2, len(lines) - len(taps) + 1
    centre = lines[middle : middle + count]
    shift = np.zeros_like(centre)
    variance = (
        np.zeros_like(centre) if inner is None else inner[middle : middle + count] * taps[middle]
    )
    apart, term = np.empty_like(centre), np.empty_like(centre)
    for start, tap in enumerate(taps):
        if start == middle:
            continue
        np.subtract(lines[start : start + count], centre, out=apart)
        np.multiply(apart, tap, out=term)
        shift += term
        term *= apart
        variance += term
        if inner is not None:
            variance += np.multiply(inner[start : start + count], tap, out=term)
    variance -= np.multiply(shift, shift, out=term)
    shift += centre
    return shift, variance
