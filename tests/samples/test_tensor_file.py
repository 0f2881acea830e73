"""The files of saved metrics are those of the safetensors library, written with numpy alone."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy

from mmeval_like._samples.tensor_file import parsed, written
from mmeval_like.testing.same import same
from tests.helpers.optional import requires

DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]
ARRAYS = st.dictionaries(
    st.text(max_size=5).filter(lambda name: name != "__metadata__" and name.isprintable()),
    st.sampled_from(DTYPES).flatmap(
        lambda code: st_numpy.arrays(
            np.dtype(code).newbyteorder("<"), st_numpy.array_shapes(min_dims=0, min_side=0)
        )
    ),
    max_size=4,
)


@given(arrays=ARRAYS, text=st.text(max_size=9))
def test_the_library_reads_what_we_write_and_the_other_way_round(arrays, text):
    """Every dtype and shape, empty ones too, and the texts."""
    library = requires("safetensors.numpy")
    data = written(arrays, {"text": text})

    theirs = library.save(arrays, {"text": text})
    for found, texts in (parsed(data), parsed(theirs), (library.load(data), {"text": text})):
        assert texts == {"text": text}
        assert found.keys() == arrays.keys()
        assert all(same(found[name], array) for name, array in arrays.items())


@pytest.mark.parametrize(
    "change",
    [
        {"shape": [3]},
        {"shape": [-2]},
        {"shape": [2.0]},
        {"shape": [2**40, 2**40]},
        {"dtype": "F8"},
        {"data_offsets": [1, 3]},
        {"data_offsets": [0, 1]},
        {"data_offsets": None},
    ],
)
def test_entries_that_do_not_fit_are_refused(change):
    """Whatever the header says, no byte outside the array is read."""
    header = {"__metadata__": {}, "a": {"dtype": "I8", "shape": [2], "data_offsets": [0, 2]}}
    header["a"].update(change)
    head = json.dumps(header).encode()

    with pytest.raises((ValueError, KeyError, TypeError)):
        parsed(len(head).to_bytes(8, "little") + head + b"\1\2")


def test_another_dtype_is_refused():
    """Texts, and numbers that no file can have."""
    with pytest.raises(TypeError, match="only numeric arrays are saved, got <U1 for 'a'"):
        written({"a": np.array(["x"])}, {})
