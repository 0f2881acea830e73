"""The whole confusion matrix: how often each class was predicted for each label."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from mmeval_like.metrics.classification.class_fills import filled
from mmeval_like.metrics.classification.class_inputs import (
    PLAIN,
    ClassOptions,
    read_classes,
    warn_if_one_hot,
)
from mmeval_like.metrics.classification.weighted_counts import allowed_weights, code_rows, counter
from mmeval_like.writing import Results, State, Statistic
from mmeval_like.writing.intervals import Jackknife

__all__ = [
    "FEWEST",
    "FEWEST_OF_PAIRS",
    "WAYS",
    "ConfusionCounts",
    "by_threshold",
    "exact_lists",
    "few_labels",
    "jackknife_of_sets",
    "none_right",
]

FEWEST, FEWEST_OF_PAIRS = 3, 5
"""With fewer labels of a class, intervals (also of differences) cover less than their level."""

_FEW_WRONG = 20  # so many labels that are all predicted wrong still allow for a recall of 0.17
_TENTH = 10  # such classes matter if they are at least one in ten

_MOST = 1 << 53  # float64 holds all smaller integers

WAYS = ((1, 1, 1), (0, 1, 0), (0, 0, 1), (0, 0, 0))
"""What each outcome (hit, false alarm, miss, neither) adds to hits, predictions and labels."""


@dataclass(frozen=True)
class ConfusionCounts(Statistic):
    """How often each class was predicted for each label.

    Attributes:
        num_classes: The number of classes C. The state `matrix` has C * C bins, label-major.
        use_sample_weight: Whether to sum weights instead of counting.
        options: Which positions count, and how their prediction is decided.
    """

    class_inputs = ("predictions", "labels")

    num_classes: int
    use_sample_weight: bool = False
    options: ClassOptions = PLAIN

    @property
    def on_accelerator(self) -> bool:
        """Whether tensors stay on a GPU: positions are chosen and ranked on the host."""
        return self.options == PLAIN

    @property
    def _dtype(self) -> np.dtype:
        # The narrowest integers that hold the codes, since with ids= all codes are kept.
        return np.min_scalar_type(self._bins - 1)

    @property
    def _bins(self) -> int:
        # One extra bin, which is never read, holds the positions that do not count.
        return self.num_classes**2 + (self.options.ignore_index is not None)

    @property
    def jackknife(self) -> Jackknife:
        """The jackknife over codes label * C + prediction; names classes with few labels."""
        return Jackknife(
            caveat=self._caveat,
            caveat_of_pairs=partial(self._few_labels, least=FEWEST_OF_PAIRS),
            parts=self._parts,
            perturbed=self._perturbed,
            confusion_classes=self.num_classes,
        )

    def _parts(self, results: Results) -> Mapping[str, Sequence[Sequence[Any]]]:
        _, predicted, support = _margins(self.matrix(results))
        return {"*": [*zip(support.tolist(), predicted.tolist(), strict=True)]}

    def _caveat(self, results: Results) -> str | None:
        matrix, few = self.matrix(results), self._few_labels(results)
        ignored, support = self.options.ignore_index, matrix.sum(axis=1).tolist()
        return few or none_right(matrix.diagonal().tolist(), support, ignored)

    def _few_labels(self, results: Results, least: int = FEWEST) -> str | None:
        support = self.matrix(results).sum(axis=1).tolist()
        return few_labels(support, self.options.ignore_index, least)

    @property
    def rows_have_truth(self) -> bool:
        """Whether rows have the labels: not with weights, and with the padding of batches."""
        return not self.use_sample_weight and self.ignore_index is None

    @property
    def ignore_index(self) -> int | None:  # type: ignore[override]
        """The label of positions that do not count."""
        return self.options.ignore_index

    def truth_of(self, rows: Mapping[str, Any]) -> Any:
        """Return the labels."""
        codes = rows["matrix"]
        if isinstance(codes, np.ndarray):
            return codes // self.num_classes
        return codes.with_values(codes.values // self.num_classes)

    def filled(self, fill: Any, count: int, inputs: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return rows of samples whose predictions are right, wrong, or a given class."""
        return filled(self, self.num_classes, fill, inputs, self.ignore_index)

    def states(self) -> dict[str, State]:
        """Return the state `matrix`."""
        return {"matrix": counter(self._bins, 1, self.use_sample_weight)}

    def rows(
        self, predictions: Any, labels: Any, sample_weight: Any = None
    ) -> dict[str, np.ndarray]:
        """Return one code per position.

        Args:
            predictions: Class indices (N,), or scores (N, C), where the highest gives the class.
                If samples have many positions: (N, ...) or (N, C, ...), or a list of arrays. For a
                binary task also scores of class 1 (N,), and for a multilabel task scores of each
                label (N, C).
            labels: Class indices (N,) or (N, ...), or a list of arrays; for a multilabel task 0 and
                1 (N, C).
            sample_weight: Non-negative numbers (N,), for a metric that takes weights.

        Raises:
            TypeError: A class index is not a whole number.
            ValueError: Shapes or lengths do not fit, a class is out of range, or a score is nan.
        """
        inputs = read_classes(predictions, labels, self.num_classes, self.options)
        if inputs.scores is None:
            warn_if_one_hot(inputs.classes, inputs.labels, inputs.layout, self.num_classes)
        inputs.layout.check_weights(sample_weight)
        weights = allowed_weights(sample_weight, inputs.layout.count, self.use_sample_weight)
        codes = inputs.labels.astype(self._dtype)
        codes *= self.num_classes
        codes += inputs.classes.astype(self._dtype)
        if inputs.counted is not None:
            codes = np.where(inputs.counted, codes, self._dtype.type(self._bins - 1))
        return {"matrix": code_rows(inputs.layout.by_sample(codes), weights)}

    def _perturbed(self, results: Results, codes: np.ndarray, step: int) -> Results | None:
        """Return results whose `lists` hold arrays: each matrix has `step` added to one cell."""
        right, predicted, support = self.table(results)[:, 0]
        if self.use_sample_weight or support.sum() >= _MOST:
            return None
        label, prediction = np.divmod(codes, self.num_classes)  # label C for uncounted positions
        classes = np.arange(self.num_classes)[:, None]
        in_row = classes == label
        in_column = (classes == prediction) & (label < self.num_classes)
        steps = (in_row & in_column, in_column, in_row)
        table = [
            [*(numbers[:, None] + step * moves)]
            for numbers, moves in zip((right, predicted, support), steps, strict=True)
        ]
        found = Results({}, len(results) + step)
        found.once("lists", lambda _: [table])
        return found

    def matrix(self, results: Results) -> np.ndarray:
        """Return (C, C), int64 or float64: a row per label, a column per prediction."""
        matrix: np.ndarray = results.matrix[: self.num_classes**2]
        return matrix.reshape(self.num_classes, self.num_classes)

    def exact_matrix(self, results: Results) -> np.ndarray:
        """Return the matrix unrounded: Python integers, or Fractions of weights."""
        values = results.exact("matrix") if self.use_sample_weight else results.matrix
        known = np.asarray(values, object)[: self.num_classes**2]
        return known.reshape(self.num_classes, self.num_classes)

    def table(self, results: Results) -> np.ndarray:
        """Return (3, 1, C), int64 or float64: true positives, predictions and labels."""
        if self.use_sample_weight:
            return self.exact_table(results).astype(np.float64)
        return np.stack(_margins(self.matrix(results)))[:, None]

    def exact_table(self, results: Results) -> np.ndarray:
        """Return the table unrounded: Python integers, or Fractions of weights."""
        return np.stack(_margins(self.exact_matrix(results)))[:, None]

    def lists(self, results: Results) -> list[list[list[Any]]]:
        """Return the table as lists, (1, 3, C), of Python numbers."""
        return by_threshold(self.table(results))


