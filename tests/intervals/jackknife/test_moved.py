"""Matrices that differ in one cell are evaluated at once, and give the same bits."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mmeval_like as mm
from mmeval_like._intervals.jackknife.estimand import Estimand
from mmeval_like._states.results import Results
from mmeval_like.metrics.classification.confusion_counts import ConfusionCounts
from tests.helpers.examples import examples
from tests.intervals.jackknife.test_codes import CLASS_METRICS, MATRIX, THREE, samples_of

pytestmark = pytest.mark.filterwarnings("ignore:intervals that promise less", "ignore:.*no samples")

MORE_METRICS: dict[str, Callable[..., mm.BaseMetric]] = {
    "half": lambda **o: mm.FBetaScore(beta=0.5, zero_division=math.nan, **THREE, **o),
    "beta of 1000": lambda **o: mm.FBetaScore(beta=1000, **THREE, **o),
    "pooled": lambda **o: mm.JaccardIndex(average="micro", ignore_index=1, **THREE, **o),
    "missed": lambda **o: mm.HammingDistance(average=None, ignore_index=0, **THREE, **o),
    "adjusted": lambda **o: mm.BalancedAccuracy(adjusted=True, **THREE, **o),
    "geometric": lambda **o: mm.GeometricMean(**THREE, **o),
    "informedness": lambda **o: mm.Informedness(**THREE, **o),
    "markedness": lambda **o: mm.Markedness(average="weighted", **THREE, **o),
    "quadratic kappa": lambda **o: mm.CohenKappa(3, weights="quadratic", **o),
    "report": lambda **o: mm.ClassificationReport(**THREE, **o),
}


@pytest.mark.parametrize("name", [*CLASS_METRICS, *MORE_METRICS])
@given(st.lists(st.integers(0, 9), min_size=9, max_size=9).filter(sum), st.booleans())
@settings(max_examples=examples(8), deadline=None)
def test_matrices_at_once_give_what_they_give_one_by_one(
    name: str, cells: list[int], clustered: bool
) -> None:
    """Intervals are `==`, whether matrices are computed together or one after the other."""
    metric = (CLASS_METRICS | MORE_METRICS)[name](interval=0.95)
    predictions, labels = samples_of(np.reshape(cells, (3, 3)).tolist())
    clusters = np.arange(len(labels)) // 3 if clustered else None
    metric.add(predictions, labels, clusters=clusters)
    metric.compute()
    together = metric.intervals

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ConfusionCounts, "_perturbed", lambda self, results, codes, step: None)
        metric.compute()

    assert repr(together) == repr(metric.intervals)


@pytest.mark.parametrize("name", [*CLASS_METRICS, *MORE_METRICS])
def test_thousands_of_matrices_are_one_evaluation(name: str, monkeypatch: Any) -> None:
    """A metric is evaluated a few times, not once for each cell; but for weighted kappas.

    One evaluation is that of the matrix in which the rare class has another recall.
    """
    calls = []
    metric = (CLASS_METRICS | MORE_METRICS)[name](interval=0.95)
    evaluate = Estimand.evaluate

    def counted(self: Estimand, several: Any) -> Any:
        found = evaluate(self, several)
        calls.append(len(found))
        return found

    monkeypatch.setattr(Estimand, "evaluate", counted)
    metric.add(*samples_of(MATRIX))
    metric.compute()

    assert sum(calls) == (22 if "linear" in name or "quadratic" in name else 4)


def test_more_samples_than_float64_counts_are_computed_one_by_one() -> None:
    """Beyond 2^53 a quotient of floats is no quotient of counts: the numbers stay Python's."""
    statistic = ConfusionCounts(2)
    many = Results({"matrix": np.array([1 << 52, 1, 1, 1 << 52])}, (1 << 53) + 2)
    few = Results({"matrix": np.array([4, 1, 1, 4])}, 10)

    assert statistic.jackknife.perturbed(many, np.arange(4), 1) is None
    assert statistic.jackknife.perturbed(few, np.arange(4), 1) is not None
