"""Bad input: one line that says what and where, exit code 2, no traceback."""

import pickle

import numpy as np
import pytest

from mmeval_like.cli import main
from tests.cli.files import predictions, run, write
from tests.helpers.optional import requires

requires("pyarrow")
requires("zmq")

ACCURACY = ("--metric", "accuracy")
PER_CLASS = ("--metric", "single_label_precision_recall_f1score:num_classes=4")


def said(capsys, *arguments):
    """The one line that the command says."""
    code = main(["score", *map(str, arguments)])
    captured = capsys.readouterr()
    assert code == 2, captured
    assert captured.out == ""
    assert captured.err.count("\n") == 1, captured.err
    assert "Traceback" not in captured.err
    return captured.err


def test_a_missing_file(capsys):
    """Named."""
    assert "nowhere.csv: no such file" in said(capsys, "nowhere.csv", *ACCURACY)


def test_a_missing_column(tmp_path, capsys):
    """Named, with the columns that there are."""
    path = write(tmp_path, "csv")

    line = said(capsys, path, *ACCURACY, "--column", "labels=target")

    assert "'target'" in line
    assert "predictions, labels, domain, id" in line


@pytest.mark.parametrize("option", ["--by", "--ids"])
def test_a_missing_column_of_an_option(tmp_path, capsys, option):
    """The option is named too."""
    assert option in said(capsys, write(tmp_path, "npz"), *ACCURACY, option, "nothing")


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


def test_an_unknown_metric(tmp_path, capsys):
    """With the nearest name."""
    line = said(capsys, write(tmp_path, "npz"), "--metric", "acuracy")

    assert "did you mean 'accuracy'" in line


def test_an_unknown_argument(tmp_path, capsys):
    """With the nearest name."""
    line = said(capsys, write(tmp_path, "npz"), "--metric", "accuracy:top=1")

    assert "did you mean 'topk'" in line


@pytest.mark.parametrize(
    ("metric", "named"),
    [
        ("accuracy:topk=one", "topk"),
        ("accuracy:topk=0", "topk"),
        ("f1_score", "num_classes"),
        ("accuracy:5", "argument=value"),
        ("bleu:tokenizer_fn=os.system", "tokenizer_fn"),
    ],
)
def test_bad_arguments(tmp_path, capsys, metric, named):
    """Wrong types, refused values, missing ones."""
    assert named in said(capsys, write(tmp_path, "npz"), "--metric", metric)


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


def test_an_unknown_format(tmp_path, capsys):
    """The known ones are named."""
    path = tmp_path / "preds.yaml"
    path.write_text("!!python/object/apply:os.system ['true']")

    assert ".parquet" in said(capsys, path, *ACCURACY)


def test_coco_results_need_annotations(tmp_path, capsys):
    """Said so."""
    path = tmp_path / "found.json"
    path.write_text("[]")

    assert "--annotations" in said(capsys, path, "--metric", "coco_detection")


def test_an_output_that_cannot_be_written(tmp_path, capsys):
    """Said so, after the table."""
    code = main(
        ["score", str(write(tmp_path, "npz")), *ACCURACY, "--json", str(tmp_path / "no" / "x")]
    )

    assert code == 2
    assert "No such file" in capsys.readouterr().err


def test_wrong_options_exit_with_2(capsys):
    """As argparse does."""
    with pytest.raises(SystemExit) as ended:
        main(["score"])

    assert ended.value.code == 2
    assert "usage" in capsys.readouterr().err
