"""Tables that `score` prints for people: confusion matrices and reports of classes."""

import json

import numpy as np
import pytest

from mmeval_like.cli import main
from tests.cli.files import write
from tests.helpers.optional import requires

NAMES = ["bird", "cat", "do\x1bg"]


def lines_below(printed, title):
    """The cells of the table below a title, row by row."""
    text = printed.split(f"{title}:\n")[1]
    rows = []
    for line in text.splitlines()[1:]:
        if line[:1] not in "┃│┡":
            break
        if line[0] != "┡":
            rows.append([cell.strip() for cell in line.strip("┃│").replace("┃", "│").split("│")])
    return rows


@pytest.mark.parametrize("sliced", [False, True])
def test_a_confusion_matrix_is_a_matrix(tmp_path, capsys, monkeypatch, sliced):
    """Rows are labels, columns predictions, with their names; the numbers are those of JSON."""
    requires("rich")
    requires("pyarrow")
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    columns = {"predictions": rng.integers(0, 3, 50), "labels": rng.integers(0, 3, 50)}
    write(tmp_path, "csv", columns | {"day": rng.choice(["mon", "tue"], 50)})
    asked = ["score", "preds.csv", "--metric", "confusion_matrix:num_classes=3"]
    asked += ["--metric", "classification_report:task=multiclass,num_classes=3"]
    asked += ["--classes", ",".join(NAMES), "--json", "r.json", *(["--by", "day"] * sliced)]

    assert main(asked) == 0

    printed = capsys.readouterr().out
    found = json.loads((tmp_path / "r.json").read_text())
    names = ["bird", "cat", "do\\x1bg"]
    for which, values in found.items() if sliced else [("all", found)]:
        of = f"{which} " * sliced
        head, *rows = lines_below(printed, f"{of}confusion_matrix")
        assert head == ["label \\ prediction", *names]
        matrix = values["confusion_matrix"]["confusion_matrix"]
        cells = [list(map(str, row)) for row in matrix]
        assert rows == [[name, *row] for name, row in zip(names, cells, strict=True)]
        head, *rows = lines_below(printed, f"{of}classification_report report")
        assert head == ["class", "precision", "recall", "f1-score", "support"]
        assert [row[0] for row in rows] == [*names, "macro avg", "weighted avg"]
        bird = values["classification_report"]["report"]["bird"]
        assert rows[0][1:] == [f"{x:.6g}" for x in bird.values()]
    assert "confusion_matrix bird" not in printed
