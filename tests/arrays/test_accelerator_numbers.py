"""Numbers on an accelerator have numpy's dtypes and bits, and no value before `compute`."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval_like.arrays import accelerator
from mmeval_like.arrays.accelerator import DeviceArray
from mmeval_like.testing.same import same
from tests.helpers import requires

torch = requires("torch")

UFUNCS = [np.add, np.multiply, np.true_divide, np.greater, np.less_equal, np.equal, np.not_equal]
DTYPES = ["bool", "uint8", "int8", "int32", "int64", "float16", "float32", "float64"]


@given(
    ufunc=st.sampled_from(UFUNCS),
    dtypes=st.tuples(st.sampled_from(DTYPES), st.sampled_from(DTYPES)),
    scalar=st.none() | st.sampled_from([0, 3, 255, 0.7, -1.5]),
    seed=st.integers(0, 99),
)
def test_numbers_are_promoted_as_numpy_does(
    ufunc: np.ufunc, dtypes: tuple[str, str], scalar: float | None, seed: int
) -> None:
    """Element-wise functions give numpy's dtypes and bits, with arrays and with numbers."""
    rng = np.random.default_rng(seed)
    x, y = (rng.integers(0, 9, 5).astype(dtype) for dtype in dtypes)
    other = y if scalar is None else scalar
    try:
        with np.errstate(all="ignore"):
            expected = ufunc(x, other)
    except OverflowError:  # a number that does not fit the dtype
        return
    there = DeviceArray(torch.from_numpy(x), {})
    found = ufunc(there, DeviceArray(torch.from_numpy(y), {}) if scalar is None else scalar)
    if scalar is None:
        assert same(accelerator.fetch(ufunc(there, y)), expected)

    assert same(accelerator.fetch(found), expected)


def test_a_value_is_not_to_be_had() -> None:
    """What would wait raises: truth, numpy arrays, numpy's functions that are not known."""
    there = DeviceArray(torch.ones(3), {})
    for attempt in (bool, np.asarray, np.unique, np.sum, np.median):
        with pytest.raises(TypeError):
            attempt(there)
