"""Laws of the exact sums: `fractions.Fraction` and `math.fsum` are the oracles."""

import copy
import math
import pickle
import re
import sys
from contextlib import suppress
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mmeval_like._exact.exact_sum import ExactSum

MAX, TINY, INF, NAN = sys.float_info.max, 2.0**-1074, math.inf, math.nan

finite = st.floats(allow_nan=False, allow_infinity=False)
any_float = st.floats() | st.sampled_from([NAN, INF, -INF, -0.0, MAX, -MAX, TINY, -TINY])
seeds = st.integers(0, 2**32 - 1)
exponents = st.tuples(st.integers(-1074, 970), st.integers(-1074, 970)).map(sorted)


def exact(rows, shape=()):
    """The exact sum of the rows, added at once."""
    total = ExactSum(shape)
    total.add(np.asarray(rows))
    return total


def true_sum(numbers):
    """The oracle: integers in units of 2**-1074 where a sum of Fractions would take long."""
    ratios = (float(x).as_integer_ratio() for x in numbers)
    return Fraction(sum((top << 1074) // bottom for top, bottom in ratios), 1 << 1074)


def rounded(fraction):
    """The oracle's float64, by Python's correctly rounded division of integers."""
    try:
        return float(fraction)
    except OverflowError:
        return INF if fraction > 0 else -INF


def same_bits(a, b):
    """Equal floats; nan equals nan, and -0.0 is not +0.0."""
    return np.array_equal(a, b, equal_nan=True) and np.array_equal(np.signbit(a), np.signbit(b))


def banded(seed, count, band):
    """Random floats of both signs with random mantissas of 1 to 53 bits, in a band of exponents."""
    rng = np.random.default_rng(seed)
    mantissas = rng.integers(-(2**53), 2**53, count) >> rng.integers(0, 53, count)
    return np.ldexp(mantissas.astype(float), rng.integers(band[0], band[1] + 1, count))


@given(st.lists(finite, max_size=40))
@example([-0.0])
@example([-MAX, -MAX])
@example([MAX, 2.0**970])  # a tie at the edge: rounds to infinity
@example([MAX, 2.0**970, -TINY])
@example([1.0, 2.0**-53])  # ties to even
@example([1.0, 2.0**-53, TINY])
@example([2.0**-1022, -TINY])
def test_value_is_the_rounded_fraction_sum(numbers):
    """The value is the rounded sum of Fractions; the fraction is that sum; a zero is +0.0."""
    oracle = sum(map(Fraction, numbers), Fraction(0))
    total = exact(np.array(numbers, float))
    assert total.fraction() == oracle
    assert same_bits(total.value(), rounded(oracle))
    assert type(total.value()) is float


@given(seeds, st.sampled_from([513, 2000, 16_384, 20_000]), exponents)
@example(0, 40_000, [-60, -50])
@example(1, 2000, [900, 970])
@example(2, 2000, [-1074, -1074])
@example(0, 513, [970, 970])
@example(3, 2000, [-1074, 970])
def test_many_numbers_sum_exactly(seed, count, band):
    """Blocks of numbers in any band of exponents give the sum of Fractions, and that of fsum."""
    numbers = banded(seed, count, band)
    total, oracle = exact(numbers), true_sum(numbers)
    assert total.fraction() == oracle
    assert same_bits(total.value(), rounded(oracle))
    with suppress(OverflowError):  # where partial sums overflow, fsum gives up
        assert total.value() == math.fsum(numbers)


@given(st.lists(any_float, max_size=12), st.integers(0, 1))
def test_nan_and_infinities_decide(numbers, many):
    """A nan or both infinities: nan; one infinity: that one; among few numbers and among many."""
    total = exact(np.concatenate([np.array(numbers, float), np.ones(1000 * many)]))
    infinities = {INF, -INF} & {*numbers}
    if any(map(math.isnan, numbers)) or len(infinities) == 2:
        assert math.isnan(total.value())
    elif infinities:
        assert {total.value()} == infinities
    else:
        assert total.fraction() == true_sum(numbers) + 1000 * many


def test_no_fraction_of_a_sum_that_is_not_finite():
    """A nan is no fraction (ValueError), an infinity neither (OverflowError)."""
    with pytest.raises(ValueError, match="2 nan"):
        exact([NAN, 1.0, NAN]).fraction()
    with pytest.raises(OverflowError, match="0 inf, 1 -inf"):
        exact([-INF]).fraction()


@given(st.data(), st.lists(any_float, min_size=1, max_size=30), seeds, exponents)
def test_order_batches_and_merging_do_not_matter(data, numbers, seed, band):
    """Any order, batches and tree of merges: equal sums, equal dense vectors, equal bytes."""
    count = data.draw(st.sampled_from([0, 1000]))
    numbers = np.concatenate([numbers, banded(seed, count, band)])
    whole = exact(numbers)
    shuffled = np.random.default_rng(seed).permutation(numbers)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(numbers)), max_size=6)))
    parts = [exact(part) for part in np.split(shuffled, cuts)]
    while len(parts) > 1:
        other = parts.pop(data.draw(st.integers(0, len(parts) - 1)))
        before = other.copy()
        parts[data.draw(st.integers(0, len(parts) - 1))].merge(other)
        assert other == before
    assert parts[0] == whole
    assert same_bits(parts[0].value(), whole.value())
    np.testing.assert_array_equal(parts[0].to_dense(), whole.to_dense())


