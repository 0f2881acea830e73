"""Tensors on an accelerator stay there, `add` does not wait for them, and the bits are the host's.

Without a GPU, tensors of the host stand in: only what decides where a tensor lives is replaced.
"""

import copy
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like._samples import store
from mmeval_like._states import rows
from mmeval_like.arrays import accelerator
from mmeval_like.testing import LocalWorld, check_metric
from mmeval_like.testing.inputs import take_samples
from mmeval_like.testing.same import same
from tests.helpers import requires
from tests.metric_cases import CASES as ALL_CASES
from tests.metrics.test_peak_signal_noise_ratio import VARIANTS

torch = requires("torch")

CASES = {name: case for name, case in ALL_CASES.items() if case.make().statistic.on_accelerator}
CASES |= VARIANTS  # lists of images, and colours


def tensors(value: Any, device: str = "cpu") -> Any:
    """An argument's arrays as tensors, alone or in a list."""
    if isinstance(value, np.ndarray):
        return torch.from_numpy(np.array(value)).to(device)
    is_list = isinstance(value, list | tuple) and value and hasattr(value[0], "shape")
    return [tensors(entry, device) for entry in value] if is_list else value


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every tensor is taken for one on an accelerator."""
    monkeypatch.setattr(accelerator, "is_accelerator", lambda v: isinstance(v, torch.Tensor))


@pytest.fixture
def everything_there(device: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that is added to these metrics is taken for tensors on an accelerator."""
    stay = accelerator.stay

    def moved(batch: Any, named: Any) -> Any:
        given = {name: tensors(value) for name, value in named.items()}
        return stay(tuple(map(tensors, batch)), given)

    monkeypatch.setattr(accelerator, "stay", moved)


# Operations of torch that wait for the device to learn a value or a size.
WAIT = ("_local_scalar_dense", "bincount", "equal", "item", "masked_select", "nonzero", "unique",
        "_unique2", "repeat_interleave")  # fmt: skip


class NoWaiting(torch.utils._python_dispatch.TorchDispatchMode):
    """Refuses the operations of torch that wait for the device."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        """Call the operation unless it waits."""
        name = function.overloadpacket.__name__
        keys = args[1] if name.startswith("index") and isinstance(args[1], list | tuple) else ()
        masks = [k for k in keys if isinstance(k, torch.Tensor) and k.dtype == torch.bool]
        assert name not in WAIT, f"{name} waits for the device"
        assert not masks, f"{name} with a mask waits for the device"
        return function(*args, **(kwargs or {}))


def test_the_metrics_that_stay() -> None:
    """Classification, segmentation, errors and decibels are computed where the tensors are."""
    kinds = {type(case.make()).__name__ for case in CASES.values()}

    assert kinds >= {
        "Accuracy", "ConfusionMatrix", "SingleLabelPrecisionRecallF1score", "MeanIoU",
        "MeanSquaredError", "MeanAbsoluteError", "RootMeanSquaredError", "PeakSignalNoiseRatio",
        "SignalNoiseRatio",
    }  # fmt: skip


@pytest.mark.parametrize("name", CASES)
@pytest.mark.usefixtures("everything_there")
def test_every_law(name: str) -> None:
    """A metric keeps every law when all its samples come on an accelerator."""
    check_metric(CASES[name], examples=1)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.usefixtures("device")
def test_the_bits_of_the_host(name: str) -> None:
    """The value of tensors on an accelerator is the value of numpy arrays, bit by bit."""
    check_metric(CASES[name], libraries=["torch"], only=["array_libraries"], examples=4)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.usefixtures("device")
def test_add_does_not_wait(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In `add`, nothing is fetched, and no operation runs whose result's size is not known."""
    case = CASES[name]
    batch = tuple(map(tensors, case.samples(np.random.default_rng(0), 5)))
    metric = case.make(dist_backend="non_dist")
    with monkeypatch.context() as patched, NoWaiting():
        for module in (store, rows, accelerator):
            patched.setattr(module, "fetch", lambda value: pytest.fail("add() fetched"))
        metric.add(*batch)

    assert any(
        map(accelerator.is_device, metric._samples().stores()[0].backlog.batches[0].rows.values())
    )


