"""Samples without a score in the files of public threads: the number printed, and what is right."""

from __future__ import annotations

import filecmp
import gzip
import itertools
import json
import math
from pathlib import Path
from typing import Any

import pytest

from mmeval_like.cli import main
from mmeval_like.logs import read_log
from mmeval_like.logs.compare import compared
from tests.helpers import requires
from tests.logs import make_unscored
from tests.logs.threads import PAIRS, THREADS, Pairs, Thread

requires("pyarrow")

FOLDER = Path(__file__).parent / "unscored"
THREAD = pytest.mark.parametrize("thread", THREADS, ids=[one.name for one in THREADS])
PAIR = pytest.mark.parametrize("pair", PAIRS, ids=[one.name for one in PAIRS])


def file_of(name: str) -> Path:
    """The file of a thread."""
    (found,) = FOLDER.glob(f"{name}.*")
    return found


def scored(thread: Thread, rule: str, tmp_path: Path) -> dict[str, Any]:
    """The number that `score` gives by a rule, with its account."""
    target = tmp_path / "found.json"
    words = ["score", str(file_of(thread.name)), *thread.options, "-q", "--json", str(target)]
    assert main([*words, *(["--unscored", rule] if rule != "harness" else [])]) == 0
    found: Any = json.loads(target.read_text())
    if isinstance(found, list):  # a log
        [one] = found
        return one
    ends = found.get("bounds", {}).get("mean", {}).get("mean", {})
    return {**found, "value": found["mean"]["mean"], **ends}


def same(value: float | None, wanted: float) -> bool:
    """Whether two numbers are equal; None, which JSON has for nan, equals nan."""
    if value is None or math.isnan(wanted):
        return value is None and math.isnan(wanted)
    return value == pytest.approx(wanted, rel=1e-12)


@THREAD
def test_the_number_that_was_printed_is_one_of_several(thread: Thread, tmp_path: Path) -> None:
    """The same file gives the printed number by the tool's rule, and others by others."""
    assert same(scored(thread, thread.rule, tmp_path)["value"], thread.printed)
    assert same(scored(thread, "drop", tmp_path)["value"], thread.dropped)
    assert same(scored(thread, "0", tmp_path)["value"], thread.zero)


@THREAD
def test_all_samples_are_accounted_for(thread: Thread, tmp_path: Path) -> None:
    """Planned is scored and unscored, by reason; the bounds hold each value that a rule gives."""
    found = scored(thread, "bounds", tmp_path)

    assert found["unscored"] == thread.reasons
    assert found["planned"] == thread.scored + sum(thread.reasons.values())
    if not thread.reasons:
        assert found.get("worst") == found.get("best")
        return
    assert same(found["worst"], thread.ends[0])
    assert same(found["best"], thread.ends[1])
    low, high = sorted(thread.ends)
    for value in (thread.zero, thread.dropped, thread.printed):
        assert math.isnan(value) or low - 1e-12 <= value <= high + 1e-12


@THREAD
def test_refuse_names_the_numbers_and_the_cure(thread: Thread, capsys: Any) -> None:
    """Nothing is computed, and the message says how many samples have no score."""
    if not thread.reasons:
        return
    words = ["score", str(file_of(thread.name)), *thread.options, "--unscored", "refuse"]
    refused = main(words)
    shown = capsys.readouterr()

    if thread.reasons == {"absent": thread.reasons.get("absent")}:
        # Without a column that says why, a missing prediction is refused or is nan, as ever.
        assert refused == 2 or "nan" in shown.out
        assert "--unscored" in shown.err
        return
    assert refused == 2
    assert not shown.out
    total = thread.scored + sum(thread.reasons.values())
    assert f"{thread.scored} of {total} scored" in shown.err
    assert "--unscored drop" in shown.err


