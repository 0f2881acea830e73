"""Samples that belong to clusters: in slices, collections, files and windows."""

from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.testing.local_world import LocalWorld
from tests.intervals.jackknife.test_cluster_intervals import METRICS, THREE, classes

pytestmark = pytest.mark.filterwarnings(
    "ignore:intervals that promise less", "ignore:.*no samples", "ignore:.*undefined"
)


def test_slices_have_the_intervals_of_their_samples() -> None:
    """Every slice, and the whole, `==` to the metric of these samples, also beyond 1,024 clusters.

    A cluster may have samples in several slices, on several ranks.
    """
    rng = np.random.default_rng(3)
    for count, kinds in ((200, 30), (3000, 1400)):
        predictions, labels = classes(rng, count)
        zones, groups = rng.integers(0, 3, count), rng.integers(0, kinds, count)
        members = {
            "accuracy": mm.Accuracy(interval=0.95),
            "f1": mm.FBetaScore(**THREE, interval=0.95),
            "plain": mm.Accuracy(),
        }

        def program(
            backend: Any,
            members: Any = members,
            columns: Any = (predictions, labels, zones, groups),
        ) -> tuple[Any, Any]:
            sliced = mm.Sliced(members, by="zone", dist_backend=backend)
            p, t, z, g = (column[backend.rank :: 2] for column in columns)
            for half in (slice(None, 50), slice(50, None)):
                sliced.add(p[half], t[half], by={"zone": z[half]}, clusters=g[half])
            return sliced.compute(), sliced.intervals

        found, intervals = LocalWorld(2).run(program)[1]
        for name, which in {"all": zones >= 0, "zone=1": zones == 1}.items():
            alone = mm.MetricCollection(members)
            alone.add(predictions[which], labels[which], clusters=groups[which])
            assert repr(alone.compute()) == repr(found[name])
            assert repr(alone.intervals) == repr(intervals[name])


def test_collections_give_clusters_to_those_that_need_them() -> None:
    """Members with an interval have that of the metric alone; the others have their value."""
    rng = np.random.default_rng(5)
    predictions, labels = classes(rng, 80)
    groups = rng.integers(0, 12, 80).tolist()
    made: dict[str, mm.BaseMetric] = {
        "f1": mm.FBetaScore(**THREE),
        "sure": mm.FBetaScore(**THREE, interval=0.95),
        "matrix": mm.ConfusionMatrix(3),
        "hits": mm.Accuracy(interval=0.9),
    }
    both = mm.MetricCollection(made)
    both.add(predictions, labels, clusters=groups)
    result = both.compute()
    for name, metric in made.items():
        metric.add(predictions, labels, clusters=groups)
        assert repr(metric.compute()) == repr(result[name])
        assert repr(both[name].compute()) == repr(result[name])
    assert both.intervals["hits"]["top1"].unit == "cluster"


def test_samples_with_clusters_are_saved_merged_and_subtracted() -> None:
    """Each gives the intervals of all samples in one metric, to the last bit."""
    rng = np.random.default_rng(7)
    for make, draw, _ in METRICS.values():
        batch, groups = draw(rng, 60), rng.integers(0, 8, 60)
        halves = [make(interval=0.95), make(interval=0.95)]
        for half, which in zip(halves, (slice(None, 25), slice(25, None)), strict=True):
            half.add(*[column[which] for column in batch], clusters=groups[which])
        whole = make(interval=0.95)
        whole.add(*batch, clusters=groups)
        expected = repr((whole.compute(), whole.intervals))

        resumed = make(interval=0.95)
        resumed.load_state_dict(halves[0].state_dict())
        resumed.merge(halves[1])
        assert repr((resumed.compute(), resumed.intervals)) == expected
        assert repr(make(interval=0.95).from_bytes(whole.to_bytes()).compute()) in expected
        if make in (mm.AUROC, mm.SpearmanCorrCoef):  # they keep their rows
            continue
        resumed.merge(halves[0])
        resumed.subtract(halves[0])
        assert repr((resumed.compute(), resumed.intervals)) == expected


def test_some_with_and_some_without_is_refused() -> None:
    """In one metric, in two that are merged or subtracted, and on two ranks: nothing is lost."""
    metric = mm.Accuracy(interval=0.95)
    metric.add([1, 0], [1, 1], clusters=["a", "b"])
    with pytest.raises(ValueError, match="agree about clusters="):
        metric.add([1], [1])
    other = mm.Accuracy(interval=0.95)
    other.add([1], [1])
    with pytest.raises(ValueError, match="agree about clusters="):
        other.add([1], [1], clusters=["a"])
    with pytest.raises(ValueError, match="cannot be merged"):
        metric.merge(other)
    with pytest.raises(ValueError, match="clusters="):
        metric.subtract(other)
    assert (metric.compute()["top1"], other.compute()["top1"]) == (0.5, 1.0)

    def program(backend: Any) -> str:
        metric = mm.Accuracy(interval=0.95, dist_backend=backend)
        metric.add([1], [1], **({"clusters": [3]} if backend.rank else {}))
        with pytest.raises(ValueError, match="all ranks pass clusters="):
            metric.compute()
        return "told"

    assert LocalWorld(3).run(program) == ["told"] * 3


@pytest.mark.parametrize(
    ("given", "error"),
    [([0.5, 1.5], TypeError), ("ab", TypeError), (["a"], ValueError), ([1, 2, 3], ValueError),
     (7, TypeError)],
)  # fmt: skip
@pytest.mark.parametrize("interval", [None, 0.95])
def test_clusters_are_integers_or_texts_one_for_each_sample(
    given: Any, error: type[Exception], interval: float | None
) -> None:
    """Also where no interval asks for them; what was there before stays."""
    for metric in (mm.Accuracy(interval=interval), mm.MetricCollection([mm.Mean(), mm.Min()])):
        single = isinstance(metric, mm.Accuracy)
        batch = ([1, 0], [1, 1]) if single else ([1.0, 2.0],)
        metric.add(*batch, clusters=[1, 2])
        with pytest.raises(error, match="clusters"):
            metric.add(*batch, clusters=given)
        result = metric.compute()
        assert result["top1"] == 0.5 if single else result["Mean"] == {"mean": 1.5}


def test_a_window_has_no_clusters() -> None:
    """Its samples leave it one by one: refused, and nothing is lost; without interval they pass."""
    window = mm.Running(mm.Accuracy(), window=3, interval=0.95)
    window.add([1, 0], [1, 1])
    with pytest.raises(TypeError, match="Running takes no clusters="):
        window.add([1, 0], [1, 1], clusters=[1, 2])
    assert window.compute()["top1"] == 0.5
    mm.Running(mm.Accuracy(), window=3).add([1, 0], [1, 1], clusters=[1, 2])


def test_without_an_interval_clusters_change_nothing() -> None:
    """They are read and not kept: neither the value nor what is sent changes."""
    metric, plain = mm.Accuracy(), mm.Accuracy()
    metric.add([1, 0], [1, 1], clusters=["a", "b"])
    metric.add([1], [1])
    plain.add([1, 0, 1], [1, 1, 1])
    assert metric.state_dict().keys() == plain.state_dict().keys()
    assert metric.compute() == plain.compute()
