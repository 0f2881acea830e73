"""AUROC: how often a positive sample is scored above a negative one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from types import MappingProxyType
from typing import Any

from mmeval_like.metrics._common.averages import check_average
from mmeval_like.metrics.curves.areas import PAIRS, SQUARES
from mmeval_like.metrics.curves.delong import area_interval
from mmeval_like.metrics.curves.ranking import average
from mmeval_like.metrics.curves.score_metrics import ScoreMetric
from mmeval_like.metrics.curves.share_totals import CORNER
from mmeval_like.writing import SHARE, Results, warn

__all__ = ["AUROC"]

_AVERAGES = ("macro", "weighted", "micro", None)

# With weights every pair of classes takes an exact sum of 560 bytes. With more classes than these,
# the sums of all pairs take more memory than many scores.
_WEIGHED = 64


class AUROC(ScoreMetric):
    """The area under the ROC curve: how often a positive sample scores above a negative one.

    Of all pairs of one positive and one negative sample, the area is the share in which the
    positive sample has the higher score s; a pair with equal scores counts half. The pairs are
    counted, so that the value is exact. With weights, a pair has the product of its two weights.
    With several classes, each is scored one-vs-rest. With `bins`, scores in one bin
    count as equal. Source: J. A. Hanley and B. J. McNeil, "The meaning and use of the area under a
    ROC curve", Radiology 143 (1982).

    Formula:
        auroc = (sum_(i in P) sum_(j in N) w_i w_j c_(i j)) / (sum_(i in P) w_i * sum_(j in N) w_j)
        c_(i j) = [s_i > s_j] + 1/2 [s_i = s_j]

    Args:
        average: "macro" (the mean over classes), "weighted" (the mean weighted by the classes'
            positive samples), "micro" (the area for the scores of all classes together) or None,
            also "none" (a list).
        max_fpr: For binary tasks: only the area up to this false positive rate, in (0, 1], counts.
            It is scaled so that guessing gives 0.5 and a perfect ranking 1, as in scikit-learn.
            Source: D. K. McClish, "Analyzing a portion of the ROC curve", Medical Decision Making 9
            (1989).
        multi_class: For multiclass tasks. "ovr" takes each class against the rest. "ovo" takes the
            mean over all pairs of classes: for each pair, how well the scores of either class
            separate the samples of the two. `average` is then "macro", or "weighted" by the number
            of samples of the pair, and `num_classes` must be given. Source: D. J. Hand and R. J.
            Till, "A simple generalisation of the area under the ROC curve for multiple class
            classification problems", Machine Learning 45 (2001).
        **options: As for `ScoreMetric`.

    Returns of `compute`: `auroc`, a float in [0, 1], or the list `auroc_classwise`. With `bins`,
    and without `max_fpr`, also `auroc_error_bound` (or a list `..._classwise`): the exact value
    differs from the returned one by at most this bound. The value of a class (for "ovo": of a pair)
    without positive or without negative samples is nan; it is left out of averages, with a warning.
    Higher is better.

    Raises:
        ValueError: The task or `average` is unknown, a number is below 1, `bins` is given without
            `num_classes`, or options cannot be combined.

    Example:
        >>> metric = AUROC()
        >>> metric.add([0.1, 0.4, 0.4, 0.8], [0, 0, 1, 1])
        >>> metric.compute()
        {'auroc': 0.875}
    """

    ranges = SHARE
    higher_is_better = True
    higher_is_better_of = MappingProxyType({"*error_bound*": None})
    no_bounds = None

    def __init__(
        self,
        task: str = "binary",
        num_classes: int | None = None,
        average: str | None = "macro",
        *,
        max_fpr: float | None = None,
        multi_class: str = "ovr",
        **options: Any,
    ) -> None:
        super().__init__(task, num_classes, **options)
        self.average = check_average(average, _AVERAGES)
        if max_fpr is not None and not (task == "binary" and 0 < max_fpr <= 1):
            raise ValueError(f'max_fpr must be in (0, 1], for task="binary" only, got {max_fpr}')
        self.max_fpr = None if max_fpr is None else float(max_fpr)
        if multi_class not in ("ovr", "ovo"):
            raise ValueError(f'multi_class must be "ovr" or "ovo", got {multi_class!r}')
        if multi_class == "ovo":
            if task != "multiclass" or average not in ("macro", "weighted"):
                raise ValueError(
                    f'multi_class="ovo" is for task="multiclass" and average "macro" or '
                    f'"weighted", got {task!r} and {average!r}'
                )
            self.scores = self.statistic = replace(self.scores, by_label=True)

    @property
    def asks(self) -> frozenset[Any] | None:
        """The totals that are needed.

        These are the pairs of each class, of all classes together or of two labels, or the curve's
        corner; with intervals also the squares of placements. None if the interval is not
        DeLong's, or if there are weights and too many pairs of classes.
        """
        classes = self.scores.num_classes or 1
        if self.scores.by_label and self.scores.use_sample_weight and classes > _WEIGHED:
            return None
        if self.interval is not None:
            return self.scores.asks(PAIRS) | self.scores.asks(SQUARES) if self._by_delong else None
        if self.max_fpr not in (None, 1):
            return self.scores.asks(CORNER, max_fpr=self.max_fpr)
        return self.scores.asks(PAIRS, self.average == "micro" and self.task != "binary")

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return `auroc`."""
        if self.scores.by_label:
            return self._over_pairs(results)
        micro = self.average == "micro" and self.task != "binary"
        rankings = [self.scores.pooled(results)] if micro else self.scores.rankings(results)
        if self.max_fpr is not None:
            return {"auroc": rankings[0].partial_auroc(self.max_fpr)}
        values = {"auroc": [ranking.auroc() for ranking in rankings]}
        if self.bins is not None:
            values["auroc_error_bound"] = [ranking.auroc_error() for ranking in rankings]
        ignored = [] if micro else self.scores.ignored(len(rankings))
        for entries in values.values():
            for c in ignored:
                entries[c] = math.nan
        if self.average is None:
            return {f"{name}_classwise": entries for name, entries in values.items()}
        undefined = [c for c, v in enumerate(values["auroc"]) if v != v and c not in ignored]
        if undefined and len(results):
            self._warn(f"classes without positive or without negative samples: {undefined}")
        weights = None
        if self.average == "weighted":
            weights = [ranking.positives for ranking in rankings]
        return {name: average(entries, weights) for name, entries in values.items()}

    def extremes(
        self, scored: Results, worst: Results, best: Results
    ) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """Return the areas where positive samples have the least, or the greatest scores."""
        worst_area, best_area = (
            {key: value for key, value in found.items() if "error" not in key}
            for found in map(self.compute_metric, (worst, best))
        )
        return worst_area, best_area

    def own_intervals(self, results: Results, level: float) -> Mapping[str, Any] | None:
        """Return DeLong's interval of the area, or of the area of each class; None for averages."""
        if not self._by_delong:
            return None
        each = [area_interval(ranking, level) for ranking in self.scores.rankings(results)]
        return {"auroc_classwise": each} if self.average is None else {"auroc": each[0]}

    @property
    def _by_delong(self) -> bool:
        single = self.task == "binary" or self.average is None
        plain = not self.scores.use_sample_weight and not self.scores.by_label
        return single and plain and self.max_fpr is None

    def _over_pairs(self, results: Results) -> dict[str, float]:
        """Return the mean over pairs of classes."""
        classes = self.scores.num_classes or 0
        values, weights, undefined = [], [], []
        ignored = self.scores.ignored(classes)
        known = [c for c in range(classes) if c not in ignored]
        for one, other in combinations(known, 2):
            both = [self.scores.pair(results, *pair) for pair in ((one, other), (other, one))]
            value = math.fsum(ranking.auroc() for ranking in both) / 2
            values.append(value)
            weights.append(both[0].positives + both[0].negatives)
            if value != value:
                undefined.append((one, other))
        if undefined and len(results):
            self._warn(f"pairs with a class that has no samples: {undefined}")
        return {"auroc": average(values, weights if self.average == "weighted" else None)}

    @staticmethod
    def _warn(what: str) -> None:
        warn(f"AUROC is undefined for {what}", RuntimeWarning)
