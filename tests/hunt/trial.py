"""A trial of a hunt: a metric, samples, and the right values from an independent source."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like._core.metric import BaseMetric
from mmeval_like.testing.inputs import take_samples
from mmeval_like.testing.metric_case import Samples

__all__ = ["Generator", "Trial", "weights_of"]

Generator = np.random.Generator


@dataclass(frozen=True)
class Trial:
    """One metric with samples.

    Attributes:
        metric: The class.
        options: Of the constructor.
        data: The arguments of `add` for all samples.
        count: The number of samples.
        expected: The right values of some keys; None: only the ways must agree.
        tolerance: How far, relatively, the value may be from the expected one; 0: equal.
        order_matters: The value depends on the order of the samples.
    """

    metric: Callable[..., BaseMetric]
    options: Mapping[str, Any]
    data: Samples
    count: int
    expected: Mapping[str, Any] | None
    tolerance: float = 1e-12
    order_matters: bool = False

    def make(self, **options: Any) -> BaseMetric:
        """Construct the metric."""
        return self.metric(**{**self.options, **options})

    def part(self, which: Any) -> Samples:
        """Return the arguments of `add` for some of the samples."""
        return take_samples(self.data, np.asarray(which, np.int64))


def weights_of(rng: Generator, count: int) -> np.ndarray:
    """Return sample weights: plain, of extreme size, many of them 0, or all alike."""
    kind = rng.integers(5)
    if kind == 0:
        return rng.integers(0, 3, count).astype(float)
    if kind == 1:
        return 10.0 ** rng.integers(-60, 60, count)
    if kind == 2:
        return rng.random(count) * (rng.random(count) < 0.5)
    if kind == 3:
        return np.full(count, float(rng.choice([0.1, 1e-50, 3e50])))
    return rng.random(count) * 2.0 ** rng.integers(-40, 40, count)
