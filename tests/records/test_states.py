"""Saved states, sums of them, and samples that are taken out: all equal to computing anew."""

import json
from pathlib import Path

import numpy as np
import pytest

from mmeval_like.cli import main
from tests.cli.files import predictions, write
from tests.helpers.optional import requires

requires("pyarrow")

METRIC = [
    *("--metric", "accuracy", "--metric", "single_label_precision_recall_f1score:num_classes=4"),
    *("--by", "domain"),
]
WITH_IDS, WITHOUT = [*METRIC, "--ids", "id"], METRIC


def days():
    """The rows of two days."""
    table = predictions()
    return [{name: one[part] for name, one in table.items()} for part in DAYS]


DAYS = (slice(0, 200), slice(200, None))


def run(*arguments):
    """The command, which must succeed."""
    assert main([*map(str, arguments), "-q"]) == 0


def claim(path):
    """The claim of a record."""
    return json.loads(path.read_text())["claim"]


@pytest.mark.parametrize("asked", [WITH_IDS, WITHOUT], ids=["with ids", "without"])
def test_a_sum_of_states_is_the_record_of_all_files(tmp_path, asked):
    """Two days that were saved alone add up to what scoring both gives; saved anew, again."""
    files = []
    for number, day in enumerate(days()):
        files.append(write(tmp_path, "parquet", day, f"day-{number}"))
        run("score", files[-1], *asked, "--state", tmp_path / f"{number}.safetensors")
    run("score", *files, *asked, "--record", tmp_path / "whole.json")
    states = [tmp_path / f"{number}.safetensors" for number in (1, 0)]
    both = tmp_path / "both.safetensors"
    run("rollup", *states, "--record", tmp_path / "sum.json", "--state", both)

    assert claim(tmp_path / "sum.json") == claim(tmp_path / "whole.json")
    run("verify", tmp_path / "whole.json", both)
    run("verify", tmp_path / "sum.json", *files)


@pytest.mark.parametrize("asked", [WITH_IDS, WITHOUT], ids=["with ids", "without"])
def test_a_copy_of_a_state_is_told(tmp_path, capsys, asked):
    """Also within a sum; with ids the samples count once, and other samples are no copy."""
    first, second = days()
    states = []
    for name, day in (("a", first), ("b", second), ("copy", first)):
        path = write(tmp_path, "csv", day, name)
        states.append(tmp_path / f"{name}.safetensors")
        run("score", path, *asked, "--state", states[-1])
    both = tmp_path / "both.safetensors"
    capsys.readouterr()

    assert main(["rollup", *map(str, states[:2]), "--state", str(both)]) == 0
    assert capsys.readouterr().err == ""
    assert main(["rollup", str(both), str(states[2])]) == 0

    told = capsys.readouterr().err
    if "--ids" in asked:
        assert told == ""
    else:
        assert (
            f"{states[2]} (copy.csv) has the samples of {both} (a.csv), which count twice" in told
        )


def test_samples_with_ids_are_taken_out(tmp_path):
    """What is left is what scoring the other rows gives; of the files nothing is known any more."""
    table = predictions()
    bad = np.array([3, 77, 499])
    whole = write(tmp_path, "parquet", table, "whole")
    run("score", whole, *WITH_IDS, "--state", tmp_path / "s.safetensors")
    (tmp_path / "bad.txt").write_text("3\n77\n\n499\n")
    run(
        *("retract", tmp_path / "s.safetensors", "--ids-file", tmp_path / "bad.txt"),
        *("--record", tmp_path / "left.json", "--state", tmp_path / "left.safetensors"),
    )
    others = {name: np.delete(one, bad) for name, one in table.items()}
    run("score", write(tmp_path, "csv", others), *WITH_IDS, "--record", tmp_path / "others.json")
    wanted = claim(tmp_path / "others.json")
    del wanted["shards"]

    assert claim(tmp_path / "left.json") == wanted
    run("verify", tmp_path / "left.json", tmp_path / "left.safetensors")


