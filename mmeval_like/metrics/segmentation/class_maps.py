"""Class maps: reading them, the classes that count, and means over images."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from mmeval_like.metrics._common.averages import check_average
from mmeval_like.metrics._common.option_checks import (
    check_count,
    check_ignore_index,
    ignored_classes,
)
from mmeval_like.metrics._common.shapes import check_same_shape
from mmeval_like.metrics._common.shared_options import shared_options
from mmeval_like.metrics.segmentation.pixel_counts import as_map, count_pixels
from mmeval_like.writing import SHARE, MetricOptions, SampleMean, Unpack, arrays

__all__ = ["ClassMaps", "ClassMeanMetric", "mean_of_defined"]


@dataclass(frozen=True)
class ClassMaps:
    """How maps of classes are read, and which classes count.

    Attributes:
        num_classes: The number of classes C.
        include_background: Whether class 0 counts.
        ignore_index: Pixels with this value in the ground truth do not count. If the value is a
            class index, that class does not count either. None: all pixels count.
        spatial_ndim: The number of axes of a map.

    Raises:
        TypeError: A number is not an integer.
        ValueError: A number is out of range, or no class counts.
    """

    num_classes: int
    include_background: bool = True
    ignore_index: int | None = None
    spatial_ndim: int = 2

    def __post_init__(self) -> None:
        check_count("num_classes", self.num_classes)
        check_ignore_index(self.ignore_index)
        check_count("spatial_ndim", self.spatial_ndim)
        if not len(self.counted):
            raise ValueError(f"num_classes must leave a class that counts, got {self.num_classes}")

    @cached_property
    def counted(self) -> np.ndarray:
        """The classes that count, in order."""
        left_out = ignored_classes(self.ignore_index, self.num_classes)
        background = [] if self.include_background else [0]
        return np.setdiff1d(np.arange(self.num_classes), [*left_out, *background])

    def pairs(self, predictions: Any, groundtruths: Any) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield every image's pair of integer maps, or of bool masks of all classes.

        Raises:
            TypeError: The inputs are not whole numbers.
            ValueError: The numbers of images differ, shapes do not fit, or a mask has values other
                than 0 and 1.
        """
        found = arrays.to_samples(predictions, "predictions")
        truths = arrays.to_samples(groundtruths, "groundtruths")
        check_same_shape("predictions", found, "groundtruths", truths, classes=True)
        for prediction, truth in zip(found, truths, strict=True):
            masks = truth.ndim == self.spatial_ndim + 1
            if (not masks and truth.ndim != self.spatial_ndim) or (
                masks and len(truth) != self.num_classes
            ):
                raise ValueError(
                    f"groundtruths must be maps of {self.spatial_ndim} axes, or masks of "
                    f"{self.num_classes} classes with the classes in front, got {truth.shape}"
                )
            pair = as_map(prediction, "predictions"), as_map(truth, "groundtruths")
            if masks:
                for name, side in zip(("predictions", "groundtruths"), pair, strict=True):
                    arrays.check_range(f"masks in {name}", side, 2)
                pair = pair[0] != 0, pair[1] != 0
            yield pair

    def counts(self, predictions: Any, groundtruths: Any) -> tuple[np.ndarray, ...]:
        """Return every image's pixel counts of the classes that count, int64 (N, classes).

        Returns:
            Three arrays: the pixels in both maps, in the prediction, and in the ground truth.

        Raises:
            TypeError, ValueError: The maps are not whole numbers, the numbers of images or the
                shapes differ, masks have values other than 0 and 1, or classes are out of range.
        """
        found = []
        for prediction, truth in self.pairs(predictions, groundtruths):
            if prediction.ndim == self.spatial_ndim:
                flat = prediction.reshape(-1), truth.reshape(-1)
                counts = count_pixels(*flat, self.num_classes, self.ignore_index, "groundtruths")
            else:
                truth, prediction = (self.kept(side, truth) for side in (truth, prediction))
                axes = tuple(range(1, truth.ndim))
                sides = (prediction & truth, truth, prediction)
                counts = np.stack([np.count_nonzero(side, axis=axes) for side in sides])
            found.append(counts[:, self.counted])
        table = np.array(found, np.int64).reshape(len(found), 3, len(self.counted))
        both, truths, predicted = table.swapaxes(0, 1)
        return both, predicted, truths

    def masks(self, prediction: np.ndarray, truth: np.ndarray) -> list[list[np.ndarray]]:
        """Return the masks of the classes that count, in a pair that `pairs` yields.

        Raises:
            ValueError: A class is out of range.
        """
        classes = self.counted.tolist()
        if prediction.ndim > self.spatial_ndim:
            sides = self.kept(prediction, truth), self.kept(truth, truth)
            return [[side[c] for c in classes] for side in sides]
        ignored = truth == self.ignore_index  # None: false everywhere
        found = []
        for name, side in (("predictions", prediction), ("groundtruths", truth)):
            arrays.check_range(name, np.where(ignored, 0, side), self.num_classes)
            found.append([(side == c) & ~ignored for c in classes])
        return found

    def kept(self, masks: np.ndarray, truth: np.ndarray) -> np.ndarray:
        """Return masks without the pixels that do not count."""
        ignored = ignored_classes(self.ignore_index, self.num_classes)
        return masks & ~truth[ignored[0]] if ignored else masks


