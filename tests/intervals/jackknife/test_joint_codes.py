"""Intervals where several histograms are counted: many classes, thresholds, hits by class."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.testing.local_world import LocalWorld

pytestmark = pytest.mark.filterwarnings("ignore:intervals that promise less")

MANY: dict[str, Any] = {"task": "multiclass", "num_classes": 40}
Make = Callable[..., mm.BaseMetric]
# Metrics of class indices, and of scores.
OF_CLASSES: dict[str, Make] = {
    "f1": lambda **o: mm.FBetaScore(**MANY, **o),
    "precision of each": lambda **o: mm.Precision(average=None, **MANY, **o),
    "kappa": lambda **o: mm.CohenKappa(40, **o),
    "mcc": lambda **o: mm.MatthewsCorrCoef(40, **o),
    "macro accuracy": lambda **o: mm.Accuracy(num_classes=40, average="macro", **o),
    "accuracy without a class": lambda **o: mm.Accuracy(num_classes=40, ignore_index=1, **o),
}
OF_SCORES: dict[str, Make] = {
    "two k": lambda **o: mm.Accuracy(topk=(1, 2), num_classes=5, average="macro", **o),
    "thresholds": lambda **o: mm.SingleLabelPrecisionRecallF1score(
        num_classes=5, thrs=(0.2, 0.4), average="micro", percent=False, **o
    ),
}


def drawn(name: str, count: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """Predictions and labels of five classes that occur."""
    rng = np.random.default_rng(len(name))
    labels = rng.integers(0, 5, count)
    if name in OF_SCORES:
        return rng.dirichlet(np.ones(5), count) + np.eye(5)[labels] / 4, labels
    return np.where(rng.random(count) < 0.6, labels, rng.integers(0, 5, count)), labels


def numbers(result: dict[str, Any]) -> list[float]:
    """The floats of a result, and those in its lists."""
    lists = (value if isinstance(value, list) else [value] for value in result.values())
    return [float(number) for several in lists for number in several]


def intervals(metric: mm.BaseMetric, *batch: Any) -> list[Any]:
    """The intervals of a metric, in one list."""
    found = metric(*batch).intervals.values()
    lists = (one if isinstance(one, list) else [one] for one in found)
    return [interval for several in lists for interval in several]


@pytest.mark.filterwarnings("ignore:.*undefined")
@pytest.mark.parametrize("name", [*OF_CLASSES, *OF_SCORES])
def test_standard_errors_are_those_of_computing_without_each_sample(name: str) -> None:
    """Brute force: the metric of the other samples, for every sample."""
    make = (OF_CLASSES | OF_SCORES)[name]
    predictions, labels = drawn(name)
    found = intervals(make(interval=0.95), predictions, labels)
    count = len(labels)
    without = np.array([
        numbers(make()(np.delete(predictions, i, axis=0), np.delete(labels, i)))
        for i in range(count)
    ])  # fmt: skip
    expected = np.sqrt(((without - without.mean(0)) ** 2).sum(0) * (count - 1) / count)
    known = [(one, e) for one, e in zip(found, expected.tolist(), strict=True)
             if not math.isnan(one.value)]  # fmt: skip
    for one, error in known:
        assert one.method.removesuffix(", Clopper-Pearson") == "Wilson, effective n"
        assert one.standard_error == pytest.approx(error, rel=1e-6, abs=5e-5)


def test_a_matrix_and_its_margins_agree() -> None:
    """With 32 classes the matrix is counted, with 33 its margins: the standard error is one."""
    rng = np.random.default_rng(2)
    labels = rng.integers(0, 32, 500)
    predictions = np.where(rng.random(500) < 0.7, labels, rng.integers(0, 32, 500))
    for average in ("micro", "weighted"):
        few, many = (
            intervals(
                mm.FBetaScore(task="multiclass", num_classes=c, average=average, interval=0.9),
                predictions,
                labels,
            )[0]
            for c in (32, 33)
        )
        assert few.standard_error == pytest.approx(many.standard_error, rel=1e-12)
        assert many.thin == (None if average == "micro" else "class 32 has 0 labels")


@pytest.mark.parametrize("name", ["f1", "two k"])
def test_the_same_bits_on_any_ranks(name: str) -> None:
    """In any batches, with and without ids, with slices."""
    make = (OF_CLASSES | OF_SCORES)[name]
    predictions, labels = drawn(name, 90)
    zones = labels % 2
    expected = {"all": make(interval=0.95)(predictions, labels)}
    for zone in (0, 1):
        which = zones == zone
        expected[f"zone={zone}"] = make(interval=0.95)(predictions[which], labels[which])

    for with_ids in (False, True):

        def program(backend: Any, with_ids: bool = with_ids) -> Any:
            sliced = mm.Sliced(make(interval=0.95), by="zone", dist_backend=backend)
            mine = np.arange(90)[backend.rank :: 3]
            for part in np.array_split(mine, 4):
                options = {"ids": part} if with_ids else {}
                sliced.add(predictions[part], labels[part], by={"zone": zones[part]}, **options)
            return sliced.compute(), sliced.intervals

        for found, made in LocalWorld(3).run(program):
            assert found == {name: dict(values) for name, values in expected.items()}
            assert made == {name: dict(values.intervals) for name, values in expected.items()}


def test_samples_of_many_positions_have_no_interval() -> None:
    """What each sample adds is not known then, and the interval says so."""
    metric = mm.Recall(**MANY, interval=0.95)
    metric.add([0, 1], [0, 1])
    metric.add([[0, 1], [1, 2]], [[0, 1], [2, 2]])
    assert math.isnan(metric.compute()["recall_low"])
    assert "more counts than others" in metric.intervals["recall"].thin
