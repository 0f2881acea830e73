"""The number of samples, as a member of the metrics of `score`."""

from __future__ import annotations

from typing import Any

import numpy as np

import mmeval_like as mm
from mmeval_like._core.metric import BaseMetric

__all__ = ["SAMPLES", "Samples"]

SAMPLES = "samples"  # the member's name


class Samples(BaseMetric):
    """Counts the samples of the other metrics, whatever the names of their arguments."""

    every_rank_computes = True
    _warns_without_samples = False  # 0 samples are a valid count
    samples = mm.state.sum(int)

    def rows(self, *columns: Any, **named: Any) -> dict[str, np.ndarray]:
        """Return a one for each sample."""
        return {"samples": np.ones(min(map(len, [*columns, *named.values()])), bool)}

    def filled(self, fill: Any, count: int, inputs: Any) -> dict[str, np.ndarray]:
        """Return a one for each sample without a score, which counts as well."""
        return {"samples": np.ones(count, bool)}

    def compute_metric(self, results: Any) -> dict[str, int]:
        """Return the number of samples."""
        return {SAMPLES: int(results.samples)}
