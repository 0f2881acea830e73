"""The base of curves: arrays of numbers at every threshold."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from mmeval_like._accumulate.results import Results
from mmeval_like.metrics._shared.averages import check_average
from mmeval_like.metrics._shared.score_metrics import ScoreMetric
from mmeval_like.metrics.statistics.ranking import Ranking

__all__ = ["CurveMetric"]


class CurveMetric(ScoreMetric):
    """The base of metrics that are a curve for every class.

    Args:
        average: None, also "none": a curve for every class. "micro": one curve, of the scores of
            all classes together. A binary task has one curve, whatever it says.
        **options: As for `ScoreMetric`.
    """

    no_interval = "a curve is no single number"

    def __init__(
        self,
        task: str = "binary",
        num_classes: int | None = None,
        bins: int | None = None,
        *,
        average: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__(task, num_classes, bins, **options)
        self.average = check_average(average, ("micro", None))

    @abstractmethod
    def curve(self, ranking: Ranking) -> dict[str, Any]:
        """Return the arrays of one curve by their names."""

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return the arrays of one curve, or lists of them, and with bins the largest step."""
        single = self.task == "binary" or self.average == "micro"
        pooled = single and self.task != "binary"
        rankings = [self.scores.pooled(results)] if pooled else self.scores.rankings(results)
        found = []
        for ranking in rankings:
            step = {"error_bound": ranking.largest_step()} if ranking.binned else {}
            found.append(self.curve(ranking) | step)
        if single:
            return found[0]
        names = found[0] if found else self.curve(Ranking.of([], []))
        return {name: [values[name] for values in found] for name in names}
