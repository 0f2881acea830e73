"""Reads and checks predicted classes and labels, of one or many positions per sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like.metrics._common.option_checks import (
    TWO_CLASSES,
    Cut,
    check_binary,
    check_ignore_index,
    check_scores,
)
from mmeval_like.writing import Ragged, arrays, warn

__all__ = [
    "PLAIN",
    "ClassInputs",
    "ClassOptions",
    "Layout",
    "check_classes",
    "flatten",
    "read_classes",
    "warn_if_one_hot",
]


@dataclass(frozen=True)
class ClassOptions:
    """How predictions and labels are read.

    Attributes:
        ignore_index: Positions with this label do not count.
        top_k: The prediction is the label if the label is among the k best classes, otherwise the
            best class.
        cut: For two classes: predictions may be scores of class 1, and this is the rule that
            predicts it. None: predictions are classes, or scores of all classes.
    """

    ignore_index: int | None = None
    top_k: int = 1
    cut: Cut | None = None

    def __post_init__(self) -> None:
        check_ignore_index(self.ignore_index)


PLAIN = ClassOptions()

_ONE_HOT = (
    "predictions and labels look like one-hot rows, and each number in them counts as a class: "
    "pass predictions.argmax(1) and labels.argmax(1), or, for several labels of a sample, "
    'task="multilabel"'
)


@dataclass(slots=True)  # created for every batch: frozen dataclasses take three times as long
class Layout:
    """The assignment of positions to samples.

    Attributes:
        count: The number of samples.
        lengths: The number of positions of every sample (N,), a single number for all, or None:
            each sample is one position.
    """

    count: int
    lengths: np.ndarray | int | None = None

    def by_sample(self, codes: np.ndarray) -> Any:
        """Return codes of positions, (M,) or (M, k), as one row per sample."""
        if self.lengths is None:
            return codes
        width = codes.shape[1] if codes.ndim > 1 else 1
        if isinstance(self.lengths, int):
            return codes.reshape(self.count, self.lengths * width)
        return Ragged(codes.reshape(-1), self.lengths * width)

    def sums(self, values: np.ndarray) -> np.ndarray:
        """Return the sums over each sample of values of positions (M,), in int64 or float64."""
        if not isinstance(self.lengths, np.ndarray):
            width = 1 if self.lengths is None else self.lengths
            return arrays.sum_rows(values.reshape(self.count, width))
        pieces = np.split(values, np.cumsum(self.lengths)[:-1])
        return np.concatenate([arrays.sum_rows(piece[None]) for piece in pieces])

    def check_weights(self, sample_weight: Any) -> None:
        """Raise ValueError if there are weights and samples have many positions."""
        if sample_weight is not None and self.lengths is not None:
            raise ValueError(
                "sample_weight needs samples of one position each; leave it out, or pass the "
                "positions as separate samples"
            )


@dataclass(slots=True)
class ClassInputs:
    """Predictions and labels, position after position.

    Attributes:
        classes: The predicted classes, int64 (M,).
        labels: The labels, int64 (M,); an arbitrary class for positions that do not count.
        scores: The scores (M, C), if predictions were scores.
        counted: Which positions count, bool (M,); None: all.
        layout: The assignment of positions to samples.
    """

    classes: np.ndarray
    labels: np.ndarray
    scores: np.ndarray | None
    counted: np.ndarray | None
    layout: Layout


def read_classes(
    predictions: Any, labels: Any, num_classes: int | None, options: ClassOptions = PLAIN
) -> ClassInputs:
    """Return the predicted classes and the labels of all positions.

    Args:
        predictions: As for `flatten`: class indices, or scores of all classes; then the class of
            the highest score is predicted, the first one in case of a tie.
        labels: As for `flatten`.
        num_classes: The number of classes C; None: taken from the scores.
        options: How predictions and labels are read.

    Raises:
        TypeError: An index is not a whole number.
        ValueError: Shapes do not fit, lengths differ, a class is out of range, or a score is nan.
    """
    values, labels, layout = flatten(predictions, labels)
    counted = None
    if options.ignore_index is not None:
        counted = labels != options.ignore_index
        labels = np.where(counted, labels, 0)
        if values.ndim == 1 and len(values) == len(labels) and values.dtype.kind != "f":
            values = np.where(counted, values, 0)  # these often equal the ignored label
    if options.cut is not None:
        values = _decided(values, options.cut, counted)
    advice = TWO_CLASSES if options.cut is not None else ""
    try:
        classes, labels = _checked(values, labels, num_classes, advice)
    except TypeError:
        if values.ndim != 1 or layout.lengths is None:
            raise
        score = values[values != np.floor(values)][0]
        raise TypeError(
            f"predictions of the labels' shape must be class indices, got {score}: if the labels "
            f"are one-hot, pass labels.argmax(1)"
        ) from None
    if options.top_k > 1:
        if values.ndim != 2:
            raise ValueError(f"top_k={options.top_k} needs scores of all classes")
        classes = _label_if_among_best(values, classes, labels, options.top_k)
    return ClassInputs(classes, labels, values if values.ndim == 2 else None, counted, layout)


def flatten(predictions: Any, labels: Any) -> tuple[np.ndarray, np.ndarray, Layout]:
    """Return predictions (M,) or (M, C) and labels (M,) of all positions, and their layout.

    Args:
        predictions: Class indices (N,), or scores (N, C). With many positions in each sample (N,
            ...) or (N, C, ...); a list of arrays (...) or (C, ...) where samples have different
            numbers of positions.
        labels: Class indices (N,) or (N, ...), or a list of arrays (...).

    Raises:
        TypeError: A label is not a whole number.
        ValueError: Shapes do not fit, or the numbers of samples differ.
    """
    if isinstance(labels, list | tuple) and any(np.ndim(label) for label in labels[:1]):
        return _flatten_list(predictions, labels)
    values = arrays.as_numbers(predictions, "predictions")
    labels = arrays.as_integers(labels, "labels")
    if labels.ndim <= 1:
        return values, labels, Layout(len(labels) if labels.ndim else 1)
    count, width = len(labels), int(np.prod(labels.shape[1:]))
    arrays.check_same_length("predictions", values, "labels", labels)
    _check_positions(values.shape, labels.shape)
    if values.ndim > labels.ndim:
        values = np.moveaxis(values, 1, -1).reshape(count * width, values.shape[1])
    else:
        values = values.reshape(count * width)
    return values, labels.reshape(count * width), Layout(count, width)


def warn_if_one_hot(
    classes: np.ndarray, labels: np.ndarray, layout: Layout, num_classes: int
) -> None:
    """Warn if the predicted classes and the labels of all samples look like one-hot rows.

    Args:
        classes: The predicted classes of all positions (M,).
        labels: The labels of all positions (M,).
        layout: The assignment of positions to samples.
        num_classes: The number of classes.
    """
    if layout.lengths is None or num_classes == 1 or not layout.count:
        return
    if not np.all(np.equal(layout.lengths, num_classes)):
        return
    odd = _is_not_one_hot(labels, layout.count) | _is_not_one_hot(classes, layout.count)
    any_odd = arrays.count_true(odd.reshape(1, layout.count)) > 0
    if arrays.is_device(any_odd):
        arrays.remark(labels, any_odd, _ONE_HOT)
    elif not any_odd.all():
        warn(_ONE_HOT, UserWarning)


def _is_not_one_hot(flat: np.ndarray, count: int) -> np.ndarray:
    rows = flat.reshape(count, len(flat) // count)
    found: np.ndarray = (arrays.count_true(rows == 1) != 1) | (arrays.count_true(rows != 0) != 1)
    return found


def _flatten_list(predictions: Any, labels: Any) -> tuple[np.ndarray, np.ndarray, Layout]:
    arrays.check_same_length("predictions", predictions, "labels", labels)
    truths = [arrays.as_integers(arrays.fetch(label), "labels") for label in labels]
    flat: list[np.ndarray] = []
    for prediction, truth in zip(predictions, truths, strict=True):
        values = arrays.as_numbers(arrays.fetch(prediction), "predictions")
        _check_positions((1, *values.shape), (1, *truth.shape))
        if values.ndim > truth.ndim:
            flat.append(np.moveaxis(values, 0, -1).reshape(truth.size, len(values)))
        else:
            flat.append(values.reshape(-1))
    if len({values.ndim for values in flat}) > 1:
        raise ValueError("predictions must be classes for all samples, or scores for all")
    joined = np.concatenate([truth.reshape(-1) for truth in truths])
    lengths = np.array([truth.size for truth in truths], np.int64)
    given = [values for values in flat if values.size] or flat  # an empty list has no own dtype
    values = np.concatenate(given)
    arrays.check_joined(values, given, "predictions")
    return values, joined, Layout(len(truths), lengths)


def _check_positions(predictions: tuple[int, ...], labels: tuple[int, ...]) -> None:
    scores = len(predictions) == len(labels) + 1
    if (predictions[:1] + predictions[2:] if scores else predictions) != labels:
        one_each = len(labels) == 2 and labels[1] == 1
        cure = ": pass labels.reshape(-1)" if one_each else ""
        raise ValueError(
            f"predictions must be classes of the labels' shape, or scores with the classes on axis "
            f"1, got predictions of shape {predictions} and labels of shape {labels}{cure}"
        )


def _decided(values: np.ndarray, cut: Cut, counted: np.ndarray | None) -> np.ndarray:
    check_binary(values)
    return cut.predicted(
        values, counted if counted is None or counted.shape == values.shape else None
    )


def _label_if_among_best(
    scores: np.ndarray, classes: np.ndarray, labels: np.ndarray, top_k: int
) -> np.ndarray:
    own = scores[np.arange(len(labels)), labels][:, None]
    lower = np.arange(scores.shape[1]) < labels[:, None]
    rank = np.count_nonzero((scores > own) | ((scores == own) & lower), axis=1)
    return np.where(rank < top_k, labels, classes)


def check_classes(
    predictions: Any, labels: Any, num_classes: int | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return predicted classes and labels as int64 of shape (N,).

    Args:
        predictions: Class indices (N,), or scores (N, C): the class of the highest score, the first
            one in case of a tie.
        labels: Class indices (N,).
        num_classes: The number of classes C; None: taken from the scores.

    Raises:
        TypeError: An index is not a whole number.
        ValueError: Shapes do not fit, lengths differ, a class is out of range, or a score is nan.
    """
    scores = arrays.as_numbers(predictions, "predictions")
    return _checked(scores, arrays.as_integers(labels, "labels"), num_classes)


def _checked(
    scores: np.ndarray, labels: np.ndarray, num_classes: int | None, advice: str = ""
) -> tuple[np.ndarray, np.ndarray]:
    if scores.ndim == 2:
        if num_classes is not None and scores.shape[1] != num_classes:
            raise ValueError(
                f"predictions must have scores for num_classes={num_classes} classes, "
                f"got {scores.shape[1]}"
            )
        check_scores(scores, labels, ignored_by="ignore_index")
        if scores.shape[1] == 0:  # no samples: there are no labels in [0, 0)
            return labels.copy(), labels
        return scores.argmax(axis=1), labels
    if scores.ndim != 1 or labels.ndim != 1:
        raise ValueError(
            f"predictions must have shape (N,) or (N, C) and labels (N,), "
            f"got {scores.shape} and {labels.shape}"
        )
    arrays.check_same_length("predictions", scores, "labels", labels)
    classes = arrays.as_integers(scores, "predictions")
    if num_classes is not None:
        arrays.check_range("predictions", classes, num_classes, advice)
        arrays.check_range("labels", labels, num_classes, advice, "ignore_index")
    return classes, labels
