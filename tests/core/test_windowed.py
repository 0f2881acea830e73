"""Windowed: the last samples of a stream, equal to computing anew."""

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mmeval_like as mm
from mmeval_like.testing.local_world import LocalWorld
from tests.helpers.examples import examples

pytestmark = pytest.mark.filterwarnings("ignore:.*no samples")

SAMPLES, BUCKETS = 12, 3


def in_window(count: int) -> int:
    """How many of the last samples there should be."""
    size = SAMPLES // BUCKETS
    return count if count <= SAMPLES else SAMPLES - size + (count - 1) % size + 1


def numbers(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Numbers whose sums round, and labels of three classes."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=count) * 10.0 ** rng.integers(-9, 9, count), rng.integers(0, 3, count)


METRICS: dict[str, Any] = {
    "exact sums": mm.MeanSquaredError,
    "counts": lambda: mm.FBetaScore(task="multiclass", num_classes=3),
    "a maximum, which is merged anew": mm.Max,
    "kept samples": mm.SpearmanCorrCoef,
    "moments": lambda: mm.MeanSquaredError(interval=0.95),
}


def batch_of(metric: Any, values: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, ...]:
    """What the metric takes."""
    if isinstance(metric, mm.Max):
        return (values,)
    if isinstance(metric, mm.FBetaScore):
        return np.abs(values).astype(int) % 3, labels
    return values, labels.astype(float)


@pytest.mark.parametrize("name", METRICS)
@given(st.lists(st.integers(0, 9), max_size=9), st.integers(0, 2**32))
@settings(max_examples=examples(15), deadline=None)
@pytest.mark.filterwarnings("ignore")
def test_a_window_is_computed_anew(name: str, batches: list[int], seed: int) -> None:
    """After every batch, whatever their sizes: the bits of the last samples alone."""
    values, labels = numbers(sum(batches), seed)
    window = mm.Windowed(METRICS[name](), SAMPLES, BUCKETS)
    stop = 0
    for size in batches:
        batch = slice(stop, stop + size)
        window.add(*batch_of(METRICS[name](), values[batch], labels[batch]))
        stop += size
        last = slice(stop - in_window(stop), stop)
        anew = METRICS[name]()
        anew.add(*batch_of(anew, values[last], labels[last]))
        assert repr(window.compute()) == repr(anew.compute())
    assert window.compute_local().samples == in_window(stop)


def test_collections_and_slices() -> None:
    """Members keep sharing, and a slice that left the window is there no more."""
    metrics = mm.MetricCollection({"acc": mm.Accuracy(), "f1": METRICS["counts"]()})
    window = mm.Windowed(metrics, 4, 2)
    window.add([0, 1, 2, 0, 1], [0, 1, 1, 1, 1])
    assert window.compute() == metrics([2, 0, 1], [1, 1, 1])
    sliced = mm.Sliced(mm.Accuracy(), by="language")
    window = mm.Windowed(sliced, 4, 2)
    window.add([0, 1, 1, 1, 1], [0, 1, 0, 1, 1], by={"language": ["de", "de", "en", "en", "en"]})
    assert window.compute() == sliced([1, 1, 1], [0, 1, 1], by={"language": ["en"] * 3})


def test_every_rank_has_a_stream() -> None:
    """The result is that of the last samples of all ranks."""
    values, labels = numbers(60, 1)

    def evaluate(backend: Any) -> Any:
        window = mm.Windowed(mm.MeanSquaredError(), 8, 4, dist_backend=backend)
        window.add(values[backend.rank :: 3], labels[backend.rank :: 3])
        return window.compute()

    last = mm.MeanSquaredError()
    last.add(values[36:], labels[36:])  # 20 samples of every rank, of which the last 8 count
    for result in LocalWorld(3).run(evaluate):
        assert result == last.compute()


RESUMED: dict[str, Any] = {
    **METRICS,
    "samples": lambda: mm.AUROC(),
    "intervals": lambda: mm.MeanSquaredError(interval=0.9),
}


@pytest.mark.parametrize("way", ["bytes", "dict", "file"])
@pytest.mark.parametrize("name", RESUMED)
@given(st.lists(st.integers(0, 9), max_size=9), st.integers(0, 9), st.integers(0, 2**32))
@settings(max_examples=examples(10), deadline=None)
@pytest.mark.filterwarnings("ignore")
def test_a_saved_window_goes_on_as_if_uninterrupted(
    tmp_path_factory: Any, way: str, name: str, batches: list[int], at: int, seed: int
) -> None:
    """Saved and loaded before any batch, it has the same bits after every later batch."""
    values, labels = numbers(sum(batches), seed)
    if name == "samples":
        labels = np.abs(labels) % 2
    window = mm.Windowed(RESUMED[name](), SAMPLES, BUCKETS)
    resumed, stop = window, 0
    for place, size in enumerate(batches):
        if place == at:
            resumed = mm.Windowed(RESUMED[name](), SAMPLES, BUCKETS)
            if way == "bytes":
                resumed = resumed.from_bytes(window.to_bytes())
            elif way == "dict":
                resumed.load_state_dict(window.state_dict())
            else:
                path = tmp_path_factory.mktemp("window") / "w.safetensors"
                window.save(path)
                resumed.load(path)
        batch = slice(stop, stop + size)
        stop += size
        for one in {id(window): window, id(resumed): resumed}.values():
            one.add(*batch_of(RESUMED[name](), values[batch], labels[batch]))
        assert repr(resumed.compute_local()) == repr(window.compute_local())
        assert resumed.compute_local().samples == window.compute_local().samples


def test_a_merged_bucket_is_resumed() -> None:
    """It is full, although it has fewer samples than others, and stays so in a file."""
    window, other = (mm.Windowed(mm.Accuracy(), 6, 3) for _ in range(2))
    window.add([0] * 5, [1] * 5)
    other.add([0], [1])
    window.merge(other)
    resumed = window.from_bytes(window.to_bytes())

    for _ in range(8):
        for one in (window, resumed):
            one.add([1], [1])
        assert resumed.compute_local() == window.compute_local()
        assert resumed.compute_local().samples == window.compute_local().samples


def test_files_of_several_windows_are_a_bucket_each(tmp_path: Any) -> None:
    """A single process that loads the files of two ranks loses no sample of the first one."""
    paths = [tmp_path / f"{rank}.safetensors" for rank in range(2)]
    for path in paths:
        window = mm.Windowed(mm.Accuracy(), 4, 2)
        window.add([0, 0, 1], [1, 1, 1])
        window.save(path)
    both = mm.Windowed(mm.Accuracy(), 4, 2)
    both.load(paths)
    assert both.compute_local().samples == 6


def test_windows_are_saved_and_merged() -> None:
    """What comes from another window is one bucket, and is forgotten as one."""
    window = mm.Windowed(mm.Accuracy(), 4, 2)
    window.add([0, 0, 1], [1, 1, 1])
    other = window.from_bytes(window.to_bytes())
    assert other.compute() == window.compute()
    other.add([1, 1], [1, 1])
    other.reset()
    assert other.compute_local().samples == 0
    both = window + window
    assert both.compute_local().samples == 6
    both.add([1] * 4, [1] * 4)
    assert both.compute() == {"top1": 1.0}
    copied = pickle.loads(pickle.dumps(window))
    copied.add([1], [1])
    assert copied.compute() == {"top1": 0.5}
    assert window([1, 0], [1, 1]) == {"top1": 0.5}


def test_input_that_is_refused_changes_nothing() -> None:
    """Errors name the argument, and what was accumulated stays."""
    window = mm.Windowed(mm.Accuracy(), 4, 2)
    window.add([1, 0], [1, 1])
    with pytest.raises(TypeError, match="takes no ids="):
        window.add([1], [1], ids=[0])
    with pytest.raises(ValueError, match="labels"):
        window.add([1, 1], [1])
    assert window.compute() == {"top1": 0.5}
    for arguments, error, text in [
        ((3, 4, 2), TypeError, "metric must be a metric"),
        ((window, 4, 2), TypeError, "a window in a window is the shorter one"),
        ((mm.Accuracy(), 4.0, 2), TypeError, "samples must be an integer"),
        ((mm.Accuracy(), 0, 2), ValueError, "samples must be at least 1"),
        ((mm.Accuracy(), 4, True), ValueError, "buckets must be at least 1"),
        ((mm.Accuracy(), 10, 4), ValueError, "buckets must divide samples=10, got 4"),
    ]:
        with pytest.raises(error, match=text):
            mm.Windowed(*arguments)  # type: ignore[arg-type]
