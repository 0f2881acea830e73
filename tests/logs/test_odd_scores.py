"""Scores that are not numbers, and files that are not logs, are named."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from mmeval_like.cli import main
from mmeval_like.logs import Log, LogError, Scores, read_log
from mmeval_like.logs.compare import BETWEEN, Number, compared
from mmeval_like.logs.log import LEFT_OUT, Aggregate
from mmeval_like.logs.rules import RULES
from tests.helpers import requires

LM_EVAL, INSPECT = (Path(__file__).parent / name for name in ("lm_eval", "inspect"))
(ANIMALS,) = LM_EVAL.glob("samples_animals_*.jsonl")


def changed(folder: Path, **fields: Any) -> Path:
    """A copy of a log whose third sample has these fields."""
    shutil.copytree(LM_EVAL, folder)
    samples = [json.loads(line) for line in ANIMALS.read_text().splitlines()]
    samples[2] |= fields
    file = folder / ANIMALS.name
    file.write_text("".join(json.dumps(sample) + "\n" for sample in samples))
    return file


def by_name(file: Path) -> dict[tuple[str, str], Number]:
    """Numbers by score and name."""
    return {(one.score, one.name): one for one in compared(read_log(file))}


@pytest.mark.parametrize("odd", [None, "wrong", "0.5", [1, 2], {"right": 1}])
def test_a_score_that_is_no_number_is_named(odd: Any, tmp_path: Path) -> None:
    """Its numbers are not computed, and the remark has the sample; other scores are as before."""
    before, found = by_name(ANIMALS), by_name(changed(tmp_path / "log", acc=odd))

    for name in ("mean", "stderr"):
        one = found["acc", name]
        assert one.value is None
        assert one.remarks == (f"1 of 12 scores are not numbers: sample 2 has {odd!r}",)
        assert found["acc_norm", name] == before["acc_norm", name]


@pytest.mark.parametrize("score", [True, 1])
def test_true_is_one(score: Any, tmp_path: Path) -> None:
    """However a harness writes that an answer is right, its numbers are the same."""
    files = [changed(tmp_path / str(value), acc=value) for value in (score, 1.0)]
    first, second = map(by_name, files)
    assert first == second


def test_samples_of_one_question_have_no_error_by_it(tmp_path: Path) -> None:
    """A single group tells nothing: that is what the remark says, and not that it is nan."""
    file = changed(tmp_path / "log")
    lines = [json.loads(line) | {"doc_id": 0} for line in file.read_text().splitlines()]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))

    remark = by_name(file)["acc", "stderr"].remarks[-1]
    assert remark.endswith("independent; all have the same 'question', so it is undefined")


def test_a_number_of_the_harness_that_is_none_is_told(tmp_path: Path) -> None:
    """What follows from the samples is there as before; there is nothing to compare it with."""
    log = json.loads(gzip.decompress((INSPECT / "numbers.json.gz").read_bytes()))
    log["results"]["scores"][0]["metrics"]["mean"]["value"] = "high"
    file = tmp_path / "log.json"
    file.write_text(json.dumps(log))

    found, before = by_name(file), by_name(INSPECT / "numbers.json.gz")
    one = found["share_of_letters", "mean"]
    assert (one.harness, one.same) == (None, False)
    assert one.remarks == ("the harness's number is none: 'high'",)
    assert one.value == before["share_of_letters", "mean"].value
    assert all(found[key] == before[key] for key in before if key != ("share_of_letters", "mean"))


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "a.zip"])
def test_a_file_that_is_no_log_is_named(name: str, tmp_path: Path, capsys: Any) -> None:
    """Without a metric the error is not only that one is missing: nobody's log was recognised."""
    (tmp_path / name).write_text("")
    with pytest.raises(SystemExit):
        main(["score", str(tmp_path / name)])
    said = capsys.readouterr().err
    assert "arguments are required: --metric" in said
    assert f"; {tmp_path / name} does not contain a log of lm-eval, " in said


@pytest.mark.parametrize("command", ["score", "compare", "gate"])
def test_a_log_that_cannot_be_read_is_a_log(command: str, tmp_path: Path, capsys: Any) -> None:
    """Truncated, absent or given twice: the error says so, and not that a metric is missing."""
    log = next((INSPECT.parent / "lm_eval").glob("samples_animals_*.jsonl"))
    packed, cut = tmp_path / "a.jsonl.gz", tmp_path / "b.jsonl.gz"
    packed.write_bytes(gzip.compress(log.read_bytes()))
    cut.write_bytes(packed.read_bytes()[:-20])
    other = {"compare": ["--", str(packed)], "gate": ["--at-least", "0"]}.get(command, [])
    for files, text in (
        ([str(cut)], f"{cut}: truncated"),
        ([str(tmp_path / "c.jsonl")], "c.jsonl: no such file"),
        ([str(packed), str(packed)], "given twice"),
    ):
        assert main([command, *files, *other]) == 2
        said = capsys.readouterr().err
        assert text in said
        assert "--metric" not in said


