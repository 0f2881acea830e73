"""Rows that may not be independent: commands say which column may name their clusters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mmeval_like.cli import main
from tests.helpers import requires

requires("pyarrow")

COLUMN = "the entries of column 'document_id' repeat"
ALIKE = "neighbouring rows are alike"


def written(path: Path, head: str, columns: list[Any]) -> str:
    """A .csv file."""
    rows = zip(*(np.asarray(column).tolist() for column in columns), strict=True)
    path.write_text(head + "\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    return str(path)


@pytest.mark.parametrize("ranks", [["-n", "1"], ["-n", "2"]])
def test_rows_that_may_belong_together_are_noted(
    ranks: list[str], tmp_path: Path, capfd: Any
) -> None:
    """By a column that repeats, or by values that are alike; once, whatever the number of ranks."""
    rng = np.random.default_rng(0)
    documents = np.arange(600) // 10
    hits = (rng.random(600) < rng.beta(1, 1, 60)[documents]).astype(int)
    named = written(tmp_path / "a.csv", "document_id,pred,label", [documents, hits, hits**0])
    plain = written(tmp_path / "b.csv", "pred,label", [hits, hits**0])
    words = ["--metric", "accuracy", *ranks]
    for file, option, wanted in (
        (named, ["--interval", "0.95"], [COLUMN]),
        (plain, ["--interval", "0.95"], [ALIKE]),
        (named, ["--interval", "0.95", "--cluster", "document_id"], []),
        (named, ["--interval", "0.95", "-q"], []),
        (plain, [], []),
    ):
        assert main(["score", file, *words, *option]) == 0
        told = capfd.readouterr().err
        assert [note for note in (COLUMN, ALIKE) if note in told] == wanted
        assert sum(map(told.count, (COLUMN, ALIKE))) == len(wanted)


@pytest.mark.parametrize("ranks", [["-n", "1"], ["-n", "2"]])
@pytest.mark.parametrize("words", [["compare"], ["gate", "--margin", "0.1"]])
def test_comparisons_note_columns_that_repeat(
    words: list[str], ranks: list[str], tmp_path: Path, capfd: Any
) -> None:
    """Once, and not if the column names the clusters."""
    rng, documents = np.random.default_rng(0), np.arange(300) // 10
    columns = [[documents, rng.integers(0, 2, 300), np.ones(300, int)] for _ in range(2)]
    a, b = (
        written(tmp_path / f"{name}.csv", "document_id,pred,label", cells)
        for name, cells in zip("ab", columns, strict=True)
    )
    command, *bound = words
    asked = [command, a, "--", b, "--metric", "accuracy", *bound, *ranks]
    for option, times in (([], 1), (["--cluster", "document_id"], 0), (["-q"], 0)):
        assert main([*asked, *option]) in (0, 1, 3)
        assert capfd.readouterr().err.count(COLUMN) == times


def test_independent_rows_need_no_note(tmp_path: Path, capfd: Any) -> None:
    """Nor does a column with empty cells, which the command does not read otherwise, fail it."""
    hits = np.random.default_rng(1).integers(0, 2, 300)
    documents = ["" if n % 3 else f"d{n}" for n in range(300)]
    file = written(tmp_path / "a.csv", "user_id,pred,label", [documents, hits, hits**0])
    assert main(["score", file, "--metric", "accuracy", "--interval", "0.95"]) == 0
    assert ALIKE not in capfd.readouterr().err
