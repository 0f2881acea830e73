"""Labels that are not known: empty cells are nan where the metric says that labels may be nan."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

import mmeval_like as mm
from mmeval_like.cli import main
from tests.cli.files import score
from tests.helpers import requires

requires("pyarrow")

FEW = ("--metric", "prediction_powered_mean:power=1")
PREDICTIONS = [1.0, 0.0, 1.0, 0.0, 1.0, 1.0]
LABELS: dict[str, list[Any]] = {
    "floats": [1.5, 1.0, None, None, None, None],
    "integers": [None, 1, None, None, 2, None],
    "truths": [True, None, None, False, None, None],
    "none": [None] * 6,
}


def written(folder: Path, kind: str, labels: list[Any], name: str = "few") -> Path:
    """A file with missing cells as its format has them."""
    path = folder / f"{name}.{kind}"
    rows = [*zip(PREDICTIONS, labels, strict=True)]
    if kind == "csv":
        lines = [f"{p},{'' if y is None else y}" for p, y in rows]
        path.write_text("predictions,labels\n" + "\n".join(lines) + "\n")
    elif kind == "jsonl":
        lines = [json.dumps({"predictions": p, "labels": y}) for p, y in rows]
        path.write_text("\n".join(lines) + "\n")
    else:
        import pyarrow.parquet as pq

        pq.write_table(table_of(labels), path)
    return path


def table_of(labels: list[Any]) -> Any:
    """A table of Arrow; a column without any label is one of floats."""
    pa = requires("pyarrow")
    kind = pa.float64() if not any(y is not None for y in labels) else None
    return pa.table({"predictions": PREDICTIONS, "labels": pa.array(labels, kind)})


def expected(labels: list[Any]) -> dict[str, float]:
    """What the metric says of nan in their place."""
    known = [math.nan if label is None else float(label) for label in labels]
    return dict(mm.PredictionPoweredMean(power=1)(PREDICTIONS, known))


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("labels", ["floats", "integers", "truths"])
def test_an_empty_cell_is_a_label_that_is_not_known(tmp_path: Path, labels: str, kind: str) -> None:
    """The number is that of nan in its place, from any format."""
    path = written(tmp_path, kind, LABELS[labels])

    assert score(tmp_path, path, *FEW)["prediction_powered_mean"] == expected(LABELS[labels])


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_a_file_may_have_no_label_at_all(tmp_path: Path, kind: str) -> None:
    """Beside a file that has some."""
    files = [written(tmp_path, kind, LABELS[one], one) for one in ("none", "floats")]
    metric = mm.PredictionPoweredMean(power=1)
    metric.add(PREDICTIONS * 2, [math.nan] * 6 + [1.5, 1.0] + [math.nan] * 4)

    assert score(tmp_path, *files, *FEW)["prediction_powered_mean"] == dict(metric.compute())


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_a_label_that_must_be_known_is_an_error(tmp_path: Path, kind: str, capsys: Any) -> None:
    """Alone or beside the metric that needs few labels; and so is a missing prediction."""
    path = written(tmp_path, kind, LABELS["floats"])
    for metrics in (
        ["mae"],
        ["mae", "prediction_powered_mean"],
        ["prediction_powered_mean", "mae"],
    ):
        words = [word for name in metrics for word in ("--metric", name)]
        assert main(["score", str(path), *words]) == 2
        assert re.search("no value in 'labels'|missing values", capsys.readouterr().err)
    swapped = ("--column", "predictions=labels", "--column", "labels=predictions")
    assert main(["score", str(path), *FEW, *swapped]) == 2
    assert re.search("no value in 'labels'|missing values", capsys.readouterr().err)


def test_systems_with_few_labels_are_compared(tmp_path: Path) -> None:
    """Both systems have the same labels, and the same ones are unknown."""
    a = written(tmp_path, "csv", LABELS["floats"], "a")
    b = written(tmp_path, "jsonl", LABELS["floats"], "b")
    target = tmp_path / "found.json"

    assert main(["compare", str(a), "--", str(b), *FEW, "--json", str(target)]) == 0

    assert json.loads(target.read_text())["prediction_powered_mean"]["mean_difference"] == 0.0


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("labels", ["floats", "integers", "truths"])
def test_tables_have_unknown_labels(labels: str, library: str) -> None:
    """Nulls and nan of a data frame are labels that are not known."""
    table = table_of(LABELS[labels])
    if library != "pyarrow":
        of_library = requires(library)
        table = table.to_pandas() if library == "pandas" else of_library.from_arrow(table)

    assert dict(mm.score(table, mm.PredictionPoweredMean(power=1))) == expected(LABELS[labels])
    with pytest.raises(ValueError, match="no value in 'labels'"):
        mm.score(table, {"few": mm.PredictionPoweredMean(), "error": mm.MeanAbsoluteError()})
