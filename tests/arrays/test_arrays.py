"""Inputs of any library become host arrays with the same numbers, or errors that name them."""

import math
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from mmeval_like import BaseMetric, arrays, state
from mmeval_like._states.key_columns import read_keys
from mmeval_like.testing.same import same
from tests.helpers.examples import examples
from tests.helpers.optional import requires

DTYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]
LAYOUTS = {
    "as it is": lambda array: array,
    "Fortran": np.asfortranarray,
    "reversed": lambda array: array[::-1],
    "strided": lambda array: np.repeat(array, 2, axis=0)[::2],
    "big-endian": lambda array: array.astype(array.dtype.newbyteorder(">")),
    "read-only": lambda array: _frozen(array),
    "list": lambda array: list(array),
    "tuple of lists": lambda array: tuple(array.tolist()),
}


def _frozen(array):
    array = array.copy()
    array.flags.writeable = False
    return array


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_layouts_become_contiguous(dtype, layout):
    """Whatever the memory layout or byte order: C-contiguous, native, the same numbers."""
    array = np.arange(6).reshape(3, 2).astype(dtype)
    given = LAYOUTS[layout](array)

    host = arrays.to_host(given, "x")

    assert host.flags.c_contiguous
    assert host.dtype.isnative
    assert np.array_equal(host, given)
    if layout != "tuple of lists":
        assert host.dtype == array.dtype


def test_nothing_is_copied_without_need():
    """A contiguous array is handed on as it is; a torch tensor's memory is shared."""
    array = np.arange(4)
    assert arrays.to_host(array, "x") is array
    assert arrays.as_integers(array, "x") is array
    assert arrays.as_numbers(array, "x") is array
    torch = requires("torch")
    assert np.shares_memory(arrays.to_host(torch.from_numpy(array), "x"), array)


TORCH = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64",
         "complex64", "complex128", "bfloat16"]  # fmt: skip


@pytest.mark.parametrize("dtype", TORCH)
@pytest.mark.parametrize("form", ["plain", "graph", "transposed", "conjugate", "negative", "list"])
def test_torch_tensors(dtype, form):
    """Tensors of every dtype, in a graph or not, of any layout, are what `tolist` says."""
    torch = requires("torch")
    tensor = torch.tensor([[1, 0, 3], [0, 2, 1]]).to(getattr(torch, dtype))
    if form == "graph":
        if not (tensor.is_floating_point() or tensor.is_complex()):
            pytest.skip("no gradients of whole numbers")
        tensor = tensor.requires_grad_() * 1
    elif form == "transposed":
        tensor = tensor.T
    elif form == "conjugate":
        tensor = tensor.conj()
    elif form == "negative":
        tensor = torch._neg_view(tensor) if tensor.is_floating_point() else tensor
    expected = tensor.tolist()

    host = arrays.to_host(list(tensor) if form == "list" else tensor, "x")

    assert host.tolist() == expected
    assert host.flags.c_contiguous
    assert host.dtype == (np.float32 if dtype == "bfloat16" else np.dtype(dtype))


def test_torch_subclasses_and_scalars():
    """A parameter is a tensor; a 0-d tensor is a number; sparse tensors are refused."""
    torch = requires("torch")
    assert arrays.to_host(torch.nn.Parameter(torch.ones(2)), "x").tolist() == [1, 1]
    assert arrays.to_host(torch.tensor(3), "x").shape == ()
    assert arrays.to_host([torch.tensor(3), torch.tensor(4)], "x").tolist() == [3, 4]
    assert arrays.to_host(torch.Size([1, 2]), "x").tolist() == [1, 2]
    with pytest.raises(TypeError):
        arrays.to_host(torch.ones(2).to_sparse(), "x")


class _Foreign:
    """An array of a library that nobody has heard of."""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return self.array


