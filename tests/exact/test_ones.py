"""Laws of arrays of ones: they add up as any others do, and nobody can change them."""

import pickle

import numpy as np
import pytest

from mmeval_like import MeanSquaredError, state
from mmeval_like._exact.exact_sum import ExactSum
from mmeval_like._exact.ones import are_ones, ones
from mmeval_like._states.kinds.folding import FloatSum


def test_they_are_ones_and_stay_ones():
    """They equal numpy's ones, refuse to be written to, and are known also in part."""
    some = ones(5)
    assert np.array_equal(some, np.ones(5))
    with pytest.raises(ValueError, match="read-only"):
        some[0] = 2.0
    assert are_ones(some[2:])
    others = (np.ones(5), some.copy(), some + 0.0, some.view(np.int64), some[:, None], [1.0])
    assert not any(map(are_ones, others))
    assert np.array_equal(pickle.loads(pickle.dumps(some)), np.ones(5))


@pytest.mark.parametrize("counts", [[3], [0, 4], [5, -2, 7], [-3, 1], [70_000, 1]])
def test_their_sum_is_that_of_numpys(counts):
    """Pieces of ones (a negative number stands for other floats) fold as arrays of numpy do."""
    rng = np.random.default_rng(0)
    pieces = [rng.normal(size=-n) if n < 0 else ones(n) for n in counts]
    kind = state.sum()

    found = kind.fold_pieces(kind.empty(), pieces)

    assert found == kind.fold_pieces(kind.empty(), [piece.copy() for piece in pieces])
    assert found == kind.fold(kind.empty(), np.concatenate(pieces))


def test_a_sum_of_something_else_gets_its_rows():
    """A state that sums a function of its rows is handed ones like any other row."""

    class Doubled(FloatSum):
        def fold(self, folded, rows):
            return super().fold(folded, 2 * rows)

    kind = Doubled(float, ())
    assert kind.fold_pieces(kind.empty(), [ones(3), ones(2)]).value() == 10.0


@pytest.mark.parametrize("count", [1, 600, 2000])
def test_pieces_of_ones_are_added_at_their_place(count):
    """Whether a piece is ones or numpy's ones, the sums are the same."""
    found, other = ExactSum((3,)), ExactSum((3,))
    found.add_pieces([(np.int64(1), ones(count)), (np.full(count, 2), ones(count))])
    other.add_pieces([(np.int64(1), np.ones(count)), (np.full(count, 2), np.ones(count))])
    assert found == other
    assert found.value().tolist() == [0, count, count]


def test_weights_that_are_left_out_are_weights_of_one():
    """With no weights, with weights of 1 and in a mixture of batches the value is the same."""
    rng = np.random.default_rng(1)
    batches = [(rng.normal(size=n), rng.normal(size=n)) for n in (1, 40, 3000, 20_000)]
    metrics = [MeanSquaredError() for _ in range(3)]
    for place, batch in enumerate(batches):
        weights = np.ones(len(batch[0]))
        metrics[0].add(*batch)
        metrics[1].add(*batch, sample_weight=weights)
        metrics[2].add(*batch, sample_weight=weights if place % 2 else None)
    assert metrics[0].compute() == metrics[1].compute() == metrics[2].compute()
    assert metrics[0].compute(size=23_041) == metrics[0].compute_local()
