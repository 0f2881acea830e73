"""`compare` and `gate` of logs: pairs by the samples' ids, or an error that names what is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.cli import main
from mmeval_like.logs import read_log
from tests.helpers import requires
from tests.logs import second_system as second

requires("pyarrow")

Samples = list[dict[str, Any]]


def lm_eval_is_right(lines: Samples) -> Samples:
    """Every line is right, and the lines are in another order."""
    return [{**line, "acc": 1.0} for line in reversed(lines)]


def inspect_is_right(samples: Samples) -> Samples:
    """Every answer is correct, and the samples are in another order."""
    for sample in samples:
        sample["scores"]["match"]["value"] = "C"
    return samples[::-1]


def lighteval_is_right(rows: Samples) -> Samples:
    """Every answer is right, and the rows are in another order."""
    for row in rows:
        row["metric"]["acc"] = 1
    return rows[::-1]


def helm_is_right(instances: Samples) -> Samples:
    """Every answer is the reference, and the instances are in another order."""
    for instance in instances:
        for stat in instance["stats"]:
            if stat["name"]["name"] == "exact_match":
                stat["sum"] = stat["count"]
    return instances[::-1]


def trainer_is_right(arrays: dict[str, Any]) -> None:
    """The label has the largest score."""
    arrays["predictions"] = np.eye(arrays["predictions"].shape[1])[arrays["label_ids"]]
    arrays["predictions"] = arrays["predictions"].astype(np.float32)


LOGS: dict[str, tuple[Callable[..., tuple[Path, Path]], Any, str]] = {
    "lm-eval": (second.lm_eval, lm_eval_is_right, "acc"),
    "inspect": (second.inspect, inspect_is_right, "match"),
    "lighteval": (second.lighteval, lighteval_is_right, "acc"),
    "helm": (second.helm, helm_is_right, "exact_match, test"),
    "trainer": (second.trainer, trainer_is_right, "accuracy"),
}


def run(words: list[Any], tmp_path: Path) -> tuple[int, Any]:
    """The exit code of a command, and the JSON that it wrote."""
    target = tmp_path / "found.json"
    target.unlink(missing_ok=True)
    code = main([*map(str, words), "-q", "--json", str(target)])
    return code, json.loads(target.read_text()) if target.exists() else None


def scores(path: Path, label: str) -> dict[Any, float]:
    """The values of a score by the ids of the samples."""
    (one,) = [one for one in read_log(path).scores if one.label == label]
    return dict(zip(one.ids, one.values, strict=True))


@pytest.mark.parametrize("harness", LOGS)
@pytest.mark.filterwarnings("ignore:intervals that promise less")
def test_a_comparison_of_logs_is_that_of_their_scores_by_id(harness: str, tmp_path: Path) -> None:
    """The numbers are those of `Paired`, whatever the order of the samples in the files."""
    make, change, label = LOGS[harness]
    files = make(tmp_path / "b", change)
    a, b = (scores(file, label) for file in files)
    pair = mm.Paired(mm.Mean(bounds=(0, 1), higher_is_better=True))
    for side, values in ((pair.a, a), (pair.b, b)):
        side.add([*values.values()], ids=[*map(str, values)])
    expected = pair.compute()

    code, found = run(["compare", files[0], "--", files[1], "--score", label], tmp_path)

    assert code == 0
    assert a.keys() == b.keys()
    assert expected["mean_difference"] > 0
    for key in ("mean_a", "mean_b", "mean_difference", "mean_p", "samples"):
        assert found["mean"][key] == expected[key], key


@pytest.mark.parametrize("harness", ["lm-eval", "inspect", "helm"])
def test_a_log_is_gated_by_its_score(harness: str, tmp_path: Path) -> None:
    """A bound for one system; with two, the log itself or the user says which way is better."""
    make, change, label = LOGS[harness]
    a, b = make(tmp_path / "b", change)
    alone = ["gate", b, "--score", label, "--at-least", "0.3"]
    both = ["gate", a, "--", b, "--score", label, "--margin", "0.02"]
    told = ["--metric", "mean:higher_is_better=true"] if harness == "helm" else []

    found = [run(words, tmp_path)[1] for words in (alone, [*both, *told])]
    assert [(one["sign"], one["bound"]) for one in found] == [(">=", 0.3), (">=", -0.02)]
    assert found[0]["value"] == 1
    assert found[1]["value"] > 0
    if told:
        assert main([*map(str, both), "-q"]) == 2


@pytest.mark.parametrize(("better", "sign"), [("true", ">="), ("false", "<=")])
def test_the_user_says_which_way_is_better(better: str, sign: str, tmp_path: Path) -> None:
    """`--metric` beside `--score` decides, against what the log says too."""
    a, b = second.lighteval(tmp_path / "b", lighteval_is_right)
    words = ["gate", a, "--", b, "--score", "acc", "--margin", "0.02"]

    found = run([*words, "--metric", f"mean:higher_is_better={better}"], tmp_path)[1]
    assert found["sign"] == sign


def test_slices_and_flips_of_logs(tmp_path: Path) -> None:
    """`--by` names a field of the samples, and `--flips` lists their ids."""
    a, b = second.inspect(tmp_path / "b", inspect_is_right)
    flips = tmp_path / "flips.csv"
    words = ["compare", a, "--", b, "--score", "match", "--by", "kind", "--flips", flips]

    code, found = run(words, tmp_path)

    was = scores(a, "match")
    kinds = dict(zip(*(read_log(a).scores[0].table[name] for name in ("id", "kind")), strict=True))
    assert code == 0
    for kind in ("wild", "tame"):
        own = [was[i] for i in was if kinds[i] == kind]
        assert found[f"kind={kind}"]["mean"]["mean_a"] == float(np.mean(own))
    flipped = [line.split(",") for line in flips.read_text().splitlines()[1:]]
    assert sorted(flipped) == [[i, "up"] for i in sorted(was) if was[i] == 0]


def without_one(samples: Samples) -> Samples:
    """The first sample is missing."""
    return samples[1:]


def one_twice(samples: Samples) -> Samples:
    """The first sample is there twice."""
    return [samples[0], *samples]


def none_left(samples: Samples) -> Samples:
    """There are no samples."""
    return []


def other_questions(lines: Samples) -> Samples:
    """The ids are those of other questions, as with another version of the data."""
    docs = [line["doc"] for line in lines]
    return [{**line, "doc": doc} for line, doc in zip(lines, docs[1:] + docs[:1], strict=True)]


def other_answer(lines: Samples) -> Samples:
    """The task finds another right answer in one document, as a later version of it does."""
    return [*lines[:3], {**lines[3], "target": "1 or 2"}, *lines[4:]]


def other_inputs(samples: Samples) -> Samples:
    """One question of Inspect is another one."""
    samples[3]["input"] += "!"
    return samples


def other_target(samples: Samples) -> Samples:
    """One answer was corrected between the runs."""
    samples[3]["target"] = "gnu"
    return samples


def other_query(rows: Samples) -> Samples:
    """One question of lighteval is another one."""
    rows[3]["doc"]["query"] = "Which is not?"
    return rows


def not_a_number(lines: Samples) -> Samples:
    """One score is nan."""
    return [{**lines[0], "acc": float("nan")}, *lines[1:]]


def no_answer(samples: Samples) -> Samples:
    """One sample ended with an error, and has no scores."""
    del samples[0]["scores"]
    return samples


@pytest.mark.parametrize(
    ("make", "change", "label", "reason"),
    [
        (second.lm_eval, without_one, "acc", "b: absent"),
        (second.inspect, without_one, "match", "b: absent"),
        (second.inspect, no_answer, "match", "b: no score"),
    ],
)
def test_a_sample_without_a_score_is_accounted_for(
    make: Callable[..., tuple[Path, Path]],
    change: Callable[[Samples], Samples],
    label: str,
    reason: str,
    tmp_path: Path,
    capsys: Any,
) -> None:
    """B's log says that it was planned, and A alone has its score; or it is refused."""
    a, b = make(tmp_path / "b", change)
    compare = ["compare", str(a), "--", str(b), "--score", label, "--format", FORMATS[make]]

    assert main([*compare, "--json", str(tmp_path / "found.json")]) == 0
    assert "1 on A only, 0 on B only, 0 on neither" in capsys.readouterr().out
    found = json.loads((tmp_path / "found.json").read_text())["mean"]
    assert found["unscored"] == {reason: 1}
    assert found["rule"] == "bounds"
    assert main([*compare, "--unscored", "refuse"]) == 2
    assert reason in capsys.readouterr().err


