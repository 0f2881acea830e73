"""Every kind of state keeps the laws of states, and refuses rows that it cannot take."""

import math
from fractions import Fraction

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like import state
from mmeval_like._accumulate.rows import Ragged, concatenate, take
from mmeval_like.metrics._shared.decibels import DecibelSum
from mmeval_like.metrics.statistics.moments import MomentSums
from mmeval_like.metrics.statistics.score_lists import ScoreState
from mmeval_like.metrics.statistics.weighted_counts import WeightedCount
from mmeval_like.state import State
from mmeval_like.testing import LocalWorld, StateCase, check_state
from mmeval_like.testing.same import same
from tests.helpers.examples import examples

WIDE = [np.iinfo(np.int64).min, np.iinfo(np.int64).max, 2**53 + 1, -1, 0, 1, 2**31, -(2**32)]


def exact(values):
    """The textbook sum, rounded once."""
    finite = [Fraction(value) for value in values if math.isfinite(value)]
    rest = {value for value in values if not math.isfinite(value)}
    if any(map(math.isnan, rest)) or len(rest) == 2:
        return math.nan
    total = sum(finite, Fraction(0))
    try:
        return rest.pop() if rest else float(total)
    except OverflowError:  # Python raises where IEEE 754 rounds to infinity
        return math.inf if total > 0 else -math.inf


def integers(rng, n):
    """Integers of a random width, up to the largest that it holds."""
    dtype = np.dtype(rng.choice(["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i4"]))
    if dtype.kind == "b":
        return rng.random(n) < 0.5
    limits = np.iinfo(dtype)
    low, high = max(limits.min, -(2**63)), min(limits.max, 2**63 - 1)
    return rng.choice(np.array([low, high, 0, 1, high - 5], dtype), n)


def floats(rng, n):
    """Floats of all magnitudes, of a random width; sometimes with nan and infinities."""
    dtype = rng.choice(["f2", "f4", "f8", ">f8", "i2", "i8"])
    if dtype[0] == "i":
        return rng.integers(-(2**15), 2**15, n).astype(dtype)
    with np.errstate(over="ignore"):
        values = (rng.normal(size=n) * 10.0 ** rng.integers(-320, 308, n)).astype(dtype)
    if rng.random() < 0.7:
        values[~np.isfinite(values)] = 1
    return values


def codes(rng, n):
    """One code, several or any number of them per row."""
    form = rng.integers(3)
    if form == 2:
        lengths = rng.integers(0, 4, n)
        return Ragged(rng.integers(0, 7, lengths.sum()).astype(np.uint8), lengths)
    return rng.integers(0, 7, (n, 2) if form else n)


def any_codes(rng, n):
    """Codes over all of int64, of a random width."""
    dtype = rng.choice(["i1", "u4", "i8", "u8"])
    if dtype == "u8":
        return rng.choice(np.array([0, 2**63 - 1, 2**53 + 1], np.uint64), n)
    return rng.choice(np.array(WIDE), n) if dtype == "i8" else rng.integers(0, 99, n).astype(dtype)


def flat(rows):
    """All codes."""
    return (rows.values if isinstance(rows, Ragged) else rows).reshape(-1).astype(np.int64)


def table(rows):
    """Python's sums of the columns."""
    return np.array([sum(map(int, column)) for column in rows.T], np.int64)


def maximum(rows):
    """The largest, nan if there is one; None of no rows."""
    values = rows.tolist()
    return (math.nan if any(map(math.isnan, values)) else float(max(values))) if values else None


def small_floats(rng, n, width):
    """Rows of numbers whose products are normal floats."""
    return rng.normal(size=(n, *width)) * 10.0 ** rng.integers(-20, 20, (n, *width))


def weighted(rows):
    """Exact sums of the first column by the others."""
    chosen = [[row[0] for row in rows.tolist() if row[1] == code] for code in range(4)]
    return np.array([exact(values) for values in chosen])


