"""More ways in: compressed, piped, Arrow, nested and text columns, and columns nobody named."""

import gzip
import io
import json
import subprocess
import sys
from decimal import Decimal

import numpy as np
import pytest

from mmeval_like.cli import main
from tests.cli.files import command, environment, predictions, score, write
from tests.cli.test_score import by_hand
from tests.helpers.optional import requires
from tests.helpers.pace import patient

requires("pyarrow")

ACCURACY = ("--metric", "accuracy")


def right():
    """The accuracy of all rows."""
    return {"accuracy": {"top1": by_hand()}}


@pytest.mark.parametrize("kind", ["csv", "jsonl", "npz", "parquet"])
def test_compressed_files(tmp_path, kind):
    """`.gz` of any format."""
    path = write(tmp_path, kind)
    packed = tmp_path / f"packed.{kind}.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))

    assert score(tmp_path, packed, *ACCURACY) == right()


@pytest.mark.parametrize("name", ["p.csv.gz", "-"])
def test_packed_rows_of_locks_and_retractions(tmp_path, monkeypatch, name):
    """`--lock` reads ids, and `retract` rows, of compressed files and of standard input."""
    data = b"id,predictions,labels\n1,0,0\n2,1,1\n3,1,0\n4,1,1\n"
    monkeypatch.chdir(tmp_path)
    packed = tmp_path / "p.csv.gz"
    packed.write_bytes(gzip.compress(data))
    (tmp_path / "ids.txt").write_text("3\n")

    def ran(*words):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        return main([*words, "-q"])

    assert ran("score", name, *ACCURACY, "--ids", "id", "--lock", "l.json") == 0
    assert ran("score", "p.csv.gz", *ACCURACY, "--ids", "id", "--locked", "l.json") == 0
    assert ran("score", "p.csv.gz", *ACCURACY, "--state", "s.safetensors") == 0
    words = ["--ids-file", "ids.txt", "--ids", "id", "--json", "one.json"]
    assert ran("retract", "s.safetensors", name, *words) == 0
    assert json.loads((tmp_path / "one.json").read_text())["accuracy"] == {"top1": 1.0}


@pytest.mark.parametrize("kind", ["csv", "jsonl", "npz", "parquet"])
def test_a_table_is_scored_without_pandas(tmp_path, kind):
    """Arrow imports it where it is installed: every rank would start half a second later."""
    requires("pandas")
    program = "import sys; from mmeval_like.cli import main; main(); print('pandas' in sys.modules)"
    words = ["score", write(tmp_path, kind), *ACCURACY, "--json", tmp_path / "result.json"]

    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, words)],
        env=environment(), capture_output=True, text=True, timeout=patient(60),
    )  # fmt: skip

    assert done.stdout.splitlines()[-1] == "False", done.stderr
    assert json.loads((tmp_path / "result.json").read_text())["accuracy"] == right()["accuracy"]


def test_compressed_files_that_are_damaged(tmp_path, capsys):
    """Named, as given; and no folder of progress can be made of them."""
    path = write(tmp_path, "csv")
    packed = tmp_path / "p.csv.gz"
    data = gzip.compress(path.read_bytes())
    for bad in (data[:-20], data[:60] + bytes(40) + data[100:], b"no gzip"):
        packed.write_bytes(bad)
        assert main(["score", str(packed), *ACCURACY]) == 2
        assert "p.csv.gz: truncated or not a gzip file" in capsys.readouterr().err
    packed.write_bytes(data)
    assert main(["score", str(packed), *ACCURACY, "--resume", str(tmp_path / "r")]) == 2
    assert "unpack it first" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["csv", "jsonl", "npz", "parquet"])
def test_standard_input(tmp_path, kind, monkeypatch):
    """`-`: the format is known by its beginning."""
    data = write(tmp_path, kind).read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    assert score(tmp_path, "-", *ACCURACY) == right()


