"""Arrays and lists by name as bytes: they come back as they were, small, and checked."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from mmeval_like.backends.wire.named import pack_named, unpack_named
from mmeval_like.testing.same import same
from tests.helpers.examples import examples

DTYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16", ">i8"]
arrays = st.sampled_from(DTYPES).flatmap(
    lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0))
)
objects = st.lists(st.none() | st.text() | st.integers() | st.tuples(st.floats(allow_nan=False)))


@settings(max_examples=examples(150))
@given(found=st.dictionaries(st.text(max_size=9), arrays | objects, max_size=4), lead=st.binary())
def test_everything_comes_back(found, lead):
    """Names, dtypes, shapes and bits, at any offset, and nothing beyond is read."""
    packed = lead + b"".join(pack_named(found)) + b"rest"

    unpacked, end = unpack_named(memoryview(packed), len(lead))

    assert packed[end:] == b"rest"
    native = {
        key: value.astype(value.dtype.newbyteorder("=")) if isinstance(value, np.ndarray) else value
        for key, value in found.items()
    }
    assert same(unpacked, native)
    for value in unpacked.values():
        if isinstance(value, np.ndarray):
            assert value.flags.writeable
            assert not np.shares_memory(value, np.frombuffer(packed, np.uint8))


@given(
    edges=st.lists(
        st.sampled_from([0, 1, -1, 127, -128, 128, -129, 2**15, 2**31, -(2**63), 2**63 - 1])
    ),
    before=st.integers(0, 4),
)
def test_integers_of_every_width(edges, before):
    """The narrowest dtype that holds all of them, whatever zeros are around."""
    array = np.array([0] * before + edges + [0, 0], np.int64)

    found, _ = unpack_named(memoryview(b"".join(pack_named({"a": array}))), 0)

    assert same(found["a"], array)


def test_zeros_are_not_sent():
    """The limbs of a sum, and the counts of a table of few samples."""
    limbs = np.zeros((70, 1), np.int64)
    limbs[33:35] = 7
    counts = np.full(1000, 9)

    assert len(b"".join(pack_named({"limbs": limbs}))) < 100
    assert len(b"".join(pack_named({"counts": counts}))) < 1100


@given(data=st.data())
def test_damaged_bytes_are_refused(data):
    """Bytes that are cut off raise ValueError."""
    found = {"numbers": np.array([0, 300, 0]), "floats": np.ones((2, 2))}
    packed = b"".join(pack_named(found))
    cut = data.draw(st.integers(0, len(packed) - 1))
    with pytest.raises(ValueError):
        unpack_named(memoryview(packed[:cut]), 0)
