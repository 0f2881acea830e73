"""Every kind of state: folding any batches in any grouping gives one value, packed or not."""

import math
from fractions import Fraction
from functools import reduce

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmeval_like import state
from mmeval_like.rows import Ragged, concatenate, take
from mmeval_like.testing.same import same

INTS = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i4"]
FLOATS = ["f2", "f4", "f8", ">f8"]


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


KINDS = {
    "sum int": (state.sum(int), lambda rows: sum(map(int, rows.tolist()))),
    "sum float": (state.sum(), lambda rows: exact(rows.tolist())),
    "count": (state.count(4), lambda rows: np.bincount(rows % 4, minlength=4)),
    "count any": (state.count(None), lambda rows: np.bincount(rows)),
    "max int": (state.max(int), lambda rows: max(map(int, rows.tolist()), default=None)),
    "min float": (state.min(), lambda rows: float(min(rows.tolist())) if len(rows) else None),
}


def numbers(name, dtype, data, count):
    """Rows that this kind accepts, in this dtype."""
    if "count" in name:
        return data.draw(rows_between(0, 3, count)).astype(dtype)
    if dtype == "?":
        return data.draw(rows_between(0, 1, count)).astype(bool)
    if np.dtype(dtype).kind in "iu":
        limits = np.iinfo(dtype)
        low, high = max(limits.min, -(2**40)), min(limits.max, 2**40)
        return data.draw(rows_between(low, high, count)).astype(dtype)
    width = 8 * np.dtype(dtype).itemsize
    floats = st.floats(width=width, allow_nan=False, allow_infinity="sum" in name)
    return np.array(data.draw(st.lists(floats, min_size=count, max_size=count)), dtype)


def rows_between(low, high, count):
    """Int64 rows."""
    several = st.lists(st.integers(low, high), min_size=count, max_size=count)
    return several.map(lambda values: np.array(values, np.int64))


@pytest.mark.parametrize("name", KINDS)
@settings(max_examples=60)
@given(data=st.data())
def test_any_grouping_gives_one_value(name, data):
    """Batches of any dtypes, folded, merged, packed and saved in any way: the textbook's value."""
    kind, textbook = KINDS[name]
    dtypes = INTS if "float" not in name else INTS + FLOATS
    batches = [
        numbers(name, data.draw(st.sampled_from(dtypes)), data, data.draw(st.integers(0, 4)))
        for _ in range(data.draw(st.integers(1, 4)))
    ]
    checked = [kind.check("s", batch) for batch in batches]
    if "float" in name:  # integers of 64 bits count as the float64 nearest to them
        everything = np.concatenate([batch.astype(np.float64) for batch in batches])
    else:
        everything = np.concatenate([batch.astype(np.int64) for batch in batches])
    expected = textbook(everything)

    folds = [kind.fold(kind.empty(), rows) for rows in checked]
    packed = [b"ab" + b"".join(kind.pack(fold)) + b"c" for fold in folds]
    unpacked = [kind.unpack(memoryview(p), 2) for p in packed]
    assert all(end == len(p) - 1 for (_, end), p in zip(unpacked, packed, strict=True))
    saved = [kind.from_array(kind.to_array(fold)) for fold in folds]
    copies = [kind.copy(fold) for fold in folds]
    found = [
        kind.fold(kind.empty(), concatenate(checked)),
        reduce(kind.fold, checked, kind.empty()),
        reduce(kind.merge, [fold for fold, _ in unpacked]),
        reduce(kind.merge, saved),
        reduce(kind.merge, copies[::-1], kind.empty()),
        reduce(kind.merge, folds, kind.empty()),
    ]
    for folded in found:
        assert same(kind.value(folded), expected)


@given(st.data())
def test_dense_sums_add_up(data):
    """States that add up: the sum of the dense vectors is the dense vector of the sum."""
    for name in ("sum int", "sum float", "count"):
        kind, textbook = KINDS[name]
        parts = [numbers(name, "i8", data, data.draw(st.integers(0, 4))) for _ in range(3)]
        vectors = [kind.to_dense(kind.fold(kind.empty(), rows)) for rows in parts]

        assert {vector.shape for vector in vectors} == {(kind.dense_size,)}
        assert {vector.dtype for vector in vectors} == {np.dtype(np.int64)}
        total = kind.from_dense(np.sum(vectors, axis=0))
        assert same(kind.value(total), textbook(np.concatenate(parts)))


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


def test_codes_of_several_per_sample():
    """A histogram counts every code of a sample, one or many or any number of them."""
    kind = state.count(3)
    ragged = Ragged(np.array([0, 0, 2], np.uint8), np.array([0, 2, 1]))
    rows = [np.array([[1, 1], [2, 0]]), ragged, np.array([True])]
    checked = [kind.check("s", each) for each in rows]

    folded = kind.fold(kind.empty(), concatenate(checked))
    assert kind.value(folded).tolist() == [3, 3 + 0, 2]
    first = kind.fold(kind.empty(), take(checked[1], slice(0, 2)))
    assert kind.value(first).tolist() == [2, 0, 0]


def test_nan_wins_extremes():
    """The maximum and the minimum of nan and numbers is nan."""
    for kind in (state.max(), state.min()):
        folded = kind.fold(kind.empty(), np.array([1.0, math.nan]))
        assert math.isnan(kind.value(kind.merge(folded, kind.fold(None, np.array([2.0])))))


def test_values_are_not_the_state():
    """What compute_metric gets may be changed in place; what is kept stays."""
    for kind in (
        state.sum(int, (2,)),
        state.count(2),
        state.sum(float, (2,)),
        state.max(int, (2,)),
    ):
        rows = np.array([0, 1]) if repr(kind) == "count(2)" else np.ones((3, 2), int)
        folded = kind.fold(kind.empty(), rows)
        before = kind.value(folded).tolist()
        kind.value(folded)[:] = 99

        assert kind.value(folded).tolist() == before


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
    (state.count(None), np.array([-5]), ValueError, "got -5"),
    (state.cat(np.uint8), np.array([256]), ValueError, "must fit into uint8, got int64"),
    (state.cat(np.int64), np.array([0.5]), ValueError, "must fit into int64, got float64"),
    (state.cat(np.int64), np.array([math.nan]), ValueError, "must fit into int64"),
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
    """Sums are of int or float."""
    with pytest.raises(TypeError, match="dtype must be int or float"):
        state.sum(np.float32)


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
