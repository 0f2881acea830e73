"""The promise: the same samples give the same bits, however they are spread over ranks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_fscore_support

import mmeval_like as mm
from mmeval_like.testing import LocalWorld, MetricCase, check_metric
from mmeval_like.testing.same import same
from tests.helpers.examples import examples
from tests.helpers.optional import requires

CLASSES = 4


def classification(rng, count):
    """Scores with many ties, and labels."""
    return rng.integers(0, 5, (count, CLASSES)) / 4, rng.integers(0, CLASSES, count)


def maps(rng, count):
    """Small class maps with ignored pixels, in the dtype of PNG files."""
    labels = rng.integers(0, CLASSES, (count, 3, 5)).astype(np.uint8)
    labels[rng.random(labels.shape) < 0.2] = 255
    return rng.integers(0, CLASSES, (count, 3, 5)).astype(np.uint8), labels


def images(rng, count):
    """8-bit images."""
    return tuple(rng.integers(0, 256, (count, 4, 3, 3)).astype(np.uint8) for _ in range(2))


def accuracy(scores, labels):
    """Top-1 and top-2 by a stable sort, in Python."""
    hits = {1: 0, 2: 0}
    for row, label in zip(scores.tolist(), labels.tolist(), strict=True):
        ranked = sorted(range(len(row)), key=lambda c: (-row[c], c))
        for k in hits:
            hits[k] += label in ranked[:k] and row[label] > 0
    return {f"top{k}": hits[k] / len(labels) for k in hits}


def f_scores(scores, labels):
    """scikit-learn's, in percent."""
    found = precision_recall_fscore_support(
        labels, scores.argmax(1), labels=range(CLASSES), average="macro", zero_division=0
    )
    names = ("precision", "recall", "f1-score")
    return {name: 100 * value for name, value in zip(names, found[:3], strict=True)}


def iou(predictions, labels):
    """Set sizes, class by class."""
    valid = labels != 255
    ious = []
    for c in range(CLASSES):
        hit = ((predictions == c) & (labels == c) & valid).sum()
        union = (((predictions == c) | (labels == c)) & valid).sum()
        if union:
            ious.append(hit / union)
    return {"mIoU": np.mean(ious), "aAcc": (predictions == labels)[valid].mean()}


def squared_error(predictions, groundtruths):
    """The textbook mean."""
    wide = predictions.astype(float) - groundtruths
    return {"mse": np.mean(wide**2) / 255**2}


CASES = {
    "Accuracy": MetricCase(
        lambda **options: mm.Accuracy(topk=(1, 2), **options), classification, accuracy, 0.0
    ),
    "SingleLabel": MetricCase(
        lambda **options: mm.SingleLabelPrecisionRecallF1score(CLASSES, **options),
        classification,
        f_scores,
        tolerance=1e-5,  # four decimals of percent
        empty=0.0,
    ),
    "MeanIoU": MetricCase(lambda **options: mm.MeanIoU(CLASSES, **options), maps, iou),
    "MeanSquaredError": MetricCase(mm.MeanSquaredError, images, squared_error),
}


@pytest.mark.parametrize("name", CASES)
def test_every_law(name):
    """The conformance kit finds no broken law, with numpy and strict array API inputs."""
    check_metric(CASES[name], examples=examples(8), libraries=["array_api_strict"])


@pytest.mark.parametrize("name", CASES)
def test_torch_inputs(name):
    """Torch tensors give the bits of numpy arrays."""
    requires("torch")
    check_metric(CASES[name], libraries=["torch"], only=["array_libraries"])


def draw_shards(data, count, mode):
    """Any assignment of `count` samples to 1 to 5 ranks that the collect mode can describe."""
    counts = data.draw(st.lists(st.integers(0, count), min_size=1, max_size=5), "weights")
    cuts = np.sort(np.array(counts[1:], int)) if len(counts) > 1 else np.array([], int)
    sizes = np.diff(np.concatenate([[0], cuts, [count]]))
    if mode == "cat":
        return np.split(np.arange(count), np.cumsum(sizes)[:-1])
    shards = [[] for _ in sizes]
    index = 0
    while index < count:
        for shard, size in zip(shards, sizes, strict=True):
            if len(shard) < size:
                shard.append(index)
                index += 1
    return [np.array(shard, int) for shard in shards]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("mode", ["unzip", "cat"])
