"""Files that several ranks load: a share for each, or an error on all."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.errors import RemoteError
from mmeval_like.testing import LocalWorld


def test_a_missing_file_is_an_oserror(tmp_path):
    """In Python's own words."""
    with pytest.raises(FileNotFoundError, match="nowhere"):
        mm.Accuracy(dist_backend="non_dist").load(tmp_path / "nowhere")


@pytest.mark.parametrize("members_only", [True, False])
def test_lists_that_differ_are_an_error(tmp_path, members_only):
    """On every rank: files of which no rank took a share, or that two took, are no guess."""
    paths = [tmp_path / f"rank-{rank}" for rank in range(3)]
    for rank, path in enumerate(paths):
        metric = mm.Sum(dist_backend="non_dist")
        metric.add([10.0**rank])
        metric.save(path)

    def evaluate(backend):
        rank, values = backend.rank, []
        for mine in (
            paths[rank : rank + 1],
            paths[rank:] + paths[:rank],
            paths[: 3 - rank],
            paths if rank else [],
        ):
            metric = mm.Sum(dist_backend=backend)
            metric.load(mine)
            with pytest.raises(mm.DisagreementError, match="after load"):
                metric.compute()
            metric.reset()
            metric.load(paths)
            values.append(metric.compute()["sum"])
        collection = mm.MetricCollection([mm.Sum()], dist_backend=backend)
        if rank:
            collection.load([])
        with pytest.raises(mm.DisagreementError, match="after load"):
            collection["Sum"].compute()  # also a member alone
        return values

    assert LocalWorld(3, members_only=members_only).run(evaluate) == [[111.0] * 4] * 3


def test_a_list_that_was_loaded_alone_is_no_share(tmp_path):
    """Before the group of ranks is there, each rank takes all files: they would count twice."""
    metric = mm.Sum(dist_backend="non_dist")
    metric.add([1.0])
    metric.save(tmp_path / "all")

    def evaluate(backend):
        metric = mm.Sum(dist_backend="non_dist")
        metric.load([tmp_path / "all"])
        assert metric.compute() == {"sum": 1.0}
        metric.dist_backend = backend
        with pytest.raises(RuntimeError, match="after the group of ranks exists"):
            metric.compute()
        metric.reset()
        metric.load([tmp_path / "all"])
        return metric.compute()["sum"]

    assert LocalWorld(2).run(evaluate) == [1.0, 1.0]


def test_a_path_of_each_rank_is_refused(tmp_path):
    """Rank r takes path r of one list: where each rank gave its own path, most would be lost."""

    def evaluate(backend):
        metric = mm.Sum(dist_backend=backend)
        metric.add([10.0**backend.rank])
        metric.save(tmp_path / f"rank-{backend.rank}")
        metric.reset()
        with pytest.raises(ValueError, match="files of all ranks"):
            metric.load(tmp_path / f"rank-{backend.rank}")
        metric.load([tmp_path / "rank-0", tmp_path / "rank-1"])
        return metric.compute()["sum"]

    assert LocalWorld(2).run(evaluate) == [11.0, 11.0]


def test_files_of_several_runs_do_not_stand_in_for_each_other(tmp_path):
    """Of each run all ranks are needed, and each file once; two whole runs may be added up."""
    for ranks in (1, 3):

        def save(backend, ranks=ranks):
            metric = mm.Sum(dist_backend=backend)
            metric.add([10.0**backend.rank * ranks])
            metric.save(tmp_path / f"{backend.rank}-of-{ranks}")

        LocalWorld(ranks).run(save)

    def load(*names):
        metric = mm.Sum(dist_backend="non_dist")
        metric.load([tmp_path / name for name in names])
        return metric.compute()["sum"]

    assert load("0-of-3", "1-of-3", "2-of-3") == 333.0
    assert load("0-of-1", "2-of-3", "1-of-3", "0-of-3") == 334.0
    with pytest.raises(ValueError, match=r"rank 1 of 3, .* lacks the file of rank 0 of 3"):
        load("0-of-1", "1-of-3", "2-of-3")
    with pytest.raises(ValueError, match="0-of-3 is given twice"):
        load("0-of-3", "1-of-3", "2-of-3", "0-of-3")


