"""Running: a metric of the last samples, the same for any batches and ranks."""

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn import metrics as sk

from mmeval_like import AUROC, BaseMetric, LogLoss, MetricCollection, Paired, Running, Sliced
from mmeval_like.metrics import (
    Accuracy,
    Max,
    MeanAbsoluteError,
    MeanSquaredError,
    RunningMean,
    SpearmanCorrCoef,
    SubsetAccuracy,
)
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples
from tests.metrics import classes

WINDOW = 5
Inputs = tuple[Any, ...]


def pairs(rng: np.random.Generator, n: int) -> Inputs:
    """Numbers."""
    return rng.normal(size=n), rng.normal(size=n)


def rates(rng: np.random.Generator, n: int) -> Inputs:
    """Probabilities in float32 and labels, both kinds among the last."""
    labels = rng.integers(0, 2, n)
    labels[-2:] = 0, 1
    return rng.random(n).astype(np.float32), labels


def tokens(rng: np.random.Generator, n: int) -> Inputs:
    """Samples of different numbers of positions."""
    sizes = rng.integers(1, 4, n)
    return tuple([rng.integers(0, 2, size) for size in sizes] for _ in range(2))


def accuracy(predictions: Any, labels: Any) -> dict[str, float]:
    """Of the last samples."""
    return {"top1": sk.accuracy_score(labels[-WINDOW:], predictions[-WINDOW:])}


def squares(predictions: Any, labels: Any) -> dict[str, float]:
    """Of the last samples."""
    return {"mse": np.mean((predictions - labels)[-WINDOW:] ** 2)}


def area(scores: Any, labels: Any) -> dict[str, float]:
    """Of the last samples."""
    return {"auroc": sk.roc_auc_score(labels[-WINDOW:], scores[-WINDOW:])}


def right(predictions: Any, labels: Any) -> dict[str, float]:
    """Of the last samples."""
    both = zip(predictions[-WINDOW:], labels[-WINDOW:], strict=True)
    return {"subset_accuracy": np.mean([np.array_equal(*pair) for pair in both])}


def running(make: Any, **options: Any) -> BaseMetric:
    """A running metric."""
    return Running(make(), WINDOW, **options)


