"""Saved samples: the same after loading, on any number of ranks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy

import mmeval_like as mm
from mmeval_like import state
from mmeval_like._states.rows import Ragged
from mmeval_like.testing import LocalWorld
from mmeval_like.testing.same import same


class Everything(mm.BaseMetric):
    """A metric with every kind of state."""

    integer = state.sum(int)
    real = state.sum(float, (2,))
    bins = state.count(5)
    growing = state.count(None)
    largest = state.max()
    smallest = state.min(int)
    kept = state.cat(np.float32)
    ragged = state.cat(np.int16)
    things = state.objects()

    def rows(self, values):
        """Rows of all kinds from small integers."""
        values = np.asarray(values)
        return {
            "integer": values,
            "real": np.stack([values / 7, values * 1e300], axis=1),
            "bins": values % 5,
            "growing": values,
            "largest": values / 3,
            "smallest": values,
            "kept": values / 9,
            "ragged": Ragged.from_arrays([np.arange(v) for v in values]),
            "things": [(int(v), str(v), {"v": np.full(2, v)}) for v in values],
        }

    def compute_metric(self, results):
        """Everything as it is."""
        return {
            "count": len(results),
            "real": results.real.tolist(),
            "kept": results.kept,
            "ragged": [part.tolist() for part in results.ragged.split()] if len(results) else [],
            "things": results.things,
            "rest": [
                results.integer,
                results.bins.tolist(),
                results.growing.tolist(),
                results.largest,
                results.smallest,
            ],
        }


def metric_of(*batches, ids=None, **options):
    """A metric that got these batches."""
    metric = Everything(dist_backend="non_dist", **options)
    for batch in batches:
        metric.add(batch, ids=ids)
    return metric


numbers = st.lists(st.integers(0, 9), min_size=1, max_size=9)


@given(first=st.lists(numbers, max_size=3), second=st.lists(numbers, max_size=3))
def test_state_dict_round_trip(first, second):
    """A state dict restores every kind of state, and what comes after is the same."""
    metric = metric_of(*first, max_padding=60)
    restored = metric_of([1, 2, 3], max_padding=60)

    restored.load_state_dict(metric.state_dict())

    for batch in second:
        metric.add(batch)
        restored.add(batch)
    if first or second:
        assert same(restored.compute(), metric.compute())
        assert same(restored.compute(size=1), metric.compute(size=1))


def test_a_state_dict_is_a_snapshot():
    """Its arrays are its own: changing them changes no metric, neither saved nor loaded."""
    metric = metric_of([3, 1, 4], *[[1, 5, 9]] * 3000)
    found = metric.state_dict()
    restored = metric_of()
    restored.load_state_dict(found)
    before = metric.compute()

    for value in found.values():
        if isinstance(value, np.ndarray):
            value[...] = 1

    assert same(metric.compute(), before)
    assert same(restored.compute(), before)


@given(parts=st.lists(numbers, min_size=1, max_size=4), ranks=st.integers(1, 3))
def test_files_merge_on_any_number_of_ranks(tmp_path_factory, parts, ranks):
    """The files of all ranks, loaded by another number of ranks: all samples, once."""
    folder = tmp_path_factory.mktemp("parts")
    paths = [folder / f"{index}" for index in range(len(parts))]
    for path, part in zip(paths, parts, strict=True):
        metric_of(part).save(path)

    def resume(backend):
        metric = Everything(dist_backend=backend, dist_collect_mode="unzip")
        metric.load(paths)
        return metric.compute()

    whole = metric_of([v for part in parts for v in part]).compute()
    for value in LocalWorld(ranks).run(resume):
        assert value["count"] == whole["count"]
        assert same(value["real"], whole["real"])
        assert same(value["rest"], whole["rest"])
        assert sorted(value["kept"].tolist()) == sorted(whole["kept"].tolist())


@pytest.mark.filterwarnings("ignore:1 id came with different samples")
def test_overlapping_ids_count_once(tmp_path):
    """Two files that share ids: every id once."""
    for rank in range(2):
        metric = mm.Accuracy(dist_backend="non_dist")
        metric.add([1, 1, 1], [1, 1, rank], ids=[rank, rank + 1, 9])
        metric.save(tmp_path / f"{rank}")
    resumed = mm.Accuracy(dist_backend="non_dist")

    resumed.load([tmp_path / "0", tmp_path / "1"])

    assert resumed.remaining(4).tolist() == [3]
    resumed.compute()
    assert (resumed.report.unique, resumed.report.duplicated) == (4, 2)


class Lists(mm.BaseMetric):
    """A metric in MMEval's way."""

    def add(self, values):
        """Append."""
        self._results += values

    def compute_metric(self, results):
        """All."""
        return {"all": results}


entries = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False)
    | st.text()
    | st_numpy.arrays(st.sampled_from([np.int8, np.float32, np.float64, bool]), (2, 1)),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text() | st.integers(), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(values=st.lists(entries, max_size=5))
def test_lists_of_results_survive(tmp_path_factory, values):
    """Numbers, text, arrays and containers come back with their types."""
    path = tmp_path_factory.mktemp("lists") / "part"
    metric = Lists(dist_backend="non_dist")
    metric.add(values)
    metric.save(path)
    restored = Lists(dist_backend="non_dist")

    restored.load(path)

    assert same(restored._results, values)


@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f2", "f4", "f8", "c8", "c16"])
def test_rows_of_any_dtype_survive(tmp_path, dtype):
    """Also those that the file format does not know."""

    class Kept(mm.BaseMetric):
        rows_kept = state.cat(np.dtype(dtype), (2,))

        def rows(self, values):
            return {"rows_kept": np.asarray(values)}

        def compute_metric(self, results):
            return {"kept": results.rows_kept}

    metric, empty, restored = (Kept(dist_backend="non_dist") for _ in range(3))
    metric.add(np.array([[0, 1], [1, 1], [1, 0]], dtype))
    metric.save(tmp_path / "some")
    empty.save(tmp_path / "none")
    restored.load([tmp_path / "some", tmp_path / "none"])

    assert same(restored.compute(), metric.compute())
