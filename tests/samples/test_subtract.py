"""subtract undoes merge: for every metric whose states form a group, and for collections."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mmeval_like as mm
from mmeval_like import state
from mmeval_like._states.kinds.abstract import State
from mmeval_like._states.results import make_results
from mmeval_like.metrics.classification.class_counts import ClassCounts
from mmeval_like.testing import LocalWorld
from mmeval_like.testing.same import same
from tests.metric_cases import CASES

values = st.lists(st.floats(-1e300, 1e300), max_size=20)


class Group(mm.BaseMetric):
    """Every kind of state that can be subtracted."""

    real = state.sum()
    whole = state.sum(int)
    bins = state.count(5)
    growing = state.count(None)
    tallied = state.tally()

    def rows(self, numbers):
        """Rows of all kinds from floats."""
        numbers = np.asarray(numbers, float)
        codes = (np.abs(numbers) % 5).astype(int)
        return {
            "real": numbers,
            "whole": codes << 60,
            "bins": codes,
            "growing": codes,
            "tallied": codes << 50,
        }

    def compute_metric(self, results):
        """Everything as it is."""
        return {
            "count": len(results),
            "real": results.real,
            "whole": results.whole,
            "bins": results.bins.tolist(),
            "growing": results.growing.tolist(),
            "tallied": [array.tolist() for array in results.tallied],
        }


def metric_of(*batches):
    """A metric that got these batches."""
    metric = Group(dist_backend="non_dist")
    for batch in batches:
        metric.add(batch)
    return metric


@pytest.mark.filterwarnings("ignore:.*no samples")
@given(first=values, second=values, third=values)
def test_a_window_is_what_is_in_it(first, second, third):
    """After pieces were merged and subtracted: the bits of a metric that saw the others alone."""
    metric = metric_of(first)
    metric.merge(metric_of(second))
    metric.subtract(metric_of(first))
    assert same(metric.compute(), metric_of(second).compute())
    metric.add(third)
    assert same(metric.compute(), metric_of(second, third).compute())
    metric.subtract(metric_of(second, third))
    assert same(metric.compute(), metric_of().compute())


def test_windows_on_ranks():
    """Each rank subtracts its own old piece; the exchange is that of the samples left."""

    def window(backend):
        rank = float(backend.rank)
        metric, old = (Group(dist_backend=backend) for _ in range(2))
        old.add([rank, 2.0])
        metric.add([0.1 * rank, 4.0])
        metric.merge(old)
        metric.subtract(old)
        return metric.compute()

    whole = metric_of([0.0, 4.0], [0.1, 4.0], [0.2, 4.0]).compute()
    assert all(same(value, whole) for value in LocalWorld(3).run(window))


def test_collections_subtract():
    """All members at once."""
    make = {"accuracy": mm.Accuracy(), "matrix": mm.ConfusionMatrix(3)}
    metrics, old = (mm.MetricCollection(make, "non_dist") for _ in range(2))
    old.add([1, 1], [1, 2])
    metrics.merge(old)
    metrics.add([2], [2])
    metrics.subtract(old)

    assert metrics.compute()["accuracy"] == {"top1": 1.0}
    assert metrics.compute()["matrix"]["confusion_matrix"].tolist() == [[0] * 3, [0] * 3, [0, 0, 1]]


class Largest(mm.BaseMetric):
    """A maximum beside a sum."""

    total = state.sum(int)
    largest = state.max()

    def rows(self, numbers):
        """The numbers."""
        return {"total": np.asarray(numbers), "largest": np.asarray(numbers)}

    def compute_metric(self, results):
        """Both."""
        return {"total": results.total, "largest": results.largest}


class Kept(mm.BaseMetric):
    """Rows that are kept."""

    every = state.cat()

    def rows(self, numbers):
        """The numbers."""
        return {"every": np.asarray(numbers, float)}

    def compute_metric(self, results):
        """All."""
        return {"every": results.every}


@pytest.mark.parametrize(
    ("make", "ids", "error", "text"),
    [
        (Largest, None, TypeError, r"maximum\(float, \(\)\) cannot be subtracted"),
        (Kept, None, TypeError, "'every' are kept"),
        (mm.Accuracy, [0, 1], ValueError, "ids="),
    ],
)
def test_what_cannot_be_subtracted_says_so(make, ids, error, text):
    """A state that forgets, rows in order, samples with ids: an error, and nothing is lost."""
    metric, other = (make(dist_backend="non_dist") for _ in range(2))
    batch = ([1, 2], [1, 1]) if make is mm.Accuracy else ([1, 2],)
    metric.add(*batch, ids=ids)
    other.add(*batch, ids=ids)
    before = metric.compute()

    with pytest.raises(error, match=text):
        metric.subtract(other)

    assert same(metric.compute(), before)


def test_samples_that_were_never_added_are_refused():
    """More samples than there are, other options, counts below zero."""
    metric = metric_of([1.0, 2.0])
    before = metric.compute()
    with pytest.raises(ValueError, match="3 samples cannot be subtracted from 2"):
        metric.subtract(metric_of([1.0, 2.0, 3.0]))
    with pytest.raises(ValueError, match="added before"):
        metric.subtract(metric_of([3.0]))
    with pytest.raises(ValueError, match="only equal metrics subtract"):
        metric.subtract(mm.Accuracy())
    metric.subtract(metric_of())

    assert same(metric.compute(), before)


@pytest.mark.parametrize(
    ("make", "added", "taken"),
    [
        (mm.Mean, ([1.0, 2.0],), ([1.0, 3.0],)),
        (mm.Sum, ([1.0, 2.0],), ([float("inf"), 3.0],)),
        (mm.Accuracy, ([1, 1], [1, 0]), ([0, 0], [0, 0])),
        (mm.Accuracy, ([1, 1, 1], [1, 1, 1]), ([1, 1], [0, 0])),
        (mm.MeanSquaredError, ([1.0, 2.0], [1.0, 1.0]), ([5.0], [1.0])),
        (mm.RootMeanSquaredError, ([1.0, 2.0], [1.0, 1.0]), ([5.0], [1.0])),
        (mm.R2Score, ([1.0, 2.0, 3.0], [0.0, 1.0, 2.0]), ([1.0], [9.0])),
        (mm.MeanAbsoluteError, ([1.0, 2.0], [1.0, 1.0]), ([5.0], [1.0])),
    ],
)
def test_sums_that_no_samples_left_can_have_are_refused(make, added, taken):
    """A sum that is left of no samples, too few or many hits, negative squares or weights."""
    metric, other = make(), make()
    metric.add(*added)
    other.add(*taken)
    before = metric.compute()

    with pytest.raises(ValueError, match="added before"):
        metric.subtract(other)

    assert same(metric.compute(), before)


def test_members_and_slices_are_checked():
    """A negative mean of squares of one slice of one member: nothing is lost."""

    def make():
        return mm.MetricCollection({"errors": mm.Sliced(mm.MeanSquaredError(), by="k")})

    metric, other = make(), make()
    metric.add([1.0, 2.0, 9.0], [1.0, 1.0, 1.0], by={"k": ["a", "a", "b"]})
    other.add([5.0], [1.0], by={"k": ["a"]})
    before = metric.compute()
    with pytest.raises(ValueError, match=r"'mse' of the samples left would be -15.0"):
        metric.subtract(other)
    assert same(metric.compute(), before)


PARTS = [([[0, 1]], [[1, 0]]), ([[0, 1], [1, 0]], [[0, 1], [0, 1]]), ([[0, 1]], [[0, 0]])]
EVENTS = [([1, 1, 0, 1], [1, 0, 0, 0]), ([0, 1], [1, 1]), ([1, 1, 0, 1, 1], [1, 0, 0, 0, 0])]


@pytest.mark.filterwarnings("ignore:intervals that promise less")
@pytest.mark.parametrize(
    ("make", "parts"),
    [
        (lambda: mm.MeanIoU(num_classes=3, interval=0.9), PARTS),
        (lambda: mm.ForecastContingency(0.5, interval=0.9), EVENTS),
    ],
)
def test_the_end_of_an_interval_has_the_range_of_its_value(make, parts):
    """A kappa may be negative, and a bias above 1, among shares: so may the ends of theirs."""
    total, others, one = make(), make(), make()
    for place, samples in enumerate(parts):
        total.add(*map(np.array, samples))
        (others if place else one).add(*map(np.array, samples))
    assert min(others.compute().values()) < 0

    total.subtract(one)

    assert same(total.compute(), others.compute())


def test_counts_are_refused_without_values(monkeypatch):
    """More hits than predictions are seen in the counts; no value of many classes is computed."""

    def make():
        metrics = [mm.Precision, mm.Recall, mm.FBetaScore, mm.StatScores]
        options = {"task": "multiclass", "num_classes": 1000}
        return mm.MetricCollection([metric(**options) for metric in metrics], "non_dist")

    metric, other, wrong, left = (make() for _ in range(4))
    for one in (metric, other):
        one.add([5, 999], [5, 1])
    for one in (metric, left):
        one.add([5, 6], [5, 7])
    wrong.add([5], [7])  # a label and predictions, but the hits stay
    wrong.add([5], [1])
    monkeypatch.setattr(mm.Precision, "compute_metric", None)
    with pytest.raises(ValueError, match="added before"):
        metric.subtract(wrong)
    metric.subtract(other)
    monkeypatch.undo()
    assert same(metric.compute(), left.compute())


def test_margins_are_possible_if_a_matrix_has_them():
    """Hits, predictions and labels of three classes, against all matrices of up to 3 samples."""
    cells = [np.bincount(c, minlength=9) for n in range(4) for c in product(range(9), repeat=n)]
    known = {(*m.diagonal(), *m.sum(0), *m.sum(1)) for m in np.reshape(cells, (-1, 3, 3))}
    counts, tried = ClassCounts(3), 0
    for margins in product(range(4), repeat=9):
        right, predicted, support = np.reshape(margins, (3, 3))
        if sum(predicted) == sum(support) <= 3 and sum(right) <= 3:
            folded = {
                "true_positive": np.array([3 - sum(right), *right]),
                "predicted": np.array([0, *predicted]),
                "support": support,
            }
            found = counts.possible(make_results(counts.states(), folded, sum(support)))
            assert found == (margins in known), margins
            tried += 1
    assert tried > 2 * len(known)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(CASES))
def test_every_metric_subtracts_or_says_why_not(name):
    """Merged and subtracted: the bits from before; else an error, and nothing is lost."""
    case = CASES[name]
    rng = np.random.default_rng(len(name))
    pieces = [case.samples(rng, max(case.least, 4)) for _ in range(2)]
    metric, other = (case.make(dist_backend="non_dist") for _ in range(2))
    metric.add(*pieces[0])
    other.add(*pieces[1])
    before = metric.compute()
    metric.merge(other)
    both = metric.compute()
    states = metric.plan.slots[0].states().values()
    if any(type(state).subtract is State.subtract for state in states):
        with pytest.raises((TypeError, ValueError), match="subtracted"):
            metric.subtract(other)
        assert same(metric.compute(), both)
    else:
        metric.subtract(other)
        assert same(metric.compute(), before)


@pytest.mark.parametrize("collected", [False, True])
@pytest.mark.parametrize("make", [mm.Quantile, Kept])
def test_nothing_is_subtracted_from_kept_rows(make, collected):
    """An empty metric takes nothing away, whatever the states are."""

    def made():
        return mm.MetricCollection({"a": make()}, "non_dist") if collected else make()

    metric = made()
    metric.add([1.0, 2.0, 4.0])
    before = metric.compute_local()

    metric.subtract(made())

    assert same(metric.compute_local(), before)
