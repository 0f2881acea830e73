"""What is printed, what is required, what a file of options says, and slices of every kind."""

import json
import shutil

import numpy as np
import pytest

from mmeval_like.cli import main
from tests.cli.files import ROWS, predictions, run, score, write
from tests.cli.test_score import by_hand
from tests.helpers.optional import requires

requires("pyarrow")

ACCURACY = ("--metric", "accuracy")


def test_shares_instead_of_per_cent(tmp_path):
    """The metric that constructs another one has the arguments of both."""
    path = write(tmp_path, "npz")
    metric = "precision_recall_f1score:num_classes=10,percent=false,average=none"

    found = score(tmp_path, path, "--metric", metric)["precision_recall_f1score"]

    assert 0 < max(found["recall_classwise"]) <= 1


def test_json_on_the_output(tmp_path, capsys):
    """`--json -`: the output is JSON and nothing else; the table goes to the error stream."""
    path = str(write(tmp_path, "npz"))

    assert main(["score", path, *ACCURACY, "--json", "-"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out) == {"accuracy": {"top1": by_hand()}, "samples": ROWS}
    assert "top1" in captured.err
    assert main(["score", path, *ACCURACY, "--json", "-", "-q"]) == 0
    assert capsys.readouterr().err == ""
    assert main(["score", path, *ACCURACY, "--csv", "-", "-q"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "all,samples,,500"
    assert main(["score", path, *ACCURACY, "--json", "-", "--csv", "-"]) == 2


@pytest.mark.filterwarnings("ignore:Accuracy")
def test_json_is_valid(tmp_path):
    """No NaN: null, and why."""
    path = tmp_path / "p.csv"
    path.write_text("predictions,labels\n")
    target = tmp_path / "out.json"

    assert main(["score", str(path), *ACCURACY, "--json", str(target)]) == 0

    def refuse(text):
        raise AssertionError(text)

    found = json.loads(target.read_text(), parse_constant=refuse)
    assert found["accuracy"] == {"top1": None}
    assert found["samples"] == 0
    assert "not a number" in found["why_null"]["accuracy/top1"]


@pytest.mark.filterwarnings("ignore:the ids of two batches")
def test_rows_are_counted(tmp_path, capsys):
    """In the table, in JSON and in CSV, for every slice; rows that repeat count once."""
    path = write(tmp_path, "npz")
    copy = shutil.copy(path, tmp_path / "copy.npz")
    domain = predictions()["domain"]
    target = tmp_path / "out.json"

    asked = ["--by", "domain", "--ids", "id", "--json", str(target)]
    assert main(["score", str(path), str(copy), *ACCURACY, *asked]) == 0

    found = json.loads(target.read_text())
    assert found["all"]["samples"] == ROWS
    assert found["domain=day"]["samples"] == int((domain == "day").sum())
    assert "samples" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("condition", "code"),
    [
        ("accuracy.top1>=0.7", 0),
        ("accuracy.top1 > 0.99", 3),
        ("domain=day/accuracy.top1>=0.1", 0),
        ("domain=day/accuracy.top1<0.1", 3),
        ("samples==500", 0),
        ("samples<500", 3),
    ],
)
def test_require(tmp_path, capsys, condition, code):
    """Exit code 3 when it is missed, with the value; the results are written all the same."""
    path, target = write(tmp_path, "npz"), tmp_path / "out.json"
    asked = ["score", str(path), *ACCURACY, "--by", "domain", "--json", str(target)]

    assert main([*asked, "--require", condition]) == code
    assert (f"required {condition}" in capsys.readouterr().err) == (code == 3)
    assert target.exists()


def test_require_of_nothing(tmp_path, capsys):
    """An unknown number, or no condition at all, is bad input."""
    path = str(write(tmp_path, "npz"))

    assert main(["score", path, *ACCURACY, "--require", "accuracy.top2>=0.7"]) == 2
    assert "did you mean accuracy.top1" in capsys.readouterr().err
    for text in ("accuracy.top1", "accuracy.top1>=high", ">=0.5", "a=0.5"):
        assert main(["score", path, *ACCURACY, "--require", text]) == 2
        assert "--require must be" in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore:Accuracy")
def test_require_of_nan_is_missed(tmp_path):
    """Nan is no number that is large enough, and none that is small enough."""
    path = tmp_path / "p.csv"
    path.write_text("predictions,labels\n")

    for sign in (">=", "<=", "==", "<", ">"):
        assert main(["score", str(path), *ACCURACY, "--require", f"accuracy.top1{sign}0"]) == 3


def test_require_of_a_share_of_percentages(tmp_path, capsys):
    """A share that is required of per cent would always hold: it is bad input, before a lock too.

    Counts, shares, upper bounds and other metrics are required as they are.
    """
    path = str(write(tmp_path, "npz"))
    percent = "single_label_precision_recall_f1score:num_classes=10"
    asked = ["score", path, *ACCURACY, "--metric", percent, "--by", "domain", "-q"]
    name = percent.partition(":")[0]

    for number in (f"{name}.recall>=0.9", f"domain=day/{name}.recall>0.9"):
        for more in ([], ["--lock", str(tmp_path / "lock.json")]):
            assert main([*asked, "--require", number, *more]) == 2
            said = capsys.readouterr().err
            assert f"write {number.replace('0.9', '90')}, or --metric {name}:percent=false" in said
    assert main([*asked, "--require", f"{name}.recall>=90"]) == 3
    for number in (f"{name}.recall<=0.9", "accuracy.top1>=0.99"):
        assert main([*asked, "--require", number]) == 3
    share = [f"{percent},percent=false", "--require", f"{name}.recall>=0.99", "-q"]
    assert main(["score", path, "--metric", *share]) == 3
    counts = [f"{percent},items=support", "--require", f"{name}.support>=1", "-q"]
    assert main(["score", path, "--metric", *counts]) == 0


def test_require_on_several_ranks(tmp_path):
    """Exit code 3 of the command, and one line."""
    requires("zmq")
    path = write(tmp_path, "npz")

    done = run("score", path, *ACCURACY, "-n", 2, "-q", "--require", "accuracy.top1>=0.99")

    assert done.returncode == 3
    assert done.stderr.count("\n") == 1


def test_a_file_of_options(tmp_path, capsys):
    """The same words as on the command line, which comes on top."""
    path = write(tmp_path, "npz")
    config = tmp_path / "eval.toml"
    config.write_text(
        f'files = ["{path}"]\nmetric = ["accuracy", "confusion_matrix:num_classes=4"]\n'
        f'by = "domain"\nquiet = true\njson = "{tmp_path}/a.json"\nsize = 500\nids = "id"\n'
        'require = ["accuracy.top1>=0.5"]\n'
    )

    assert main(["score", "--config", str(config)]) == 0
    assert capsys.readouterr() == ("", "")
    found = json.loads((tmp_path / "a.json").read_text())
    assert list(found) == ["all", "domain=day", "domain=night"]
    assert list(found["all"]) == ["accuracy", "confusion_matrix", "samples"]
    asked = ["--metric", "accuracy:thrs=none", "--json", str(tmp_path / "b.json")]
    assert main(["score", str(path), "--config", str(config), *asked]) == 0
    found = json.loads((tmp_path / "b.json").read_text())
    assert set(found["all"]) == {"accuracy", "confusion_matrix", "accuracy:thrs=none", "samples"}


def test_files_on_the_command_line_replace_those_of_a_file(tmp_path, capsys):
    """They are scored alone: options of one file serve many systems."""
    ours, theirs, config = (tmp_path / name for name in ("a.csv", "b.csv", "eval.toml"))
    ours.write_text("predictions,labels\n1,1\n")
    theirs.write_text("predictions,labels\n1,0\n0,1\n")
    config.write_text(f'files = ["{ours}"]\nmetric = "accuracy"\nquiet = true\njson = "-"\n')

    assert main(["score", str(theirs), "--config", str(config)]) == 0
    assert json.loads(capsys.readouterr().out) == {"accuracy": {"top1": 0.0}, "samples": 2}


def test_a_lock_says_which_files_it_does_not_write(tmp_path, capsys):
    """A record that was asked for is not there, since nothing is scored: a line names it."""
    path, lock, record = write(tmp_path, "npz"), tmp_path / "lock.json", tmp_path / "r.json"

    assert main(["score", str(path), *ACCURACY, "--lock", str(lock), "--record", str(record)]) == 0
    assert f"not written: --record {record}" in capsys.readouterr().err
    assert lock.exists()
    assert not record.exists()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("metrics = []", "did you mean metric"),
        ("files = 3.5", "must be a string"),
        ("quiet = 1", "true or false"),
        ("ranks = 0", "at least 1"),
        ("ranks = true", "must be a string or a number, got True"),
        ("interval = false", "must be a string or a number, got False"),
        ('backend = "nccl"', "must be one of"),
        ("= 3", "not TOML"),
        ('config = "x"', "unknown option"),
    ],
)
def test_options_that_are_none(tmp_path, capsys, text, reason):
    """The file and the word are named."""
    config = tmp_path / "eval.toml"
    config.write_text(text)

    assert main(["score", "x.csv", *ACCURACY, "--config", str(config)]) == 2
    said = capsys.readouterr().err
    assert "eval.toml" in said
    assert reason in said


