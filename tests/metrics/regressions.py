"""Numbers to predict, for the tests of the regression metrics."""

from typing import Any

import numpy as np

Arguments = tuple[np.ndarray, np.ndarray, np.ndarray]


def numbers(rng: np.random.Generator, n: int, outputs: int | None = None) -> Arguments:
    """Predictions, labels far from 0, and weights, some of them 0."""
    shape = (n,) if outputs is None else (n, outputs)
    labels = 1e6 + rng.normal(size=shape)
    predictions = labels + rng.normal(size=shape)
    weights = rng.integers(0, 4, n) * rng.random(n)
    weights[0] = 1.0
    return predictions, labels, weights * 2.0 ** rng.choice([-150, 0, 150])


def table(rng: np.random.Generator, n: int) -> Arguments:
    """Three outputs."""
    return numbers(rng, n, 3)


def unweighted(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
    """Predictions and labels in float32."""
    predictions, labels, _ = numbers(rng, n)
    return predictions.astype(np.float32), labels.astype(np.float32)


BAD_INPUTS = [
    (([1.0, 2.0], [1.0]), ValueError, "same length"),
    (([[1.0, 2.0]], [[1.0, 2.0]]), ValueError, "num_outputs"),
    (([1.0, np.nan], [1.0, 2.0]), ValueError, "nan"),
    (([1.0, 2.0], [1.0, np.inf]), ValueError, "labels must not contain"),
    (([1e116], [1.0]), ValueError, "1e\\+115"),
    (([1.0], [1.0], [-1.0]), ValueError, "negative"),
    (([1.0], [1.0], [1e61]), ValueError, "1e\\+60"),
    (([1.0], [1.0], [1e-61]), ValueError, "1e-60"),
    (([2**53 + 1], [1.0]), ValueError, "2\\^53"),
    (([1.0], [1.0], [[1.0]]), ValueError, "sample_weight"),
    ((["a"], [1.0]), TypeError, "predictions"),
    (([1j], [1.0]), TypeError, "real"),
    ((1.0, 1.0), ValueError, "shape"),
]
