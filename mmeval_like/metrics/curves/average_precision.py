"""AveragePrecision: the mean precision at the positive samples, best scores first."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from mmeval_like.metrics._common.averages import check_average
from mmeval_like.metrics.classification.class_metrics import check_zero_division
from mmeval_like.metrics.curves.areas import PRECISIONS
from mmeval_like.metrics.curves.precision_interval import precision_interval
from mmeval_like.metrics.curves.ranking import Ranking, average
from mmeval_like.metrics.curves.score_metrics import ScoreMetric
from mmeval_like.writing import PERCENT, SHARE, Results, warn
from mmeval_like.writing.intervals import Interval, rounded

__all__ = ["AveragePrecision"]


class AveragePrecision(ScoreMetric):
    """Average precision per class, and its mean over classes, in percent.

    For each positive sample i of a class, the precision is the share of positive samples among all
    samples that score at least as high as s_i. The average precision AP of the class is the mean of
    these precisions over its positive samples P. Nothing is interpolated. Samples of equal scores
    are taken together, so that the order of samples does not matter. A class without positive
    samples has AP 0. With `bins`, scores in one bin count as equal.

    Formula:
        AP = 100/|P| sum_(i in P) precision(s_i)
        precision(s) = TP(s) / (TP(s) + FP(s))

    Args:
        average: "macro" (the mean over all classes), "micro" (AP for the scores of all classes
            together), "weighted" (the mean weighted by the classes' positive samples) or None, also
            "none" (a list).
        label_is_onehot: Whether labels are one-hot rows (True) or lists of class indices (False).
            None: rows of width C that hold only 0 and 1 are read as one-hot. With three or more
            classes, lists of class indices cannot have this form.
        percent: Whether values are in percent, rounded to 4 decimals; False: shares in [0, 1], not
            rounded.
        task: None: labels may have any of the forms below. "binary", "multiclass" or "multilabel":
            labels must have the form that `AUROC` takes for this task. `ignore_index` needs a task.
        zero_division: The value of a class without positive samples; with nan the class is left out
            of means, with a warning.
        **options: As for `ScoreMetric`.

    Returns of `compute`: `mAP`, a float in [0, 100], or the list `AP_classwise`, rounded to 4
    decimals. With `bins` also `mAP_error_bound` or `AP_error_bound_classwise`, rounded up: the
    exact value differs from the returned one by at most this bound. Without samples `mAP` is nan,
    and the list has a zero for each class, or is empty if the number of classes is not known.
    Higher is better.

    Inputs of `add`: predictions are scores (N, C) of any real dtype, or (N,) of one class with
    labels 0 and 1; labels are one-hot rows (N, C), N lists of class indices, or class indices
    (N,); sample_weight are non-negative numbers (N,). `add` raises TypeError for labels that are
    not whole numbers, ValueError for other shapes, different lengths, labels out of range, nan
    scores, and with `bins` scores out of [0, 1].

    Raises:
        ValueError: `average` is unknown, a number is below 1, or `bins` is given without
            `num_classes`.

    Example:
        >>> metric = AveragePrecision()
        >>> metric.add([[0.9, 0.1], [0.8, 0.7], [0.3, 0.4]], [[0], [1], [0]])
        >>> metric.compute()  # (1/1 + 2/3) / 2 and 1/1
        {'mAP': 91.6667}
    """

    higher_is_better = True
    higher_is_better_of = MappingProxyType({"*error_bound*": None})
    outer_bounds = True  # they are exact if positive samples have different scores
    tasks = (None, *ScoreMetric.tasks)

    def __init__(
        self,
        average: str | None = "macro",
        *,
        task: str | None = None,
        label_is_onehot: bool | None = None,
        percent: bool = True,
        zero_division: float = 0.0,
        **options: Any,
    ) -> None:
        super().__init__(task, **options)
        self.average = check_average(average)
        self.percent, self.zero_division = percent, check_zero_division(zero_division)
        self.ranges = PERCENT if percent else SHARE
        self.scores = self.statistic = replace(self.scores, label_is_onehot=label_is_onehot)
        if self.bins is None and not self.scores.use_sample_weight:
            self.no_bounds = None

    def _inputs(
        self,
        predictions: Any = None,
        labels: Any = None,
        sample_weight: Any = None,
        *,
        preds: Any = None,
    ) -> dict[str, Any]:
        """Return the inputs by name.

        Args:
            predictions: Scores (N, C), or (N,) of one class.
            labels: One-hot rows (N, C), N lists of class indices, or class indices (N,).
            sample_weight: The weight of each sample, numbers of at least 0 (N,); None: all are 1.
            preds: MMEval's name for `predictions`.

        Raises:
            TypeError: Labels are not whole numbers, or both `predictions` and `preds` are given.
                ValueError: Shapes or lengths do not fit, labels are out of range, or scores are
                nan, or with `bins` out of [0, 1].
        """
        if preds is not None and predictions is not None:
            raise TypeError("predictions and preds are two names for the same argument: pass one")
        given = preds if predictions is None else predictions
        return {"predictions": given, "labels": labels, "sample_weight": sample_weight}

    _takes_inputs = _inputs

    def _rows(self, statistic: Any, batch: Any, named: Any, classes: Any = None) -> Any:
        if "preds" in named:
            batch, named = (), self._inputs(*batch, **named)
        return super()._rows(statistic, batch, named, classes)

    @property
    def asks(self) -> frozenset[Any] | None:
        """The precisions of each class, or of all together; with intervals all scores."""
        if self.interval is not None:
            return None
        return self.scores.asks(PRECISIONS, self.average == "micro")

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return `mAP` or `AP_classwise`."""
        return self._averaged(results, self._value)

    def extremes(
        self, scored: Results, worst: Results, best: Results
    ) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """Return the values where positive samples have the least, or the greatest scores.

        At the worst, positive samples with equal scores are counted one after the other, since
        those without a score may come between them.
        """
        return self._averaged(worst, self._least), self.compute_metric(best)

    def own_intervals(self, results: Results, level: float) -> Mapping[str, Any] | None:
        """Return the interval of one class, or of each; None for averages and weighted samples."""
        if self.average == "micro" or self.scores.use_sample_weight:
            return None
        rankings = self._rankings(results)
        if self.average is not None and len(rankings) != 1:
            return None
        factor = 100 if self.percent else 1
        each = [_times(factor, precision_interval(ranking, level)) for ranking in rankings]
        return {"AP_classwise": each} if self.average is None else {"mAP": each[0]}

    def _rankings(self, results: Results) -> list[Any]:
        if self.average == "micro":
            return [self.scores.pooled(results)]
        return self.scores.rankings(results)

    def _averaged(self, results: Results, value: Callable[[Ranking], float]) -> dict[str, Any]:
        rankings = self._rankings(results)
        ignored = [] if self.average == "micro" else self.scores.ignored(len(rankings))
        factor = 100 if self.percent else 1
        values = [
            math.nan if c in ignored else factor * value(ranking)
            for c, ranking in enumerate(rankings)
        ]
        errors = None
        if self.bins is not None:
            errors = [
                factor * ranking.average_precision_error() if value == value else math.nan
                for ranking, value in zip(rankings, values, strict=True)
            ]
        if self.average is None:
            found: dict[str, Any] = {"AP_classwise": [*map(self._rounded, values)]}
            bounds = errors and {"AP_error_bound_classwise": [*map(self._rounded_up, errors)]}
            return found | (bounds or {})
        if len(results) == 0:
            return {"mAP": math.nan} | ({"mAP_error_bound": math.nan} if errors else {})
        undefined = [c for c, v in enumerate(values) if v != v and c not in ignored]
        if undefined:
            text = f"AP is undefined for classes without positive samples: {undefined}"
            warn(text, RuntimeWarning)
        weights = [r.positives for r in rankings] if self.average == "weighted" else None
        found = {"mAP": self._rounded(_mean(values, weights))}
        if errors:
            found["mAP_error_bound"] = self._rounded_up(_mean(errors, weights))
        return found

    def _value(self, ranking: Ranking) -> float:
        return ranking.average_precision() if ranking.positives else self.zero_division

    def _least(self, ranking: Ranking) -> float:
        _, negatives, positives = ranking.counts()
        above = np.repeat(negatives[::-1].cumsum(), positives[::-1])
        if not len(above):
            return self.zero_division
        places = np.arange(1, len(above) + 1)
        return math.fsum(places / (places + above)) / len(above)

    def _rounded(self, value: float) -> float:
        return rounded(value, 4) if self.percent else value

    def _rounded_up(self, error: float) -> float:
        # The returned value is rounded too, by up to half of the last decimal.
        if not self.percent or math.isnan(error):
            return error
        return math.ceil(error * 1e4 + 0.5) / 1e4


def _times(factor: int, one: Interval) -> Interval:
    return replace(
        one,
        value=factor * one.value,
        low=factor * one.low,
        high=factor * one.high,
        standard_error=factor * one.standard_error,
    )


def _mean(values: list[float], weights: list[Any] | None) -> float:
    if weights is not None and any(weights):
        return average(values, weights)
    return average(values)
