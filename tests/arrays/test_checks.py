"""What arrays are checked for: whole numbers, ranges, nan, lengths; the error names the place."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from mmeval_like import arrays
from mmeval_like.testing.same import same
from tests.arrays.test_arrays import DTYPES
from tests.helpers.examples import examples


@pytest.mark.parametrize("dtype", DTYPES[:-2])
def test_integers_are_widened(dtype):
    """Whole numbers of any dtype, floats included, become int64; others are refused."""
    assert same(arrays.as_integers(np.array([0, 1]).astype(dtype), "x"), np.array([0, 1]))
    if dtype[0] == "f":
        for bad in (0.5, math.nan, math.inf):
            with pytest.raises(TypeError, match="x must be integers"):
                arrays.as_integers(np.array([1, bad], dtype), "x")
    if dtype == "u8":
        with pytest.raises(ValueError, match="x must fit into int64, got 18446744073709551615"):
            arrays.as_integers(np.array([2**64 - 1], dtype), "x")
    if dtype == "f8":
        with pytest.raises(TypeError, match="x must be integers"):
            arrays.as_integers(np.array([2.0**63]), "x")


def test_complex_numbers_are_no_real_ones():
    """`as_numbers` keeps the dtype, `as_floats` widens; neither takes complex numbers."""
    assert arrays.as_numbers(np.ones(2, np.float16), "x").dtype == np.float16
    assert arrays.as_floats(np.ones(2, bool), "x").dtype == np.float64
    for convert in (arrays.as_numbers, arrays.as_floats, arrays.as_integers):
        with pytest.raises(TypeError, match=r"x must be .*, got an array of complex128"):
            convert(np.ones(2, complex), "x")


@settings(max_examples=examples(200))
@given(
    dtype=st.sampled_from(["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i2"]),
    stop=st.sampled_from([1, 2, 100, 127, 128, 200, 255, 256, 300, 2**31, 2**40]),
    data=st.data(),
)
def test_ranges_are_checked(dtype, stop, data):
    """Codes are in [0, stop), or the error names the first that is not, and its place."""
    codes = data.draw(hnp.arrays(dtype, hnp.array_shapes(max_dims=2, max_side=3, min_side=0)))
    bad = [(int(code), place) for place, code in np.ndenumerate(codes) if not 0 <= code < stop]
    if not bad:
        arrays.check_range("labels", codes, stop)
        return
    code, place = bad[0]
    shown = place[0] if len(place) == 1 else place
    with pytest.raises(ValueError, match="labels must be in") as error:
        arrays.check_range("labels", codes, stop)
    assert str(error.value) == f"labels must be in [0, {stop}), got {code} at index {shown}"


@settings(max_examples=examples(100))
@given(data=st.data(), allowed=st.booleans(), dtype=st.sampled_from(["f2", "f4", "f8"]))
def test_nan_and_infinity_are_found(data, allowed, dtype):
    """Not a number is found anywhere, infinity where it is not allowed; the place is named."""
    width = 8 * np.dtype(dtype).itemsize
    values = data.draw(
        hnp.arrays(
            dtype,
            hnp.array_shapes(max_dims=2, max_side=4, min_side=0),
            elements=st.floats(width=width) | st.sampled_from([1.0, math.inf, -math.inf]),
        )
    )
    bad = np.isnan(values) if allowed else ~np.isfinite(values)
    if not bad.any():
        arrays.check_finite("scores", values, allow_infinite=allowed)
        return
    with pytest.raises(ValueError, match="scores must not contain nan") as error:
        arrays.check_finite("scores", values, allow_infinite=allowed)
    place = eval(str(error.value).rpartition("at index ")[2])
    assert bad[place]
    assert f"got {values[place]} " in str(error.value)


def test_whole_numbers_are_finite():
    """Integers and empty arrays need no check."""
    arrays.check_finite("x", np.arange(3))
    arrays.check_finite("x", np.empty((0, 3)))
    arrays.check_range("x", np.empty((0, 3), int), 1)


def test_lengths_are_compared():
    """Inputs of different length are named, with both lengths."""
    arrays.check_same_length("a", [1], "b", np.ones(1))
    with pytest.raises(ValueError, match="a and b must have the same length, got 1 and 2"):
        arrays.check_same_length("a", [1], "b", [1, 2])
    with pytest.raises(TypeError, match=r"a and b must both be sequences.* got list and int"):
        arrays.check_same_length("a", [1], "b", 2)


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint8, np.bool_, np.float16, np.float64])
def test_check_not_negative_names_the_first_bad_value(dtype: type) -> None:
    """Numbers from 0 on pass, none at all too; the first negative number or nan is named."""
    arrays.check_not_negative("x", np.empty((0, 3), dtype))
    arrays.check_not_negative("x", np.array([[1, 0], [1, 1]], dtype))
    for bad in (-1, -0.5, np.nan):
        if np.dtype(dtype).kind == "f" or (bad == -1 and np.dtype(dtype).kind == "i"):
            for values in ([0, bad, 1, bad], [bad], [1, 2, bad]):
                with pytest.raises(ValueError, match=rf"x must not be negative, got {bad}"):
                    arrays.check_not_negative("x", np.array(values, dtype))
