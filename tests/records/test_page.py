"""docs/records.md: every command of the page runs, and prints what the page shows."""

import doctest
import shlex

import pytest

from mmeval_like.cli import main
from tests.helpers.optional import requires
from tests.project.test_docs import ROOT, blocks

requires("pyarrow")

PAGE = ROOT / "docs" / "records.md"
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The files that the page names, as its first program makes them."""
    monkeypatch.chdir(tmp_path)
    exec(blocks(PAGE, "python")[0].text, {})
    return tmp_path


def test_a_record_of_an_earlier_version_is_read(folder, capsys):
    """The record beside this file was made when the format was new: it is verified for ever.

    What later records say more is named. Who changes how samples are hashed has to change the name
    of the format.
    """
    old = ROOT / "tests" / "records" / "record-1.json"

    assert main(["verify", str(old), "preds-0.csv", "preds-1.csv"]) == 0
    said = "equal; the record says nothing of the SHA-256 of the rows and the ranges of ids\n"
    assert capsys.readouterr().out == said


def test_the_transcript(folder, capsys):
    """From top to bottom, each command with its output."""
    steps = []
    for block in blocks(PAGE, "console"):
        for line in block.text.splitlines(keepends=True):
            if line.startswith("$ "):
                steps.append((line[2:].strip(), []))
            else:
                steps[-1][1].append(line)
    for command, lines in steps:
        code = main(shlex.split(command)[1:])
        found = capsys.readouterr()
        wanted = "".join(lines)

        differs = " verify " in command and wanted not in ("", "equal\n")
        assert code == differs, (command, found)
        assert doctest.OutputChecker().check_output(wanted, found.out, FLAGS), (command, found)
    assert len(steps) >= 12