def test_samples_without_ids_are_subtracted(tmp_path):
    """The rows of some ids, read from the files, are subtracted from what all rows add up to."""
    table = predictions()
    bad = np.array([3, 77, 499])
    whole = write(tmp_path, "parquet", table, "whole")
    run("score", whole, *WITHOUT, "--state", tmp_path / "s.safetensors")
    (tmp_path / "bad.txt").write_text("499\n77\n3\n")
    run(
        *("retract", tmp_path / "s.safetensors", whole, "--ids", "id"),
        *("--ids-file", tmp_path / "bad.txt", "--record", tmp_path / "left.json"),
    )
    others = {name: np.delete(one, bad) for name, one in table.items()}
    run("score", write(tmp_path, "csv", others), *WITHOUT, "--record", tmp_path / "others.json")

    assert claim(tmp_path / "left.json") == claim(tmp_path / "others.json")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["retract", "ids.safetensors", "--ids-file", "none.txt"], "contains no ids"),
        (
            ["retract", "ids.safetensors", "--ids-file", "odd.txt"],
            "no samples have these ids: 9999",
        ),
        (["retract", "ids.safetensors", "whole.csv", "--ids-file", "odd.txt"], "leave out"),
        (["retract", "sums.safetensors", "--ids-file", "odd.txt"], "give files"),
        (
            ["retract", "sums.safetensors", "whole.csv", "--ids", "id", "--ids-file", "odd.txt"],
            "no samples have these ids: 9999",
        ),
        (["rollup", "ids.safetensors", "sums.safetensors"], "cannot be merged"),
        (["rollup", "none.txt"], "truncated or not a saved metric"),
        (["rollup", "nowhere.safetensors"], "no such file"),
        (["verify", "r.json", "ids.safetensors", "--same-files"], "does not have the bytes"),
        (["verify", "r.json", "ids.safetensors", "sums.safetensors"], "rollup"),
    ],
)
def test_what_cannot_be_done_is_said(tmp_path, monkeypatch, capsys, arguments, text):
    """Exit code 2, and one line that says why."""
    monkeypatch.chdir(tmp_path)
    whole = write(tmp_path, "csv", predictions(), "whole")
    run("score", whole, *WITH_IDS, "--state", "ids.safetensors", "--record", "r.json")
    run("score", whole, *WITHOUT, "--state", "sums.safetensors")
    (tmp_path / "none.txt").write_text("\n")
    (tmp_path / "odd.txt").write_text("3\n9999\n")
    capsys.readouterr()

    assert main(arguments) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert text in line


LOCK = [*("--metric", "accuracy", "--ids", "id", "--interval", "--require", "accuracy.top1>=0.99")]


def test_a_lock_is_kept(tmp_path, capsys):
    """Written before there are predictions; another metric, level or sample is refused."""
    table = predictions()
    dataset = write(tmp_path, "csv", {"id": table["id"]}, "dataset")
    lock, record = tmp_path / "lock.json", tmp_path / "r.json"
    assert main(["score", str(dataset), *LOCK, "--lock", str(lock)]) == 0
    files = write(tmp_path, "csv", table)
    given = ["score", str(files), "--locked", str(lock), "--record", str(record), "-q"]
    fine = ["--metric", "accuracy", "--ids", "id", "--interval"]

    assert main([*given, *fine]) == 3  # the bound in the lock is missed
    assert len(json.loads(record.read_text())["made"]["lock"]) == 64
    record.unlink()
    capsys.readouterr()
    assert main([*given, *fine, "0.9"]) == 2
    assert "interval was 0.95, and is now 0.9" in capsys.readouterr().err
    assert main([*given, *fine[2:], "--metric", "accuracy:topk=2"]) == 2
    assert "option: accuracy: topk: '[2]' instead of '[1]'" in capsys.readouterr().err
    fewer = write(tmp_path, "csv", {name: one[1:] for name, one in table.items()}, "fewer")
    assert main(["score", str(fewer), *given[2:], *fine]) == 2
    assert "ids was" in capsys.readouterr().err
    assert not record.exists()


def test_what_is_no_lock_is_refused(tmp_path, capsys):
    """Another file of JSON is none."""
    files = write(tmp_path, "csv")
    (tmp_path / "lock.json").write_text("{}")

    locked = ["--locked", str(tmp_path / "lock.json")]
    assert main(["score", str(files), "--metric", "accuracy", *locked]) == 2
    assert "not a lock" in capsys.readouterr().err


def test_a_lock_keeps_the_columns_that_it_names(tmp_path, capsys):
    """Who reads the labels from the predictions is right in all cases, and is refused."""
    table = predictions()
    columns = {"target": table["labels"], "copy": table["predictions"]}
    files = write(tmp_path, "csv", table | columns)
    lock, record = str(tmp_path / "lock.json"), str(tmp_path / "r.json")
    asked = ["score", str(files), "--metric", "accuracy", "--ids", "id"]
    honest, other = (["--column", f"labels={name}"] for name in ("target", "copy"))
    assert main([*asked, *honest, "--lock", lock]) == 0
    given = [*asked, "--locked", lock, "--record", record, "-q"]

    assert main([*given, *honest]) == 0
    assert main(["verify", record, str(files), "--locked", lock, "-q"]) == 0
    assert main([*given, *other]) == 2
    assert "the column of labels was target, and is now copy" in capsys.readouterr().err
    assert main([*asked, *other, "--record", record, "-q"]) == 0
    assert main(["verify", record, str(files), "--locked", lock]) == 1
    found = capsys.readouterr().out
    assert "the column of labels was target" in found
    assert "the record was not made under this lock" in found