@pytest.mark.parametrize("name", CASES)
def test_on_a_gpu(name: str) -> None:
    """On a real device, torch sees no wait in `add`, and the value is the host's."""
    requires("nvidia-smi")
    if not torch.cuda.is_available():
        pytest.skip("torch sees no GPU")
    case = CASES[name]
    data = case.samples(np.random.default_rng(0), 24)
    there, here = case.make(dist_backend="non_dist"), case.make(dist_backend="non_dist")
    batches = [take_samples(data, np.arange(i, i + 6)) for i in range(0, 24, 6)]
    moved = [tuple(tensors(column, "cuda") for column in batch) for batch in batches]
    there(*moved[0])  # libraries are loaded, memory is taken
    torch.cuda.set_sync_debug_mode("error")
    try:
        for batch in moved:
            there.add(*batch)
    finally:
        torch.cuda.set_sync_debug_mode("default")
    for batch in batches:
        here.add(*batch)

    assert same(there.compute(), here.compute())


BAD = {
    "labels out of range": (mm.Accuracy(), [[[0.5, 0.5], [1.0, 0.0]], [1, 2]], "labels must be in"),
    "negative labels": (mm.ConfusionMatrix(2), [[1, 0], [0, -1]], "labels must be in"),
    "nan": (mm.Accuracy(), [[[np.nan, np.nan], [1.0, 0.0]], [1, 0]], "must not contain nan"),
    "no integers": (mm.Accuracy(), [[0.5, 1.0], [1, 0]], "predictions must be integers"),
    "maps": (mm.MeanIoU(2), [[[[0, 1]]], [[[0, 2]]]], "labels must be in"),
    "large": (mm.RootMeanSquaredError(), [np.array([1e200, 1.0]), [1.0, 2.0]], "must not exceed"),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.usefixtures("device")
def test_bad_values_are_found_by_compute(name: str) -> None:
    """`add` takes bad values, `compute` names the rule and the number; `reset` forgets them."""
    kept, batch, text = BAD[name]
    metric = copy.deepcopy(kept)
    good = [torch.zeros_like(torch.tensor(np.array(column))) for column in batch]
    for _ in range(3):
        metric.add(*map(torch.tensor, map(np.array, batch)))
    metric.add(*good)

    for attempt in (metric.compute, metric.compute, metric.state_dict):
        with pytest.raises(ValueError, match=rf"{text}.*, 3 sample\(s\)"):
            attempt()
    metric.reset()
    metric.add(*good)
    metric.compute()


@pytest.mark.parametrize("members_only", [False, True])
@pytest.mark.usefixtures("device")
def test_bad_values_raise_on_every_rank(members_only: bool) -> None:
    """No rank gets a value when one has bad samples; all are told the number."""

    def evaluate(backend: Any) -> str:
        metric = mm.Accuracy(dist_backend=backend)
        bad = 7 if backend.rank == 1 else 0
        metric.add(torch.zeros(2, 3), torch.tensor([0, bad]))
        with pytest.raises((ValueError, mm.RemoteError)) as caught:
            metric.compute()
        return str(caught.value)

    for text in LocalWorld(3, members_only=members_only).run(evaluate):
        assert "labels must be in [0, 3), 1 sample(s)" in text


@pytest.mark.usefixtures("device")
def test_shapes_and_dtypes_are_checked_at_once() -> None:
    """What needs no value raises in `add`, and nothing is kept."""
    metric = mm.Accuracy()
    with pytest.raises(ValueError, match="same length"):
        metric.add(torch.zeros(3, 2), torch.zeros(2, dtype=torch.int64))
    with pytest.raises(ValueError, match="shape"):
        metric.add(torch.zeros(3, 2, 2), torch.zeros(3, dtype=torch.int64))
    with pytest.raises(TypeError, match="real"):
        mm.MeanSquaredError().add(torch.zeros(2, dtype=torch.complex64), torch.zeros(2))

    assert len(metric._samples().stores()[0].backlog.batches) == 0


@pytest.mark.usefixtures("device")
def test_host_and_device_may_take_turns() -> None:
    """Batches, and the arguments of one batch, may live in different places."""
    rng = np.random.default_rng(0)
    case = CASES["Accuracy, scores"]
    data = case.samples(rng, 12)
    expected = case.make()(*data)
    metric = case.make(dist_backend="non_dist")
    parts = [take_samples(data, np.arange(i, i + 3)) for i in range(0, 12, 3)]
    metric.add(*parts[0])
    metric.add(*map(tensors, parts[1]))
    metric.add(parts[2][0], tensors(parts[2][1]))
    metric.add(tensors(parts[3][0]), parts[3][1].tolist())

    assert same(metric.compute(), expected)


@pytest.mark.parametrize(
    "metric",
    [mm.Accuracy(max_padding=1), mm.ConfusionMatrix(2, max_padding=1)],
    ids=lambda m: m.name,
)
@pytest.mark.usefixtures("device")
def test_counts_fold_on_the_device(metric: mm.BaseMetric) -> None:
    """Many samples leave no more than a block waiting; their counts never left the device."""
    labels = torch.arange(100_000) % 2
    zeros = labels * 0
    with NoWaiting():
        for _ in range(100):
            metric.add(zeros, labels)
    kept = metric._samples().stores()[0]

    assert kept.waiting < kept.count == 10_000_000
    for folded in kept._folded.values():
        halves = folded if isinstance(folded, tuple) else (folded,)
        assert all(map(accelerator.is_device, halves))
    (value,) = metric.compute(size=9_999_999).values()
    expected = {
        "Accuracy": 5_000_000 / 9_999_999,
        "ConfusionMatrix": [[5_000_000, 0], [4_999_999, 0]],
    }
    assert np.array_equal(value, expected[metric.name])


@pytest.mark.usefixtures("device")
def test_batches_are_not_kept() -> None:
    """The caller may overwrite its tensors, and they are not part of a graph."""
    labels = torch.tensor([0, 1, 1])
    scores = torch.eye(3, requires_grad=True)
    metric = mm.ConfusionMatrix(3, dist_backend="non_dist")
    metric.add(scores, labels)
    labels.zero_()

    assert metric.compute()["confusion_matrix"].tolist() == [[1, 0, 0], [0, 1, 1], [0, 0, 0]]


@pytest.mark.usefixtures("device")
def test_collection() -> None:
    """Members that stay and members that fetch agree with the host, in one collection."""
    case = CASES["Accuracy, scores"]
    data = case.samples(np.random.default_rng(1), 9)
    classes = data[0].shape[1]
    members = {"acc": mm.Accuracy(), "f1": mm.SingleLabelPrecisionRecallF1score(classes),
               "brier": mm.BrierScore()}  # fmt: skip
    scores = data[0] / np.maximum(data[0].sum(1, keepdims=True), 1e-9)
    values = []
    for convert in (np.asarray, tensors):
        metrics = mm.MetricCollection(members, dist_backend="non_dist")
        metrics.add(convert(scores + (scores.sum(1, keepdims=True) == 0) / classes),
                    convert(data[1]))  # fmt: skip
        values.append(metrics.compute())

    assert same(*values)


@pytest.mark.usefixtures("device")
@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "uint8", "int8", "uint16", "bool"])
def test_narrow_dtypes(dtype: str) -> None:
    """Narrow numbers count as they do on the host."""
    values = torch.arange(12).reshape(4, 3).remainder(2).to(getattr(torch, dtype))
    labels = torch.tensor([0, 1, 2, 0], dtype=torch.uint8)
    metric = mm.Accuracy(topk=(1, 2), thrs=(0.3, None))
    there = metric(values, labels)

    wide = np.asarray(values.to(torch.float32 if values.is_floating_point() else torch.int64))
    assert there == metric(wide, labels.numpy())


@pytest.mark.usefixtures("device")
def test_logits_on_an_accelerator() -> None:
    """What the host refuses or warns of is refused or warned of, at the latest by `compute`."""
    logits, labels = torch.tensor([-2.0, 0.25, 3.0]), torch.tensor([0, 1, 1])
    for metric in (mm.Recall(), mm.ConfusionMatrix(2, task="binary")):
        with pytest.raises(ValueError, match="sigmoid"):
            metric(logits, labels)
    given = mm.Recall(threshold=0)
    given.add(logits, labels)
    assert given.compute() == {"recall": 1.0}

    accuracy = mm.Accuracy()
    accuracy.add(torch.tensor([[-1.0, -2.0], [0.1, 0.9]]), torch.tensor([0, 1]))
    with pytest.warns(UserWarning, match=r"negative scores .*\(1 samples on an accelerator\)"):
        assert accuracy.compute() == {"top1": 0.5}
