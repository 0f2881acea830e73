"""What mypy and pyright say of programs that use the package.

Nothing here runs. A line that a checker must refuse ends with a `type: ignore` comment: both
checkers report such a comment where there is nothing to ignore.
"""

from typing import Any

import numpy as np
from typing_extensions import assert_type

import mmeval_like as mm
from mmeval_like import Accuracy, BaseMetric, MetricCollection, state


def a_metric_is_of_its_class() -> None:
    """Not of a base, and not Any."""
    assert_type(Accuracy(topk=5), Accuracy)
    assert_type(mm.metrics.Mean(), mm.Mean)
    with Accuracy().evaluation() as run:
        pass
    assert_type(run.result, mm.Result)
    assert_type(Accuracy().compute(), mm.Result)


def names() -> None:
    """A name that does not exist is an error."""
    mm.Acuracy()  # type: ignore[attr-defined]
    mm.metrics.MeanSquareError()  # type: ignore[attr-defined]
    mm.MSE()  # a name of MMEval's


def options() -> None:
    """An option that a metric does not have, or of another type, is an error."""
    Accuracy(topk=(1, 5), dist_backend="mpi4py", dist_collect_mode="cat")
    Accuracy(top_k=5)  # type: ignore[call-arg]
    Accuracy(topk="five")  # type: ignore[arg-type]
    Accuracy(max_padding="all")  # type: ignore[arg-type]
    mm.MeanSquaredError(squared=False)  # type: ignore[call-arg]


class Share(BaseMetric):
    """A metric of a user's own."""

    positive = state.sum(int)

    def __init__(self, threshold: float, **options: Any) -> None:
        super().__init__(**options)
        self.threshold = threshold

    def rows(self, values: np.ndarray) -> dict[str, Any]:
        """One row a sample."""
        return {"positive": np.asarray(values) > self.threshold}

    def compute_metric(self, results: Any) -> dict[str, Any]:
        """A share."""
        return {"share": results.positive / len(results)}


def an_own_metric() -> None:
    """Its constructor and its methods are checked."""
    metric = Share(0.5, dist_backend="non_dist")
    assert_type(metric, Share)
    assert_type(metric(np.ones(3)), mm.Result)
    Share()  # type: ignore[call-arg]
    metric.update(np.ones(3))  # type: ignore[attr-defined]
    metric.compute("all")  # type: ignore[arg-type]


def collections() -> None:
    """Members are metrics."""
    MetricCollection({"accuracy": Accuracy()})
    MetricCollection({"accuracy": 1})  # type: ignore[dict-item]
