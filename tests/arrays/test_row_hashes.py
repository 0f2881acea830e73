"""64 bits of every sample: what they depend on, and what they do not."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mmeval_like.arrays.row_hashes import row_hashes
from mmeval_like.records.digest import HashSum
from mmeval_like.testing import StateCase, check_state
from tests.helpers.examples import examples
from tests.helpers.optional import requires

NUMBERS = st.one_of(
    st.integers(-(2**63), 2**63 - 1), st.floats(width=64), st.booleans(), st.sampled_from([-0.0, 0])
)
ENTRIES = st.one_of(
    NUMBERS,
    st.text(max_size=5),
    st.lists(st.integers(-9, 9), max_size=3),
    st.lists(st.text(max_size=2), max_size=2),
    st.dictionaries(st.text(max_size=2), st.integers(0, 9), max_size=2),
)


@given(st.lists(ENTRIES, min_size=1, max_size=6), st.data())
@settings(max_examples=examples(60), deadline=None)
def test_a_sample_has_its_bits_in_any_batch(entries: list[Any], data: st.DataObject) -> None:
    """The hashes of a batch are those of its samples one by one, whatever stands beside them."""
    whole = row_hashes({"cells": entries}, len(entries))
    alone = [row_hashes({"cells": [entry]}, 1)[0] for entry in entries]

    assert whole.tolist() == alone


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.float32, np.float64, ">i4", object])
def test_numbers_count_and_not_their_types(dtype: Any) -> None:
    """Equal numbers have equal bits in any dtype, byte order and layout; lists as arrays."""
    numbers = np.array([[0, 1, 2], [3, 4, 5], [6, 7, 100]])
    wanted = row_hashes({"a": numbers}, 3)

    for same in (numbers.astype(dtype), np.asfortranarray(numbers.astype(dtype)), numbers.tolist()):
        assert (row_hashes({"a": same}, 3) == wanted).all()
    assert (row_hashes({"a": [*numbers.astype(dtype)]}, 3) == wanted).all()


def test_columns_of_other_libraries_are_arrays() -> None:
    """A column of Arrow has the bits of the numpy array, or list of texts, of its cells."""
    pa = requires("pyarrow")
    columns = {"a": pa.array([1.5, 2.0]), "b": pa.array(["x", "y"])}

    assert (row_hashes(columns, 2) == row_hashes({"a": [1.5, 2], "b": ["x", "y"]}, 2)).all()


def test_every_bit_and_every_name_counts() -> None:
    """No two of many samples that differ in one thing have the same bits."""
    rng = np.random.default_rng(0)
    floats = rng.normal(size=2000)
    neighbours = [floats, np.nextafter(floats, 9), np.nextafter(floats, -9), -floats]
    integers = 2**53 + np.arange(100)
    pairs = np.array([[i, j] for i in range(20) for j in range(20)])
    found = [
        *(row_hashes({"a": one}, 2000) for one in neighbours),
        row_hashes({"b": floats}, 2000),
        row_hashes({"a": integers}, 100),
        row_hashes({"a": np.arange(100)}, 100),
        row_hashes({"a": pairs}, 400),
        row_hashes({"a": pairs[:, 0], "b": pairs[:, 1]}, 400),
        row_hashes({"a": pairs[:, :1]}, 400)[::20],
        row_hashes({"a": [["1"], [77], "1", "", None, {"1": 1}, [[1]], []]}, 8),
    ]
    every = np.concatenate(found)

    assert len(np.unique(every)) == len(every)


def test_zeros_and_nans_are_one() -> None:
    """-0 is 0, and a nan is a nan, whatever its bits."""
    strange = np.array([0x7FF8000000000001, 0xFFF8000000000000], np.uint64).view(np.float64)

    assert len(set(row_hashes({"a": np.append(strange, np.nan)}, 3).tolist())) == 1
    assert len(set(row_hashes({"a": [0.0, -0.0, 0]}, 3).tolist())) == 1


def test_columns_have_one_length() -> None:
    """Another number of entries is refused, with the column's name."""
    with pytest.raises(ValueError, match="b must have an entry for each of the 2"):
        row_hashes({"a": [1, 2], "b": [1]}, 2)


def test_the_sum_of_hashes_is_a_state() -> None:
    """Any order and grouping of samples gives the sums that Python's integers give."""

    def oracle(hashes: np.ndarray) -> np.ndarray:
        words = hashes.tolist()
        second = [(word ^ (word >> 32)) * 0xD6E8FEB86659FD93 for word in words]
        return np.array([sum(words) % 2**64, sum(second) % 2**64], np.uint64).view(np.int64)

    check_state(
        StateCase(
            HashSum(),
            rows=lambda rng, n: rng.integers(0, 2**64, n, np.uint64),
            oracle=oracle,
            subtracts=True,
        )
    )


