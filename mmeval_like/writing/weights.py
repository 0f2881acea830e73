"""Sample weights: read, checked, applied."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from mmeval_like import arrays
from mmeval_like._exact.ones import ones

__all__ = ["as_weights", "ones", "products", "weighted", "weights_apart"]

# Sums of such weights, and of products with their squares, stay far within float64's range.
_RANGE = (1e-60, 1e60)


def as_weights(sample_weight: Any, count: int) -> np.ndarray:
    """Return one float64 weight per sample: as given, or ones for None, read-only.

    Raises:
        ValueError: The number of weights differs from the number of samples, or a weight is
            negative, not finite, or neither 0 nor in [1e-60, 1e60].

    Example:
        >>> as_weights([1, 0, 2], 3).tolist(), as_weights(None, 2).tolist()
        ([1.0, 0.0, 2.0], [1.0, 1.0])
    """
    if sample_weight is None:
        return ones(count)
    weights = arrays.as_floats(sample_weight, "sample_weight")
    if weights.shape != (count,):
        raise ValueError(
            f"sample_weight must have one number for each of the {count} samples, "
            f"got shape {weights.shape}"
        )
    arrays.check_finite("sample_weight", weights)
    arrays.check_not_negative("sample_weight", weights)
    least, most = _RANGE
    arrays.require(
        "sample_weight",
        weights,
        (weights == 0) | ((weights >= least) & (weights <= most)),
        f"must be 0 or in [{least:g}, {most:g}], scale all weights by one factor",
    )
    return weights


def products(name: str, values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return values (n, ...) times weights (n,); 0 where the weight is 0, whatever the value.

    Raises:
        ValueError: The product of a finite value is beyond float64.

    Example:
        >>> products("losses", np.array([2.0, np.nan]), np.array([3.0, 0.0])).tolist()
        [6.0, 0.0]
    """
    if weights.ndim < values.ndim:
        weights = weights.reshape(-1, *[1] * (values.ndim - 1))
    with np.errstate(invalid="ignore", over="ignore"):
        found: np.ndarray = np.where(weights > 0, values * weights, 0.0)
    good = ~np.isinf(found) | np.isinf(values)
    arrays.require(name, values, good, "must not overflow when multiplied by their sample_weight")
    return found


def weighted(scores: np.ndarray, sample_weight: Any) -> dict[str, np.ndarray]:
    """Return the rows of a weighted mean of scores (n, ...): `score` and `weight`.

    A sample of weight 0 does not count, not even when its score is nan or infinite.

    Example:
        >>> rows = weighted(np.array([0.5, np.inf]), [2, 0])
        >>> rows["score"].tolist(), rows["weight"].tolist()
        ([1.0, 0.0], [2.0, 0.0])
    """
    weights = as_weights(sample_weight, len(scores))
    if sample_weight is None:
        return {"score": scores, "weight": weights}
    return {"score": products("the scores", scores, weights), "weight": weights}


def weights_apart(
    inputs: Callable[..., Any], batch: tuple[Any, ...], sample_weight: Any
) -> tuple[tuple[Any, ...], Any]:
    """Return the inputs of a batch, and the weights, which may be the argument that follows them.

    Args:
        inputs: The method of the class that takes the inputs, without weights.
        batch: The arguments that were given by position.
        sample_weight: The weights that were given by name; None: none were.

    Raises:
        TypeError: Weights are given twice.

    Example:
        >>> class Bias:
        ...     def scores(self, predictions, labels): ...
        >>> weights_apart(Bias.scores, ([0.5], [1.0], [2.0]), None)
        (([0.5], [1.0]), [2.0])
    """
    if len(batch) <= _count(inputs):
        return batch, sample_weight
    if sample_weight is not None:
        raise TypeError("sample_weight is given twice, by name and after the inputs: give it once")
    return batch[:-1], batch[-1]


@cache
def _count(inputs: Callable[..., Any]) -> float:
    """Return the number of inputs that a method takes by position."""
    parameters = list(inspect.signature(inputs).parameters.values())[1:]
    if any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters):
        return math.inf
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(parameter.kind in kinds for parameter in parameters)
