"""`score` of a log, as a command: what it says, and what it refuses."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from mmeval_like.cli import main
from tests.helpers import requires
from tests.logs.test_logs import INSPECT, LM_EVAL

requires("pyarrow")


def test_the_command_says_what_it_reads(capsys: Any, tmp_path: Path) -> None:
    """The guess is on the error stream; JSON has all numbers; a number can be required."""
    target = tmp_path / "out.json"
    log = str(INSPECT / "animals.eval")

    assert main(["score", log, "--json", str(target), "--require", "animals/match.stderr<1"]) == 0
    shown = capsys.readouterr()
    assert "animals.eval: detected inspect log" in shown.err
    assert "numbers that equal the harness's to the last digit" in shown.out
    numbers = json.loads(target.read_text())
    assert [one["name"] for one in numbers] == ["accuracy", "stderr"] * 2
    assert main(["score", log, "-q", "--require", "animals/match.accuracy>0.99"]) == 3


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--by", "page"], "no field 'page' in its samples (for --by); they have kind"),
        (["--ids", "id"], "--ids is for tables of predictions"),
        (["--score", "matches"], "no score 'matches'; did you mean match?"),
        (["--cluster", "page"], "no field 'page'"),
        (["--format", "lm-eval"], "truncated or not JSON"),
        (["--record", "r.json"], "--record is for tables of predictions"),
        (["--state", "s.safetensors"], "--state is for tables of predictions"),
        (["--lock", "l.json"], "--lock is for tables of predictions"),
        (["--locked", "l.json"], "--locked is for tables of predictions"),
        (["--show", "kind"], "--show is for tables of predictions"),
        (["--name", "new"], "--name is for tables of predictions"),
    ],
)
def test_options_that_are_not_for_logs(words: list[str], text: str, capsys: Any) -> None:
    """They are refused by name, with exit code 2."""
    assert main(["score", str(INSPECT / "animals.eval"), *words]) == 2
    assert text in capsys.readouterr().err


def test_a_required_number_of_several_logs_must_hold_in_each(tmp_path: Path, capsys: Any) -> None:
    """The order of the logs does not matter: a good last one does not hide a bad first one."""
    log = json.loads(gzip.decompress((INSPECT / "numbers.json.gz").read_bytes()))
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(json.dumps(log))
    for sample in log["samples"]:
        sample["scores"]["several"]["value"]["first"] = "I"
    bad.write_text(json.dumps(log))
    wanted = ["--score", "first", "--require", "numbers/first.accuracy>=0.4"]

    for logs in ([good, bad], [bad, good], [tmp_path]):
        assert main(["score", *map(str, logs), *wanted]) == 3
        assert "required numbers/first.accuracy>=0.4, got 0.0\n" in capsys.readouterr().err
    assert main(["score", str(good), *wanted]) == 0


def test_what_is_no_log_needs_a_metric(tmp_path: Path, capsys: Any) -> None:
    """The error is that of a table; and options of logs are not for tables."""
    table = tmp_path / "a.jsonl"
    table.write_text('{"predictions": 1, "labels": 1}\n')
    for words, text in (
        ([], "required: --metric"),
        (["--metric", "accuracy", "--format", "inspect"], "remove --metric"),
    ):
        with pytest.raises(SystemExit):
            main(["score", str(table), *words])
        assert text in capsys.readouterr().err


def test_a_metric_of_a_log_needs_the_score(capsys: Any) -> None:
    """The samples of lm-eval are a table, too, but its columns are not those of the metric."""
    file = str(next(LM_EVAL.glob("samples_yes_no_*.jsonl")))
    words = ["gate", file, "--metric", "mean:higher_is_better=true", "--at-least", "0.1"]
    assert main(words) == 2
    assert "as it is a log of lm-eval, give --score NAME" in capsys.readouterr().err
    assert main([*words, "--score", "acc"]) in (0, 1, 3)


def test_scores_of_a_log_are_sliced_by_a_field(tmp_path: Path) -> None:
    """Each slice has the mean of its samples, equal to the harness's where it has one."""
    target = tmp_path / "out.json"
    words = ["--by", "kind", "--score", "by_kind", "--cluster", "kind"]

    assert main(["score", str(INSPECT / "numbers.json.gz"), *words, "--json", str(target)]) == 0

    found = {one["name"]: one for one in json.loads(target.read_text())}
    for kind in ("wild", "tame"):
        theirs, own = found[f"accuracy, {kind}"], found[f"accuracy, all, kind={kind}"]
        assert (own["value"], own["samples"]) == (theirs["value"], theirs["samples"])
        assert theirs["same"]
        assert own["harness"] is None


@pytest.mark.parametrize("first", [{}, {"kind": None}, {"kind": "-"}])
def test_the_first_sample_may_lack_a_field(tmp_path: Path, first: dict[str, Any]) -> None:
    """The fields of a log are those of all samples, in whatever order a harness wrote them."""
    file, target = tmp_path / "samples_animals.jsonl", tmp_path / "numbers.json"
    docs = [first, *({"kind": kind} for kind in ("wild", "tame", "wild"))]
    lines = [
        {"doc_id": i, "doc": doc, "filter": "none", "filtered_resps": [], "metrics": ["acc"],
         "acc": i % 2}
        for i, doc in enumerate(docs)
    ]  # fmt: skip
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))

    assert main(["score", str(file), "--by", "kind", "--json", str(target), "-q"]) == 0
    found = {one["name"]: (one["value"], one["samples"]) for one in json.loads(target.read_text())}
    rest = {name: number for name, number in found.items() if name not in ("mean", "stderr")}
    lacking = "mean, kind=-" if first.get("kind") is None else 'mean, kind="-"'
    assert rest == {"mean, kind=tame": (0, 1), "mean, kind=wild": (1, 2), lacking: (0, 1)}


def test_a_field_of_floats_is_cut_into_quarters(tmp_path: Path) -> None:
    """As for tables: ten different values are slices, and more of them are four ranges."""
    for count, slices in (
        (3, ['"0.5"', '"1.5"', '"2.5"']),
        (12, ["q1 to 2.5", "q2 to 5.5", "q3 to 8.5", "q4 to 11.5"]),
    ):
        (file,) = LM_EVAL.glob("samples_yes_no_*.jsonl")
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        for number, line in enumerate(lines):
            line["doc"]["length"] = number % count + 0.5
        log, target = tmp_path / "samples.jsonl", tmp_path / "out.json"
        log.write_text("".join(f"{json.dumps(line)}\n" for line in lines))

        words = ["--by", "length", "--score", "acc", "-q", "--json", str(target)]
        assert main(["score", str(log), *words]) == 0

        found = [one["name"] for one in json.loads(target.read_text())]
        assert [name for name in found if "," in name] == [f"mean, length={one}" for one in slices]