@pytest.mark.parametrize("numbers", [[MAX], [-TINY], [0.1, -0.3], [MAX, -TINY], [2.0**31 - 1]])
def test_any_number_of_parts_merges_without_overflow(numbers):
    """20,000 parts, and a sum that is doubled 60 times, stay exact."""
    part, total = exact(numbers), ExactSum()
    for _ in range(20_000):
        total.merge(part)
    assert total.fraction() == 20_000 * part.fraction()
    for _ in range(60):
        total.merge(total)
    assert total.fraction() == (20_000 << 60) * part.fraction()
    assert ExactSum.from_dense(total.to_dense(), ()) == total


@given(seeds, exponents)
def test_dense_vectors_add_over_the_ranks(seed, band):
    """The int64 sum of 10,000 ranks' vectors is the sum; 2**30 ranks leave room."""
    numbers = banded(seed, 50, band)
    vectors = [exact(part).to_dense() for part in np.split(numbers, 10)]
    assert {len(vector) for vector in vectors} == {ExactSum.dense_size(())}
    ranks = np.random.default_rng(seed).integers(0, 10, 10_000)
    dense = np.sum(np.stack(vectors)[ranks], axis=0)
    oracle = np.array([true_sum(part) for part in np.split(numbers, 10)])
    assert ExactSum.from_dense(dense, ()).fraction() == oracle[ranks].sum()
    assert ExactSum.from_dense(vectors[0] * 2**30, ()).fraction() == 2**30 * oracle[0]


def test_dense_vectors_carry_nan_and_infinities():
    """What is not finite on one rank decides the sum of all."""
    dense = [exact([x]).to_dense() for x in (1.0, INF, -INF)]
    assert ExactSum.from_dense(dense[0] + dense[1], ()).value() == INF
    assert math.isnan(ExactSum.from_dense(dense[1] + dense[2], ()).value())


@pytest.mark.parametrize("width", [1, 3, 1000])
@pytest.mark.parametrize("count", [0, 1, 512, 513, 1001, 140_000])
@pytest.mark.parametrize("extremes", [[], [MAX, MAX, -MAX], [NAN, INF], [TINY, -TINY]])
def test_adding_at_an_index_is_adding_to_that_column(width, count, extremes):
    """One by one or distilled, of any magnitude: each column holds its values' exact sum."""
    rng = np.random.default_rng(count)
    values = np.concatenate([banded(7, count, (-1074, 900)), extremes])
    index = rng.integers(0, width, len(values))
    total, table = ExactSum((width,)), ExactSum((width,))
    before = values.copy()

    total.add_at(index, values)

    for column in np.unique(index).tolist():
        alone = exact(values[index == column]).to_dense().reshape(-1, 1)
        dense = np.zeros((len(alone), width), np.int64)
        dense[:, column] = alone[:, 0]
        table.merge(ExactSum.from_dense(dense.reshape(-1), (width,)))
    assert total == table
    assert same_bits(values, before)


@given(st.lists(any_float, max_size=20), st.lists(any_float, max_size=20))
def test_taking_away_undoes_merging(kept, taken):
    """(a + b) - b is a, to the last bit, nan and infinities included."""
    both = exact(np.array([*kept, *taken], float))

    left = both.minus(exact(np.array(taken, float)))

    assert left == exact(np.array(kept, float))
    assert both == exact(np.array([*kept, *taken], float))
    if NAN not in kept and any(map(math.isnan, taken)):
        with pytest.raises(ValueError, match="added before"):
            exact([]).minus(exact(np.array(taken, float)))