class _Exporter:
    """An array that only speaks DLPack."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_unknown_libraries():
    """`__array__` or DLPack is enough."""
    strict = requires("array_api_strict")
    array = np.arange(3.0)
    for value in (_Foreign(array), _Exporter(array), strict.asarray(array), memoryview(array)):
        assert arrays.to_host(value, "x").tolist() == [0, 1, 2]
    assert arrays.to_host([_Foreign(array), array], "x").shape == (2, 3)
    assert arrays.to_host(3.5, "x").shape == ()
    assert arrays.to_host(np.float32(3.5), "x").dtype == np.float32


def test_what_a_library_lends_is_copied_when_kept():
    """Some libraries hand out their own memory: what the caller does to it later is no matter."""

    class Total(BaseMetric):
        total = state.sum()

        def rows(self, values):
            return {"total": arrays.as_floats(values, "values")}

        def compute_metric(self, results):
            return {"total": results.total}

    lent = np.array([1.0, 2.0])
    metric = Total(dist_backend="non_dist")
    metric.add(_Foreign(lent))
    lent[:] = 1000

    assert metric.compute() == {"total": 3.0}


class _Sparse:
    """A sparse matrix, as those of scipy look to numpy."""

    def toarray(self):
        return np.eye(2)


WRONG = [
    ("text", TypeError, "x must be an array or a list of numbers or arrays, got 'text'$"),
    (None, TypeError, "got None$"),
    ({"a": [1]}, TypeError, r"got {'a': \[1\]}$"),
    ({1.0}, TypeError, r"got {1.0}$"),
    (["1", "2"], TypeError, r"x must be numeric, got '1' at index 0: pass np.array\(x, float\) if"),
    ([{"a": 1}], TypeError, "x must be numeric, got {'a': 1} at index 0$"),
    ([[1], "2"], TypeError, "x must be numeric, got '2' at index 1: pass np.array"),
    ([1, "a"], TypeError, "x must be numeric, got dtype <U21 with '1' at index 0"),
    ([[1, 2], [3]], ValueError, r"x must have elements of the same shape, got \(1,\) and others"),
    (np.array(["a"]), TypeError, "x must be numeric, got dtype <U1 with 'a' at index 0: pass"),
    (np.array([1, 2], object), TypeError, r"got dtype object: pass x.astype\(float\), or"),
    (np.array([[1], [1j]], object), TypeError, r"got dtype object with 1j at index 1$"),
    ((number for number in (1, 2)), TypeError, r"of type generator: pass list\(x\)$"),
    (map(float, "12"), TypeError, r"of type map: pass list\(x\)$"),
    (_Sparse(), TypeError, r"of type _Sparse: pass x.toarray\(\)$"),
    (np.array([None]), ValueError, "x must not have missing values, got none at index 0"),
    (np.array(["2020"], "M8[Y]"), TypeError, "x must be numeric"),
    ([np.ones(2), np.ones(3)], ValueError, "the same shape"),
    (object(), TypeError, "x must be numeric, got an object of type object$"),
]


@pytest.mark.parametrize(("value", "error", "text"), WRONG)
def test_what_is_no_array_is_refused(value, error, text):
    """The error names the argument and what was given."""
    with pytest.raises(error, match=text):
        arrays.to_host(value, "x")


@settings(max_examples=examples(50))
@given(
    hnp.arrays(
        st.sampled_from(["f4", "f8"]),
        hnp.array_shapes(min_dims=1, max_dims=3, max_side=9, min_side=0),
        elements=st.floats(-1e6, 1e6, width=32),
    )
)
def test_sums_of_samples(values):
    """The sum of a sample is near the true one, and the same in any batch and layout."""
    total = arrays.sum_rows(values)

    flat = values.reshape(len(values), -1) if values.size else np.zeros((len(values), 0))
    assert np.allclose(total, [math.fsum(row) for row in flat], rtol=1e-12, atol=1e-6)
    for index in range(len(values)):
        assert same(arrays.sum_rows(values[index : index + 1]), total[index : index + 1])
    assert same(arrays.sum_rows(np.asfortranarray(values)), total)
    assert same(arrays.sum_rows(values[::-1].copy()[::-1]), total)


@pytest.mark.parametrize("width", [0, 1, 2, 3, 16, 33, 500])
def test_sums_of_many_and_of_few_samples_have_the_same_bits(width):
    """Whether inner loops run along the samples or along a sample, the bits are the same."""
    values = np.random.default_rng(width).normal(size=(50, width))
    before = values.copy()
    found = arrays.sum_rows(values)
    assert same(np.concatenate([arrays.sum_rows(row[None]) for row in values]), found)
    for many in (np.tile(values, (20, 1)), np.asfortranarray(np.tile(values, (20, 1)))):
        assert same(arrays.sum_rows(many)[:50], found)
    assert same(values, before)  # the memory of the samples is not written to
    assert not np.shares_memory(found, values)  # callers reuse the memory of the samples


def test_true_entries_are_counted():
    """As many as there are in each row, however wide, in any layout."""
    rng = np.random.default_rng(0)
    for width in (0, 1, 255, 256, 510, 511, 1000):
        mask = rng.random((7, width)) < 0.9
        mask[0], mask[1] = True, False
        for layout in (mask, np.asfortranarray(mask), np.repeat(mask, 2, axis=1)[:, ::2]):
            assert arrays.count_true(layout).tolist() == mask.sum(axis=1).tolist()


def test_sums_of_integers():
    """Integers of any width are summed in int64."""
    assert same(arrays.sum_rows(np.full((2, 3), 255, np.uint8)), np.array([765, 765]))
    assert arrays.sum_rows(np.ones((2, 3), bool)).tolist() == [3, 3]


def test_lists_of_arrays_without_axes():
    """Such an array is a number, also at the first place of a list; an empty one is a list."""
    assert arrays.as_integers([np.array(3), np.array(4)], "x").tolist() == [3, 4]
    assert arrays.as_texts([np.array(3)], "x") is None
    assert arrays.as_texts([np.array([]), ["cat"]], "x") == [[], ["cat"]]


def test_samples_of_different_shape():
    """A sequence gives one host array per sample; an array its first axis."""
    pictures = arrays.to_samples([np.ones((2, 2)), [[1], [2]]], "x")
    assert [picture.shape for picture in pictures] == [(2, 2), (2, 1)]
    assert len(arrays.to_samples(np.ones((3, 4)), "x")) == 3
    with pytest.raises(ValueError, match="x must have one axis of samples"):
        arrays.to_samples(np.float64(1), "x")


def test_back_to_the_library():
    """`from_host` gives a copy in the library of the example."""
    array = np.arange(3.0)
    back = arrays.from_host(array, np.zeros(1))
    assert back is not array
    assert same(back, array)
    torch = requires("torch")
    tensor = arrays.from_host(array, torch.zeros(1))
    assert tensor.tolist() == [0, 1, 2]
    assert not np.shares_memory(tensor.numpy(), array)
    with pytest.raises(TypeError, match="cannot make an array of"):
        arrays.from_host(array, _Foreign(array))


def test_reading_imports_nothing():
    """An array's library is recognised by its type's name, not by importing libraries."""
    before = set(sys.modules)
    arrays.to_host(_Foreign(np.ones(1)), "x")
    assert {name.partition(".")[0] for name in set(sys.modules) - before} <= {"numpy"}


@pytest.mark.parametrize("library", ["torch", "jax.numpy"])
def test_clusters_and_slices_of_a_library(library):
    """Keys are those of numpy's integers, as a whole array and as a list of its entries."""
    make = requires(library).asarray
    keys, wanted = np.array([7, 3, 3, 5]), [(7,), (3,), (3,), (5,)]
    for values in (keys, make(keys), [make(key) for key in keys.tolist()], [*make(keys)]):
        tags = read_keys([("by", values)], "by")
        assert [tags.cells.keys[code] for code in tags.codes.tolist()] == wanted
    with pytest.raises(TypeError, match="sort floats into a few ranges first"):
        read_keys([("by", [make(0.5), 1, 2, 3])], "by")
