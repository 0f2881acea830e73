"""Bad input, row by row of the promise: who raises what, and that nobody hangs or loses a sample.

The launcher of one MPI with the library of another: `test_backends.py`.
"""

import math

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like import state
from mmeval_like.testing import LocalWorld

MAKERS = {
    "Accuracy": mm.Accuracy,
    "SingleLabel": lambda **options: mm.SingleLabelPrecisionRecallF1score(3, **options),
    "MeanIoU": lambda **options: mm.MeanIoU(3, **options),
    "MeanSquaredError": mm.MeanSquaredError,
}


def errors_in(ranks, function):
    """Every rank's exception; the world would time out if one of them waited for ever."""
    world = LocalWorld(ranks, timeout=20)
    with pytest.raises(Exception):  # noqa: B017  whichever the lowest rank raised
        world.run(function)
    return world.errors


def test_unknown_and_missing_backends_are_told_apart():
    """An unknown name lists the known ones; a known name names the pip command."""
    with pytest.raises(mm.UnknownBackendError, match="'mpi'; known backends: non_dist"):
        mm.Accuracy(dist_backend="mpi").compute()

    mm.register_backend("torch_cuda", "no_such_library:Class")
    try:
        with pytest.raises(mm.MissingBackendError, match="pip install 'mmeval-like"):
            mm.Accuracy(dist_backend="torch_cuda").compute()
    finally:
        mm.register_backend("torch_cuda", "mmeval_like.backends.torch:TorchCUDADist")


@pytest.mark.parametrize(
    ("name", "batch", "named"),
    [
        ("Accuracy", ([0, 1, 1], [0, 1]), ["predictions", "labels", "3", "2"]),
        ("Accuracy", ([[0.1, 0.9]], [2]), ["labels", "[0, 2)", "2"]),
        ("Accuracy", ([[0.1, math.nan]], [1]), ["predictions", "nan"]),
        ("SingleLabel", ([0, 1, 1], [0, 1]), ["predictions", "labels", "3", "2"]),
        ("SingleLabel", ([0], [3]), ["labels", "[0, 3)", "3"]),
        ("SingleLabel", ([[0.1, math.nan, 0.2]], [1]), ["predictions", "nan"]),
        ("MeanIoU", (np.zeros((2, 2, 2), int), np.zeros((1, 2, 2), int)), ["labels", "2 and 1"]),
        ("MeanIoU", (np.zeros((1, 2, 2), int), np.full((1, 2, 2), 9)), ["labels", "[0, 3)", "9"]),
        (
            "MeanSquaredError",
            (np.zeros((2, 2)), np.zeros((3, 2))),
            ["predictions", "groundtruths", "2 and 3"],
        ),
    ],
)
def test_bad_batches_name_the_argument_and_both_values(name, batch, named):
    """ValueError before anything is recorded."""
    metric = MAKERS[name](dist_backend="non_dist")

    with pytest.raises(ValueError, match="must") as caught:
        metric.add(*batch)

    assert [text for text in named if text not in str(caught.value)] == []
    assert all(store.count == 0 for store in metric._samples().stores())


@pytest.mark.parametrize("size", [5, 2**62, 2**63, 2**70, -1, True])
@pytest.mark.parametrize("ranks", [1, 2])
def test_impossible_sizes(ranks, size):
    """ValueError on every rank, however large or odd, also where one rank alone asks for it."""

    def evaluate(backend):
        metric = mm.Accuracy(dist_backend=backend)
        metric.add([1, 1], [1, 1])
        return metric.compute(size if backend.rank == ranks - 1 or size == 5 else None)

    errors = errors_in(ranks, evaluate)

    kinds = ValueError, mm.DisagreementError, mm.RemoteError
    assert all(isinstance(error, kinds) for error in errors)
    assert all("size" in str(error) for error in errors)


def test_unknown_collect_mode():
    """ValueError that lists the modes."""
    with pytest.raises(ValueError, match=r"'unzip', 'cat'.*got 'zip'"):
        mm.Accuracy(dist_collect_mode="zip")


@pytest.mark.parametrize("number", [-1, 1.5, "3", True])
def test_bad_max_padding(number):
    """Anything but a number of samples is refused when the metric is built."""
    with pytest.raises((TypeError, ValueError), match="max_padding must be a number"):
        mm.Accuracy(max_padding=number)


def test_names_of_states_that_results_have_themselves():
    """ValueError before anything is kept: `results.once` would not be the state."""

    class Hidden(mm.BaseMetric):
        once = state.sum(int)
        _count = state.sum(int)

        def rows(self, values):
            return {"once": np.array(values), "_count": np.array(values)}

        def compute_metric(self, results):
            return {"once": results.once, "count": results._count}

    with pytest.raises(ValueError, match=r"must not have the names .*'once', '_count'"):
        Hidden().add([1])


@pytest.mark.parametrize("size", [None, -1, 2.5])
def test_remaining_of_no_number(size):
    """The error names the argument."""
    with pytest.raises((TypeError, ValueError), match="size must be a number of samples"):
        mm.Accuracy(dist_backend="non_dist").remaining(size)


