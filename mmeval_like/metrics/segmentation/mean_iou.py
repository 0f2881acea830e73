"""MeanIoU: the intersection over union of segmentation maps, and related scores."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from mmeval_like.metrics._common.chance_quotients import chance_quotients
from mmeval_like.metrics._common.option_checks import (
    check_count,
    check_ignore_index,
    num_classes_of,
)
from mmeval_like.metrics._common.shapes import check_same_shape
from mmeval_like.metrics.segmentation.pixel_counts import as_map, count_pixels
from mmeval_like.writing import (
    BaseMetric,
    MetricOptions,
    Ranges,
    Results,
    State,
    Unpack,
    arrays,
    ratio,
    state,
)
from mmeval_like.writing.intervals import worst_and_best

__all__ = ["MeanIoU"]

_SCORES = ("IoU", "Acc", "Dice", "Precision", "Recall", "Fscore")  # scores of each class
_MEANS = ("aAcc", *(f"m{name}" for name in _SCORES), "kappa")

_RANGES: Ranges = {"kappa": (-1.0, 1.0), "*": (0.0, 1.0)}


class MeanIoU(BaseMetric):
    """The mean intersection over union (IoU) of segmentation maps, and related scores.

    For each class c the pixels of all maps are counted: TP are right, FP are predicted but are not
    of the class, and FN are of the class but are missed. Recall is the same as the accuracy Acc,
    precision P is TP / (TP + FP), and the F-score is (1 + beta^2) P R / (beta^2 P + R). A class
    whose value is 0 / 0 is left out of the mean.

    Formula:
        IoU_c = TP / (TP + FP + FN)
        Acc_c = TP / (TP + FN)
        Dice_c = 2 TP / (2 TP + FP + FN)
        mIoU = mean_c IoU_c

    Args:
        num_classes: The number of classes. None: it is taken from `dataset_meta`, from its
            "num_classes" or the length of its "classes", which may also be set after construction.
        ignore_index: Pixels with this label do not count, whatever was predicted there.
        nan_to_num: The value of a class whose value is 0 / 0; None: the class is left out of the
            mean.
        beta: The weight of recall in the F-score.
        classwise_results: Whether the result also has the key `classwise_results`: a dict with an
            array of the classes' values for each score.
        per_image: Whether every score is computed for each image separately, then averaged over
            images. In each image, classes whose value is 0 / 0 are left out; an image for which a
            score is undefined does not count for this score.
        include_background: Whether class 0 counts in means over classes; its pixels always count in
            `aAcc` and `kappa`.
        **options: As for `BaseMetric`.

    Returns of `compute`: `aAcc` (the share of right pixels), `mIoU`, `mAcc`, `mDice`, `mPrecision`,
    `mRecall`, `mFscore` and `kappa` (Cohen's, from integers), floats; nan without pixels. Higher is
    better.

    Raises:
        ValueError: `num_classes` is below 1.
        RuntimeError: On use, if `num_classes` is neither given nor in `dataset_meta`.

    Example:
        >>> import numpy as np
        >>> metric = MeanIoU(num_classes=2)
        >>> metric.add(np.array([[[0, 1], [1, 1]]]), np.array([[[0, 0], [1, 255]]]))
        >>> values = metric.compute()
        >>> values["mIoU"], round(values["aAcc"], 4)
        (0.5, 0.6667)
    """

    every_rank_computes = True
    ranges = _RANGES
    higher_is_better = True
    outer_bounds = True

    def __init__(
        self,
        num_classes: int | None = None,
        ignore_index: int = 255,
        nan_to_num: float | None = None,
        beta: float = 1,
        classwise_results: bool = False,
        *,
        per_image: bool = False,
        include_background: bool = True,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        if num_classes is not None:
            check_count("num_classes", num_classes)
        check_ignore_index(ignore_index)
        if not 0 < beta < math.inf:
            raise ValueError(f"beta must be positive and finite, got {beta}")
        if not isinstance(nan_to_num, int | float | np.number | None):
            raise TypeError(f"nan_to_num must be a number or None, got {nan_to_num!r}")
        self._num_classes = num_classes
        self.ignore_index = ignore_index
        self.nan_to_num = nan_to_num
        self.beta = beta
        self.classwise_results = classwise_results
        self.per_image = per_image
        self.include_background = include_background
        if nan_to_num:
            self.no_bounds = "with nan_to_num=, a class without pixels has any value"
        if per_image:
            self.no_bounds = "with per_image=True, predictions decide which classes count"

    @property
    def on_accelerator(self) -> bool:
        """Whether the accelerator counts pixels; scores of images are computed on the host."""
        return not self.per_image

    @property
    def num_classes(self) -> int:
        """The number of classes, given or from `dataset_meta`."""
        if self._num_classes is not None:
            return self._num_classes
        found = num_classes_of(None, self.dataset_meta)
        if found is None or found < 1:
            raise RuntimeError(
                f"MeanIoU needs num_classes=, or dataset_meta with 'num_classes' or 'classes', "
                f"got {found}"
            )
        return found

    def states(self) -> dict[str, State]:
        """Return right, labelled and predicted pixels per class, or sums of the images' scores."""
        if not self.per_image:
            return {"pixels": state.sum(int, (3, self.num_classes))}
        shape = (self._width(),)
        return {"number": state.sum(float, shape), "defined": state.sum(int, shape)}

    def rows(self, predictions: Any, labels: Any) -> dict[str, np.ndarray]:
        """Return one row of counts, or of scores, per image.

        Args:
            predictions: Class maps: integers of any width (N, H, W), or a sequence of (H, W),
                which may differ in size.
            labels: The same shapes; values in [0, num_classes) or `ignore_index`.

        Raises:
            TypeError: A map has values that are not whole numbers.
            ValueError: The numbers of maps or the shapes differ, or a class is out of range.
        """
        predictions = arrays.to_samples(predictions, "predictions")
        labels = arrays.to_samples(labels, "labels")
        check_same_shape("predictions", predictions, "labels", labels, classes=True)
        pixels = []
        for prediction, label in zip(predictions, labels, strict=True):
            pixels.append(
                count_pixels(
                    as_map(prediction, "predictions").reshape(-1),
                    as_map(label, "labels").reshape(-1),
                    self.num_classes,
                    self.ignore_index,
                )
            )
        if not self.per_image:
            empty = np.zeros((0, 3, self.num_classes), np.int64)
            return {"pixels": np.stack(pixels) if pixels else empty}
        numbers = np.zeros((len(pixels), self._width()))
        for row, counts in zip(numbers, pixels, strict=True):
            means, classwise = self._numbers(counts)
            row[:] = [*means, *classwise.flat][: len(row)]
        undefined = np.isnan(numbers)
        return {"number": np.where(undefined, 0.0, numbers), "defined": ~undefined}

    def filled(self, fill: Any, count: int, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return rows of maps that are all right, all wrong, or of one class."""
        if "labels" not in inputs:
            raise ValueError("maps without a score need labels=: their pixels are counted")
        made = []
        for label in map(np.asarray, inputs["labels"]):
            known = np.where(label == self.ignore_index, 0, label)
            wrong = (known + 1) % self.num_classes
            made.append({"best": known, "worst": wrong}.get(fill, np.full(label.shape, fill)))
        return self.rows(made, inputs["labels"])

    def extremes(
        self, scored: Results, worst: Results, best: Results
    ) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """Return the values for the fewest right and the most wrong pixels, and the reverse.

        A class's F-score is undefined where no pixel is right, so that the class may then be left
        out of the mean: that is at most the best class's value.
        """
        (right, known, predicted), (_, label, _) = (
            np.asarray(one.pixels).astype(object) for one in (scored, best)
        )
        more = label - known
        least = np.stack([right, label, predicted + sum(more) - more]).astype(np.int64)
        most = np.stack([right + more, label, predicted + more]).astype(np.int64)
        found = [self._named(*self._numbers(least, True)), self._named(*self._numbers(most))]
        each = self._numbers(most)[1][-1, 0 if self.include_background else 1 :]
        found[1]["mFscore"] = max(each[~np.isnan(each)].tolist(), default=math.nan)
        distance, total = 1 - np.eye(len(label), dtype=np.int64), sum(label)
        parts = chance_quotients(distance, label, more, sum(known) - sum(right), predicted)
        for values, (seen, expected) in zip(found, parts[::-1], strict=True):
            values["kappa"] = float(1 - Fraction(total * seen, expected)) if expected else math.nan
        return worst_and_best(found, self.direction_of)

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return the means over classes."""
        if self.per_image:
            sums = zip(results.number.tolist(), results.defined.tolist(), strict=True)
            numbers = [ratio(total, count) for total, count in sums]
            means, classwise = numbers[: len(_MEANS)], np.array(numbers[len(_MEANS) :])
        else:
            means, classwise = self._numbers(results.pixels)
        return self._named(means, classwise)

    def _named(self, means: list[float], classwise: np.ndarray) -> dict[str, Any]:
        values: dict[str, Any] = dict(zip(_MEANS, means, strict=True))
        if self.classwise_results:
            by_score = classwise.reshape(len(_SCORES), self.num_classes)
            values["classwise_results"] = dict(zip(_SCORES, by_score, strict=True))
        return values

    def _width(self) -> int:
        """Return the number of scores of an image."""
        return len(_MEANS) + self.classwise_results * len(_SCORES) * self.num_classes

    def _numbers(self, pixels: np.ndarray, least: bool = False) -> tuple[list[float], np.ndarray]:
        """Return the scores of `_MEANS`, and those of `_SCORES` by class, (6, C), from counts.

        Args:
            pixels: The right, the labelled and the predicted pixels of every class.
            least: Whether undefined scores of classes with labels are 0, as they may nearly be.
        """
        right, label, predicted = pixels
        square = self.beta**2
        precision, recall = _divide(right, predicted), _divide(right, label)
        beside = _divide((1 + square) * precision * recall, square * precision + recall)
        dice = _divide(2 * right, label + predicted)
        iou = _divide(right, label + predicted - right)
        scores = np.stack([iou, recall, dice, precision, recall, beside])
        if least:
            scores[np.isnan(scores) & (label > 0)] = 0.0
        if self.nan_to_num is not None:
            scores = np.nan_to_num(scores, nan=self.nan_to_num)
        counts = pixels.tolist()
        counted = scores[:, 0 if self.include_background else 1 :]
        means = [_nan_mean(row) for row in counted.tolist()]
        return [_over_all(counts), *means, _kappa(counts)], scores


def _divide(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore"):  # 0 / 0 is nan
        return np.asarray(numerator / denominator)


def _nan_mean(scores: list[float]) -> float:
    known = [score for score in scores if not math.isnan(score)]
    return sum(known) / len(known) if known else math.nan


def _over_all(counts: list[list[int]]) -> float:
    right, label, _ = map(sum, counts)
    return right / label if label else math.nan


def _kappa(counts: list[list[int]]) -> float:
    # In Python integers: products of pixel counts may overflow int64.
    right, label, predicted = counts
    total = sum(label)
    if total == 0:
        return math.nan
    observed = Fraction(sum(right), total)
    chance = Fraction(sum(g * p for g, p in zip(label, predicted, strict=True)), total**2)
    return float((observed - chance) / (1 - chance)) if chance != 1 else math.nan
