"""Products without rounding and roots rounded once, against fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval_like._exact.two_product import two_product
from mmeval_like.writing.exact import exact_dot, sqrt_fraction, to_float

magnitudes = st.floats(2.0**-450, 2.0**480)
signed = st.builds(lambda sign, x: sign * x, st.sampled_from([-1.0, 1.0]), magnitudes)


@given(st.lists(st.tuples(signed, signed), min_size=1, max_size=9))
def test_two_product_is_exact(pairs: list[tuple[float, float]]) -> None:
    """The two parts add up to the product, as fractions, and the first is the rounded product."""
    x, y = (np.array(column) for column in zip(*pairs, strict=True))
    high, low = two_product(x, y)

    assert high.tolist() == (x * y).tolist()
    for a, b, h, r in zip(x, y, high, low, strict=True):
        assert Fraction(h) + Fraction(r) == Fraction(a) * Fraction(b)


@pytest.mark.parametrize(("x", "y"), [(math.inf, 2.0), (1e308, 10.0), (math.nan, 1.0), (1e305, 1)])
def test_two_product_beyond_its_range(x: float, y: float) -> None:
    """Where nothing can be said about the rounding, the product is numpy's and the rest 0."""
    high, low = two_product(np.array([x]), np.array([y]))

    with np.errstate(over="ignore"):
        assert np.array_equal(high, np.array([x]) * np.array([y]), equal_nan=True)
    assert low.item() == 0


@given(st.lists(st.tuples(signed, signed), max_size=9))
def test_dot_is_exact(pairs: list[tuple[float, float]]) -> None:
    """A sum of products equals that of fractions."""
    x, y = (np.array([pair[i] for pair in pairs]) for i in (0, 1))

    assert exact_dot(x, y) == sum((Fraction(a) * Fraction(b) for a, b in pairs), Fraction(0))


@given(st.fractions(min_value=0), st.integers(-300, 300))
def test_root_is_rounded_once(value: Fraction, exponent: int) -> None:
    """No float64 is nearer to the true root: the square lies between those of the half ways."""
    value = value * Fraction(2) ** exponent
    root = sqrt_fraction(value)

    below = (Fraction(root) + Fraction(math.nextafter(root, 0))) / 2
    above = (Fraction(root) + Fraction(math.nextafter(root, math.inf))) / 2
    assert below**2 <= value <= above**2


def test_root_beside_a_half_way() -> None:
    """A root half way between two floats goes to the even one; a trace above it, to the upper."""
    half_way = (1 + Fraction(1, 2**53)) ** 2

    assert sqrt_fraction(half_way) == 1.0
    assert sqrt_fraction(half_way + Fraction(1, 2**900)) == 1 + 2.0**-52


@given(st.floats(0, 1e150))
def test_root_of_a_square_is_exact(x: float) -> None:
    """The root of x * x, taken without rounding, is x."""
    assert sqrt_fraction(Fraction(x) ** 2) == x


def test_to_float_reaches_infinity() -> None:
    """A fraction beyond the largest float64 becomes an infinity of its sign."""
    assert to_float(Fraction(1, 3)) == 1 / 3
    assert to_float(Fraction(-(10**400))) == -math.inf
