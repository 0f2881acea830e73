"""States of many keys fold as the state of each key does by itself."""

import timeit
from functools import partial

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like import state
from mmeval_like._states.grouped.counts import CountTable
from mmeval_like._states.keyed import Keyed, PerKey
from mmeval_like._states.keyed_rows import KeyedRows, KeyIndex
from mmeval_like._states.kinds.folding import Extremum
from mmeval_like._states.kinds.powers import Powers
from mmeval_like.metrics._common.moment_sums import MomentSums
from mmeval_like.metrics.classification.weighted_counts import WeightedCount
from mmeval_like.testing.threads import at_once

STATES = [state.sum(int), state.sum(bool), state.sum(int, (3,)), state.sum(float),
          state.sum(float, (2,)), state.count(5), state.count(4096), state.count(None),
          state.max(), state.min(int, (2,)), state.tally(), Powers(2), MomentSums(2),
          WeightedCount(4, 2, 2)]  # fmt: skip


def rows_for(inner, rng, count):
    """Rows of a state, large and small ones among them."""
    shape = (count, *getattr(inner, "shape", ()))
    if isinstance(inner, Powers):
        return rng.normal(size=(count, 2)) * 10.0 ** rng.integers(-20, 20, (count, 2))
    if isinstance(inner, MomentSums):
        return rng.choice([1.0, 0.3], (count, 2, 3)) * rng.choice([1e20, 1e-3], (count, 2, 3))
    if isinstance(inner, WeightedCount):
        codes = rng.integers(0, 4, (count, 2))
        return np.concatenate([rng.normal(size=(count, 2)), codes], axis=1)
    if "bool" in repr(inner):
        return rng.random(count) < 0.5
    if "float" in repr(inner):
        return rng.normal(size=shape) * 10.0 ** rng.integers(-200, 200, shape)
    if "tally" in repr(inner):
        return rng.choice([-(1 << 62), 3, 4, 1 << 62], count)
    if "count" in repr(inner):
        return rng.integers(0, getattr(inner, "bins", 5), (count, 2)[: int(rng.integers(1, 3))])
    return rng.integers(-(1 << 62), 1 << 62, shape)


def of_key(keyed, folded, key):
    """The value of a key, as the inner state writes it."""
    groups = PerKey(keyed, folded).groups([key], np.array([0]), 1)
    return {name: array.tolist() for name, array in keyed.inner.to_arrays(groups.one(0)).items()}


@pytest.mark.parametrize("inner", STATES, ids=repr)
@pytest.mark.parametrize(("count", "kinds"), [(0, 1), (30, 10), (2000, 3), (600, 500)])
def test_all_keys_at_once_are_each_key_by_itself(inner, count, kinds):
    """Folding, merging, subtracting, writing: `==` to the state on the rows of each key alone."""
    rng = np.random.default_rng(count + kinds)
    keyed, pieces, of_keys = Keyed(inner), [], {}
    for _ in range(3):
        keys = [(int(i), "x") for i in rng.integers(0, kinds, count)]
        cells = KeyIndex(keys)
        rows = rows_for(inner, rng, count)
        pieces.append(keyed.check("x", KeyedRows(cells, cells.numbers(keys), rows)))
        for key in set(keys):
            which = [place for place, other in enumerate(keys) if other == key]
            alone = of_keys.get(key, inner.empty())
            of_keys[key] = inner.fold(alone, inner.check("x", rows[which]))
    expected = {
        key: {name: array.tolist() for name, array in inner.to_arrays(folded).items()}
        for key, folded in of_keys.items()
    }

    def check(folded, expected):
        assert {key: of_key(keyed, folded, key) for key in folded.used()} == expected

    check(keyed.fold_pieces(keyed.empty(), pieces), expected)
    step = keyed.empty()
    for piece in pieces:
        step = keyed.fold(keyed.copy(step), piece)
    check(step, expected)
    apart = [keyed.fold(keyed.empty(), piece) for piece in pieces]
    merged = keyed.merge(apart[2], keyed.merge(apart[0], apart[1]))
    check(merged, expected)
    check(keyed.from_arrays(keyed.to_arrays(merged)), expected)
    for name, array in keyed.to_arrays(step).items():  # the order of arrival is no matter
        assert np.array_equal(array, keyed.to_arrays(merged)[name])
    if not isinstance(inner, Extremum):
        left = keyed.subtract(keyed.merge(merged, step), merged)
        check(left, expected)


def test_a_class_of_states_of_ones_own_is_sliced():
    """A state that derives from one of the package may fold in another way: nothing is assumed."""

    class Twice(type(state.sum(int))):
        def fold(self, folded, rows):
            return super().fold(folded, 2 * rows)

    class Doubled(mm.BaseMetric):
        total = Twice(int, ())

        def rows(self, values):
            return {"total": np.asarray(values)}

        def compute_metric(self, results):
            return {"total": results.total}

    sliced = mm.Sliced(Doubled(), by="x")
    sliced.add([1, 2, 3], by={"x": ["a", "b", "a"]})
    assert sliced.compute() == {"all": {"total": 12}, "x=a": {"total": 8}, "x=b": {"total": 4}}


def test_threads_number_keys():
    """A key has one number, which no other key has, also where several threads ask."""
    cells = KeyIndex()
    keys = [[(thread, number) for number in range(4000)] for thread in range(3)]
    found = {}

    def ask(thread):
        parts = [cells.numbers(keys[thread][i : i + 500]) for i in range(0, 4000, 500)]
        found[thread] = np.concatenate(parts).tolist()

    at_once(*(partial(ask, number) for number in range(3)))

    assert sorted(cells.keys) == sorted(key for some in keys for key in some)
    for thread, numbers in found.items():
        assert [cells.keys[number] for number in numbers] == keys[thread]


def test_one_of_many_histograms_is_found_without_a_look_at_the_others():
    """A key's counts take a binary search: 2,000,000 pairs cost what 2,000 do, up to noise."""

    def seconds(keys):
        table = CountTable(state.count(2))
        table.fold(np.repeat(np.arange(keys), 2), np.tile([0, 1], keys), keys)
        table.one(0)
        return min(timeit.repeat(lambda: table.one(keys // 2), number=20, repeat=5))

    assert seconds(1_000_000) < 10 * seconds(1_000)