def few_labels(support: Sequence[float], ignored: int | None, least: int = FEWEST) -> str | None:
    """Return a text that names the classes with fewer labels than `least`, or None.

    Example:
        >>> few_labels([5, 1, 0], ignored=2)
        'class 1 has 1 label'
    """
    few = [
        f"class {c} has {int(n)} label{'s' * (n != 1)}"
        for c, n in enumerate(support)
        if n < least and c != ignored
    ]
    return ", ".join([*few[:3], *["..."] * (len(few) > 3)]) or None


def none_right(hits: Sequence[float], support: Sequence[float], ignored: int | None) -> str | None:
    """Return a text that names classes of which no label is predicted right, or None.

    None of a few labels says little about how often other ones are right, and leaving out one of
    them changes nothing. It matters if at least a tenth of the classes are such classes.

    Example:
        >>> none_right([50, 0], [60, 4], None), none_right([50, 0], [60, 40], None)
        ('none of the 4 labels of class 1 is predicted right', None)
    """
    known = [c for c, n in enumerate(support) if n and c != ignored]
    wrong = [c for c in known if not hits[c] and support[c] < _FEW_WRONG]
    if not wrong or _TENTH * len(wrong) < len(known):
        return None
    named = [
        f"none of the {int(support[c])} labels of class {c} is predicted right" for c in wrong[:3]
    ]
    return ", ".join([*named, *["..."] * (len(wrong) > 3)])


def jackknife_of_sets(
    support: Callable[[Results], Sequence[float]] | None,
    plus_one: Callable[[Results], Sequence[Results]],
) -> Jackknife:
    """Return the jackknife of samples with sets of labels, which names classes with few labels.

    Args:
        support: Returns the number of labels of each class; None: a sum of weights, which is no
            number of samples, so that no class is named.
        plus_one: As in `Jackknife`.
    """
    if support is None:
        return Jackknife(plus_one=plus_one)
    return Jackknife(
        caveat=lambda results: few_labels(support(results), None),
        caveat_of_pairs=lambda results: few_labels(support(results), None, FEWEST_OF_PAIRS),
        plus_one=plus_one,
    )


def _margins(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return matrix.diagonal(), np.add.reduce(matrix, 0), np.add.reduce(matrix, 1)


def by_threshold(table: np.ndarray) -> list[list[list[Any]]]:
    """Return a table (3, thresholds, C) as lists, (thresholds, 3, C), of Python numbers."""
    lists: list[list[list[Any]]] = table.swapaxes(0, 1).tolist()
    return lists


def exact_lists(counts: Any, results: Results) -> list[list[Any]]:
    """Return a table without thresholds unrounded: three lists of C of Python numbers.

    For many results each number is an array.
    """
    if counts.use_sample_weight:
        return by_threshold(counts.exact_table(results))[0]
    [lists] = results.once("lists", counts.lists)
    found: list[list[Any]] = lists
    return found