def test_standard_input_on_several_ranks(tmp_path):
    """It is read once; the ranks share it."""
    requires("zmq")
    data = write(tmp_path, "csv").read_bytes()

    done = subprocess.run(
        command("score", "-", *ACCURACY, "-n", 2, "--json", "-", "-q"),
        input=data, capture_output=True, env=environment(), timeout=patient(60),
    )  # fmt: skip

    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout) == right() | {"samples": 500}


def test_tabs(tmp_path):
    """A .tsv file may have commas in its cells."""
    table = predictions()
    lines = ["predictions\tlabels\ttext"]
    lines += [f"{p}\t{y}\ta, b" for p, y in zip(table["predictions"], table["labels"], strict=True)]
    path = tmp_path / "p.tsv"
    path.write_text("\n".join(lines))

    assert score(tmp_path, path, *ACCURACY) == right()


@pytest.mark.parametrize("suffix", ["feather", "arrow"])
def test_arrow(tmp_path, suffix, monkeypatch):
    """Arrow's files, compressed or not, in several record batches."""
    import pyarrow as pa
    import pyarrow.feather as feather

    monkeypatch.setattr("mmeval_like.cli.readers.arrow_files.BATCH_ROWS", 17)
    path = tmp_path / f"p.{suffix}"
    feather.write_feather(pa.table(predictions()), path, chunksize=64,
                          compression="lz4" if suffix == "feather" else "uncompressed")  # fmt: skip

    assert score(tmp_path, path, *ACCURACY, "--ids", "id", "--size", 500) == right()
    table = predictions()
    table["labels"][300] = 9
    feather.write_feather(pa.table(table), path, chunksize=64)
    metric = "confusion_matrix:num_classes=4"
    with pytest.raises(AssertionError):
        score(tmp_path, path, "--metric", metric)


@pytest.mark.parametrize("kind", ["jsonl", "parquet", "feather"])
def test_nested_columns(tmp_path, kind):
    """`outer.inner`, in every format that has structures; a name with a dot comes first."""
    rows = [
        {"out": {"pred": {"id": int(p)}}, "doc.label": int(y), "doc": {"label": 9}}
        for p, y in zip(predictions()["predictions"], predictions()["labels"], strict=True)
    ]
    path = tmp_path / f"p.{kind}"
    if kind == "jsonl":
        path.write_text("\n".join(map(json.dumps, rows)))
    else:
        import pyarrow as pa
        import pyarrow.feather as feather
        import pyarrow.parquet as pq

        table = pa.Table.from_pylist(rows)
        (pq.write_table if kind == "parquet" else feather.write_feather)(table, path)
        if kind == "parquet":  # two paths of this file format would be the same
            table = table.drop_columns(["doc"])
            pq.write_table(table, path)
    asked = ("--column", "predictions=out.pred.id", "--column", "labels=doc.label")

    assert score(tmp_path, path, *ACCURACY, *asked) == right()


def test_a_row_without_a_nested_column(tmp_path, capsys):
    """The line is named."""
    path = tmp_path / "p.jsonl"
    path.write_text('{"m": {"p": 1}, "labels": 1}\n{"m": {}, "labels": 1}')

    assert main(["score", str(path), *ACCURACY, "--column", "predictions=m.p"]) == 2
    assert "line 2: no column 'm.p'" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "npz"])
def test_names_of_classes(tmp_path, kind, capsys):
    """Texts among `--classes` are indices, or all texts where no order counts; others are named."""
    table = predictions()
    names = np.array(["cat", "horse", "cow", "10"])
    table = {"predictions": names[table["predictions"]], "labels": names[table["labels"]]}
    path = write(tmp_path, kind, table)

    assert score(tmp_path, path, *ACCURACY, "--classes", "cat,horse,cow,10") == right()
    assert main(["score", str(path), *ACCURACY, "--classes", "cat,cow,hosre,10"]) == 2
    assert "must be names of classes, got 'horse'; did you mean hosre" in capsys.readouterr().err
    assert score(tmp_path, path, *ACCURACY) == right()


