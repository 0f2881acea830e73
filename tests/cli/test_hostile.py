"""Hostile and damaged input: it is data, and every complaint about it names the file."""

import io
import json
import os
import random
import subprocess
import warnings
import zipfile

import numpy as np
import pytest

from mmeval_like.cli import main
from tests.cli.files import command, environment, predictions, run, score, write
from tests.helpers.optional import requires

requires("pyarrow")
requires("rich")

ACCURACY = ("--metric", "accuracy")
CODES = "\x1b]0;owned\x07\x1b[31m\x9b2J\u202e"  # of terminals, and one that turns the writing


def rows(path, values, **more):
    """A .jsonl file of right answers in the slices of these values."""
    lines = [json.dumps({"predictions": 0, "labels": 0, "zone": v} | more) for v in values]
    path.write_text("\n".join(lines))
    return path


@pytest.mark.parametrize("value", ["all", "", "-", "a=b,c", '"'])
def test_no_slice_takes_the_place_of_the_whole(tmp_path, value):
    """Whatever the column says, the whole is "all", and every row counts in it once."""
    path = tmp_path / "p.jsonl"
    lines = [{"predictions": i % 2, "labels": 0, "zone": value if i < 3 else "x"} for i in range(9)]
    path.write_text("\n".join(map(json.dumps, lines)))

    found = score(tmp_path, path, *ACCURACY, "--by", "zone")

    (name,) = found.keys() - {"all", "zone=x"}
    assert found["all"] == {"accuracy": {"top1": 5 / 9}}
    assert found[name] == {"accuracy": {"top1": 2 / 3}}
    assert name == f"zone={json.dumps(value)}" if value != "all" else "zone=all"


@pytest.mark.parametrize("with_rich", [True, False])
def test_markup_is_text(tmp_path, capsys, monkeypatch, with_rich):
    """What looks like rich's markup is printed, and ends nothing."""
    if not with_rich:
        monkeypatch.setitem(__import__("sys").modules, "rich.console", None)
    path = rows(tmp_path / "p.jsonl", ["[/x]", "[unk]", "[red]a", ":smile:"])

    assert main(["score", str(path), *ACCURACY, "--by", "zone"]) == 0

    printed = capsys.readouterr().out
    assert all(f"zone={text}" in printed for text in ("[/x]", "[unk]", "[red]a", ":smile:"))


def test_a_long_name_does_not_fill_the_terminal(tmp_path, capsys):
    """The table has the beginning and the length of a name of 2 MB; the JSON file has all."""
    path = rows(tmp_path / "p.jsonl", ["x" * 2_000_000])
    wanted = tmp_path / "out.json"

    assert main(["score", str(path), *ACCURACY, "--by", "zone", "--json", str(wanted)]) == 0

    assert len(capsys.readouterr().out) < 10_000
    assert "zone=" + "x" * 2_000_000 in json.loads(wanted.read_text())


def test_a_terminal_obeys_no_data(tmp_path, capsys):
    """Control sequences are written as escapes: in tables, errors, and names of files."""
    path = rows(tmp_path / "p.jsonl", [CODES])
    assert main(["score", str(path), *ACCURACY, "--by", "zone"]) == 0
    odd = tmp_path / f"{CODES}.jsonl"
    odd.write_text("{" + CODES)
    assert main(["score", str(odd), *ACCURACY]) == 2
    text = tmp_path / "p.csv"
    text.write_text(f"predictions,labels\n1,{CODES}\n")
    assert main(["score", str(text), *ACCURACY]) == 2

    captured = capsys.readouterr()
    assert "\\x1b[31m" in captured.out
    assert captured.err.count("\\x1b]0;owned\\x07") == 2
    for control in "\x1b\x07\x9b\u202e":
        assert control not in captured.out + captured.err


def test_text_that_no_encoding_has(tmp_path):
    """Half a surrogate pair, and a terminal that knows ASCII only: escaped, in every output."""
    path = tmp_path / "p.jsonl"
    path.write_text('{"predictions": 0, "labels": 0, "zone": "\\ud800é"}')
    target = tmp_path / "out.csv"

    done = subprocess.run(
        command("score", path, *ACCURACY, "--by", "zone", "--csv", target),
        capture_output=True, env=environment() | {"PYTHONIOENCODING": "ascii"}, timeout=60,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    assert b"\\ud800\\xe9" in done.stdout
    assert "\\ud800é" in target.read_text("utf-8")


def test_a_closed_pipe_does_not_cost_the_files(tmp_path):
    """`| head` ends the table; --json and --csv are written, and the exit code is 0."""
    path = rows(tmp_path / "p.jsonl", [f"z{i}" for i in range(3000)])
    targets = [tmp_path / "out.json", tmp_path / "out.csv"]
    read, output = os.pipe()
    os.close(read)  # nobody reads
    done = subprocess.run(
        command("score", path, *ACCURACY, "--by", "zone", "--json", targets[0],
                "--csv", targets[1]),
        stdout=output, stderr=subprocess.PIPE, env=environment(), timeout=60,
    )  # fmt: skip
    os.close(output)

    assert (done.returncode, done.stderr) == (0, b"")
    assert len(json.loads(targets[0].read_text())) == 3001
    assert targets[1].read_text().count("\n") == 1 + 2 * 3001


def test_a_damaged_stored_array_is_refused(tmp_path, capsys):
    """One bit of a mapped array: its CRC tells, and no number is computed."""
    path = tmp_path / "p.npz"
    np.savez(path, predictions=np.zeros(1000, int), labels=np.zeros(1000, int))
    data = bytearray(path.read_bytes())
    data[4000] ^= 1
    path.write_bytes(data)

    assert main(["score", str(path), *ACCURACY]) == 2
    assert "p.npz: 'predictions' is damaged" in capsys.readouterr().err


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
