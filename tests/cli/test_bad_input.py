"""Bad files: one line that says what and where, exit code 2, no traceback."""

import gzip
import json
import pickle

import numpy as np
import pytest

from mmeval_like.cli import main
from tests.cli.files import predictions, run, said, score, write
from tests.helpers.optional import requires

requires("pyarrow")
requires("zmq")

ACCURACY = ("--metric", "accuracy")
PER_CLASS = ("--metric", "single_label_precision_recall_f1score:num_classes=4")


def test_a_missing_file(capsys):
    """Named."""
    assert "nowhere.csv: no such file" in said(capsys, "nowhere.csv", *ACCURACY)


def test_a_missing_column(tmp_path, capsys):
    """Named, with the columns that there are."""
    path = write(tmp_path, "csv")

    line = said(capsys, path, *ACCURACY, "--column", "labels=target")

    assert "'target'" in line
    assert "predictions, labels, domain, id" in line


@pytest.mark.parametrize("kind", ["npz", "parquet", "jsonl"])
def test_a_truncated_file(tmp_path, capsys, kind):
    """Named, and called truncated."""
    path = write(tmp_path, kind)
    path.write_bytes(path.read_bytes()[:-30])

    line = said(capsys, path, *ACCURACY)

    assert path.name in line
    assert "truncated" in line


def test_a_csv_line_that_is_cut(tmp_path, capsys):
    """The line is named."""
    path = write(tmp_path, "csv")
    lines = path.read_text().splitlines()
    lines[299] = "1"
    path.write_text("\n".join(lines))

    assert "line 300" in said(capsys, path, *ACCURACY)


def test_a_cell_that_is_no_number(tmp_path, capsys):
    """The line and the cell are named."""
    path = write(tmp_path, "csv")
    lines = path.read_text().splitlines()
    lines[41] = "1,cat,day,40"
    path.write_text("\n".join(lines))

    line = said(capsys, path, *ACCURACY)

    assert "line 42" in line
    assert "'cat'" in line


def test_columns_of_different_length(tmp_path, capsys):
    """Both are named, with their lengths."""
    path = tmp_path / "preds.npz"
    np.savez(path, predictions=np.zeros(5, int), labels=np.zeros(4, int))

    line = said(capsys, path, *ACCURACY)

    assert "'predictions' has 5" in line
    assert "'labels' has 4" in line


class Bomb:
    """What a pickle could do."""

    def __reduce__(self):
        """Run code when unpickled."""
        return exec, ("raise SystemExit('ran code')",)


def test_pickled_objects_are_refused(tmp_path, capsys):
    """Nothing in a file runs."""
    path = tmp_path / "preds.npz"
    np.savez(path, predictions=np.array([Bomb()], object), labels=np.zeros(1, int))

    assert "pickled objects" in said(capsys, path, *ACCURACY)

    plain = tmp_path / "preds.npy"
    plain.write_bytes(pickle.dumps(Bomb()))
    assert "preds.npy" in said(capsys, plain, *ACCURACY)


@pytest.mark.parametrize("kind", ["npz", "csv", "jsonl", "parquet"])
def test_labels_out_of_range(tmp_path, capsys, kind):
    """The row is named, counted as the format counts."""
    table = predictions()
    table["labels"][123] = 9
    path = write(tmp_path, kind, table)
    row = {"csv": "line 125", "jsonl": "line 124"}.get(kind, "row 123")

    line = said(capsys, path, *PER_CLASS)

    assert f"{path.name}, {row}:" in line
    assert "labels must be in [0, 4), got 9" in line


def test_a_bad_row_on_several_ranks(tmp_path, monkeypatch):
    """One rank finds it; it is said once, and all end."""
    table = predictions()
    table["labels"][450] = 9
    path = write(tmp_path, "npz", table)

    done = run("score", path, *PER_CLASS, "-n", 3)

    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "row 450" in done.stderr


def test_bad_rows_on_several_ranks(tmp_path):
    """The first rank that finds one says it."""
    table = predictions()
    table["labels"] += 9
    path = write(tmp_path, "parquet", table)
    more = write(tmp_path, "npz", table, "more")

    done = run("score", path, more, *PER_CLASS, "-n", 2)

    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "preds.parquet, row 0" in done.stderr