@pytest.mark.parametrize("given", ["true", "0.95"])
def test_an_option_without_its_value_is_true(tmp_path, given):
    """`interval = true` is `--interval`, as a file has no other way to leave the level out."""
    path, config = write(tmp_path, "csv"), tmp_path / "eval.toml"
    config.write_text(f"interval = {given}\n")

    found = score(tmp_path, path, *ACCURACY, "--config", config)

    assert found == score(tmp_path, path, *ACCURACY, "--interval")


def test_slices_of_several_columns(tmp_path):
    """Columns together and apart, in one run."""
    table = predictions()
    table["side"] = np.where(table["id"] % 3 == 0, "left", "right")
    path = write(tmp_path, "csv", table)

    found = score(tmp_path, path, *ACCURACY, "--by", "domain,side", "--by", "side")

    chosen = (table["domain"] == "day") & (table["side"] == "left")
    assert found["domain=day,side=left"] == {"accuracy": {"top1": by_hand(chosen)}}
    assert found["side=right"] == {"accuracy": {"top1": by_hand(table["side"] == "right")}}
    assert len(found) == 1 + 4 + 2
    assert main(["score", str(path), *ACCURACY, "--by", "side", "--by", "side"]) == 2


@pytest.mark.parametrize("kind", ["csv", "npz", "jsonl", "parquet"])
def test_floats_are_sorted_into_quarters(tmp_path, kind):
    """Four slices of a column of floats, each with a quarter of the rows, on any file format."""
    table = predictions()
    values = np.random.default_rng(5).normal(size=ROWS)
    path = write(tmp_path, kind, table | {"length": values})

    found = score(tmp_path, path, *ACCURACY, "--by", "length")

    places = np.argsort(np.argsort(values)) // (ROWS // 4)
    assert len(found) == 5
    for place in range(4):
        name = next(n for n in found if n.startswith(f"length=q{place + 1} to "))
        assert found[name] == {"accuracy": {"top1": by_hand(places == place)}}


def test_few_floats_are_slices_of_their_own(tmp_path):
    """0.0, 0.7 and a missing value: not quarters."""
    table = predictions()
    values = np.array([0.0, 0.7, np.nan])[table["id"] % 3]

    found = score(tmp_path, write(tmp_path, "npz", table | {"t": values}), *ACCURACY, "--by", "t")

    assert list(found) == ["all", "t=-", "t=0", 't="0.7"']
    assert found['t="0.7"'] == {"accuracy": {"top1": by_hand(table["id"] % 3 == 1)}}


def test_quarters_on_several_ranks(tmp_path):
    """The ranks agree on the quarters, whatever share of the rows each has."""
    requires("zmq")
    table = predictions() | {"length": np.random.default_rng(5).normal(size=ROWS)}
    path = write(tmp_path, "parquet", table)
    texts = []
    for ranks in (1, 3):
        done = run("score", path, *ACCURACY, "--by", "length", "-n", ranks, "-q", "--json", "-")
        assert done.returncode == 0, done.stderr
        texts.append(done.stdout)

    assert texts[0] == texts[1]
