"""Helpers of the image metrics: samples in batches, frames, borders, colours."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from mmeval_like.metrics._common.shapes import check_same_shape
from mmeval_like.metrics._common.shared_options import shared_options
from mmeval_like.writing import BaseMetric, MetricOptions, Unpack, arrays, warn

__all__ = [
    "PlanesMetric",
    "check_data_range",
    "in_batches",
    "pairs",
    "samples",
    "weighted_channels",
]

# How many values are processed at once, if samples are small.
_ELEMENTS = 1 << 17
_DEVICE_ELEMENTS = 1 << 26  # on an accelerator, so that they fit in its memory


def samples(value: Any, name: str) -> list[np.ndarray] | np.ndarray:
    """Return an input as one array whose first axis is the samples, or a list of arrays."""
    one = type(value) is np.ndarray
    if not one and isinstance(value, list | tuple) and any(map(np.ndim, value[:1])):
        return [_exact_numbers(entry, name) for entry in value]
    array = _exact_numbers(value, name)
    if array.ndim == 0:
        raise ValueError(f"{name} must have an axis of samples, got a single number")
    return array


def _exact_numbers(value: Any, name: str) -> np.ndarray:
    array = arrays.as_numbers(value, name)
    arrays.check_exact(name, array)
    return array


def in_batches(
    inputs: Mapping[str, Any], optional: Mapping[str, Any] | None = None
) -> Iterator[list[Any]]:
    """Yield inputs, by name, as batches (n, ...) of float64, or of int32 for 8-bit ones, in order.

    If an input is a list, batches are single samples, since shapes may differ. The division into
    batches does not affect functions that treat samples separately.

    Args:
        inputs: Inputs of equal shapes: one array whose first axis is the samples, or a list.
        optional: Inputs of any shapes, or None, which stays None in every batch.

    Raises:
        TypeError: The inputs are not real numbers.
        ValueError: The numbers of samples or the shapes of `inputs` differ.
    """
    columns: list[Any] = [samples(value, name) for name, value in inputs.items()]
    for name, value in optional.items() if optional else ():
        columns.append(None if value is None else samples(value, name))
    names, first, step = [*inputs, *(optional if optional else {})], columns[0], 1
    for name, column in zip(names[1:], columns[1:], strict=True):
        if name in inputs:
            check_same_shape(names[0], first, name, column)
        elif column is not None:
            arrays.check_same_length(names[0], first, name, column)
    if list not in map(type, columns):
        elements = _ELEMENTS if isinstance(first, np.ndarray) else _DEVICE_ELEMENTS
        if 0 < first.size <= elements:
            yield [None if c is None else _wide(c) for c in columns]
            return
        step = max(1, elements // max(1, math.prod(first.shape[1:])))
    for start in range(0, len(first), step):
        yield [None if c is None else _batch(c, start, step) for c in columns]


def _batch(column: Any, start: int, step: int) -> np.ndarray:
    part = column[start : start + step]
    return _wide(part[0][None] if isinstance(part, list) else part)


def _wide(array: np.ndarray) -> np.ndarray:
    # Differences, squares and sums of 8-bit values are exact in both dtypes; int32 is faster.
    kind = np.int32 if array.dtype.itemsize == 1 else np.float64
    wide: np.ndarray = array.astype(kind, copy=False)
    return wide


def pairs(
    names: Sequence[str], *inputs: Any, shape: str = "", ndim: int | None = None
) -> Iterator[list[np.ndarray]]:
    """Yield the samples of several inputs as arrays of equal shape, float64 or int32.

    Args:
        names: The inputs' names.
        *inputs: Each is one array whose first axis is the samples, or a list of arrays.
        shape: The shape of one sample, for error messages.
        ndim: The number of axes that a sample must have; None: any.

    Raises:
        TypeError: The inputs are not real numbers.
        ValueError: The numbers of samples differ, or shapes do not fit.
    """
    for batch in in_batches(dict(zip(names, inputs, strict=True))):
        if ndim is not None and batch[0].ndim != ndim + 1:
            raise ValueError(
                f"each sample of {names[0]} must have shape {shape}, got {batch[0].shape[1:]}"
            )
        for index in range(len(batch[0])):
            yield [column[index] for column in batch]


def check_data_range(data_range: float) -> float:
    """Return `data_range` as a float; ValueError if its square might overflow or underflow."""
    if not 1e-100 <= data_range <= 1e100:
        raise ValueError(f"data_range must be in [1e-100, 1e100], got {data_range}")
    return float(data_range)


_FAINT = 2  # white of 8-bit images is 255
_UNIT_RANGE = (
    "all values of the images are at most 2, but without data_range= white is 255, as for 8-bit "
    "images; pass data_range=1 for values in [0, 1], or data_range=2 for values in [-1, 1]"
)


@shared_options
class PlanesMetric(BaseMetric):
    """The base class of metrics that compare the planes of images or of the frames of videos.

    Args:
        crop_border: The number of pixels that are cut off on each side.
        input_order: "CHW" or "HWC": the axes of images with channels. Letter case is ignored, here
            and below.
        convert_to: "Y": the luma of ITU-R BT.601 (16 to 235 for 8 bits) is compared instead of the
            colours. None: the channels are compared as they are.
        channel_order: The order of colours, "rgb" or "bgr", which is needed for "Y" only; an
            argument of `add` takes precedence.
        data_range: The difference between white and black. None: 255, that of 8-bit images, with a
            warning if the first image has values in [0, 1] only: for such images pass 1.
        **options: As for `BaseMetric`.

    Raises:
        TypeError: `crop_border` is not an integer.
        ValueError: An option does not have one of its allowed values.
    """

    conversions: tuple[str | None, ...] = (None, "y")
    orders: tuple[str, ...] = ("chw", "hwc")
    scaled: ClassVar[bool] = False
    """Whether the value depends on `data_range`."""

    def __init__(
        self,
        crop_border: int = 0,
        input_order: str = "CHW",
        convert_to: str | None = None,
        channel_order: str = "rgb",
        data_range: float | None = None,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        if isinstance(crop_border, bool) or not isinstance(crop_border, int | np.integer):
            raise TypeError(f"crop_border must be an integer, got {crop_border!r}")
        if crop_border < 0:
            raise ValueError(f"crop_border must not be negative, got {crop_border}")
        self.crop_border = crop_border
        self.input_order = _choose("input_order", input_order, self.orders)
        self.convert_to = _choose("convert_to", convert_to, self.conversions)
        self.channel_order = _choose("channel_order", channel_order, ("rgb", "bgr"))
        self._looked = {"range"} if data_range is not None or not self.scaled else set()
        self.data_range = check_data_range(255.0 if data_range is None else data_range)

    def checked_order(self, channel_order: str | None) -> str | None:
        """Return the order of the channels given to `add`, or else to the constructor."""
        return _choose("channel_order", channel_order or self.channel_order, ("rgb", "bgr"))

    def planes(self, batch: np.ndarray, channel_order: str | None, name: str) -> np.ndarray:
        """Return samples (n, ...) cropped and converted, as (all frames, channels, H, W)."""
        if not self._looked:
            self._look_at(batch)
        if batch.ndim == 3:
            image = batch[:, None]
        elif batch.ndim in (4, 5):
            image = batch.reshape(math.prod(batch.shape[:-3]), *batch.shape[-3:])
            image = image if self.input_order == "chw" else np.moveaxis(image, 3, 1)
        else:
            raise ValueError(
                f"{name} must be images (H, W) or with channels, or videos (frames, ...) with "
                f"channels, got shape {batch.shape[1:]}"
            )
        border = self.crop_border
        image = image[:, :, border : image.shape[2] - border, border : image.shape[3] - border]
        if image.size == 0:
            raise ValueError(f"{name} must be larger than crop_border={border} on each side")
        return self.convert(image, channel_order)

    def _look_at(self, batch: np.ndarray) -> None:
        """Warn if the first images that are not black cannot be 8-bit images.

        The outputs of networks are often a little outside [0, 1] or [-1, 1].
        """
        if batch.dtype.kind != "f" or batch.size == 0:
            return
        if arrays.is_device(batch):
            self._looked.add("range")
            flat = batch.reshape(len(batch), -1)
            bright = arrays.count_true((flat > _FAINT) | (flat < -_FAINT))
            lit = arrays.count_true(flat != 0)
            arrays.remark(batch, (bright > 0) | (lit == 0), _UNIT_RANGE)
            return
        most = max(-batch.min(), batch.max())
        if most > 0:
            self._looked.add("range")
        if 0 < most <= _FAINT:
            warn(_UNIT_RANGE, UserWarning)

    def convert(self, image: np.ndarray, channel_order: str | None) -> np.ndarray:
        """Return the planes that are compared, (frames, channels, H, W)."""
        if self.convert_to is None:
            return image.astype(image.dtype, order="C", copy=False)
        offset, *weights = (16.0, 65.481, 128.553, 24.966)
        return weighted_channels(image, channel_order, weights, 255) + offset * (
            self.data_range / 255
        )

    def frame_means(
        self,
        score: Callable[..., float],
        channel_order: str | None,
        names: Sequence[str],
        *inputs: Any,
    ) -> np.ndarray:
        """Return the score of every sample: that of the image, or the mean over a video's frames.

        Args:
            score: A function of the planes (C, H, W) of one frame of every input.
            channel_order: The argument of `add`.
            names: The names of the inputs in error messages.
            *inputs: Images or videos; each is one array or a sequence.
        """
        order = self.checked_order(channel_order)
        scores = []
        for sample in pairs(names, *inputs):
            videos = [self.planes(image[None], order, names[0]) for image in sample]
            frames = [score(*frame) for frame in zip(*videos, strict=True)]
            scores.append(sum(frames) / len(frames))
        return np.array(scores, np.float64)


def weighted_channels(
    image: np.ndarray, channel_order: str | None, weights: Sequence[float], divisor: float
) -> np.ndarray:
    """Return one plane per frame: the weighted sum of red, green and blue, over a divisor."""
    if image.shape[1] != 3:
        raise ValueError(f"convert_to needs images of 3 channels, got {image.shape[1]}")
    red, green, blue = (image[:, c] for c in ((0, 1, 2) if channel_order == "rgb" else (2, 1, 0)))
    plane: np.ndarray = (weights[0] * red + weights[1] * green + weights[2] * blue) / divisor
    return plane[:, None]


def _choose(name: str, value: str | None, allowed: Sequence[str | None]) -> str | None:
    found = value.lower() if isinstance(value, str) else value
    if found not in allowed:
        raise ValueError(f"{name} must be one of {list(allowed)}, got {value!r}")
    return found
