"""The command line on damaged files: a result, or a line that names the file."""

import io
import json
import os
import random
import tokenize
import warnings
import zipfile

import numpy as np
import pytest

from mmeval_like.cli import main
from tests.cli.files import predictions, run, write
from tests.helpers.optional import requires

requires("pyarrow")
requires("rich")

ACCURACY = ("--metric", "accuracy")


def test_a_damaged_stored_array_is_refused(tmp_path, capsys):
    """One bit of a mapped array: its CRC tells, and no number is computed."""
    path = tmp_path / "p.npz"
    np.savez(path, predictions=np.zeros(1000, int), labels=np.zeros(1000, int))
    data = bytearray(path.read_bytes())
    data[4000] ^= 1
    path.write_bytes(data)

    assert main(["score", str(path), *ACCURACY]) == 2
    assert "p.npz: 'predictions' is damaged" in capsys.readouterr().err


def npz(path, compression=zipfile.ZIP_STORED, **members):
    """An archive of these bytes as .npy files."""
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, data in members.items():
            archive.writestr(f"{name}.npy", data)
    return path


def npy(array, version=(1, 0), shape=None):
    """An array as bytes of a .npy file, whose header may claim another shape."""
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, version)
    data = stream.getvalue()
    if shape is not None:
        old = f"'shape': {array.shape}".encode()
        new = f"'shape': {shape}".encode()
        padding = b" " * (len(new) - len(old))
        data = data.replace(old, new).replace(padding + b"\n", b"\n", 1)
    return data


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("shape", [(200,), (101,), (1 << 62,), (-1,)])
def test_an_array_holds_what_its_header_claims(tmp_path, capsys, compression, shape):
    """An archive is scored only if numpy loads it: no row comes from behind a member's end."""
    array = np.zeros(100, np.int64)
    path = npz(tmp_path / "p.npz", compression, predictions=npy(array, shape=shape),
               labels=npy(array, shape=shape))  # fmt: skip
    damaged = (ValueError, MemoryError, tokenize.TokenError)  # the last from a header, in numpy 2.4
    with pytest.raises(damaged), np.load(path) as loaded:
        loaded["predictions"]

    assert main(["score", str(path), *ACCURACY]) == 2
    assert "p.npz" in capsys.readouterr().err


def test_rows_without_entries(tmp_path, capsys):
    """A header alone does not make rows: its count is refused before anything grows with it."""
    data = npy(np.zeros((1, 0), np.int64), shape=(1 << 50, 0))
    path = npz(tmp_path / "p.npz", predictions=data, labels=data)

    assert main(["score", str(path), *ACCURACY]) == 2
    assert "p.npz: 'predictions' has 1125899906842624 rows without" in capsys.readouterr().err


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_every_version_of_an_array_is_read(tmp_path, capsys, version):
    """What numpy loads is scored, whatever the version of the format; an unknown one is named."""
    data = npy(np.zeros(100, np.int64), version)
    path = npz(tmp_path / "p.npz", predictions=data, labels=data)
    assert main(["score", str(path), *ACCURACY]) == 0
    unknown = data[:6] + b"\x04" + data[7:]
    path = npz(tmp_path / "p.npz", predictions=unknown, labels=data)
    assert main(["score", str(path), *ACCURACY]) == 2
    assert "(4, 0)" in capsys.readouterr().err


def test_a_damaged_array_on_several_ranks(tmp_path):
    """The rank that read it says so; all end."""
    requires("zmq")
    path = tmp_path / "p.npz"
    np.savez(path, labels=np.zeros(1000, int), predictions=np.zeros(1000, int))
    data = bytearray(path.read_bytes())
    data[12000] ^= 1
    path.write_bytes(data)

    done = run("score", path, *ACCURACY, "-n", 3)

    assert done.returncode == 2
    assert done.stderr == f"mmeval_like: {path}: 'predictions' is damaged (Bad CRC-32 for file " \
        "'predictions.npy')\n"  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("jsonl", '{"predictions": 1' + "0" * 400 + ', "labels": 0}'),
        ("jsonl", '{"predictions": 1' + "0" * 5000 + ', "labels": 0}'),
        ("jsonl", '{"predictions": ' + "[" * 100_000 + "]" * 100_000 + ', "labels": 0}'),
        ("jsonl", '{"predictions": {"a": 1}, "labels": 0}'),
        ("jsonl", '{"predictions": [[1], [2, 3]], "labels": 0}'),
        ("jsonl", '{"predictions": null, "labels": null}'),
        ("csv", "predictions,labels\n" + "9" * 400 + ",0"),
        ("csv", "predictions,labels\n\x00,0"),
        ("csv", 'predictions,labels\n"1,0'),
    ],
)
def test_values_that_no_metric_takes(tmp_path, capsys, kind, line):
    """Whatever a library raises: exit code 2 and a line with the file's name."""
    path = tmp_path / f"preds.{kind}"
    path.write_text(line)

    assert main(["score", str(path), *ACCURACY]) == 2

    said = capsys.readouterr().err
    assert str(path) in said
    assert said.count("\n") == 1
    assert len(said) < 800


