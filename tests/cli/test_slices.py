"""`--by`: a value for all rows, and for each value of a column."""

import datetime
import json

import numpy as np

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
