"""CLIPScore: how well texts describe images, measured by the embeddings of a network."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mmeval_like.metrics.regression.cosine_similarity import cosines
from mmeval_like.writing import NOT_NEGATIVE, MetricOptions, SampleMean, Unpack

__all__ = ["CLIPScore"]

Network = Callable[[Any], Any]


class CLIPScore(SampleMean):
    """CLIPScore: how well a text describes an image, from the embeddings of a model like CLIP.

    Formula:
        clip = mean max(scale * cos(image, text), 0)

    Source: J. Hessel et al., "CLIPScore: a reference-free evaluation metric for image captioning"
    (EMNLP 2021), where `scale` is 2.5. The package contains no network. `add` takes `images` and
    `texts`, embeddings (N, D) or what the networks take, and `sample_weight` (N,).

    Args:
        scale: The factor by which the cosine is multiplied.
        features: Two networks: functions of a batch of images and of a batch of texts that return
            embeddings (N, D). They must treat samples one by one. None: `add` takes embeddings.
        **options: As for `BaseMetric`.

    Returns of `compute`: `clip_score`, in [0, scale]: the mean over pairs; a pair with an embedding
    of zeros has the score 0. Without samples it is nan. Higher is better.

    Raises:
        TypeError: `features` is not a pair of functions.
        ValueError: `scale` is not positive and finite.

    Example:
        >>> metric = CLIPScore()
        >>> metric.add(images=[[3.0, 4.0], [1.0, 0.0]], texts=[[3.0, 4.0], [-1.0, 0.0]])
        >>> metric.compute()  # (100 + 0) / 2
        {'clip_score': 50.0}
    """

    key = "clip_score"
    ranges = NOT_NEGATIVE
    higher_is_better = True

    def __init__(
        self,
        scale: float = 100.0,
        features: Sequence[Network] | None = None,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        if not 0 < scale < math.inf:
            raise ValueError(f"scale must be positive and finite, got {scale}")
        pair = isinstance(features, list | tuple) and len(features) == 2
        if features is not None and not (pair and all(map(callable, features))):
            raise TypeError(f"features must be a pair of functions or None, got {features!r}")
        self.scale, self.features = float(scale), features

    def scores(self, images: Any, texts: Any) -> np.ndarray:
        """Return the score of every pair.

        Args:
            images: Embeddings (N, D) of any real dtype, or what the first network takes.
            texts: The same shape, or what the second network takes.

        Raises:
            TypeError: The inputs are not real numbers.
            ValueError: Shapes do not fit, a value is nan or infinite, or an integer is beyond 2^53.
        """
        if self.features is not None:
            images, texts = self.features[0](images), self.features[1](texts)
        found: np.ndarray = np.maximum(self.scale * cosines(images=images, texts=texts), 0.0)
        return found
