"""Real samplers of torch and accelerate: `size=` is exactly right or an error, `ids=` is right."""

import importlib
import itertools

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like import state
from mmeval_like.testing import LocalWorld
from tests.helpers.optional import requires

WORLDS = (1, 2, 3, 5)

# What errors say: `size=` cannot tell, samples are lost, and samples are lost that have ids.
ERRORS = (CANNOT_TELL, LOST, MISSED) = ("mm.Indexed(dataset)", "were lost", "added by no rank")


class Seen(mm.BaseMetric):
    """How often every sample counted; a state that folds, or one that keeps every row."""

    def __init__(self, samples, keep=False, **options):
        super().__init__(**options)
        self._samples_expected = samples
        self.statistic = _Kept() if keep else _Counted(samples)
        self._keep = keep

    def compute_metric(self, results):
        """The sorted samples that counted, with repetitions."""
        if self._keep:
            return {"seen": sorted(results.indices.tolist())}
        return {"seen": np.repeat(np.arange(self._samples_expected), results.indices).tolist()}


class _Kept(mm.Statistic):
    indices = state.cat(np.int64)

    def rows(self, indices):
        return {"indices": np.asarray(indices)}


class _Counted(mm.Statistic):
    def __init__(self, samples):
        self._bins = samples

    def __eq__(self, other):
        return type(other) is _Counted and other._bins == self._bins

    def states(self):
        return {"indices": state.count(self._bins)}

    def rows(self, indices):
        return {"indices": np.asarray(indices)}


def outcome(batches, samples, *, keep=False, with_ids=False, **options):
    """What `compute(size=samples)` says of all ranks' batches: what counted, or which error."""

    def evaluate(backend):
        metric = Seen(samples, keep, dist_backend=backend, **options)
        for batch in batches[backend.rank]:
            metric.add(batch, **({"ids": batch} if with_ids else {}))
        try:
            return metric.compute(size=samples)["seen"]
        except (ValueError, mm.RemoteError) as error:
            return next(text for text in ERRORS if text in str(error))

    found = LocalWorld(len(batches)).run(evaluate)
    assert all(value == found[0] for value in found)
    return found[0]


def in_batches(indices, batch):
    """The indices, so many at a time."""
    return [indices[start : start + batch] for start in range(0, len(indices), batch)]


@pytest.mark.parametrize("ranks", WORLDS)
@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("keep", [False, True])
def test_size_is_right_for_torchs_sampler(ranks, shuffle, keep):
    """DistributedSampler without drop_last: exactly the dataset, for every length and batch."""
    torch = requires("torch")
    for samples, batch in itertools.product((*range(1, 20), 32, 33), (1, 7)):
        shards = [
            list(
                torch.utils.data.DistributedSampler(
                    range(samples), num_replicas=ranks, rank=rank, shuffle=shuffle, seed=samples
                )
            )
            for rank in range(ranks)
        ]
        batches = [in_batches(shard, batch) for shard in shards]

        assert outcome(batches, samples, keep=keep) == list(range(samples))
        assert outcome(batches, samples, keep=keep, with_ids=True) == list(range(samples))


@pytest.mark.parametrize("ranks", WORLDS)
@pytest.mark.parametrize("with_ids", [False, True])
def test_samples_that_a_sampler_drops_are_missed(ranks, with_ids):
    """DistributedSampler with drop_last: the dataset where no sample is dropped, else an error."""
    torch = requires("torch")
    for samples in range(1, 24):
        shards = [
            list(
                torch.utils.data.DistributedSampler(
                    range(samples), num_replicas=ranks, rank=rank, shuffle=False, drop_last=True
                )
            )
            for rank in range(ranks)
        ]

        found = outcome([in_batches(shard, 4) for shard in shards], samples, with_ids=with_ids)

        if sum(map(len, shards)) == samples:
            assert found == list(range(samples))
        else:
            assert found in (MISSED, LOST)


@pytest.mark.parametrize("ranks", WORLDS)
@pytest.mark.parametrize("keep", [False, True])
def test_size_is_right_for_contiguous_shards(ranks, keep):
    """Contiguous shards of equal length, the last ones filled up: exactly the dataset in "cat"."""
    for samples, batch in itertools.product(range(1, 40), (1, 4)):
        each = -(-samples // ranks)
        padded = [index % samples for index in range(each * ranks)]
        batches = [in_batches(padded[r * each : (r + 1) * each], batch) for r in range(ranks)]

        found = outcome(batches, samples, keep=keep, dist_collect_mode="cat")

        assert found == list(range(samples))


LOADERS = {
    "even": {},
    "uneven": {"even_batches": False},
    "split": {"split_batches": True},
    "split uneven": {"split_batches": True, "even_batches": False},
}


@pytest.mark.parametrize("ranks", WORLDS)
@pytest.mark.parametrize("name", LOADERS)
@pytest.mark.parametrize("drop_last", [False, True])
def test_size_is_right_or_an_error_for_accelerates_loaders(ranks, name, drop_last):
    """Loaders that accelerate prepared: with `size=` the dataset or an error, with ids right."""
    torch = requires("torch")
    requires("accelerate")
    loaders = importlib.import_module("accelerate.data_loader")
    options = LOADERS[name]
    right = 0
    for samples, batch in itertools.product((*range(1, 19), 23, 24, 29, 31, 37, 39, 40), (1, 5, 8)):
        if options.get("split_batches"):
            batch *= ranks
        loader = torch.utils.data.DataLoader(
            mm.Indexed(range(samples)), batch_size=batch, drop_last=drop_last
        )
        batches = []
        for rank in range(ranks):
            prepared = loaders.prepare_data_loader(
                loader,
                num_processes=ranks,
                process_index=rank,
                put_on_device=False,
                dispatch_batches=False,
                **options,
            )
            batches.append([ids.tolist() for ids, _ in prepared])
        dealt = {index for rank in batches for ids in rank for index in ids}

        by_size = outcome(batches, samples)
        by_cat = outcome(batches, samples, keep=True, dist_collect_mode="cat")
        by_ids = outcome(batches, samples, with_ids=True)

        for found in (by_size, by_cat):
            assert found in (list(range(samples)), CANNOT_TELL, LOST)
        right += by_size == list(range(samples))
        if len(dealt) == samples:
            assert by_ids == list(range(samples))
        else:
            assert by_ids in (MISSED, LOST)
    assert right > 0  # where nothing was repeated, at least


def test_an_accelerator_is_seen_before_anything_is_loaded():
    """Where the process has an Accelerator, `size=` drops one sample, unless told of more."""
    requires("accelerate")
    dealt = [[[0, 4]], [[1, 5]], [[2, 0]], [[3, 1]]]  # 6 samples, by a sampler of single ones

    assert outcome(dealt, 6) == list(range(6))
    importlib.import_module("accelerate").Accelerator(cpu=True)
    assert outcome(dealt, 6) == CANNOT_TELL
    assert outcome(dealt, 6, max_padding=1) == list(range(6))
    assert outcome(dealt, 6, with_ids=True) == list(range(6))
