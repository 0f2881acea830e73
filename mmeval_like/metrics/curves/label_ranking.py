"""CoverageError, LabelRankingAveragePrecision and LabelRankingLoss: the ranks of labels."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from mmeval_like.metrics._common.option_checks import check_ignore_index
from mmeval_like.metrics._common.shared_options import shared_options
from mmeval_like.writing import NOT_NEGATIVE, SHARE, MetricOptions, SampleMean, Unpack, arrays

__all__ = ["CoverageError", "LabelRankingAveragePrecision", "LabelRankingLoss"]

_ELEMENTS = 1 << 20  # pairs of classes that are compared at once


@shared_options
class LabelRanking(SampleMean):
    """The base class of metrics of how the labels of a sample rank among all classes.

    Args:
        ignore_index: Entries with this label do not count, as if the class did not exist for this
            sample.
        **options: As for `BaseMetric`.
    """

    def __init__(self, ignore_index: int | None = None, **options: Unpack[MetricOptions]) -> None:
        super().__init__(**options)
        check_ignore_index(ignore_index)
        self.ignore_index = ignore_index

    def scores(self, predictions: Any, labels: Any) -> np.ndarray:
        """Return the value of every sample.

        Args:
            predictions: Scores (N, C) of any real dtype.
            labels: 0 and 1 (N, C), or `ignore_index`.

        Raises:
            TypeError: The scores are not real numbers, or the labels are not whole numbers.
            ValueError: The shapes are not the same (N, C), a label is neither 0 nor 1, or a score
                is nan.
        """
        values = arrays.as_numbers(predictions, "predictions")
        truth = arrays.as_integers(labels, "labels")
        if values.size == truth.size == 0:
            return np.zeros(len(truth))
        arrays.check_same_length("predictions", values, "labels", truth)
        if values.ndim != 2 or values.shape != truth.shape:
            raise ValueError(
                f"predictions and labels must have the same shape (N, C), "
                f"got {values.shape} and {truth.shape}"
            )
        counted = np.ones(truth.shape, np.bool_)
        if self.ignore_index is not None:
            counted = truth != self.ignore_index
            truth = np.where(counted, truth, 0)
        arrays.check_range("labels", truth, 2)
        arrays.check_finite("predictions", values, allow_infinite=True)
        found, step = np.zeros(len(values)), max(1, _ELEMENTS // values.shape[1] ** 2)
        for start in range(0, len(values), step):
            part = slice(start, start + step)
            found[part] = self.of_samples(values[part], truth[part] != 0, counted[part])
        return found

    @abstractmethod
    def of_samples(
        self, values: np.ndarray, positive: np.ndarray, counted: np.ndarray
    ) -> np.ndarray:
        """Return the value of every sample from scores, labels, and the mask of entries, (n, C)."""


def _at_least(values: np.ndarray, counted: np.ndarray) -> np.ndarray:
    """Return for every class how many counted classes score at least as high, (n, C)."""
    reached = values[:, None, :] >= values[:, :, None]
    count: np.ndarray = np.count_nonzero(reached & counted[:, None, :], axis=2)
    return count


class CoverageError(LabelRanking):
    """How far down the ranking of classes one has to go to find all labels, on average.

    For each label k of a sample, count the classes that score at least as high as k. The sample's
    value is the largest of these counts, or 0 if the sample has no label. L is the set of a
    sample's labels. Source: G. Tsoumakas, I. Katakis, I. Vlahavas, "Mining multi-label data"
    (2010).

    `add` takes `predictions`, scores (N, C), `labels`, 0 and 1 (N, C), and `sample_weight` (N,).

    Formula:
        coverage = mean max_(k in L) sum_c [s_c >= s_k]

    Args:
        **options: As for `LabelRanking`.

    Returns of `compute`: `coverage_error`, in [0, C]; nan without samples. Lower is better.

    Example:
        >>> metric = CoverageError()
        >>> metric.add([[0.75, 0.5, 1.0], [1.0, 0.2, 0.1]], [[1, 0, 0], [0, 0, 1]])
        >>> metric.compute()  # (2 + 3) / 2
        {'coverage_error': 2.5}
    """

    key = "coverage_error"
    ranges = NOT_NEGATIVE
    higher_is_better = False

    def of_samples(
        self, values: np.ndarray, positive: np.ndarray, counted: np.ndarray
    ) -> np.ndarray:
        """Return the depth."""
        depth = _at_least(values, counted)
        found: np.ndarray = np.where(positive, depth, 0).max(axis=1).astype(np.float64)
        return found


class LabelRankingAveragePrecision(LabelRanking):
    """The mean fraction of labels among the classes that rank at or above a label.

    For each label of a sample, the share of labels is taken among all classes that score at least
    as high. The sample's value is the mean of these shares over its labels L; it is 1 if all
    classes are labels, or no class is. Source: G. Tsoumakas, I. Katakis, I. Vlahavas, "Mining
    multi-label data" (2010).

    `add` takes `predictions`, scores (N, C), `labels`, 0 and 1 (N, C), and `sample_weight` (N,).

    Formula:
        lrap = mean 1/|L| sum_(k in L) (sum_(c in L) [s_c >= s_k]) / (sum_c [s_c >= s_k])

    Args:
        **options: As for `LabelRanking`.

    Returns of `compute`: `lrap`, in [0, 1]; nan without samples. Higher is better.

    Example:
        >>> metric = LabelRankingAveragePrecision()
        >>> metric.add([[0.75, 0.5, 1.0], [1.0, 0.2, 0.1]], [[1, 0, 0], [0, 0, 1]])
        >>> round(metric.compute()["lrap"], 6)  # (1 / 2 + 1 / 3) / 2
        0.416667
    """

    key = "lrap"
    ranges = SHARE
    higher_is_better = True

    def of_samples(
        self, values: np.ndarray, positive: np.ndarray, counted: np.ndarray
    ) -> np.ndarray:
        """Return the precision."""
        shares = _at_least(values, positive) / np.maximum(_at_least(values, counted), 1)
        number = np.count_nonzero(positive, axis=1)
        total = arrays.sum_rows(np.where(positive, shares, 0.0))
        return np.where(number > 0, total / np.maximum(number, 1), 1.0)


class LabelRankingLoss(LabelRanking):
    """The fraction of pairs of a label and another class whose scores are in the wrong order.

    Equal scores count as the wrong order. The value of a sample is 0 if all classes are labels, or
    no class is. L is the set of a sample's labels. Source: G. Tsoumakas, I. Katakis, I. Vlahavas,
    "Mining multi-label data" (2010).

    `add` takes `predictions`, scores (N, C), `labels`, 0 and 1 (N, C), and `sample_weight` (N,).

    Formula:
        loss = mean (sum_(k in L) sum_(c notin L) [s_c >= s_k]) / (|L| (C - |L|))

    Args:
        **options: As for `LabelRanking`.

    Returns of `compute`: `label_ranking_loss`, in [0, 1]; nan without samples. Lower is better.

    Example:
        >>> metric = LabelRankingLoss()
        >>> metric.add([[0.75, 0.5, 1.0], [1.0, 0.2, 0.1]], [[1, 0, 0], [0, 0, 1]])
        >>> metric.compute()  # (1 / 2 + 2 / 2) / 2
        {'label_ranking_loss': 0.75}
    """

    key = "label_ranking_loss"
    ranges = SHARE
    higher_is_better = False

    def of_samples(
        self, values: np.ndarray, positive: np.ndarray, counted: np.ndarray
    ) -> np.ndarray:
        """Return the share of pairs."""
        wrong = np.where(positive, _at_least(values, counted & ~positive), 0).sum(axis=1)
        number = np.count_nonzero(positive, axis=1)
        pairs = number * (np.count_nonzero(counted, axis=1) - number)
        return np.where(pairs > 0, wrong / np.maximum(pairs, 1), 0.0)
