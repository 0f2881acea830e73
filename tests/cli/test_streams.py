"""Streams that are closed, and disks that are full: what is lost is told, and nothing else is."""

import errno
import json
import os
import shlex
import subprocess

import pytest

from tests.cli.files import command, environment, said
from tests.cli.test_hostile import ACCURACY, rows
from tests.helpers.optional import requires
from tests.helpers.pace import patient

requires("pyarrow")
requires("rich")


def test_a_closed_pipe_does_not_cost_the_files(tmp_path):
    """`| head` ends the table; --json and --csv are written, and the exit code is 0."""
    path = rows(tmp_path / "p.jsonl", [f"z{i}" for i in range(3000)])
    targets = [tmp_path / "out.json", tmp_path / "out.csv"]
    read, output = os.pipe()
    os.close(read)  # nobody reads
    done = subprocess.run(
        command("score", path, *ACCURACY, "--by", "zone", "--json", targets[0],
                "--csv", targets[1]),
        stdout=output, stderr=subprocess.PIPE, env=environment(), timeout=patient(60),
    )  # fmt: skip
    os.close(output)

    assert (done.returncode, done.stderr) == (0, b"")
    assert len(json.loads(targets[0].read_text())) == 3001
    assert targets[1].read_text().count("\n") == 1 + 2 * 3001


@pytest.mark.parametrize(
    ("redirected", "code", "said"),
    [
        ("-q --json - > /dev/full", 2, "standard output: No space left on device"),
        ("> /dev/full", 2, "standard output: No space left on device"),
        (">&-", 2, "standard output: Bad file descriptor"),
        ("-q >&-", 0, ""),
        ("2>&-", 0, ""),
        ("<&-", 0, ""),
        ("-q -n 2 >&- <&-", 0, ""),
        ("--json - >&-", 2, "standard output: Bad file descriptor"),
        ("--json /dev/full", 2, "/dev/full: No space left on device"),
        (
            "--config /dev/zero",
            2,
            "/dev/zero: larger than 1048576 bytes, the limit for an options file",
        ),
    ],
)
def test_streams_that_are_closed_or_full(tmp_path, redirected, code, said):
    """One line and exit code 2 where a result is lost; no word where nothing was to be written."""
    requires("zmq")
    path = rows(tmp_path / "p.jsonl", ["a"])
    words = shlex.join(command("score", path, *ACCURACY))

    done = subprocess.run(
        ["sh", "-c", f"{words} {redirected}"],
        capture_output=True, text=True, env=environment(), timeout=patient(60),
    )  # fmt: skip

    assert done.returncode == code, done.stderr
    assert done.stderr == (f"mmeval_like: {said}\n" if said else "")


def test_a_full_disk_ends_a_run_that_saves(tmp_path, capsys, monkeypatch):
    """The folder is named; what was there before is still there."""
    path = rows(tmp_path / "p.jsonl", ["a"])

    def full(file):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)

    line = said(capsys, path, *ACCURACY, "--resume", tmp_path / "runs")
    assert "--resume" in line
    assert "runs/run0001-rank00000.safetensors: No space left on device" in line
    assert [file.name for file in (tmp_path / "runs").iterdir()] == ["lock"]
