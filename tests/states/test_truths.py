"""64 bits of a sample's truth: what they depend on, and what they do not."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmeval_like._states.truths import different, truth_digests
from tests.helpers.examples import examples
from tests.helpers.optional import requires

NUMBERS = st.one_of(
    st.integers(-9, 300),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.booleans(),
    st.sampled_from([-0.0, 0, 255, -100]),
)
ENTRIES = st.one_of(
    NUMBERS,
    st.text(max_size=4),
    st.none(),
    st.lists(st.sampled_from([0, 1, 2, 255]), max_size=4),
    st.lists(st.text(max_size=2), max_size=3),
    st.sampled_from([[[0.0, 1.0, 2.0, 3.0]], [[0, 1], [255, 3]], [["a"], ["b", "c"]]]),
    st.dictionaries(st.text(max_size=2), st.lists(st.integers(0, 9), max_size=2), max_size=2),
    st.sets(st.integers(0, 9), max_size=3),
)
LISTS = st.one_of(
    st.lists(ENTRIES, min_size=1, max_size=7),
    st.lists(st.lists(NUMBERS, min_size=2, max_size=2), min_size=1, max_size=7),
    st.lists(NUMBERS, min_size=1, max_size=7),
)


def digests(values: Any, count: int, ignored: int | None = None) -> list[int]:
    """The digests of samples, as integers."""
    return truth_digests(values, range(count), ignored).tolist()


@given(LISTS, st.sampled_from([None, 255]))
@settings(max_examples=examples(150), deadline=None)
def test_a_sample_has_its_digest_in_any_batch(entries: list[Any], ignored: int | None) -> None:
    """The digests of a batch are those of its samples one by one."""
    alone = [digests([entry], 1, ignored)[0] for entry in entries]

    assert digests(entries, len(entries), ignored) == alone


@given(st.lists(ENTRIES, min_size=2, max_size=2))
@settings(max_examples=examples(100), deadline=None)
def test_other_truths_have_other_digests(entries: list[Any]) -> None:
    """Two entries have one digest only if they are equal, or one is a list of the other."""
    one, other = entries
    if digests([one], 1) == digests([other], 1):
        while isinstance(one, list) and len(one) == 1:
            [one] = one
        while isinstance(other, list) and len(other) == 1:
            [other] = other
        if repr(one) != repr(other):
            assert np.ravel(one).tolist() == np.ravel(other).tolist()


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i4", ">i2", "u8", "f2", "f4", ">f8", "O"])
@pytest.mark.parametrize("shape", [(2_000,), (1_000, 2), (500, 2, 2), (2_000, 1)])
def test_numbers_count_and_not_their_types(dtype: str, shape: tuple[int, ...]) -> None:
    """Equal numbers have equal digests in any dtype, byte order, layout and in lists."""
    numbers = np.random.default_rng(0).integers(0, 2, shape)
    wanted = digests(numbers, len(numbers))

    for same in (numbers.astype(dtype), np.asfortranarray(numbers.astype(dtype)), numbers.tolist()):
        assert digests(same, len(numbers)) == wanted
    assert digests([*numbers.astype(dtype)], len(numbers)) == wanted


@pytest.mark.parametrize("library", ["torch", "pandas", "pyarrow", "jax.numpy"])
def test_columns_of_other_libraries_count_as_numpys(library: str) -> None:
    """Numbers and texts have the digests of lists in any array library."""
    module: Any = requires(library)
    make = {"torch": "tensor", "pandas": "Series", "pyarrow": "array", "jax.numpy": "array"}
    column = getattr(module, make[library])
    assert digests(column([3, 0, 7]), 3) == [3, 0, 7]
    if library in ("pandas", "pyarrow"):
        assert digests(column(["a", "b"]), 2) == digests(["a", "b"], 2)


@given(st.lists(st.lists(st.integers(0, 9), max_size=5), min_size=1, max_size=5), st.integers(0, 3))
@settings(max_examples=examples(50), deadline=None)
def test_padding_does_not_count(rows: list[list[int]], more: int) -> None:
    """A batch that is padded to any width with the ignored label has the digests of its samples."""
    width = max(map(len, rows)) + more
    padded = np.array([row + [-100] * (width - len(row)) for row in rows], np.int64)

    alone = [digests([row or [-100]], 1, -100)[0] for row in rows]
    assert digests(padded.reshape(len(rows), width), len(rows), -100) == (
        alone if width else digests([[]] * len(rows), len(rows), -100)
    )


def test_the_forms_of_one_label() -> None:
    """-0 is 0, all nans are equal, and the order of dicts and sets does not count."""
    nans = np.array([np.nan, -np.nan, np.float32("nan"), 0.0])
    nans[1] = np.frombuffer(b"\1\0\0\0\0\0\xf8\xff", np.float64)[0]
    assert len({*digests(nans, 4)[:3]}) == 1
    assert digests([-0.0, 0.5], 2)[0] == digests([False], 1)[0]
    assert digests([{"a": 1, "b": [2, 3]}], 1) == digests(
        [{"b": np.array([2.0, 3.0]), "a": True}], 1
    )
    assert digests([{"a", "b"}], 1) == digests([{"b", "a"}], 1)


def test_what_cannot_be_compared_is_unknown() -> None:
    """No truth, a wrong number of entries, and objects without contents never differ."""
    known = truth_digests([1, 2], range(2))
    for values in (None, [1], "ab", 5, [object(), object()]):
        unknown = truth_digests(values, range(2))
        assert not different(known, unknown).any()
        assert not different(unknown, truth_digests([3, 4], range(2))).any()
    assert different(known, truth_digests([1, 3], range(2))).tolist() == [False, True]
