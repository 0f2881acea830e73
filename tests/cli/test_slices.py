"""`--by`: a value for all rows, and for each value of a column."""

import datetime
import json

import numpy as np
import pytest

from mmeval_like.cli import main
from tests.cli.files import ROWS, predictions, run, score, write
from tests.cli.test_score import by_hand
from tests.helpers.optional import requires

requires("pyarrow")
requires("rich")


def test_slices(tmp_path):
    """--by gives a value for all and for each value of the column."""
    domain = predictions()["domain"]

    found = score(tmp_path, write(tmp_path, "csv"), "--metric", "accuracy", "--by", "domain")

    assert found == {
        "all": {"accuracy": {"top1": by_hand()}},
        "domain=day": {"accuracy": {"top1": by_hand(domain == "day")}},
        "domain=night": {"accuracy": {"top1": by_hand(domain == "night")}},
    }


def test_slices_that_only_one_rank_sees(tmp_path):
    """On several ranks, slices that some never meet are there all the same."""
    requires("zmq")
    table = predictions()
    table["domain"] = np.where(np.arange(ROWS) < 60, "rare", "common")
    path = write(tmp_path, "parquet", table)
    for ranks in (1, 3):
        target = tmp_path / f"{ranks}.json"
        asked = ("--metric", "accuracy", "--by", "domain", "--json", target, "-n", ranks)
        assert run("score", path, *asked).returncode == 0

    one, three = (json.loads((tmp_path / f"{ranks}.json").read_text()) for ranks in (1, 3))
    assert one == three
    assert one["domain=rare"] == {"accuracy": {"top1": by_hand(slice(0, 60))}, "samples": 60}


def test_slices_with_a_size(tmp_path, capsys):
    """--size is that of the whole dataset: it must be complete, its slices cannot be."""
    path = write(tmp_path, "npz")
    asked = ("--metric", "accuracy", "--by", "domain", "--ids", "id", "--size")

    found = score(tmp_path, path, *asked, ROWS)

    assert found == score(tmp_path, path, "--metric", "accuracy", "--by", "domain")
    assert main(["score", str(path), *asked, "501"]) == 2
    assert "1 of the 501 samples" in capsys.readouterr().err


def test_dates_are_named_by_their_texts(tmp_path):
    """In files that have a type for them as in CSV, where they are texts."""
    pa, moment = requires("pyarrow"), datetime.datetime(2026, 11, 29, 12)
    table = {
        "values": [1.0, 2.0],
        "day": [moment.date(), datetime.date(2026, 11, 30)],
        "when": [moment, moment],
    }
    paths = [tmp_path / f"rows.{suffix}" for suffix in ("csv", "feather", "parquet")]
    requires("pyarrow.csv").write_csv(
        pa.table(table | {"when": [*map(str, table["when"])]}), paths[0]
    )
    requires("pyarrow.feather").write_feather(pa.table(table), paths[1])
    requires("pyarrow.parquet").write_table(pa.table(table), paths[2])

    for path in paths:
        found = score(tmp_path, path, "--metric", "sum", "--by", "day", "--by", "when")
        both = {"sum": {"sum": 3.0}}
        assert found == {
            "all": both,
            "day=2026-11-29": {"sum": {"sum": 1.0}},
            "day=2026-11-30": {"sum": {"sum": 2.0}},
            "when=2026-11-29 12:00:00": both,
        }


@pytest.mark.parametrize("kind", ["parquet", "feather"])
@pytest.mark.parametrize(
    ("first", "name"),
    [
        (datetime.date(2026, 11, 29), "2026-11-29"),
        (datetime.datetime(2026, 11, 29, 12), "2026-11-29 12:00:00"),
        ("law", "law"),
        (7, "7"),
        (True, "true"),
    ],
)
def test_dates_and_rows_without_a_value_are_slices(tmp_path, kind, first, name):
    """Dates are their texts, and rows without a value are a slice of their own, as for mm.score."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    feather = pytest.importorskip("pyarrow.feather")
    path = tmp_path / f"preds.{kind}"
    table = pa.table({"predictions": [1, 1, 0], "labels": [1, 1, 1], "of": [first, None, None]})
    (pq.write_table if kind == "parquet" else feather.write_feather)(table, path)

    found = score(tmp_path, path, "--metric", "accuracy", "--by", "of")

    wanted = {"all": 2 / 3, "of=-": 0.5, f"of={name}": 1.0}
    assert found == {slice_: {"accuracy": {"top1": value}} for slice_, value in wanted.items()}


def write_lines(folder, cells):
    """A .jsonl file with a hit in each row, and these cells in the column `of`."""
    path = folder / "preds.jsonl"
    rows = [{"predictions": 1, "labels": 1, "of": cell} for cell in cells]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_texts_that_are_missing_are_nan_in_json(tmp_path):
    """As pandas has them and `json.dumps` writes them: the same slice as null."""
    path = write_lines(tmp_path, ["law", float("nan"), None])

    found = score(tmp_path, path, "--metric", "sum", "--column", "values=labels", "--by", "of")

    assert {name: value["sum"]["sum"] for name, value in found.items()} == {
        "all": 3, "of=-": 2, "of=law": 1
    }  # fmt: skip


@pytest.mark.parametrize("cells", [[0.5, "law"], ["law", 0.5], [1, 1.5, "1"]])
def test_texts_among_floats_are_no_slices(tmp_path, capsys, cells):
    """The error names the row: a text has no place among ranges, and "1" is not 1."""
    path = write_lines(tmp_path, cells)
    line, (text,) = 1 + [*map(type, cells)].index(str), {*cells} & {"law", "1"}

    assert main(["score", str(path), "--metric", "accuracy", "--by", "of"]) == 2
    assert f"line {line}: 'of' has floats, and the text {text!r}" in capsys.readouterr().err


def test_booleans_are_named_by_their_texts(tmp_path):
    """True and "true" are one slice, as in a CSV file; numbers and nulls are not their texts."""
    cells = ["true", '"true"', "1", '"1"', "null", '"null"']
    lines = [f'{{"values": 1, "new": {cell}}}' for cell in cells]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(lines) + "\n")
    table = tmp_path / "rows.csv"
    table.write_text("values,new\n1,true\n1,TRUE\n")

    found = score(tmp_path, path, "--metric", "sum", "--by", "new")

    sums = {name: values["sum"]["sum"] for name, values in found.items()}
    ones = ["new=-", "new=1", 'new="1"', "new=null"]
    assert sums == {"all": 6, "new=true": 2} | dict.fromkeys(ones, 1)
    found = score(tmp_path, table, "--metric", "sum", "--by", "new")
    assert found["new=true"] == {"sum": {"sum": 2}}


@pytest.mark.filterwarnings("ignore:.*no samples were added")
@pytest.mark.parametrize("command", ["score", "compare"])
def test_without_rows_there_are_all_rows(tmp_path, capsys, command):
    """The form of the JSON and of the table follows from --by, not from the slices that occur."""
    path = tmp_path / "rows.csv"
    path.write_text("predictions,labels,zone\n")
    files = [str(path)] if command == "score" else [str(path), "--", str(path)]
    words = [command, *files, "--metric", "accuracy", "--by", "zone"]

    assert main([*words, "--json", "-"]) == 0
    assert next(iter(json.loads(capsys.readouterr().out))) == "all"
    assert main(words) == 0
    assert "slice" in capsys.readouterr().out.splitlines()[1]
