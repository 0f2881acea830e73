"""README.md, docs/cli.md and docs/ci.md: every command on them runs, on files that they name."""

import re
import runpy
import shlex

import pytest

from mmeval_like.cli import main
from tests.helpers.optional import requires
from tests.project.test_docs import ROOT, blocks

requires("pyarrow")

PAGE = ROOT / "docs" / "cli.md"
COMMANDS = [
    line
    for page in (ROOT / "README.md", PAGE, ROOT / "docs" / "ci.md")
    for block in blocks(page, "sh")
    for line in block.text.replace("\\\n", "").splitlines()  # of a command on several lines
    if re.search("mmeval_like (score|compare|gate)", line) and "..." not in line
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The files that the pages name, as their example writes them."""
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(ROOT / "examples" / "prediction_files.py"))
    return tmp_path


def arguments(command):
    """The arguments of a command; one rank, in this process, stands for all."""
    words = shlex.split(command.partition(" | ")[0], comments=True)
    words = words[words.index("mmeval_like") + 1 :]
    if "-n" in words:
        at = words.index("-n")
        del words[at : at + 2]
    return words


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_page(folder, capsys, command):
    """It does what it is shown for, and ends with 0; the samples may not suffice for --anytime."""
    if "coco" in command:
        requires("pycocotools")
    fine = (0, 3) if "--anytime" in command else (0,)

    assert main(arguments(command)) in fine, capsys.readouterr()


def test_the_file_of_options_on_the_page(folder, capsys):
    """The TOML that the page shows."""
    (block,) = blocks(PAGE, "toml")
    text = block.text.replace("ranks = 4\n", "")
    (folder / "eval.toml").write_text(text)

    assert main(["score", "--config", "eval.toml"]) == 0, capsys.readouterr().err


def test_there_are_commands():
    """The page shows some; the test sees them."""
    assert len(COMMANDS) >= 15
