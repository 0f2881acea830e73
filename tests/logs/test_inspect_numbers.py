"""Numbers of Inspect's logs: groups of samples, repeats, and scores that are no numbers."""

from __future__ import annotations

import json
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from mmeval_like.cli import main
from mmeval_like.logs import read_log
from mmeval_like.logs.compare import Number, compared

KINDS = ["tame", "wild", "wild", "wild", "tame", "all", "wild"]
SCORES = ["C", "I", "C", "P", "I", "C", "I"]
VALUES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}


def written(
    folder: Path,
    scores: Sequence[Sequence[Any]],
    metrics: Sequence[Mapping[str, Any]],
    reducer: str | None = None,
    kinds: Sequence[Any] | None = None,
) -> Path:
    """A log as Inspect writes it, with the scores of each sample's repeats, and its kind."""
    kinds = [None] * len(scores) if kinds is None else kinds
    samples = [
        {"id": i, "epoch": epoch, "metadata": {"kind": kind}, "scores": {"right": {"value": value}}}
        for i, (several, kind) in enumerate(zip(scores, kinds, strict=True))
        for epoch, value in enumerate(several, 1)
    ]
    one = {"name": "right", "scorer": "right", "reducer": reducer}
    log = {
        "version": 2,
        "status": "success",
        "eval": {"task": "words", "task_id": "t", "dataset": {"sample_ids": []}},
        "results": {"scores": [one | {"metrics": {str(i): m for i, m in enumerate(metrics)}}]},
        "samples": samples,
    }
    file = folder / "log.json"
    file.write_text(json.dumps(log))
    return file


def plain(value: float) -> dict[str, Any]:
    """Inspect's entry of an accuracy."""
    return {"name": "accuracy", "value": value}


def grouped(name: str, value: float, **options: Any) -> dict[str, Any]:
    """Inspect's entry of an accuracy of groups; it writes the options that were passed."""
    parameters = {"metric": {"name": "accuracy"}, "group_key": "kind", **options}
    return {"name": name, "group": "grouped", "value": value, "params": parameters}


def numbers(file: Path, rule: float | str | None = None) -> dict[str, Number]:
    """The numbers of a log, by name."""
    return {one.name: one for one in compared(read_log(file), rule=rule)}


def accuracy(*kinds: str) -> float:
    """The accuracy of some kinds of samples; of all samples without any."""
    pairs = zip(SCORES, KINDS, strict=True)
    return statistics.mean(VALUES[score] for score, kind in pairs if not kinds or kind in kinds)


@pytest.mark.parametrize(
    ("name", "value", "options"),
    [
        ("wild", accuracy("wild"), {}),
        ("any", accuracy(), {"all_label": "any"}),
        ("any", accuracy(), {"all_label": "any", "all": "samples"}),
        ("all", accuracy("all"), {"all_label": "any"}),
        ("all", accuracy("all"), {"all": False}),
        ("of wild", accuracy("wild"), {"name_template": "of {group_name}"}),
        (
            "all",
            statistics.mean(map(accuracy, ("tame", "wild", "all"))),
            {"all": "groups", "name_template": "of {group_name}"},
        ),
    ],
)
def test_a_number_of_groups_follows_from_their_samples(
    name: str, value: float, options: dict[str, Any], tmp_path: Path
) -> None:
    """Whatever a group and the number over all of them are called, and however it is computed."""
    metrics = [grouped(name, value, **options)]
    file = written(tmp_path, [[score] for score in SCORES], metrics, kinds=KINDS)

    (one,) = numbers(file).values()
    assert one.same, one
    assert one.name == f"accuracy, {name}"


def test_groups_by_a_list_are_told(tmp_path: Path) -> None:
    """Fields are texts or numbers: by another one, no group is found, and none is called empty."""
    metrics = [grouped("['a']", 1.0)]
    file = written(tmp_path, [["C"], ["I"]], metrics, kinds=[["a"], ["b"]])

    (one,) = numbers(file).values()
    assert one.remarks == ("no sample has a text or a number in the field 'kind'",)


def test_the_mode_is_that_of_the_scores_in_the_log(tmp_path: Path) -> None:
    """A wrong answer and no answer are two scores, although both are 0; of a tie the first is."""
    repeats = ["INCC", "PPCC", "INPC", "NNIC"]
    modes = [Counter(several).most_common(1)[0][0] for several in repeats]
    value = statistics.mean(VALUES[mode] for mode in modes)

    (one,) = numbers(written(tmp_path, repeats, [plain(value)], "mode")).values()
    assert one.same, one
    assert value == (1 + 0.5 + 0 + 0) / 4


@pytest.mark.parametrize("odd", ["A", "c", "1e999", "nan", ["C"]])
def test_a_score_that_is_no_number_counts_as_0_as_in_inspect(odd: Any, tmp_path: Path) -> None:
    """By a rule it counts as the rule says."""
    file = written(tmp_path, [["C"], [odd], ["C"], ["I"]], [plain(0.5)])

    (one,) = numbers(file).values()
    assert one.same, one
    assert (one.samples, one.planned, one.unscored) == (4, 4, {"unparseable": 1})
    assert (one.counted, one.worst, one.best) == ("counted as 0.0", 0.5, 0.75)
    rules: dict[float | str, float] = {"drop": 2 / 3, "bounds": 2 / 3, 0: 0.5, 1: 0.75}
    for rule, value in rules.items():
        assert numbers(file, rule)["accuracy"].value == value


def test_a_repeat_that_is_no_number_counts_as_0_until_it_is_left_out(tmp_path: Path) -> None:
    """By "drop" the mean of a sample is that of its other repeats."""
    file = written(tmp_path, [["C", "A"], ["I", "I"]], [plain(0.25)], "mean")

    assert numbers(file)["accuracy"].same
    rules: dict[float | str, float] = {"drop": 0.5, 0: 0.25, 1: 0.5}
    for rule, value in rules.items():
        assert numbers(file, rule)["accuracy"].value == value


def test_too_few_repeats_are_left_out_with_their_sample(tmp_path: Path) -> None:
    """pass_at_2 needs two: without the one that is no number, the first sample has no score."""
    file = written(tmp_path, [["C", "A"], ["I", "I"]], [plain(0.5)], "pass_at_2")

    assert numbers(file)["accuracy"].same
    assert numbers(file, "drop")["accuracy"].value == 0.0


def test_an_unknown_reducer_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The log is not called damaged."""
    file = written(tmp_path, ["CC"], [plain(1.0)], "majority")

    assert main(["score", str(file)]) == 2
    assert capsys.readouterr().err == (
        f"mmeval_like: {file}: the reducer 'majority' for repeated samples is unknown here\n"
    )


def test_a_gate_leaves_out_the_repeats_that_the_rule_drops(tmp_path: Path) -> None:
    """Its value is that of `score --unscored drop`."""
    file = written(tmp_path, [["C", "A"], ["I", "I"], ["C", "C"]], [plain(0.5)], "mean")
    verdict = tmp_path / "verdict.json"

    rule = ["--unscored", "drop", "--score", "right, mean", "--json", str(verdict)]
    main(["gate", str(file), "--at-least", "0.1", *rule])
    assert json.loads(verdict.read_text())["value"] == 2 / 3
