"""WaveformMetric: the base class of metrics of pairs of waveforms; powers of single signals."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from mmeval_like.metrics._common.image import samples
from mmeval_like.metrics._common.scaled_rows import scaled_rows
from mmeval_like.metrics._common.shapes import check_same_shape
from mmeval_like.metrics._common.shared_options import shared_options
from mmeval_like.writing import MetricOptions, SampleMean, Unpack, arrays
from mmeval_like.writing.exact import Scratch

__all__ = [
    "WaveformMetric",
    "ZeroMeanMetric",
    "blocks",
    "centred",
    "inner",
    "inners",
    "one_by_one",
    "power",
    "scaled",
]

_BLOCK = 1 << 16  # values of the signals that are processed at once


@shared_options
class WaveformMetric(SampleMean):
    """The mean over samples of a score, which is itself the mean over the sample's channels.

    Channels whose ground truth is silent have no score. Samples in which no channel has a score are
    left out, with a warning.

    Args:
        **options: As for `BaseMetric`.
    """

    higher_is_better: bool | None = True
    leaves_out_nan = True
    zero_mean = False  # whether each signal's mean is subtracted first

    shapes: Mapping[int, str] = MappingProxyType({1: "(T,)", 2: "(channels, T)"})
    """The shapes that a sample may have, by the number of axes."""

    def scores(self, predictions: Any, groundtruths: Any) -> np.ndarray:
        """Return the score of every pair.

        Args:
            predictions: Waveforms (T,) or (channels, T), unless the metric says otherwise: one
                array (N, ...), or a sequence of arrays whose lengths may differ. Numbers are finite
                and of any real dtype.
            groundtruths: The same shapes.

        Raises:
            TypeError: The inputs are not real numbers.
            ValueError: The numbers of samples differ, shapes do not fit, a waveform is empty or too
                short for the metric, or a number is not finite.
        """
        names = ("predictions", "groundtruths")
        scores: list[float] = []
        inputs = [samples(predictions, names[0]), samples(groundtruths, names[1])]
        check_same_shape(names[0], inputs[0], names[1], inputs[1])
        if list in map(type, inputs):  # whose shapes may differ
            batches = [[side[None] for side in pair] for pair in zip(*inputs, strict=True)]
        else:
            batches = [inputs] if len(inputs[0]) else []
        for batch in batches:
            sides = [_as_floats(side) for side in batch]
            for name, waveforms in zip(names, sides, strict=True):
                _check(name, waveforms, self.shapes)
            scores += self.sample_scores(*sides)
        return np.array(scores, np.float64)

    def sample_scores(self, predictions: np.ndarray, truths: np.ndarray) -> list[float]:
        """Return the scores of samples of one shape, (n, T) or (n, channels, T).

        A sample's score is the mean over its channels that have a score; nan if no channel has one.
        """
        count, length = len(truths), truths.shape[-1]
        sides = [side.reshape(-1, length) for side in (predictions, truths)]
        found: list[float] = []
        for block in blocks(len(sides[0]), length):
            found += self.signal_scores(*(self.prepared(side[block]) for side in sides))
        if truths.ndim == 2:  # one channel; turns -0.0 into 0.0, as a sum does
            return np.add(found, 0.0).tolist()  # type: ignore[no-any-return]
        return [_mean(channels) for channels in np.reshape(found, (count, -1)).tolist()]

    def prepared(self, signals: np.ndarray) -> np.ndarray:
        """Return signals (n, T), with their means subtracted if `zero_mean` is set."""
        return centred(signals) if self.zero_mean else signals

    def signal_scores(self, predictions: np.ndarray, truths: np.ndarray) -> list[float]:
        """Return the scores of signals (n, T), floats; nan where the truth is silent."""
        return one_by_one(self.signal_score, predictions, truths)

    def signal_score(self, prediction: np.ndarray, truth: np.ndarray) -> float:
        """Return the score of two signals (T,), for metrics that take them one by one."""
        raise NotImplementedError


class ZeroMeanMetric(WaveformMetric):
    """A mean of scores of waveforms, optionally with each signal's mean subtracted.

    Args:
        zero_mean: Whether each signal's mean is subtracted first.
        **options: As for `BaseMetric`.
    """

    def __init__(self, zero_mean: bool = False, **options: Unpack[MetricOptions]) -> None:
        super().__init__(**options)
        self.zero_mean = zero_mean


def blocks(count: int, length: int) -> Iterator[slice]:
    """Yield slices of signals (count, length) that fit in the processor's cache."""
    step = max(1, _BLOCK // length)
    yield from (slice(start, start + step) for start in range(0, count, step))


def one_by_one(score: Callable[..., Any], *sides: np.ndarray) -> list[float]:
    """Return a function of two signals (T,), float64, applied to each pair of signals (n, T)."""
    wide = (side.astype(np.float64, copy=False) for side in sides)
    return [float(score(*pair)) for pair in zip(*wide, strict=True)]


def power(signal: np.ndarray) -> float:
    """Return the sum of the squares of a signal."""
    return inner(signal, signal)


def inner(x: np.ndarray, y: np.ndarray) -> float:
    """Return the sum of products of two signals, bitwise reproducible."""
    total: float = arrays.sum_rows((x * y)[None]).item()
    return total


def inners(memory: np.ndarray, *pairs: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Return the sums of products of pairs of signals (n, T), each equal to that of `inner`.

    Args:
        memory: Memory for the products, (pairs, n, T), float64.
        *pairs: The pairs of signals.

    Example:
        >>> x = np.array([[3.0, 4.0]])
        >>> inners(np.empty((2, 1, 2)), (x, x), (x, -x)).tolist()
        [[25.0], [-25.0]]
    """
    for products, pair in zip(memory, pairs, strict=True):
        np.multiply(*pair, out=products)
    count, signals, length = memory.shape
    sums = arrays.sum_rows(memory.reshape(-1, length), overwrite=True)
    return sums.reshape(count, signals)


def centred(signals: np.ndarray) -> np.ndarray:
    """Return signals (n, T) minus their means, in float64; exactly 0 for constant signals."""
    least, most = signals.min(axis=1).astype(np.float64), signals.max(axis=1).astype(np.float64)
    if short := signals.dtype == np.float32:
        signals = signals.astype(np.float64)
        mean = arrays.sum_rows(signals) / signals.shape[1]
    else:
        _, exponent = np.frexp(np.maximum(most, -least))
        with Scratch(signals.shape) as memory:
            [small] = scaled_rows(signals, memory=memory)  # the sum of large numbers would overflow
            mean = arrays.sum_rows(small, overwrite=True) / signals.shape[1]
        mean = np.ldexp(mean, exponent)
    mean = np.minimum(np.maximum(mean, least), most)  # rounding may exceed the bounds
    found: np.ndarray = np.subtract(signals, mean[:, None], out=signals if short else None)
    return found


def scaled(*signals: np.ndarray) -> list[np.ndarray]:
    """Return signals times one power of two that scales the largest value to about 1, exactly."""
    return [rows[0] for rows in scaled_rows(*(signal[None] for signal in signals))]


def _mean(scores: list[float]) -> float:
    known = [score for score in scores if not math.isnan(score)]
    return sum(known) / len(known) if known else math.nan


def _as_floats(waveforms: np.ndarray) -> np.ndarray:
    """Return numbers as C-contiguous float32 or float64, without rounding."""
    kind = np.float32 if waveforms.dtype == np.float32 else np.float64
    return np.asarray(waveforms, kind, "C")


def _check(name: str, waveforms: np.ndarray, shapes: Mapping[int, str]) -> None:
    """Raise ValueError unless waveforms (n, ...) have an allowed shape and finite values."""
    if waveforms.ndim - 1 not in shapes or not waveforms.size:
        wanted = " or ".join(shapes.values())
        raise ValueError(
            f"{name} must be waveforms {wanted}, with numbers, got {waveforms.shape[1:]}"
        )
    if not (math.isfinite(waveforms.min()) and math.isfinite(waveforms.max())):
        for waveform in waveforms:
            arrays.check_finite(name, waveform)
