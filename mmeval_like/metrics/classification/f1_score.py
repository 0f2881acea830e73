"""F1Score: the F1 of the tokens of sequences, over selected classes."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ParamSpec

import numpy as np

from mmeval_like.metrics._common.option_checks import check_count
from mmeval_like.metrics._common.pair_metrics import PairMetric
from mmeval_like.metrics._common.shapes import check_same_shape
from mmeval_like.writing import (
    SHARE,
    MetricOptions,
    Ragged,
    Results,
    State,
    Statistic,
    Unpack,
    arrays,
    state,
)

__all__ = ["F1Score", "TokenCounts"]

_MODES = ("micro", "macro")
_OF_CLASSES = ("task", "average", "threshold", "top_k")  # options of `FBetaScore`

P = ParamSpec("P")


def _without_options_of_classes(init: Callable[P, None]) -> Callable[P, None]:
    """Wrap a constructor: options of `FBetaScore` are refused before a missing argument is."""

    @functools.wraps(init)
    def __init__(*args: P.args, **options: P.kwargs) -> None:
        if other := [name for name in options if name in _OF_CLASSES]:
            raise TypeError(
                f"F1Score is the F1 of tokens in sequences, as in MMEval, and takes no {other[0]}; "
                f"for the F1 of classes use FBetaScore({other[0]}=...)"
            )
        init(*args, **options)

    return __init__


@dataclass(frozen=True)
class TokenCounts(Statistic):
    """True positives, predictions and labels of each class, over the tokens of sequences.

    Attributes:
        num_classes: The number of classes C.
    """

    class_inputs = MappingProxyType({"predictions": None, "labels": None})

    num_classes: int

    def states(self) -> dict[str, State]:
        """Return `counts`."""
        # Three rows of C + 1 bins: true positives, predictions, labels; the last bin of each row
        # holds entries without a class.
        return {"counts": state.count(3 * (self.num_classes + 1), codes=0)}

    def rows(self, predictions: Any, labels: Any) -> dict[str, Ragged | np.ndarray]:
        """Return three codes per token.

        Args:
            predictions: For each sample an array of class indices of any shape, or one array (N,
                ...). Class indices are below `num_classes`; where an index is negative no class is
                predicted.
            labels: Class indices of the same shapes, below `num_classes`. A token with a negative
                label does not count, whatever was predicted there.

        Raises:
            TypeError: A class index is not a whole number.
            ValueError: The numbers of samples or the shapes differ, or a class is out of range.
        """
        named = {"predictions": predictions, "labels": labels}
        pairs: list[Any] = [arrays.to_samples(values, name) for name, values in named.items()]
        check_same_shape("predictions", pairs[0], "labels", pairs[1], classes=True)
        if all(isinstance(part, np.ndarray) and part.dtype.kind in "biu" for part in pairs):
            return self._rows_of_arrays(*pairs)
        lengths = np.array([3 * label.size for label in pairs[1]], np.int64)
        if not lengths.sum():
            return {"counts": Ragged(np.zeros(0, np.int64), lengths)}
        predicted, actual = (
            _joined(part, name) for part, name in zip(pairs, ("predictions", "labels"), strict=True)
        )
        return {"counts": Ragged(self._codes(predicted, actual).reshape(-1), lengths)}

    def _rows_of_arrays(
        self, predictions: np.ndarray, labels: np.ndarray
    ) -> dict[str, Ragged | np.ndarray]:
        predicted = arrays.as_integers(predictions, "predictions").reshape(-1)
        actual = arrays.as_integers(labels, "labels").reshape(-1)
        codes = self._codes(predicted, actual)
        return {"counts": codes.reshape(len(labels), 3 * math.prod(labels.shape[1:]))}

    def _codes(self, predicted: np.ndarray, actual: np.ndarray) -> np.ndarray:
        none, counts = self.num_classes, actual >= 0
        for name, classes in (("predictions", predicted), ("labels", actual)):
            arrays.check_range(name, np.where(counts, np.maximum(classes, 0), 0), none)
        codes = np.full((len(actual), 3), none)
        codes[:, 0] = np.where(counts & (predicted == actual), actual, none)
        codes[:, 1] = np.where(counts & (predicted >= 0), predicted, none)
        codes[:, 2] = np.where(counts, actual, none)
        codes += np.arange(3) * (none + 1)
        return codes

    def table(self, results: Results) -> np.ndarray:
        """Return int64 (3, C): true positives, predictions and labels."""
        return np.reshape(results.counts, (3, self.num_classes + 1))[:, :-1]


def _joined(samples: Sequence[np.ndarray], name: str) -> np.ndarray:
    """Return the class indices of all samples, concatenated."""
    # Joining int64 and uint64 gives floats, and would change the index of a non-integer.
    if len({sample.dtype for sample in samples}) > 1 or samples[0].dtype.kind not in "biu":
        samples = [arrays.as_integers(sample, name) for sample in samples]
    return arrays.as_integers(np.concatenate([sample.ravel() for sample in samples]), name)


class F1Score(PairMetric):
    """The F1 score of the classes of tokens, over all tokens of all sequences.

    TP + FP is how often a class is predicted, and TP + FN how often it is the label. If a class is
    neither predicted nor a label, its F1 is 0.

    Formula:
        F1 = 2 TP / (2 TP + FP + FN)

    Args:
        num_classes: The number of classes C; class indices are in [0, C).
        mode: "micro" (from the counts summed over classes), "macro" (the mean over classes), or
            several of these.
        cared_classes: The classes that count; None: all.
        ignored_classes: The classes that do not count. Not allowed together with `cared_classes`.
        **options: As for `BaseMetric`.

    Returns of `compute`: `micro_f1` and `macro_f1`, according to `mode`, in [0, 1]. Without
    samples: 0.0. Higher is better.

    Raises:
        ValueError: `num_classes` is below 1, a mode is unknown, a class is out of range, no class
            is left, or both cared and ignored classes were given.
        TypeError: An option of `FBetaScore` was given, which is the F1 of classes.

    Example:
        >>> metric = F1Score(num_classes=3, mode=["micro", "macro"], ignored_classes=[0])
        >>> metric.add(predictions=[[0, 1, 2], [1]], labels=[[0, 1, 1], [1]])
        >>> metric.compute()
        {'micro_f1': 0.6666666666666666, 'macro_f1': 0.4}
    """

    ranges = SHARE
    higher_is_better = True
    _takes_inputs = TokenCounts.rows

    every_rank_computes = True

    @_without_options_of_classes
    def __init__(
        self,
        num_classes: int,
        mode: str | Sequence[str] = "micro",
        cared_classes: Sequence[int] = (),
        ignored_classes: Sequence[int] = (),
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        check_count("num_classes", num_classes)
        self.mode = (mode,) if isinstance(mode, str) else tuple(mode)
        if not self.mode or any(entry not in _MODES for entry in self.mode):
            raise ValueError(f"mode must be one or several of {_MODES}, got {mode!r}")
        if len(cared_classes) and len(ignored_classes):
            raise ValueError("cared_classes and ignored_classes exclude each other")
        for name, classes in (
            ("cared_classes", cared_classes),
            ("ignored_classes", ignored_classes),
        ):
            whole = all(isinstance(c, int | np.integer) for c in classes)
            if not whole or any(not 0 <= c < num_classes for c in classes):
                raise ValueError(f"{name} must be in [0, {num_classes}), got {classes}")
        ignored = set(ignored_classes)
        self.classes = sorted(set(cared_classes) or set(range(num_classes)) - ignored)
        if not self.classes:
            raise ValueError(f"ignored_classes must not contain all {num_classes} classes")
        self._counts = TokenCounts(num_classes)
        self.statistic = self._counts

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return the F1 scores."""
        counts = self._counts.table(results)[:, self.classes].tolist()
        values = {}
        if "micro" in self.mode:
            values["micro_f1"] = _f1(*map(sum, counts))
        if "macro" in self.mode:
            scores = [_f1(*entry) for entry in zip(*counts, strict=True)]
            values["macro_f1"] = sum(scores) / len(scores)
        return values


def _f1(true_positive: int, predicted: int, labelled: int) -> float:
    return 2 * true_positive / (predicted + labelled) if predicted + labelled else 0.0