def damaged(data: bytes, rng: random.Random) -> bytes:
    """Bytes with some accident: bits turned, a piece lost, doubled, blanked or cut off."""
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 3))):
        at, length = rng.randrange(len(data)), rng.choice((1, 4, 40))
        accident = rng.randrange(6)
        if accident == 0:
            data[at] ^= 1 << rng.randrange(8)
        elif accident == 1:
            del data[at : at + length]
        elif accident == 2:
            data[at:at] = data[at : at + length]
        elif accident == 3:
            data[at : at + length] = rng.randbytes(length)
        elif accident == 4:
            data[at : at + length] = bytes(length)
        else:
            del data[at:]
        data = data or bytearray(b"\n")
    return bytes(data)


def files(folder):
    """A small file of every format."""
    table = {name: column[:60] for name, column in predictions().items()}
    found = [write(folder, kind, table) for kind in ("npz", "csv", "jsonl", "parquet")]
    np.savez_compressed(folder / "small.npz", **table)
    np.save(folder / "one.npy", table["predictions"])
    found += [folder / "small.npz", folder / "one.npy"]
    truth = {"images": [{"id": 1, "width": 9, "height": 9}], "annotations": [],
             "categories": [{"id": 1, "name": "cat"}]}  # fmt: skip
    (folder / "truth.txt").write_text(json.dumps(truth))
    boxes = [{"image_id": 1, "category_id": 1, "bbox": [0, 0, 5, 5], "score": 0.5}]
    (folder / "boxes.json").write_text(json.dumps(boxes))
    return [*found, folder / "boxes.json"]


@pytest.mark.parametrize("index", range(7))
def test_damaged_files(tmp_path, capsys, index):
    """Random accidents: a result, or exit code 2 and one line that names the file."""
    whole = files(tmp_path)[index]
    rng = random.Random(f"accidents {index}")
    data = whole.read_bytes()
    path = tmp_path / f"damaged{whole.suffix}"
    asked = [*ACCURACY, "--by", "domain", "--ids", "id", "--size", "60"]
    if whole.suffix == ".json":
        asked = ["--metric", "coco_detection:metric=bbox", "--annotations",
                 str(tmp_path / "truth.txt")]  # fmt: skip
    elif whole.suffix == ".npy":
        asked = ["--metric", "mean", "--column", "values=predictions"]
    target = tmp_path / "out.json"
    assert main(["score", str(whole), *asked, "--json", str(target)]) == 0
    right = target.read_text()
    capsys.readouterr()
    for _ in range(int(os.environ.get("MMEVAL_LIKE_ACCIDENTS", "60"))):
        path.write_bytes(damaged(data, rng))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            code = main(["score", str(path), *asked, "--json", str(target)])
        said = capsys.readouterr().err
        if code == 0:  # archives have checksums: what they still give is what they gave
            assert whole.suffix != ".npz" or target.read_text() == right
            continue
        assert code == 2, said
        assert str(path) in said or "--size" in said, said
        complaints = [line for line in said.splitlines() if "warning:" not in line]
        assert len(complaints) == 1, said


def test_an_archive_of_odd_members(tmp_path, capsys):
    """Members that are no arrays, encrypted, or of an unknown compression are refused by name."""
    for change in (lambda info: setattr(info, "flag_bits", 1),
                   lambda info: setattr(info, "compress_type", 97)):  # fmt: skip
        path = tmp_path / "p.npz"
        data = io.BytesIO()
        np.save(data, np.zeros(5, int))
        with zipfile.ZipFile(path, "w") as archive:
            for name in ("predictions.npy", "labels.npy"):
                archive.writestr(name, data.getvalue())
            for info in archive.filelist:
                change(info)

        assert main(["score", str(path), *ACCURACY]) == 2
        assert "p.npz" in capsys.readouterr().err
