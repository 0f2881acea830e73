"""Ratios of signal and distortion power, mostly independent of the prediction's loudness."""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import Any

import numpy as np

from mmeval_like.metrics._common.decibels import decibels
from mmeval_like.metrics._common.scaled_rows import scaled_rows
from mmeval_like.metrics.audio.waveforms import WaveformMetric, ZeroMeanMetric, inners
from mmeval_like.writing.exact import Scratch

__all__ = [
    "ComplexScaleInvariantSNR",
    "ScaleInvariantSDR",
    "ScaleInvariantSNR",
    "SourceAggregatedSDR",
    "si_sdr",
    "snr",
]


def _widened(*signals: np.ndarray, memory: list[np.ndarray]) -> None:
    """Write signals (n, T) as float64, all times one power of two: no power overflows."""
    if any(side.dtype != np.float32 for side in signals):
        scaled_rows(*signals, memory=memory)
        return
    for side, wide in zip(signals, memory, strict=True):
        wide[...] = side  # float64 has the squares of all float32


def si_sdr(predictions: np.ndarray, truths: np.ndarray) -> list[float]:
    """Return the scale-invariant ratios of signals (n, T); nan where the truth is silent."""
    shape = predictions.shape
    with Scratch(shape, shape, (2, *shape)) as [p, y, memory]:
        _widened(predictions, memory=[p])
        _widened(truths, memory=[y])
        energies, products = inners(memory, (y, y), (p, y))
        silent = energies == 0
        y *= (products / np.where(silent, 1.0, energies))[:, None]  # the target
        p -= y  # the distortion
        powers = inners(memory, (y, y), (p, p))
    scores = list(map(decibels, *powers.tolist()))
    # Only a silent prediction has neither target nor distortion.
    for place in np.flatnonzero(silent | ~powers.any(axis=0)).tolist():
        scores[place] = math.nan if silent[place] else -math.inf
    return scores


def snr(predictions: np.ndarray, truths: np.ndarray) -> list[float]:
    """Return the ratios of ground truths (n, T) and errors; nan where the truth is silent."""
    shape = predictions.shape
    with Scratch(shape, shape, (2, *shape)) as [p, y, memory]:
        _widened(predictions, truths, memory=[p, y])
        heard: Any = y.any(axis=1)
        p -= y  # the error
        powers = inners(memory, (y, y), (p, p)).tolist()
    scores = map(decibels, *powers)
    return [
        score if known else math.nan for score, known in zip(scores, heard.tolist(), strict=True)
    ]


class ScaleInvariantSDR(ZeroMeanMetric):
    """The mean scale-invariant signal-to-distortion ratio, in decibels.

    p is a prediction and s its ground truth, which is first scaled by the best factor a, so that
    the score does not depend on how loud p is. A prediction without distortion scores infinity, a
    silent prediction minus infinity. Source: J. Le Roux, S. Wisdom, H. Erdogan, J. Hershey, "SDR -
    half-baked or well done?" (ICASSP 2019).

    Formula:
        si_sdr = mean 10 log_10 (|a s|^2 / |a s - p|^2)
        a = (p * s) / |s|^2

    Args:
        **options: As for `ZeroMeanMetric`.

    Returns of `compute`: `si_sdr`, in decibels. Without samples, the value is nan. Higher is
    better.

    Example:
        >>> metric = ScaleInvariantSDR()
        >>> metric.add([[6.0, 8.0, 1.0]], [[3.0, 4.0, 0.0]])
        >>> metric.compute()  # 10 log10(100 / 1)
        {'si_sdr': 20.0}
    """

    processor_dependent = "log"
    key = "si_sdr"

    def signal_scores(self, predictions: np.ndarray, truths: np.ndarray) -> list[float]:
        """Return the ratios of signals (n, T)."""
        return si_sdr(predictions, truths)


class ScaleInvariantSNR(WaveformMetric):
    """The mean scale-invariant signal-to-noise ratio, in decibels.

    The score is that of `ScaleInvariantSDR` after the mean of each signal, p of the prediction and
    s of the ground truth, was subtracted. Source: Y. Luo, N. Mesgarani, "TasNet: time-domain audio
    separation network for real-time, single-channel speech separation" (ICASSP 2018).

    Formula:
        si_snr = mean 10 log_10 (|a s|^2 / |a s - p|^2)
        a = (p * s) / |s|^2

    Args:
        **options: As for `WaveformMetric`.

    Returns of `compute`: `si_snr`, in decibels. Without samples, the value is nan. Higher is
    better.

    Example:
        >>> metric = ScaleInvariantSNR()
        >>> metric.add([[21.0, 19.0, 11.0, 9.0]], [[4.0, 4.0, 2.0, 2.0]])
        >>> metric.compute()  # 10 log10(100 / 4)
        {'si_snr': 13.979400086720377}
    """

    processor_dependent = "log"
    key = "si_snr"
    zero_mean = True

    def signal_scores(self, predictions: np.ndarray, truths: np.ndarray) -> list[float]:
        """Return the ratios of signals (n, T)."""
        return si_sdr(predictions, truths)


