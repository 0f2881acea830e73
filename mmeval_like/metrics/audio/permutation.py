"""PermutationInvariantTraining: scores of separated sources, whatever their order."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from mmeval_like.metrics._common.number_inputs import check_option
from mmeval_like.metrics.audio.distortion import sdr
from mmeval_like.metrics.audio.ratios import si_sdr, snr
from mmeval_like.metrics.audio.waveforms import ZeroMeanMetric, blocks, centred, one_by_one
from mmeval_like.writing import needed_for

__all__ = ["PermutationInvariantTraining"]

Score = Callable[[np.ndarray, np.ndarray], float]
Scores = Callable[[np.ndarray, np.ndarray], list[float]]


def _si_snr(predictions: np.ndarray, truths: np.ndarray) -> list[float]:
    return si_sdr(centred(predictions), centred(truths))


_SCORES: Mapping[str, Scores] = MappingProxyType(
    {"si_sdr": si_sdr, "si_snr": _si_snr, "snr": snr, "sdr": partial(one_by_one, sdr)}
)


class PermutationInvariantTraining(ZeroMeanMetric):
    """The mean score of separated sources, under the best assignment to the true sources.

    The S predictions p of a sample are assigned one to one to its S ground truths y so that the
    mean of their scores is best; this mean is the sample's score. Samples with a silent ground
    truth have no score: they are left out, with a warning. `add` takes waveforms (S, T). Source: D.
    Yu, M. Kolbæk, Z. Tan, J. Jensen, "Permutation invariant training of deep models for
    speaker-independent multi-talker speech separation" (ICASSP 2017).

    Formula:
        pit = mean max_pi 1/S sum_s score(p_(pi(s)), y_s)

    Args:
        metric: The score: "si_sdr", "si_snr", "snr" or "sdr", as in the metrics with these keys; or
            a function of a prediction (T,) and a ground truth (T,), both float64, that returns a
            number.
        mode: "max" if a higher score is better, "min" if a lower one is.
        **options: As for `ZeroMeanMetric`.

    Returns of `compute`: `pit`, in the unit of the score. Without samples it is nan. Higher is
    better, or with `mode="min"` lower.

    Raises:
        ImportError: scipy is not installed.
        ValueError: `metric` or `mode` is not one of the allowed values.

    Example:
        >>> metric = PermutationInvariantTraining("snr")
        >>> metric.add([[[0.0, 9.0], [10.0, 1.0]]], [[[10.0, 0.0], [0.0, 10.0]]])
        >>> metric.compute()  # 10 log10(100 / 1) both, when they are exchanged
        {'pit': 20.0}
    """

    processor_dependent = "log"
    key = "pit"
    shapes = MappingProxyType({2: "(S, T)"})

    def __init__(self, metric: str | Score = "si_sdr", mode: str = "max", **options: Any) -> None:
        super().__init__(**options)
        with needed_for(type(self).__name__, "pip install 'mmeval-like[audio]'"):
            importlib.import_module("scipy.optimize")
        self.metric = metric if callable(metric) else check_option("metric", metric, _SCORES)
        self.mode = check_option("mode", mode, ("max", "min"))
        self.higher_is_better = mode == "max"

    def sample_scores(self, predictions: np.ndarray, truths: np.ndarray) -> list[float]:
        """Return the mean of the sources of samples (n, S, T) under the best assignment."""
        count, sources, length = truths.shape
        # The indices of all pairs of a prediction and a ground truth of the same sample.
        own = np.arange(count * sources).reshape(count, sources)
        pairs = (np.repeat(own, sources), np.repeat(own, sources, axis=0).reshape(-1))
        sides = [self.prepared(side.reshape(-1, length)) for side in (predictions, truths)]
        scores: list[float] = []
        for block in blocks(len(pairs[0]), length):
            scores += self.signal_scores(
                *(side[places[block]] for side, places in zip(sides, pairs, strict=True))
            )
        return [self._best(table) for table in np.reshape(scores, (count, sources, sources))]

    def signal_scores(self, predictions: np.ndarray, truths: np.ndarray) -> list[float]:
        """Return the scores of predictions and ground truths (n, T)."""
        if callable(self.metric):
            return one_by_one(self.metric, predictions, truths)
        return _SCORES[self.metric](predictions, truths)

    def _best(self, scores: np.ndarray) -> float:
        """Return the mean of the scores (S, S) that the best assignment chooses."""
        from scipy.optimize import linear_sum_assignment

        if np.isnan(scores).any():
            return math.nan
        finite = np.nan_to_num(scores, posinf=1e9, neginf=-1e9)  # the solver needs finite scores
        best = linear_sum_assignment(finite, maximize=self.mode == "max")
        total: float = sum(sorted(scores[best].tolist()))
        return total / len(scores)
