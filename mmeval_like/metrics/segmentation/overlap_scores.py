"""DiceScore, GeneralizedDiceScore and VolumetricSimilarity: how much masks of classes overlap."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mmeval_like.metrics._common.averages import class_average
from mmeval_like.metrics._common.number_inputs import check_option
from mmeval_like.metrics.segmentation.class_maps import ClassMaps, ClassMeanMetric
from mmeval_like.writing import (
    SHARE,
    MetricOptions,
    Results,
    SampleMean,
    State,
    Unpack,
    arrays,
    state,
)

__all__ = ["DiceScore", "GeneralizedDiceScore", "VolumetricSimilarity"]

_WEIGHTS = {"square": 2, "simple": 1, "linear": 0}  # the exponent of a class's number of pixels


class DiceScore(ClassMeanMetric):
    """The Dice coefficient: the overlap of predicted and true masks, averaged over images.

    1 is perfect. A class that is in neither map of an image is left out of the image's mean.
    Source: L. R. Dice, "Measures of the amount of ecologic association between species" (Ecology
    26, 1945). `add` takes `predictions` and `groundtruths`, maps of classes (N, H, W) or masks of
    all classes (N, C, H, W).

    Formula:
        dice = mean 2 TP / (2 TP + FP + FN)

    Args:
        num_classes: The number of classes C.
        aggregation: "sample": the mean over images of each image's value. "global": the value for
            the pixels of all images together; `add` then takes no `sample_weight`.
        average: "macro": the mean over classes. "micro": the value for the counts of all classes
            together. "weighted": the mean over classes, weighted by their numbers of pixels in the
            ground truth. None: the result is a list under the key `dice_classwise`, with nan for a
            class without pixels.
        **options: As for `ClassMeanMetric`.

    Returns of `compute`: `dice`, or `dice_classwise`, in [0, 1]; nan without samples. Higher is
    better.

    Example:
        >>> metric = DiceScore(num_classes=3)
        >>> metric.add([[[0, 1], [1, 1]]], [[[0, 0], [1, 1]]])
        >>> round(metric.compute()["dice"], 4)  # the mean of 2 / 3 and 4 / 5
        0.7333
    """

    key = "dice"
    averages = ("macro", "micro", "weighted", None)
    scores = ClassMeanMetric.scores  # besides `rows`, so that both document `add`

    def __init__(self, num_classes: int, *, aggregation: str = "sample", **options: Any) -> None:
        super().__init__(num_classes, **options)
        self.aggregation = check_option("aggregation", aggregation, ("sample", "global"))

    def states(self) -> dict[str, State]:
        """Return the sums of the images' values, or the pixels of all classes."""
        if self.aggregation == "sample":
            return super().states()
        return {"pixels": state.sum(int, (3, len(self.maps.counted)))}

    def rows(self, *batch: Any, sample_weight: Any = None, **named: Any) -> dict[str, np.ndarray]:
        """Return every image's weighted value, or its pixels.

        Args:
            *batch: The inputs of `scores`, followed by the weights if these are not given by name.
            sample_weight: The weight of each image, numbers of at least 0 (N,), for
                `aggregation="sample"`; None: all are 1.
            **named: The inputs of `scores` by name.
        """
        if self.aggregation == "sample":
            return super().rows(*batch, sample_weight=sample_weight, **named)
        if sample_weight is not None:
            raise TypeError("DiceScore takes no sample_weight with aggregation='global'")
        return {"pixels": np.stack(self.maps.counts(*batch, **named), axis=1)}

    def class_values(self, predictions: Any, groundtruths: Any) -> np.ndarray:
        """Return 2 TP / (p + t), for p predicted and t true pixels."""
        both, predicted, truths = self.maps.counts(predictions, groundtruths)
        return _quotients(2 * both, predicted + truths)

    def image_values(self, predictions: Any, groundtruths: Any) -> np.ndarray:
        """Return the mean over the classes of every image, or the value of its pixels."""
        if self.average not in ("micro", "weighted"):
            return super().image_values(predictions, groundtruths)
        both, predicted, truths = self.maps.counts(predictions, groundtruths)
        if self.average == "micro":
            return _quotients(2 * both.sum(axis=1), (predicted + truths).sum(axis=1))
        values = np.nan_to_num(_quotients(2 * both, predicted + truths))
        return _quotients(arrays.sum_rows(values * truths), truths.sum(axis=1))

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return the mean, or the value of all pixels."""
        if self.aggregation == "sample":
            return super().compute_metric(results)
        both, predicted, truths = results.pixels.tolist()
        sums = [p + t for p, t in zip(predicted, truths, strict=True)]
        value = class_average([2 * b for b in both], sums, truths, self.average, math.nan)
        if isinstance(value, list):
            value = self._spread(np.array([value]))[0].tolist()
        return {self.key: value}


class GeneralizedDiceScore(SampleMean):
    """The generalised Dice score: the overlap of all classes, with more weight on small classes.

    Class c has t_c pixels in the ground truth, p_c in the prediction, and TP_c in both; its weight
    w_c falls with t_c, as `weight_type` says. A class that is predicted but is not in the ground
    truth has the largest weight of the image's other classes, so that such false alarms count. The
    value is the mean over images. An image without any pixel of a class that counts is left out,
    with a warning.

    Formula:
        gds = mean (2 sum_c w_c TP_c) / (sum_c w_c (t_c + p_c))

    Sources: W. R. Crum et al., "Generalized overlap measures for evaluation and validation in
    medical image analysis" (IEEE Transactions on Medical Imaging 25, 2006); C. H. Sudre et al.,
    "Generalised Dice overlap as a deep learning loss function for highly unbalanced segmentations"
    (DLMIA 2017). `add` takes `predictions` and `groundtruths`, maps of classes (N, H, W) or masks
    of all classes (N, C, H, W).

    Args:
        num_classes: The number of classes C.
        weight_type: The weight of a class with t pixels in the ground truth. "square": 1 / t².
            "simple": 1 / t. "linear": 1.
        include_background: Whether class 0 counts.
        ignore_index: Pixels with this value in the ground truth do not count. If the value is a
            class index, that class does not count either. None: all pixels count.
        spatial_ndim: How many axes a map has: 2 for images, 3 for volumes.
        **options: As for `BaseMetric`.

    Returns of `compute`: `generalized_dice`, in [0, 1]; nan without samples. Higher is better.

    Example:
        >>> metric = GeneralizedDiceScore(num_classes=2)
        >>> metric.add([[[0, 0, 0, 1]]], [[[0, 0, 1, 1]]])
        >>> round(metric.compute()["generalized_dice"], 4)  # 2 (2 + 1) / (5 + 3), t² = 4 in both
        0.75
    """

    key = "generalized_dice"
    ranges = SHARE
    higher_is_better = True
    leaves_out_nan = True

    def __init__(
        self,
        num_classes: int,
        *,
        weight_type: str = "square",
        include_background: bool = True,
        ignore_index: int | None = None,
        spatial_ndim: int = 2,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        self.maps = ClassMaps(num_classes, include_background, ignore_index, spatial_ndim)
        self.num_classes, self.include_background = num_classes, include_background
        self.ignore_index, self.spatial_ndim = ignore_index, spatial_ndim
        self.weight_type = check_option("weight_type", weight_type, _WEIGHTS)

    def scores(self, predictions: Any, groundtruths: Any) -> np.ndarray:
        """Return the score of every image: a quotient of weighted sums over classes.

        Args:
            predictions: Maps of classes (N, H, W), or masks of all classes (N, C, H, W), or a
                list of maps or of masks.
            groundtruths: The same shapes.

        Raises:
            TypeError: The inputs are not whole numbers.
            ValueError: The numbers of images differ, shapes do not fit, or a class is out of range.
        """
        both, predicted, truths = self.maps.counts(predictions, groundtruths)
        # A class that is missing has the weight of the smallest class that is present.
        largest = np.iinfo(np.int64).max
        smallest = np.where(truths > 0, truths, largest).min(axis=1, keepdims=True, initial=largest)
        sizes = np.where(truths > 0, truths, smallest).astype(np.float64)
        # All weights are divided by the largest weight, so that the smallest class has weight 1: #
        # squares of sizes could overflow.
        weights = (smallest / sizes) ** _WEIGHTS[self.weight_type]
        hits = arrays.sum_rows(weights * both)
        return _quotients(2 * hits, arrays.sum_rows(weights * (predicted + truths)))


class VolumetricSimilarity(ClassMeanMetric):
    """Volumetric similarity: how similar masks are in size, wherever they lie.

    A class has t pixels in the ground truth and p in the prediction. The value is the mean over an
    image's classes and then over images; a class that is in neither map of an image is left out of
    the image's mean. Source: A. A. Taha, A. Hanbury, "Metrics for evaluating 3D medical image
    segmentation" (BMC Medical Imaging 15, 2015). `add` takes `predictions` and `groundtruths`, maps
    of classes (N, H, W) or masks of all classes (N, C, H, W).

    Formula:
        vs = mean (1 - |t - p| / (t + p))

    Args:
        num_classes: The number of classes C.
        **options: As for `ClassMeanMetric`.

    Returns of `compute`: `volumetric_similarity`, or `volumetric_similarity_classwise`, in [0, 1];
    nan without samples. Higher is better.

    Example:
        >>> metric = VolumetricSimilarity(num_classes=2, include_background=False)
        >>> metric.add([[[1, 0, 0, 1]]], [[[0, 1, 0, 0]]])
        >>> round(metric.compute()["volumetric_similarity"], 4)  # 1 - 1 / 3
        0.6667
    """

    key = "volumetric_similarity"

    def class_values(self, predictions: Any, groundtruths: Any) -> np.ndarray:
        """Return 2 min(p, t) / (p + t), which equals 1 - |t - p| / (t + p)."""
        _, predicted, truths = self.maps.counts(predictions, groundtruths)
        return _quotients(2 * np.minimum(predicted, truths), predicted + truths)


def _quotients(numerators: np.ndarray, denominators: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore"):  # 0 / 0 is nan
        return np.asarray(numerators / denominators)
