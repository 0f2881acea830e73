"""Sample weights: read, checked, applied."""

from __future__ import annotations

from typing import Any

import numpy as np

from mmeval_like import arrays

__all__ = ["as_weights", "weighted"]


def as_weights(sample_weight: Any, count: int) -> np.ndarray:
    """Return one float64 weight per sample: as given, or ones for None.

    Raises:
        ValueError: Not one number per sample, or one that is negative or not finite.
    """
    if sample_weight is None:
        return np.ones(count)
    weights = arrays.as_floats(sample_weight, "sample_weight")
    if weights.shape != (count,):
        raise ValueError(
            f"sample_weight must hold one number for each of the {count} samples, "
            f"got shape {weights.shape}"
        )
    arrays.check_finite("sample_weight", weights)
    arrays.require("sample_weight", weights, weights >= 0, "must not be negative")
    return weights


def weighted(scores: np.ndarray, sample_weight: Any) -> dict[str, np.ndarray]:
    """Return the rows of a weighted mean of scores (n,): `score` and `weight`.

    A sample of weight 0 does not count, not even when its score is nan or infinite.
    """
    weights = as_weights(sample_weight, len(scores))
    if sample_weight is None:
        return {"score": scores, "weight": weights}
    with np.errstate(invalid="ignore"):
        return {"score": np.where(weights > 0, scores * weights, 0.0), "weight": weights}