@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl", "npz"])
@pytest.mark.parametrize(
    ("cells", "names"),
    [
        ([1, 2, 3], "1,2,3"),
        ([1, 2, 1], "1,2,3"),
        ([True, False], "true,false"),
        ([1.0, 2.0, 1.0], "1,2,3"),
        ([1.0, 2.0, 1.0], "1.0,2.0,3.0"),
    ],
)
def test_names_that_are_numbers(tmp_path, capsys, kind, cells, names):
    """A cell that is a class's name and another one's index is refused: nobody knows which."""
    path = write(tmp_path, kind, {"predictions": np.array(cells), "labels": np.array(cells)})

    assert main(["score", str(path), *ACCURACY, "--classes", names]) == 2
    assert "--classes: " in capsys.readouterr().err
    path = write(tmp_path, kind, {"predictions": np.array([0, 1]), "labels": np.array([1, 1])})
    assert main(["score", str(path), *ACCURACY, "--classes", "0,1"]) == 0


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "npz"])
def test_ids_that_are_texts(tmp_path, kind, capsys):
    """Rows of one name count once; `--size` is the number of names."""
    names = np.array(["img-1", "img-2 with a name that is hashed", "img-1"])
    table = {"predictions": np.array([1, 0, 1]), "labels": np.array([1, 1, 1]), "name": names}
    path = write(tmp_path, kind, table)

    found = score(tmp_path, path, *ACCURACY, "--ids", "name", "--size", "2")

    assert found["accuracy"] == {"top1": 0.5}
    assert main(["score", str(path), *ACCURACY, "--ids", "name", "--size", "3"]) == 2
    assert "1 of the 3 samples" in capsys.readouterr().err


def test_classes_of_another_number(tmp_path, capsys):
    """Said, not passed over."""
    path = write(tmp_path, "npz")
    metric = "confusion_matrix:num_classes=4"

    assert main(["score", str(path), "--metric", metric, "--classes", "a,b,c"]) == 2
    assert "classes has 3 names, but num_classes is 4" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("found", "truth"), [("y_pred", "y_true"), ("Prediction", "label"), ("preds", "label_ids")]
)
def test_usual_names_are_guessed_and_said(tmp_path, capsys, found, truth):
    """On the error stream; `-q` is silent; a name that was given is never replaced."""
    table = predictions()
    path = write(tmp_path, "csv", {found: table["predictions"], truth: table["labels"]})

    assert score(tmp_path, path, *ACCURACY) == right()
    said = capsys.readouterr().err
    assert f"predictions are read from the column {found!r}" in said
    assert f"labels are read from the column {truth!r}" in said
    assert score(tmp_path, path, *ACCURACY, "-q") == right()
    assert capsys.readouterr() == ("", "")
    assert main(["score", str(path), *ACCURACY, "--column", "labels=y"]) == 2


@pytest.mark.filterwarnings("ignore:all scores are 0 or 1")
@pytest.mark.parametrize(
    ("metrics", "column"),
    [(["auroc"], "score"), (["accuracy"], "prediction"), (["auroc", "accuracy"], "prediction")],
)
def test_metrics_of_scores_read_the_scores(tmp_path, capsys, metrics, column):
    """Beside a column of decisions, which a metric that takes either reads, and all if one does."""
    (tmp_path / "a.csv").write_text("label,prediction,score\n0,0,0.2\n1,1,0.9\n1,0,0.4\n0,0,0.3\n")
    words = [word for metric in metrics for word in ("--metric", metric)]
    assert main(["score", str(tmp_path / "a.csv"), *words]) == 0
    told = capsys.readouterr().err
    assert f"predictions are read from the column {column!r}, not from" in told


def test_decisions_with_the_arguments_own_name_are_told(tmp_path, capsys):
    """They are read, and if there are scores, too, for a metric of scores, these are named."""
    path = tmp_path / "a.csv"
    path.write_text("labels,predictions,prob\n0,0,0.2\n1,1,0.9\n1,0,0.4\n0,0,0.3\n")
    told = "predictions are read from the column 'predictions', not from 'prob'; --column can"
    for metric in ("brier_score", "accuracy"):
        found = score(tmp_path, path, "--metric", metric)
        assert found == {"brier_score": {"brier": 0.25}} or metric == "accuracy"
        assert (told in capsys.readouterr().err) == (metric == "brier_score")


