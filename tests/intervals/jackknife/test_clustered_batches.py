"""Batches with clusters of which a metric takes nothing."""

from typing import Any

import numpy as np
import pytest

import mmeval_like as mm


class Chosen(mm.Mean):
    """A mean of those samples that its own `add` takes: the positive ones."""

    def add(self, values: Any, **named: Any) -> None:
        """Take a batch, or nothing of it."""
        if len(values) and min(values) > 0:
            super().add(values, **named)


@pytest.mark.filterwarnings("ignore:intervals that promise less")
@pytest.mark.parametrize("others", [[], [-1.0]])
def test_a_batch_of_which_nothing_is_taken_may_have_clusters(others: list[float]) -> None:
    """By an `add` of its own, or because it is empty, as the last batch of a rank."""
    expected, metric = Chosen(interval=0.95), Chosen(interval=0.95)
    batch = [1.0, 2.0, 4.0], ["a", "a", "b"]
    for each in (metric, expected):
        each.add(batch[0], clusters=batch[1])
    metric.add(others, clusters=["c"] * len(others))

    assert repr(metric.compute()) == repr(expected.compute())
    own = mm.AveragePrecision(interval=0.95)
    own.add(np.zeros((0, 4)), np.zeros(0, int), clusters=[])
    own.add(np.eye(4), np.arange(4), clusters=[0, 0, 1, 1])
    assert own.compute()["mAP"] == 100.0
