"""The base class of curves: arrays of values at every threshold."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from mmeval_like.metrics._common.averages import check_average
from mmeval_like.metrics._common.option_checks import check_count
from mmeval_like.metrics.curves.curve_points import Curve, CurvePoints
from mmeval_like.metrics.curves.ranking import Ranking
from mmeval_like.metrics.curves.score_metrics import ScoreMetric
from mmeval_like.metrics.curves.share_totals import ScoreTotals
from mmeval_like.metrics.curves.thinned_curves import FEWEST, WantedCurve, thinned
from mmeval_like.writing import Results

__all__ = ["CurveMetric"]

# With weights every threshold takes two exact sums, 1.1 kB. With more thresholds than these, the
# sums take more memory and time than all scores on one rank.
_WEIGHED = 1 << 12


class CurveMetric(ScoreMetric):
    """The base class of metrics that are a curve for every class.

    Args:
        average: None, also "none": a curve for every class. "micro": one curve for the scores of
            all classes together. A binary task has one curve, whatever `average` is.
        max_points: None: every distinct score is a threshold. A number of 5 or more: a curve has at
            most this many points, and each is a point of the whole curve. The thresholds are then
            chosen at evenly spaced ranks of the sorted positive scores, and of the sorted negative
            scores; the lowest and the highest score are among them. Fewer than 2 P / (max_points -
            4) of the P positive samples lie strictly between neighbouring thresholds, and likewise
            for the negative samples. The option excludes `bins`. If there are more than 4 MiB of
            scores, they stay on their ranks, which only count.
        **options: As for `ScoreMetric`.
    """

    no_interval = "a curve is not a single number"

    def __init__(
        self,
        task: str = "binary",
        num_classes: int | None = None,
        bins: int | None = None,
        *,
        average: str | None = None,
        max_points: int | None = None,
        **options: Any,
    ) -> None:
        super().__init__(task, num_classes, bins, **options)
        self.average = check_average(average, ("micro", None))
        self.max_points = None if max_points is None else check_count("max_points", max_points)
        if self.max_points is not None and self.max_points < FEWEST:
            raise ValueError(f"max_points must be at least {FEWEST}, got {max_points}")
        if self.max_points is not None and bins is not None:
            raise ValueError(f"max_points= is for curves without bins=, got bins={bins}")

    @property
    def asks(self) -> frozenset[Any] | None:
        """Thinned curves; None for complete curves, and for weights with too many thresholds."""
        if self.max_points is None:
            return None
        curves = 1 if self._pooled else self.scores.num_classes or 1
        if self.scores.use_sample_weight and curves * self.max_points > _WEIGHED:
            return None
        return frozenset({self._wanted(self.max_points)})

    @abstractmethod
    def curve(self, ranking: Curve) -> dict[str, Any]:
        """Return the arrays of one curve by name."""

    @property
    def _pooled(self) -> bool:
        return self.average == "micro" and self.task != "binary"

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return the arrays of one curve, or lists of arrays; for thinned curves also the step."""
        rankings: Sequence[Any]
        if self.max_points is not None:
            rankings = self._thinned(results, self.max_points)
        elif self._pooled:
            rankings = [self.scores.pooled(results)]
        else:
            rankings = self.scores.rankings(results)
        found = [self._values(ranking) for ranking in rankings]
        if self._pooled or self.task == "binary":
            return found[0]
        names = found[0] if found else self._values(Ranking.of([], []))
        return {name: [values[name] for values in found] for name in names}

    def _wanted(self, points: int) -> WantedCurve:
        ignored = self.scores.ignored((self.scores.ignore_index or 0) + 1)
        return WantedCurve(points, self._pooled, tuple(ignored if self._pooled else []))

    def _thinned(self, results: Results, points: int) -> Sequence[CurvePoints]:
        found = results.scores
        if isinstance(found, ScoreTotals):
            return found.curves[self._wanted(points)]
        both = self.scores.groups(found, self._pooled)
        return [thinned(negatives, positives, points) for negatives, positives in both]

    def _values(self, ranking: Any) -> dict[str, Any]:
        whole = self.bins is None and self.max_points is None
        return self.curve(ranking) | ({} if whole else {"error_bound": ranking.largest_step()})
