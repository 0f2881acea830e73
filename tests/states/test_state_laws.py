"""Every kind of state keeps the laws of states, for rows that are hard on it."""

import math
from fractions import Fraction

import numpy as np
import pytest

from mmeval_like import state
from mmeval_like._states.rows import Ragged, take
from mmeval_like.metrics._common.decibels import DecibelSum
from mmeval_like.metrics._common.moment_sums import MomentSums
from mmeval_like.metrics.classification.weighted_counts import WeightedCount
from mmeval_like.metrics.curves.score_lists import ScoreState
from mmeval_like.testing import StateCase, check_state
from tests.helpers.examples import examples

WIDE = [np.iinfo(np.int64).min, np.iinfo(np.int64).max, 2**53 + 1, -1, 0, 1, 2**31, -(2**32)]


def exact(values):
    """The textbook sum, rounded once."""
    finite = [Fraction(value) for value in values if math.isfinite(value)]
    rest = {value for value in values if not math.isfinite(value)}
    if any(map(math.isnan, rest)) or len(rest) == 2:
        return math.nan
    total = sum(finite, Fraction(0))
    try:
        return rest.pop() if rest else float(total)
    except OverflowError:  # Python raises where IEEE 754 rounds to infinity
        return math.inf if total > 0 else -math.inf


def integers(rng, n):
    """Integers of a random width, up to the largest that it holds."""
    dtype = np.dtype(rng.choice(["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i4"]))
    if dtype.kind == "b":
        return rng.random(n) < 0.5
    limits = np.iinfo(dtype)
    low, high = max(limits.min, -(2**63)), min(limits.max, 2**63 - 1)
    return rng.choice(np.array([low, high, 0, 1, high - 5], dtype), n)


def floats(rng, n):
    """Floats of all magnitudes, of a random width; sometimes with nan and infinities."""
    dtype = rng.choice(["f2", "f4", "f8", ">f8", "i2", "i8"])
    if dtype[0] == "i":
        return rng.integers(-(2**15), 2**15, n).astype(dtype)
    with np.errstate(over="ignore"):
        values = (rng.normal(size=n) * 10.0 ** rng.integers(-320, 308, n)).astype(dtype)
    if rng.random() < 0.7:
        values[~np.isfinite(values)] = 1
    return values


def codes(rng, n):
    """One code, several or any number of them per row."""
    form = rng.integers(3)
    if form == 2:
        lengths = rng.integers(0, 4, n)
        return Ragged(rng.integers(0, 7, lengths.sum()).astype(np.uint8), lengths)
    return rng.integers(0, 7, (n, 2) if form else n)


def any_codes(rng, n):
    """Codes over all of int64, of a random width."""
    dtype = rng.choice(["i1", "u4", "i8", "u8"])
    if dtype == "u8":
        return rng.choice(np.array([0, 2**63 - 1, 2**53 + 1], np.uint64), n)
    return rng.choice(np.array(WIDE), n) if dtype == "i8" else rng.integers(0, 99, n).astype(dtype)


def flat(rows):
    """All codes."""
    return (rows.values if isinstance(rows, Ragged) else rows).reshape(-1).astype(np.int64)


def table(rows):
    """Python's sums of the columns."""
    return np.array([sum(map(int, column)) for column in rows.T], np.int64)


def maximum(rows):
    """The largest, nan if there is one; None of no rows."""
    values = rows.tolist()
    return (math.nan if any(map(math.isnan, values)) else float(max(values))) if values else None


def small_floats(rng, n, width):
    """Rows of numbers whose products are normal floats."""
    return rng.normal(size=(n, *width)) * 10.0 ** rng.integers(-20, 20, (n, *width))


def weighted(rows):
    """Exact sums of the first column by the others."""
    chosen = [[row[0] for row in rows.tolist() if row[1] == code] for code in range(4)]
    return np.array([exact(values) for values in chosen])


