"""PESQ and STOI: the quality and the intelligibility of speech, by packages pesq and pystoi."""

from __future__ import annotations

import importlib
import math
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from mmeval_like.metrics._common.number_inputs import check_option
from mmeval_like.metrics._common.option_checks import check_count
from mmeval_like.metrics.audio.waveforms import WaveformMetric
from mmeval_like.writing import CORRELATION, MetricOptions, Unpack, needed_for

__all__ = ["PerceptualEvaluationSpeechQuality", "ShortTimeObjectiveIntelligibility"]

_LOCK = threading.Lock()


class PerceptualEvaluationSpeechQuality(WaveformMetric):
    """The mean PESQ of speech: its quality as listeners would rate it, from about 1 to 4.6.

    Formula:
        narrow = 0.999 + 4 / (1 + exp(4.6607 - 1.4945 x))
        wide = 0.999 + 4 / (1 + exp(3.8224 - 1.3669 x))

    x is the score of ITU-T recommendation P.862, which P.862.1 (narrow band) and P.862.2 (wide
    band) map to mean opinion scores. It is computed by the package pesq, which compiles the
    programs of the recommendation when it is installed and so needs a C compiler. Recordings in
    which the program finds no utterance, and those with a silent prediction, have no score: they
    are left out, with a warning. Source: these recommendations.

    Args:
        fs: The sampling rate in Hz, 8000 or 16000.
        mode: "wb" for wide band, which needs a rate of 16000; "nb" for narrow band.
        **options: As for `WaveformMetric`.

    Returns of `compute`: `pesq`. Without samples, the value is nan. Higher is better.

    Raises:
        ModuleNotFoundError: pesq is not installed.
        ValueError: `fs` or `mode` is not one of the allowed values, or the mode is "wb" with a rate
            of 8000.

    Example:
        >>> import numpy as np
        >>> time = np.arange(16000) / 8000
        >>> speech = np.sin(900 * time) * (np.sin(20 * time) > 0)  # in place of speech
        >>> metric = PerceptualEvaluationSpeechQuality(8000, "nb")
        >>> metric.add([speech], [speech])
        >>> round(metric.compute()["pesq"], 2)
        4.55
    """

    processor_dependent = "the package pesq"
    key = "pesq"

    def __init__(self, fs: int, mode: str = "wb", **options: Unpack[MetricOptions]) -> None:
        super().__init__(**options)
        with needed_for(type(self).__name__):
            importlib.import_module("pesq")
        self.fs = check_option("fs", fs, (8000, 16000))
        self.mode = check_option("mode", mode, ("wb", "nb"))
        if (fs, mode) == (8000, "wb"):
            raise ValueError("mode must be 'nb' where fs is 8000, got 'wb'")

    def signal_score(self, prediction: np.ndarray, truth: np.ndarray) -> float:
        """Return the score of two recordings; nan where there is no utterance."""
        from pesq import NoUtterancesError, pesq

        if 4 * len(truth) < self.fs:
            raise ValueError(
                f"groundtruths must last a quarter of a second, {self.fs // 4} numbers, "
                f"got {len(truth)}"
            )
        if not (prediction.any() and truth.any()):
            return math.nan
        try:
            return float(pesq(self.fs, truth, prediction, self.mode))
        except NoUtterancesError:
            return math.nan


class ShortTimeObjectiveIntelligibility(WaveformMetric):
    """The mean STOI of speech, its intelligibility: 1 is that of the ground truth.

    X_(j m) and Y_(j m) are the envelopes of prediction and ground truth in the frequency band j and
    the segment m, and r is their correlation.

    The value is computed by the package pystoi. Recordings with less than 30 frames of speech, 0.4
    s, have no score: they are left out, with a warning. The extended measure adds noise of
    magnitude 1e-16, which is the same for every recording here. Sources: C. Taal, R. Hendriks, R.
    Heusdens, J. Jensen, "An algorithm for intelligibility prediction of time-frequency weighted
    noisy speech" (IEEE TASLP 19, 2011); extended: J. Jensen, C. Taal, "An algorithm for predicting
    the intelligibility of speech masked by modulated noise maskers" (IEEE TASLP 24, 2016).

    Formula:
        stoi = mean mean_(j, m) r(X_(j m), Y_(j m))

    Args:
        fs: The sampling rate in Hz; recordings are resampled to 10000 Hz.
        extended: Whether to compute the extended measure.
        **options: As for `WaveformMetric`.

    Returns of `compute`: `stoi`, in [-1, 1]. Without samples, the value is nan. Higher is better.

    Raises:
        ModuleNotFoundError: pystoi is not installed.
        TypeError: `fs` is not an integer.
        ValueError: `fs` is not positive.

    Example:
        >>> import numpy as np
        >>> speech = np.random.default_rng(0).normal(size=10000)  # in place of speech
        >>> metric = ShortTimeObjectiveIntelligibility(10000)
        >>> metric.add([speech], [speech])
        >>> round(metric.compute()["stoi"], 6)
        1.0
    """

    processor_dependent = "Fourier transforms and log"
    key = "stoi"
    ranges = CORRELATION

    def __init__(self, fs: int, extended: bool = False, **options: Unpack[MetricOptions]) -> None:
        super().__init__(**options)
        with needed_for(type(self).__name__, "pip install 'mmeval-like[audio]'"):
            importlib.import_module("pystoi")
        self.fs, self.extended = check_count("fs", fs), extended

    def signal_score(self, prediction: np.ndarray, truth: np.ndarray) -> float:
        """Return the score of two recordings; nan where there is too little speech."""
        from pystoi import stoi

        if not truth.any():
            return math.nan
        with _fixed_noise(), warnings.catch_warnings():
            warnings.filterwarnings("error", "Not enough STFT frames", RuntimeWarning)
            try:
                return float(stoi(truth, prediction, self.fs, extended=self.extended))
            except RuntimeWarning:
                return math.nan


@contextmanager
def _fixed_noise() -> Iterator[None]:
    """Seed numpy's global generator, which pystoi uses, within this block."""
    with _LOCK:
        before = np.random.get_state()
        np.random.seed(0)
        try:
            yield
        finally:
            np.random.set_state(before)
