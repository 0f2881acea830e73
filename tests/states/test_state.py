"""The kinds of state: sums without a limit, what is refused, and what memory they take."""

import math

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like import state
from mmeval_like._states.rows import Ragged, concatenate
from mmeval_like.state import State
from mmeval_like.testing import LocalWorld
from mmeval_like.testing.same import same


def test_integer_sums_have_no_limit():
    """Beyond int64 on one rank or over ranks: the single sum is exact, an array of them raises."""
    largest = np.iinfo(np.int64).max
    one, several = state.sum(int), state.sum(int, (1,))
    rows = np.full(5000, largest)
    folded = one.fold(one.empty(), one.check("s", rows))
    arrays = [one.to_arrays(folded)] * 3
    total = one.from_arrays({name: sum(a[name] for a in arrays) for name in arrays[0]})

    assert one.value(folded) == 5000 * largest
    assert one.value(total) == 15_000 * largest
    assert one.value(one.fold(one.empty(), -rows)) == -5000 * largest
    kept = several.fold(several.empty(), np.array([[largest], [1], [-1]]))
    assert several.value(kept).tolist() == [largest]
    with pytest.raises(OverflowError, match=r"shape \(1,\) lies beyond int64"):
        several.value(several.fold(kept, np.array([[1]])))


@pytest.mark.parametrize("number", [2**53 + 1, -(2**53) - 1, 2**63 - 1, 1_700_000_000_123_456_789])
@pytest.mark.parametrize("dtype", [np.int64, np.uint64, ">i8"])
def test_float_sums_refuse_integers_that_they_would_round(number, dtype):
    """Nanoseconds and ids are no floats; integers that are keep their value."""
    kind = state.sum()
    if number < 0 and dtype == np.uint64:
        number = -number
    with pytest.raises(ValueError, match=rf"'s' .*{number}"):
        kind.check("s", np.array([1, number], dtype))

    fits = np.array([2**53, 2**53, 3], dtype)
    assert kind.value(kind.fold(kind.empty(), kind.check("s", fits))) == float(2**54 + 3)


def test_batches_of_different_dtypes_do_not_round():
    """A batch of uint64 beside one of int64 would make floats of both: it does not."""
    kind = state.sum(int)
    large = 2**60 + 1
    rows = [kind.check("s", np.array([large], dtype)) for dtype in ("i8", "u8")]

    assert kind.value(kind.fold(kind.empty(), concatenate(rows))) == 2 * large
    with pytest.raises(ValueError, match="state 's' must fit into int64, got 9223372036854775808"):
        kind.check("s", np.array([2**63], np.uint64))


@pytest.mark.parametrize("make", [state.sum, state.max, state.min])
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 2)])
@pytest.mark.parametrize("dtype", [int, float])
def test_shapes(make, shape, dtype):
    """Rows of any shape fold element by element, and come back as the declared type."""
    kind = make(dtype, shape)
    rows = kind.check("s", np.arange(5 * math.prod(shape)).reshape(5, *shape))
    reduced = {state.sum: np.sum, state.max: np.max, state.min: np.min}[make](rows, axis=0)

    value = kind.value(kind.fold(kind.empty(), rows))

    assert same(value, reduced.astype(dtype) if shape else dtype(reduced))
    with pytest.raises(ValueError, match=r"must have shape \(n, "):
        kind.check("s", np.zeros((5, *shape, 1), int))


def test_memory_of_a_tally_is_that_of_the_different_codes():
    """Many small batches of few codes are few numbers; of all different codes, few runs."""
    few, many = state.tally(), state.tally()
    folded, runs = few.empty(), many.empty()
    for start in range(2000):
        folded = few.fold(folded, np.arange(start, start + 5) % 50 * 10**15)
        runs = many.fold(runs, np.arange(5 * start, 5 * start + 5))

    assert sum(len(codes) for codes, _ in folded) < 150
    assert len(runs) < 16
    assert many.value(runs)[0].tolist() == list(range(10_000))


def test_nan_wins_extremes():
    """The maximum and the minimum of nan and numbers is nan."""
    for kind in (state.max(), state.min()):
        folded = kind.fold(kind.empty(), np.array([1.0, math.nan]))
        assert math.isnan(kind.value(kind.merge(folded, kind.fold(None, np.array([2.0])))))


@pytest.mark.parametrize("kind", [state.count(3), state.count(None), state.tally()])
def test_counts_are_not_subtracted_below_zero(kind):
    """What was never added cannot be taken away."""
    folded = kind.fold(kind.empty(), np.array([0, 1]))
    with pytest.raises(ValueError, match="added before"):
        kind.subtract(folded, kind.fold(kind.empty(), np.array([1, 1])))