@settings(max_examples=examples(25))
@given(data=st.data())
def test_any_split(name, mode, data):
    """Any split over 1 to 5 ranks, any batches, padded or not: one process's bits."""
    case = CASES[name]
    count = data.draw(st.integers(1, 30), "samples")
    inputs = case.samples(np.random.default_rng(data.draw(st.integers(0, 9), "seed")), count)
    alone = case.make(dist_backend="non_dist")
    alone.add(*inputs)
    expected = alone.compute()
    shards = draw_shards(data, count, mode)
    size = None
    if data.draw(st.booleans(), "padded"):  # what samplers do: repeat samples at the end
        ranks = len(shards)
        padded = np.arange(-(-count // ranks) * ranks) % count
        shards = [padded[r::ranks] for r in range(ranks)]
        if mode == "cat":
            shards = np.split(padded, ranks)
        size = count
    batch = data.draw(st.integers(1, 9), "batch size")
    order = data.draw(st.sampled_from("CF"), "memory order")
    members_only = data.draw(st.booleans(), "five members only")

    def evaluate(backend):
        metric = case.make(dist_backend=backend, dist_collect_mode=mode)
        mine = shards[backend.rank]
        for start in range(0, len(mine), batch):
            chosen = mine[start : start + batch]
            metric.add(*(np.asarray(column[chosen], order=order) for column in inputs))
        return metric.compute(size)

    for value in LocalWorld(len(shards), members_only=members_only).run(evaluate):
        assert same(value, expected)


@pytest.mark.filterwarnings("ignore:.*no samples")
@settings(max_examples=examples(60))
@given(
    counts=st.lists(st.integers(0, 6), min_size=1, max_size=5),
    drop=st.integers(0, 8),
    mode=st.sampled_from(["unzip", "cat"]),
    members_only=st.booleans(),
)
def test_uneven_shards_with_size(counts, drop, mode, members_only):
    """`size` drops exactly the rows at global index >= size, however uneven the shards are.

    So many as `max_padding` says; without it, one less than there are ranks, in all.
    """
    total = sum(counts)
    size = max(total - drop, 0)
    order = []  # rank and place of every global index, by the definition
    if mode == "cat":
        order = [(rank, i) for rank, count in enumerate(counts) for i in range(count)]
    else:
        rounds = range(max(counts))
        order = [(r, i) for i in rounds for r, count in enumerate(counts) if i < count]
    value = {place: index + 1 for index, place in enumerate(order)}  # the global index, from 1
    largest = [mm.state.sum(int), mm.state.cat(np.int64)]

    for state in largest:

        class Kept(mm.BaseMetric):
            indices = state

            def rows(self, values):
                return {"indices": np.asarray(values)}

            def compute_metric(self, results):
                return {"sum": int(np.sum(results.indices)), "count": len(results)}

        def evaluate(backend, max_padding, kind=Kept):
            metric = kind(dist_backend=backend, dist_collect_mode=mode, max_padding=max_padding)
            for i in range(counts[backend.rank]):
                metric.add([value[backend.rank, i]])
            try:
                return metric.compute(size)
            except (ValueError, mm.RemoteError) as error:
                return "mm.Indexed(dataset)" in str(error) and "max_padding=" in str(error)

        world = LocalWorld(len(counts), members_only=members_only)
        expected = {"sum": size * (size + 1) // 2, "count": size}
        for result in world.run(lambda backend: evaluate(backend, 8)):
            assert result == expected
        by_default = expected if total - size < len(counts) else True
        for result in world.run(lambda backend: evaluate(backend, None)):
            assert result == by_default


def test_early_folding_keeps_memory_constant():
    """A million samples leave no more waiting than one block and the tail."""
    metric = mm.Accuracy(dist_backend="non_dist")
    labels = np.zeros(10_000, np.int64)
    for _ in range(100):
        metric.add(labels, labels)

    store = metric._samples().stores()[0]
    assert store.count == 1_000_000
    assert store.waiting <= 400_000
    assert metric.compute() == {"top1": 1.0}


@pytest.mark.parametrize("samples", [20, 1_000_000])
def test_one_process_drops_nothing_by_itself(samples):
    """Nobody repeats samples in one process: another `size` is an error that names the ways out."""
    metric = mm.Accuracy(dist_backend="non_dist")
    for labels in np.split(np.arange(samples) % 2, 10):
        metric.add(np.zeros(samples // 10, np.int64), labels)

    assert metric.compute(size=samples) == {"top1": 0.5}
    with pytest.raises(ValueError, match=r"mm.Indexed\(dataset\).*ids=.*max_padding=1"):
        metric.compute(size=samples - 1)


@pytest.mark.parametrize("samples", [20, 1_000_000])
def test_max_padding_does_not_depend_on_what_was_folded(samples):
    """`max_padding=` samples can be dropped and not one more, of few samples as of many."""
    metric = mm.Accuracy(dist_backend="non_dist", max_padding=4)
    for labels in np.split(np.arange(samples) % 2, 10):
        metric.add(np.zeros(samples // 10, np.int64), labels)

    assert metric.compute(size=samples - 4) == {"top1": 0.5}
    with pytest.raises(ValueError, match="max_padding=5"):
        metric.compute(size=samples - 5)


def test_members_that_count_other_samples_refuse_size():
    """A member that appends to a list may hold another number of results: no row is its padding."""

    class PerBatch(mm.BaseMetric):
        def add(self, predictions, labels):
            self._results.append(len(labels))

        def compute_metric(self, results):
            return {"batches": len(results)}

    metrics = mm.MetricCollection({"accuracy": mm.Accuracy(), "batches": PerBatch()}, "non_dist")
    metrics.add([1, 1], [1, 0])

    assert metrics.compute() == {"accuracy": {"top1": 0.5}, "batches": {"batches": 1}}
    with pytest.raises(ValueError, match="count the same samples"):
        metrics.compute(size=1)


def test_a_compute_leaves_what_size_can_drop():
    """`size` drops as many samples after a compute as before it, however small the batches."""

    def evaluate(backend):
        metric = mm.Accuracy(dist_backend=backend, max_padding=3)
        for number in range(20):
            metric.add([number % 2], [0])
        return metric.compute(), metric.compute(size=35)

    # Rank 0 keeps its first 18 samples, rank 1 its first 17: 9 right ones each.
    assert LocalWorld(2).run(evaluate) == [({"top1": 0.5}, {"top1": 18 / 35})] * 2


def test_max_padding_keeps_more():
    """With `max_padding=` so many samples can be dropped, whatever was folded."""
    metric = mm.Accuracy(dist_backend="non_dist", max_padding=999_990)
    for _ in range(100):
        metric.add(np.zeros(10_000, np.int64), np.arange(10_000) % 2)

    assert metric.compute(size=10) == {"top1": 0.5}
