"""PrecisionRecallF1score: the metric of one label per sample, or that of several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mmeval_like.metrics.multi_label import MultiLabelPrecisionRecallF1score
from mmeval_like.metrics.single_label import SingleLabelPrecisionRecallF1score

__all__ = ["PrecisionRecallF1score"]


class PrecisionRecallF1score:
    """Constructs the precision-recall-F1 metric of a task.

    Args:
        task: "singlelabel" or "multilabel".
        num_classes: The number of classes; needed for "multilabel".
        thrs: The threshold, for "singlelabel" also several.
        topk: For "multilabel": how many classes are predicted.
        items: As for the metrics.
        average: As for the metrics.
        use_sample_weight: As for the metrics.
        percent: As for the metrics.
        ignore_index: As for the metrics.
        zero_division: As for the metrics.
        **options: What else the metric of the task takes.

    Returns:
        A `SingleLabelPrecisionRecallF1score` or a `MultiLabelPrecisionRecallF1score`.

    Raises:
        ValueError: An unknown task, "multilabel" without num_classes, "singlelabel" with topk.
        TypeError: Several thresholds for "multilabel".

    Example:
        >>> metric = PrecisionRecallF1score("multilabel", num_classes=3, thrs=0.5)
        >>> type(metric).__name__
        'MultiLabelPrecisionRecallF1score'
    """

    def __new__(  # type: ignore[misc]
        cls,
        task: str = "singlelabel",
        num_classes: int | None = None,
        thrs: float | Sequence[float | None] | None = None,
        topk: int | None = None,
        items: Sequence[str] = ("precision", "recall", "f1-score"),
        average: str | None = "macro",
        *,
        use_sample_weight: bool = False,
        percent: bool = True,
        ignore_index: int | None = None,
        zero_division: float = 0.0,
        **options: Any,
    ) -> SingleLabelPrecisionRecallF1score | MultiLabelPrecisionRecallF1score:
        """Return a metric of another class."""
        options |= {
            "use_sample_weight": use_sample_weight,
            "percent": percent,
            "ignore_index": ignore_index,
            "zero_division": zero_division,
        }
        if task == "singlelabel":
            if topk is not None:
                raise ValueError(f'topk is for task="multilabel" only, got {topk}')
            return SingleLabelPrecisionRecallF1score(num_classes, thrs, items, average, **options)
        if task != "multilabel":
            raise ValueError(f'task must be "singlelabel" or "multilabel", got {task!r}')
        if num_classes is None:
            raise ValueError('num_classes must be given for task="multilabel"')
        if thrs is not None and not isinstance(thrs, int | float):
            raise TypeError(f'thrs must be one threshold for task="multilabel", got {thrs}')
        return MultiLabelPrecisionRecallF1score(num_classes, thrs, topk, items, average, **options)