CASES = {
    "sum int": StateCase(
        state.sum(int), integers, lambda rows: sum(map(int, rows.tolist())), subtracts=True
    ),
    "sum int of a shape": StateCase(
        state.sum(int, (3,)), lambda rng, n: rng.integers(-(2**56), 2**56, (n, 3)), table,
        subtracts=True,
    ),
    "sum float": StateCase(
        state.sum(), floats, lambda rows: exact(rows.tolist()), subtracts=True, most=700
    ),
    "sum float of a shape": StateCase(
        state.sum(float, (2,)),
        lambda rng, n: small_floats(rng, n, (2,)),
        lambda rows: np.array([exact(column) for column in rows.T.tolist()]),
        subtracts=True,
        most=700,
    ),
    "count": StateCase(
        state.count(7), codes, lambda rows: np.bincount(flat(rows), minlength=7), subtracts=True
    ),
    "count any": StateCase(
        state.count(None), codes, lambda rows: np.bincount(flat(rows)), subtracts=True
    ),
    "tally": StateCase(
        state.tally(),
        any_codes,
        lambda rows: tuple(np.unique(flat(rows), return_counts=True)),
        subtracts=True,
    ),
    "tally of several": StateCase(
        state.tally(),
        codes,
        lambda rows: tuple(np.unique(flat(rows), return_counts=True)),
        subtracts=True,
    ),
    "max float": StateCase(state.max(), floats, maximum),
    "min int": StateCase(
        state.min(int), integers, lambda rows: int(min(rows.tolist())) if len(rows) else None
    ),
    "last": StateCase(
        state.last(5, np.int64), lambda rng, n: rng.integers(0, 999, n), lambda rows: rows[-5:],
        order_matters=True,
    ),
    "last of many": StateCase(
        state.last(1000, np.float32, (2,)),
        lambda rng, n: rng.random((n, 2)),
        lambda rows: rows[-1000:].astype(np.float32),
        order_matters=True,
    ),
    "last ragged": StateCase(
        state.last(4, np.uint8),
        lambda rng, n: Ragged(*(lambda k: (np.arange(k.sum()) % 250, k))(rng.integers(0, 3, n))),
        lambda rows: take(
            Ragged(rows.values.astype(np.uint8), rows.lengths),
            np.arange(max(0, len(rows) - 4), len(rows)),
        ),
        order_matters=True,
    ),
    "cat": StateCase(
        state.cat(np.int16), lambda rng, n: rng.integers(0, 99, n),
        lambda rows: rows.astype(np.int16), order_matters=True,
    ),
    "objects": StateCase(
        state.objects(), lambda rng, n: [str(k) for k in rng.integers(0, 99, n)], list,
        order_matters=True,
    ),
    "weighted count": StateCase(
        WeightedCount(4),
        lambda rng, n: np.column_stack([small_floats(rng, n, ()), rng.integers(0, 4, n)]),
        weighted,
        subtracts=True,
        most=700,
    ),
    "weighted count of several numbers": StateCase(
        WeightedCount(4, codes=2, numbers=2),
        lambda rng, n: np.column_stack([small_floats(rng, n, (2,)), rng.integers(0, 4, (n, 2))]),
        lambda rows: weighted(np.concatenate([rows[:, [0, 2]], rows[:, [1, 3]]])),
        subtracts=True,
        most=700,
    ),
    "moments": StateCase(
        MomentSums(1),
        lambda rng, n: np.where([1, 0, 0], rng.choice([1.0, 3.0]), small_floats(rng, n, (1, 3))),
        lambda rows: np.array([[
            exact([Fraction(w) * y**a * p**b for w, y, p in map(fractions_of, rows[:, 0])])
            for a, b in ((0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2))
        ]]),
        subtracts=True,
    ),
    "decibels": StateCase(
        DecibelSum(),
        lambda rng, n: rng.random((n, 3, 2)),
        lambda rows: exact([
            sum(10 * math.log10(a / b) for a, b in frames) / 3 for frames in rows.tolist()
        ]),
        subtracts=True,
    ),
}  # fmt: skip


def fractions_of(numbers):
    """A row of floats as fractions."""
    return map(Fraction, numbers.tolist())


@pytest.mark.parametrize("name", CASES)
def test_kinds_keep_the_laws(name):
    """Any batches, grouping, ranks and order; arrays are the state; subtracting undoes merging."""
    check_state(CASES[name], examples=examples(12))


def test_scores_keep_the_laws():
    """Scores by class and label, sorted when they are sent."""

    def rows(rng, n):
        return np.stack([rng.normal(size=(n, 2)), rng.integers(0, 2, (n, 2))], axis=2)

    def value(rows):
        if not len(rows):
            return []
        return [
            np.sort(rows[rows[:, c, 1] == positive, c, 0]) for c in (0, 1) for positive in (0, 1)
        ]

    class Sorted(ScoreState):
        def value(self, folded):
            if not folded:
                return []
            groups = super().value(folded).groups
            return [np.sort(np.concatenate(runs)) for runs in groups] if len(groups) else []

        def to_arrays(self, folded):
            return ScoreState(2, False).to_arrays(folded)

    kind = Sorted(2, False)
    laws = ["equals_oracle", "any_batches", "any_grouping", "any_order", "arrays_are_the_state"]
    check_state(StateCase(kind, rows, lambda given: value(given)), only=laws)
