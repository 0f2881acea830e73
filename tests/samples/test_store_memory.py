"""A store takes no more memory for more samples, parts or batches."""

import tracemalloc

import numpy as np
import pytest

from mmeval_like import state
from mmeval_like._samples.store import Store
from tests.samples.test_store import value


@pytest.mark.parametrize("batch", [1, 64, 5000])
def test_memory_does_not_grow_with_the_samples(batch):
    """After a few blocks a store of sums and counts takes no more memory, for any batch size."""
    declared = {"hits": state.sum(int), "total": state.sum(), "codes": state.count(100)}
    made = Store(declared, max_padding=10)
    batch_rows = {
        "hits": np.ones(batch, bool),
        "total": np.full(batch, 0.1),
        "codes": np.full(batch, 7),
    }
    sizes = []
    tracemalloc.start()
    try:
        for _ in range(2):
            for _ in range(10_000 // batch + 4):
                made.append(made.check({name: rows.copy() for name, rows in batch_rows.items()}))
            sizes.append(tracemalloc.get_traced_memory()[0])
            tracemalloc.reset_peak()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert max(sizes) < 1_500_000 + 24 * batch
    assert peak < 3_000_000 + 100 * batch
    assert made.waiting < 10_000 + 2 * batch
    assert value([made.part()], declared)["hits"] == made.count


def test_memory_does_not_grow_with_the_parts_merged():
    """Many small parts fold as many small batches do."""
    declared = {"hits": state.sum(int)}
    small, made = (Store(declared, max_padding=10) for _ in range(2))
    small.append(small.check({"hits": np.ones(3, bool)}))
    for _ in range(5_000):
        made.merge(small.part())

    assert 10 <= made.waiting < 1_000
    assert value([made.part()], declared)["hits"] == made.count == 15_000


def test_single_samples_with_ids_are_joined():
    """Ten thousand batches of one sample with an id take the memory of their numbers."""
    made = Store({"hits": state.sum(int)})
    tracemalloc.start()
    try:
        for index in range(10_000):
            made.append(made.check({"hits": np.ones(1, bool)}, np.array([index])))
        size = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()

    assert size < 10_000 * 150
    assert made.waiting == 10_000
