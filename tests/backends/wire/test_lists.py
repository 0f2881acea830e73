"""Columns: any list comes back as it was, and lists of like entries take a few bytes each."""

import enum
import math
import pickle
from collections import OrderedDict, namedtuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from mmeval_like.backends.wire import packing
from mmeval_like.backends.wire.lists import pack_list, unpack_list
from tests.helpers.examples import examples
from tests.helpers.optional import requires

Point = namedtuple("Point", "x y")


class Grade(enum.IntEnum):
    """A number that is more than a number."""

    GOOD = 1


def alike(value, other):
    """Equal in type, bits and structure; nan equals nan, -0.0 is not 0.0."""
    if type(value) is not type(other):
        return False
    if isinstance(value, np.ndarray):
        same_kind = value.dtype == other.dtype and value.shape == other.shape
        if not same_kind or value.dtype == object:
            return same_kind and all(map(alike, value.flat, other.flat))
        return value.tobytes() == other.tobytes()
    if isinstance(value, np.longdouble):  # 80 bits and 48 that nobody sets
        return value == other
    if isinstance(value, np.generic):
        return value.dtype == other.dtype and value.tobytes() == other.tobytes()
    if isinstance(value, dict):
        return list(value) == list(other) and all(map(alike, value.values(), other.values()))
    if isinstance(value, list | tuple):
        return len(value) == len(other) and all(map(alike, value, other))
    if type(value).__name__ == "Tensor":
        same_kind = (value.dtype, value.shape) == (other.dtype, other.shape)
        return same_kind and packing.dumps(value) == packing.dumps(other)
    if isinstance(value, float | complex):
        return pickle.dumps(value) == pickle.dumps(other)
    return value == other


def travelled(values):
    """A list, packed, pickled, unpickled and unpacked."""
    return unpack_list(packing.loads(packing.dumps(pack_list(values))))


def size_of(values):
    """How many bytes the list travels as."""
    return len(packing.dumps(pack_list(values)))


numbers = st.one_of(st.booleans(), st.integers(), st.floats(), st.complex_numbers(), st.none())
scalars = hnp.arrays(st.sampled_from(["?", "i1", "u8", "f2", "f4", "f8", "c8"]), (1,)).map(
    lambda array: array[0]
)
plain_arrays = hnp.arrays(
    st.sampled_from(["?", "i1", ">i4", "u8", "f2", "f8", "c16", "U2", "M8[s]"]),
    hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=2),
)
leaves = st.one_of(numbers, st.text(max_size=3), scalars, plain_arrays, st.just(Grade.GOOD))
keys = st.sampled_from(["a", "b", 1, (2,)])
trees = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(keys, inner, max_size=2),
    ),
    max_leaves=6,
)


@settings(max_examples=examples(150))
@given(st.lists(trees, max_size=5))
def test_any_list_comes_back(values):
    """Lists of anything: the same entries of the same types, with the same bits."""
    assert alike(travelled(values), values)
    assert alike(unpack_list(pack_list(values)), values)


@settings(max_examples=examples(100))
@given(data=st.data())
def test_lists_of_like_entries_come_back(data):
    """Lists whose entries are of one kind, which become columns."""
    kind = data.draw(
        st.sampled_from(
            [
                st.integers(-200, 200),
                st.integers(),
                st.floats(),
                st.none(),
                scalars,
                hnp.arrays("f4", (2, 1)),
                hnp.arrays("i8", ()),
                hnp.arrays("i2", hnp.array_shapes(max_dims=2, max_side=2, min_side=0)),
                st.tuples(st.integers(0, 3), st.floats(), hnp.arrays("f4", st.integers(0, 2))),
                st.lists(st.floats(), max_size=3),
                st.lists(st.tuples(st.booleans()), max_size=2).map(tuple),
                st.fixed_dictionaries({"a": st.floats(), "b": st.lists(st.integers(), max_size=2)}),
                st.just(()),
                st.just({}),
            ]
        )
    )
    values = data.draw(st.lists(kind, max_size=6))
    assert alike(travelled(values), values)


ODD = {
    "beyond int64": [1, 2**63],
    "the edges of int64": [-(2**63), 2**63 - 1],
    "narrow edges": [-128, 127],
    "beyond narrow": [-129, 0],
    "bool and int": [True, 1],
    "an enum": [Grade.GOOD, Grade.GOOD],
    "named tuples": [Point(1, 2), Point(3, 4)],
    "other dicts": [OrderedDict(a=1), OrderedDict(a=2)],
    "dicts of other order": [{"a": 1, "b": 2}, {"b": 3, "a": 4}],
    "zeros and nan": [0.0, -0.0, math.nan, -math.nan],
    "long doubles": [np.longdouble(1) / 3, np.longdouble(2)],
    "structures": [np.zeros(1, [("a", "i4")])[0]] * 2,
    "objects in arrays": [np.array([{}, None]), np.array([1, "a"], object)],
    "long sequences": [list(range(100)), list(range(100, 200))],
    "text": ["a", "bc", ""],
    "nothing": [],
}


