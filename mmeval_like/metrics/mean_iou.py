"""MeanIoU: intersection over union of segmentation maps, and the scores that go with it."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from mmeval_like import arrays, state
from mmeval_like._accumulate.results import Results
from mmeval_like._inference.ranges import Ranges
from mmeval_like.metric import BaseMetric
from mmeval_like.metrics._shared.common import check_count, check_ignore_index, num_classes_of
from mmeval_like.options import MetricOptions, Unpack
from mmeval_like.state import State

__all__ = ["MeanIoU"]

_JOINT_BINS = 1 << 16  # up to so many, one histogram of pairs is faster than three of classes

_RANGES: Ranges = {"kappa": (-1.0, 1.0), "*": (0.0, 1.0)}


class MeanIoU(BaseMetric):
    """Mean IoU, accuracy, Dice, precision, recall and F-score over classes of pixels.

    Per class, with tp, gt and pred pixels: IoU = tp / (gt + pred - tp), Acc = Recall = tp / gt,
    Dice = 2 tp / (gt + pred), Precision = tp / pred, Fscore = (1 + beta^2) P R /
    (beta^2 P + R). Means leave out classes whose value is 0 / 0.

    Args:
        num_classes: The number of classes; default: from `dataset_meta`, its "num_classes" or
            the length of its "classes", which may also be set after construction.
        ignore_index: Pixels with this label do not count, whatever was predicted there.
        nan_to_num: What stands for 0 / 0 in the means; None: left out.
        beta: The weight of recall in the F-score.
        classwise_results: Add the key `classwise_results`: a dict of arrays by score.
        **options: As for `BaseMetric`.

    Returns of `compute`: `aAcc` (the share of right pixels), `mIoU`, `mAcc`, `mDice`,
    `mPrecision`, `mRecall`, `mFscore` and `kappa` (Cohen's, from integers), floats; nan without
    pixels.

    Raises:
        ValueError: `num_classes` below 1.
        RuntimeError: On use, when `num_classes` is neither given nor in `dataset_meta`.

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
    on_accelerator = True

    def __init__(
        self,
        num_classes: int | None = None,
        ignore_index: int = 255,
        nan_to_num: float | None = None,
        beta: float = 1,
        classwise_results: bool = False,
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
        """Return the pixels per class: right, labelled, predicted."""
        return {"pixels": state.sum(int, (3, self.num_classes))}

    def rows(self, predictions: Any, labels: Any) -> dict[str, np.ndarray]:
        """Return one row of counts per image.

        Args:
            predictions: Class maps: integers of any width (N, H, W), or a sequence of (H, W),
                which may differ in size.
            labels: The same shapes; values in [0, num_classes) or `ignore_index`.

        Raises:
            TypeError: Maps that are not whole numbers.
            ValueError: Different numbers of maps or shapes, or classes out of range.
        """
        predictions = arrays.to_samples(predictions, "predictions")
        labels = arrays.to_samples(labels, "labels")
        arrays.check_same_length("predictions", predictions, "labels", labels)
        pixels = []
        for prediction, label in zip(predictions, labels, strict=True):
            if prediction.shape != label.shape:
                raise ValueError(
                    f"predictions and labels must have the same shape, "
                    f"got {prediction.shape} and {label.shape}"
                )
            pixels.append(
                _count(_as_map(prediction, "predictions"), _as_map(label, "labels"), self)
            )
        empty = np.zeros((0, 3, self.num_classes), np.int64)
        return {"pixels": np.stack(pixels) if pixels else empty}

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return the means over classes."""
        right, label, predicted = results.pixels
        square = self.beta**2
        classwise = {
            "IoU": _divide(right, label + predicted - right),
            "Acc": _divide(right, label),
            "Dice": _divide(2 * right, label + predicted),
            "Precision": _divide(right, predicted),
            "Recall": _divide(right, label),
        }
        precision, recall = classwise["Precision"], classwise["Recall"]
        classwise["Fscore"] = _divide(
            (1 + square) * precision * recall, square * precision + recall
        )
        if self.nan_to_num is not None:
            classwise = {k: np.nan_to_num(v, nan=self.nan_to_num) for k, v in classwise.items()}
        counts = [array.tolist() for array in (right, label, predicted)]
        values: dict[str, Any] = {"aAcc": _over_all(counts)}
        values |= {f"m{name}": _nan_mean(scores) for name, scores in classwise.items()}
        values["kappa"] = _kappa(counts)
        return values | ({"classwise_results": classwise} if self.classwise_results else {})


def _as_map(classes: np.ndarray, name: str) -> np.ndarray:
    # Integers keep their width: most maps are of one byte a pixel.
    flat = classes if classes.dtype.kind in "biu" else arrays.as_integers(classes, name)
    return flat.reshape(-1)


def _count(prediction: np.ndarray, label: np.ndarray, metric: MeanIoU) -> np.ndarray:
    """Return the pixels of each class, int64 (3, C): right, labelled, predicted."""
    size = metric.num_classes
    kept = label != metric.ignore_index
    ignored = label.size - np.count_nonzero(kept)
    if arrays.possibly(ignored):  # they count as right pixels of class 0, until the end
        label, prediction = label * kept, prediction * kept
    arrays.check_range("labels", label, size)
    arrays.check_range("predictions", prediction, size)
    if size**2 <= _JOINT_BINS:
        codes = label.astype(np.uint16)
        codes *= size
        codes += prediction.astype(np.uint16)
        pairs = np.bincount(codes, minlength=size**2).reshape(size, size)
        counts = np.stack([pairs.diagonal(), pairs.sum(axis=1), pairs.sum(axis=0)])
    else:
        hits = label == prediction
        maps = (label * hits, label, prediction)  # wrong pixels count as right ones of class 0
        counts = np.stack([np.bincount(m.astype(np.intp), minlength=size) for m in maps])
        counts[0, 0] -= label.size - np.count_nonzero(hits)
    counts[:, 0] -= ignored
    return counts


def _divide(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore"):  # 0 / 0 is nan
        return np.asarray(numerator / denominator)


def _nan_mean(scores: np.ndarray) -> float:
    known = [score for score in scores.tolist() if not math.isnan(score)]
    return sum(known) / len(known) if known else math.nan


def _over_all(counts: list[list[int]]) -> float:
    right, label, _ = map(sum, counts)
    return right / label if label else math.nan


def _kappa(counts: list[list[int]]) -> float:
    # In Python's integers: products of pixel counts leave int64.
    right, label, predicted = counts
    total = sum(label)
    if total == 0:
        return math.nan
    observed = Fraction(sum(right), total)
    chance = Fraction(sum(g * p for g, p in zip(label, predicted, strict=True)), total**2)
    return float((observed - chance) / (1 - chance)) if chance != 1 else math.nan