def test_a_sample_of_one_log_is_absent_in_the_other(tmp_path: Path, capsys: Any) -> None:
    """Where the other log does not say that it was planned: a rule is asked for, and is enough."""
    a, b = second.lighteval(tmp_path / "b", without_one)
    compare = ["compare", str(a), "--", str(b), "--score", "acc", "--format", "lighteval"]

    assert main(compare) == 2
    assert "1 in A only, 0 in B only; --unscored drop" in capsys.readouterr().err
    for rule in ("drop", "bounds", "0"):
        assert main([*compare, "--unscored", rule, "--json", str(tmp_path / "found.json")]) == 0
        found = json.loads((tmp_path / "found.json").read_text())["mean"]
        assert (found["unscored"], found["scored"]["a_only"]) == ({"b: absent": 1}, 1)


@pytest.mark.parametrize(
    ("make", "change", "label", "text"),
    [
        (second.lm_eval, one_twice, "acc", "doc_id 0 occurs twice"),
        (second.lm_eval, none_left, "acc", "it has no scores of samples"),
        (second.lm_eval, other_questions, "acc", "differ in what was asked"),
        (second.lm_eval, other_answer, "acc", "the samples ['3'] differ in what was asked"),
        (second.lm_eval, not_a_number, "acc", "acc of sample 0 must be a finite number, got nan"),
        (second.inspect, one_twice, "match", "the sample 'q00' occurs twice in epoch 1"),
        (second.inspect, none_left, "match", "no samples with results"),
        (second.inspect, other_inputs, "match", "['q03'] differ in what was asked"),
        (second.inspect, other_target, "match", "['q03'] differ in what was asked"),
        (second.lighteval, without_one, "acc", "both must have the same samples; only A"),
        (second.lighteval, one_twice, "acc", "has acc twice"),
        (second.lighteval, none_left, "acc", "it has no scores of samples"),
        (second.lighteval, other_query, "acc", "differ in what was asked"),
        (second.helm, none_left, "exact_match, test", "it has no scores of samples"),
    ],
)
def test_samples_that_are_no_pairs_are_refused(
    make: Callable[..., tuple[Path, Path]],
    change: Callable[[Samples], Samples],
    label: str,
    text: str,
    tmp_path: Path,
    capsys: Any,
) -> None:
    """No number is made of samples that are repeated, or other ones, or in one log only."""
    a, b = make(tmp_path / "b", change)

    assert main(["compare", str(a), "--", str(b), "--score", label, "--format", FORMATS[make]]) == 2
    shown = capsys.readouterr()
    assert text in shown.err, shown.err
    assert not shown.out


