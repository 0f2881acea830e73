"""Ratios of powers of images in decibels; an accelerator may compute the powers."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from mmeval_like.metrics._common.image import PlanesMetric, in_batches
from mmeval_like.writing import Ragged, Results, Rows, arrays, concatenate, ratio
from mmeval_like.writing.exact import ExactSum
from mmeval_like.writing.states import FloatSum

__all__ = ["DecibelMetric", "DecibelSum", "decibels"]


class DecibelSum(FloatSum):
    """The exact sum of scores, each the mean over a sample's frames of 10 log10(signal / noise).

    Rows are the powers of signal and noise of every frame, (n, frames, 2) or `Ragged`.
    Logarithms are taken when rows are folded, on the host, since results differ on accelerators.

    Example:
        >>> decibels = DecibelSum()
        >>> decibels.value(decibels.fold(decibels.empty(), np.array([[[10.0, 1.0]]])))
        10.0
    """

    def __init__(self) -> None:
        super().__init__(float, ())
        self.width = 1

    def __repr__(self) -> str:
        return "decibels()"

    def check(self, name: str, rows: Any) -> Rows:
        """Return the rows."""
        accepted: Rows = rows
        return accepted

    def blank(self, count: int) -> Rows:
        """Return rows of one frame of 0 decibels."""
        return np.ones((count, 1, 2))

    def fold(self, folded: ExactSum, rows: Any) -> ExactSum:
        """Add every sample's score."""
        folded.add(self.terms(rows)[:, 0])
        return folded

    def terms(self, rows: Any) -> np.ndarray:
        """Return the score of every sample, (n, 1)."""
        rows = arrays.fetch(rows)
        samples = rows.split() if isinstance(rows, Ragged) else rows
        scores = [[decibels(*powers) for powers in frames.tolist()] for frames in samples]
        means = [sum(frames) / len(frames) for frames in scores]
        return np.array(means, np.float64).reshape(-1, 1)


def decibels(signal: float, noise: float) -> float:
    """Return 10 log10(signal / noise) of two powers; infinity if the noise is 0."""
    if noise == 0:
        return math.inf
    if signal == 0:
        return -math.inf
    share = signal / noise
    if 0 < share < math.inf:
        return 10 * math.log10(share)
    return 10 * (math.log10(signal) - math.log10(noise))


class DecibelMetric(PlanesMetric):
    """The mean over images of 10 log10(signal / noise); for a video, the mean over its frames."""

    processor_dependent = "log"
    every_rank_computes = True
    on_accelerator = True

    score = DecibelSum()

    key: ClassVar[str]

    def rows(
        self, predictions: Any, groundtruths: Any, channel_order: str | None = None
    ) -> dict[str, Any]:
        """Return the powers of signal and noise of every frame of each image.

        Args:
            predictions: Images (H, W) or with channels, or videos (frames, ...) with channels:
                one array (N, ...) or a sequence. Any real dtype.
            groundtruths: The same shapes.
            channel_order: "rgb" or "bgr"; default: the constructor's.

        Raises:
            TypeError: The inputs are not real numbers.
            ValueError: The numbers of images differ, shapes do not fit, an image is not larger than
                the border, images do not have 3 channels for "Y", or a pixel is nan or infinite.
        """
        order = self.checked_order(channel_order)
        names = ("predictions", "groundtruths")
        rows: list[Rows] = [np.zeros((0, 1, 2))]
        for batch in in_batches({"predictions": predictions, "groundtruths": groundtruths}):
            with np.errstate(over="ignore", invalid="ignore"):
                powers = self.powers(*(self.planes(images, order, names[0]) for images in batch))
            for power in powers:
                rule = "must be finite, and so must the mean of their squares"
                arrays.require(" and ".join(names), power, np.isfinite(power), rule)
            rows.append(np.stack(powers, axis=1).reshape(len(batch[0]), -1, 2))
        return {"score": concatenate(rows[1:] or rows)}

    @abstractmethod
    def powers(self, prediction: np.ndarray, truth: np.ndarray) -> Sequence[np.ndarray]:
        """Return the powers of signal and noise of frames (n, C, H, W), two arrays (n,)."""

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return the mean under the name `key`."""
        return {self.key: ratio(results.score, len(results))}
