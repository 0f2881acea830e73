"""Rewritten reductions: what a library gets right must mean what numpy means."""

from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from mmeval_like.backends.base import OPERATIONS, operation
from mmeval_like.backends.reductions import rewrite

BITWISE = ("band", "bor", "bxor")
INTEGERS = [np.dtype(f"{kind}{size}") for kind in "iu" for size in (1, 2, 4, 8)]
FLOATS = [np.dtype(f"f{size}") for size in (2, 4, 8)]
SAFE = {np.dtype(code) for code in ("u1", "i1", "i4", "i8", "f4", "f8")}


def library(op: str, parts: list[np.ndarray]) -> np.ndarray:
    """A library as the module describes it: right on some types, careless with nan."""
    assert {part.dtype for part in parts} <= SAFE
    if parts[0].dtype.kind == "f":
        assert op in ("sum", "product"), "floats are not compared by libraries"
    with np.errstate(all="ignore"):
        return reduce(OPERATIONS[op], parts)


def by_library(op: str, given: list[np.ndarray]) -> np.ndarray | None:
    """Rewrite on every rank, let the library reduce, restore."""
    tasks = [rewrite(array, op) for array in given]
    if tasks[0] is None:
        return None
    reduced = library(tasks[0].op, [task.array for task in tasks])
    return tasks[0].restore(reduced).reshape(given[0].shape)


def model(op: str, given: list[np.ndarray]) -> np.ndarray:
    """What numpy makes of it."""
    with np.errstate(all="ignore"):
        return np.asarray(reduce(OPERATIONS[op], given), given[0].dtype)


@st.composite
def ranks_of_arrays(draw: st.DrawFn, dtypes: list[np.dtype]) -> list[np.ndarray]:
    """One array per rank, of one dtype and shape, of any values."""
    dtype = draw(st.sampled_from(dtypes))
    shape = draw(arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))
    size = draw(st.integers(1, 5))
    return [draw(arrays.arrays(dtype, shape)) for _ in range(size)]


@given(ranks_of_arrays([np.dtype(bool), *INTEGERS]), st.sampled_from(list(OPERATIONS)))
def test_integers_and_booleans(given: list[np.ndarray], op: str) -> None:
    """Any operation, any width, signed or not, wrapping around as numpy does."""
    expected, actual = model(op, given), by_library(op, given)

    assert actual is not None
    assert actual.dtype == expected.dtype
    np.testing.assert_array_equal(actual, expected)


@given(ranks_of_arrays(FLOATS), st.sampled_from(["min", "max"]))
def test_extremes_of_floats(given: list[np.ndarray], op: str) -> None:
    """Nan wins, infinities are ordered, and nothing is rounded."""
    expected, actual = model(op, given), by_library(op, given)

    assert actual is not None
    assert actual.dtype == expected.dtype
    np.testing.assert_array_equal(actual, expected)


@given(ranks_of_arrays([np.dtype("f4"), np.dtype("f8"), np.dtype("c8"), np.dtype("c16")]))
def test_sums_of_floats(given: list[np.ndarray]) -> None:
    """Sums of floats and of complex numbers are the library's own."""
    actual = by_library("sum", given)

    assert actual is not None
    assert actual.dtype == given[0].dtype
    np.testing.assert_array_equal(actual, model("sum", given))


@given(ranks_of_arrays([np.dtype("f2")]), st.sampled_from(["sum", "product"]))
def test_float16_is_rounded_once(given: list[np.ndarray], op: str) -> None:
    """Narrow floats are combined in float32, so that only the result is rounded."""
    with np.errstate(all="ignore"):
        wide = reduce(OPERATIONS[op], [array.astype("f4") for array in given])
        expected = np.asarray(wide, "f2")

    np.testing.assert_array_equal(by_library(op, given), expected)


@pytest.mark.parametrize("code", [">f8", ">i2", ">u4"])
@pytest.mark.parametrize("op", ["sum", "max"])
def test_foreign_byte_order_is_kept(code: str, op: str) -> None:
    """Arrays of the other byte order keep it."""
    given = [np.array([1, rank], code) for rank in range(3)]
    actual = by_library(op, given)

    assert actual is not None
    assert actual.dtype == np.dtype(code)
    assert actual.tolist() == model(op, given).tolist()


@pytest.mark.parametrize(("code", "op"), [("c16", "product"), ("c8", "max"), ("g", "sum")])
def test_what_has_no_equivalent(code: str, op: str) -> None:
    """Rare cases are left to be gathered."""
    assert rewrite(np.ones(2, code), op) is None


def test_undefined_operations() -> None:
    """Unknown names and bits of floats are refused by name."""
    with pytest.raises(ValueError, match=r"unknown op 'mean'; the operations are sum, product"):
        operation("mean", np.dtype(int))
    for op in BITWISE:
        with pytest.raises(TypeError, match=f"op '{op}' needs integers or booleans, got float32"):
            operation(op, np.dtype("f4"))
