"""Files that are damaged, of another metric, or cannot be written, and what no file may hold."""

import errno
import json
import os
import pickle
from pathlib import Path

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like._samples import checkpoint
from mmeval_like.testing.same import same
from tests.samples.test_checkpoint import Lists, metric_of


def test_other_objects_are_refused(tmp_path):
    """What would need code to restore is refused when saving, and the file is not touched."""
    path = tmp_path / "part"
    path.write_text("before")
    metric = Lists(dist_backend="non_dist")
    metric.add([Path("x")])

    with pytest.raises(TypeError, match="Path"):
        metric.save(path)

    assert path.read_text() == "before"
    assert os.listdir(tmp_path) == ["part"]


def damaged(path):
    """Files that are not what they should be, by name."""
    good = path.read_bytes()
    found = checkpoint.read(path)
    newer = dict(found, format=99)
    short = {key: value for key, value in found.items() if "bins" not in key}
    wrong = dict(found)
    wrong["0/folded/real/limbs"] = np.zeros(3)
    return {
        "truncated": good[: len(good) // 2],
        "cut by one byte": good[:-1],
        "empty": b"",
        "a pickle": pickle.dumps({"a": 1}),
        "json": json.dumps({"format": 1}).encode(),
        "newer": newer,
        "an entry is missing": short,
        "a wrong array": wrong,
    }


@pytest.mark.parametrize(
    "kind",
    [
        "truncated",
        "cut by one byte",
        "empty",
        "a pickle",
        "json",
        "newer",
        "an entry is missing",
        "a wrong array",
    ],
)
def test_damaged_files_are_refused(tmp_path, kind):
    """A clear error that names the file, and nothing that was accumulated is lost."""
    path, bad = tmp_path / "good", tmp_path / "bad"
    metric_of([1, 2]).save(path)
    content = damaged(path)[kind]
    if isinstance(content, bytes):
        bad.write_bytes(content)
    else:
        checkpoint.write(bad, content)
    metric = metric_of([3])
    before = metric.compute()

    with pytest.raises(ValueError, match="bad"):
        metric.load([path, bad])

    assert same(metric.compute(), before)


@pytest.mark.parametrize(("version", "remedy"), [(2, "save it again"), (6, "upgrade it")])
def test_another_format_is_refused(tmp_path, version, remedy):
    """Both formats are named, and what helps: the older one is saved anew, the newer one read."""
    metric_of([1, 2]).save(tmp_path / "good")
    found = checkpoint.read(tmp_path / "good")
    checkpoint.write(tmp_path / "other", dict(found, format=version))

    with pytest.raises(ValueError, match=rf"other has format {version}, .* reads 3 to 5: {remedy}"):
        metric_of([3]).load(tmp_path / "other")


def test_another_metric_is_refused(tmp_path):
    """Another class or other options are named."""
    mm.Accuracy(topk=2, dist_backend="non_dist").save(tmp_path / "part")

    with pytest.raises(ValueError, match=r"topk=\[2\].*topk=\[1\]"):
        mm.Accuracy(dist_backend="non_dist").load(tmp_path / "part")


def test_files_with_and_without_ids_do_not_mix(tmp_path):
    """Refused before any of them is merged."""
    for name, ids in (("with", [0]), ("without", None)):
        metric = mm.Accuracy(dist_backend="non_dist")
        metric.add([1], [1], ids=ids)
        metric.save(tmp_path / name)
    fresh = mm.Accuracy(dist_backend="non_dist")

    with pytest.raises(ValueError, match="ids="):
        fresh.load([tmp_path / "with", tmp_path / "without"])

    assert fresh.remaining(1).tolist() == [0]


@pytest.mark.parametrize("way", ["load", "load_state_dict", "from_bytes"])
def test_a_negative_id_is_refused(tmp_path, way):
    """As `add` refuses it: -1 would count as the last index. Nothing is lost."""
    metric = mm.Accuracy(dist_backend="non_dist")
    metric.add([1, 1], [1, 0], ids=[1, 2])
    state = metric.state_dict()
    state["0/ids"] = np.array([0, -1])
    given = {"load": tmp_path / "bad", "load_state_dict": state, "from_bytes": None}[way]
    if way == "from_bytes":
        given = checkpoint.pack(state)
    elif way == "load":
        checkpoint.write(given, state)

    with pytest.raises(ValueError, match="ids must not be negative, got -1"):
        getattr(metric, way)(given)

    assert metric.compute() == {"top1": 0.5}
    assert metric.remaining(3).tolist() == [0]


def test_what_cannot_be_written_is_named(tmp_path, monkeypatch):
    """A disk that is full, by the path; a pipe or a device is not replaced by a file."""
    metric = mm.Accuracy(dist_backend="non_dist")
    metric.add([1, 0], [1, 1])
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path):
        with pytest.raises(OSError, match="not a regular file"):
            metric.save(path)
    assert (tmp_path / "pipe").is_fifo()

    def full(file):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"No space left on device: .*here"):
        metric.save(tmp_path / "here")
    assert [file.name for file in tmp_path.iterdir()] == ["pipe"]
    assert metric.compute() == {"top1": 0.5}
