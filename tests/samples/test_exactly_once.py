"""Every index counts once: any sampler gives the value of one process over the set of indices."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mmeval_like as mm
from mmeval_like._samples.exactly_once import first_copies
from mmeval_like._samples.ids import missing_ids
from mmeval_like.testing import LocalWorld
from mmeval_like.testing.same import same
from tests.helpers.examples import examples
from tests.helpers.optional import requires

SIZE = 23
PREDICTIONS = np.random.default_rng(0).integers(0, 256, (SIZE, 4, 4))
TARGETS = np.random.default_rng(1).integers(0, 256, (SIZE, 4, 4))


def metric_on(backend, ids, batch_size):
    """A metric with float sums that got these samples, batch by batch."""
    metric = mm.MeanSquaredError(dist_backend=backend)
    for start in range(0, len(ids), batch_size):
        batch = np.array(ids[start : start + batch_size], int)
        metric.add(PREDICTIONS[batch], TARGETS[batch], ids=batch)
    return metric


def expected(ids=range(SIZE)):
    """One process, one batch, every index once."""
    return metric_on("non_dist", sorted(set(ids)), SIZE).compute()


def round_robin(ranks, data):
    """DistributedSampler: interleaved, filled up from the beginning."""
    padded = np.resize(np.arange(SIZE), -(-SIZE // ranks) * ranks)
    return [padded[rank::ranks] for rank in range(ranks)]


def contiguous(ranks, data):
    """Contiguous shards, the last one filled up from the beginning."""
    padded = np.resize(np.arange(SIZE), -(-SIZE // ranks) * ranks)
    return np.split(padded, ranks)


def random_with_repeats(ranks, data):
    """Every index somewhere, some of them again anywhere."""
    again = data.draw(st.lists(st.integers(0, SIZE - 1), max_size=20), "again")
    dealt = data.draw(st.permutations([*range(SIZE), *again]), "order")
    return [np.array(dealt[rank::ranks], int) for rank in range(ranks)]


def batch_sent_again(ranks, data):
    """A worker that was restarted sends its last batch once more."""
    shards = round_robin(ranks, data)
    which = data.draw(st.integers(0, ranks - 1), "rank")
    shards[which] = np.concatenate([shards[which], shards[which][-4:]])
    return shards


@pytest.mark.filterwarnings("ignore:the ids of two batches")
@pytest.mark.parametrize(
    "sampler", [round_robin, contiguous, random_with_repeats, batch_sent_again]
)
@settings(max_examples=examples(25))
@given(data=st.data(), ranks=st.integers(1, 4), batch_size=st.integers(1, 9))
def test_any_sampler(sampler, data, ranks, batch_size):
    """The value of one process over the set of indices, to the last bit; strict about `size`."""
    shards = sampler(ranks, data)

    def evaluate(backend):
        metric = metric_on(backend, shards[backend.rank], batch_size)
        return metric.compute(size=SIZE), metric.report

    for value, report in LocalWorld(ranks).run(evaluate):
        assert same(value, expected())
        assert report.seen == sum(map(len, shards))
        assert (report.unique, report.missing, report.differing) == (SIZE, 0, 0)


@pytest.mark.parametrize("batch_size", [2, 4, 5])
@pytest.mark.parametrize("ranks", [2, 3, 4])
@pytest.mark.parametrize("split_batches", [False, True])
def test_the_sampler_of_accelerate(ranks, batch_size, split_batches):
    """BatchSamplerShard deals whole batches and wraps around to make them even."""
    requires("accelerate")
    from accelerate.data_loader import BatchSamplerShard
    from torch.utils.data import BatchSampler, SequentialSampler

    if split_batches:
        batch_size *= ranks

    def evaluate(backend):
        batches = BatchSamplerShard(
            BatchSampler(SequentialSampler(range(SIZE)), batch_size, drop_last=False),
            num_processes=ranks,
            process_index=backend.rank,
            split_batches=split_batches,
            even_batches=True,
        )
        metric = mm.MeanSquaredError(dist_backend=backend)
        for batch in batches:
            metric.add(PREDICTIONS[batch], TARGETS[batch], ids=batch)
        return metric.compute(size=SIZE), metric.report

    for value, report in LocalWorld(ranks).run(evaluate):
        assert same(value, expected())
        assert (report.unique, report.missing) == (SIZE, 0)
        assert report.seen % ranks == 0


@given(ids=st.lists(st.integers(0, SIZE - 1), max_size=40))
def test_missing_ids_are_the_complement(ids):
    """missing_ids is a set difference."""
    found = missing_ids(np.array(ids, np.int64), SIZE)

    assert found.tolist() == sorted(set(range(SIZE)) - set(ids))


@given(
    rows=st.lists(
        st.tuples(st.integers(0, 5), st.sampled_from([0.0, -0.0, float("nan"), 1.5])), max_size=20
    )
)
def test_the_first_copy_counts(rows):
    """Of several copies the first counts; those that differ in any bit are reported."""
    ids = np.array([index for index, _ in rows], np.int64)
    values = np.array([value for _, value in rows], np.float64)

    chosen, report = first_copies(ids, {"x": values}, None, "raise")

    first, differing = {}, set()
    for place, (index, value) in enumerate(rows):
        kept = first.setdefault(index, place)
        if np.float64(value).tobytes() != np.float64(rows[kept][1]).tobytes():
            differing.add(index)
    assert chosen.tolist() == [first[index] for index in sorted(first)]
    assert report.seen == len(rows)
    assert report.unique == len(first)
    assert report.duplicated == len({i for i in first if ids.tolist().count(i) > 1})
    assert report.differing == len(differing)
    assert report.missing is None


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([0, 1], "shape"),
        ([0, 1, -2], "negative"),
        ([0.5, 1, 2], "integers"),
        ([[0], [1], [2]], "shape"),
        (["a", 1, "c"], "strings for all samples"),
        ("abc", "places in the dataset"),
    ],
)
def test_bad_ids_are_refused(ids, message):
    """Before anything is recorded."""
    metric = mm.Accuracy(dist_backend="non_dist")

    with pytest.raises((TypeError, ValueError), match=message):
        metric.add([1, 1, 1], [1, 1, 0], ids=ids)

    metric.add([1], [1])
    assert metric.compute() == {"top1": 1.0}


def test_all_adds_or_none():
    """Adds with and without ids in one metric are an error."""
    metric = mm.Accuracy(dist_backend="non_dist")
    metric.add([1], [1], ids=[0])

    with pytest.raises(ValueError, match="ids="):
        metric.add([1], [1])

    assert metric.compute(size=1) == {"top1": 1.0}


def test_an_id_beyond_the_dataset():
    """An id that is not below `size` is an error that names it."""
    metric = mm.Accuracy(dist_backend="non_dist")
    metric.add([1, 1], [1, 1], ids=[0, 7])

    with pytest.raises(ValueError, match="7"):
        metric.compute(size=2, missing="report")


@pytest.mark.filterwarnings("ignore:1 id came with different samples")
def test_ordered_states_come_out_by_id():
    """Kept rows are in ascending order of their ids, whatever the order of arrival."""

    class Kept(mm.BaseMetric):
        values = mm.state.objects()

        def rows(self, values):
            return {"values": list(values)}

        def compute_metric(self, results):
            return {"values": results.values}

    def evaluate(backend):
        metric = Kept(dist_backend=backend)
        metric.add([f"{i}" for i in (3, 0, 2)], ids=[3, 0, 2])
        metric.add([f"from {backend.rank}"], ids=[1])
        return metric.compute()

    for value in LocalWorld(2).run(evaluate):
        assert value == {"values": ["0", "from 0", "2", "3"]}


@pytest.mark.parametrize("form", [list, tuple, np.array, lambda mask: [*np.array(mask)]])
def test_a_mask_is_no_list_of_ids(form):
    """Whichever way it comes: as ids it would leave two samples, 0 and 1."""
    metric = mm.Accuracy()
    with pytest.raises(TypeError, match="mask"):
        metric.add([1, 0, 1], [1, 1, 1], ids=form([True, False, True]))
