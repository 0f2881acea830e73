"""A batch without samples changes nothing, in any classification metric."""

import numpy as np
import pytest

from mmeval_like.testing import MetricCase
from mmeval_like.testing.inputs import take_samples
from mmeval_like.testing.same import same
from tests.metrics import (
    test_accuracy,
    test_auroc,
    test_average_precision,
    test_brier_score,
    test_calibration_error,
    test_cohen_kappa,
    test_confusion_matrix,
    test_f1_score,
    test_log_loss,
    test_matthews_corrcoef,
    test_mean_iou,
    test_multi_label,
    test_precision_recall_curve,
    test_roc,
    test_single_label,
)

CASES: dict[str, MetricCase] = {
    **test_accuracy.CASES,
    **test_auroc.CASES,
    **test_average_precision.CASES,
    **test_brier_score.CASES,
    **test_calibration_error.CASES,
    **test_cohen_kappa.CASES,
    **test_confusion_matrix.CASES,
    **test_f1_score.CASES,
    **test_log_loss.CASES,
    **test_matthews_corrcoef.CASES,
    **test_mean_iou.CASES,
    **test_multi_label.CASES,
    **test_precision_recall_curve.CASES,
    **test_roc.CASES,
    **test_single_label.CASES,
}


@pytest.mark.filterwarnings("ignore:AUROC is undefined")
@pytest.mark.parametrize("name", CASES)
def test_empty_batches(name: str) -> None:
    """Empty arrays and empty lists, before, between and after samples."""
    case = CASES[name]
    data = case.samples(np.random.default_rng(0), 20)
    expected = case.make()
    expected.add(*data)
    metric = case.make()
    for part in (np.arange(9), np.arange(9, 20)):
        metric.add(*take_samples(data, part[:0]))
        metric.add(*take_samples(data, part))
        metric.add(*([] for _ in data))

    assert same(metric.compute(), expected.compute())
