"""Laws of sums of products: Fractions are the oracle, products one by one the other road."""

from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import pytest

from mmeval_like._exact import gram as gram_module
from mmeval_like._exact.exact_sum import ExactSum
from mmeval_like._exact.gram import gram, one_by_one


def columns_of(width, count, bits, low, seed=0):
    """Columns of both signs, with zeros, whose bits lie between `low` and `low + bits`."""
    rng = np.random.default_rng([width, count, bits, seed])
    digits = min(bits, 53)
    mantissas = rng.integers(2 ** (digits - 1), 2**digits, (width, count)).astype(float)
    exponents = rng.integers(low, low + bits - digits + 1, (width, count))
    columns = np.ldexp(mantissas, exponents) * rng.choice([-1.0, 0.0, 1.0, 1.0], (width, count))
    columns[width // 2, : count // 2] = 2.0**low
    return columns


def true_sums(columns):
    """The oracle: sums of the columns, and of the products of each two."""
    exact = [[Fraction(x) for x in column] for column in columns.tolist()]
    pairs = combinations_with_replacement(exact, 2)
    products = [sum(x * y for x, y in zip(*pair, strict=True)) for pair in pairs]
    return [*map(sum, exact), *products]


@pytest.mark.parametrize("count", [1, 2, 3, 64, 65, 1023, 1024, 1025, 8193])
@pytest.mark.parametrize("bits", [1, 20, 24, 42, 53, 70, 110, 160])
@pytest.mark.parametrize("low", [-300, -60, 200])
def test_both_roads_give_the_sums_of_fractions(monkeypatch, count, bits, low):
    """In slices or product by product: the same exact sums, and nothing is written."""
    width = 1 + count % 3
    columns = columns_of(width, count, bits, low)
    before, size = columns.copy(), width * (width + 3) // 2
    places = np.random.default_rng(count).permutation(size)
    total = ExactSum((size,))
    total.add_pieces([(places, columns)])
    assert np.array_equal(columns, before)
    if bits <= 70:
        assert gram(columns) is not None
    monkeypatch.setattr(gram_module, "_SLICES", 0)
    assert gram(columns) is None
    other = ExactSum((size,))
    other.add_pieces([(places, columns)])
    assert total == other
    single = ExactSum((size,))
    single.add_pieces(one_by_one((places, columns)))
    assert total == single
    if count < 100:
        assert total.fraction()[places].tolist() == true_sums(columns)


@pytest.mark.parametrize("top", [1 - 2.0**-53, -1.5, 1.9999])
@pytest.mark.parametrize("least", [1.0, 2.0**-18])
@pytest.mark.parametrize("count", [1024, 8192])
def test_the_largest_partial_sums_are_exact(top, least, count):
    """Columns of nearly equal numbers make all partial sums as large as they can be."""
    columns = top * (1 - 2.0**-20 * np.random.default_rng(count).random((2, count)))
    columns[:, 0] = least  # the second one makes slices as long as they can be
    total = ExactSum((5,))
    total.add_pieces([(range(5), columns)])
    assert total.fraction().tolist() == true_sums(columns)


@pytest.mark.parametrize("odd", [np.nan, np.inf, 2.0**481, 1e300, 2.0**-1074, 1e-170])
def test_what_is_beyond_the_range_is_summed_product_by_product(odd):
    """Numbers whose products leave float64 give what `two_product` gives."""
    columns = columns_of(2, 50, 30, 0)
    columns[1, 7] = odd
    assert gram(columns) is None
    total, other = ExactSum((5,)), ExactSum((5,))
    with np.errstate(all="ignore"):
        total.add_pieces([(range(5), columns)])
        other.add_pieces(one_by_one((range(5), columns)))
    assert total == other


def test_zeros_add_nothing():
    """Columns of zeros of either sign leave the sums as they are."""
    total = ExactSum((5,))
    total.add_pieces([(range(5), np.array([[0.0, -0.0], [-0.0, 0.0]]))])
    assert total == ExactSum((5,))


@pytest.mark.parametrize("width", [1, 2, 3, 7])
@pytest.mark.parametrize("bits", [20, 53, 90])
@pytest.mark.parametrize("count", [80, 3640, 3641, 8000])
def test_products_in_parts_are_those_of_the_whole(monkeypatch, width, bits, count):
    """The sums have the same bits in one product as in small ones, none of which wakes threads."""
    columns = columns_of(width, count, bits, -40)
    sizes, matmul = [], np.matmul

    def spy(rows, others):
        sizes.extend([rows[0].size * others.shape[2]] * len(rows))
        return matmul(rows, others)

    monkeypatch.setattr(np, "matmul", spy)
    parts = gram(columns)
    assert max(sizes) <= gram_module._ALONE
    assert len(sizes) > 1 or (width, bits, count) != (7, 53, 8000)
    del sizes[:]
    monkeypatch.setattr(gram_module, "_ALONE", 1 << 40)
    whole = gram(columns)
    assert len(sizes) == 1 or bits > 40  # long slices are multiplied in short parts
    for part, other in zip(parts, whole, strict=True):
        assert np.array_equal(part, other)


@pytest.mark.parametrize("width", range(1, 14))
@pytest.mark.parametrize("bits", [20, 40, 53, 90])
def test_any_number_of_columns_and_slices(width, bits):
    """Few or many columns in few or many slices have the sums of products one by one."""
    columns = columns_of(width, 200, bits, -40)
    size = width * (width + 3) // 2
    total, single = ExactSum((size,)), ExactSum((size,))
    total.add_pieces([(np.arange(size), columns)])
    single.add_pieces(one_by_one((np.arange(size), columns)))
    assert gram(columns) is not None
    assert total == single


@pytest.mark.parametrize("width", [2, 9])
@pytest.mark.parametrize("count", [127, 129, 16_000, 65_536])
def test_sums_of_many_parts_stay_within_int64(width, count):
    """Products of the longest slices, all of them as large as they can be, are summed exactly."""
    columns = np.full((width, count), 2.0 - 2.0**-52)
    columns[:, 0] = 2.0**-18  # slices of 23 bits
    size = width * (width + 3) // 2
    total = ExactSum((size,))
    total.add_pieces([(range(size), columns)])
    one = true_sums(columns[:1, :2])
    first, last = [Fraction(2) ** -18, Fraction(2) ** -36], [one[0] - Fraction(2) ** -18]
    last.append(last[0] ** 2)
    wanted = [a + (count - 1) * b for a, b in zip(first, last, strict=True)]
    assert gram(columns) is not None
    found = total.fraction().tolist()
    assert found == [wanted[0]] * width + [wanted[1]] * (size - width)
