"""CohenKappa: the agreement of predictions and labels beyond chance."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from mmeval_like.metrics._common.chance_quotients import chance_quotients
from mmeval_like.metrics._common.number_inputs import check_option
from mmeval_like.metrics._common.option_checks import Cut, check_count, known_num_classes
from mmeval_like.metrics._common.pair_metrics import WeightedPairMetric
from mmeval_like.metrics.classification.class_counts import class_counts
from mmeval_like.metrics.classification.class_inputs import ClassOptions
from mmeval_like.metrics.classification.confusion_counts import ConfusionCounts, exact_lists
from mmeval_like.writing import CORRELATION, MetricOptions, Results, Unpack, entrywise, vectorised
from mmeval_like.writing.exact import exact_dot_of_counts
from mmeval_like.writing.intervals import worst_and_best

__all__ = ["CohenKappa"]

_POWERS = {"linear": 1, "quadratic": 2}


class CohenKappa(WeightedPairMetric):
    """Cohen's kappa: the agreement of predictions and labels beyond chance.

    Kappa is 1 minus the ratio of the observed disagreement to that expected by chance. O_(i j) is
    the number of samples with label i and prediction j, and E_(i j) the number that is expected by
    chance, from the row and column sums of O. The weight w_(i j) is 0 if i = j; otherwise it is 1,
    |i - j| ("linear") or (i - j)^2 ("quadratic"). Kappa is computed from integers and rounded once.
    Source: J. Cohen, "Weighted kappa", Psychological Bulletin 70 (1968).

    `add` takes the same arguments as that of `Precision`, including samples with many positions.

    Formula:
        kappa = 1 - (sum_(i, j) w_(i j) O_(i j)) / (sum_(i, j) w_(i j) E_(i j))
        E_(i j) = 1/N (sum_k O_(i k)) (sum_k O_(k j))

    Args:
        num_classes: The number of classes C. None: 2 for a binary task, otherwise as many as
            `classes` names.
        weights: The weight of a disagreement between the classes i and j. None: 1. "linear": |i -
            j|. "quadratic": (i - j)^2. The last two are for ordered classes.
        use_sample_weight: Whether `add` takes `sample_weight`. Sums are then exact sums of floats.
        ignore_index: Positions with this label do not count.
        task: "binary" or "multiclass", with the inputs of `Precision`.
        threshold: For binary tasks: class 1 is predicted if its score is at least this. None: 0.5,
            and scores must be probabilities: one outside [0, 1] is an error. For logits pass 0.
        **options: As for `BaseMetric`.

    Returns of `compute`: `kappa`, at most 1; nan if the disagreement expected by chance is 0, as
    without samples. Higher is better.

    Raises:
        ValueError: `num_classes` is missing, below 1, or not 2 for a binary task; or `weights` or
            the task is unknown.

    Example:
        >>> metric = CohenKappa(num_classes=2)
        >>> metric.add(predictions=[0, 1, 1, 1], labels=[0, 0, 1, 1])
        >>> metric.compute()
        {'kappa': 0.5}
    """

    _takes_inputs = ConfusionCounts.rows

    every_rank_computes = True
    ranges = CORRELATION
    higher_is_better = True

    def __init__(
        self,
        num_classes: int | None = None,
        weights: str | None = None,
        use_sample_weight: bool = False,
        ignore_index: int | None = None,
        task: str = "multiclass",
        threshold: float | None = None,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        num_classes = known_num_classes(num_classes, self.dataset_meta, task)
        check_count("num_classes", num_classes)
        if weights is not None and weights not in _POWERS:
            raise ValueError(f"weights must be None, 'linear' or 'quadratic', got {weights!r}")
        check_option("task", task, ("binary", "multiclass"))
        self._task = task if task == "binary" else None  # earlier versions' files lack a task
        self.weights = weights
        asked = ClassOptions(ignore_index, cut=Cut(threshold) if task == "binary" else None)
        self._matrix = ConfusionCounts(num_classes, use_sample_weight, asked)
        self._counts = class_counts(num_classes, (None,), use_sample_weight, asked)
        self.statistic = self._counts if weights is None else self._matrix

    @vectorised
    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return `kappa`."""
        # Python numbers, since products of counts may overflow int64.
        if self.weights is None:
            right, predicted, support = exact_lists(self._counts, results)
            total = sum(support)
            by_chance = exact_dot_of_counts(predicted, support)
            return {"kappa": entrywise(_unweighted, sum(right), total, by_chance)}
        matrix = self._matrix.exact_matrix(results)
        predicted, support = matrix.sum(axis=0), matrix.sum(axis=1)
        distance = self._distance(len(support))
        observed = (distance * matrix).sum()
        expected = (support * (distance @ predicted)).sum()
        return {"kappa": _kappa(sum(support), observed, expected)}

    def extremes(
        self, scored: Results, worst: Results, best: Results
    ) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """Return the values of the least and the greatest quotient; see `chance_quotients`."""
        (right, predicted, known), (_, _, support) = (
            self._counts.exact_table(one)[:, 0] for one in (scored, best)
        )
        distance = self._distance(len(support))
        observed = sum(known) - sum(right)
        if self.weights is not None:
            observed = (distance * self._matrix.exact_matrix(scored)).sum()
        parts = chance_quotients(distance, support, support - known, observed, predicted)
        found = [{"kappa": _kappa(sum(support), *one)} for one in parts]
        return worst_and_best(found, self.direction_of)

    def _distance(self, size: int) -> np.ndarray:
        """Return the weights of disagreements, (C, C)."""
        places = np.arange(size)
        steps: np.ndarray = abs(places[:, None] - places)
        return np.sign(steps) if self.weights is None else steps ** _POWERS[self.weights]


def _unweighted(right: Any, total: Any, by_chance: Any) -> float:
    return _kappa(total, total - right, total**2 - by_chance)


def _kappa(total: Any, observed: Any, expected: Any) -> float:
    return float((expected - total * observed) / expected) if expected else math.nan
