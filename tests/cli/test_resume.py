"""Progress that is saved: what goes on from it counts every row once, or refuses it."""

import os

import pytest

from mmeval_like.cli import main, score
from tests.cli.files import predictions, run, write
from tests.helpers.optional import requires

requires("pyarrow")
requires("zmq")

METRIC = ("--metric", "accuracy")


def test_resume_counts_every_row_once(tmp_path):
    """A run that was killed goes on with another number of ranks: an uninterrupted run's bits."""
    table = predictions()
    for index in range(6):  # six pieces of work
        part = {k: v[index::6] for k, v in table.items()}
        write(tmp_path, "npz", part, f"part-{index}")
    files, folder = f"{tmp_path}/part-*.npz", tmp_path / "progress"
    asked = ("score", files, *METRIC, "--by", "domain", "--resume", folder)
    whole = run("score", files, *METRIC, "--by", "domain", "--json", tmp_path / "whole.json")
    assert whole.returncode == 0, whole.stderr
    good = (tmp_path / "part-4.npz").read_bytes()
    bad = bytearray(good)
    bad[-200:-100] = bytes(100)  # the same size, damaged: the run fails before its end
    (tmp_path / "part-4.npz").write_bytes(bad)
    failed = run(*asked, "-n", 2)
    assert failed.returncode == 2, failed
    (tmp_path / "part-4.npz").write_bytes(good)

    again = run(*asked, "-n", 3, "--json", tmp_path / "resumed.json")
    once_more = run(*asked, "--json", tmp_path / "once-more.json")

    assert (again.returncode, once_more.returncode) == (0, 0), again.stderr
    texts = [(tmp_path / f"{n}.json").read_text() for n in ("whole", "resumed", "once-more")]
    assert texts[0] == texts[1] == texts[2]


def test_progress_of_other_input_is_refused(tmp_path):
    """A folder that belongs to other files or metrics is named, on one rank and on several."""
    path, folder = write(tmp_path, "npz"), tmp_path / "progress"
    assert run("score", path, *METRIC, "--resume", folder).returncode == 0

    for ranks in (1, 2):
        done = run("score", path, "--metric", "accuracy:topk=2", "--resume", folder, "-n", ranks)

        assert done.returncode == 2
        assert done.stderr.count("\n") == 1
        assert "belongs to other" in done.stderr


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("kind", ["npz", "csv"])
def test_progress_of_predictions_that_changed_is_refused(tmp_path, kind, ranks):
    """Other predictions under the same name, of the same size and even the same time."""
    table = predictions()
    path, folder = write(tmp_path, kind, table), tmp_path / "progress"
    assert run("score", path, *METRIC, "--resume", folder).returncode == 0
    before = path.stat()
    table["predictions"] = (table["predictions"] + 1) % 4
    write(tmp_path, kind, table)
    assert path.stat().st_size == before.st_size
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    done = run("score", path, *METRIC, "--resume", folder, "-n", ranks)

    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert f"{path} has changed since" in done.stderr


def test_a_file_that_was_only_touched_is_resumed(tmp_path):
    """The content decides, not the clock."""
    path, folder = write(tmp_path, "npz"), tmp_path / "progress"
    assert run("score", path, *METRIC, "--resume", folder).returncode == 0
    os.utime(path, (1, 1))

    assert run("score", path, *METRIC, "--resume", folder).returncode == 0


def test_a_file_that_changes_while_it_is_read_is_not_saved(tmp_path, capsys, monkeypatch):
    """What was read of it is neither a result nor progress."""
    path, folder = write(tmp_path, "csv"), tmp_path / "progress"
    real = score._add_unit

    def add_and_change(*arguments):
        real(*arguments)
        path.write_text(path.read_text() + "0,0,day,500\n")

    monkeypatch.setattr(score, "_add_unit", add_and_change)

    assert main(["score", str(path), *METRIC, "--resume", str(folder)]) == 2
    assert "changed while it was read" in capsys.readouterr().err
    assert not list(folder.glob("*.safetensors"))


def test_pieces_that_are_saved_twice_count_once(tmp_path):
    """A copy of a file of progress, as a rank that outlived its job may leave: not added again."""
    path, folder = write(tmp_path, "npz"), tmp_path / "progress"
    asked = ("score", path, "--metric", "confusion_matrix:num_classes=4")
    assert run(*asked, "--resume", folder, "--json", tmp_path / "a.json").returncode == 0
    (saved,) = folder.glob("*.safetensors")
    (folder / "run0007-rank00003.safetensors").write_bytes(saved.read_bytes())

    for ranks in (1, 2):
        target = tmp_path / f"{ranks}.json"
        done = run(*asked, "--resume", folder, "--json", target, "-n", ranks)
        assert done.returncode == 0, done.stderr
        assert target.read_text() == (tmp_path / "a.json").read_text()


def test_damaged_progress_is_refused(tmp_path):
    """A truncated file is named."""
    path, folder = write(tmp_path, "npz"), tmp_path / "progress"
    assert run("score", path, *METRIC, "--resume", folder).returncode == 0
    (saved,) = folder.glob("*.safetensors")
    saved.write_bytes(saved.read_bytes()[:-20])

    done = run("score", path, *METRIC, "--resume", folder)

    assert done.returncode == 2
    assert saved.name in done.stderr