def test_samples_with_ids_may_be_listed_twice(tmp_path):
    """Each counts once, and `remaining` finds those of the files that are missing."""

    def save(backend):
        metric = mm.Sum(dist_backend=backend)
        metric.add([10.0**backend.rank], ids=[backend.rank])
        metric.save(tmp_path / f"{backend.rank}")

    LocalWorld(2).run(save)
    metric = mm.Sum(dist_backend="non_dist")
    metric.load([tmp_path / "1", tmp_path / "1"])
    assert metric.compute()["sum"] == 10.0
    assert metric.remaining(2).tolist() == [0]


@pytest.mark.parametrize("ids", [None, [0, 1, 2, 3]])
@pytest.mark.parametrize(
    "make",
    [
        lambda: mm.MetricCollection(a=mm.Accuracy(interval=0.9), b=mm.MeanSquaredError()),
        lambda: mm.Recorded(mm.Accuracy(interval=0.9)),
    ],
)
def test_clusters_of_one_member_are_loaded(make: Any, ids: Any, tmp_path: Path) -> None:
    """Members without intervals keep no clusters, and the file of all members loads."""
    labels, clusters = [1, 1, 0, 1], ["a", "a", "b", "b"]
    metric, first, second, empty = (make() for _ in range(4))
    metric.add([1, 0, 0, 1], labels, ids=ids, clusters=clusters)
    for one, part in ((first, slice(0, 2)), (second, slice(2, 4))):
        chosen = None if ids is None else ids[part]
        one.add([1, 0, 0, 1][part], labels[part], ids=chosen, clusters=clusters[part])
    paths = [tmp_path / f"{place}.safetensors" for place in range(3)]
    for one, path in zip((first, empty, second), paths, strict=True):
        one.save(path)
    loaded = make()
    loaded.load(paths)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # two clusters
        np.testing.assert_equal(dict(loaded.compute()), dict(metric.compute()))
    other = make()
    other.add([1], [1], ids=None if ids is None else [7])
    with pytest.raises(ValueError, match="files of samples with clusters= and without"):
        other.load(paths)


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 5])
def test_padding_is_known_only_where_it_was_added(ranks: int, tmp_path: Path) -> None:
    """Files of 4 ranks with a sampler's padding: right on 4 ranks, and an error on others.

    On 3 ranks, the last two samples in their order would not be the repeated ones.
    """
    labels, predictions = [0, 1, 2, 3, 4, 5], [9, 9, 9, 3, 9, 9]
    order, files = [0, 1, 2, 3, 4, 5, 0, 1], [tmp_path / f"part-{r}" for r in range(4)]

    def save(backend: Any) -> None:
        metric, mine = mm.Accuracy(dist_backend=backend), order[backend.rank :: 4]
        metric.add([predictions[i] for i in mine], [labels[i] for i in mine])
        metric.save(files[backend.rank])

    def load(backend: Any) -> Any:
        metric = mm.Accuracy(dist_backend=backend)
        metric.load(files)
        return metric.compute(size=6)["top1"]

    LocalWorld(4).run(save)
    if ranks == 4:
        assert LocalWorld(ranks).run(load) == [1 / 6] * 4
    else:
        with pytest.raises((ValueError, RemoteError), match="size=6 would drop 2 of the 8 samples"):
            LocalWorld(ranks).run(load)


def test_the_last_samples_of_other_ranks_are_unknown(tmp_path: Path) -> None:
    """Two ranks have seen 0, 2, 4 and 1, 3, 5: one process does not know that 4 and 5 are last."""
    files = [tmp_path / f"part-{r}" for r in range(2)]

    def save(backend: Any) -> None:
        for with_ids in (False, True):
            metric = mm.Running(mm.Mean(dist_backend=backend), 2)
            mine = [*range(6)][backend.rank :: 2]
            metric.add([float(i) for i in mine], ids=mine if with_ids else None)
            metric.save(f"{files[backend.rank]}{with_ids}")

    LocalWorld(2).run(save)
    metric = mm.Running(mm.Mean(dist_backend="non_dist"), 2)
    metric.load([f"{file}True" for file in files])
    assert metric.compute() == {"mean": 4.5}
    metric.reset()
    with pytest.raises(ValueError, match="which samples are the last ones is unknown"):
        metric.load([f"{file}False" for file in files])
