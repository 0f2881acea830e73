"""Sums of products, cubes and fourth powers: exact, for any order and grouping."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmeval_like._states.kinds.powers import Powers
from tests.helpers.examples import examples

NUMBERS = st.one_of(
    st.sampled_from([0.0, 1.0, -1.0, 1e8 + 1 / 3]),
    st.floats(-1e30, 1e30).map(lambda x: round(x, 3)),
)
WHOLE = st.integers(-8192, 8192).map(float)
SHORT = st.floats(-(2.0**40), 2.0**40, width=32)


@given(st.integers(1, 4), st.integers(1, 30), st.data())
@settings(max_examples=examples(60), deadline=None)
def test_spread_is_that_of_the_rows(width: int, count: int, data: st.DataObject) -> None:
    """Mean, covariance, third and fourth moment are those of fractions, also of columns of ones."""
    column = st.one_of(
        *(st.lists(each, min_size=count, max_size=count) for each in (NUMBERS, WHOLE, SHORT)),
        st.sampled_from([0.0, 1.0, 0.5]).map(lambda x: [x] * count),
    )
    rows = np.array([data.draw(column) for _ in range(width)]).T
    state, cut = Powers(width), data.draw(st.integers(0, count))
    folded = state.merge(
        state.fold(state.empty(), rows[cut:]), state.fold(state.empty(), rows[:cut])
    )
    found = state.spread(folded.fraction(), count)

    exact = [[Fraction(x) for x in row] for row in rows.tolist()]
    mean = [sum(column) / count for column in zip(*exact, strict=True)]
    assert found.mean == mean
    for i in range(width):
        for j in range(width):
            products = [(row[i] - mean[i]) * (row[j] - mean[j]) for row in exact]
            assert found.covariance[i][j] == sum(products) / count
        third = sum((row[i] - mean[i]) ** 3 for row in exact) / count
        size = max(abs(row[i]) for row in exact) ** 3
        tails = found.tails({i: 1})
        assert tails is not None
        assert abs(tails.third - third) <= size * Fraction(1, 2**95)
        fourth = sum((row[i] - mean[i]) ** 4 for row in exact) / count
        size = max(abs(row[i]) for row in exact) ** 4
        assert abs(tails.fourth - fourth) <= size * Fraction(1, 2**95)


@given(st.integers(1, 30), st.data())
@settings(max_examples=examples(40), deadline=None)
def test_sums_of_joint_numbers_have_known_tails(count: int, data: st.DataObject) -> None:
    """The central moments of a x + b y + c w are those of fractions; of others, they are unknown.

    Also of whole numbers, and of a column of ones or zeros, which are folded in other ways.
    """
    column = st.one_of(
        *(st.lists(each, min_size=count, max_size=count) for each in (NUMBERS, WHOLE, SHORT)),
        st.sampled_from([0.0, 1.0, 0.5]).map(lambda x: [x] * count),
    )
    rows = np.array([data.draw(column) for _ in range(4)]).T
    state, cut = Powers(4, [(0, 1, 2), (2, 3)]), data.draw(st.integers(0, count))
    folded = state.merge(
        state.fold(state.empty(), rows[cut:]), state.fold(state.empty(), rows[:cut])
    )
    found = state.spread(folded.fraction(), count)
    factor = st.fractions(-3, 3, max_denominator=9)
    factors = {
        place: data.draw(factor) for place in data.draw(st.sampled_from([(2, 0, 1), (3, 2)]))
    }

    terms = [[f * Fraction(row[i]) for i, f in factors.items()] for row in rows.tolist()]
    mean = sum(map(sum, terms), Fraction(0)) / count
    tails = found.tails(factors)
    assert tails is not None
    largest = max(sum(map(abs, row)) for row in terms)
    for power, value in ((2, tails.variance), (3, tails.third), (4, tails.fourth)):
        exact = sum((sum(row) - mean) ** power for row in terms) / count
        assert abs(value - exact) <= (power > 2) * largest**power * Fraction(1, 2**92)
    assert found.tails({0: 1, 3: 1}) is None


@pytest.mark.parametrize("kind", ["whole", "float32", "float64"])
def test_many_rows_add_up_as_their_fractions_do(kind: str) -> None:
    """More rows than a block has: sums and powers of numbers of one kind, and together."""
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(9000, 2)) * 1000
    if kind == "whole":
        rows = np.rint(rows.clip(-1024, 1024))
        rows[:5] = 1024  # the largest of which a block's fourth powers do not round
    if kind == "float32":
        rows = rows.astype(np.float32).astype(np.float64)
    state = Powers(2)
    found = state.fold(state.empty(), rows).fraction()

    x, y = ([*map(Fraction, column)] for column in rows.T.tolist())
    squares = [sum(a * b for a, b in zip(*pair, strict=True)) for pair in ((x, x), (x, y), (y, y))]
    assert found[:5].tolist() == [sum(x), sum(y), *squares]
    higher = [sum(a**power for a in column) for power in (3, 4) for column in (x, y)]
    if kind == "float64":
        assert all(abs(a / b - 1) < 2**-95 for a, b in zip(found[5:], higher, strict=True))
    else:
        assert found[5:].tolist() == higher
    pieces = state.empty()
    pieces.add_pieces(state.pieces(rows))
    assert (pieces.fraction() == found).all()


@pytest.mark.parametrize("scale", [1.0, 2.0**-170, 2.0**-300, 2.0**200, 2.0**260])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("joint", [[(0, 1)], [(0, 1, 2)], [(0, 3), (1, 2), (2, 3)]])
def test_columns_of_ones_add_the_same_bits(
    joint: list[tuple[int, ...]], kind: type, scale: float
) -> None:
    """Whether a number is 1 in all rows of a batch decides how its products are added, not what."""
    rng = np.random.default_rng(len(joint))
    rows = rng.normal(size=(3000, 4)) * scale
    rows = rows.astype(kind).astype(np.float64) if scale == 1.0 else rows
    rows[:, 2] = rows[:2000, 1] = 1.0
    state = Powers(4, joint)
    pieces, batches = state.empty(), state.empty()
    pieces.add_pieces(state.pieces(rows))
    for some in (rows[:700], rows[700:2000], rows[2000:]):
        state.fold(batches, some)
    whole = state.fold(state.empty(), rows)
    assert (whole.fraction() == pieces.fraction()).all()
    assert (batches.fraction() == pieces.fraction()).all()


def test_what_cannot_be_cubed_is_not_finite() -> None:
    """Numbers whose cubes overflow make the sum nan or infinite, which is no fraction."""
    state = Powers(1)
    folded = state.fold(state.empty(), np.array([[1e200], [2.0]]))
    with pytest.raises((ValueError, OverflowError)):
        folded.fraction()
