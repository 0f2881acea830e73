"""docs/unscored.md: what the page shows is what the command prints, and its commands run."""

import json
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

from mmeval_like.cli import main
from tests.helpers import requires
from tests.project.test_docs import ROOT, blocks, commands

requires("pyarrow")
requires("rich")

PAGE = ROOT / "docs" / "unscored.md"
LOGS = ROOT / "tests" / "logs"


def test_a_transcript_of_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """The table that the page shows, saved as the page says, gives the output that it shows."""
    [table], [block] = blocks(PAGE, "text"), blocks(PAGE, "console")
    (tmp_path / "answers.csv").write_text(table.text)
    monkeypatch.chdir(tmp_path)
    command, _, expected = block.text.partition("\n")

    assert main(shlex.split(command.removeprefix("$ mmeval_like "))) == 0
    printed = capsys.readouterr()
    assert printed.err + printed.out == expected


def test_the_commands_of_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """Results of three tools are scored, and the lines of the page's table are printed."""
    shutil.copy(LOGS / "inspect" / "animals.eval", tmp_path / "run.eval")
    for name, source in (("ragas.csv", "ragas-2818.csv"), ("deepeval.jsonl", "deepeval-3234.jsonl"),
                         ("hundred.json.gz", "inspect_ai-3707.json.gz")):  # fmt: skip
        shutil.copy(LOGS / "unscored" / source, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    every = [line for line in commands(PAGE) if "answers.csv" not in line]
    for command in [*every, "mmeval_like score hundred.json.gz"]:
        assert main(shlex.split(command)[1:]) == 0, command

    printed = capsys.readouterr().out
    said = [line for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    told = [cell.strip(" `|") for line in said for cell in line.split(" | ") if "scored; " in cell]
    assert len(told) == 3
    for text in told:
        assert text in printed


def test_what_lm_eval_leaves_open_is_told(tmp_path: Path, capsys: Any) -> None:
    """A sample that is missing in the file is absent, and left out."""
    source = LOGS / "lm_eval"
    for file in [*source.glob("samples_animals*"), *source.glob("results*")]:
        shutil.copy(file, tmp_path)
    [samples] = tmp_path.glob("samples*")
    lines = samples.read_text().splitlines(keepends=True)
    samples.write_text("".join(lines[:2] + lines[3:]))
    assert json.loads(lines[2])["doc_id"] == 2

    assert main(["score", str(samples), "--score", "acc"]) == 0
    assert "animals acc mean: 11 of 12 scored; 1 absent: left out" in capsys.readouterr().out