def test_text_that_is_not_utf8(tmp_path, capsys):
    """The column is named."""
    path = tmp_path / "preds.csv"
    path.write_bytes("predictions,labels\n\xe9,1\n".encode("latin-1"))

    assert "'predictions' is not UTF-8" in said(capsys, path, *ACCURACY)


def test_a_file_of_names_that_is_none(tmp_path, capsys):
    """Named, with the reason."""
    path = write(tmp_path, "npz")

    assert "No such file" in said(capsys, path, *ACCURACY, "--classes", f"@{tmp_path}/names")
    assert "not UTF-8" in said(capsys, path, *ACCURACY, "--classes", f"@{path}")


def test_names_of_classes_are_those_of_the_user(tmp_path, capsys):
    """A byte order mark is no part of a name, a blank line is none, and a name is one class."""
    path, names = tmp_path / "preds.csv", tmp_path / "names.txt"
    path.write_text("predictions,labels\nx,x\ny,y\ny,x\n")
    names.write_text("\ufeffx\r\ny\r\n\r\n", encoding="utf-8")
    found = score(tmp_path, path, *ACCURACY, "--classes", f"@{names}")
    assert found["accuracy"]["top1"] == pytest.approx(2 / 3)
    capsys.readouterr()

    path.write_text("predictions,labels\n0,0\n1,1\n2,1\n")
    for given in ("x,y,y", f"@{names}"):
        names.write_text("x\ny\ny\n")
        assert "'y' is there 2 times" in said(capsys, path, *ACCURACY, "--classes", given)


def test_coco_results_need_annotations(tmp_path, capsys):
    """Said so."""
    path = tmp_path / "found.json"
    path.write_text("[]")

    assert "--annotations" in said(capsys, path, "--metric", "coco_detection")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"category_id": 9}, "category_id 9"),
        ({"bbox": [0, 0, 5]}, "four numbers"),
        ({"image_id": "a.jpg"}, "image_id"),
        ({"image_id": 1.5}, "image_id"),
        ({"category_id": 1.5}, "category_id"),
        ({"score": None}, "score"),
    ],
)
def test_detections_that_are_none(tmp_path, capsys, change, reason):
    """The detection is named, and what it needs."""
    annotations, found = tmp_path / "instances.json", tmp_path / "found.json"
    annotations.write_text(
        '{"images": [], "annotations": [], "categories": [{"id": 1, "name": 1}]}'
    )
    good = {"image_id": 1, "category_id": 1, "bbox": [0, 0, 5, 5], "score": 0.5}
    found.write_text(json.dumps([good, good | change]))
    asked = ("--metric", "coco_detection", "--annotations")

    line = said(capsys, found, *asked, annotations)

    assert "found.json, detection 1:" in line
    assert reason in line
    assert "`categories`" in said(capsys, found, *asked, found)


def test_a_detection_without_a_box(tmp_path, capsys):
    """It needs a mask; it is not taken as a box of no size."""
    annotations, found = tmp_path / "instances.json", tmp_path / "found.json"
    annotations.write_text(
        '{"images": [{"id": 1}], "annotations": [], "categories": [{"id": 1, "name": 1}]}'
    )
    found.write_text('[{"image_id": 1, "category_id": 1, "score": 0.5}]')

    line = said(capsys, found, "--metric", "coco_detection", "--annotations", annotations)

    assert "found.json, detection 0: needs" in line
    assert "bbox of four numbers or a mask" in line


def test_files_joined_with_their_headers(tmp_path, capsys):
    """The second header is no sample, even if the columns are texts; names of digits may recur."""
    path = tmp_path / "preds.csv"
    for mark in ("", "\ufeff"):
        path.write_text(f"{mark}predictions,labels\ncat,cat\ndog,cat\n\n" * 2, encoding="utf-8")
        assert "line 5: the header again" in said(capsys, path, *ACCURACY)
    for line in (2, 3, 5):  # the first row begins a block, from which Arrow would drop the mark
        lines = ["predictions,labels", *["cat,cat"] * 5]
        lines[line - 1] = "\ufeff" + lines[line - 1]
        path.write_text("\n".join(lines), encoding="utf-8")
        assert f"line {line}: a byte order mark" in said(capsys, path, *ACCURACY)
    path.write_text('predictions,labels\n"\ufeffcat","\ufeffcat"\ncat,cat', encoding="utf-8")
    assert score(tmp_path, path, *ACCURACY)["accuracy"] == {"top1": 1.0}
    path.write_text("0,1\n0,1\n1,1\n")
    columns = ("--column", "predictions=0", "--column", "labels=1")
    assert score(tmp_path, path, *ACCURACY, *columns)["accuracy"] == {"top1": 0.5}


