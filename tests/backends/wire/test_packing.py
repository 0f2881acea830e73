"""Objects and arrays as bytes: they come back as they were, and share no memory."""

import contextlib
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from mmeval_like.backends.wire import packing
from tests.helpers.examples import examples
from tests.helpers.optional import requires

DTYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]
arrays = st.sampled_from([*DTYPES, ">f8", ">i4"]).flatmap(
    lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0))
)
layouts = st.sampled_from([lambda a: a, lambda a: a.T, lambda a: a[..., ::-1] if a.ndim else a])


@settings(max_examples=examples(150))
@given(array=arrays, layout=layouts, lead=st.integers(0, 9))
def test_arrays_of_every_dtype_shape_and_layout(array, layout, lead):
    """A packed array comes back from any offset: dtype, shape, bits; nothing beyond is read."""
    array = layout(array)
    packed = b"".join([b"x" * lead, *packing.pack_array(array), b"behind"])

    found, end = packing.unpack_array(memoryview(packed), lead)

    assert packed[end:] == b"behind"
    assert found.dtype == array.dtype.newbyteorder("=")
    assert found.shape == array.shape
    assert found.tobytes() == array.astype(found.dtype).tobytes()
    assert found.flags.writeable
    assert found.flags.aligned
    assert not np.shares_memory(found, np.frombuffer(packed, np.uint8))


@pytest.mark.parametrize("array", [np.array(["a"]), np.array([None]), np.zeros(1, "M8[s]")])
def test_only_numbers_are_packed(array):
    """Text, objects and dates are refused by name."""
    with pytest.raises(TypeError, match="only numeric arrays are packed, got dtype"):
        packing.pack_array(array)


@pytest.mark.parametrize("code", [b",", b"", b"\xff", b"f(", b"O", b"<f9"])
def test_what_numpy_takes_for_no_dtype(code):
    """Texts for which numpy raises errors of its parser are refused like all others."""
    packed = bytes([len(code), 0]) + code + bytes(8)

    with pytest.raises(ValueError, match="malformed packed array at byte 0: no array of dtype"):
        packing.unpack_array(memoryview(packed), 0)


@given(data=st.data())
def test_damaged_arrays_are_refused(data):
    """Bytes that are cut off or changed raise ValueError or give some array, never more."""
    packed = b"".join(packing.pack_array(np.arange(6, dtype=np.int16).reshape(2, 3)))
    cut = data.draw(st.integers(0, len(packed) - 1))
    with pytest.raises(ValueError, match="malformed packed array at byte 0"):
        packing.unpack_array(memoryview(packed[:cut]), 0)
    changed = bytearray(packed)
    place = data.draw(st.integers(0, 20))
    changed[place] = data.draw(st.integers(0, 255))
    with contextlib.suppress(ValueError):
        packing.unpack_array(memoryview(bytes(changed)), 0)


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary(),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(plain)
def test_objects_come_back(obj):
    """Anything that pickle takes."""
    assert packing.loads(packing.dumps(obj)) == obj
    assert packing.loads(bytearray(packing.dumps(obj))) == obj
    assert b"".join(packing.dump_pieces(obj)) == packing.dumps(obj)


def test_arrays_within_objects_are_copies():
    """Arrays in objects come back writable, aligned and on their own."""
    array = np.arange(5.0)
    data = bytearray(packing.dumps({"odd": b"x", "a": array, "again": array, "part": array[1:3]}))
    found = packing.loads(data)
    data[:] = bytes(len(data))
    found["a"][0] = 7

    assert found["a"] is found["again"]
    assert found["a"].tolist() == [7, 1, 2, 3, 4]
    assert found["part"].tolist() == [1, 2]
    assert array[0] == 0


def test_what_cannot_be_pickled_says_so():
    """The error of pickle comes through."""
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        packing.dumps([lambda: None])


@pytest.mark.parametrize(
    "dtype", ["bool", "uint8", "int16", "int64", "float16", "bfloat16", "float64", "complex64"]
)
def test_tensors_leave_everything_behind(dtype):
    """A tensor travels as its own numbers: no graph, no batch, no conjugate view; any dtype."""
    torch = requires("torch")
    batch = torch.arange(4000).reshape(1000, 4).to(getattr(torch, dtype))
    if batch.is_floating_point():
        batch.requires_grad_()
    row = batch.conj()[3].flip(0)[:2]

    data = packing.dumps({"row": row, "scalar": batch[1, 1], "none": batch[:0]})
    found = packing.loads(data)

    assert len(data) < 900
    assert found["row"].tolist() == row.tolist()
    assert found["scalar"].shape == ()
    assert found["scalar"].item() == batch[1, 1].item()
    assert found["none"].shape == (0, 4)
    assert {value.dtype for value in found.values()} == {batch.dtype}
    assert not found["row"].requires_grad


def test_special_numbers_survive():
    """Payloads of nan, infinities and the sign of zero are bits like others."""
    bits = np.array([0x7FF8000000000001, 0xFFF0000000000000, 0x8000000000000000], np.uint64)
    (found, _) = packing.unpack_array(
        memoryview(b"".join(packing.pack_array(bits.view(np.float64)))), 0
    )
    assert found.view(np.uint64).tolist() == bits.tolist()
    assert math.copysign(1, packing.loads(packing.dumps(-0.0))) == -1
