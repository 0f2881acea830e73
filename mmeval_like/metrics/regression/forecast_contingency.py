"""ForecastContingency: forecasts of the event that a value reaches a threshold."""

from __future__ import annotations

import math
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import numpy as np

from mmeval_like.metrics._common.shapes import check_same_shape
from mmeval_like.writing import BaseMetric, MetricOptions, Ranges, Results, Unpack, arrays, state

__all__ = ["ForecastContingency"]

_RANGES: Ranges = {
    "frequency_bias": (0.0, math.inf),
    "hss": (-1.0, 1.0),
    "ets": (-1 / 3, 1.0),
    "*": (0.0, 1.0),
}


class ForecastContingency(BaseMetric):
    """The scores of forecasts of an event: a value that is at least a threshold.

    Of n values, a are hits (the event was forecast and observed), b are false alarms (forecast
    only), c are misses (observed only), and d are correct rejections (neither). csi is the critical
    success index, also called threat score; pod the probability of detection; far the false alarm
    ratio; pofd the probability of false detection, b / (b + d); frequency_bias is (a + b) / (a +
    c); hss is Heidke's skill score; and ets the equitable threat score, where r = (a + b) (a + c) /
    n is the number of hits expected by chance. Source: D. S. Wilks, "Statistical methods in the
    atmospheric sciences" (2011).

    `add` takes `predictions` and `labels`, of the same shape (N, ...) and of any real dtype; each
    value counts once. Infinities are ordered like numbers.

    Formula:
        csi = a / (a + b + c)
        pod = a / (a + c)
        far = b / (a + b)
        hss = 2 (a d - b c) / ((a + c) (c + d) + (a + b) (b + d))
        ets = (a - r) / (a + b + c - r)

    Args:
        threshold: The least value that counts as an event.
        **options: As for `BaseMetric`.

    Returns of `compute`: `csi`, `pod`, `far`, `pofd`, `frequency_bias`, `hss` and `ets`. Each is
    nan if its divisor is 0, as it is without samples. Lower is better for `far` and `pofd`, 1 is
    best for `frequency_bias`, and higher is better for the others.

    Raises:
        ValueError: `threshold` is nan.

    Example:
        >>> metric = ForecastContingency(threshold=1.0)
        >>> metric.add(predictions=[2.0, 1.0, 3.0, 0.0], labels=[1.0, 0.5, 2.0, 4.0])
        >>> metric.compute()["csi"]  # 2 hits, 1 false alarm, 1 miss
        0.5
    """

    every_rank_computes = True
    ranges = _RANGES
    higher_is_better_of = MappingProxyType(
        {"far": False, "pofd": False, **dict.fromkeys(("csi", "pod", "hss", "ets"), True)}
    )
    outcomes = state.count(4)

    def __init__(self, threshold: float, **options: Unpack[MetricOptions]) -> None:
        super().__init__(**options)
        if math.isnan(threshold):
            raise ValueError("threshold must not be nan")
        self.threshold = threshold

    def rows(self, predictions: Any, labels: Any) -> dict[str, np.ndarray]:
        """Return a code for every value: hit, false alarm, miss or correct rejection, 0 to 3.

        Args:
            predictions: Values (N, ...) of any real dtype.
            labels: The same shape.

        Raises:
            TypeError: The inputs are not real numbers.
            ValueError: The shapes differ, or a value is nan.
        """
        events = []
        for name, value in (("predictions", predictions), ("labels", labels)):
            array = arrays.as_numbers(value, name)
            if array.ndim == 0:
                raise ValueError(f"{name} must have one axis of samples, got a number")
            arrays.check_finite(name, array, allow_infinite=True)
            events.append(array >= self.threshold)
        forecast, observed = events
        check_same_shape("predictions", forecast, "labels", observed)
        codes = 3 - 2 * forecast.astype(np.int8) - observed
        return {"outcomes": codes.reshape(len(codes), math.prod(codes.shape[1:]))}

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return all scores."""
        a, b, c, d = results.outcomes.tolist()
        chance = Fraction((a + b) * (a + c), a + b + c + d) if a + b + c + d else Fraction(0)
        parts = {
            "csi": (a, a + b + c),
            "pod": (a, a + c),
            "far": (b, a + b),
            "pofd": (b, b + d),
            "frequency_bias": (a + b, a + c),
            "hss": (2 * (a * d - b * c), (a + c) * (c + d) + (a + b) * (b + d)),
            "ets": (a - chance, a + b + c - chance),
        }
        return {key: float(Fraction(p) / q) if q else math.nan for key, (p, q) in parts.items()}