@PAIR
def test_pairs_say_who_scored_what(pair: Pairs, tmp_path: Path) -> None:
    """The printed difference is that of the samples that both scored; the others are counted."""
    target = tmp_path / "found.json"

    def difference(rule: str) -> dict[str, Any]:
        files = [str(file_of(f"{pair.name}-{side}")) for side in "ab"]
        words = ["compare", files[0], "--", files[1], "--metric"]
        words += ["mean:bounds=0,1,higher_is_better=true", "--column", "values=value", "--ids"]
        words += ["task", "--unscored-column", "status=error", "-q", "--unscored", rule]
        assert main([*words, "--json", str(target)]) == 0
        found: dict[str, Any] = json.loads(target.read_text())["mean"]
        return found

    found = difference("bounds")
    assert tuple(found["scored"].values()) == pair.scored
    assert found["planned"] == sum(pair.scored)
    ends = found["bounds"]["mean_difference"]
    assert same(ends["worst"], pair.ends[0])
    assert same(ends["best"], pair.ends[1])
    assert same(difference("drop")["mean_difference"], pair.printed)
    assert same(difference("0")["mean_difference"], pair.zero)


def test_thirty_threads() -> None:
    """There is a file for each of thirty threads, and for no other."""
    names = {one.name.rpartition("-flaky")[0] or one.name for one in THREADS}
    names = {name.removesuffix("-clean") for name in names} | {one.name for one in PAIRS}
    assert len(names) == 30
    files = {file.name.partition(".")[0] for file in FOLDER.iterdir()}
    assert files == {one.name for one in THREADS} | {f"{p.name}-{s}" for p in PAIRS for s in "ab"}


def test_the_files_are_those_of_the_program(tmp_path: Path) -> None:
    """`make_unscored` writes the files again, to the last byte after unpacking."""
    make_unscored.main(tmp_path)
    for file in FOLDER.iterdir():
        again = tmp_path / file.name
        if file.suffix == ".gz":
            assert gzip.decompress(file.read_bytes()) == gzip.decompress(again.read_bytes())
        else:
            assert filecmp.cmp(file, again, shallow=False), file.name
    assert {file.name for file in FOLDER.iterdir()} == {file.name for file in tmp_path.iterdir()}


def log(tmp_path: Path, outcomes: list[str], *numbers: Any) -> Path:
    """A log of Inspect."""
    path = tmp_path / "log.json"
    path.write_text(json.dumps(make_unscored.inspect("task", outcomes, *numbers)))
    return path


def test_a_gate_of_a_log_passes_only_in_the_worst_case(tmp_path: Path, capsys: Any) -> None:
    """Of 100 samples 10 have no score: 80 of 90 would pass, 80 of 100 do not; a rule is said."""
    path = str(log(tmp_path, ["C"] * 80 + ["I"] * 10 + ["error"] * 10, 80 / 90, 90))
    gate = ["gate", path, "--score", "match", "--at-least", "0.75"]

    assert main(gate) == 3
    assert "90 of 100 scored; 10 error" in (line := capsys.readouterr().out)
    assert "judged in the worst case" in line
    assert main([*gate, "--unscored", "drop"]) == 0
    assert "left out, as --unscored drop declares" in capsys.readouterr().out
    assert main([*gate, "--unscored", "0"]) == 3
    assert "counted as 0, as --unscored 0 declares" in capsys.readouterr().out
    assert main([*gate, "--unscored", "refuse"]) == 2
    assert "10 error" in capsys.readouterr().err


def test_a_candidate_with_an_error_is_one_more_candidate(tmp_path: Path, capsys: Any) -> None:
    """The rule of logs is that of every candidate, whether samples lack a score or not."""
    every = {"a": ["C"] * 80 + ["I"] * 20, "b": ["C"] * 85 + ["I"] * 15}
    every["c"] = ["C"] * 89 + ["I"] * 10 + ["error"]
    said = []
    for name, outcomes in every.items():
        path, known = tmp_path / f"{name}.json", [one for one in outcomes if one != "error"]
        share = known.count("C") / len(known)
        path.write_text(json.dumps(make_unscored.inspect("task", outcomes, share, len(known))))
        gate = ["gate", str(path), "--score", "match", "--at-least", "0.5"]
        main([*gate, "--log", str(tmp_path / "log.jsonl")])
        said.append(capsys.readouterr().out)
    for nth, line in zip(("1st", "2nd", "3rd"), said, strict=True):
        assert f"{nth} candidate on these samples" in line


