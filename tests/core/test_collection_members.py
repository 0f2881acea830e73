"""Collections as containers, members that add in their own way, and what members share."""

import pickle
from dataclasses import dataclass

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like import state
from mmeval_like.testing import LocalWorld
from mmeval_like.testing.same import same

F1 = mm.SingleLabelPrecisionRecallF1score


class Flipped(mm.Accuracy):
    """Overrides `add`, as the page on MMEval tells; counts what it saw."""

    seen = 0

    def add(self, predictions, labels, ids=None):
        """The predictions are of two classes, the wrong way round."""
        self.seen += len(labels)
        super().add(1 - np.asarray(predictions), labels, ids=ids)


class Kept(mm.BaseMetric):
    """Keeps rows, and overrides `add`."""

    values = state.cat(np.int64)

    def rows(self, predictions, labels):
        """The predictions."""
        return {"values": np.asarray(predictions)}

    def add(self, predictions, labels):
        """Ten times."""
        super().add(10 * np.asarray(predictions), labels)

    def compute_metric(self, results):
        """All."""
        return {"values": results.values.tolist()}


@pytest.mark.parametrize("ids", [None, [0, 1, 2]])
def test_a_member_that_overrides_add_gets_every_batch(ids):
    """Also beside one with the same statistic, with which it shares nothing then."""
    metrics = mm.MetricCollection({"plain": mm.Accuracy(), "own": Flipped()}, "non_dist")
    metrics.add([1, 0, 0], [1, 0, 1], ids=ids)

    assert metrics.compute() == {"plain": {"top1": 2 / 3}, "own": {"top1": 1 / 3}}
    assert metrics["own"].seen == 3
    assert metrics([1], [1])["own"] == {"top1": 0.0}
    assert metrics.compute()["own"] == {"top1": 1 / 3}


def test_overriding_members_take_a_batch_or_not():
    """When another member refuses the batch, they have not got it either."""
    metrics = mm.MetricCollection({"own": Flipped(), "kept": Kept(), "f1": F1(2)}, "non_dist")
    metrics.add([1, 0], [1, 0])
    before = metrics.compute()
    with pytest.raises(ValueError, match="'f1'"):
        metrics.add([0, 1], [0, 7])

    assert same(metrics.compute(), before)
    assert before["kept"] == {"values": [10, 0]}


def test_overriding_members_on_ranks():
    """Shards, padding and global order are as for any member."""

    def evaluate(backend):
        metrics = mm.MetricCollection({"kept": Kept(), "own": Flipped()}, backend)
        for value in range(backend.rank, 6, 3):
            metrics.add([value % 2], [0])
        return metrics.compute(size=5)

    expected = {"kept": {"values": [0, 10, 0, 10, 0]}, "own": {"top1": 2 / 5}}
    assert LocalWorld(3).run(evaluate) == [expected] * 3


class Sorts(mm.BaseMetric):
    """Changes what it is given."""

    values = state.cat(np.int64)
    things = state.objects()
    total = state.sum(int, (2,))
    codes = state.tally()

    def rows(self, values):
        """The values, in every state."""
        values = np.asarray(values)
        return {
            "values": values,
            "things": [[int(v)] for v in values],
            "total": np.stack([values, values], axis=1),
            "codes": values,
        }

    def compute_metric(self, results):
        """What is there, and then something else."""
        found = {
            "values": results.values.tolist(),
            "things": str(results.things),
            "total": results.total.tolist(),
            "codes": [array.tolist() for array in results.codes],
        }
        results.values[:] = -1
        results.things[0].append(results.things.pop())
        results.total[:] = -1
        results.codes[1][:] = -1
        return found


@dataclass(frozen=True)
class Values(mm.Statistic):
    """What `Sorts` accumulates."""

    def states(self):
        """Its states."""
        return Sorts().states()

    def rows(self, values):
        """Its rows."""
        return Sorts().rows(values)


class Shared(Sorts):
    """The same, of a statistic that several share."""

    def __init__(self, **options):
        super().__init__(**options)
        self.statistic = Values()


def test_what_a_member_changes_in_place_is_its_own():
    """Each of those that share a statistic sees it as it is, in every compute."""
    metrics = mm.MetricCollection({"a": Shared(), "b": Shared(), "c": Shared()}, "non_dist")
    metrics.add([3, 1, 2])
    assert len(metrics._samples().stores()) == 1
    value = metrics.compute()

    assert value["a"] == value["b"] == value["c"]
    assert value["a"]["values"] == [3, 1, 2]
    assert metrics.compute() == value


def test_a_collection_is_a_container():
    """Its length, names and members; a member is a copy that has the samples so far."""
    metrics = mm.MetricCollection(
        {"f1": F1(3), "matrix": mm.ConfusionMatrix(3), "macro": F1(3)}, "non_dist"
    )
    metrics.add([0, 1, 1], [0, 1, 2])
    value = metrics.compute()

    assert (len(metrics), [*metrics], "f1" in metrics, "x" in metrics) == (
        3, ["f1", "matrix", "macro"], True, False,
    )  # fmt: skip
    for name in metrics:  # also f1, whose counts follow from the matrix
        member = metrics[name]
        assert same(member.compute(), value[name])
        assert same(pickle.loads(pickle.dumps(member)).compute(), value[name])
        member.add([2], [2])
    assert same(metrics.compute(), value)
    with pytest.raises(KeyError, match="'x', there are"):
        metrics["x"]


