"""A value that is nan: the command says which columns of the files contain nan, and where."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mmeval_like.cli import main
from tests.helpers import requires

requires("pyarrow")

CLEAN = [(1.0, 1.5), (2.0, 2.0), (3.0, 3.5)]
HOLES = [(1.0, 1.5), ("nan", 2.0), ("NaN", 3.5)]


def written(path: Path, rows: list[Any]) -> str:
    """A .csv file of predictions and labels."""
    path.write_text("pred,label\n" + "".join(f"{a},{b}\n" for a, b in rows))
    return str(path)


@pytest.mark.parametrize("ranks", [["-n", "1"], ["-n", "2"]])
def test_a_value_that_is_nan_has_its_rows_named(
    ranks: list[str], tmp_path: Path, capfd: Any
) -> None:
    """The note has the column, the number of rows in all files, and the first place."""
    files = [written(tmp_path / f"{i}.csv", rows) for i, rows in enumerate([CLEAN, HOLES, HOLES])]

    assert main(["score", *files, "--metric", "mse", *ranks]) == 0

    note = f"'pred' is nan in 4 rows (first: {files[1]}, line 3), so values computed from it are"
    assert capfd.readouterr().err.count(note) == 1


def test_comparisons_and_gates_name_them_too(tmp_path: Path, capfd: Any) -> None:
    """Whichever system has them."""
    a, b = written(tmp_path / "a.csv", CLEAN), written(tmp_path / "b.csv", HOLES)

    assert main(["compare", a, "--", b, "--metric", "mse"]) == 0
    assert f"'pred' is nan in 2 rows (first: {b}, line 3)" in capfd.readouterr().err
    assert main(["gate", b, "--metric", "mse", "--at-most", "9"]) == 3
    assert f"'pred' is nan in 2 rows (first: {b}, line 3)" in capfd.readouterr().err


def test_numbers_without_nan_need_no_note(tmp_path: Path, capfd: Any) -> None:
    """A mean that omits nan is a number; one that does not is told of the option."""
    file = written(tmp_path / "a.csv", HOLES)
    words = ["score", file, "--column", "values=pred", "--metric"]

    assert main([*words, "mean:nan=omit"]) == 0
    assert "is nan in" not in capfd.readouterr().err
    assert main([*words, "mean"]) == 0
    assert "remove such rows, or ignore them with mean:nan=omit" in capfd.readouterr().err
    assert main([*words, "mean", "-q"]) == 0
    assert "is nan in" not in capfd.readouterr().err


def test_a_value_that_is_nan_for_another_reason_is_not_blamed_on_cells(
    tmp_path: Path, capfd: Any
) -> None:
    """The correlation with equal labels is nan; the cells that are nan were omitted."""
    file = written(tmp_path / "a.csv", [(1.0, 5), (2.0, 5), ("nan", 5), (4.0, 5)])
    words = ["score", file, "--metric", "pearson_corr_coef:nan=omit", "-n", "1"]

    assert main(words) == 0
    said = capfd.readouterr()
    assert "nan" in said.out
    assert "is nan in" not in said.err
    assert main([*words, "--metric", "mae"]) == 0
    said = capfd.readouterr()
    assert "'pred' is nan in 1 row " in said.err
    assert "nan=omit" not in said.err