@pytest.mark.parametrize("name", ODD)
def test_odd_lists_come_back(name):
    """What looks like a column and is none."""
    assert alike(travelled(ODD[name]), ODD[name])


def test_a_list_within_itself():
    """Cycles are left to pickle."""
    cyclic = [[]]
    cyclic[0].append(cyclic)

    found = travelled(cyclic)
    for _ in range(100):  # the first levels are read one by one
        found = found[0]

    assert found[0][0] is found


def test_objects_that_recur_travel_once():
    """A thousand references to one large array are not a thousand arrays."""
    large = np.zeros(1000)
    values = [(index, large) for index in range(1000)]

    assert size_of(values) < 30_000
    assert size_of([large] * 1000) < 20_000
    found = travelled(values)
    assert found[0][1] is found[999][1]


MANY = 2000
SMALL = {
    "floats": ([index / 3 for index in range(MANY)], 8),
    "booleans": ([index % 3 == 0 for index in range(MANY)], 1),
    "small integers": ([index % 100 for index in range(MANY)], 1),
    "integers": ([index * 30_000 for index in range(MANY)], 4),
    "numpy scalars": ([np.float32(index) for index in range(MANY)], 4),
    "arrays": ([np.arange(4, dtype=np.int16) + index for index in range(MANY)], 8),
    "0-d arrays": ([np.array(index, np.int16) for index in range(MANY)], 2),
    "arrays of any length": ([np.full(index % 4, 1.5) for index in range(MANY)], 8 * 1.5 + 1),
    "tuples": ([(index % 2 == 0, index / 3) for index in range(MANY)], 9),
    "lists of any length": ([[0.5] * (index % 4) for index in range(MANY)], 8 * 1.5 + 8),
    "dicts": ([{"score": index / 7, "label": index % 9} for index in range(MANY)], 9),
    "None": ([None] * MANY, 0),
}


@pytest.mark.parametrize("name", SMALL)
def test_like_entries_take_few_bytes(name):
    """A column costs what its numbers cost, and a few hundred bytes."""
    values, each = SMALL[name]

    assert size_of(values) < each * MANY + 800
    assert alike(travelled(values), values)


TENSORS = ["bool", "uint8", "int64", "float16", "float32", "bfloat16", "complex64"]


@pytest.mark.parametrize("dtype", TENSORS)
@pytest.mark.parametrize("shape", ["numbers", "rows", "any"])
def test_tensors_leave_their_batch_behind(dtype, shape):
    """Tensors cut out of a batch travel as their own numbers, not with the batch's memory."""
    torch = requires("torch")
    batch = (torch.arange(MANY * 3).reshape(MANY, 3) % 5).to(getattr(torch, dtype))
    if batch.is_floating_point():
        batch.requires_grad_()
    values = list({"numbers": batch[:, 0], "rows": batch}.get(shape, batch[:, 0]))
    if shape == "any":
        values = [row[: index % 3] for index, row in enumerate(batch)]
    expected = [value.tolist() for value in values]
    numbers = sum(value.numel() for value in values)

    found = travelled(values)

    assert [value.tolist() for value in found] == expected
    assert {value.dtype for value in found} == {batch.dtype}
    assert not any(value.requires_grad for value in found)
    assert size_of(values) < numbers * batch.element_size() + MANY * (shape == "any") + 1500


def test_other_tensors_are_left_to_pickle():
    """Sparse tensors, tensors of different dtypes, tensors in tuples."""
    torch = requires("torch")
    mixed = [torch.ones(1), torch.ones(1, dtype=torch.float64)]
    assert alike(travelled(mixed), mixed)
    pairs = [(torch.tensor(index), 0.5) for index in range(3)]
    assert alike(travelled(pairs), pairs)
    sparse = [torch.eye(2).to_sparse() for _ in range(2)]
    assert [value.to_dense().tolist() for value in travelled(sparse)] == [[[1, 0], [0, 1]]] * 2
    conjugate = [torch.tensor([1 + 2j]).conj(), torch.tensor([3j]).conj()]
    assert [value.tolist() for value in travelled(conjugate)] == [[1 - 2j], [-3j]]
