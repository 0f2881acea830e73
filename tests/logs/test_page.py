"""docs/llm-logs.md: what the page shows is what the command prints."""

import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

from mmeval_like.cli import main
from tests.helpers import requires
from tests.project.test_docs import ROOT, Block, blocks

requires("pyarrow")
requires("rich")

FOLDER = Path(__file__).parent
SHOWN = blocks(ROOT / "docs" / "llm-logs.md", "console")


@pytest.mark.parametrize("block", SHOWN, ids=lambda block: f"line {block.line}")
def test_a_transcript_of_the_page(
    block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """The error stream, then the table, for a terminal of 150 columns."""
    shutil.copytree(FOLDER / "lm_eval", tmp_path / "run")
    shutil.copytree(FOLDER / "inspect", tmp_path, dirs_exist_ok=True)
    shutil.copytree(FOLDER / "helm", tmp_path / "words")
    shutil.copytree(FOLDER / "trainer" / "classes", tmp_path / "output")
    unscored = FOLDER / "unscored" / "inspect_ai-3707.json.gz"
    shutil.copy(unscored, tmp_path / "hundred.json.gz")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "150")
    command, _, expected = block.text.partition("\n")

    assert main(shlex.split(command.removeprefix("$ mmeval_like "))) == 0
    printed = capsys.readouterr()
    assert printed.err + printed.out == expected


def test_there_are_transcripts() -> None:
    """Of lm-eval, Inspect (four), HELM and the Trainer."""
    assert len(SHOWN) == 7
