"""The ranks of the labels that samples have, among the scores of all labels."""

from __future__ import annotations

from typing import Any

import torchmetrics.classification as original

from mmeval_like.compat.torchmetrics.classification.inputs import (
    as_probabilities,
    check_binary,
    check_labels,
    with_classes_last,
)
from mmeval_like.compat.torchmetrics.exchanged import Exchanged, fitting, refuse
from mmeval_like.metrics import CoverageError, LabelRankingAveragePrecision, LabelRankingLoss

__all__ = ["CLASSES"]


class _Ranking(Exchanged):
    """The mean over positions."""

    metric: Any
    num_labels: int
    ignore_index: int | None

    def _engine(self, **options: Any) -> Any:
        if self.ignore_index is not None:
            raise TypeError(
                "ignore_index must be None: a ranking without some labels is another ranking; "
                "use torchmetrics' own class"
            )
        return self.metric(**options)

    def _read(self, preds: Any, target: Any) -> tuple[Any, Any]:
        check_labels(target)
        refuse(preds.shape != target.shape or not preds.is_floating_point())
        refuse(preds.ndim < 2 or preds.shape[1] != self.num_labels)
        check_binary(target, None)
        return as_probabilities(with_classes_last(preds)), with_classes_last(target)


CLASSES = [
    fitting(original.MultilabelCoverageError, _Ranking, metric=CoverageError),
    fitting(
        original.MultilabelRankingAveragePrecision, _Ranking, metric=LabelRankingAveragePrecision
    ),
    fitting(original.MultilabelRankingLoss, _Ranking, metric=LabelRankingLoss),
]