class ComplexScaleInvariantSNR(ZeroMeanMetric):
    """The mean scale-invariant signal-to-noise ratio of spectra, in decibels.

    All real and imaginary parts of a spectrogram are taken as one signal, p of the prediction and s
    of the ground truth; the score is then that of `ScaleInvariantSDR`. `add` takes spectrograms (F,
    T, 2) for F frequencies, T times, and the real and the imaginary part.

    Formula:
        csi_snr = mean 10 log_10 (|a s|^2 / |a s - p|^2)
        a = (p * s) / |s|^2

    Args:
        **options: As for `ZeroMeanMetric`.

    Returns of `compute`: `c_si_snr`, in decibels. Without samples, the value is nan. Higher is
    better.

    Example:
        >>> metric = ComplexScaleInvariantSNR()
        >>> metric.add([[[[6.0, 8.0]], [[1.0, 0.0]]]], [[[[3.0, 4.0]], [[0.0, 0.0]]]])
        >>> metric.compute()  # 10 log10((6^2 + 8^2) / 1^2)
        {'c_si_snr': 20.0}
    """

    processor_dependent = "log"
    key = "c_si_snr"
    shapes = MappingProxyType({3: "(F, T, 2)"})

    def sample_scores(self, predictions: np.ndarray, truths: np.ndarray) -> list[float]:
        """Return the ratios of spectrograms (n, F, T, 2)."""
        if truths.shape[3] != 2:
            raise ValueError(f"groundtruths must have shape (F, T, 2), got {truths.shape[1:]}")
        flat = (side.reshape(len(side), -1) for side in (predictions, truths))
        return super().sample_scores(*flat)

    def signal_scores(self, predictions: np.ndarray, truths: np.ndarray) -> list[float]:
        """Return the ratios of signals (n, T)."""
        return si_sdr(predictions, truths)


class SourceAggregatedSDR(ZeroMeanMetric):
    """The mean source-aggregated signal-to-distortion ratio, in decibels.

    The powers of the signals s_k and of the distortions are summed over the sources k of a sample
    before they are divided, so that silent sources count as well. All sources of a sample share one
    factor a. `add` takes waveforms (S, T), one for each source, in the order of the ground truths.
    Source: T. von Neumann, K. Kinoshita, C. Boeddeker, M. Delcroix, R. Haeb-Umbach, "SA-SDR: a
    novel loss function for separation of meeting style data" (ICASSP 2022).

    Formula:
        sa_sdr = mean 10 log_10 ((sum_k |a s_k|^2) / (sum_k |a s_k - p_k|^2))
        a = (sum_k p_k * s_k) / (sum_k |s_k|^2)

    Args:
        scale_invariant: Whether a is the factor that fits best, so that the loudness of predictions
            does not matter; otherwise a = 1.
        **options: As for `ZeroMeanMetric`.

    Returns of `compute`: `sa_sdr`, in decibels. Without samples, the value is nan. Higher is
    better.

    Example:
        >>> metric = SourceAggregatedSDR(scale_invariant=False)
        >>> metric.add([[[3.0, 4.0], [0.0, 0.5]]], [[[3.0, 4.0], [0.0, 0.0]]])
        >>> metric.compute()  # 10 log10(25 / 0.25)
        {'sa_sdr': 20.0}
    """

    processor_dependent = "log"
    key = "sa_sdr"
    shapes = MappingProxyType({2: "(S, T)"})

    def __init__(self, scale_invariant: bool = True, **options: Any) -> None:
        super().__init__(**options)
        self.scale_invariant = scale_invariant

    def sample_scores(self, predictions: np.ndarray, truths: np.ndarray) -> list[float]:
        """Return the ratios of samples (n, S, T), each over all sources of the sample."""
        sides = []
        for sources in (predictions, truths):
            ready = self.prepared(sources.reshape(-1, sources.shape[2]))
            sides.append(ready.reshape(len(sources), -1))
        return (si_sdr if self.scale_invariant else snr)(*sides)
