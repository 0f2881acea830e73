"""PrecisionRecallF1score constructs the metric of a task."""

from typing import Any

import pytest

from mmeval_like import (
    MultiLabelPrecisionRecallF1score,
    PrecisionRecallF1score,
    SingleLabelPrecisionRecallF1score,
)


def test_single_label() -> None:
    """The default task has one label per sample; arguments arrive."""
    metric = PrecisionRecallF1score(num_classes=2, items=("recall",), average=None, max_padding=3)

    assert type(metric) is SingleLabelPrecisionRecallF1score
    assert metric.max_padding == 3
    assert metric([0, 1, 1], [0, 0, 1]) == {"recall_classwise": [50.0, 100.0]}


def test_multi_label() -> None:
    """The other task has any number of labels; arguments arrive."""
    metric = PrecisionRecallF1score("multilabel", 3, topk=1, items=("recall",), average="micro")

    assert type(metric) is MultiLabelPrecisionRecallF1score
    assert metric([[0.5, 0.4, 0.3]], [[1, 1, 0]]) == {"recall_top1_micro": 50.0}
    assert PrecisionRecallF1score("multilabel", 3, 0.3).thr == 0.3


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"task": "multi"}, ValueError, "task"),
        ({"task": "multilabel"}, ValueError, "num_classes"),
        ({"task": "multilabel", "num_classes": 3, "thrs": (0.5, 0.6)}, TypeError, "thrs"),
        ({"topk": 2}, ValueError, "topk"),
    ],
)
def test_bad_arguments(options: dict[str, Any], error: type[Exception], text: str) -> None:
    """Arguments that do not fit the task are refused."""
    with pytest.raises(error, match=text):
        PrecisionRecallF1score(**options)
