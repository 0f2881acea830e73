"""Images for the tests of the image metrics."""

from collections.abc import Callable
from typing import Any

import numpy as np

Pair = tuple[Any, Any]


def images(*shape: int, dtype: Any = np.uint8) -> Callable[[np.random.Generator, int], Pair]:
    """Return a maker of n predictions and ground truths of this shape, in one array each."""

    def make(rng: np.random.Generator, n: int) -> Pair:
        truth = rng.integers(0, 256, (n, *shape)).astype(dtype)
        noisy = truth.astype(float) + rng.integers(-30, 31, truth.shape)
        return np.clip(noisy, 0, 255).astype(dtype), truth

    return make


def of_many_sizes(least: int, most: int) -> Callable[[np.random.Generator, int], Pair]:
    """Return a maker of lists of images (3, H, W) of different size."""

    def make(rng: np.random.Generator, n: int) -> Pair:
        one = [images(3, *rng.integers(least, most, 2)) for _ in range(n)]
        pairs = [maker(rng, 1) for maker in one]
        return [pair[0][0] for pair in pairs], [pair[1][0] for pair in pairs]

    return make


BAD_OPTIONS: list[tuple[dict[str, Any], str]] = [
    ({"crop_border": -1}, "crop_border"),
    ({"input_order": "WHC"}, "input_order"),
    ({"convert_to": "cmyk"}, "convert_to"),
    ({"channel_order": "grb"}, "channel_order"),
    ({"data_range": 0}, "data_range"),
    ({"data_range": float("inf")}, "data_range"),
]
