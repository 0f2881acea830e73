"""Metrics whose parts travel in different ways, and computing them on ranks that are threads."""

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like import state

WORLDS = [(ranks, members_only) for ranks in (2, 3) for members_only in (False, True)]


worlds = pytest.mark.parametrize(("ranks", "members_only"), WORLDS)


class ListAccuracy(mm.BaseMetric):
    """A metric in MMEval's way."""

    def add(self, predictions, labels):
        """Append one entry per sample."""
        self._results += [p == y for p, y in zip(predictions, labels, strict=True)]

    def compute_metric(self, results):
        """The share of True."""
        return {"accuracy": sum(results) / len(results)}


class Wide(mm.BaseMetric):
    """States that add up, too large for the slot."""

    total = state.sum(int, (1000,))

    def rows(self, values):
        """One row per sample, of numbers that no narrow dtype holds."""
        return {"total": np.asarray(values)[:, None] * (2**33 - np.arange(1000))}

    def compute_metric(self, results):
        """The first element and the count."""
        return {"total": int(results.total[0]) >> 33, "count": len(results)}


class WideEverywhere(Wide):
    """The same, computed by every rank."""

    every_rank_computes = True


class Kept(mm.BaseMetric):
    """Every row is kept, in order."""

    values = state.cat(np.int64)

    def rows(self, values):
        """The values."""
        return {"values": np.asarray(values)}

    def compute_metric(self, results):
        """All values."""
        return {"values": results.values.tolist()}


def compute_in(world, make, batches, **options):
    """Every rank adds its batches and computes."""

    def evaluate(backend):
        metric = make(dist_backend=backend)
        for batch in batches[backend.rank]:
            metric.add(*batch)
        return metric.compute(**options)

    return world.run(evaluate)


def errors_of(world, function):
    """Every rank's exception."""
    with pytest.raises(Exception):  # noqa: B017  whichever the lowest rank raised
        world.run(function)
    return world.errors