@shared_options
class ClassMeanMetric(SampleMean):
    """The base class of means over images of a value that each class of an image has.

    An image's value is the mean over its classes for which the value is defined; images without
    such a class do not count, with a warning. `add` takes `predictions` and `groundtruths`: maps of
    classes, integers (N, H, W), or masks of all classes, (N, C, H, W) of 0 and 1, which may
    overlap; lists of (H, W) or (C, H, W) where images differ in size; and `sample_weight` (N,).

    Args:
        num_classes: The number of classes C.
        average: "macro": the mean over images of each image's mean over classes. None: the result
            is a list under the key `{key}_classwise` with the mean over images for each class, nan
            for a class that does not count.
        include_background: Whether class 0 counts.
        ignore_index: Pixels with this value in the ground truth do not count. If the value is a
            class index, that class does not count either. None: all pixels count.
        spatial_ndim: The number of axes of a map: 2 for images, 3 for volumes.
        **options: As for `BaseMetric`.
    """

    ranges = SHARE
    higher_is_better: bool | None = True
    leaves_out_nan = True
    averages: ClassVar[tuple[str | None, ...]] = ("macro", None)
    _meaning = ("states", "mean", "compute_metric")

    def __init__(
        self,
        num_classes: int,
        *,
        average: str | None = "macro",
        include_background: bool = True,
        ignore_index: int | None = None,
        spatial_ndim: int = 2,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        self.maps = ClassMaps(num_classes, include_background, ignore_index, spatial_ndim)
        self.num_classes, self.include_background = num_classes, include_background
        self.ignore_index, self.spatial_ndim = ignore_index, spatial_ndim
        self.average = check_average(average, self.averages)
        if self.average is None:
            self.key = f"{self.key}_classwise"
            self.outputs = self.num_classes

    def scores(self, predictions: Any, groundtruths: Any) -> np.ndarray:
        """Return every image's value, or the values of its classes.

        Args:
            predictions: Maps of classes (N, H, W), or masks of all classes (N, C, H, W), or a
                list of maps or of masks.
            groundtruths: The same shapes.

        Raises:
            TypeError: The inputs are not whole numbers.
            ValueError: The numbers of images differ, shapes do not fit, or a class is out of range.
        """
        return self.image_values(predictions, groundtruths)

    @abstractmethod
    def class_values(self, predictions: Any, groundtruths: Any) -> np.ndarray:
        """Return the values of the classes that count, (N, classes); nan where undefined."""

    def image_values(self, predictions: Any, groundtruths: Any) -> np.ndarray:
        """Return the mean over the classes of every image, or the values of its classes."""
        values = self.class_values(predictions, groundtruths)
        return mean_of_defined(values) if self.average is not None else self._spread(values)

    def rows(self, *batch: Any, **named: Any) -> dict[str, np.ndarray]:
        """Return every image's weighted value and its weight; see `SampleMean.rows`."""
        rows = super().rows(*batch, **named)
        if self.average is None:  # a class that is missing in an image is normal: no warning
            rows["undefined"] = np.zeros_like(rows["undefined"])
        return rows

    def _spread(self, values: np.ndarray) -> np.ndarray:
        wide = np.full((len(values), self.num_classes), np.nan)
        wide[:, self.maps.counted] = values
        return wide


def mean_of_defined(values: np.ndarray) -> np.ndarray:
    """Return the mean of each row's values that are not nan, (n,); nan if all are nan.

    Example:
        >>> mean_of_defined(np.array([[1.0, np.nan, 0.5], [np.nan] * 3]))
        array([0.75,  nan])
    """
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore"):  # 0 / 0 is nan
        return np.asarray(arrays.sum_rows(np.where(known, values, 0.0)) / known.sum(axis=1))