@pytest.mark.parametrize("shape", [(1,), (3,), (2, 3), (0,), (2, 0), (40, 30)])
@pytest.mark.parametrize("count", [0, 1, 4, 5, 700])
def test_shapes_are_sums_of_their_elements(shape, count):
    """An array of sums holds, in each element, what a scalar sum of that column holds."""
    table = banded(count, count * math.prod(shape), (-600, 400)).reshape(count, math.prod(shape))
    fractions = exact(table.reshape(count, *shape), shape).fraction()
    assert fractions.shape == shape
    assert fractions.reshape(-1).tolist() == [true_sum(column) for column in table.T]
    if count > 1 and table.size:
        table[0, 0], table[1, -1] = INF, NAN
    rows = table.reshape(count, *shape)
    total = exact(rows, shape)
    values = [exact(column).value() for column in table.T]
    assert (total.value().dtype, total.value().shape) == (np.float64, shape)
    assert same_bits(total.value(), np.reshape(values, shape))
    assert ExactSum.from_dense(total.to_dense(), shape) == total
    for view in (np.asfortranarray(rows), rows[::-1], np.repeat(rows, 2, 0)[::2]):
        assert exact(view, shape) == total


@pytest.mark.parametrize("dtype", [*"bBhHiIlLqQefd", ">f8", ">i8"])
@pytest.mark.parametrize("count", [7, 3000])
def test_every_dtype_is_summed_exactly(dtype, count):
    """Bool, integers up to their limits (beyond 2**53 too) and narrow floats are exact."""
    raw = np.random.default_rng(count).bytes(count * np.dtype(dtype).itemsize)
    rows = np.frombuffer(raw, dtype)
    if rows.dtype.kind == "f":
        rows = np.where(np.isfinite(rows), rows, rows.dtype.type(1.5))
    else:
        rows = np.append(rows, np.array([np.iinfo(dtype).max, np.iinfo(dtype).min], dtype))
    assert exact(rows).fraction() == sum(map(Fraction, rows.tolist()))
    assert exact(rows > 0).fraction() == (rows > 0).sum()


LONG = [np.longdouble] if np.dtype(np.longdouble).itemsize > 8 else []


@pytest.mark.parametrize("dtype", [*LONG, "D", "O", "U5", "M8[s]", "m8[s]", "V2"])
def test_other_dtypes_are_refused(dtype):
    """TypeError names the dtype."""
    with pytest.raises(TypeError, match=re.escape(f"got {np.dtype(dtype)}")):
        exact(np.zeros(3, dtype))


def test_misuse_is_named():
    """Wrong shapes, partners and vectors raise errors that say what was given."""
    for shape, given_shape in ((), ()), ((), (2, 1)), ((3,), (3,)), ((2, 3), (2, 6)):
        with pytest.raises(ValueError, match=re.escape(f"(n, *{shape}), got {given_shape}")):
            exact(np.zeros(given_shape), shape)
    for shape in (3, [3], (-1,), (1.0,), "ab"):
        with pytest.raises(ValueError, match="shape must be a tuple of integers >= 0, got"):
            ExactSum(shape)
    with pytest.raises(TypeError, match="ExactSum, got float"):
        ExactSum().merge(1.0)
    with pytest.raises(ValueError, match=r"shape \(2,\) into one of \(\)"):
        ExactSum().merge(ExactSum((2,)))
    for vector in (np.zeros(70), np.zeros(69, int), np.zeros((70, 1), int)):
        with pytest.raises(ValueError, match="vector must be int64 of length 70"):
            ExactSum.from_dense(vector, ())


def test_copies_are_equal_and_independent():
    """Pickle, deepcopy and copy keep the value; adding to the copy leaves the original."""
    total = exact([[0.1, NAN], [1e-300, 1.0]], (2,))
    pickled = pickle.loads(pickle.dumps(total))
    for twin in (copy.copy(total), copy.deepcopy(total), total.copy(), pickled):
        assert twin == total
        twin.add(np.ones((1, 2)))
        assert twin != total == exact([[0.1, NAN], [1e-300, 1.0]], (2,))


def test_equality_is_of_the_exact_sums():
    """Sums that round alike differ; other shapes and types are not equal."""
    assert exact([1.0, TINY]) != exact([1.0]) == exact([0.5, 0.5])
    assert exact([1.0]) not in (exact([[1.0]], (1,)), 1.0)
    assert repr(exact([1.0])) == "ExactSum(shape=(), value=1.0)"


def test_nothing_is_written_and_nothing_warns():
    """Rows may be read-only; no floating-point flag is left to warn of."""
    numbers = np.append(banded(5, 5000, (-1074, 970)), [NAN, INF, -0.0])
    numbers.flags.writeable = False
    signalling = np.full(600, 0x7FA00000, np.uint32).view(np.float32)
    with np.errstate(all="raise"):
        for part in (numbers, numbers[:100], numbers[:3000], signalling, signalling[:3]):
            assert math.isnan(exact(part).value()) == np.isnan(part).any()
