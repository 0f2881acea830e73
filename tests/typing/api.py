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
    mm.Precision(task="multiclass", num_classes=3, average=None)
    mm.Precision(average="marco")  # type: ignore[arg-type]
    mm.AUROC(task="multi")  # type: ignore[arg-type]
    mm.Recall(treshold=0.5)  # type: ignore[call-arg]


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


def inputs() -> None:
    """What `add`, a call and `per_sample` take is what the metric's `rows` takes."""
    Accuracy().add([0], [0], sample_weight=[1])
    Accuracy().add(predictions=[0], labels=[0], ids=["a"])
    Accuracy().add(y_true=[0], y_pred=[0], sample_weight=[1], ids=["a"])
    assert_type(mm.AUROC()(y_true=[0, 1], y_score=[0.1, 0.9]), mm.Result)
    mm.RandScore().per_sample(y_true=[0], y_pred=[0])
    Accuracy().add(y_pred=[0])  # type: ignore[call-overload]
    mm.Mean().add(y_true=[0])  # type: ignore[call-arg]
    Accuracy().add([0])  # type: ignore[call-overload]
    Accuracy().add([0], [0], weights=[1])  # type: ignore[call-overload]
    Accuracy()([0], target=[0])  # type: ignore[call-overload]
    Accuracy().per_sample([0])  # type: ignore[call-overload]
    mm.AUROC(task="binary").add([0.5], truth=[1])  # type: ignore[call-overload]
    mm.F1Score(3).add([[1]], [[1]], [1])  # type: ignore[call-overload]
    mm.RandScore().add([1])  # type: ignore[call-overload]
    mm.SpearmanCorrCoef().add([1.0])  # type: ignore[call-overload]
    mm.LogLoss().add([0.5], [1], [1.0])
    mm.LogLoss().add([0.5], target=[1])  # type: ignore[call-overload]
    mm.MeanAbsoluteError().add([0.5])  # type: ignore[call-arg]
    mm.Mean().add([0.5], [1], [1.0])  # type: ignore[call-arg]
    mm.BLEU().add(["a"])  # type: ignore[call-arg]
    mm.Fairness(2).add([1], [1])  # type: ignore[call-overload]
    mm.LogCoshError().add([0.5], [1], [1.0])
    mm.LogCoshError().add([0.5])  # type: ignore[call-overload]
    mm.KLDivergence()([0.5], targets=[1])  # type: ignore[call-overload]
    mm.MaxError().add([0.5], [1], sample_weight=[1])  # type: ignore[call-overload]
    mm.CosineSimilarity().per_sample([0.5])  # type: ignore[call-overload]
    Share(0.5).add(np.ones(3), 1)  # type: ignore[call-overload]


def inputs_with_ids() -> None:
    """The same with `ids=`, of the metrics of the package; of one's own, any inputs pass."""
    Accuracy().add([0], [0], [1], ids=[0])
    Accuracy().add([0], labels=[0], ids=[0])
    Accuracy().add([0], ids=[0])  # type: ignore[call-overload]
    Accuracy().add([0], target=[0], ids=[0])  # type: ignore[call-overload]
    Accuracy().add([0], [0], [1], [2], ids=[0])  # type: ignore[call-overload]
    Accuracy().add([0], [0], id=[0])  # type: ignore[call-overload]
    mm.MSE().add([0.5], ids=[0])  # type: ignore[call-arg]
    mm.KLDivergence().add([0.5], ids=[0])  # type: ignore[call-overload]
    Share(0.5).add(np.ones(3), ids=[0, 1, 2])


def texts() -> None:
    """Names of classes and of samples are texts."""
    Accuracy(classes=["cat", "dog"], average="none", num_classes=2)
    Accuracy(classes=1)  # type: ignore[arg-type]
    assert_type(Accuracy().remaining(["a"]), list[str])
    assert_type(Accuracy().remaining(3), np.ndarray)
