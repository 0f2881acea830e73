"""SignalNoiseRatio: the power of images or waveforms over that of the errors, in decibels."""

from __future__ import annotations

import numpy as np

from mmeval_like.metrics._common.decibels import DecibelMetric
from mmeval_like.writing import MetricOptions, Unpack, arrays

__all__ = ["SignalNoiseRatio"]

_WAVES = "ct"


class SignalNoiseRatio(DecibelMetric):
    """The mean signal-to-noise ratio (SNR) of images or waveforms, in decibels.

    The ratio is the power of the ground truth y over the power of the error y - p. Identical images
    have no error: their score, and with it the mean, is infinite; the score of a black ground truth
    with errors is minus infinity. A video's score is the mean over its frames. `data_range` is used
    only to compute the luma. With `input_order="CT"` samples are waveforms (T,) or (channels, T),
    and the score is the mean over channels.

    Formula:
        snr = mean 10 log_10 ((mean y^2) / (mean (y - p)^2))

    Args:
        input_order: "CHW" or "HWC": the axes of images with channels. "CT": waveforms. Letter case
            is ignored, here and below.
        zero_mean: Whether the mean of each frame or channel is subtracted first, from predictions
            and from ground truths.
        **options: As for `PlanesMetric`.

    Returns of `compute`: `snr`. Without samples, the value is nan. Higher is better.

    Raises:
        ValueError: An option is not one of its allowed values, or waveforms are given with an
            option of images.

    Example:
        >>> import numpy as np
        >>> metric = SignalNoiseRatio()
        >>> metric.add([np.full((3, 4, 4), 90, np.uint8)], [np.full((3, 4, 4), 100, np.uint8)])
        >>> metric.compute()
        {'snr': 20.0}
        >>> SignalNoiseRatio(input_order="CT")([[3.0, 5.0]], [[3.0, 4.0]])  # 10 log10(25 / 1)
        {'snr': 13.979400086720377}
    """

    key = "snr"
    orders = ("chw", "hwc", _WAVES)
    higher_is_better = True

    def __init__(
        self,
        crop_border: int = 0,
        input_order: str = "CHW",
        convert_to: str | None = None,
        channel_order: str = "rgb",
        data_range: float = 255.0,
        zero_mean: bool = False,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(crop_border, input_order, convert_to, channel_order, data_range, **options)
        self.zero_mean = zero_mean
        if self.input_order == _WAVES and (self.crop_border or self.convert_to):
            raise ValueError("crop_border and convert_to apply to images, not to input_order='CT'")

    def planes(self, batch: np.ndarray, channel_order: str | None, name: str) -> np.ndarray:
        """Return frames (n, C, H, W), or channels (n, 1, 1, T)."""
        if self.input_order != _WAVES:
            planes = super().planes(batch, channel_order, name)
        elif batch.ndim in (2, 3) and batch.shape[-1]:
            planes = batch.reshape(-1, 1, 1, batch.shape[-1])
        else:
            raise ValueError(
                f"{name} must be waveforms (T,) or (channels, T), with numbers, "
                f"got shape {batch.shape[1:]}"
            )
        if not self.zero_mean:
            return planes
        if not len(planes):
            return planes
        first = planes[:, :1, :1, :1]
        # Rounding of the mean must not give power to a flat plane.
        varied = arrays.sum_rows(planes != first)[:, None, None, None] != 0
        means = arrays.sum_rows(planes)[:, None, None, None] / planes[0].size
        return planes - np.where(varied, means, first * 1.0)

    def powers(self, prediction: np.ndarray, truth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the sums of squares of the images and of the errors."""
        squares = truth - prediction
        np.multiply(squares, squares, out=squares)
        noise = arrays.sum_rows(squares)
        np.multiply(truth, truth, out=squares)  # allocating memory takes longer than the product
        return arrays.sum_rows(squares), noise
