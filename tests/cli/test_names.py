"""Metrics that call one argument by several names, scored in one call."""

import json

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.cli import main
from tests.cli.files import score, write
from tests.helpers.optional import requires

requires("pyarrow")

METRICS = ["mean_absolute_error", "r2_score", "mean_squared_error"]  # whose truths are called
COLUMNS = [[], ["--column", "labels=y"], ["--column", "groundtruths=y"]]


def rows():
    """Numbers with their truths, ids and slices."""
    rng = np.random.default_rng(0)
    truths = rng.normal(size=60)
    found = {"predictions": truths + rng.normal(size=60), "y": truths, "id": rng.permutation(60)}
    return {**found, "domain": rng.choice(["day", "night"], 60)}


@pytest.mark.parametrize("columns", COLUMNS, ids=str)
@pytest.mark.parametrize("more", [[], ["--by", "domain", "--ids", "id", "--interval"]], ids=str)
def test_one_call_is_as_good_as_several(tmp_path, columns, more):
    """In any order, by any of the names, every metric has the bits that it has alone."""
    file = write(tmp_path, "csv", rows())

    def by_slice(*arguments):
        found = score(tmp_path, file, *arguments, *more)
        return found if more else {"all": found}

    alone = {}
    for name in METRICS:
        for which, found in by_slice("--metric", name).items():
            alone.setdefault(which, {}).update(found)
    for names in (METRICS, METRICS[::-1]):
        asked = [word for name in names for word in ("--metric", name)]
        assert by_slice(*asked, *columns) == alone


def test_a_record_of_such_metrics_is_verified(tmp_path, capsys):
    """Its columns have the names of the first metric; a lock may say the other name."""
    file, lock, record = (str(tmp_path / name) for name in ("p.csv", "lock.json", "r.json"))
    write(tmp_path, "csv", rows(), "p")
    asked = ["score", file, *(word for name in METRICS for word in ("--metric", name))]
    asked += ["--ids", "id"]
    assert main([*asked, "--column", "labels=y", "--lock", lock]) == 0
    named = ["--column", "groundtruths=y"]
    assert main([*asked, *named, "--locked", lock, "--record", record, "-q"]) == 0
    with open(record) as text:
        columns = json.load(text)["claim"]["request"]["columns"]
    assert columns == {"predictions": ["predictions"], "groundtruths": ["y"]}
    capsys.readouterr()

    assert main(["verify", record, file, "--locked", lock]) == 0
    assert capsys.readouterr().out == "equal\n"


def test_a_bad_row_is_named(tmp_path, capsys):
    """Also where arguments are passed by their places."""
    table = rows()
    table["y"] = [*table["y"][:7], "x", *table["y"][8:]]
    file = str(write(tmp_path, "csv", table))

    assert main(["score", file, *(w for name in METRICS for w in ("--metric", name))]) == 2
    assert "line 9" in capsys.readouterr().err


def test_a_table_is_scored_by_the_same_rules():
    """By either name, with the numbers that each metric has alone; two columns are refused."""
    table = rows()
    metrics = {"mae": mm.MeanAbsoluteError(), "r2": mm.R2Score()}
    wanted = {name: one(table["predictions"], table["y"]) for name, one in metrics.items()}

    assert mm.score(table, metrics) == wanted
    assert mm.score(table, metrics, labels="y") == wanted
    assert mm.score(table, metrics, groundtruths="y") == wanted
    assert mm.score(table, metrics, groundtruths="y", labels="y") == wanted
    with pytest.raises(ValueError, match="names for one thing"):
        mm.score(table, metrics, groundtruths="y", labels="id")