def test_an_output_that_cannot_be_written(tmp_path, capsys):
    """Said before anything is computed."""
    path, target = write(tmp_path, "npz"), tmp_path / "no" / "x"

    assert "no such folder" in said(capsys, path, *ACCURACY, "--json", target)
    assert "is a folder" in said(capsys, path, *ACCURACY, "--csv", tmp_path)


def test_a_column_that_is_there_twice(tmp_path, capsys):
    """Neither of the two is taken in silence."""
    path = tmp_path / "preds.csv"
    path.write_text("predictions,labels,labels\n1,1,0\n")

    assert "more than one column is called 'labels'" in said(capsys, path, *ACCURACY)


def test_blank_lines_are_counted(tmp_path, capsys):
    """They hold no row, and the line of a bad row is still the one that an editor shows."""
    for kind, lines in {
        "jsonl": ['{"predictions": 1, "labels": 1}', "", "", '{"predictions": 1}', ""],
        "csv": ["predictions,labels", "1,1", "", "1,x", ""],
    }.items():
        path = tmp_path / f"preds.{kind}"
        path.write_text("\n".join(lines))

        assert "line 4" in said(capsys, path, *ACCURACY)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(("lines", "line"), [("v,1,,2", 3), ("v,1,2,", 4), ("v,", 2)])
def test_a_blank_line_in_a_file_of_one_column(tmp_path, capsys, lines, line, end):
    """It may be an empty cell, as pyarrow writes one, so it is not skipped under any rule."""
    path = tmp_path / "scores.csv"
    path.write_text("".join(cell + end for cell in lines.split(",")), newline="")

    for rule in ([], ["--unscored", "drop"], ["--unscored", "0"]):
        said_so = said(capsys, path, "--metric", "mean", "--column", "values=v", *rule)
        assert f"scores.csv, line {line}: a blank line may be a row" in said_so


def test_a_row_of_empty_cells_between_tabs(tmp_path):
    """It is a row, although a line of white space, and is counted where others are empty too."""
    path = tmp_path / "answers.tsv"
    path.write_text("predictions\treferences\n" + "\t\n" * 3)

    found = score(tmp_path, path, "--metric", "exact_match")

    assert found == {"exact_match": {"exact_match": 1.0}}


def test_a_compressed_file_without_its_suffix(tmp_path, capsys):
    """Its first bytes tell it."""
    path = tmp_path / "preds.csv"
    path.write_bytes(gzip.compress(b"predictions,labels\n1,1\n"))

    assert "preds.csv: is compressed; its name must end in .gz" in said(capsys, path, *ACCURACY)


@pytest.mark.parametrize("kind", ["csv", "jsonl", "npz"])
@pytest.mark.parametrize("option", ["--ids", "--cluster"])
@pytest.mark.parametrize("blank", ["", "  ", None])
def test_rows_without_an_id_or_a_cluster(tmp_path, capsys, kind, option, blank):
    """They are not one sample, or one cluster: an empty name is a missing one."""
    if blank is None and kind != "jsonl":
        pytest.skip("only JSON has null")
    names, path = ["a", blank, blank, "b"], tmp_path / f"preds.{kind}"
    if kind == "csv":
        path.write_text("name,predictions,labels\n" + "".join(f"{one},1,1\n" for one in names))
    elif kind == "jsonl":
        rows = [{"name": one, "predictions": 1, "labels": 1} for one in names]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        np.savez(path, name=np.array(names), predictions=np.ones(4, int), labels=np.ones(4, int))
    interval = ["--interval"] if option == "--cluster" else []

    place = {"csv": "line 3", "jsonl": "line 2", "npz": "row 1"}[kind]
    line = said(capsys, path, *ACCURACY, option, "name", *interval)
    assert f"preds.{kind}, {place}: no value in 'name'" in line