FORMATS = {make: harness for harness, (make, _, _) in LOGS.items()}


def test_labels_of_the_trainer_must_be_equal(tmp_path: Path, capsys: Any) -> None:
    """Its samples have no ids: rows with other labels are no pairs."""

    def other(arrays: dict[str, Any]) -> None:
        arrays["label_ids"] = 1 - arrays["label_ids"]

    a, b = second.trainer(tmp_path / "b", other)

    assert main(["compare", str(a), "--", str(b), "--score", "accuracy"]) == 2
    assert "differ in what was asked" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ([], "--score: choose a score that is a mean over samples: 'match', 'includes'"),
        (["--score", "match "], "did you mean match?"),
        (["--score", "accuracy"], "no log has 'accuracy'; there is 'match', 'includes'"),
        (["--score", "match", "--ids", "id"], "--ids applies only to tables"),
        (["--score", "match", "--column", "values=x"], "--column applies only to tables"),
        (
            ["--score", "match", "--by", "page"],
            "no column 'page' (for --by); it has kind, task, id",
        ),
        (["--score", "match", "--cluster", "page"], "no column 'page' (for --cluster)"),
        (["--score", "match", "--metric", "accuracy"], "no metric takes 'values'"),
    ],
)
def test_what_is_not_clear_is_asked(words: list[str], text: str, capsys: Any) -> None:
    """The error names the option, and what the logs have."""
    log = str(second.FOLDER / "inspect" / "animals.eval")
    copy = str(second.FOLDER / "inspect" / "numbers.json.gz")

    assert main(["compare", log, "--", log, *words]) == 2
    assert text in capsys.readouterr().err
    assert main(["compare", log, "--", copy, "--score", "match"]) == 2
    assert "not all logs have 'match'" in capsys.readouterr().err


