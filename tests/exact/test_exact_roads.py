"""Exact sums by every road that the data chooses: the limbs are the same integers."""

import numpy as np
import pytest

from mmeval_like._exact import distillation
from mmeval_like._exact import exact_sum as exact_module
from mmeval_like._exact.exact_sum import ExactSum
from tests.exact.test_exact_sum import INF, exact, true_sum


def spread(count, bits, low, sign=0, zeros=0.0, digits=53):
    """Floats of so many digits whose bits lie between `low` and `low + bits`, both ends taken."""
    rng = np.random.default_rng([count, bits, digits])
    exponents = rng.integers(0, max(1, bits - digits + 1), count)
    exponents[:1], exponents[1:2] = 0, max(0, bits - digits)
    mantissas = rng.integers(2 ** (digits - 1), 2**digits, count).astype(float)
    numbers = np.ldexp(mantissas, exponents + low)
    numbers *= sign if sign else rng.choice([-1.0, 1.0], count)
    numbers[rng.random(count) < zeros] = rng.choice([-0.0, 0.0])
    return numbers


SIZES = [1, 2, 63, 64, 65, 1023, 1024, 1025, 4097]


@pytest.mark.parametrize(
    ("count", "bits"),
    [
        *((count, bits) for count in SIZES for bits in (1, 53, 76, 128, 260, 2000)),
        *((65, bits) for bits in (24, 51, 52, 102, 103, 104, 154, 205, 206, 207, 500)),
        *((2**16 + more, 90) for more in (-1, 0, 1)),
    ],
)
def test_every_road_gives_the_same_sum(monkeypatch, count, bits):
    """One by one, in slices, in columns or in one piece: the limbs are the same integers.

    The data lie between so many bits, up to all of float64, from both ends of the exponents.
    """
    digits = min(bits, 53)
    shared = {"count": count, "bits": bits, "digits": digits}
    data = [spread(low=-1074, **shared), spread(low=971 - max(bits, 53), sign=1, **shared)]
    data.append(spread(low=-1074 + (2045 - bits) // 2, sign=-1, zeros=0.3, **shared))
    data.append(np.concatenate([data[2], -data[2][::-1], [2.0**-1074]]))
    sliced = [exact(numbers) for numbers in data]
    pairs = [np.stack([data[0], data[2]], axis=1), np.stack([data[1], np.zeros(count)], axis=1)]
    columns = [exact(rows, (2,)) for rows in pairs]
    places = np.arange(count) % 7
    placed = ExactSum((7,))
    placed.add_at(places, data[0])
    monkeypatch.setattr(exact_module, "_LONG", 2**20 if count >= 1024 else 1)
    assert [exact(rows, (2,)) for rows in pairs] == columns
    monkeypatch.setattr(distillation, "_LAST", -1)  # no slices at all
    assert [exact(numbers) for numbers in data] == sliced
    assert [exact(rows, (2,)) for rows in pairs] == columns
    again = ExactSum((7,))
    again.add_at(places, data[0])
    assert again == placed


@pytest.mark.parametrize("count", SIZES)
@pytest.mark.parametrize("scale", [-149, -130, -24, 0, 80])
def test_float32_is_summed_as_float64(count, scale):
    """Subnormal, normal and large float32, of both signs, among zeros: the limbs of float64."""
    rng = np.random.default_rng(count)
    for numbers in (rng.normal(size=count), rng.random(count), -(rng.random(count) ** 20)):
        numbers[rng.random(count) < 0.1] = 0.0
        narrow = np.ldexp(numbers, scale).astype(np.float32)
        assert exact(narrow) == exact(narrow.astype(float))
        ends = np.append(narrow, np.array([INF, 3.4028235e38, 1e-45], np.float32))
        assert exact(ends) == exact(ends.astype(float))


@pytest.mark.parametrize("count", [513, 16_384])
@pytest.mark.parametrize("top", [1.0, -1.0, 1.5, -1.9375])
def test_the_largest_partial_sums_are_exact(count, top):
    """Numbers of one sign and nearly one size make the partial sums as large as they can be."""
    numbers = top * (1 - 2.0**-20 * np.random.default_rng(count).random(count))
    assert exact(numbers).fraction() == true_sum(numbers)
