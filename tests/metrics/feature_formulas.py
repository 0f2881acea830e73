"""Metrics of features by their definitions, in numpy, scipy and scikit-learn."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.helpers import requires


def frechet(features: Any, real: Any) -> float:
    """FID, with scipy's matrix root."""
    root = requires("scipy.linalg").sqrtm
    sides = [np.float64(features[real == kind]) for kind in (True, False)]
    (m, c), (n, d) = ((side.mean(axis=0), np.cov(side.T)) for side in sides)
    return float(((m - n) ** 2).sum() + np.trace(c + d - 2 * np.real(root(c @ d))))


def kernel_means(kernel: Callable[..., Any], x: Any, y: Any, unbiased: bool) -> float:
    """The squared discrepancy, pair by pair."""
    within = [
        [
            kernel(a, b)
            for i, a in enumerate(side)
            for j, b in enumerate(side)
            if i != j or not unbiased
        ]
        for side in (x, y)
    ]
    return float(
        np.mean(within[0]) + np.mean(within[1]) - 2 * np.mean([kernel(a, b) for a in x for b in y])
    )


def cubic(x: Any, y: Any) -> Any:
    """KID's kernel."""
    return (np.dot(x, y) / len(x) + 1) ** 3


def gaussian(x: Any, y: Any, sigma: float = 2.0) -> Any:
    """MMD's kernel."""
    return np.exp(-((x - y) ** 2).sum() / (2 * sigma**2))


def sides(features: Any, real: Any) -> tuple[Any, Any]:
    """Generated and real features."""
    return np.float64(features[~real]), np.float64(features[real])


def memorized(features: Any, real: Any) -> dict[str, float]:
    """FID over the mean distance to the nearest real sample, by cosine."""
    ours, theirs = (a / np.linalg.norm(a, axis=1)[:, None] for a in sides(features, real))
    return {"mifid": frechet(features, real) / np.mean((1 - np.abs(ours @ theirs.T)).min(axis=1))}


def subset_kid(features: Any, real: Any) -> dict[str, float]:
    """KID of subsets of two, drawn as the docstring says."""
    draws, values = np.random.RandomState(5), []
    pair = sides(features, real)
    for _ in range(3):
        chosen = [side[draws.choice(len(side), 2, replace=False)] for side in pair]
        values.append(kernel_means(cubic, *chosen, unbiased=True))
    return {"kid": np.mean(values), "kid_std": np.std(values)}


def neighbours(features: Any, real: Any, k: int = 2) -> dict[str, float]:
    """The four numbers, from tables of distances."""
    ours, theirs = sides(features, real)
    apart = np.linalg.norm(ours[:, None] - theirs, axis=2)
    r, g = (np.sort(np.linalg.norm(a[:, None] - a, axis=2), axis=1)[:, k] for a in (theirs, ours))
    return {
        "precision": (apart < r).any(axis=1).mean(),
        "recall": (apart < g[:, None]).any(axis=0).mean(),
        "density": (apart < r).sum(axis=1).mean() / k,
        "coverage": (apart.min(axis=0) < r).mean(),
    }


def inception(splits: int, logits: Any) -> dict[str, float]:
    """The score by scipy's entropies, of each part."""
    entropy, softmax = requires("scipy.stats").entropy, requires("scipy.special").softmax
    found = []
    for part in np.array_split(softmax(np.float64(logits), axis=1), splits):
        found.append(np.exp(np.mean([entropy(p, part.mean(axis=0)) for p in part])))
    return {"inception_score": np.mean(found)} | (
        {"inception_score_std": np.std(found)} if splits > 1 else {}
    )


def dependence(x: Any, y: Any) -> dict[str, float]:
    """By the trace of whole matrices."""
    centre = np.eye(len(x)) - 1 / len(x)
    k, m = (
        np.array([[gaussian(a, b, s) for a in side] for b in side])
        for side, s in ((x, 2.0), (y, 0.5))
    )
    return {"hsic": np.trace(k @ centre @ m @ centre) / (len(x) - 1) ** 2}


def clip(images: Any, texts: Any) -> dict[str, float]:
    """By scikit-learn's cosines."""
    alike = np.diagonal(requires("sklearn.metrics.pairwise").cosine_similarity(images, texts))
    return {"clip_score": np.maximum(100 * alike, 0).mean()}
