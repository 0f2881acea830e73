"""WaveformMetric: what metrics of pairs of waveforms share; powers of single signals."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from mmeval_like.metrics._common.image import pairs
from mmeval_like.metrics._common.shared_options import shared_options
from mmeval_like.writing import MetricOptions, SampleMean, Unpack, arrays

__all__ = ["WaveformMetric", "ZeroMeanMetric", "centred", "inner", "power", "scaled"]


@shared_options
class WaveformMetric(SampleMean):
    """The mean over samples of a score of waveforms; a sample's is the mean over its channels.

    Channels whose ground truth is silent have no score. Samples without a channel that has one are
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
            ValueError: The numbers of samples differ, shapes do not fit, a waveform is empty or,
                for the metric, too short, or a number is not finite.
        """
        names = ("predictions", "groundtruths")
        scores = []
        for sample in pairs(names, predictions, groundtruths):
            for name, waveform in zip(names, sample, strict=True):
                if waveform.ndim not in self.shapes or not waveform.size:
                    wanted = " or ".join(self.shapes.values())
                    raise ValueError(
                        f"{name} must be waveforms {wanted}, with numbers, got {waveform.shape}"
                    )
                arrays.check_finite(name, waveform)
            prediction, truth = (np.ascontiguousarray(waveform, np.float64) for waveform in sample)
            scores.append(self.sample_score(prediction, truth))
        return np.array(scores, np.float64)

    def sample_score(self, prediction: np.ndarray, truth: np.ndarray) -> float:
        """Return the mean of the scores of the channels that have one; nan where none has."""
        length = truth.shape[-1]
        channels = zip(prediction.reshape(-1, length), truth.reshape(-1, length), strict=True)
        scores = [self.signal_score(*map(self.prepared, pair)) for pair in channels]
        known = [score for score in scores if not math.isnan(score)]
        return sum(known) / len(known) if known else math.nan

    def prepared(self, signal: np.ndarray) -> np.ndarray:
        """Return a signal (T,), of mean 0 if this was asked for."""
        return centred(signal) if self.zero_mean else signal

    @abstractmethod
    def signal_score(self, prediction: np.ndarray, truth: np.ndarray) -> float:
        """Return the score of two signals (T,), float64; nan where the truth is silent."""


class ZeroMeanMetric(WaveformMetric):
    """A mean of scores of waveforms, less their means where this is asked for.

    Args:
        zero_mean: Whether each signal's mean is subtracted first.
        **options: As for `BaseMetric`.
    """

    def __init__(self, zero_mean: bool = False, **options: Unpack[MetricOptions]) -> None:
        super().__init__(**options)
        self.zero_mean = zero_mean


def power(signal: np.ndarray) -> float:
    """Return the sum of the squares of a signal."""
    return inner(signal, signal)


def inner(x: np.ndarray, y: np.ndarray) -> float:
    """Return the sum of products of two signals, which depends on nothing but them."""
    total: float = arrays.sum_rows((x * y)[None]).item()
    return total


def centred(signal: np.ndarray) -> np.ndarray:
    """Return a signal less its mean; exactly 0 where it is constant."""
    [small] = scaled(signal)  # the sum of large numbers would overflow
    mean: float = arrays.sum_rows(small[None]).item() / signal.size
    mean = min(max(mean, small.min().item()), small.max().item())  # beyond: by rounding
    _, exponent = math.frexp(float(np.abs(signal).max()))
    return signal - math.ldexp(mean, exponent)


def scaled(*signals: np.ndarray) -> list[np.ndarray]:
    """Return signals times one power of two, which brings the largest number near 1, exactly."""
    most = max(float(np.abs(signal).max()) for signal in signals)
    return [np.ldexp(signal, -math.frexp(most)[1]) for signal in signals]
