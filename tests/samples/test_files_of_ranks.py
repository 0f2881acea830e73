"""A saved file knows its rank: one path for all ranks, and a list that is not whole, are errors."""

import signal
from pathlib import Path
from typing import Any

import pytest

import mmeval_like as mm
from mmeval_like.testing import LocalWorld

OLD = Path(__file__).with_name("format-3.safetensors")


def save_all(ranks: int, path: Any) -> list[Any]:
    """Each rank adds a right and a wrong sample and saves; what the ranks raised."""
    world = LocalWorld(ranks)

    def one(backend: Any) -> Any:
        metric = mm.Accuracy(dist_backend=backend)
        metric.add([1, backend.rank], [1, 9])
        failed = None
        for turn in range(ranks):
            if turn == backend.rank:
                try:
                    metric.save(path(turn))
                except ValueError as error:
                    failed = str(error)
            backend.all_gather_object(turn)  # one after the other
        return failed

    return world.run(one)


def loaded(*paths: Path) -> mm.Accuracy:
    """A metric of one process that has the samples of the files."""
    metric = mm.Accuracy(dist_backend="non_dist")
    metric.load([*paths])
    return metric


def test_one_path_for_all_ranks(tmp_path: Path) -> None:
    """The second writer is refused, the first one's file is kept, and it is not loaded alone."""
    path = tmp_path / "part"
    assert save_all(2, lambda rank: path)[0] is None
    assert "rank 0 of 2, and this is rank 1" in (save_all(2, lambda rank: path)[1] or "")

    with pytest.raises(
        ValueError, match=r"rank 0 of 2, .* 1 file\(s\): .* 1 rank\(s\) are missing"
    ):
        loaded(path)
    single = mm.Accuracy(dist_backend="non_dist")
    with pytest.raises(ValueError, match="missing"):
        single.load(path)
    assert "0 samples" in repr(single)


@pytest.mark.parametrize("stale", [False, True])
@pytest.mark.parametrize("number", range(20))
def test_one_path_for_all_ranks_at_once(tmp_path: Path, number: int, stale: bool) -> None:
    """Of ranks that save at the same time, one writes the file, and all others are refused.

    This also holds if another number of ranks left a file there.
    """
    if stale:
        assert save_all(1, lambda rank: tmp_path / "part") == [None]

    def one(backend: Any) -> str:
        metric = mm.Accuracy(dist_backend=backend)
        metric.add([1, backend.rank], [1, 9])
        backend.all_gather_object(None)
        try:
            metric.save(tmp_path / "part")
        except ValueError as error:
            return str(error)
        return ""

    said = LocalWorld(8).run(one)

    assert sum(not text for text in said) == 1
    assert all("every rank needs its own path" in text for text in said if text)
    assert [*tmp_path.iterdir()] == [tmp_path / "part"]


def test_a_file_system_without_hard_links(tmp_path: Path, monkeypatch: Any) -> None:
    """The file is written there too."""

    def refused(*_: Any) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("os.link", refused)
    metric = mm.Accuracy(dist_backend="non_dist")
    metric.add([1], [1])
    metric.save(tmp_path / "part")
    assert loaded(tmp_path / "part").compute() == {"top1": 1.0}
    assert [*tmp_path.iterdir()] == [tmp_path / "part"]


def test_a_lock_that_the_program_keeps_does_not_stop_a_save(
    tmp_path: Path, monkeypatch: Any
) -> None:
    """A program may lock its own file while it saves."""
    fcntl = pytest.importorskip("fcntl")
    monkeypatch.setattr("mmeval_like._samples.checkpoint._PATIENCE", 0.05)
    path = tmp_path / "part"
    metric = mm.Accuracy(dist_backend="non_dist")
    metric.add([1], [1])
    metric.save(path)

    with open(path) as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        signal.setitimer(signal.ITIMER_REAL, 20)  # ends the process if it waits forever
        try:
            metric.save(path)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    assert loaded(path).compute() == {"top1": 1.0}


