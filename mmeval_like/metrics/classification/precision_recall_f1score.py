"""PrecisionRecallF1score: creates the metric for one label per sample or for several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mmeval_like.metrics.classification.multi_label import MultiLabelPrecisionRecallF1score
from mmeval_like.metrics.classification.single_label import SingleLabelPrecisionRecallF1score

__all__ = ["PrecisionRecallF1score"]


class PrecisionRecallF1score:
    """Construct the metric of precision, recall and F1 for a task.

    Args:
        task: "singlelabel" or "multilabel".
        num_classes: The number of classes; needed for "multilabel".
        thrs: The score threshold; for "singlelabel", there may be several.
        topk: For "multilabel": the number of classes that are predicted, those with the highest
            scores.
        items: Which values to return, out of "precision", "recall", "f1-score" and "support".
        average: How the values of the classes are combined, as for the metric that is returned.
        use_sample_weight: Whether `add` takes `sample_weight`.
        percent: Whether values are in percent, rounded to 4 decimals; False: shares in [0, 1].
        ignore_index: Positions with this label do not count.
        zero_division: The value of a share whose denominator is 0.
        **options: Further options of the metric that is returned.

    Returns:
        A `SingleLabelPrecisionRecallF1score` or a `MultiLabelPrecisionRecallF1score`.

    Raises:
        ValueError: The task is unknown, "multilabel" is given without `num_classes`, or
            "singlelabel" with `topk`.
        TypeError: Several thresholds were given for "multilabel".

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
                raise ValueError(f'topk applies only to task="multilabel", got {topk}')
            return SingleLabelPrecisionRecallF1score(num_classes, thrs, items, average, **options)
        if task != "multilabel":
            raise ValueError(f'task must be "singlelabel" or "multilabel", got {task!r}')
        if num_classes is None:
            raise ValueError('num_classes must be given for task="multilabel"')
        if thrs is not None and not isinstance(thrs, int | float):
            raise TypeError(f'thrs must be one threshold for task="multilabel", got {thrs}')
        return MultiLabelPrecisionRecallF1score(num_classes, thrs, topk, items, average, **options)
