"""Running sums without rounding, in every number of limbs, against fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate

import numpy as np
import pytest

from mmeval_like._exact import fixed_point
from mmeval_like._exact.fixed_point import FixedPoint

# The numbers that may meet: the magnitudes of weights, and what makes a sum a tie, or nearly one.
NUMBERS = {
    "alike": lambda rng, n: rng.random(n),
    "whole": lambda rng, n: rng.integers(0, 5, n).astype(np.float64),
    "float32": lambda rng, n: rng.random(n).astype(np.float32).astype(np.float64),
    "far apart": lambda rng, n: rng.random(n) * 10.0 ** rng.integers(-60, 60, n),
    "powers of two": lambda rng, n: 2.0 ** rng.integers(-190, 190, n),
    "ties": lambda rng, n: rng.choice(
        np.array([1, 1 + 2.0**-52, 2.0**-53, 2.0**-54, 2.0**-106, 2.0**-160, 0]), n
    ),
    "zeros": lambda rng, n: np.zeros(n),
}


@pytest.mark.parametrize("room", [62, 40, 25, 14])
@pytest.mark.parametrize("kind", NUMBERS)
def test_running_sums_are_those_of_fractions(
    kind: str, room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sums, sums of sums and differences: exact in pieces, and correctly rounded."""
    monkeypatch.setattr(fixed_point, "_ROOM", room)
    rng, limbs = np.random.default_rng(0), set()
    for count in range(12):
        numbers = NUMBERS[kind](rng, count)
        before = Fraction(float(NUMBERS[kind](rng, 1)[0])) * (count % 2)
        points = FixedPoint.of([numbers], [before], count)
        table = points.running(numbers, points.table(before))
        exact = [*accumulate(map(Fraction, numbers.tolist()), initial=before)]
        twice = [one + other for one, other in zip(exact, exact[::-1], strict=True)]
        limbs.add(points.limbs)

        assert [points.fraction(sums) for sums in table.T] == exact
        assert points.rounded(table).tolist() == [*map(float, exact)]
        assert points.rounded(np.diff(table)).tolist() == numbers.tolist()
        both = table + table[:, ::-1]
        assert points.rounded(both).tolist() == [*map(float, twice)]
        pieces = [[*map(Fraction, piece.tolist())] for piece in points.floats(both)]
        assert [*map(sum, zip(*pieces, strict=True))] == twice
    if kind == "far apart":
        assert max(limbs) > 500 // room


def test_a_sum_goes_on_where_another_ended() -> None:
    """What is carried from one block of numbers to the next has the bits of one block."""
    numbers = NUMBERS["far apart"](np.random.default_rng(0), 60)
    whole = FixedPoint.of([numbers], [], 60)
    expected = whole.rounded(whole.running(numbers, whole.table(0)))
    points = FixedPoint.of([numbers[:30], numbers[30:]], [], 30)
    first = points.running(numbers[:30], points.table(0))
    second = points.running(numbers[30:], points.carried(first[:, -1:]))

    found = np.concatenate([points.rounded(first), points.rounded(second)[1:]])
    assert np.array_equal(found, expected)


@pytest.mark.parametrize(
    ("numbers", "limbs"),
    [
        ([1.0, 2.0, 5.0] * 1000, 1),
        (np.random.default_rng(0).random(1000).astype(np.float32).astype(np.float64), 1),
        (np.random.default_rng(0).random(1000), 2),
        ([1e-60, 1e60], 9),
    ],
)
def test_the_numbers_say_how_many_limbs(numbers: list[float], limbs: int) -> None:
    """One for whole numbers and float32, two for float64 alike, more where they are far apart."""
    assert FixedPoint.of([np.array(numbers)], [], len(numbers)).limbs == limbs
