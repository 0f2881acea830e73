"""Records over time: which differences are real."""

import csv
import json
import math

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.cli import main
from mmeval_like.records.history import COLUMNS, history
from tests.helpers.optional import requires


def record(right, day, ids=True, **options):
    """Of 400 samples, of which so many are right, on a day."""
    metric = mm.Recorded({"accuracy": mm.Accuracy(**{"interval": 0.95} | options)})
    found = np.arange(400) < right
    metric.add(found.astype(int), np.ones(400, int), ids=range(400) if ids else None)
    metric.compute()
    return metric.record(made={"time": f"2026-01-{day:02}T00:00:00+00:00"})


def test_differences_are_judged():
    """By time, whatever the order of the records; by the sum of both variances."""
    records = [record(300, 3), record(200, 1), record(310, 4), record(200, 2)]
    lines = history(records)

    assert [line["value"] for line in lines] == [0.5, 0.5, 0.75, 0.775]
    assert [line["verdict"] for line in lines] == [
        "first",
        "same samples, same predictions",
        "real",
        "may be chance; compare pairs the samples",
    ]
    p, q = 0.5, 0.75
    error = math.sqrt(p * (1 - p) / 399 + q * (1 - q) / 399)
    assert lines[2]["difference_low"] == pytest.approx(0.25 - 1.959963984540054 * error, rel=1e-12)


def test_what_is_not_comparable_is_not_compared():
    """Other options begin anew; without ids nothing is said of pairs, without intervals nothing."""
    others = history([record(200, 1), record(200, 2, topk=(1,), interval=0.9)])
    without_ids = history([record(200, 1, ids=False), record(205, 2, ids=False)])
    plain = history([record(200, 1, interval=None), record(300, 2, interval=None)])

    assert [line["verdict"] for line in others] == ["first", "first"]
    assert without_ids[1]["verdict"] == "may be chance"
    assert plain[1]["verdict"] == "unknown"
    assert plain[1]["difference"] == 0.25


def test_the_command_and_the_data_frame_have_the_same_lines(tmp_path, capsys):
    """A table on the output, CSV in a file, and columns in Python."""
    pd = requires("pandas")
    records = [record(200, 1), record(300, 2)]
    for number, one in enumerate(records):
        (tmp_path / f"r{number}.json").write_text(json.dumps(one))
    target = tmp_path / "log.csv"

    assert main(["log", str(tmp_path / "r*.json"), "--csv", str(target)]) == 0
    assert "real" in capsys.readouterr().out
    with open(target, newline="") as file:
        rows = [*csv.DictReader(file)]
    frame = mm.record_log(records)
    assert isinstance(frame, pd.DataFrame)
    assert tuple(frame.columns) == tuple(rows[0]) == COLUMNS
    assert [float(row["value"]) for row in rows] == frame["value"].tolist()


def test_what_is_no_record_is_bad_input(tmp_path, capsys):
    """Exit code 2, and one line."""
    (tmp_path / "r.json").write_text("{}")

    assert main(["log", str(tmp_path / "r.json")]) == 2
    assert "no record" in capsys.readouterr().err


def test_damaged_times_and_numbers_are_bad_input(tmp_path, capsys):
    """A time that is no text, and a number beyond all floats."""
    good = json.dumps(record(200, 1))
    timed, large = json.loads(good), good.replace('"0x1.', '"0x1p99999', 1)
    timed["made"]["time"] = 3
    for text in (json.dumps(timed), large):
        (tmp_path / "r.json").write_text(text)
        assert main(["log", str(tmp_path / "r.json")]) == 2
        assert "no record" in capsys.readouterr().err
        hf = ["--to", "hf", "--set", "dataset=a/b", "--set", "task=c"]
        assert main(["record", str(tmp_path / "r.json"), *hf]) == 2