CASES = {
    "sum int": StateCase(
        state.sum(int), integers, lambda rows: sum(map(int, rows.tolist())), subtracts=True
    ),
    "sum int of a shape": StateCase(
        state.sum(int, (3,)), lambda rng, n: rng.integers(-(2**56), 2**56, (n, 3)), table,
        subtracts=True,
    ),
    "sum float": StateCase(
        state.sum(), floats, lambda rows: exact(rows.tolist()), subtracts=True, most=700
    ),
    "sum float of a shape": StateCase(
        state.sum(float, (2,)),
        lambda rng, n: small_floats(rng, n, (2,)),
        lambda rows: np.array([exact(column) for column in rows.T.tolist()]),
        subtracts=True,
        most=700,
    ),
    "count": StateCase(
        state.count(7), codes, lambda rows: np.bincount(flat(rows), minlength=7), subtracts=True
    ),
    "count any": StateCase(
        state.count(None), codes, lambda rows: np.bincount(flat(rows)), subtracts=True
    ),
    "tally": StateCase(
        state.tally(),
        any_codes,
        lambda rows: tuple(np.unique(flat(rows), return_counts=True)),
        subtracts=True,
    ),
    "tally of several": StateCase(
        state.tally(),
        codes,
        lambda rows: tuple(np.unique(flat(rows), return_counts=True)),
        subtracts=True,
    ),
    "max float": StateCase(state.max(), floats, maximum),
    "min int": StateCase(
        state.min(int), integers, lambda rows: int(min(rows.tolist())) if len(rows) else None
    ),
    "last": StateCase(
        state.last(5, np.int64), lambda rng, n: rng.integers(0, 999, n), lambda rows: rows[-5:],
        order_matters=True,
    ),
    "last of many": StateCase(
        state.last(1000, np.float32, (2,)),
        lambda rng, n: rng.random((n, 2)),
        lambda rows: rows[-1000:].astype(np.float32),
        order_matters=True,
    ),
    "last ragged": StateCase(
        state.last(4, np.uint8),
        lambda rng, n: Ragged(*(lambda k: (np.arange(k.sum()) % 250, k))(rng.integers(0, 3, n))),
        lambda rows: take(
            Ragged(rows.values.astype(np.uint8), rows.lengths),
            np.arange(max(0, len(rows) - 4), len(rows)),
        ),
        order_matters=True,
    ),
    "cat": StateCase(
        state.cat(np.int16), lambda rng, n: rng.integers(0, 99, n),
        lambda rows: rows.astype(np.int16), order_matters=True,
    ),
    "objects": StateCase(
        state.objects(), lambda rng, n: [str(k) for k in rng.integers(0, 99, n)], list,
        order_matters=True,
    ),
    "weighted count": StateCase(
        WeightedCount(4),
        lambda rng, n: np.column_stack([small_floats(rng, n, ()), rng.integers(0, 4, n)]),
        weighted,
        subtracts=True,
        most=700,
    ),
    "weighted count of several numbers": StateCase(
        WeightedCount(4, codes=2, numbers=2),
        lambda rng, n: np.column_stack([small_floats(rng, n, (2,)), rng.integers(0, 4, (n, 2))]),
        lambda rows: weighted(np.concatenate([rows[:, [0, 2]], rows[:, [1, 3]]])),
        subtracts=True,
        most=700,
    ),
    "moments": StateCase(
        MomentSums(1),
        lambda rng, n: np.where([1, 0, 0], rng.choice([1.0, 3.0]), small_floats(rng, n, (1, 3))),
        lambda rows: np.array([[
            exact([Fraction(w) * y**a * p**b for w, y, p in map(fractions_of, rows[:, 0])])
            for a, b in ((0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2))
        ]]),
        subtracts=True,
    ),
    "decibels": StateCase(
        DecibelSum(),
        lambda rng, n: rng.random((n, 3, 2)),
        lambda rows: exact([
            sum(10 * math.log10(a / b) for a, b in frames) / 3 for frames in rows.tolist()
        ]),
        subtracts=True,
    ),
}  # fmt: skip


def fractions_of(numbers):
    """A row of floats as fractions."""
    return map(Fraction, numbers.tolist())


@pytest.mark.parametrize("name", CASES)
def test_kinds_keep_the_laws(name):
    """Any batches, grouping, ranks and order; arrays are the state; subtracting undoes merging."""
    check_state(CASES[name], examples=examples(12))


def test_scores_keep_the_laws():
    """Scores by class and label, sorted when they are sent."""

    def rows(rng, n):
        return np.stack([rng.normal(size=(n, 2)), rng.integers(0, 2, (n, 2))], axis=2)

    def value(rows):
        if not len(rows):
            return []
        return [
            np.sort(rows[rows[:, c, 1] == positive, c, 0]) for c in (0, 1) for positive in (0, 1)
        ]

    class Sorted(ScoreState):
        def value(self, folded):
            if not folded:
                return []
            groups = super().value(folded).groups
            return [np.sort(np.concatenate(runs)) for runs in groups] if len(groups) else []

        def to_arrays(self, folded):
            return ScoreState(2, False).to_arrays(folded)

    kind = Sorted(2, False)
    laws = ["equals_oracle", "any_batches", "any_grouping", "any_order", "arrays_are_the_state"]
    check_state(StateCase(kind, rows, lambda given: value(given)), only=laws)


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
