"""Hostile input: it is data, and every complaint about it names the file."""

import csv
import gzip
import json
import os
import resource
import shutil
import subprocess

import pytest

from mmeval_like.cli import main, records
from mmeval_like.cli.readers.jsonl_files import JsonlTable
from tests.cli.files import command, environment, said, score
from tests.helpers.optional import requires
from tests.helpers.pace import patient

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
        capture_output=True, env=environment() | {"PYTHONIOENCODING": "ascii"}, timeout=patient(60),
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    assert b"\\ud800\\xe9" in done.stdout
    assert "\\ud800é" in target.read_text("utf-8")


def test_a_file_counts_once(tmp_path, capsys):
    """Given twice, by a pattern and by name, by another spelling, or by a link: refused."""
    path = rows(tmp_path / "p.jsonl", ["a"])
    (tmp_path / "link.jsonl").symlink_to(path)
    (tmp_path / "hard.jsonl").hardlink_to(path)
    for again in (path, tmp_path / "p*.jsonl", f"{tmp_path}/./p.jsonl", tmp_path / "link.jsonl",
                  tmp_path / "hard.jsonl"):  # fmt: skip
        assert "given twice" in said(capsys, path, again, *ACCURACY)


def test_a_pipe_is_no_file(tmp_path, capsys):
    """It cannot be read in pieces: refused at once, with and without somebody who writes."""
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    assert "not a regular file" in said(capsys, pipe, *ACCURACY)
    reader = os.open(pipe, os.O_RDWR)
    os.write(reader, b"predictions,labels\n1,1\n")
    assert "named -" in said(capsys, pipe, *ACCURACY)
    os.close(reader)


def test_a_name_that_is_too_long(capsys):
    """It is the user's, not ours: one line, exit code 2."""
    assert "File name too long" in said(capsys, "x" * 5000 + ".csv", *ACCURACY)


def test_a_key_that_is_there_twice(tmp_path, capsys):
    """Neither of the two values is taken in silence, as for columns of a CSV file."""
    path = tmp_path / "p.jsonl"
    line = '{"predictions": 0, "labels": 0}\n'
    path.write_text(line + '{"predictions": 0, "labels": 0, "labels": 1}\n' + line)

    assert "p.jsonl, line 2: a key occurs twice" in said(capsys, path, *ACCURACY)


def test_an_unpacked_file_is_named_by_its_own_name(tmp_path, capsys):
    """Errors name what the user gave, not the temporary copy alone."""
    path = tmp_path / "preds.csv.gz"
    path.write_bytes(gzip.compress(b"predictions,labels\n0,0,1\n"))

    assert "preds.csv.gz" in said(capsys, path, *ACCURACY)


def test_no_output_takes_the_place_of_an_input(tmp_path, capsys):
    """Neither the predictions nor the options are overwritten, nor one output by the other."""
    path = rows(tmp_path / "p.jsonl", ["a"])
    before = path.read_text()
    config = tmp_path / "c.toml"
    config.write_text('metric = "accuracy"')
    names = tmp_path / "names"
    names.write_text("a\nb")
    link = tmp_path / "link"
    link.symlink_to(path)
    for target in (path, link, config, names):
        for option in ("--json", "--csv"):
            line = said(capsys, path, "--config", config, "--classes", f"@{names}",
                             option, target)  # fmt: skip
            assert "would be overwritten" in line
    both = tmp_path / "out"
    assert "--csv" in said(capsys, path, *ACCURACY, "--json", both, "--csv", both)
    assert "name a file" in said(capsys, path, *ACCURACY, "--json", "")
    assert path.read_text() == before
    assert not both.exists()


def test_an_argument_that_has_two_columns(tmp_path, capsys):
    """--column for the same argument twice: neither is taken in silence."""
    path = rows(tmp_path / "p.jsonl", ["a"], other=1)
    asked = ("--column", "labels=labels", "--column", "labels=other")

    assert "--column: 'labels' is given twice" in said(capsys, path, *ACCURACY, *asked)


