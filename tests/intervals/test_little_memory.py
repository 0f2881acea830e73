"""Where an error of a metric means something else, a lack of memory still raises."""

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like import state
from mmeval_like._states.row_contents import content
from mmeval_like._states.unequal_rows import differing


class Greedy(mm.BaseMetric):
    """A mean that has the memory for one evaluation only."""

    evaluations = 0

    states = staticmethod(lambda: {"total": state.sum()})

    def rows(self, predictions):
        """Return the values."""
        return {"total": predictions}

    def compute_metric(self, results):
        """Return the mean, once."""
        self.evaluations += 1
        if self.evaluations > 1:
            raise MemoryError
        return {"mean": results.total / len(results)}


class Unfit:
    """An object that cannot be compared or decomposed for lack of memory."""

    def __eq__(self, other):
        raise MemoryError

    __hash__ = None

    def __reduce__(self):
        raise MemoryError


def test_an_interval_without_memory():
    """The interval is not taken for one that the metric refuses; ranks would decide differently."""
    metric = Greedy(interval=0.95)
    metric.add(np.arange(10.0))

    with pytest.raises(MemoryError):
        metric.compute()


def test_contents_without_memory():
    """The object is not taken for any other one of its type, nor for a different one."""
    with pytest.raises(MemoryError):
        content(Unfit())
    with pytest.raises(MemoryError):
        differing([Unfit()], [Unfit()])
