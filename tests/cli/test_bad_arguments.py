"""What a user may write wrong on the command line: one line that names it, exit code 2."""

from dataclasses import replace

import pytest

from mmeval_like.backends.records import RECORDS
from mmeval_like.cli import main
from tests.cli.files import predictions, said, write
from tests.helpers.optional import requires

requires("pyarrow")
requires("zmq")

ACCURACY = ("--metric", "accuracy")


def test_a_misspelt_argument_of_column(tmp_path, capsys):
    """It is named, not the column that is missing for want of it."""
    line = said(capsys, write(tmp_path, "csv"), *ACCURACY, "--column", "lables=labels")

    assert "--column" in line
    assert "'lables'" in line
    assert "did you mean labels?" in line


def test_metrics_that_take_other_arguments(tmp_path, capsys):
    """Both are named, and what to do: the data is not to blame."""
    options = ["--metric", "accuracy", "--metric", "mean", "--column", "values=labels"]
    line = said(capsys, write(tmp_path, "csv"), *options)

    assert "accuracy does not take values, but mean does" in line
    assert "two calls" in line


@pytest.mark.parametrize("given", [[], ["groundtruths=labels", "labels=domain"]], ids=str)
def test_two_columns_for_one_argument(tmp_path, capsys, given):
    """Two metrics have two names for the truths: which column is meant has to be said once."""
    table = predictions()
    table["groundtruths"] = table["labels"]
    options = ["--metric", "mean_absolute_error", "--metric", "r2_score"]
    options += [word for one in given for word in ("--column", one)]
    line = said(capsys, write(tmp_path, "csv", table), *options)

    assert "groundtruths and labels are names for one thing: say which column" in line


@pytest.mark.parametrize("option", ["--by", "--ids"])
def test_a_missing_column_of_an_option(tmp_path, capsys, option):
    """The option is named too."""
    assert option in said(capsys, write(tmp_path, "npz"), *ACCURACY, option, "nothing")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["score", "x.npz", *ACCURACY, "--metrics", "f1"], "--metrics f1; did you mean --metric?"),
        (["rollup", "x.safetensors", "--sate", "y"], "--sate y; did you mean --state?"),
        (["list", "accuracy", "f1"], "unrecognized arguments: f1"),
        (["score", *ACCURACY, "--interval", "x.npz"], "put files before --interval"),
        (["score", *ACCURACY, "--interval", "95%"], "write 0.95 for 95%"),
        (["score", "x.npz", *ACCURACY, "--interval", "95"], "got '95'; 95 % is 0.95"),
        (["score", __file__], "`mmeval_like list` shows all metrics"),
    ],
    ids=str,
)
def test_an_option_that_is_wrong(capsys, words, told):
    """One line says how the command is used, and one what is wrong."""
    with pytest.raises(SystemExit) as ended:
        main(words)

    said = capsys.readouterr().err.splitlines()
    assert ended.value.code == 2
    assert said[0].startswith(f"usage: mmeval_like {words[0]} ")
    assert told in said[-1]
    assert len(said) <= 4


def test_a_folder(tmp_path, capsys):
    """Its files are what can be named."""
    assert "is a folder; name its files, for instance" in said(capsys, tmp_path, *ACCURACY)


def test_an_unknown_metric(tmp_path, capsys):
    """With the nearest name."""
    line = said(capsys, write(tmp_path, "npz"), "--metric", "acuracy")

    assert "did you mean accuracy" in line


@pytest.mark.parametrize(
    ("name", "meant"),
    [("acc", "accuracy"), ("miou", "mean_iou"), ("auc", "auroc")],
)
def test_names_that_others_use(tmp_path, capsys, name, meant):
    """They are answered by the name that is meant."""
    assert f"did you mean {meant}" in said(capsys, write(tmp_path, "npz"), "--metric", name)


def test_an_unknown_argument(tmp_path, capsys):
    """With the nearest name."""
    line = said(capsys, write(tmp_path, "npz"), "--metric", "accuracy:top=1")

    assert "did you mean topk?" in line


@pytest.mark.parametrize(
    ("metric", "named"),
    [
        ("accuracy:topk=one", "topk"),
        ("accuracy:topk=0", "topk"),
        ("f1_score", "num_classes"),
        ("accuracy:5", "argument=value"),
        ("bleu:tokenizer_fn=os.system", "tokenizer_fn"),
        ("coco_detection:metric=boxes", "metric must be of"),
        ("mean_iou", "--metric mean_iou: MeanIoU needs num_classes"),
        ("coco_detection", "--metric coco_detection: COCODetection needs the names"),
    ],
)
def test_bad_arguments(tmp_path, capsys, metric, named):
    """Wrong types, refused values, missing ones."""
    assert named in said(capsys, write(tmp_path, "npz"), "--metric", metric)


def test_an_unknown_format(tmp_path, capsys):
    """The known ones are named."""
    path = tmp_path / "preds.yaml"
    path.write_text("!!python/object/apply:os.system ['true']")

    assert ".parquet" in said(capsys, path, *ACCURACY)


def test_wrong_options_exit_with_2(capsys):
    """As argparse does."""
    with pytest.raises(SystemExit) as ended:
        main(["score"])

    assert ended.value.code == 2
    assert "usage" in capsys.readouterr().err


def test_a_size_without_ids(tmp_path, capsys):
    """Which rows are padding cannot be told from a file."""
    assert "--ids" in said(capsys, write(tmp_path, "npz"), *ACCURACY, "--size", "400")


@pytest.mark.parametrize("option", [("-n", "0"), ("-n", "two"), ("--size", "-1")])
def test_impossible_counts(tmp_path, capsys, option):
    """Refused before anything starts."""
    with pytest.raises(SystemExit) as caught:
        main(["score", str(write(tmp_path, "npz")), *ACCURACY, *option])

    assert caught.value.code == 2
    assert "at least 1" in capsys.readouterr().err


def test_a_backend_that_is_not_installed(tmp_path, capsys, monkeypatch):
    """The line says how to install it."""
    record = replace(RECORDS["torch"], module="no_such_package_of_ours")
    monkeypatch.setitem(RECORDS, "torch", record)
    path = write(tmp_path, "npz")

    line = said(capsys, path, *ACCURACY, "-n", "2", "--backend", "torch")

    assert "pip install 'mmeval-like[torch]'" in line


@pytest.mark.parametrize(
    ("metric", "cure"),
    [
        ("recall", "here --metric recall:task=multiclass"),
        ("fbeta_score:beta=2", "here --metric fbeta_score:beta=2,task=multiclass"),
        ("recall:num_classes=3", "here --metric recall:num_classes=3,task=multiclass"),
    ],
)
def test_cures_are_spelt_as_on_the_command_line(tmp_path, capsys, metric, cure):
    """Of errors in the options and in a row."""
    (tmp_path / "a.csv").write_text("labels,predictions\n0,0\n1,1\n2,2\n")
    assert main(["score", str(tmp_path / "a.csv"), "--metric", metric]) == 2
    assert cure in capsys.readouterr().err
