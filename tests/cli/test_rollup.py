"""`rollup` adds up the states in a column of Parquet files as `mm.rollup` does."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.cli import main

pa = pytest.importorskip("pyarrow")
import pyarrow.parquet  # noqa: E402

METRIC = ["--metric", "accuracy", "--interval"]


@pytest.fixture(autouse=True)
def cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The files a.parquet and b.parquet, each with the states of two days of two languages."""
    monkeypatch.chdir(tmp_path)
    rng, tables = np.random.default_rng(0), []
    for file, first in (("a", 1), ("b", 3)):
        rows: dict[str, list[Any]] = {"day": [], "lang": [], "state": []}
        for day in (first, first + 1):
            for lang in ("de", "en"):
                metric = mm.Accuracy(interval=0.95)
                metric.add(rng.integers(0, 2, 40), np.ones(40, int))
                for name, value in zip(
                    rows, (datetime.date(2026, 11, day), lang, metric.seal()), strict=True
                ):
                    rows[name].append(value)
        tables.append(pa.table(rows))
        pyarrow.parquet.write_table(tables[-1], f"{file}.parquet")
    return pa.concat_tables(tables)


@pytest.mark.parametrize("between", [[], ["day=2026-11-02,2026-11-03"], ["day=2026-11-04"]])
def test_same_as_in_python(cells: Any, between: list[str], capsys: Any) -> None:
    """The same values, by slice, of the same days, and the number of samples."""
    options = [part for text in between for part in ("--between", text)]
    asked = [*METRIC, "--by", "lang", *options]
    assert main(["rollup", "a.parquet", "b.parquet", *asked, "--json", "r.json"]) == 0
    ends = {}
    for text in between:
        days = [datetime.date.fromisoformat(day) for day in text.removeprefix("day=").split(",")]
        ends["day"] = (days[0], days[-1])
    wanted = mm.rollup(cells, mm.Accuracy(interval=0.95), by="lang", between=ends).compute()
    found = json.loads(Path("r.json").read_text())
    assert found["all"].pop("samples") == wanted.samples
    assert found == {name: {"accuracy": one} for name, one in wanted.plain().items()}
    assert "lang=de" in capsys.readouterr().out


def test_whole(cells: Any, capsys: Any) -> None:
    """Without --by, the value of all states; a folder is read like its files."""
    assert main(["rollup", ".", *METRIC, "-q", "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    wanted = mm.rollup(cells, mm.Accuracy(interval=0.95)).compute()
    assert found == {"accuracy": wanted.plain(), "samples": 160 * 2}


def test_a_value_with_a_comma_is_chosen_by_its_quoted_name(capsys: Any) -> None:
    """As slices are named; without quotes it would be a range, of which it is a part."""
    states = []
    for count in (1, 2, 3, 4):
        metric = mm.Accuracy()
        metric.add([1] * count, [1] * count)
        states.append(metric.seal())
    table = pa.table({"lang": ["a", "b", "a,b", "c"], "state": states})
    pyarrow.parquet.write_table(table, "c.parquet")
    for between, count in (('"a,b"', 3), ("a,b", 6), ('"a","a,b"', 4), ("b", 2)):
        asked = ["c.parquet", "--metric", "accuracy", "--between", f"lang={between}"]
        assert main(["rollup", *asked, "-q", "--json", "-"]) == 0
        assert json.loads(capsys.readouterr().out)["samples"] == count


@pytest.mark.parametrize("asked", [["--by", "lang"], ["--between", "lang=de"]])
def test_each_file_has_the_columns(cells: Any, asked: list[str], capsys: Any) -> None:
    """States of a file without the column would be left out, or be of no language."""
    pyarrow.parquet.write_table(cells.drop_columns("lang"), "c.parquet")
    assert main(["rollup", "a.parquet", "c.parquet", *METRIC, *asked]) == 2
    assert "c.parquet: no column 'lang' in the table" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["a.parquet"], "need --metric"),
        (["a.parquet", "--metric", "accuracy"], "this is Accuracy"),
        (["a.parquet", *METRIC, "--by", "x"], "no column 'x' in the table"),
        (
            ["a.parquet", *METRIC, "--between", "x=1"],
            "no column 'x' in the table; it has day, lang",
        ),
        (["a.parquet", *METRIC, "--between", "day"], "COLUMN=FIRST,LAST or COLUMN=VALUE"),
        (
            ["a.parquet", *METRIC, "--between", "day=soon"],
            "must have values of date32[day] for 'day'",
        ),
        (["a.parquet", *METRIC, "--between", 'lang="de'], "with quotes around a value"),
        (
            ["a.parquet", *METRIC, "--between", "lang=de", "--between", "lang=en"],
            "--between must name each column once",
        ),
        (["a.parquet", *METRIC, "--record", "r.json"], "are for files of `score --state`"),
        (["a.parquet", *METRIC, "--json", "a.parquet"], "a.parquet"),
        (["s.safetensors", "--by", "lang"], "--by is for states in a column"),
    ],
)
def test_what_cannot_be_done_is_said(arguments: list[str], text: str, capsys: Any) -> None:
    """Exit code 2, and one line that says why."""
    Path("s.safetensors").write_bytes(b"")
    assert main(["rollup", *arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert text in line
