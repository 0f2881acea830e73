"""Rows of the three forms behave like lists of samples, whatever is taken from them or joined."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval_like._states.rows import (
    Ragged,
    concatenate,
    interleave,
    rows_of_arrays,
    rows_to_arrays,
    take,
)
from mmeval_like.arrays.rank_order import global_order, kept_rows

lengths = st.lists(st.integers(0, 4), max_size=6)
counts = st.lists(st.integers(0, 7), min_size=1, max_size=5)
modes = st.sampled_from(["unzip", "cat"])


def samples(rows):
    """Rows as a list with one plain value per sample: what they mean."""
    if isinstance(rows, Ragged):
        return [part.tolist() for part in rows.split()]
    return rows.tolist() if isinstance(rows, np.ndarray) else list(rows)


def ragged(sizes, width=(), start=0):
    """A Ragged with entries that are all different."""
    values = np.arange(start, start + sum(sizes) * int(np.prod(width, dtype=int)))
    return Ragged(values.reshape(sum(sizes), *width), np.array(sizes, np.int64))


@st.composite
def rows_of(draw, count, form):
    """Rows of so many samples; `form` is dense, matrix, ragged, deep or list."""
    start = draw(st.integers(0, 100))
    if form == "list":
        return [f"{start}-{index}" for index in range(count)]
    if form in ("ragged", "deep"):
        sizes = draw(st.lists(st.integers(0, 3), min_size=count, max_size=count))
        return ragged(sizes, (2,) if form == "deep" else (), start)
    width = 3 if form == "matrix" else 1
    values = np.arange(start, start + count * width)
    return values.reshape(count, 3) if form == "matrix" else values


FORMS = ["dense", "matrix", "ragged", "deep", "list"]


@pytest.mark.parametrize("form", FORMS)
@given(data=st.data())
def test_take_is_indexing(form, data):
    """`take` is what indexing a list of samples is, for slices and for index arrays."""
    count = data.draw(st.integers(0, 6))
    rows = data.draw(rows_of(count, form))
    start, stop = data.draw(st.integers(0, 8)), data.draw(st.none() | st.integers(0, 8))
    chosen = data.draw(st.lists(st.integers(0, count - 1), max_size=8) if count else st.just([]))

    assert samples(take(rows, slice(start, stop))) == samples(rows)[start:stop]
    taken = take(rows, np.array(chosen, np.int64))
    assert samples(taken) == [samples(rows)[i] for i in chosen]


@pytest.mark.parametrize("form", FORMS)
@given(data=st.data())
def test_concatenate_joins_samples(form, data):
    """Joining parts joins their samples; no part is changed; the result is as long."""
    sizes = data.draw(counts)
    parts = [data.draw(rows_of(size, form)) for size in sizes]
    before = [samples(part) for part in parts]

    joined = concatenate(parts)

    assert samples(joined) == [sample for part in before for sample in part]
    assert len(joined) == sum(sizes)
    assert [samples(part) for part in parts] == before


def test_dense_and_ragged_parts_meet():
    """Batches with one entry per sample, with two, and with any number are of one state."""
    parts = [np.array([1, 2]), np.array([[3, 4], [5, 6]]), ragged([0, 1], start=7)]

    assert samples(concatenate(parts)) == [[1], [2], [3, 4], [5, 6], [], [7]]
    assert samples(concatenate([np.ones((1, 2)), np.zeros((1, 3))])) == [[1, 1], [0, 0, 0]]
    assert samples(concatenate([np.ones((1, 0)), np.zeros((2, 1))])) == [[], [0], [0]]
    pairs = [np.array([[1, 2], [3, 4]]), ragged([0, 2], (2,), start=5)]  # entries are pairs
    assert samples(concatenate(pairs)) == [[[1, 2]], [[3, 4]], [], [[5, 6], [7, 8]]]


def test_empty_ragged_parts_keep_the_dtype():
    """Parts without entries (whose dtype nobody chose) do not widen the others."""
    joined = concatenate([Ragged.from_arrays([]), ragged([2]), Ragged.from_arrays([])])

    assert joined.values.dtype == np.int64
    assert len(concatenate([Ragged.from_arrays([]), Ragged.from_arrays([])])) == 0


@given(arrays=st.lists(st.lists(st.integers(-9, 9), max_size=3), max_size=5))
def test_from_arrays_and_split_are_inverse(arrays):
    """Laying arrays end to end and splitting gives them back, empty ones included."""
    made = Ragged.from_arrays([np.array(array, np.int16) for array in arrays])

    assert [part.tolist() for part in made.split()] == arrays
    assert len(made) == len(arrays)


def test_ragged_is_checked_and_copied():
    """Lengths that do not add up are refused; a copy shares no memory."""
    with pytest.raises(ValueError, match="add up to the 3 values, they add up to 2"):
        Ragged(np.arange(3), np.array([1, 1]))
    original = ragged([1, 2])
    copied = original.copy()
    original.values[:] = 0
    original.lengths[:] = 0

    assert samples(copied) == [[0], [1, 2]]
    assert copied.nbytes == 5 * 8


@given(
    counts=st.lists(st.integers(0, 6), min_size=1, max_size=5), form=st.sampled_from(FORMS),
    data=st.data(),
)  # fmt: skip
def test_interleave_goes_round(counts, form, data):
    """One sample of each part in turn; parts that have run out are skipped."""
    parts = [data.draw(rows_of(count, form)) for count in counts]
    turns = range(max(counts))
    expected = [samples(p)[turn] for turn in turns for p in parts if turn < len(p)]
    before = [samples(part) for part in parts]

    assert samples(interleave(parts)) == expected
    assert [samples(part) for part in parts] == before


@given(counts=counts, mode=modes, data=st.data())
def test_kept_rows_and_order_against_brute_force(counts, mode, data):
    """The rows kept are the first `size` of the global order, spelled out sample by sample."""
    everyone = [(rank, row) for rank, count in enumerate(counts) for row in range(count)]
    in_order = sorted(everyone, key=lambda who: who[::-1]) if mode == "unzip" else everyone
    size = data.draw(st.integers(0, sum(counts)))

    kept = kept_rows(counts, size, mode)
    order = global_order(counts, mode)

    assert kept == [sum(who[0] == rank for who in in_order[:size]) for rank in range(len(counts))]
    places = range(len(everyone)) if order is None else order
    assert [everyone[place] for place in places] == in_order


@given(data=st.data())
def test_rows_are_arrays_by_name(data):
    """Rows of every form come back from their arrays."""
    rows = data.draw(rows_of(data.draw(st.integers(0, 5)), data.draw(st.sampled_from(FORMS))))

    found = rows_of_arrays(rows_to_arrays(rows))

    assert type(found) is type(rows)
    assert samples(found) == samples(rows)


@pytest.mark.parametrize(
    ("lengths", "text"),
    [
        (np.array([2, 2]), "add up to the 3 values, they add up to 4"),
        (np.array([4, -1]), "not be negative, got -1"),
        (np.array([3.0]), "1-D int64 array, got float64"),
        (np.array([[3]]), r"of shape \(1, 1\)"),
    ],
)
def test_lengths_that_do_not_fit_are_refused(lengths, text):
    """Else a row would take its neighbour's entries."""
    with pytest.raises(ValueError, match=text):
        Ragged(np.arange(3), lengths)
