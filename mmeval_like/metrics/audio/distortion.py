"""SignalDistortionRatio: the ratio of the filtered ground truth to the remaining distortion."""

from __future__ import annotations

import importlib
import math
from typing import Any

import numpy as np

from mmeval_like.metrics._common.decibels import decibels
from mmeval_like.metrics._common.option_checks import check_count
from mmeval_like.metrics.audio.waveforms import ZeroMeanMetric, power, scaled
from mmeval_like.writing import needed_for

__all__ = ["SignalDistortionRatio", "sdr"]


def sdr(
    prediction: np.ndarray,
    truth: np.ndarray,
    filter_length: int = 512,
    load_diag: float | None = None,
) -> float:
    """Return the ratio of two signals (T,); nan where the truth is silent.

    Raises:
        ValueError: A signal is shorter than the filter.
    """
    from scipy.linalg import solve_toeplitz

    if len(truth) < filter_length:
        raise ValueError(
            f"groundtruths must be at least as long as the filter, {filter_length}, "
            f"got a signal of {len(truth)}"
        )
    [p], [y] = scaled(prediction), scaled(truth)
    if not y.any():
        return math.nan
    if not p.any():
        return -math.inf
    size = 1 << (len(y) + filter_length).bit_length()  # long enough to avoid circular wrap-around
    source, target = np.fft.rfft(y, size), np.fft.rfft(p, size)

    def correlations(spectrum: np.ndarray) -> np.ndarray:
        return np.fft.irfft(source.conj() * spectrum, size)[:filter_length]

    own = correlations(source)
    load = 0.0 if load_diag is None else float(load_diag * own[0])
    own[0] += load
    taps = solve_toeplitz(own, correlations(target))
    left = target - source * np.fft.rfft(taps, size)
    taps += solve_toeplitz(own, correlations(left) - load * taps)  # refine the solution
    explained = source * np.fft.rfft(taps, size)
    # If the distortion is small, a difference of powers would lose all digits; a norm does not.
    loaded = load * power(taps)
    signal, distortion = (_power(part, size) + loaded for part in (explained, target - explained))
    return decibels(signal, distortion)


def _power(spectrum: np.ndarray, size: int) -> float:
    """Return the sum of squares of a signal of even size, from the half of its spectrum."""
    ends = spectrum[[0, -1]].real  # not repeated in the other half
    return (2 * power(spectrum.view(np.float64)) - power(ends)) / size


class SignalDistortionRatio(ZeroMeanMetric):
    """The mean signal-to-distortion ratio, in decibels.

    The ground truth s, after the best filter of `filter_length` taps, is the part q of the
    prediction p that counts as signal; the rest, p - q, is distortion. A prediction that differs
    from s only by such a filter, for instance by a delay, is perfect. The value is that of
    BSS Eval for each source separately: sources are not permuted, and interference counts as
    distortion. Above about 300 decibels the distortion consists of rounding errors. Source: E.
    Vincent, R. Gribonval, C. Févotte, "Performance measurement in blind audio source separation"
    (IEEE TASLP 14, 2006); it is computed from Toeplitz equations as in R. Scheibler, "SDR - medium
    rare with fast computations" (ICASSP 2022).

    Formula:
        sdr = mean 10 log_10 (|q|^2 / |p - q|^2)

    Args:
        filter_length: The length of the filter, in samples of the waveform.
        load_diag: How many times the power of the ground truth is added to the diagonal of the
            equations, which keeps them stable for ground truths of few frequencies. None: nothing
            is added.
        **options: As for `ZeroMeanMetric`.

    Returns of `compute`: `sdr`, in decibels. Without samples, the value is nan. Higher is better.

    Raises:
        ImportError: scipy is not installed.
        TypeError: `filter_length` is not an integer.
        ValueError: `filter_length` is below 1, or `load_diag` is negative or infinite.

    Example:
        >>> import numpy as np
        >>> time = np.arange(400.0)
        >>> truth = np.sin(time**2 / 400)
        >>> metric = SignalDistortionRatio(filter_length=8)
        >>> metric.add([np.convolve(truth, [0.5, 0.2])[:400] + 0.05 * np.cos(time)], [truth])
        >>> round(metric.compute()["sdr"], 1)  # the cosine is the distortion
        21.6
    """

    processor_dependent = "Fourier transforms and log"
    key = "sdr"

    def __init__(
        self, filter_length: int = 512, load_diag: float | None = None, **options: Any
    ) -> None:
        super().__init__(**options)
        with needed_for(type(self).__name__, "pip install 'mmeval-like[audio]'"):
            importlib.import_module("scipy.linalg")
        self.filter_length = check_count("filter_length", filter_length)
        if load_diag is not None and not 0 <= load_diag < math.inf:
            raise ValueError(f"load_diag must be at least 0 and finite, got {load_diag}")
        self.load_diag = load_diag

    def signal_score(self, prediction: np.ndarray, truth: np.ndarray) -> float:
        """Return the ratio of two signals."""
        return sdr(prediction, truth, self.filter_length, self.load_diag)
