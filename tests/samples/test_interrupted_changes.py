"""An interrupt at any line of a change of the samples: all of the change counts, or nothing."""

from contextlib import suppress

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like._states.kinds.abstract import State
from mmeval_like.testing.same import same
from tests.exchange.interrupting import PACKAGE, Alarm, Interrupting
from tests.helpers.examples import examples

CORE = ("samples", "ring", "evaluation", "metric", "paired")
CHANGED = (f"{PACKAGE}/_samples", *(f"{PACKAGE}/_core/{name}" for name in CORE))


def batch(number):
    """20 samples."""
    places = np.arange(20) + 7 * number
    return places % 3, places % 4 % 3


def hits():
    """One store."""
    return mm.Accuracy(num_classes=3)


def window():
    """A ring of buckets, which are full in the middle of a batch."""
    return mm.Windowed(mm.Accuracy(num_classes=3), 60, buckets=4)


def several():
    """Several stores, one of which is a ring, and a state that keeps every row."""
    members = {"hits": hits(), "table": mm.ConfusionMatrix(num_classes=3), "window": window()}
    return mm.MetricCollection({**members, "last": mm.Running(hits(), 30)})


def pair():
    """The stores of two systems."""
    return mm.Paired(hits())


class Listed(mm.BaseMetric):
    """A metric in MMEval's way: the number of hits, and a `reset` that clears the list in place."""

    def add(self, predictions, labels):
        """Append an entry for each sample."""
        self._results.extend((predictions == labels).tolist())

    def reset(self):
        """Forget all samples."""
        self._results.clear()
        super().reset()

    def compute_metric(self, results):
        """Return the number of hits, and the number of samples."""
        return {"hits": sum(results), "samples": len(results)}


def filled(make, numbers):
    """An evaluation with these batches."""
    evaluation = make()
    for number in numbers:
        add(evaluation, number)
    return evaluation


def add(evaluation, number):
    """Add a batch, to the second system of a pair last."""
    ids = {"ids": np.arange(20) + 20 * number} if isinstance(evaluation, mm.Paired) else {}
    for side in (evaluation.a, evaluation.b) if ids else (evaluation,):
        side.add(*batch(number), **ids)


def adds(evaluation, make):
    """One more batch."""
    (evaluation.b if isinstance(evaluation, mm.Paired) else evaluation).add(*batch(5))


def merges(evaluation, make):
    """Two more batches at once."""
    evaluation.merge(filled(make, (5, 6)))


def subtracts(evaluation, make):
    """All but the last three batches."""
    evaluation.subtract(filled(make, (0, 1)))


def replaces(evaluation, make):
    """The batches of a dictionary, and no other."""
    evaluation.load_state_dict(filled(make, (5, 6)).state_dict())


def resets(evaluation, make):
    """No batch."""
    evaluation.reset()


@pytest.fixture
def loads(tmp_path):
    """A change that merges the files of two ranks."""

    def load(evaluation, make):
        paths = [tmp_path / f"{number}" for number in (5, 6)]
        for number, path in zip((5, 6), paths, strict=True):
            if not path.exists():
                filled(make, (number,)).save(path)
        evaluation.load(paths)

    return load


@pytest.mark.parametrize("make", [Listed, hits, several])
def test_files_count_entirely_or_not_at_all(make, loads, monkeypatch):
    """Whatever ends `load`: all files count, or none of them."""
    check_changes(make, loads, monkeypatch, points=1000 if make is Listed else 30)


@pytest.mark.parametrize(
    ("make", "change"),
    [(make, change) for make in (hits, window, several) for change in (adds, merges)]
    + [(hits, subtracts), (pair, merges), (pair, resets)]
    + [(make, replaces) for make in (hits, window, several, pair, Listed)],
)
@pytest.mark.filterwarnings("ignore:.*no samples were added")
def test_a_change_counts_entirely_or_not_at_all(make, change, monkeypatch):
    """Whatever ends it: no sample is lost, and none counts in part."""
    check_changes(make, change, monkeypatch)


def check_changes(make, change, monkeypatch, points=30):
    """Interrupt a change at many of its lines: the results are those before it, or those after."""
    monkeypatch.setattr(State, "block", 300)

    def computed(n):
        """What is computed after the change, and again after one more batch."""
        evaluation, interrupting = filled(make, range(5)), Interrupting(n, Alarm, CHANGED)
        if n is not None:
            with suppress(Alarm, ValueError), interrupting:  # reading takes an Alarm for damage
                change(evaluation, make)
        found = [evaluation.compute()]
        add(evaluation, 9)
        return [*found, evaluation.compute()], interrupting.lines

    (before, _), (after, lines) = computed(None), computed(0)
    assert lines > (30 if change is resets else 50)

    for n in range(1, lines + 1, max(1, lines // examples(points))):
        found, _ = computed(n)
        assert same(found, before) or same(found, after), n
