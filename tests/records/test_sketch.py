"""The table from which the samples are found that differ."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmeval_like._samples.ids import read_ids
from mmeval_like.records.sketch import differences, sketch_of
from tests.helpers.examples import examples


@pytest.mark.parametrize("texts", [False, True])
@given(st.integers(0, 2**32), st.integers(0, 8), st.integers(0, 8), st.integers(0, 8))
@settings(max_examples=examples(15), deadline=None)
def test_all_that_differ_are_named(
    texts: bool, seed: int, lost: int, gained: int, changed: int
) -> None:
    """Up to 24 samples that are missing, new or changed, among 500, by comparing sets."""
    rng = np.random.default_rng(seed)
    numbers = rng.permutation(10_000)[:500]
    listed = [f"n{number}" for number in numbers] if texts else numbers
    ids, hashes = read_ids(listed, 500), rng.integers(0, 2**64, 500, np.uint64)
    others = hashes.copy()
    others[lost : lost + changed] += np.uint64(1)
    old = sketch_of(ids[: 500 - gained], hashes[: 500 - gained])

    found = differences(old, sketch_of(ids[lost:], others[lost:]), texts)

    assert found is not None
    names = [*listed] if texts else numbers.tolist()
    wanted = names[:lost], names[500 - gained :], names[lost : lost + changed]
    assert [set(one) for one in found] == [set(one) for one in wanted]


def test_thirty_changed_samples_are_named_nearly_always() -> None:
    """Sixty entries fit into 96 cells in nearly all of many draws; a thousand never do."""
    rng = np.random.default_rng(0)
    named = 0
    for _ in range(25):
        ids, hashes = np.arange(1000), rng.integers(0, 2**64, 1000, np.uint64)
        old = sketch_of(ids, hashes)
        hashes[rng.permutation(1000)[:30]] += np.uint64(1)
        found = differences(old, sketch_of(ids, hashes), False)
        named += found is not None and len(found[2]) == 30
    assert named >= 24

    assert differences(old, sketch_of(ids, hashes ^ np.uint64(1)), False) is None


def test_the_order_of_samples_does_not_matter() -> None:
    """The table is a sum."""
    rng = np.random.default_rng(0)
    ids, hashes, order = np.arange(99), rng.integers(0, 2**64, 99, np.uint64), rng.permutation(99)

    assert sketch_of(ids, hashes) == sketch_of(ids[order], hashes[order])


def test_another_text_is_refused() -> None:
    """A table of another size is an error, and no wrong answer."""
    with pytest.raises(ValueError, match="a sketch of these ids has 3072 bytes"):
        differences("AAAA", "AAAA", False)
