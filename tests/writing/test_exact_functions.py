"""exp and products of powers: the nearest float64 of the true value, on every processor."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval_like.writing.exact import exp, product_of_powers


def nearest_exp(value: Fraction) -> float:
    """By decimal arithmetic of 200 digits."""
    with localcontext() as context:
        context.prec = 200
        return float((Decimal(value.numerator) / Decimal(value.denominator)).exp())


def nearest_product(powers: dict[Fraction, Fraction], exponent: Fraction) -> float:
    """Likewise; the logarithms are those of numerators and denominators."""
    with localcontext() as context:
        context.prec = 200
        total = Decimal(exponent.numerator) / exponent.denominator
        for power, base in powers.items():
            logarithm = Decimal(base.numerator).ln() - Decimal(base.denominator).ln()
            total += Decimal(power.numerator) / power.denominator * logarithm
        return float(total.exp())


fractions = st.fractions(-740, 709)
shares = st.fractions(0, 1, max_denominator=10**9).filter(bool)


@given(fractions | st.floats(-740, 709).map(Fraction))
def test_exp_is_the_nearest_float(value):
    """Also where the result is subnormal."""
    assert exp(value) == nearest_exp(value)


@pytest.mark.parametrize(
    "value", [0.0, -0.0, 1e-320, 709.78, 709.79, -745.1, -746.0, 1e300, -1e300]
)
def test_exp_at_the_ends(value):
    """Infinity and 0 come exactly where float64 ends."""
    try:
        wanted = math.exp(value)
    except OverflowError:
        wanted = math.inf
    assert exp(value) == wanted
    assert exp(Fraction(value)) == wanted


def test_exp_of_no_number():
    """Infinities and nan are what they are with math.exp."""
    assert exp(math.inf) == math.inf
    assert exp(-math.inf) == 0.0
    assert math.isnan(exp(math.nan))


@given(st.dictionaries(st.fractions(0, 2, max_denominator=100), shares, max_size=4),
       st.fractions(-5, 0))  # fmt: skip
def test_products_are_the_nearest_float(powers, exponent):
    """As of geometric means and BLEU: shares to the power of weights."""
    assert product_of_powers(powers, exponent) == nearest_product(powers, exponent)


def test_exact_products():
    """Roots that are rational, and a factor of 0."""
    assert product_of_powers({Fraction(1, 3): Fraction(27, 64)}) == 0.75
    assert product_of_powers({Fraction(1): Fraction(0)}) == 0.0
    assert product_of_powers({}) == 1.0
