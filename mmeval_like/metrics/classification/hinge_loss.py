"""HingeLoss: the distance of decision values from the margin."""

from __future__ import annotations

from typing import Any

import numpy as np

from mmeval_like.metrics._common.option_checks import check_count, check_scores, known_num_classes
from mmeval_like.metrics._common.shapes import check_one_axis
from mmeval_like.writing import NOT_NEGATIVE, MetricOptions, SampleMean, Unpack, arrays

__all__ = ["HingeLoss"]

_MODES = ("crammer-singer", "one-vs-all")


class HingeLoss(SampleMean):
    """The hinge loss: the mean over samples of max(0, 1 - margin).

    Predictions are decision values s, which are not transformed. The margin m measures how far the
    decision value is on the label's side. For a binary task it is y s, where y is 1 for
    label 1 and -1 for label 0. For a multiclass task with "crammer-singer" it is the label's
    decision value minus the highest one of another class; with "one-vs-all" each class has a
    separate binary loss against the rest, and the result is a list. Source: K. Crammer and Y.
    Singer, "On the algorithmic implementation of multiclass kernel-based vector machines", Journal
    of Machine Learning Research 2 (2001).

    `add` takes `predictions`, decision values (N,) or (N, C); `labels`, 0 and 1 or class indices
    (N,); and `sample_weight` (N,).

    Formula:
        hinge = (sum w max(0, 1 - m)) / (sum w)
        m_binary = y s
        m_multiclass = s_y - max_(c != y) s_c

    Args:
        task: "binary" or "multiclass".
        squared: Whether each sample's loss is squared before the mean is taken.
        multiclass_mode: The margin of a multiclass task: "crammer-singer" or "one-vs-all".
        num_classes: The number of classes C; needed for "one-vs-all".
        **options: As for `BaseMetric`.

    Returns of `compute`: `hinge`, at least 0, or for "one-vs-all" the list `hinge_classwise`; nan
    without samples. Lower is better.

    Raises:
        ValueError: The task or the mode is unknown, or "one-vs-all" was given without
            `num_classes`.

    Example:
        >>> metric = HingeLoss()
        >>> metric.add([-2.0, 0.5, 0.5], [0, 1, 0])
        >>> metric.compute()  # (0 + 1 / 2 + 3 / 2) / 3
        {'hinge': 0.6666666666666666}
    """

    class_inputs = ("labels",)
    takes_scores = True

    key = "hinge"
    ranges = NOT_NEGATIVE
    higher_is_better = False

    def __init__(
        self,
        task: str = "binary",
        squared: bool = False,
        multiclass_mode: str = "crammer-singer",
        num_classes: int | None = None,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        if task not in ("binary", "multiclass"):
            raise ValueError(f'task must be "binary" or "multiclass", got {task!r}')
        if task == "binary":
            known_num_classes(None, self.dataset_meta, task)
        if multiclass_mode not in _MODES:
            raise ValueError(f"multiclass_mode must be one of {_MODES}, got {multiclass_mode!r}")
        self.task, self.squared, self.multiclass_mode = task, squared, multiclass_mode
        self.num_classes = None if num_classes is None else check_count("num_classes", num_classes)
        if task == "multiclass" and multiclass_mode == "one-vs-all":
            if self.num_classes is None:
                raise ValueError('num_classes must be given for "one-vs-all"')
            self.outputs, self.key = self.num_classes, "hinge_classwise"

    def scores(self, predictions: Any, labels: Any) -> np.ndarray:
        """Return the loss of every sample, or of every class.

        Args:
            predictions: Scores: (N,) for a binary task, otherwise (N, C).
            labels: 0 and 1 for a binary task, otherwise class indices, (N,).

        Raises:
            TypeError: The scores are not real numbers, or the labels are not whole numbers.
            ValueError: Shapes or lengths do not fit, a label is out of range, or a value is nan.
        """
        values = arrays.as_floats(predictions, "predictions")
        truth = arrays.as_integers(labels, "labels")
        if self.task == "binary":
            check_one_axis("predictions", values)
            check_one_axis("labels", truth)
            arrays.check_same_length("predictions", values, "labels", truth)
            arrays.check_range("labels", truth, 2)
            arrays.check_finite("predictions", values)
            margins = np.where(truth == 1, values, -values)
        else:
            margins = self._margins(values, truth)
        losses: np.ndarray = np.maximum(1 - margins, 0.0)
        return losses * losses if self.squared else losses

    def _margins(self, values: np.ndarray, truth: np.ndarray) -> np.ndarray:
        if values.size == 0 and values.ndim == 1:
            return np.zeros((0, self.outputs)) if self.outputs else values
        check_scores(values, truth)
        arrays.check_finite("predictions", values)
        if values.shape[1] != (self.num_classes or values.shape[1]):
            raise ValueError(
                f"predictions must have {self.num_classes} classes, got {values.shape[1]}"
            )
        own = np.arange(values.shape[1]) == truth[:, None]
        if self.outputs:
            return np.where(own, values, -values)
        others = np.where(own, -np.inf, values).max(axis=1, initial=-np.inf)
        margins: np.ndarray = values[own] - others
        return margins
