"""MetricCollection: the members' own values, shared statistics, all or nothing."""

import logging
import pickle
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import mmeval_like as mm
from mmeval_like import Statistic, state
from mmeval_like.testing import LocalWorld
from mmeval_like.testing.same import same

F1 = mm.SingleLabelPrecisionRecallF1score


def members():
    """Metrics of class indices, some of which share what they count."""
    return {
        "accuracy": mm.Accuracy(),
        "macro": F1(3),
        "micro": F1(3, average="micro"),
        "matrix": mm.ConfusionMatrix(3),
        "kappa": mm.CohenKappa(3),
    }


@given(data=st.data(), ranks=st.integers(1, 3))
def test_each_member_has_its_own_value(data, ranks):
    """What a collection says of a member is what the member alone says."""
    classes = st.integers(0, 2)
    batches = [
        data.draw(
            st.lists(st.lists(st.tuples(classes, classes), min_size=1, max_size=5), max_size=3)
        )
        for _ in range(ranks)
    ]

    def evaluate(backend):
        together = mm.MetricCollection(members(), backend)
        alone = members()
        for metric in alone.values():
            metric.dist_backend = backend
        for batch in batches[backend.rank]:
            predictions, labels = np.array(batch).T
            together.add(predictions, labels)
            for metric in alone.values():
                metric.add(predictions, labels)
        return together.compute(), {name: metric.compute() for name, metric in alone.items()}

    if not any(batches):
        return
    for together, alone in LocalWorld(ranks).run(evaluate):
        assert same(together, alone)


@dataclass(frozen=True)
class Shared(Statistic):
    """Counts how often its rows are computed."""

    key: int
    calls: ClassVar[list[int]] = []

    def states(self):
        """One sum."""
        return {"total": state.sum(int)}

    def rows(self, values):
        """The values."""
        self.calls.append(self.key)
        return {"total": np.asarray(values)}


class Total(mm.BaseMetric):
    """A metric over a shared statistic."""

    def __init__(self, key, factor=1, **options):
        super().__init__(**options)
        self.statistic = Shared(key)
        self.factor = factor

    def compute_metric(self, results):
        """The sum, times the factor."""
        return {"total": self.factor * results.total}


def test_equal_statistics_are_computed_and_kept_once():
    """Sharing is by declaration: equal ones once, others apart although their values are equal."""
    Shared.calls.clear()
    metrics = mm.MetricCollection(
        {"a": Total(1), "b": Total(1, factor=10), "c": Total(2)}, "non_dist"
    )

    metrics.add([1, 2])

    assert sorted(Shared.calls) == [1, 2]
    assert len(metrics._samples().stores()) == 2
    assert metrics.compute() == {"a": {"total": 3}, "b": {"total": 30}, "c": {"total": 3}}


def test_counts_per_class_follow_from_the_confusion_matrix():
    """With a confusion matrix there, P/R/F1 keep nothing of their own; without, 3C numbers."""
    with_matrix = mm.MetricCollection({"f1": F1(3), "matrix": mm.ConfusionMatrix(3)}, "non_dist")
    without = mm.MetricCollection({"f1": F1(3), "micro": F1(3, average="micro")}, "non_dist")
    for metrics in (with_matrix, without):
        metrics.add([0, 1, 1], [0, 1, 2])

    assert len(with_matrix._samples().stores()) == len(without._samples().stores()) == 1
    assert with_matrix.compute()["f1"] == without.compute()["f1"]


@given(
    scores=arrays(np.float32, (7, 3), elements=st.sampled_from([-1, 0, 0.5, 1])),
    labels=arrays(np.int64, 7, elements=st.integers(0, 2)),
    as_indices=st.booleans(),
)
def test_accuracy_without_threshold_follows_from_the_confusion_matrix(scores, labels, as_indices):
    """With a confusion matrix there it keeps nothing, and is what it is alone: ties, negatives."""
    alone = mm.Accuracy(thrs=None, dist_backend="non_dist")
    together = mm.MetricCollection(
        {"accuracy": alone, "matrix": mm.ConfusionMatrix(3), "other": mm.Accuracy(thrs=0.5)},
        "non_dist",
    )
    predictions = scores.argmax(axis=1) if as_indices else scores
    together.add(predictions, labels)
    alone.add(predictions, labels)
    assert together.compute()["accuracy"] == alone.compute()
    assert [len(store.states) for store in together._samples().stores()] == [
        1,
        1,
    ]  # with a threshold: own


def test_a_collection_pickles():
    """What workers send back to be merged: also with members that follow from others."""
    metrics = mm.MetricCollection(members() | {"many": F1(40), "table": mm.ConfusionMatrix(40)})
    metrics.add([0, 1, 1], [0, 1, 2])

    restored = pickle.loads(pickle.dumps(metrics))
    restored.add([2], [2])
    metrics.add([2], [2])

    assert same(restored.compute(), metrics.compute())
    metrics.merge(restored)
    assert metrics.compute()["many"] == restored.compute()["many"]


