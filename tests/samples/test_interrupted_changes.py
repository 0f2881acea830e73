"""An interrupt at any line of a change of the samples: all of the change counts, or nothing."""

from contextlib import suppress

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like._states.kinds.abstract import State
from mmeval_like.testing.same import same
from tests.exchange.interrupting import PACKAGE, Alarm, Interrupting
from tests.helpers.examples import examples

CHANGED = tuple(f"{PACKAGE}/{name}" for name in ("_samples", "_core/samples", "_core/ring"))


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


@pytest.mark.parametrize(
    ("make", "change"),
    [(make, change) for make in (hits, window, several) for change in (adds, merges)]
    + [(hits, subtracts), (pair, merges)],
)
def test_a_change_counts_entirely_or_not_at_all(make, change, monkeypatch):
    """Whatever ends `add`, `merge` or `subtract`: no sample is lost, and none counts in part."""
    monkeypatch.setattr(State, "block", 300)

    def computed(n):
        """What is computed after the change, and again after one more batch."""
        evaluation, interrupting = filled(make, range(5)), Interrupting(n, Alarm, CHANGED)
        if n is not None:
            with suppress(Alarm), interrupting:
                change(evaluation, make)
        found = [evaluation.compute()]
        add(evaluation, 9)
        return [*found, evaluation.compute()], interrupting.lines

    (before, _), (after, lines) = computed(None), computed(0)
    assert lines > 50

    for n in range(1, lines + 1, max(1, lines // examples(30))):
        found, _ = computed(n)
        assert same(found, before) or same(found, after), n
