"""`score` of a log, as a command: what it says, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mmeval_like.cli import main
from tests.helpers import requires
from tests.logs.test_logs import INSPECT

requires("pyarrow")


def test_the_command_says_what_it_reads(capsys: Any, tmp_path: Path) -> None:
    """The guess is on the error stream; JSON has all numbers; a number can be required."""
    target = tmp_path / "out.json"
    log = str(INSPECT / "animals.eval")

    assert main(["score", log, "--json", str(target), "--require", "animals/match.stderr<1"]) == 0
    shown = capsys.readouterr()
    assert "animals.eval is a log of inspect, by its content" in shown.err
    assert "numbers that equal the harness's to the last digit" in shown.out
    numbers = json.loads(target.read_text())
    assert [one["name"] for one in numbers] == ["accuracy", "stderr"] * 2
    assert main(["score", log, "-q", "--require", "animals/match.accuracy>0.99"]) == 3


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--by", "kind"], "--by: the scores of a log need none"),
        (["--cluster", "page"], "no field 'page'"),
        (["--format", "lm-eval"], "truncated or not JSON"),
    ],
)
def test_options_that_are_not_for_logs(words: list[str], text: str, capsys: Any) -> None:
    """They are refused by name, with exit code 2."""
    assert main(["score", str(INSPECT / "animals.eval"), *words]) == 2
    assert text in capsys.readouterr().err


def test_what_is_no_log_needs_a_metric(tmp_path: Path, capsys: Any) -> None:
    """The error is that of a table; and options of logs are not for tables."""
    table = tmp_path / "a.jsonl"
    table.write_text('{"predictions": 1, "labels": 1}\n')
    for words, text in (
        ([], "required: --metric"),
        (["--metric", "accuracy", "--format", "inspect"], "leave out --metric"),
    ):
        with pytest.raises(SystemExit):
            main(["score", str(table), *words])
        assert text in capsys.readouterr().err
