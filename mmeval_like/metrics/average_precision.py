"""AveragePrecision: the mean precision at the positive samples, best scores first."""

from __future__ import annotations

import math
from typing import Any

from mmeval_like.metric import BaseMetric
from mmeval_like.metrics._scored_labels import ScoredLabels
from mmeval_like.results import Results

__all__ = ["AveragePrecision"]


class AveragePrecision(BaseMetric):
    """Average precision per class, and its mean over classes, in percent.

    For one class, samples are ranked by score, highest first; AP is the mean over its positive
    samples of the precision among the samples that score at least as high. Equal scores are
    one threshold, so the order of samples does not matter. Not interpolated. A class without
    positive samples has AP 0. Scores are kept, 4 bytes for each float16 or float32 and 8 bytes
    for others, and sorted on every rank before they are sent; with `bins` memory is fixed.

    Args:
        average: "macro" (the mean over all classes) or None (a list).
        num_classes: C; needed with `bins`. None: as many as there are scores.
        bins: None: exact. Else scores, which must be in [0, 1], are counted in so many bins of
            equal width, and scores in one bin count as equal.
        label_is_onehot: Whether labels are one-hot rows (True) or lists of class indices
            (False). None: rows of width C that hold only 0 and 1 are one-hot; from three
            classes on no list of class indices looks like that.
        use_sample_weight: `add` takes `sample_weight`.
        **options: As for `BaseMetric`.

    Returns of `compute`: `mAP`, a float in [0, 100], or the list `AP_classwise`, rounded to 4
    decimals. With `bins` also `mAP_error_bound` or `AP_error_bound_classwise`, rounded up: the
    exact value is that near. Without samples: nan, or a list of zeros or nothing.

    Inputs of `add`: predictions are scores (N, C) of any real dtype, or (N,) of one class with
    labels 0 and 1; labels are one-hot rows (N, C), N lists of class indices, or class indices
    (N,); sample_weight are non-negative numbers (N,). `add` raises TypeError for labels that are
    not whole numbers, ValueError for other shapes, different lengths, labels out of range, nan
    scores, and with `bins` scores out of [0, 1].

    Raises:
        ValueError: An unknown average, numbers below 1, `bins` without `num_classes`.

    Example:
        >>> metric = AveragePrecision()
        >>> metric.add([[0.9, 0.1], [0.8, 0.7], [0.3, 0.4]], [[0], [1], [0]])
        >>> metric.compute()  # (1/1 + 2/3) / 2 and 1/1
        {'mAP': 91.6667}
    """

    def __init__(
        self,
        average: str | None = "macro",
        num_classes: int | None = None,
        bins: int | None = None,
        label_is_onehot: bool | None = None,
        use_sample_weight: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        if average not in ("macro", None):
            raise ValueError(f"average must be 'macro' or None, got {average!r}")
        self.average, self.bins = average, bins
        self._scores = ScoredLabels(None, num_classes, bins, use_sample_weight, label_is_onehot)
        self.statistic = self._scores

    def add(self, *batch: Any, ids: Any = None, **named: Any) -> None:
        """Accumulate a batch, as in `BaseMetric`; `preds` is MMEval's name for `predictions`."""
        if "preds" in named and "predictions" not in named:
            named["predictions"] = named.pop("preds")
        super().add(*batch, ids=ids, **named)

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return `mAP` or `AP_classwise`."""
        rankings = self._scores.rankings(results)
        values = [100 * ranking.average_precision() for ranking in rankings]
        errors = None
        if self.bins is not None:
            errors = [100 * ranking.average_precision_error() for ranking in rankings]
        if self.average is None:
            found: dict[str, Any] = {"AP_classwise": [round(value, 4) for value in values]}
            bounds = errors and {"AP_error_bound_classwise": [_round_up(e) for e in errors]}
            return found | (bounds or {})
        if len(results) == 0:
            return {"mAP": math.nan} | ({"mAP_error_bound": math.nan} if errors else {})
        found = {"mAP": round(math.fsum(values) / len(values), 4)}
        if errors:
            found["mAP_error_bound"] = _round_up(math.fsum(errors) / len(errors))
        return found


def _round_up(error: float) -> float:
    # The value beside it is rounded too, by up to half of the last decimal.
    return math.ceil(error * 1e4 + 0.5) / 1e4
