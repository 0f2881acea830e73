"""Random maps of classes and masks, small and blotchy, some of them empty or alike."""

from typing import Any

import numpy as np

CLASSES = 4


def maps(rng: np.random.Generator, n: int, shape: tuple[int, ...] = (7, 6)) -> tuple[Any, ...]:
    """Maps of few classes each, with blotches, and predictions that follow them by parts."""
    coarse = rng.integers(0, CLASSES, (n, *(1 + side // 3 for side in shape)))
    coarse *= rng.integers(0, 2, (n, *[1] * len(shape)))
    truths = coarse
    for axis, side in enumerate(shape):
        truths = truths.repeat(3, axis=axis + 1).take(range(side), axis=axis + 1)
    noise = rng.random(truths.shape) < rng.choice([0, 0.1, 0.4, 1], (n, *[1] * len(shape)))
    predictions = np.where(noise, rng.integers(0, CLASSES, truths.shape), truths)
    return predictions.astype(rng.choice([np.uint8, np.int64])), truths


def with_ignored(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """The same with pixels of the label 255, and anything predicted there."""
    predictions, truths = maps(rng, n)
    strange = rng.random(truths.shape) < 0.2
    return np.where(strange, 77, predictions), np.where(strange, 255, truths)


def of_sizes(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """Maps of different sizes, in lists."""
    pairs = [maps(rng, 1, tuple(rng.integers(1, 8, 2))) for _ in range(n)]
    return [p[0] for p, _ in pairs], [t[0] for _, t in pairs]


def masks(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """Masks of all classes, which overlap."""
    sides = [maps(rng, n) for _ in range(CLASSES)]
    return tuple(np.stack([pair[i] > 1 for pair in sides], axis=1).astype(int) for i in range(2))


def masks_of(image: np.ndarray, ndim: int = 2) -> list[np.ndarray]:
    """The mask of every class, of a map or of masks."""
    if image.ndim > ndim:
        return [mask != 0 for mask in image]
    return [image == c for c in range(CLASSES)]