def test_logs_of_other_harnesses_and_tasks_are_no_pairs(capsys: Any) -> None:
    """The ids of one are not the ids of the other, even where both count from 0."""
    lm_eval = second.FOLDER / "lm_eval"
    yes_no, animals = (str(*lm_eval.glob(f"samples_{t}_*.jsonl")) for t in ("yes_no", "animals"))
    for a, b, text in (
        (yes_no, str(second.FOLDER / "helm"), "the logs are from helm and lm-eval"),
        (yes_no, animals, "only A has ['yes_no'], and only B has ['animals']"),
        (yes_no, str(lm_eval), "only B has ['animals', 'last_word']"),
    ):
        assert main(["compare", a, "--", b, "--score", "acc"]) == 2
        assert text in capsys.readouterr().err


def test_a_score_that_is_no_mean_is_not_compared(capsys: Any) -> None:
    """A median, an F1 or a BLEU is not the mean of its samples' scores."""
    log = str(second.FOLDER / "lm_eval")
    for label in ("f1", "bleu", "perplexity"):
        assert main(["compare", log, "--", log, "--score", label]) == 2
        assert "is not the mean of its samples' scores" in capsys.readouterr().err
    middle = str(*second.FOLDER.glob("lm_eval/samples_middle_*.jsonl"))
    assert main(["compare", middle, "--", middle]) == 2
    assert "no score is a mean of its samples' scores in all logs" in capsys.readouterr().err


def test_a_task_in_two_files_is_refused(tmp_path: Path, capsys: Any) -> None:
    """Two runs of a task on one side are not one system."""
    a, b = second.inspect(tmp_path / "b", inspect_is_right)

    assert main(["compare", str(a), str(b), "--", str(a), "--score", "match"]) == 2
    assert "the task 'animals' is also in" in capsys.readouterr().err


def test_every_sample_of_several_tasks_is_compared(tmp_path: Path) -> None:
    """The ids of tasks that all count from 0 are kept apart, and `--by task` compares each."""
    folder = second.FOLDER / "lm_eval"

    code, found = run(["compare", folder, "--", folder, "--score", "acc", "--by", "task"], tmp_path)

    assert code == 0
    assert found["all"]["mean"]["samples"] == 36
    tasks = ("animals", "last_word", "yes_no")
    assert [found[f"task={task}"]["mean"]["samples"] for task in tasks] == [12, 12, 12]


def test_samples_without_the_field_of_clusters_are_refused(tmp_path: Path, capsys: Any) -> None:
    """They would all be one cluster."""

    def without(lines: Samples) -> Samples:
        del lines[3]["doc"]["kind"]
        return lines

    _, log = second.lm_eval(tmp_path / "b", without)

    assert main(["gate", str(log), "--score", "acc", "--cluster", "kind", "--at-least", "0.1"]) == 2
    assert "1 of 12 samples of yes_no have no such field, the first is 3" in capsys.readouterr().err


def test_the_run_that_is_chosen_is_said(tmp_path: Path, capsys: Any) -> None:
    """Of a folder with two runs the last one is read, and the command says which."""
    (first,) = (second.FOLDER / "lm_eval").glob("samples_yes_no_*.jsonl")
    later = first.name.replace("2026-11-22", "2026-12-24")
    for name in (first.name, later):
        (tmp_path / name).write_bytes(first.read_bytes())

    assert main(["compare", str(tmp_path), "--", str(first), "--score", "acc"]) == 0
    assert "has 2 runs: this is the last one, 2026-12-24" in capsys.readouterr().err


def test_a_log_without_the_score_is_not_left_out(tmp_path: Path, capsys: Any) -> None:
    """Tasks of lm-eval with other filters have other names of scores: nothing is judged alone."""
    names = {}
    for task, kind in (("alpha", "none"), ("beta", "get-answer")):
        names[task] = tmp_path / f"samples_{task}_2026-11-30T10-00-00.000000.jsonl"
        rows = [
            {"doc_id": i, "doc": {"q": i}, "target": "x", "arguments": [[str(i)]], "resps": [["x"]],
             "filtered_resps": ["x"], "filter": kind, "metrics": ["exact_match"],
             "exact_match": float(task == "alpha")}
            for i in range(40)
        ]  # fmt: skip
        names[task].write_text("".join(json.dumps(row) + "\n" for row in rows))
    files = [str(file) for file in names.values()]
    asked = ["--score", "exact_match"]

    assert main(["gate", files[0], *asked, "--at-least", "0.6"]) == 0
    capsys.readouterr()
    for words in (
        ["gate", *files, *asked, "--at-least", "0.6"],
        ["compare", *files, "--", *files, *asked],
    ):
        assert main(words) == 2
        told = capsys.readouterr().err
        assert f"{names['beta']}: no score 'exact_match'" in told
        assert "leave this log out" in told
