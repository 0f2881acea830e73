"""AUROC: how often a positive sample is scored above a negative one."""

from __future__ import annotations

import warnings
from typing import Any

from mmeval_like.metric import BaseMetric
from mmeval_like.metrics._ranking import average
from mmeval_like.metrics._scored_labels import ScoredLabels
from mmeval_like.results import Results

__all__ = ["AUROC"]

_AVERAGES = ("macro", "weighted", None)


class AUROC(BaseMetric):
    """The area under the ROC curve, exactly: pairs of samples are counted, not integrated.

    For one class: the share of pairs of a positive and a negative sample whose positive has the
    higher score, equal scores counting half. Several classes are taken one against the rest.
    Scores are kept, 4 bytes for each float16 or float32 and 8 bytes for others, and sorted on
    every rank before they are sent; with `bins` memory is fixed. Source: J. A. Hanley and
    B. J. McNeil, "The meaning and use of the area under a ROC curve", Radiology 143 (1982).

    Args:
        task: "binary": predictions are scores of the positive class (N,), labels 0 and 1 (N,).
            "multiclass": scores (N, C), labels are class indices (N,). "multilabel": scores
            (N, C), labels 0 and 1 (N, C).
        num_classes: C; needed with `bins` unless the task is binary. None: as the scores have.
        average: "macro" (the mean over classes), "weighted" (weighted by their positive
            samples) or None (a list).
        bins: None: exact. Else scores, which must be in [0, 1], are counted in so many bins of
            equal width, and scores in one bin count as equal.
        use_sample_weight: `add` takes `sample_weight`: a pair counts the product of its weights.
        **options: As for `BaseMetric`.

    Returns of `compute`: `auroc`, a float in [0, 1], or the list `auroc_classwise`. With `bins`
    also `auroc_error_bound` (a list `..._classwise`): the exact value is that near. A class
    without positive or negative samples is nan, and left out of averages with a warning.

    Raises:
        ValueError: An unknown task or average, numbers below 1, `bins` without `num_classes`.

    Example:
        >>> metric = AUROC()
        >>> metric.add([0.1, 0.4, 0.4, 0.8], [0, 0, 1, 1])
        >>> metric.compute()
        {'auroc': 0.875}
    """

    def __init__(
        self,
        task: str = "binary",
        num_classes: int | None = None,
        average: str | None = "macro",
        bins: int | None = None,
        use_sample_weight: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        if average not in _AVERAGES:
            raise ValueError(f"average must be one of {_AVERAGES}, got {average!r}")
        self.task, self.average, self.bins = task, average, bins
        self._scores = ScoredLabels(task, num_classes, bins, use_sample_weight)
        self.statistic = self._scores

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return `auroc`."""
        rankings = self._scores.rankings(results)
        values = {"auroc": [ranking.auroc() for ranking in rankings]}
        if self.bins is not None:
            values["auroc_error_bound"] = [ranking.auroc_error() for ranking in rankings]
        if self.average is None:
            return {f"{name}_classwise": entries for name, entries in values.items()}
        undefined = [c for c, value in enumerate(values["auroc"]) if value != value]
        if undefined and len(results):
            warnings.warn(
                f"AUROC is undefined for classes without positive or without negative samples: "
                f"{undefined}",
                RuntimeWarning,
                stacklevel=2,
            )
        weights = None
        if self.average == "weighted":
            weights = [ranking.positives for ranking in rankings]
        return {name: average(entries, weights) for name, entries in values.items()}