@pytest.mark.parametrize("other_side", [[], ["--", "q.jsonl"]], ids=["score", "compare"])
@pytest.mark.parametrize("change", ["grows", "replaced", "gone"])
def test_a_file_that_changes_while_it_is_read(tmp_path, capsys, monkeypatch, change, other_side):
    """Rows of two versions of a file are never put together."""
    monkeypatch.chdir(tmp_path)
    path = rows(tmp_path / "p.jsonl", ["a"] * 5)
    rows(tmp_path / "q.jsonl", ["a"] * 5)
    other = rows(tmp_path / "other", ["b"] * 5, labels=1)
    read = JsonlTable.parse

    def parse(table, block, columns, place):
        found = read(table, block, columns, place)
        if change == "grows":
            with open(path, "a") as file:
                file.write("\n" + other.read_text())
        elif change == "replaced":
            os.replace(shutil.copy(other, tmp_path / "copy"), path)
        else:
            path.unlink(missing_ok=True)
        return found

    monkeypatch.setattr(JsonlTable, "parse", parse)

    command = "compare" if other_side else "score"
    assert main([command, str(path), *other_side, *ACCURACY, "-q"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "p.jsonl: " in line
    assert ("No such file" if change == "gone" else "changed while it was read") in line


@pytest.mark.parametrize("command", ["score", "gate", "gate alone"])
def test_a_file_that_changes_before_it_is_hashed(tmp_path, capsys, monkeypatch, command):
    """No record and no statement has the SHA-256 of other rows than those that were judged."""
    monkeypatch.chdir(tmp_path)
    path = rows(tmp_path / "p.jsonl", ["a"] * 5)
    rows(tmp_path / "q.jsonl", ["a"] * 5)
    hashed = records.hashed

    def late(file):
        with open(path, "a") as end:
            end.write("\n")
        return hashed(file)

    monkeypatch.setattr(records, "hashed", late)
    asked = {
        "score": ["score", "p.jsonl", "--record", "out"],
        "gate": ["gate", "p.jsonl", "--", "q.jsonl", "--margin", "0.5", "--statement", "out"],
        "gate alone": ["gate", "p.jsonl", "--at-least", "0.1", "--statement", "out"],
    }[command]

    assert main([*asked, *ACCURACY, "-q"]) == 2
    assert "changed while it was read" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_labels_beyond_the_named_classes(tmp_path, capsys):
    """Class indices are compared with the names that were given."""
    path = rows(tmp_path / "p.jsonl", ["a"], labels=2)

    line = said(capsys, path, *ACCURACY, "--classes", "cat,dog")
    assert "p.jsonl, line 1: labels must be in [0, 2), got 2" in line


def test_a_terminal_obeys_no_printed_file(tmp_path, capsys):
    """Also what would be a file is printed without control characters, and JSON is the same."""
    path = rows(tmp_path / f"{CODES}.jsonl", [f"{CODES}\x7f"])
    record = tmp_path / "record.json"
    facts = [f"--set={name}={CODES}" for name in ("model", "dataset", "organization")]
    asked = ["score", str(path), *ACCURACY, "--by", "zone", "-q"]
    for arguments in (
        [*asked, "--record", str(record), "--csv", "-"],
        [*asked, "--json", "-"],
        [*asked, "--record", "-"],
        ["record", str(record), "--to", "eee", *facts, "--set=relationship=other"],
        ["record", str(record), "--to", "in-toto"],
    ):
        assert main(arguments) == 0
        out = capsys.readouterr().out
        for control in "\x1b\x07\x9b\u202e\x7f":
            assert control not in out, arguments
        if "-" in arguments and "--record" in arguments and arguments[-2] == "--record":
            assert json.loads(out)["claim"] == json.loads(record.read_text("utf-8"))["claim"]


def test_a_spreadsheet_calculates_no_data(tmp_path):
    """A cell that begins as a formula does has an apostrophe before it, unless it is a number."""
    names = ["=1+1", "+x", "-x", "@x", "x", "-5"]
    for system in (0, 1):
        lines = [{"predictions": system, "labels": 0, "id": n, "@a": n} for n in names]
        (tmp_path / f"{system}.jsonl").write_text("\n".join(map(json.dumps, lines)))
    sides = [str(tmp_path / "0.jsonl"), "--", str(tmp_path / "1.jsonl")]
    flips, slices = tmp_path / "flips.csv", tmp_path / "slices.csv"
    asked = [*ACCURACY, "--ids", "id", "--by", "@a", "-q"]

    assert main(["compare", *sides, *asked, "--flips", str(flips)]) == 0
    assert main(["score", sides[0], *asked, "--csv", str(slices)]) == 0

    with open(flips, newline="", encoding="utf-8") as file:
        assert {line[0] for line in csv.reader(file)} == {"id", *(
            name if name in ("x", "-5") else f"'{name}" for name in names)}  # fmt: skip
    with open(slices, newline="", encoding="utf-8") as file:
        firsts = {line[0][0] for line in csv.reader(file)}
    assert firsts == {"s", "a", "'"}


@pytest.mark.parametrize("option", ["--json", "--csv", "--record"])
def test_an_output_is_whole_or_as_it_was(tmp_path, option):
    """A file that cannot be written to its end, under a real limit: the old one still stands."""
    path = rows(tmp_path / "p.jsonl", [f"a{i}" for i in range(400)])
    target = tmp_path / ("x" * 250)
    target.write_text("old")
    target.chmod(0o600)
    link = tmp_path / "link"
    link.symlink_to(target)
    asked = command("score", path, *ACCURACY, "--by", "zone", "-q", option, link)

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    done = subprocess.run(asked, capture_output=True, env=environment(), timeout=patient(60),
                          preexec_fn=limit)  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert b"File too large" in done.stderr
    assert target.read_text() == "old"
    done = subprocess.run(asked, capture_output=True, env=environment(), timeout=patient(60))
    assert done.returncode == 0, done.stderr
    assert len(target.read_text()) > 4096
    assert target.stat().st_mode & 0o777 == 0o600
    assert sorted(one.name[0] for one in tmp_path.iterdir()) == ["l", "p", "x"]