def test_logits_warn_once():
    """MMEval's value for scores below the default threshold, and one warning with the way out."""
    metric = mm.Accuracy(dist_backend="non_dist")

    with pytest.warns(UserWarning, match="thrs=None"):
        metric.add([[-0.1, -2.0]], [0])
    metric.add([[-0.1, -2.0]], [0])  # warnings are errors here

    assert metric.compute() == {"top1": 0.0}


@pytest.mark.parametrize("ranks", [2, 3])
def test_ranks_that_differ_are_named(ranks):
    """The same error on every rank."""
    errors = errors_in(ranks, lambda b: mm.Accuracy(topk=b.rank // 1 + 1, dist_backend=b).compute())

    assert {type(error) for error in errors} == {mm.DisagreementError}
    assert len({str(error) for error in errors}) == 1
    assert all(f"rank {rank}" in str(errors[0]) for rank in range(ranks))


class Lists(mm.BaseMetric):
    """A metric in MMEval's way."""

    def add(self, entries):
        """Append each."""
        self._results += entries

    def compute_metric(self, results):
        """Count."""
        return {"count": len(results)}


class Replaced(Lists):
    """One that puts something else in the place of its list, on one rank."""

    def add(self, entries):
        """Replace the list."""
        if self.dist_comm.rank == 1:
            self._results = np.arange(3)


@pytest.mark.parametrize("entries", [[lambda: None], [1]], ids=["unpicklable", "no list"])
def test_what_cannot_be_sent_reaches_every_rank(entries):
    """The error there, RemoteError elsewhere, and the metric still holds what it had."""
    cls = Replaced if entries == [1] else Lists
    left = []

    def evaluate(backend):
        metric = cls(dist_backend=backend)
        metric.add(entries if backend.rank == 1 else [1])
        before = len(metric._results)
        try:
            metric.compute()
        finally:
            left.append(len(metric._results) == before)

    errors = errors_in(3, evaluate)

    assert isinstance(errors[0], mm.RemoteError)
    assert errors[0].ranks == errors[2].ranks == [1]
    assert not isinstance(errors[1], mm.RemoteError)
    assert left == [True] * 3


@pytest.mark.parametrize("ranks", [1, 2, 3])
@pytest.mark.parametrize("name", MAKERS)
def test_no_samples_anywhere(name, ranks):
    """The same documented value in every world, with a warning that says why."""
    with pytest.warns(RuntimeWarning, match="no samples were added on any rank"):
        alone = MAKERS[name](dist_backend="non_dist").compute()
    with pytest.warns(RuntimeWarning, match="no samples were added on any rank"):
        results = LocalWorld(ranks).run(lambda b: MAKERS[name](dist_backend=b).compute())

    assert [repr(result) for result in results] == [repr(alone)] * ranks


class Unfloatable:
    """A number that says so in an error of its own, as a tensor of two elements does."""

    def __float__(self):
        """Refuse."""
        raise RuntimeError("two elements")


@pytest.mark.parametrize(
    ("metrics", "count"),
    [
        ([1.0], 1),
        (None, 1),
        ({"loss": Unfloatable()}, 1),
        ({"loss": 1}, "many"),
        ({"loss": 1}, None),
    ],
)
def test_nonsense_to_average_metrics_reaches_every_rank(metrics, count):
    """TypeError there, RemoteError elsewhere; nobody waits."""

    def average(backend):
        if backend.rank == 1:
            return mm.average_metrics(metrics, count, backend)
        return mm.average_metrics({"loss": 1.0}, dist_backend=backend)

    errors = errors_in(3, average)

    assert [type(error) for error in errors] == [mm.RemoteError, TypeError, mm.RemoteError]
    assert any(name in str(errors[1]) for name in ("metrics", "count"))


@pytest.mark.parametrize(
    "ids", [np.array([True, False]), [-1, 0], [0.5, 1], [0], [[0, 1]], ["a", 1], [2**63, 0]]
)
def test_ids_that_are_no_indices(ids):
    """Masks, negative, broken, too few, nested, mixed, too large: refused, nothing is kept."""
    metric = mm.Accuracy(dist_backend="non_dist")

    with pytest.raises((TypeError, ValueError), match="ids must"):
        metric.add([1, 1], [1, 1], ids=ids)

    assert metric.remaining(2).tolist() == [0, 1]


def test_masked_arrays_are_refused():
    """A mask would be ignored in silence."""
    labels = np.ma.masked_equal([0, 1, 2], 2)

    with pytest.raises(TypeError, match="labels must not be a masked array"):
        mm.Accuracy(dist_backend="non_dist").add([0, 1, 1], labels)


@pytest.mark.parametrize("hidden", [0, 1, 2, 9])
def test_masked_slices_and_clusters_are_missing_ones(hidden):
    """Whatever number a mask hides: the sample is in the slice of None, not in another one's."""
    values, zones = [10.0, 1.0, 1.0, 5.0], np.ma.masked_array([hidden, 1, 1, 2], mask=[1, 0, 0, 0])
    sliced, wanted = (mm.Sliced(mm.Mean(), by="zone") for _ in range(2))
    sliced.add(values, by={"zone": zones})
    wanted.add(values, by={"zone": [None, 1, 1, 2]})
    assert sliced.compute() == wanted.compute()

    found = mm.Mean(interval=0.95)
    found.add(values, clusters=zones)
    with pytest.warns(RuntimeWarning, match="only 3 clusters"):
        found.compute()