def test_members_compute_on_ranks():
    """What `[]` returns is exchanged like any metric."""

    def evaluate(backend):
        metrics = mm.MetricCollection({"f1": F1(3), "matrix": mm.ConfusionMatrix(3)}, backend)
        metrics.add([0, backend.rank], [0, 1])
        return metrics["f1"].compute(), metrics.compute()["f1"]

    assert all(same(alone, together) for alone, together in LocalWorld(3).run(evaluate))


def test_lists_keywords_and_collections_within():
    """All ways to name members."""
    by_class = mm.MetricCollection([mm.Accuracy(), mm.ConfusionMatrix(2)])
    assert [*by_class] == ["Accuracy", "ConfusionMatrix"]
    keywords = mm.MetricCollection({"a": mm.Accuracy()}, top2=mm.Accuracy(topk=2))
    assert [*keywords] == ["a", "top2"]
    nested = mm.MetricCollection(
        [mm.MetricCollection([mm.Accuracy()], prefix="in_")], whole=by_class
    )
    assert [*nested] == ["in_Accuracy", "whole.Accuracy", "whole.ConfusionMatrix"]
    nested.add([1, 0], [1, 1])
    assert nested.compute()["whole.Accuracy"] == {"top1": 0.5}


def test_prefixes_and_clones():
    """The prefix stands in the result; a clone has no samples, and is another evaluation."""
    metrics = mm.MetricCollection({"a": mm.Accuracy()}, "non_dist", prefix="val_")
    metrics.add([1], [1])
    test = metrics.clone(prefix="test_")
    test.add([1, 1], [0, 1])

    assert metrics.compute() == {"val_a": {"top1": 1.0}}
    assert test.compute() == {"test_a": {"top1": 0.5}}
    assert metrics.clone().prefix == "val_"
    assert metrics.per_sample([1], [0])["val_a"]["top1"].tolist() == [0.0]
    assert metrics.plan.identity != test.plan.identity
    assert test._held.occurrence is not metrics._held.occurrence


def test_wrong_members_are_named():
    """Two of one name, other things than metrics, samples that would not count."""
    with pytest.raises(ValueError, match="'Accuracy' twice"):
        mm.MetricCollection([mm.Accuracy(), mm.Accuracy(topk=2)])
    with pytest.raises(ValueError, match="'a' twice"):
        mm.MetricCollection({"a": mm.Accuracy()}, a=mm.Accuracy())
    with pytest.raises(TypeError, match="dict of names and metrics, or a list"):
        mm.MetricCollection(mm.Accuracy())
    with pytest.raises(TypeError, match="'a' must be a metric, got <class"):
        mm.MetricCollection(a=mm.Accuracy)
    with pytest.raises(TypeError, match="prefix"):
        mm.MetricCollection({"a": mm.Accuracy()}, prefix=3)
    used = mm.Accuracy(dist_backend="non_dist")
    used.add([1], [1])
    with pytest.raises(ValueError, match="'a' has samples already"):
        mm.MetricCollection(a=used)


def test_the_name_of_a_collection_is_its_own():
    """Not that of its last member."""
    named = mm.MetricCollection({"a": mm.Accuracy()}, name="validation")
    assert named.plan.identity.text.startswith("MetricCollection[validation]")
    assert mm.MetricCollection({"a": mm.Accuracy()}).plan.identity.text.startswith(
        "MetricCollection{"
    )


def test_repr_names_the_members():
    """What it is made of."""
    text = repr(mm.MetricCollection({"a": mm.Accuracy(topk=2)}, prefix="val_"))
    assert text.startswith("MetricCollection(a=")
    assert text.endswith("prefix='val_')")


class Empty(mm.Statistic):
    """A statistic with a length, which is 0."""

    def __len__(self):
        return 0

    def states(self):
        """One sum."""
        return {"total": state.sum(int)}

    def rows(self, values):
        """The values."""
        return {"total": np.asarray(values)}


class OfEmpty(mm.BaseMetric):
    """A metric of it."""

    def __init__(self, **options):
        super().__init__(**options)
        self.statistic = Empty()

    def compute_metric(self, results):
        """The total."""
        return {"total": results.total}


def test_a_statistic_of_length_zero_counts():
    """Alone, in a collection, and per sample."""
    metric = OfEmpty(dist_backend="non_dist")
    metric.add([1, 2])
    assert metric.compute() == {"total": 3}
    metrics = mm.MetricCollection({"a": OfEmpty()}, "non_dist")
    metrics.add([1, 2])
    assert metrics.compute() == {"a": {"total": 3}}
    assert metric.per_sample([4, 5])["total"].tolist() == [4, 5]