def test_weights_are_never_guessed(tmp_path, capsys):
    """A column `weight` weighs nothing unless somebody says so."""
    table = predictions() | {"weight": np.arange(500.0)}

    assert score(tmp_path, write(tmp_path, "csv", table), *ACCURACY) == right()


def test_other_columns_that_fit_are_named(tmp_path, capsys):
    """Decisions beside scores: a curve of decisions is another number, so the scores are named."""
    table = predictions()
    columns = {"pred": table["predictions"], "Score": table["predictions"], "y": table["labels"]}
    path = write(tmp_path, "csv", columns)

    assert score(tmp_path, path, *ACCURACY) == right()
    said = capsys.readouterr().err
    assert "predictions are read from the column 'pred', not from 'Score'; --column" in said
    assert "labels are read from the column 'y'\n" in said


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("gold,guess\n1,1\n", "name it by --column predictions=COLUMN"),
        ("label;prediction\n1;1\n", "separated by commas, not by ;"),
    ],
)
def test_a_column_that_is_missing(tmp_path, capsys, text, advice):
    """The error says how to name the column, and that semicolons do not separate cells."""
    path = tmp_path / "rows.csv"
    path.write_text(text)

    assert main(["score", str(path), *ACCURACY]) == 2
    assert advice in capsys.readouterr().err
    assert main(["score", str(path), *ACCURACY, "--column", "predictions=no"]) == 2
    assert "name it by" not in capsys.readouterr().err


def test_lines_that_end_in_cr_alone_are_named(tmp_path, capsys):
    """The file is no line of cells: the error says what is wrong with it."""
    path = tmp_path / "a.csv"
    path.write_bytes(b"predictions,labels\r1,1\r0,1\r")
    assert main(["score", str(path), "--metric", "accuracy"]) == 2
    assert "a.csv: lines must end in LF or CRLF" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["p.csv.gz", "my preds.csv.GZ"])
def test_errors_of_a_compressed_file_name_the_file_that_was_given(tmp_path, capsys, name):
    """The file that it was unpacked to is gone when the error is read."""
    path = tmp_path / name
    path.write_bytes(gzip.compress(b"predictions,labels\n1,1\n1,\n"))

    assert main(["score", str(path), "--metric", "accuracy"]) == 2
    assert capsys.readouterr().err == f"mmeval_like: {name}, line 3: no value in 'labels'\n"


def test_errors_of_standard_input_name_it(monkeypatch, capsys):
    """As the user does: `-`."""
    data = b"predictions,target\n1,1\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    assert main(["score", "-", "--metric", "accuracy", "--column", "labels=gold"]) == 2
    assert capsys.readouterr().err.startswith("mmeval_like: -: no column 'gold'")


@pytest.mark.parametrize("kind", ["parquet", "feather"])
def test_decimals_are_numbers(tmp_path, kind):
    """A literal such as 0.1 is a decimal in DuckDB: alone, in lists, and where some are missing."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    feather = pytest.importorskip("pyarrow.feather")
    scores = [["0.1", "0.9"], ["0.8", "0.2"], ["0.25", "0.75"]]
    table = {
        "predictions": [[Decimal(score) for score in row] for row in scores],
        "labels": [Decimal(1)] * 3,
        "value": [Decimal("0.1"), None, Decimal("0.25")],
    }
    path = tmp_path / f"preds.{kind}"
    (pq.write_table if kind == "parquet" else feather.write_feather)(pa.table(table), path)

    assert score(tmp_path, path, "--metric", "accuracy") == {"accuracy": {"top1": 2 / 3}}
    found = score(tmp_path, path, "--metric", "mean", "--unscored", "drop")
    assert found["mean"] == {"mean": 0.175}
