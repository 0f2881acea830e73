"""Parts of an evaluation, from workers of any kind, make the whole; nothing else gets in."""

import pickle
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mmeval_like as mm
from mmeval_like.testing import LocalWorld
from mmeval_like.testing.same import same


def make(kind):
    """A metric, a collection or slices."""
    if kind == "metric":
        return mm.AUROC()
    members = {"acc": mm.Accuracy(thrs=None), "loss": mm.LogLoss()}
    return mm.MetricCollection(members) if kind == "collection" else mm.Sliced(members, by="day")


def fed(kind, rows):
    """One that has these samples."""
    metric = make(kind)
    rng = np.random.default_rng(0)
    scores = rng.random((40, 2))
    scores /= scores.sum(axis=1, keepdims=True)
    labels = rng.integers(0, 2, 40)
    if len(rows):
        by = {"by": {"day": rows % 3}} if kind == "slices" else {}
        metric.add(scores[rows, 1] if kind == "metric" else scores[rows], labels[rows], **by)
    return metric


@pytest.mark.parametrize("through", ["memory", "pickle", "bytes"])
@pytest.mark.parametrize("kind", ["metric", "collection", "slices"])
@given(cuts=st.lists(st.integers(0, 40), max_size=4))
def test_any_parts_are_the_whole(kind, through, cuts):
    """However they were cut and sent; and the parts stay as they were."""
    pieces = np.split(np.arange(40), sorted(cuts))
    parts = [fed(kind, rows) for rows in pieces]
    if through == "pickle":
        parts = [pickle.loads(pickle.dumps(part)) for part in parts]
    if through == "bytes":
        parts = [make(kind).from_bytes(part.to_bytes()) for part in parts]
    expected = fed(kind, np.arange(40)).compute()

    total = mm.merge(iter(parts))

    assert same(total.compute(), expected)
    assert same(mm.merge(parts).compute(), expected)
    total.reset()
    again = parts[0]
    for part in parts[1:]:
        again = again + part
    assert same(again.compute(), expected)
    for part, rows in zip(parts, pieces, strict=True):
        assert sum(store.count for store in part._samples().stores()) % max(len(rows), 1) == 0


def test_what_is_no_part_is_refused():
    """Nothing, another metric, other options, other things."""
    with pytest.raises(ValueError, match="at least one"):
        mm.merge([])
    with pytest.raises(ValueError, match="only equal metrics merge"):
        mm.Accuracy() + mm.Accuracy(topk=5)
    with pytest.raises(TypeError, match="unsupported operand"):
        mm.Accuracy() + 1


def test_bytes_of_another_metric_and_damaged_bytes_are_refused():
    """Each bit counts, and the metric that was asked keeps its samples."""
    metric = mm.Accuracy()
    metric.add([1, 2], [1, 1])
    data = metric.to_bytes()

    with pytest.raises(ValueError, match="the given data was saved by"):
        mm.MeanIoU(num_classes=3).from_bytes(data)
    for place in range(0, len(data), 7):
        damaged = bytearray(data)
        damaged[place] ^= 1
        with pytest.raises(ValueError, match="the given data"):
            metric.from_bytes(bytes(damaged))
    for length in (0, 3, 8, len(data) - 1):
        with pytest.raises(ValueError, match="the given data"):
            metric.from_bytes(data[:length])
    assert metric.compute() == {"top1": 0.5}


def test_from_bytes_has_those_samples_alone():
    """The samples of the metric that is asked are not among them; ids travel too."""
    metric, worker = mm.Accuracy(), mm.Accuracy()
    metric.add([1], [1])
    worker.add([0, 1], [1, 1], ids=[7, 3])

    received = metric.from_bytes(worker.to_bytes())

    assert received.compute() == {"top1": 0.5}
    assert received.remaining(8).tolist() == [0, 1, 2, 4, 5, 6]
    assert metric.compute() == {"top1": 1.0}


def doubled(metric, times):
    """The metric merged into itself so many times."""
    for _ in range(times):
        metric.merge(metric)
    return metric


@pytest.mark.parametrize("make", [mm.Accuracy, mm.MeanSquaredError, partial(mm.ConfusionMatrix, 2)])
def test_too_many_samples_are_refused(make):
    """2^62 samples are computed; 2^63 are refused where they are merged, and nothing is lost."""
    metric = make(dist_backend="non_dist")
    metric.add([1, 0], [1, 1])
    doubled(metric, 61)
    assert metric.compute().samples == 2**62
    with pytest.raises(OverflowError, match=r"at most 2\^63 - 1 samples, got 9223372036854775808"):
        metric.merge(metric)
    assert metric.compute().samples == 2**62


@pytest.mark.parametrize("make", [mm.Accuracy, mm.MeanSquaredError, partial(mm.ConfusionMatrix, 2)])
@pytest.mark.parametrize("ranks", [2, 3])
def test_too_many_samples_of_all_ranks_are_refused_on_all(make, ranks):
    """Each rank has fewer than 2^63 samples, all of them together have more."""

    def evaluate(backend):
        metric = make(dist_backend=backend)
        metric.add([1, 0], [1, 1])
        doubled(metric, 61)
        with pytest.raises(OverflowError, match=r"at most 2\^63 - 1 samples"):
            metric.compute()

    LocalWorld(ranks).run(evaluate)