def test_samples_that_are_not_in_the_log_are_absent(tmp_path: Path) -> None:
    """The header says how many were planned."""
    scores = read_log(log(tmp_path, ["C", "I", "gone", "limit"], 0.5, 2)).scores[0]
    assert scores.reasons == [None, None, "absent", "limit"]
    [one] = compared(read_log(tmp_path / "log.json"))
    assert (one.value, one.worst, one.best, one.planned) == (0.5, 0.25, 0.75, 4)


def test_repeats_without_a_score_widen_the_bounds(tmp_path: Path) -> None:
    """The harness reduces the repeats with a score; the bounds fill the others one by one."""
    # Question 1: C, then an error. Question 2: I, I.
    path = log(tmp_path, ["C", "I", "error", "I"], 0.5, 2, 2)
    [one] = compared(read_log(path))
    assert one.value == 0.5 == one.harness
    assert (one.worst, one.best) == (0.25, 0.5)
    [by_zero] = compared(read_log(path), rule=0)
    assert by_zero.value == 0.25


# Of four questions, epoch by epoch: one has all three answers, one none, two have some.
REPEATS = ["C", "error", "I", "error", "I", "error", "C", "C", "C", "error", "error", "I"]
SOME = "no score in some repeats"
REDUCERS = ["mean", "median", "mode", "max", "pass_at_2", "pass_k_2", "at_least_2"]


def repeated(outcomes: list[str], reducer: str, path: Path) -> Path:
    """A log of Inspect with three repeats of each sample."""
    made = make_unscored.inspect("task", outcomes, 0.0, 4, 3)
    made["results"]["scores"][0]["reducer"] = reducer
    path.write_text(json.dumps(made))
    return path


@pytest.mark.parametrize("reducer", REDUCERS)
def test_bounds_are_those_of_all_answers_that_are_possible(reducer: str, tmp_path: Path) -> None:
    """Worst and best, and the ends of the interval, of the logs in which no answer is missing."""
    some = [*REPEATS[:5], "C", *REPEATS[6:]]  # so that each question has an answer
    [one] = compared(read_log(repeated(some, reducer, tmp_path / "log.json")), rule="bounds")
    gaps = [place for place, outcome in enumerate(some) if outcome == "error"]
    every = []
    for answers in itertools.product("CI", repeat=len(gaps)):
        full = dict(enumerate(some)) | dict(zip(gaps, answers, strict=True))
        every += compared(read_log(repeated([*full.values()], reducer, tmp_path / "full.json")))

    assert {one.planned for one in every} == {4}
    assert not any(one.unscored for one in every)
    worst, best = (pick(every, key=lambda one: one.value) for pick in (min, max))
    assert (one.worst, one.best) == (worst.value, best.value)
    assert (one.low, one.high) == (worst.low, best.high)


@pytest.mark.parametrize(
    ("words", "value", "how"),
    [
        ([], 5 / 9, "error left out, {} left out (these repeats alone)"),
        (["drop"], 5 / 9, "error left out, {} left out (these repeats alone)"),
        (["0"], 1 / 3, "error counted as 0, {} counted as 0 (these repeats alone)"),
    ],
)
def test_repeats_without_a_score_are_told(
    words: list[str], value: float, how: str, tmp_path: Path, capsys: Any
) -> None:
    """Each command says for how many samples, and what the rule does; no number DIFFERS by it."""
    path, target = str(repeated(REPEATS, "mean", tmp_path / "log.json")), tmp_path / "out.json"
    rule = [f"--unscored={word}" for word in words]
    said = f"1 of 4 scored; 1 error, 2 {SOME}: {how.format(SOME)}"

    assert main(["score", path, *rule, "--json", str(target)]) == 0
    shown = capsys.readouterr().out
    assert said in shown
    assert ("DIFFERS" in shown) == (not rule)  # the harness's number in this log is made up
    [one] = json.loads(target.read_text())
    assert (one["value"], one["unscored"]) == (pytest.approx(value), {"error": 1, SOME: 2})
    if rule:
        gate = ["gate", path, "--at-least", "0", *rule]
        assert main(gate) == 3  # four samples are too few for a verdict
        assert said in capsys.readouterr().err
        other = str(repeated(REPEATS, "mean", tmp_path / "other.json"))
        assert main(["compare", path, "--", other, *rule]) == 0
        assert capsys.readouterr().err.count(said) == 2


