"""A metric may change its results in place: nobody else sees it, and nothing added is lost."""

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like import state
from mmeval_like._core.metric import BaseMetric, Statistic
from mmeval_like.testing import LocalWorld

VALUES = [3, 1, 2, 3, 1]


class Everything(Statistic):
    """Every kind of state that compute_metric could change; equal ones are shared."""

    def __eq__(self, other):
        return type(other) is Everything

    def __hash__(self):
        return 0

    def states(self):
        """Arrays of numbers, and objects that hold others."""
        return {
            "total": state.sum(int, (2,)),
            "halves": state.sum(float, (2,)),
            "codes": state.count(5),
            "kept": state.cat(np.int64),
            "things": state.objects(),
        }

    def rows(self, values):
        """Every value, in every state."""
        values = np.asarray(values)
        both = np.stack([values, values], axis=1)
        things = [{"value": [int(value)], "array": np.array([value])} for value in values]
        return {
            "total": both,
            "halves": both / 2,
            "codes": values,
            "kept": values,
            "things": things,
        }


class Keeps(BaseMetric):
    """Says what is there."""

    def __init__(self, **options):
        super().__init__(**options)
        self.statistic = Everything()

    def compute_metric(self, results):
        """All of it."""
        names = ("total", "halves", "codes", "kept")
        values = {name: repr(getattr(results, name).tolist()) for name in names}
        values["things"] = repr(results.things)
        return values


class Changes(Keeps):
    """Says what is there, and then puts something else in its place."""

    def compute_metric(self, results):
        """The same values."""
        values = {name: getattr(results, name) for name in ("total", "halves", "codes", "kept")}
        things = results.things
        found = {name: repr(value.tolist()) for name, value in values.items()}
        found["things"] = repr(things)
        for value in values.values():
            value[...] = -7
        for thing in things:
            thing["value"].append(thing["array"])
            thing["array"][:] = -7
        things.clear()
        return found


class Lists(BaseMetric):
    """In MMEval's way."""

    def add(self, values):
        """Append dicts."""
        self._results.extend({"value": [value]} for value in values)

    def compute_metric(self, results):
        """What is there; the entries are used up."""
        found = {"values": [entry.pop("value") for entry in results]}
        results.clear()
        return found


def uses(cls):
    """Every use of a class of metrics, by name: what it returns, each twice."""

    def twice(metric, *batch, **named):
        metric.add(*batch, **named)
        return [metric.compute(), metric.compute(), metric.compute_local()]

    alone = {"dist_backend": "non_dist"}
    pair = {"first": cls(), "second": cls(), "third": Keeps()}
    merged = cls(**alone)
    merged.add(VALUES)
    merged.compute()
    merged.merge(mm.merge([merged, merged]))
    by = {"zone": ["a", "b", "a", "b", "b"]}
    return {
        "alone": twice(cls(**alone), VALUES),
        "ids": twice(cls(**alone), VALUES, ids=range(5)),
        "interval": twice(cls(interval=0.9, **alone), VALUES),
        "together": twice(mm.MetricCollection(pair, "non_dist"), VALUES),
        "slices": twice(mm.Sliced(cls(), by="zone", dist_backend="non_dist"), VALUES, by=by),
        "merged": merged.compute(),
        "each": {name: list(column) for name, column in cls().per_sample(VALUES).items()},
    }


@pytest.mark.parametrize(
    "use", ["alone", "ids", "interval", "together", "slices", "merged", "each"]
)
def test_what_a_metric_changes_in_place_is_its_own(use):
    """Whatever it is used in, it equals the metric that changes nothing."""
    assert repr(uses(Changes)[use]) == repr(uses(Keeps)[use])


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_on_ranks(ranks):
    """Rank 0's own samples are not sent to it: they are no more changed than the others'."""

    def evaluate(backend, cls):
        metric = cls(dist_backend=backend)
        metric.add(VALUES[backend.rank :: ranks])
        return [metric.compute(), metric.compute(), metric.compute_local()]

    kept, changed = (
        LocalWorld(ranks).run(lambda backend, cls=cls: evaluate(backend, cls))
        for cls in (Keeps, Changes)
    )
    assert repr(changed) == repr(kept)


def test_entries_of_lists():
    """The entries that a metric in MMEval's way appended stay as they were."""
    metrics = mm.MetricCollection({"a": Lists(), "b": Lists()}, "non_dist")
    for metric in (Lists(dist_backend="non_dist"), metrics):
        metric.add(VALUES)
        assert [metric.compute(), metric.compute()] == [metric.compute_local()] * 2
    assert metrics.compute()["b"] == {"values": [[value] for value in VALUES]}


def test_what_is_computed_once_for_several_is_of_what_nobody_changed():
    """Also where the first of them that asks for it has changed its own results by then."""

    class Asks(Keeps):
        def compute_metric(self, results):
            results.total[:] = -7
            return {"double": results.once("double", lambda shared: 2 * shared.total).tolist()}

    metrics = mm.MetricCollection({"first": Asks(), "second": Asks()}, "non_dist")
    metrics.add(VALUES)

    assert metrics.compute() == {key: {"double": [20, 20]} for key in ("first", "second")}


def test_a_result_that_shows_the_states_can_be_changed():
    """What compute returned belongs to the caller."""

    class Shows(Keeps):
        def compute_metric(self, results):
            return {"things": results.things, "kept": results.kept}

    metric = Shows(dist_backend="non_dist")
    metric.add(VALUES)
    value = metric.compute()
    value["things"][0]["value"].append("more")
    value["kept"][:] = 0

    assert metric.compute()["things"][0]["value"] == [VALUES[0]]
    assert metric.compute()["kept"].tolist() == VALUES