@given(st.lists(st.integers(-(2**63), 2**63 - 1) | st.floats(-1e30, 1e30), max_size=4))
@example([0, 2**53])
@example([2**53 + 1, 1 << 60, -(2**63), 0, 3])
@settings(max_examples=examples(60), deadline=None)
def test_large_integers_are_not_rounded_by_floats_beside_them(numbers: list[float]) -> None:
    """In a list each number keeps its bits; one that float64 holds has those of the float."""
    alone = [row_hashes({"a": [one]}, 1)[0] for one in numbers]
    exact = [float(one) for one in numbers if float(one) == one]

    assert row_hashes({"a": numbers}, len(numbers)).tolist() == alone
    assert {*row_hashes({"a": exact}, len(exact)).tolist()} <= {*alone}
    assert row_hashes({"a": [2**53 + 1]}, 1) != row_hashes({"a": [2.0**53]}, 1)


def test_integers_and_floats_of_one_sample_are_equal() -> None:
    """An entry of numbers of several shapes has the words of its numbers, whatever their dtype."""
    numbers = [{"a": [0, 2**53, 2**60]}, {"a": [1.0]}]
    floats = [{"a": np.array([0.0, 2.0**53, 2.0**60])}, {"a": [1]}]

    assert row_hashes({"x": numbers}, 2).tolist() == row_hashes({"x": floats}, 2).tolist()


@pytest.mark.parametrize("change", ["requires_grad_", "bfloat16", "float"])
def test_tensors_in_lists_are_arrays(change: str) -> None:
    """Those that numpy cannot read itself too: of one shape, of several, and within lists."""
    torch = requires("torch")
    shapes = [[1.0, 2.0], [3.0, 4.0]], [[1.0], [3.0, 4.0]], [1.0, 2.0]
    for numbers in shapes:
        tensors = [getattr(torch.tensor(one), change)() for one in numbers]
        wanted = row_hashes({"a": numbers}, 2)

        assert row_hashes({"a": tensors}, 2).tolist() == wanted.tolist()
    within = [[torch.tensor(1.0), getattr(torch.tensor(2.0), change)()]] * 2
    assert row_hashes({"a": within}, 2).tolist() == row_hashes({"a": [[1, 2]] * 2}, 2).tolist()


def test_objects_are_told_by_what_they_hold() -> None:
    """Sets in any order, and long arrays of texts in full; what only has an address is refused."""
    texts = [f"text {number}" for number in range(2000)]
    other = [*texts[:1000], "another", *texts[1001:]]
    long = row_hashes({"a": [np.array(texts), np.array(other), {"b": np.array(texts)}]}, 3)

    assert len(set(long.tolist())) == 3
    assert long[0] == row_hashes({"a": [texts]}, 1)[0]
    sets = [{"a": set(texts)}, {"a": frozenset(texts[::-1])}, {"a": sorted(texts)}]
    assert len(set(row_hashes({"a": sets}, 3).tolist())) == 1
    for odd in (object(), {"a": [1, object()]}, lambda: 0):
        with pytest.raises(TypeError, match="by their content"):
            row_hashes({"a": [odd]}, 1)


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.float32, np.float64, ">i4", object])
def test_numbers_within_objects_count_and_not_their_types(dtype: Any) -> None:
    """Boxes in a dict have the bits of the same numbers in lists; other numbers have others."""
    boxes, none = [[0, 1, 2, 3], [4, 5, 6, 7]], np.zeros((0, 4), dtype)
    wanted = row_hashes({"a": [{"boxes": boxes, "n": 2, "none": []}]}, 1)
    arrays = {"boxes": np.array(boxes, dtype), "n": np.array(2, dtype)[()], "none": none}
    other = {"boxes": np.array(boxes, dtype) + 1, "n": 2, "none": none}

    assert row_hashes({"a": [arrays]}, 1) == wanted
    assert (
        row_hashes({"a": [{"boxes": [[-0.0, 1, 2, 3], boxes[1]], "n": 2.0, "none": ()}]}, 1)
        == wanted
    )
    assert row_hashes({"a": [other]}, 1) != wanted
    large = [row_hashes({"a": [{"n": 2**53 + step}]}, 1)[0] for step in range(3)]
    assert len(set(large)) == 3


@pytest.mark.parametrize("number", [1e300, 2.0**53, math.inf, -math.inf])
def test_large_floats_within_objects_have_their_bits(number: float) -> None:
    """A score beyond 2^53, or an infinite one, is a number in a dict as well, of whatever type."""
    typed = [number, np.float64(number), np.array(number)]
    found = row_hashes({"a": [{"score": one} for one in typed]}, len(typed))

    assert len({*found.tolist()}) == 1
    assert row_hashes({"a": [{"score": number}, {"score": -number}]}, 2)[0] == found[0]
    assert row_hashes({"a": [{"score": -number}]}, 1) != found[0]


def test_large_integers_within_lists_are_not_rounded() -> None:
    """Nor in lists of lists, alone or in a batch; what float64 holds has the bits of the float."""
    lists = [[[2**53 + step, 0.5]] for step in (0, 1, 2)]
    found = row_hashes({"a": lists}, 3).tolist()

    assert len({*found, *row_hashes({"a": [{"b": one} for one in lists]}, 3).tolist()}) == 6
    assert found == [row_hashes({"a": [one]}, 1)[0] for one in lists]
    assert found[0] == row_hashes({"a": np.array([[[2.0**53, 0.5]]])}, 1)[0]