ANY: dict[str, Any] = {"order_matters": True}
CASES = {
    "Running, counts": MetricCase(partial(running, Accuracy), classes.indices, accuracy, **ANY),
    "Running, sums": MetricCase(
        partial(running, partial(MeanSquaredError, data_range=1)), pairs, squares, **ANY
    ),
    "Running, scores": MetricCase(partial(running, AUROC), rates, area, least=2, **ANY),
    "Running, all numbers": MetricCase(
        partial(running, SpearmanCorrCoef), pairs,
        lambda p, y: {"spearman": spearmanr(p[-WINDOW:], y[-WINDOW:]).statistic}, 1e-9,
        least=3, **ANY,
    ),
    "Running, extrema": MetricCase(
        partial(running, Max), lambda rng, n: (rng.normal(size=n),),
        lambda values: {"max": values[-WINDOW:].max()}, **ANY,
    ),
    "Running, positions": MetricCase(
        partial(running, partial(SubsetAccuracy, task="multiclass", num_classes=2)), tokens, right,
        array_inputs=False, **ANY,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The value is that of the last samples, and keeps every law."""
    check_metric(CASES[name], examples=examples(2))


def test_in_collections_and_slices() -> None:
    """It is a metric as others are: a member, and a value of every slice."""
    both = MetricCollection({"all": Accuracy(), "last": Running(Accuracy(), 2)})
    both.add([0, 1, 1], [1, 1, 1])
    assert both.compute() == {"all": {"top1": 2 / 3}, "last": {"top1": 1.0}}

    sliced = Sliced(Running(Accuracy(), 1), by="kind")
    sliced.add([0, 1, 0], [1, 1, 1], by={"kind": ["a", "a", "b"]})
    found = sliced.compute()
    assert found["kind=a"] == {"top1": 1.0}
    assert found["all"] == found["kind=b"] == {"top1": 0.0}


def test_the_metric_itself_is_left_alone() -> None:
    """Its samples are not taken over, and it gets none."""
    metric = Accuracy()
    metric.add([0], [1])
    window = Running(metric, 3)
    window.add([1], [1])

    assert metric.compute() == {"top1": 0.0}
    assert window.compute() == {"top1": 1.0}


def test_ranks_with_other_metrics_are_told_apart() -> None:
    """The options of the metric inside are part of the fingerprint."""
    made = [Running(LogLoss(eps=eps), 3).plan.identity for eps in (0.0, 0.1, 0.1)]

    assert made[0] != made[1] == made[2]


def test_saved_and_merged(tmp_path: Any) -> None:
    """Files hold the window; what is merged comes behind."""
    first, second, empty = (Running(Accuracy(), 2) for _ in range(3))
    first.add([0, 0], [1, 1])
    first.save(tmp_path / "window")
    second.load(tmp_path / "window")
    assert second.compute() == {"top1": 0.0}
    empty.save(tmp_path / "empty")
    empty.load(tmp_path / "empty")
    with pytest.warns(RuntimeWarning, match="no samples"):
        assert math.isnan(empty.compute()["top1"])
    third = Running(Accuracy(), 2)
    third.add([1], [1])
    second.merge(third)
    assert second.compute() == {"top1": 0.5}


class Appends(BaseMetric):
    """A metric in MMEval's way."""

    def add(self, values: Any) -> None:  # type: ignore[override]
        """Keep them."""
        self._results.extend(values)

    def compute_metric(self, results: Any) -> dict[str, Any]:
        """Their number."""
        return {"n": len(results)}


def test_what_cannot_run() -> None:
    """Objects have no window here, and a window has a sample at least."""
    with pytest.raises(TypeError, match="must be a metric"):
        Running(3, 2)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="Appends keeps objects"):
        Running(Appends(), 2)
    with pytest.raises(ValueError, match="window must be positive"):
        Running(Accuracy(), 0)


@pytest.mark.parametrize("unscored", ["drop", 0.0, "bounds"])
def test_slices_of_the_last_samples_with_unscored_ones(unscored: Any) -> None:
    """They are refused, and what the error tells to write is right."""
    metric = Accuracy(thrs=None, unscored=unscored)
    with pytest.raises(TypeError, match=r"unscored= .* write Running\(Sliced\(metric, by"):
        Sliced(Running(metric, 2), by=["group"])
    running = Running(Sliced(metric, by=["group"]), 2)
    running.add([1, 1, 0], [0, 1, 1], ids=range(3), by={"group": ["a", "b", "b"]})
    assert running.compute()["all"]["top1"] == 0.5


def test_names_of_classes_are_taken_as_the_metric_takes_them() -> None:
    """Texts mean what they mean to the metric, whichever of the two knows the classes."""
    names = ["cat", "dog"]
    for running in (
        Running(Accuracy(classes=names), window=3),
        Running(Accuracy(), window=3, classes=names),
    ):
        running.add(["cat", "cat", "dog", "dog"], ["cat", "dog", "dog", "dog"])
        assert running.compute() == {"top1": 2 / 3}
        with pytest.raises(ValueError, match="labels must be names of classes, got 'cow'"):
            running.add(["cat"], ["cow"])


def test_names_of_samples_have_no_last_ones() -> None:
    """Indices say which samples are the last; names do not, and are refused before they count."""
    hits, places = [0] * 15 + [1] * 5, range(20)
    names, columns = [f"validation/{place:05d}.png" for place in places], {"g": ["a"] * 20}
    pair = Paired(Running(Accuracy(), 5))
    for metric, by in (
        (Running(Accuracy(), 5), None),
        (Running(Sliced(Accuracy(), by="g"), 5), columns),
        (Sliced(Running(Accuracy(), 5), by="g"), columns),
        (MetricCollection(last=Running(Accuracy(), 5), all=Accuracy()), None),
        (pair.a, None),
    ):
        extra = {} if by is None else {"by": by}
        with pytest.raises(TypeError, match="got strings: only the last samples count"):
            metric.add(hits, [1] * 20, ids=names, **extra)
        metric.add(hits[::-1], [1] * 20, ids=places[::-1], **extra)
    running = RunningMean(5)
    with pytest.raises(TypeError, match="ids must be the samples' places in the dataset"):
        running.add(hits, ids=names)
    running.add(hits[::-1], ids=places[::-1])
    assert running.compute() == {"running_mean": 1.0}


@pytest.mark.filterwarnings("ignore:intervals that promise less")
def test_an_interval_that_was_asked_for_is_not_forgotten() -> None:
    """The interval is the one that the metric gives of the last samples alone."""
    running = Running(MeanAbsoluteError(interval=0.9), window=30)
    alone = MeanAbsoluteError(interval=0.9)
    rng = np.random.default_rng(0)
    values = rng.normal(size=50)
    running.add(values, np.zeros(50))
    alone.add(values[-30:], np.zeros(30))
    assert running.compute() == alone.compute()
    assert repr(running.intervals) == repr(alone.intervals)  # nan is not equal to itself


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("ids", [False, True])
def test_the_samples_of_a_result_are_the_last_ones(ids: bool) -> None:
    """Their number is that of the window; what was measured says so."""
    for metric, window in ((Running(Accuracy(), 40), 40), (Running(Accuracy(), 900), 540)):
        metric.add([0] * 500 + [1] * 40, [1] * 540, ids=range(540) if ids else None)
        found = metric.compute()
        assert (found.samples, found.planned) == (window, window)
        assert f"the last {metric.window} samples" in found.metrics[0]
    pair = Paired(Running(Accuracy(), 40))
    for side in (pair.a, pair.b):
        side.add([0] * 500 + [1] * 40, [1] * 540, ids=range(540))
    found = pair.compute()
    assert found.samples == found["samples"] == 40
    several = MetricCollection(last=Running(Accuracy(), 5), all=Accuracy())
    several.add([1] * 9, [1] * 9)
    assert several.compute().samples == 5