def test_empty_ids_in_what_compare_and_lock_read(tmp_path, capsys):
    """Every command that matches samples by their ids refuses empty ones."""
    path, line = tmp_path / "preds.csv", "preds.csv, line 3: no value in 'id'"
    path.write_text("id,predictions,labels\na,1,1\n,1,1\n,1,1\n")
    asked = [
        ["compare", path, "--", path, *ACCURACY, "--ids", "id"],
        ["score", path, *ACCURACY, "--ids", "id", "--lock", tmp_path / "lock.json"],
    ]

    for words in asked:
        assert main([str(word) for word in words]) == 2
        assert line in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "reason"),
    [("text.npy", "not a numpy file"), ("objects.npy", "pickled"), ("scalar.npy", "single number")],
)
def test_arrays_that_are_none(tmp_path, capsys, name, reason):
    """Each is refused for what it is, and nothing is unpickled."""
    (tmp_path / "text.npy").write_text("no array at all")
    np.save(tmp_path / "objects.npy", np.array([{}, None], object))
    np.save(tmp_path / "scalar.npy", np.float64(1))

    assert reason in said(capsys, tmp_path / name, *ACCURACY)


@pytest.mark.parametrize("backend", [pytest.param("mpi4py", marks=pytest.mark.mpi), "torch"])
def test_launchers_do_not_change_what_is_said(tmp_path, backend):
    """One line and exit code 2, also under mpiexec and torchrun."""
    requires(backend)
    path = tmp_path / "preds.csv"
    path.write_text("predictions,labels\n1,1\n1,x\n")

    done = run("score", path, *ACCURACY, "-n", 2, "--backend", backend)

    assert done.returncode == 2
    lines = [line for line in done.stderr.splitlines() if "preds.csv" in line or "rror" in line]
    assert lines == [
        f"mmeval_like: {path}, line 3: labels must be a number, got 'x' (names of "
        "classes need --classes)"
    ]


def test_warnings_are_lines(tmp_path):
    """A file without rows gives nan, and says why."""
    path = tmp_path / "preds.csv"
    path.write_text("predictions,labels\n")

    done = run("score", path, *ACCURACY)

    assert done.returncode == 0
    warning = "mmeval_like: warning: Accuracy: no samples were added on any rank; "
    assert done.stderr.startswith(warning)
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "content", "metric", "text"),
    [
        ("a.csv", "pred,label\n1,1\n".encode("utf-16"), "mse", "looks like UTF-16"),
        ("a.csv", b"pred\tlabel\n1\t1\n", "mse", "the name of the file must end in .tsv"),
        ("a.csv", b"1,1\n0,1\n", "mse", "the first line must contain the names of the columns"),
        ("a.tsv", b"predictions\tgroundtruths\n1,5\t1,4\n", "mse", "got '1,5' (write 1,5 as 1.5"),
        ("a.csv", b"predictions,groundtruths\n50%,1\n", "mse", "must be a number, got '50%'\n"),
        ("a.csv", b"predictions,labels\n1,1\nb,1\n", "accuracy", "got 'b' (names of classes need"),
        ("a.jsonl", b'{\n"pred": 1\n}\n', "mse", "a line is one JSON object"),
        ("a.json", b"[]", "mse", "write a table as .jsonl"),
    ],
)
def test_the_likely_cure_is_named(tmp_path, capsys, name, content, metric, text):
    """For the usual files of spreadsheets and of other programs."""
    path = tmp_path / name
    path.write_bytes(content)

    assert text in said(capsys, path, "--metric", metric) + "\n"


def test_class_names_that_differ_in_spaces(tmp_path, capsys):
    """The error shows both names."""
    path = tmp_path / "a.csv"
    path.write_text("predictions,labels\ncat,cat\ndog,cat\n")

    line = said(capsys, path, *ACCURACY, "--classes", "cat, dog")

    assert "got 'dog'; it differs from ' dog' only in spaces" in line


def test_what_the_options_lack(tmp_path, capsys):
    """A column for a metric whose columns may all be left out, and a folder."""
    path, other = write(tmp_path, "csv"), tmp_path / "other.csv"
    other.write_text("text,truth\na,a\n")

    line = said(capsys, other, "--metric", "perplexity")
    assert "no column for perplexity, which takes predictions, targets, log_likelihoods" in line
    assert "it has text, truth" in line
    line = said(capsys, path, *ACCURACY, "--resume", path)
    assert "is not a folder" in line