class Lists(mm.BaseMetric):
    """A metric in MMEval's way; refuses 13."""

    def add(self, predictions, labels):
        """Append, then perhaps fail."""
        self._results += list(zip(predictions, labels, strict=True))
        if 13 in list(predictions):
            raise ValueError("13 is bad luck")

    def reset(self):
        """As MMEval does it: the list stays, emptied."""
        self._results.clear()

    def compute_metric(self, results):
        """How many."""
        return {"count": len(results)}


def test_all_or_nothing():
    """When a member refuses a batch, no member has it; the error names the member."""
    metrics = mm.MetricCollection(
        {"list": Lists(), "accuracy": mm.Accuracy(), "f1": F1(3)}, "non_dist"
    )
    metrics.add([0, 1], [0, 1])
    before = metrics.compute()

    with pytest.raises(ValueError, match="in member 'f1'"):
        metrics.add([0, 5], [0, 1])
    with pytest.raises(ValueError, match="in member 'list'"):
        mm.MetricCollection({"a": mm.Accuracy(), "list": Lists()}, "non_dist").add([13], [13])

    assert metrics.compute() == before
    metrics.add([2], [2])
    assert metrics.compute()["list"] == {"count": 3}


def test_ids_and_lists_do_not_mix():
    """A member that appends to a list cannot count ids once: it is named."""
    metrics = mm.MetricCollection({"list": Lists(), "accuracy": mm.Accuracy()}, "non_dist")

    with pytest.raises(TypeError, match="'list'"):
        metrics.add([1], [1], ids=[0])

    metrics.add([1], [1])
    assert metrics.compute() == {"list": {"count": 1}, "accuracy": {"top1": 1.0}}


def test_members_that_count_differently_are_named():
    """All members must count the same samples."""

    class Pairs(mm.BaseMetric):
        total = state.sum(int)

        def rows(self, predictions, labels):
            return {"total": np.repeat(np.asarray(predictions), 2)}

        def compute_metric(self, results):
            return {}

    metrics = mm.MetricCollection({"accuracy": mm.Accuracy(), "pairs": Pairs()}, "non_dist")

    with pytest.raises(ValueError, match=r"'accuracy': 2, 'pairs': 4"):
        metrics.add([1, 2], [1, 2])


def test_what_members_share_must_agree():
    """Backends and collect modes that differ are an error."""
    with pytest.raises(ValueError, match="dist_collect_mode"):
        mm.MetricCollection({"a": mm.Accuracy(), "b": mm.Accuracy(dist_collect_mode="cat")})
    with pytest.raises(ValueError, match="dist_backend"):
        mm.MetricCollection(
            {"a": mm.Accuracy(dist_backend="torch"), "b": mm.Accuracy(dist_backend="mpi4py")}
        )
    with pytest.raises(TypeError, match="'a'"):
        mm.MetricCollection({"a": 3})
    with pytest.raises(ValueError, match="empty"):
        mm.MetricCollection({})


def test_members_are_copied():
    """What happens to the collection does not happen to the metrics it was made of."""
    metric = mm.Accuracy(dist_backend="non_dist")
    metrics = mm.MetricCollection({"a": metric})
    metrics.add([1], [1])

    assert metric._samples().stores()[0].count == 0
    assert metrics.dist_comm.world_size == 1


def test_members_keep_their_logger():
    """Also one that is not registered with logging, as MMEngine's."""
    logger = logging.Logger("of its own")
    metrics = mm.MetricCollection({"a": mm.Accuracy(logger=logger)}, "non_dist")

    assert metrics.plan.members["a"].logger is logger


def test_a_call_is_stateless():
    """Calling a collection computes one batch and leaves it alone."""
    metrics = mm.MetricCollection({"a": mm.Accuracy(), "list": Lists()}, "non_dist")
    metrics.add([1, 1], [1, 0])

    assert metrics([1], [1]) == {"a": {"top1": 1.0}, "list": {"count": 1}}
    assert metrics.compute() == {"a": {"top1": 0.5}, "list": {"count": 2}}
    metrics.reset()
    metrics.add([0], [1])
    assert metrics.compute() == {"a": {"top1": 0.0}, "list": {"count": 1}}


def test_an_error_in_compute_names_the_member():
    """Which of the members failed."""

    class Fails(mm.Accuracy):
        def compute_metric(self, results):
            raise ZeroDivisionError("nothing to divide")

    metrics = mm.MetricCollection({"fine": mm.Accuracy(), "bad": Fails()}, "non_dist")
    metrics.add([1], [1])

    with pytest.raises(ZeroDivisionError, match="in member 'bad'"):
        metrics.compute()


def test_a_name_is_the_collections_own():
    """`name=` names the collection, whatever its members are called: also in another order."""

    def evaluate(backend):
        names = ["train", "validation"] if backend.rank == 0 else ["validation", "train"]
        made = {
            name: mm.MetricCollection({"acc": mm.Accuracy()}, dist_backend=backend, name=name)
            for name in names
        }
        made["train"].add([1], [1])
        made["validation"].add([1], [0])
        return [made[name].compute()["acc"]["top1"] for name in ("train", "validation")]

    assert LocalWorld(2).run(evaluate) == [[1.0, 0.0]] * 2
