"""Rows without a score in tables in memory: `score(unscored=, unscored_column=)`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import mmeval_like as mm
from tests.helpers import requires

COLUMNS: dict[str, list[Any]] = {
    "predictions": [0, 1, None, 1],
    "labels": [0, 0, 1, 1],
    "error": ["", "", "limit", None],
}


def tables() -> list[Any]:
    """The same rows as a dict, and as tables of several libraries."""
    requires("pyarrow")
    requires("pandas")
    import pandas as pd
    import pyarrow as pa

    return [COLUMNS, pa.table(COLUMNS), pd.DataFrame(COLUMNS)]


@pytest.mark.filterwarnings("ignore:.*the others do not count")
@pytest.mark.parametrize(
    ("rule", "value"), [("drop", 2 / 3), (0, 0.5), (1, 0.75), ("bounds", 2 / 3)]
)
def test_each_rule_gives_its_number(rule: Any, value: float) -> None:
    """Whatever the kind of the table; the metric is not changed."""
    for table in tables():
        metric = mm.Accuracy()
        result = mm.score(table, metric, unscored=rule, unscored_column="error=limit")
        assert result["top1"] == pytest.approx(value)
        assert (result.planned, result.scored, result.unscored) == (4, 3, {"limit": 1})
        assert metric.unscored is None
    assert mm.score(COLUMNS, mm.Accuracy(), unscored=0).unscored == {"absent": 1}


def test_a_metric_keeps_its_own_rule() -> None:
    """The argument is for those that have none, in collections and slices."""
    metrics = {"own": mm.Accuracy(unscored=1), "given": mm.Accuracy(topk=1)}
    for table in tables():
        result = mm.score(table, metrics, unscored="bounds", by="labels")
        assert result["all"] == {"own": {"top1": 0.75}, "given": {"top1": 2 / 3}}
        assert result.accounts["all"]["given"].bounds == {"top1": (0.5, 0.75)}
        assert result.accounts["labels=1"]["own"].unscored == {"absent": 1}


def test_without_a_rule_they_are_refused() -> None:
    """With the cure."""
    for table in tables():
        with pytest.raises(ValueError, match=r'1 of 4 samples have no score.*unscored="drop"'):
            mm.score(table, mm.Accuracy(), unscored_column="error")
    with pytest.raises(ValueError, match="no value in 'predictions'; unscored=\"drop\" leaves"):
        mm.score(tables()[1], mm.Accuracy())
    with pytest.raises(ValueError, match="no column 'eror'"):
        mm.score(COLUMNS, mm.Accuracy(), unscored=0, unscored_column="eror")


@pytest.mark.filterwarnings("ignore:.*the others do not count")
@pytest.mark.parametrize("rule", ["drop", "bounds", 0])
@pytest.mark.parametrize("names", [True, False])
def test_an_empty_text_of_a_csv_file_is_missing(rule: Any, names: bool, tmp_path: Path) -> None:
    """As it is on the command line, and in a list with None; without a rule it is an empty text."""
    requires("pyarrow")
    path = tmp_path / "answers.csv"
    path.write_text(
        'predictions,labels,error,lang\ncat,cat,,de\n,dog,,en\n" ",dog,limit,\ndog,dog,,\n'
    )
    metric = mm.Accuracy(classes=["cat", "dog"]) if names else mm.ExactMatch()
    words = {"unscored": rule if names or rule != 0 else "no", "unscored_column": "error"}
    columns = {"predictions": "predictions", "labels" if names else "references": "labels"}
    found = mm.score(path, metric, by="lang", **words, **columns)
    table = {
        "predictions": ["cat", None, None, "dog"],
        "labels": ["cat", "dog", "dog", "dog"],
        "error": ["", "", "limit", ""],
        "lang": ["de", "en", "", ""],
    }
    assert found == mm.score(table, metric, by="lang", **words, **columns)
    assert found.unscored == {"absent": 1, "limit": 1}
    if not names:
        assert mm.score(path, metric, **columns) == {"exact_match": 0.5}


def test_an_empty_id_of_a_csv_file_is_missing(tmp_path: Path) -> None:
    """Two of them are not the same sample."""
    requires("pyarrow")
    path = tmp_path / "answers.csv"
    path.write_text("predictions,labels,id\n1,1,a\n0,0,\n1,0,\n")
    with pytest.raises(ValueError, match="no value in 'id'"):
        mm.score(path, mm.Accuracy(), ids="id")
