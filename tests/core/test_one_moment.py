"""Whoever reads the samples while threads add sees one moment: all of a batch, or nothing of it."""

import copy
import pickle
import sys
import threading
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import mmeval_like as mm


class Counted(mm.BaseMetric):
    """How many samples have no row: 0 in every moment."""

    ones = mm.state.sum(int)

    def __init__(self, by: int, **options):
        super().__init__(**options)
        self.by = by

    def rows(self, values):
        """A row for each sample."""
        return {"ones": np.full(len(values), self.by)}

    def compute_metric(self, results):
        """The difference."""
        return {"lost": int(len(results) * self.by - results.ones)}


class Kept(mm.BaseMetric):
    """The same for rows that are kept one by one."""

    values = mm.state.objects()

    def rows(self, values):
        """A row for each sample."""
        return {"values": [*values]}

    def compute_metric(self, results):
        """The difference."""
        return {"lost": len(results) - len(results.values)}


def made() -> mm.MetricCollection:
    """A collection whose members share no slot."""
    return mm.MetricCollection(a=Counted(1), b=Counted(2), c=Kept())


def windowed() -> mm.Windowed:
    """The last samples of one, in buckets of whole batches."""
    return mm.Windowed(made(), 63, buckets=3)


def saved(metrics, folder):
    """A collection that read what this one saved."""
    found = made()
    metrics.save(folder / "file")
    found.load(folder / "file")
    return found


def of_state(metrics, _):
    """The same by a dict."""
    found = made()
    found.load_state_dict(metrics.state_dict())
    return found


def merged(metrics, _):
    """A collection with which it was merged."""
    found = made()
    found.merge(metrics)
    return found


READERS: dict[str, Callable] = {
    "state_dict": of_state,
    "save": saved,
    "merge": merged,
    "pickle": lambda metrics, _: pickle.loads(pickle.dumps(metrics)),
    "deepcopy": lambda metrics, _: copy.deepcopy(metrics),
    "copy": lambda metrics, _: copy.copy(metrics),
}


@pytest.fixture
def hasty() -> Iterator[None]:
    """Threads take turns as often as Python allows."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize(
    ("name", "wrap"),
    [(name, made) for name in READERS]
    + [(name, windowed) for name in ("pickle", "deepcopy", "copy")],
)
def test_a_reader_sees_one_moment(name, wrap, tmp_path):
    """Every member has the same samples, a multiple of a batch, with all that belongs to them."""
    metrics, stop = wrap(), threading.Event()

    def add() -> None:
        while not stop.is_set():
            metrics.add([1, 2, 3])
            if sum(metrics._described()[0][2:]) > 1000:
                metrics.reset()

    thread = threading.Thread(target=add)
    thread.start()
    try:
        for _ in range(25):
            found = READERS[name](metrics, tmp_path)
            counts = {count for *_, count in found._described()}
            assert len(counts) == 1
            assert counts.pop() % 3 == 0
            if found._described()[0][2]:
                values = found.compute_local()
                assert {value["lost"] for value in values.values()} == {0}
    finally:
        stop.set()
        thread.join()


FIRST: dict[str, Callable] = {
    "hits": lambda: mm.Accuracy(topk=(1, 2)),
    "codes": lambda: mm.ConfusionMatrix(num_classes=3),
    "several": lambda: mm.MetricCollection(a=mm.Accuracy(), b=mm.ConfusionMatrix(num_classes=3)),
    "slices": lambda: mm.Sliced(mm.Accuracy(), by="g"),
}


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("name", ["pickle", "deepcopy", "copy"])
@pytest.mark.parametrize("first", FIRST)
def test_a_reader_while_the_first_batches_come(name, first, tmp_path):
    """What is computed at the first batch, and kept, is no trouble to who copies meanwhile."""
    for _ in range(60):
        metric = FIRST[first]()

        def add(metric=metric) -> None:
            for number in range(15):
                slices = {"by": {"g": [number, 0, 1]}} if first == "slices" else {}
                metric.add(np.eye(3), [0, 1, 1], **slices)

        thread = threading.Thread(target=add)
        thread.start()
        try:
            while thread.is_alive():
                found = READERS[name](metric, tmp_path)
                counts = {count for *_, count in found._described()}
                assert {count % 3 for count in counts} == {0}
                if 0 not in counts:
                    found.compute_local()
        finally:
            thread.join()
