"""Means, variances and covariances under a sliding window, centred on each window."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["less_first", "window_moments"]

_STRIP = 32  # rows that are processed at once, so that they stay in the processor's cache

Pair = tuple[int, int]


def window_moments(
    images: Sequence[np.ndarray], pairs: Sequence[Pair], taps: Sequence[float]
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Return the means of images, and the covariances of pairs, in every window that fits.

    The covariance in a window is the mean of its columns' covariances plus the covariance of their
    means, and the middle value is subtracted from all values first. Since the middle has its own
    weight, a subtracted value is never many times larger than the difference: neither values far
    from 0 nor a step elsewhere in the image cost digits.

    Args:
        images: Arrays (C, H, W) of one shape, float64.
        pairs: Pairs of indices of images; the covariance of an image with itself is its variance.
        taps: The weights along both axes: an odd number of them, with the sum 1.
    """
    size = len(taps) - 1
    channels, height, width = images[0].shape
    shape = (channels, height - size, width - size)
    means = [np.empty(shape) for _ in images]
    covariances = [np.empty(shape) for _ in pairs]
    for channel in range(channels):
        for top in range(0, shape[1], _STRIP):
            rows = slice(top, min(top + _STRIP, shape[1]))
            strips = [image[channel, top : rows.stop + size] for image in images]
            columns, inner = _moments(strips, pairs, taps)
            found = _moments([x.T for x in columns], pairs, taps, [x.T for x in inner])
            for target, part in zip([*means, *covariances], [*found[0], *found[1]], strict=True):
                target[channel, rows] = part.T
    for (first, second), covariance in zip(pairs, covariances, strict=True):
        if first == second:
            np.maximum(covariance, 0.0, out=covariance)
    return means, covariances


def less_first(planes: np.ndarray) -> np.ndarray:
    """Return planes (..., H, W) minus the first pixel of each."""
    return np.asarray(planes - planes[..., :1, :1])


def _moments(
    lines: Sequence[np.ndarray],
    pairs: Sequence[Pair],
    taps: Sequence[float],
    inner: Sequence[np.ndarray] | None = None,
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Return means and covariances of neighbours along the first axis.

    Args:
        lines: The values of every image, or means of several values.
        pairs: Pairs of indices of images.
        taps: The weights of neighbours.
        inner: For every pair, the covariances of the values whose means are in `lines`.
    """
    middle, count = len(taps) // 2, len(lines[0]) - len(taps) + 1
    centres = [line[middle : middle + count] for line in lines]
    shifts = [np.zeros_like(centre) for centre in centres]
    apart, weighted = ([np.empty_like(centre) for centre in centres] for _ in range(2))
    found = [np.zeros_like(centres[0]) for _ in pairs]
    term = np.empty_like(centres[0])
    for start, tap in enumerate(taps):
        near = slice(start, start + count)
        if inner is not None:
            for total, within in zip(found, inner, strict=True):
                total += np.multiply(within[near], tap, out=term)
        if start == middle:
            continue
        for place, line in enumerate(lines):
            np.subtract(line[near], centres[place], out=apart[place])
            shifts[place] += np.multiply(apart[place], tap, out=weighted[place])
        for total, (first, second) in zip(found, pairs, strict=True):
            total += np.multiply(weighted[first], apart[second], out=term)
    for total, (first, second) in zip(found, pairs, strict=True):
        total -= np.multiply(shifts[first], shifts[second], out=term)
    for shift, centre in zip(shifts, centres, strict=True):
        shift += centre
    return shifts, found