@pytest.mark.parametrize("command", ["score", "gate", "compare"])
def test_refuse_also_counts_repeats(command: str, tmp_path: Path, capsys: Any) -> None:
    """No sample is wholly without a score, and still it is an error that says how many."""
    path = str(repeated(["C", "I", "error", "C", "I", "I"], "mean", tmp_path / "log.json"))
    full = str(repeated(["C", "I"] * 3, "mean", tmp_path / "full.json"))
    end = {"gate": ["--at-least", "0"], "compare": ["--", full]}.get(command, [])

    assert main([command, path, *end, "--unscored", "refuse"]) == 2
    shown = capsys.readouterr()
    assert not shown.out
    assert "1 of 2 scored; 1 " in shown.err
    assert f"{SOME}: --unscored drop leaves the others out" in shown.err


def test_a_number_is_the_score_of_single_repeats_in_every_command(tmp_path: Path) -> None:
    """One hit and one error: by 0, one of two tries hits; `compare` gives the number of `score`."""
    made = make_unscored.inspect("task", ["C", "I", "error", "I"], 0.0, 1, 2)
    made["results"]["scores"][0]["reducer"] = "pass_at_2"
    path, target = tmp_path / "log.json", tmp_path / "out.json"
    path.write_text(json.dumps(made))
    end = ["--unscored", "0", "-q", "--json", str(target)]

    assert main(["score", str(path), *end]) == 0
    assert [one["value"] for one in json.loads(target.read_text())] == [0.5]
    same = tmp_path / "same.json"
    same.write_text(json.dumps(made))
    assert main(["compare", str(path), "--", str(same), *end]) == 0
    found = json.loads(target.read_text())["mean"]
    assert (found["mean_a"], found["mean_b"], found["samples"]) == (0.5, 0.5, 2)


def test_a_repeat_that_is_absent_does_not_hide_the_fields_of_its_sample(tmp_path: Path) -> None:
    """They are those of another repeat, which the log has, and so is the question."""
    made = make_unscored.inspect("task", ["gone", "I", "C", "I"], 0.5, 2, 2)
    for sample in made["samples"]:
        sample["metadata"] = {"kind": f"kind {sample['id']}"}
    path = tmp_path / "log.json"
    path.write_text(json.dumps(made))

    [scores] = read_log(path).scores
    assert scores.fields == {"kind": ["kind 1", "kind 2"]}
    assert all(scores.asked)


def test_a_score_that_is_no_number_has_no_mean(tmp_path: Path, capsys: Any) -> None:
    """The harness has none either; the line says what decides, and no sample counts as None."""
    path = tmp_path / "samples_task_2026-01-01T00-00-00.jsonl"
    same = {
        "metrics": ["acc"],
        "arguments": [["?"]],
        "resps": [["a"]],
        "filtered_resps": ["a"],
        "target": "a",
    }
    lines = [
        {**same, "doc_id": at, "doc": {"question": at}, "acc": score, "filter": "none"}
        for at, score in enumerate([1.0, 0.0, None, 1.0])
    ]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))

    assert main(["score", str(path)]) == 0
    said = "3 of 4 scored; 1 no score: undefined with these; --unscored says what they count as"
    assert said in (shown := capsys.readouterr().out)
    assert "counted as None" not in shown
    [one] = compared(read_log(path), rule="drop")
    assert one.value == 2 / 3