def test_no_number_is_broken_where_no_terminal_is(capsys: Any, monkeypatch: Any) -> None:
    """In a pipe a line of the table is as long as it has to be, so that numbers can be found."""
    requires("rich")
    monkeypatch.delenv("COLUMNS", raising=False)
    assert main(["score", str(ANIMALS)]) == 0
    shown = capsys.readouterr().out
    assert all(repr(one.value) in shown for one in by_name(ANIMALS).values())

    monkeypatch.setenv("COLUMNS", "60")  # which whoever wants narrow lines sets
    assert main(["score", str(ANIMALS)]) == 0
    table = capsys.readouterr().out.splitlines()
    assert max(len(line) for line in table if "│" in line) <= 60


def test_large_labels_are_no_more_classes_than_there_are() -> None:
    """The correlation of labels that are large numbers takes the memory of those that occur."""
    pairs = [[7, 7], [10**9, 10**9], [10**9, 7], [3, 3], [10**12, 10**12]]
    codes = {3: 0, 7: 1, 10**9: 2, 10**12: 3}
    small = [[codes[label] for label in pair] for pair in pairs]

    assert RULES["matthews_corrcoef"](pairs) == RULES["matthews_corrcoef"](small)


def test_a_sum_is_a_number(tmp_path: Path) -> None:
    """A text with a long exponent would be an integer that no memory holds."""
    stat = {"name": {"name": "exact_match", "split": "test"}, "count": 1, "sum": "1e999999999"}
    instance = {"instance_id": "1", "train_trial_index": 0, "stats": [stat]}
    file = tmp_path / "per_instance_stats.json"
    file.write_text(json.dumps([instance]))

    with pytest.raises(LogError, match=r"per_instance_stats.json.*a sum is a number"):
        read_log(file, "helm")


def scores_of(values: list[Any], better: bool | None) -> Log:
    """A log of one score with its mean."""
    reasons = [None if one is not None else "error" for one in values]
    known = [LEFT_OUT if one is None else one for one in values]
    mean = Aggregate("mean", "mean", None)
    one = Scores("t", "s", "", known, range(len(values)), aggregates=[mean], reasons=reasons,
                 higher_is_better=better)  # fmt: skip
    return Log("own", ["log.json"], [one])


@pytest.mark.parametrize(
    ("values", "better", "known", "said"),
    [
        ([0, 1, 1, None], None, True, False),
        ([0, 1, 1, None], False, True, False),
        ([0.2, 0.5, None], None, True, True),
        ([0.2, 0.5, None], False, False, False),  # a loss may be above 1
        ([0.2, 1.5, None], None, False, False),
    ],
)
def test_there_is_a_worst_case_only_between_bounds(
    values: list[Any], better: bool | None, known: bool, said: bool
) -> None:
    """No log says the range of scores: 0 and 1 are taken for it, and named, or there is none."""
    log = scores_of(values, better)
    [one] = compared(log)
    assert ((one.worst, one.best) != (None, None)) == known
    assert (BETWEEN in one.remarks) == said
    if known:
        [bounded] = compared(log, rule="bounds")
        assert (bounded.worst, bounded.best) == (one.worst, one.best)
    else:
        with pytest.raises(LogError, match="no worst case, since the range"):
            compared(log, rule="bounds")


def test_a_score_that_no_sample_of_helm_has_is_named(tmp_path: Path) -> None:
    """It has no number, and is not said to count tokens or seconds."""
    folder = tmp_path / "helm"
    folder.mkdir()
    for file in (Path(__file__).parent / "helm").iterdir():
        value = json.loads(gzip.decompress(file.read_bytes()))
        if file.name.startswith("per_instance"):
            for instance in value:
                name = {**instance["stats"][0]["name"], "name": "my_score"}
                instance["stats"].append({"name": name, "count": 0, "sum": 0, "sum_squared": 0})
        (folder / file.stem).write_text(json.dumps(value))
    remarks = read_log(folder).remarks
    assert any("no sample has a score called my_score" in one for one in remarks)
    assert any("or are of no sample" in one for one in remarks)
    plain = read_log(Path(__file__).parent / "helm").remarks
    assert not any("no sample" in one for one in plain)