@pytest.mark.parametrize(
    "damage",
    [
        *({name: None} for name in ("metrics", "request", "ids", "require")),
        *({"require": one} for one in ("x", 3, [3])),
        *({"metrics": one} for one in ([], {"accuracy": 3}, {"accuracy": {"class": "Accuracy"}})),
        *({"request": one} for one in ([], {"columns": 3}, {"columns": {"labels": "x"}})),
    ],
    ids=str,
)
def test_a_damaged_lock_is_no_lock(tmp_path, damage, capsys):
    """Exit code 2 and one line, of `score` and of `verify`."""
    files, lock, record = write(tmp_path, "csv"), tmp_path / "lock.json", tmp_path / "r.json"
    asked = ["score", str(files), "--metric", "accuracy", "--ids", "id"]
    assert main([*asked, "--lock", str(lock)]) == 0
    assert main([*asked, "--record", str(record), "-q"]) == 0
    ((name, value),) = damage.items()
    whole = json.loads(lock.read_text())
    lock.write_text(json.dumps({k: v for k, v in (whole | damage).items() if v is not None}))
    capsys.readouterr()

    for command in ([*asked, "-q"], ["verify", str(record), str(files)]):
        assert main([*command, "--locked", str(lock)]) == 2
        assert capsys.readouterr().err.endswith("not a lock written by `score --lock`\n")
    assert value is None or name in whole


def test_what_a_lock_requires_is_held_against_a_record(tmp_path, capsys):
    """A record of a run that missed its bound is not what was promised, from files and states."""
    files, state = str(write(tmp_path, "csv")), str(tmp_path / "s.safetensors")
    lock, record = str(tmp_path / "lock.json"), str(tmp_path / "r.json")
    assert main(["score", files, *LOCK, "--lock", lock]) == 0
    asked = [*LOCK[:-2], "--locked", lock, "--record", record, "--state", state, "-q"]
    assert main(["score", files, *asked]) == 3
    capsys.readouterr()

    for given in (files, state):
        assert main(["verify", record, given]) == 0
        assert main(["verify", record, given, "--locked", lock]) == 1
        (line,) = capsys.readouterr().out.splitlines()[1:]
        assert line.startswith(f"record: {lock}: required accuracy.top1>=0.99, got 0.7")


def test_a_state_of_any_name_is_one(tmp_path, capsys):
    """It is known by its content; a table of that name is not taken for one."""
    files, state = str(write(tmp_path, "csv")), str(tmp_path / "monday")
    record = str(tmp_path / "r.json")
    run("score", files, *WITHOUT, "--state", state, "--record", record)
    capsys.readouterr()

    assert main(["verify", record, state]) == 0
    assert capsys.readouterr().out == "equal\n"
    Path(tmp_path / "tuesday").write_text("predictions,labels\n{,1\n")
    assert main(["verify", record, str(tmp_path / "tuesday")]) == 2
    assert "tuesday" in capsys.readouterr().err


def test_a_lock_requires_what_can_be_required(tmp_path, capsys):
    """A bound that nobody can read is an error now, and not after the run."""
    asked = ["score", str(write(tmp_path, "csv")), "--metric", "accuracy", "--require", "good"]

    assert main([*asked, "--lock", str(tmp_path / "lock.json")]) == 2
    assert not (tmp_path / "lock.json").exists()


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        (["--column", "labels=domain"], "its columns are"),
        (["--ids", "number"], "its ids are 'number'"),
    ],
)
def test_states_of_other_columns_do_not_add_up(tmp_path, monkeypatch, capsys, asked, text):
    """Their record would say that all samples were read from the columns of the first."""
    monkeypatch.chdir(tmp_path)
    table = predictions()
    table |= {"domain": table["labels"], "number": table["id"]}
    of_ids = ["--ids", "id"] * ("--ids" in asked)
    for name, more in (("a", of_ids), ("b", asked)):
        preds = write(tmp_path, "csv", table, name)
        run("score", preds, "--metric", "accuracy", *more, "--state", f"{name}.safetensors")
    capsys.readouterr()

    assert main(["rollup", "a.safetensors", "b.safetensors", "--record", "r.json"]) == 2
    assert f"b.safetensors: {text}" in capsys.readouterr().err
    assert not Path("r.json").exists()


def test_a_state_knows_its_annotations(tmp_path, monkeypatch, capsys):
    """With others than it was made of it has no result: its record would name these."""
    requires("pycocotools")
    monkeypatch.chdir(tmp_path)
    truth = {"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 5, 5], "area": 25}
    whole = {
        "images": [{"id": 1, "width": 9, "height": 9}],
        "annotations": [truth | {"iscrowd": 0}],
        "categories": [{"id": 1, "name": "a"}],
    }
    Path("truth.json").write_text(json.dumps(whole))
    found = {"image_id": 1, "category_id": 1, "bbox": [0, 0, 5, 4], "score": 0.5}
    Path("found.json").write_text(json.dumps([found]))
    asked = ["--metric", "coco_detection:metric=bbox", "--annotations", "truth.json"]
    run("score", "found.json", *asked, "--state", "s.safetensors", "--record", "r.json")
    rollup = ["rollup", "s.safetensors", "--annotations", "truth.json", "-q"]
    assert main(rollup) == 0
    whole["annotations"][0]["bbox"] = [4, 4, 5, 5]
    Path("truth.json").write_text(json.dumps(whole))

    assert main(rollup) == 2
    assert "made with annotations other than truth.json" in capsys.readouterr().err
