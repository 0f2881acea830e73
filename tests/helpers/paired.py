"""Two systems on the same samples, compared."""

from typing import Any

import numpy as np

import mmeval_like as mm


def compared(metric: mm.BaseMetric, a: Any, b: Any, labels: Any, **options: Any) -> mm.Paired:
    """A pair with these predictions, computed."""
    pair = mm.Paired(metric, dist_backend="non_dist", **options)
    for side, predictions in ((pair.a, a), (pair.b, b)):
        side.add(predictions, labels, ids=np.arange(len(labels)))
    pair.compute()
    return pair


def systems(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Predictions of two systems, and labels, of three classes."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, count)
    return (
        np.where(rng.random(count) < 0.6, labels, rng.integers(0, 3, count)),
        np.where(rng.random(count) < 0.7, labels, rng.integers(0, 3, count)),
        labels,
    )


def sliced_pair(a: Any, b: Any, labels: Any, by: Any, **options: Any) -> mm.Paired:
    """A pair of slices, computed."""
    metric = mm.Sliced(mm.Accuracy(), by=["language"])
    pair = mm.Paired(metric, dist_backend="non_dist", **options)
    for side, predictions in ((pair.a, a), (pair.b, b)):
        side.add(predictions, labels, ids=np.arange(len(labels)), by={"language": by})
    pair.compute()
    return pair