def test_files_that_an_earlier_run_left_are_not_added(tmp_path: Path) -> None:
    """Four ranks saved, then two: rank 2 of 4 is not rank 2 of 2. Complete runs may be added up."""
    assert save_all(4, lambda rank: tmp_path / f"{rank}") == [None] * 4
    assert save_all(2, lambda rank: tmp_path / f"{rank}") == [None] * 2
    with pytest.raises(ValueError, match=r"lacks the file of rank 0 of 4: pass all files of a run"):
        loaded(*(tmp_path / f"{rank}" for rank in range(4)))
    assert save_all(4, lambda rank: tmp_path / f"other-{rank}") == [None] * 4
    both = [tmp_path / name for name in ("0", "1", *(f"other-{rank}" for rank in range(4)))]
    assert loaded(*both).compute() == {"top1": 0.5}

    def one(backend: Any, paths: list[Path]) -> Any:
        metric = mm.Accuracy(dist_backend=backend)
        metric.load(paths)
        return metric.compute()

    with pytest.raises(ValueError, match="lacks the file of rank 0 of 4"):
        LocalWorld(3).run(lambda backend: one(backend, [*both, tmp_path / "2", tmp_path / "3"]))
    alone = [tmp_path / f"{rank}" for rank in range(2)]
    found = LocalWorld(2).run(lambda backend: one(backend, alone))
    assert found == [{"top1": 0.5}] * 2


def test_a_file_counts_once(tmp_path: Path) -> None:
    """A list with a file twice is refused, unless ids say which samples are the same."""
    assert save_all(2, lambda rank: tmp_path / f"{rank}") == [None] * 2
    with pytest.raises(ValueError, match="given twice, and its samples have no ids"):
        loaded(tmp_path / "0", tmp_path / "1", tmp_path / "1")
    metric = mm.Accuracy(dist_backend="non_dist")
    metric.add([1, 0], [1, 1], ids=[0, 1])
    metric.save(tmp_path / "ids")
    assert loaded(tmp_path / "ids", tmp_path / "ids").compute() == {"top1": 0.5}


def test_the_same_rank_saves_again(tmp_path: Path) -> None:
    """A later epoch replaces a rank's own file, and so does a run of another size."""
    assert save_all(2, lambda rank: tmp_path / str(rank)) == [None, None]
    assert save_all(2, lambda rank: tmp_path / str(rank)) == [None, None]
    assert loaded(tmp_path / "0", tmp_path / "1").compute() == {"top1": 0.5}
    assert save_all(3, lambda rank: tmp_path / str(rank)) == [None, None, None]
    with pytest.raises(ValueError, match="of 3, and the list has 2"):
        loaded(tmp_path / "0", tmp_path / "2")
    with pytest.raises(ValueError, match="of 3, and the list has 2"):
        loaded(tmp_path / "0", tmp_path / "0", tmp_path / "2")
    assert loaded(*(tmp_path / str(rank) for rank in range(3))).compute() == {"top1": 0.5}


def test_what_stands_at_the_path_is_replaced(tmp_path: Path) -> None:
    """A file that is no saved metric, of any length, says nothing of ranks."""
    for content in (b"", b"\xff" * 40, b"\x08" + bytes(7) + b"[1,2,3] ", b"{}" * 9):
        path = tmp_path / "part"
        path.write_bytes(content)
        metric = mm.Accuracy(dist_backend="non_dist")
        metric.save(path)
        loaded(path)


def test_ids_say_what_is_missing(tmp_path: Path) -> None:
    """A killed run leaves the files of some ranks: they load, and the rest can be added."""

    def one(backend: Any) -> None:
        metric = mm.Accuracy(dist_backend=backend)
        metric.add([1, backend.rank], [1, 9], ids=[2 * backend.rank, 2 * backend.rank + 1])
        metric.save(tmp_path / str(backend.rank))

    LocalWorld(2).run(one)

    assert loaded(tmp_path / "1").remaining(4).tolist() == [0, 1]


def test_files_of_format_3_are_read() -> None:
    """They say nothing of ranks, and count as they did."""
    metric = loaded(OLD)

    assert metric.compute() == {"top1": 2 / 3}
    assert metric.remaining(4).tolist() == [3]
