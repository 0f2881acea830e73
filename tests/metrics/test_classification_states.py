"""What all classification metrics do with what they keep: empty batches, saving, folding early."""

import copy

import numpy as np
import pytest

from mmeval_like import AUROC, BaseMetric
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


def folded(metric: BaseMetric) -> BaseMetric:
    """A copy in which no row waits."""
    twin = copy.deepcopy(metric)
    twin.reset()
    for store, source in zip(twin._samples().stores(), metric._samples().stores(), strict=True):
        store.merge(source.part(0))
    return twin


@pytest.mark.filterwarnings("ignore:AUROC is undefined")
@pytest.mark.parametrize("name", CASES)
def test_saved_and_loaded(name: str) -> None:
    """The samples so far go through a state dict, also when all but the last are folded."""
    case = CASES[name]
    data = case.samples(np.random.default_rng(1), 20)
    expected = case.make()
    expected.add(*data)
    first, loaded = case.make(), case.make()
    first.add(*take_samples(data, np.arange(15)))
    loaded.load_state_dict(folded(first).state_dict())
    loaded.add(*take_samples(data, np.arange(15, 20)))

    assert same(loaded.compute(), expected.compute())


def test_damaged_scores_are_refused() -> None:
    """Arrays that no ranking can have written are an error, and the metric keeps what it had."""
    metric = AUROC()
    metric.add([0.1, 0.9], [0, 1])
    metric = folded(metric)
    saved = metric.state_dict()
    values, lengths = "0/folded/scores/values", "0/folded/scores/lengths"
    for damaged in (
        {values: saved[values][:-1]},
        {values: saved[values].astype(int)},
        {values: np.repeat(saved[values], 2), lengths: np.repeat(saved[lengths], 2)},
        {lengths: -saved[lengths]},
        {lengths: saved[lengths].astype(float)},
    ):
        with pytest.raises(ValueError, match="damaged"):
            metric.load_state_dict(saved | damaged)

    assert metric.compute() == {"auroc": 1.0}