WRONG = [
    (state.sum(int), np.array([1.5]), TypeError, "'s' must be an array of int, got .*float64"),
    (state.sum(int), [1], TypeError, "got list"),
    (state.sum(), np.array(["1"]), TypeError, "must be an array of float"),
    (state.sum(), np.array([1j]), TypeError, "must be an array of float"),
    (state.sum(), np.float64(1), TypeError, "must be an array of float"),
    (state.sum(), np.array(1.0), ValueError, r"shape \(n, \*\(\)\), got \(\)"),
    (state.count(3), np.array([0, 3]), ValueError, r"codes .* \[0, 3\), got 3 at index 1"),
    (state.count(3), np.array([0, -1]), ValueError, r"got -1 at index 1"),
    (state.count(300), np.array([-1], np.int8), ValueError, "got -1 at index 0"),
    (state.count(3), np.array([[0, 1], [2, 7]]), ValueError, r"got 7 at index \(1, 1\)"),
    (state.count(3), np.array([0.0]), TypeError, "integer codes"),
    (state.count(3), np.array(1), ValueError, "one axis of samples"),
    (state.count(0), np.array([0]), ValueError, r"\[0, 0\)"),
    (state.count(None), np.array([-5]), ValueError, "got -5"),
    (state.tally(), np.array([0.5]), TypeError, "integer codes"),
    (state.tally(), np.array([2**63], np.uint64), ValueError, "got 9223372036854775808"),
    (state.last(2, np.uint8), np.array([256]), ValueError, "must fit into uint8, got int64"),
    (state.cat(np.uint8), np.array([256]), ValueError, "must fit into uint8, got int64"),
    (state.cat(np.int64), np.array([0.5]), ValueError, "must fit into int64, got float64"),
    (state.cat(np.int64), np.array([math.nan]), ValueError, "must fit into int64"),
    (state.cat(), np.array([2**53 + 1]), ValueError, "fit into float64, got int64 with 9007199"),
    (state.cat(np.int64), np.array([2.0**63]), ValueError, "must fit into int64"),
    (state.cat(), np.array([1j]), TypeError, "must be an array"),
    (state.cat(), [1.0], TypeError, "must be an array, got list"),
    (state.cat(float, (2,)), np.zeros((1, 3)), ValueError, r"shape \(n, \*\(2,\)\), got \(1, 3\)"),
    (state.objects(), np.zeros(2), TypeError, "must be a list, got ndarray"),
]


@pytest.mark.parametrize(("kind", "rows", "error", "text"), WRONG)
def test_wrong_rows_are_refused(kind, rows, error, text):
    """The error names the state, what it needs and what it got."""
    with pytest.raises(error, match=text):
        kind.check("s", rows)


def test_wrong_declarations_are_refused():
    """Sums are of int or float; the last rows are at least one."""
    with pytest.raises(TypeError, match="dtype must be int or float"):
        state.sum(np.float32)
    with pytest.raises(ValueError, match="at least 1, got 0"):
        state.last(0)


@pytest.mark.parametrize("dtype", ["?", "u1", "i8", "f4", "f8", "c16"])
def test_kept_rows_have_the_declared_dtype(dtype):
    """Rows are converted where nothing is lost but the digits of floats; so are ragged ones."""
    kind = state.cat(dtype)
    given = np.array([0, 1]).astype("f8" if np.dtype(dtype).kind in "fc" else "i8")
    ragged = kind.check("s", Ragged(given, np.array([2])))

    assert kind.check("s", given).dtype == kind.empty().dtype == ragged.values.dtype == dtype
    assert kind.check("s", given).tolist() == [0, 1]


def test_lists_and_tuples_are_objects():
    """Rows of objects may come as a list or a tuple; the list is a copy."""
    given = [{}, None]

    kept = state.objects().check("s", given)

    assert kept == given
    assert kept is not given
    assert state.objects().check("s", (1, "a")) == [1, "a"]


def test_a_histogram_that_no_memory_holds_is_refused():
    """The number of classes squared may be too large; the error says what to take instead."""
    with pytest.raises(ValueError, match=r"state\.tally"):
        mm.ConfusionMatrix(num_classes=10**8).add([1], [1])


class Extremes(State):
    """Without a word on how it is shown: the largest absolute numbers."""

    def __init__(self, most, norm=abs):
        self.most, self.norm = most, norm

    def check(self, name, rows):
        return np.asarray(rows, float)

    def empty(self):
        return np.empty(0)

    def fold(self, folded, rows):
        return np.sort(np.concatenate([folded, self.norm(rows)]))[-self.most :]

    def merge(self, folded, other):
        return self.fold(folded, other)

    def to_arrays(self, folded):
        return {"extremes": folded}

    def from_arrays(self, found):
        return found["extremes"]


def test_states_of_ones_own_are_equal_on_every_rank():
    """Each rank makes its own: the ranks agree, and see other options."""

    class Largest(mm.BaseMetric):
        def __init__(self, most, **options):
            super().__init__(**options)
            self._most = most

        def states(self):
            return {"extremes": Extremes(self._most)}

        def rows(self, values):
            return {"extremes": np.asarray(values, float)}

        def compute_metric(self, results):
            return {"largest": results.extremes}

    def evaluate(backend):
        metric = Largest(2, dist_backend=backend)
        metric.add([backend.rank, -5.0])
        return metric.compute()

    for found in LocalWorld(2).run(evaluate):
        assert found["largest"].tolist() == [5.0, 5.0]
    assert repr(Extremes(2)) == repr(Extremes(2)) == "Extremes(most=2, norm=abs)"
    assert repr(Extremes(2)) != repr(Extremes(3))
