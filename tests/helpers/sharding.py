"""The law that a result with its intervals has the same bits, wherever the samples lie."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mmeval_like import BaseMetric, MetricCollection
from mmeval_like.testing.local_world import LocalWorld
from tests.helpers.examples import examples

__all__ = ["check_same_bits"]


def check_same_bits(
    metrics: Mapping[str, BaseMetric],
    draw: Callable[[np.random.Generator, int], Sequence[np.ndarray]],
    most: int,
    with_ids: bool = True,
) -> None:
    """Check results, intervals, errors and methods for any shards, batches, order, also with ids.

    Args:
        metrics: Metrics without samples, by name.
        draw: Makes the arguments of `add` for so many samples.
        most: The largest number of samples.
        with_ids: Whether `add` takes `ids=`.
    """

    @given(st.integers(1, 5), st.integers(1, most), st.integers(0, 2**32), st.booleans())
    @settings(max_examples=examples(15), deadline=None)
    def law(ranks: int, count: int, seed: int, ids: bool) -> None:
        rng = np.random.default_rng(seed)
        samples = draw(rng, count)
        order = rng.permutation(count)
        expected = MetricCollection(metrics, dist_backend="non_dist")(*samples)

        def evaluate(backend: Any) -> Any:
            collection = MetricCollection(metrics, dist_backend=backend)
            for batch in np.array_split(order[backend.rank :: ranks], 3):
                named = {"ids": batch} if ids and with_ids else {}
                collection.add(*(column[batch] for column in samples), **named)
            return collection.compute(), collection.intervals

        for result, intervals in LocalWorld(ranks).run(evaluate):
            assert repr(result) == repr(expected)
            assert repr(intervals) == repr(expected.intervals)

    law()
