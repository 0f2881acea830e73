"""Rows without a score in tables: what they count as, what is said of them, and what is refused."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmeval_like.cli import main
from tests.helpers import requires
from tests.helpers.examples import examples

requires("pyarrow")

LABELS = [1, 1, 1, 1, 0, 0, 1, 0]
ANSWERS: list[Any] = [1, 0, "ERROR", 1, None, None, 1, 1]
STATUS = ["ok", "ok", "error", "ok", "timeout", "ok", "ok", "ok"]
REASONS = {"absent": 1, "error": 1, "timeout": 1}
MARKS = ["--unscored-column", "status=error,timeout"]
FORMATS = ["csv", "jsonl", "parquet", "feather"]


def written(folder: Path, kind: str, columns: dict[str, Sequence[Any]], name: str = "preds") -> str:
    """A table as a file of some format."""
    path = folder / f"{name}.{kind}"
    if kind == "csv":
        with open(path, "w", newline="") as file:
            rows = zip(*columns.values(), strict=True)
            texts = [["" if cell is None else cell for cell in row] for row in rows]
            csv.writer(file).writerows([[*columns], *texts])
    elif kind == "jsonl":
        rows = zip(*columns.values(), strict=True)
        path.write_text(
            "".join(f"{json.dumps(dict(zip(columns, r, strict=True)))}\n" for r in rows)
        )
    else:
        import pyarrow as pa
        import pyarrow.feather
        import pyarrow.parquet

        table = pa.table({key: [*column] for key, column in columns.items()})
        write = {"parquet": pa.parquet.write_table, "feather": pa.feather.write_feather}[kind]
        write(table, str(path))
    return str(path)


def table(kind: str = "csv") -> dict[str, Sequence[Any]]:
    """The table, with an error in the cell of a prediction where the format has such cells."""
    answers = [None if answer == "ERROR" else answer for answer in ANSWERS]
    columns = {"id": [*"abcdefgh"], "predictions": answers, "labels": LABELS, "status": STATUS}
    return {**columns, "predictions": ANSWERS} if kind in ("csv", "jsonl") else columns


def found(words: Sequence[str], folder: Path) -> dict[str, Any]:
    """What the command writes as JSON."""
    target = folder / "found.json"
    assert main([*words, "-q", "--json", str(target)]) == 0
    one: dict[str, Any] = json.loads(target.read_text())
    return one


def by_hand(filled: Sequence[int | None]) -> float:
    """The share of right answers, where None is left out."""
    pairs = [(a, b) for a, b in zip(filled, LABELS, strict=True) if a is not None]
    return sum(a == b for a, b in pairs) / len(pairs)


def fillings() -> list[float]:
    """The values for every way in which the answers without a score may have been."""
    places = [i for i, answer in enumerate(ANSWERS) if answer not in (0, 1)]
    values = []
    for guess in product((0, 1), repeat=len(places)):
        filled: list[Any] = [*ANSWERS]
        for place, answer in zip(places, guess, strict=True):
            filled[place] = answer
        values.append(by_hand(filled))
    return values


@pytest.mark.parametrize("kind", FORMATS)
def test_each_rule_gives_its_number_in_every_format(kind: str, tmp_path: Path) -> None:
    """Left out, counted as wrong or as right, or with the bounds of all possible answers."""
    file = written(tmp_path, kind, table(kind))
    score = ["score", file, "--metric", "accuracy", *MARKS, "--unscored"]
    known = [answer if answer in (0, 1) else None for answer in ANSWERS]

    dropped = found([*score, "drop"], tmp_path)
    assert dropped["accuracy"]["top1"] == by_hand(known)
    assert (dropped["planned"], dropped["scored"], dropped["unscored"]) == (8, 5, REASONS)
    assert dropped["samples"] == 8
    for number, value in ((0, min(fillings())), (1, max(fillings()))):  # wrong, and right
        counted = found([*score, str(number)], tmp_path)
        assert counted["accuracy"]["top1"] == value
        assert (counted["rule"], counted["unscored"]) == (number, REASONS)
    bounded = found([*score, "bounds"], tmp_path)
    ends = bounded["bounds"]["accuracy"]["top1"]
    assert ends == {"worst": min(fillings()), "best": max(fillings())}
    assert bounded["accuracy"]["top1"] == by_hand(known)


@pytest.mark.parametrize("ranks", ["1", "3"])
@pytest.mark.parametrize("rule", ["drop", "1", "bounds"])
def test_the_ranks_do_not_matter(ranks: str, rule: str, tmp_path: Path) -> None:
    """The same JSON, slices included."""
    file = written(tmp_path, "csv", table())
    words = ["score", file, "--metric", "accuracy", *MARKS, "--unscored", rule, "--by", "labels"]
    words += ["--interval"]
    assert found([*words, "-n", ranks], tmp_path) == found(words, tmp_path)


@given(st.data())
@settings(max_examples=examples(25), deadline=None)
def test_planned_is_scored_and_unscored(data: Any) -> None:
    """In every slice, whatever rows have no score, and why."""
    import tempfile

    size = data.draw(st.integers(1, 12))
    draw = st.lists(st.sampled_from(["ok", "error", "limit"]), min_size=size, max_size=size)
    status = data.draw(draw)
    labels = data.draw(st.lists(st.integers(0, 1), min_size=size, max_size=size))
    answers = data.draw(st.lists(st.sampled_from([0, 1, None]), min_size=size, max_size=size))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        columns = {"predictions": answers, "labels": labels, "status": status}
        file = written(folder, "jsonl", columns)
        words = ["score", file, "--metric", "accuracy", "--by", "labels", "--unscored", "drop"]
        slices = found([*words, "--unscored-column", "status=error,limit"], folder)
    rows = [
        (label, mark if mark != "ok" else "absent" if answer is None else None)
        for label, mark, answer in zip(labels, status, answers, strict=True)
    ]
    for which, values in slices.items():
        if which == "why_null":
            continue
        own = [why for label, why in rows if which in ("all", f"labels={label}")]
        assert values["planned"] == len(own) == values["scored"] + sum(values["unscored"].values())
        assert values["unscored"] == {
            why: own.count(why) for why in sorted({*own} - {None}, key=str)
        }


def test_without_a_rule_they_are_refused(tmp_path: Path, capsys: Any) -> None:
    """The message has the numbers by reason, or the first empty cell, and the cure."""
    file = written(tmp_path, "csv", table())
    score = ["score", file, "--metric", "accuracy"]

    for rule in ([], ["--unscored", "refuse"]):
        assert main([*score, *MARKS, *rule]) == 2
        text = capsys.readouterr().err
        assert "5 of 8 scored; 1 absent, 1 error, 1 timeout: --unscored drop" in text
    empty = written(tmp_path, "csv", {"predictions": [1, None], "labels": [1, 1]}, "empty")
    for rule in ([], ["--unscored", "refuse"]):
        assert main(["score", empty, "--metric", "accuracy", *rule]) == 2
        text = capsys.readouterr().err
        assert "line 3: no value in 'predictions'; --unscored drop, 0 or bounds" in text
    assert main(["score", empty, "--metric", "accuracy", "--column", "labels=predictions"]) == 2


def test_an_empty_label_is_refused_as_ever(tmp_path: Path, capsys: Any) -> None:
    """It is the prediction that may be missing."""
    file = written(tmp_path, "csv", {"predictions": [1, 1], "labels": [1, None]})
    assert main(["score", file, "--metric", "accuracy", "--unscored", "drop"]) == 2
    assert capsys.readouterr().err.endswith("line 3: no value in 'labels'\n")


def test_nothing_changes_where_all_rows_have_a_score(tmp_path: Path) -> None:
    """The values are the same bits with a rule, and without one there is no account."""
    columns = {"predictions": [1, 0, 1], "labels": [1, 1, 1]}
    file = written(tmp_path, "csv", columns)
    plain = found(["score", file, "--metric", "accuracy", "--interval"], tmp_path)
    ruled = found(
        ["score", file, "--metric", "accuracy", "--interval", "--unscored", "bounds"], tmp_path
    )
    assert plain == {"accuracy": plain["accuracy"], "samples": 3}
    value = plain["accuracy"]["top1"]
    bounds = {"accuracy": {"top1": {"worst": value, "best": value}}}
    account = {"planned": 3, "scored": 3, "unscored": {}, "rule": "bounds", "bounds": bounds}
    assert ruled == {**plain, **account}


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize(
    ("option", "cells", "reasons"),
    [
        ("mark", [True, False, False], {"mark": 1}),
        ("mark=true", [True, False, False], {"true": 1}),
        ("mark=True", [True, False, False], {"True": 1}),
        ("mark", [7, 0, 0], {"mark": 1}),
        ("mark", [0.5, 0.0, None], {"mark": 1}),
        ("mark=500", [500.0, 200.0, None], {"500": 1}),
        ("mark", ["timeout", "nan", "None"], {"timeout": 1}),
        ("mark", ["timeout", "False", " 0.0"], {"timeout": 1}),
        ("mark", ["timeout", "NA", "null"], {"timeout": 1}),
        ("mark=error", ["Error ", "ok", ""], {"error": 1}),
        ("mark=error,007", ["7", "ok", "error 7"], {"007": 1}),
    ],
)
def test_what_a_cell_of_reasons_says(
    kind: str, option: str, cells: list[Any], reasons: dict[str, int], tmp_path: Path
) -> None:
    """The same in every format: the first row has no score, and the others, one right, have one."""
    columns = {"predictions": [1, 1, 0], "labels": [1, 1, 1], "mark": cells}
    file = written(tmp_path, kind, columns)

    values = found(
        ["score", file, "--metric", "accuracy", "--unscored", "drop", "--unscored-column", option],
        tmp_path,
    )

    assert values["accuracy"] == {"top1": 0.5}
    assert (values["scored"], values["unscored"]) == (2, reasons)


def test_strings_of_rows_without_a_score_are_no_classes(tmp_path: Path, capsys: Any) -> None:
    """The classes are those of the rows that count."""
    columns = {
        "predictions": ["cat", "dog", "Traceback", None],
        "labels": ["cat", "cat", "dog", "dog"],
        "error": [None, None, {"type": "ValueError"}, None],
    }
    file = written(tmp_path, "jsonl", columns)
    words = ["score", file, "--metric", "accuracy", "--unscored-column", "error", "--unscored"]
    assert main([*words, "dog"]) == 0
    shown = capsys.readouterr()
    assert "sorted: cat, dog\n" in shown.err
    assert "2 of 4 scored; 1 absent, 1 error: counted as dog" in shown.out
    assert "0.75" in shown.out


def test_labels_of_rows_that_count_are_classes(tmp_path: Path, capsys: Any) -> None:
    """A class whose only rows have no score is one, unless these rows are left out."""
    columns = {"predictions": ["cat", "cat", None], "labels": ["cat", "cat", "dog"]}
    words = ["score", written(tmp_path, "csv", columns), "--metric", "accuracy"]
    for rule, value in (("drop", 1.0), ("0", 2 / 3), ("dog", 1.0), ("bounds", 1.0)):
        classes = "cat" if rule == "drop" else "cat, dog"
        assert found([*words, "--unscored", rule], tmp_path)["accuracy"]["top1"] == value
        assert main([*words, "--unscored", rule]) == 0
        assert f"sorted: {classes}\n" in capsys.readouterr().err
    assert main(words) == 2
    assert "a cell is empty; fill it" in (told := capsys.readouterr().err)
    assert "--unscored says what rows without a prediction count as" in told


def test_a_text_may_be_empty(tmp_path: Path, capsys: Any) -> None:
    """An empty prediction is what a row without a score counts as; classes have no empty name."""
    columns = {"predictions": ["a b", None, "c"], "references": ["a b", "d", "e"]}
    words = ["score", written(tmp_path, "jsonl", columns), "--unscored", "", "--metric"]
    assert found([*words, "char_error_rate"], tmp_path)["char_error_rate"] == {"cer": 2 / 5}
    record = str(tmp_path / "record.json")
    assert main([*words, "exact_match", "--record", record]) == 0
    assert "2 of 3 scored; 1 absent: counted as the empty text" in capsys.readouterr().out
    assert main(["verify", record, words[1]]) == 0
    columns = {"predictions": ["cat", "dog", None], "labels": ["cat"] * 3}
    words[1] = written(tmp_path, "jsonl", columns, "classes")
    assert main([*words, "accuracy"]) == 2
    assert "one of the classes" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--unscored-column", "nope"], "no column 'nope' (for --unscored-column)"),
        (["--unscored-column", "status="], "--unscored-column must be columns"),
        ([*MARKS, *MARKS], "--unscored-column must be columns, each given once"),
    ],
)
def test_wrong_columns_are_refused(
    words: list[str], text: str, tmp_path: Path, capsys: Any
) -> None:
    """Before anything is computed."""
    file = written(tmp_path, "csv", table())
    assert main(["score", file, "--metric", "accuracy", *words]) == 2
    assert text in capsys.readouterr().err


def test_a_metric_without_bounds_says_what_works(tmp_path: Path, capsys: Any) -> None:
    """A mean of numbers without a range has no worst case."""
    file = written(tmp_path, "csv", {"values": [1.0, None]})
    assert main(["score", file, "--metric", "mean", "--unscored", "bounds"]) == 2
    assert "pass --unscored drop" in capsys.readouterr().err


def test_ids_that_are_missing_are_absent(tmp_path: Path) -> None:
    """With `--size`, and only where a rule says what they count as."""
    file = written(tmp_path, "csv", table())
    words = ["score", file, "--metric", "accuracy", "--ids", "id", "--size", "10"]
    assert main([*words, "-q"]) == 2
    one = found([*words, *MARKS, "--unscored", "drop"], tmp_path)
    assert (one["planned"], one["unscored"]["absent"]) == (10, 3)


@pytest.fixture
def sides(tmp_path: Path) -> list[str]:
    """Two systems on 8 samples: 4 scored on both, 1 on a only, 2 on b only, 1 on neither."""
    a = table("csv")
    b = {**a, "predictions": [1, 1, 1, "late", None, 0, 1, 0]}
    b["status"] = ["ok", "ok", "ok", "error", "timeout", "ok", "ok", "ok"]
    return [written(tmp_path, "csv", a, "a"), "--", written(tmp_path, "csv", b, "b")]


def test_compare_says_who_scored_what(sides: list[str], tmp_path: Path, capsys: Any) -> None:
    """Both, a only, b only, neither, with the reasons of both."""
    words = ["compare", *sides, "--metric", "accuracy", "--ids", "id", *MARKS, "--unscored"]
    one = found([*words, "bounds"], tmp_path)["accuracy"]
    assert one["scored"] == {"both": 4, "a_only": 1, "b_only": 2, "neither": 1}
    assert one["unscored"] == {
        "a: absent": 1, "a: error": 1, "a: timeout, b: timeout": 1, "b: error": 1,
    }  # fmt: skip
    ends = one["bounds"]["top1_difference"]
    # On both: 1 up, 1 up (+2). a only: right (-1, 0). b only: right twice (0, 1). Neither: -1, 1.
    assert (ends["worst"], ends["best"]) == (pytest.approx(0.0), pytest.approx(0.625))
    assert found([*words, "drop"], tmp_path)["accuracy"]["top1_difference"] == 0.5
    assert found([*words, "0", "-n", "2"], tmp_path)["accuracy"]["samples"] == 8
    assert main([*words, "drop"]) == 0
    line = "4 of 8 scored on both, 1 on A only, 2 on B only, 1 on neither"
    assert line in (shown := capsys.readouterr().out)
    assert "; 4 samples that are left out could change this\n" in shown
    assert main([*words, "drop", "--by", "labels"]) == 0
    shown = capsys.readouterr().out
    for which, count in (("all", "4 samples that are"), ("labels=1", "2 samples that are"),
                         ("labels=0", "2 samples that are")):  # fmt: skip
        assert f"{which}: accuracy top1: " in shown
        [verdict] = [one for one in shown.splitlines() if one.startswith(f"{which}: accuracy")]
        assert verdict.endswith(f"; {count} left out could change this")
    for rule in ("0", "bounds"):  # these are for all samples
        assert main([*words, rule]) == 0
        assert "could change this" not in capsys.readouterr().out
    assert main([*words, "refuse"]) == 2
    assert "4 of 8 scored" in capsys.readouterr().err


@pytest.mark.parametrize("rule", ["drop", "0", "1", "bounds"])
@pytest.mark.parametrize("ranks", ["1", "2"])
def test_rows_of_one_file_are_absent_in_the_other(rule: str, ranks: str, tmp_path: Path) -> None:
    """As if the other file had them with an empty prediction, whose labels are the same."""
    columns = {**table("jsonl"), "predictions": [1, 0, 1, 1, 0, 0, 1, 1], "group": [*"xxyyxxyy"]}
    rows = [*zip(*columns.values(), strict=True)]
    in_a, in_b = {0, 1, 2, 3, 4, 7}, {1, 2, 4, 5, 6, 7}
    place, files = [*columns].index("predictions"), {}
    for name, own in (("a", in_a), ("b", in_b)):
        empty = [(*r[:place], r[place] if i in own else None, *r[place + 1 :])
                 for i, r in enumerate(rows)]  # fmt: skip
        kept = [row for i, row in enumerate(rows) if i in own]
        for kind, chosen in (("full", empty), ("part", kept)):
            of_rows = dict(zip(columns, map(list, zip(*chosen, strict=True)), strict=True))
            files[kind, name] = written(tmp_path, "jsonl", of_rows, f"{kind}-{name}")
    options = ["--metric", "accuracy", "--ids", "id", "--by", "group", "-n", ranks]
    options += ["--unscored", rule]
    full, part = (
        found(["compare", files[kind, "a"], "--", files[kind, "b"], *options], tmp_path)
        for kind in ("full", "part")
    )
    assert part == full
    assert part["all"]["accuracy"]["scored"] == {"both": 4, "a_only": 2, "b_only": 2, "neither": 0}
    assert part["all"]["accuracy"]["unscored"] == {"a: absent": 2, "b: absent": 2}


def test_rows_of_one_file_need_a_rule(tmp_path: Path, capsys: Any) -> None:
    """Without one the error says how many there are, which, and what to pass."""
    a, b = ({"id": ids, "predictions": [1] * 3, "labels": [1] * 3} for ids in ("pqr", "qrs"))
    sides = [written(tmp_path, "csv", a, "a"), "--", written(tmp_path, "csv", b, "b")]
    for rule in ([], ["--unscored", "refuse"]):
        assert main(["compare", *sides, "--metric", "accuracy", "--ids", "id", *rule]) == 2
        told = capsys.readouterr().err
        assert "only A has ['p'], and only B has ['s']" in told
        assert "2 are in both, 1 in A only, 1 in B only; --unscored drop leaves" in told


def test_a_slice_in_which_no_pair_has_two_scores_is_not_won(
    sides: list[str], tmp_path: Path, capsys: Any
) -> None:
    """A gate with slices judges it in the worst case; a comparison prints it without a value."""
    columns: dict[str, Sequence[Any]] = {
        "id": [*range(300)], "predictions": [1] * 300, "labels": [1] * 300,
        "group": ["x"] * 295 + ["y"] * 5, "error": [None] * 300,
    }  # fmt: skip
    a = written(tmp_path, "jsonl", columns, "a")
    columns["error"] = [None] * 295 + ["lost"] * 5
    b = written(tmp_path, "jsonl", columns, "b")
    gate = ["gate", a, "--", b, "--metric", "accuracy", "--margin", "0.1", "--by", "group"]
    gate += ["--ids", "id", "--unscored-column", "error", "--unscored"]

    assert main([*gate, "bounds"]) == 3
    assert "worst slice: group=y" in capsys.readouterr().out
    assert main([*gate, "drop"]) == 0
    assert "left out, as --unscored drop declares" in capsys.readouterr().out
    compare = ["compare", *gate[1:4], *gate[4:6], *gate[8:]]
    assert main([*compare, "bounds"]) == 0
    assert "group=y: 0 of 5 scored on both, 5 on A only" in capsys.readouterr().out


def test_broken_samples_need_a_score(sides: list[str], capsys: Any) -> None:
    """Nobody knows whether a sample without a score is broken; a number says it."""
    gate = ["gate", *sides, "--metric", "accuracy", "--ids", "id", *MARKS, "--margin", "0.1"]
    assert main([*gate, "--broken", "0", "--unscored", "bounds"]) == 2
    assert "--broken needs a score for each sample" in capsys.readouterr().err
    assert main([*gate, "--broken", "0", "--unscored", "0"]) == 1
    assert "broken" in capsys.readouterr().out


def test_a_rule_is_a_question_of_its_own_in_the_log_of_gates(
    sides: list[str], tmp_path: Path
) -> None:
    """The same candidate by another rule is not the next candidate."""
    log = tmp_path / "gates.jsonl"
    gate = ["gate", sides[2], "--metric", "accuracy", *MARKS, "--at-least", "0.1", "-q"]
    for rule in ("drop", "bounds", "0"):
        main([*gate, "--unscored", rule, "--log", str(log)])
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line["question"]["unscored"] for line in lines] == ["drop", "bounds", 0]
    assert {line["turn"] for line in lines} == {1}


@pytest.mark.parametrize("rule", ["drop", "bounds", "0", "refuse"])
def test_records_verify_the_rule_and_the_reasons(rule: str, tmp_path: Path, capsys: Any) -> None:
    """Garbage in place of a prediction changes nothing; another reason does, by its id."""
    columns = table()
    if rule == "refuse":
        columns = {**columns, "predictions": [1] * 8, "status": ["ok"] * 8}
    file, record = written(tmp_path, "csv", columns), str(tmp_path / "record.json")
    words = ["--metric", "accuracy", "--ids", "id", *MARKS, "--unscored", rule]
    assert main(["score", file, *words, "--record", record, "-q"]) == 0
    assert main(["verify", record, file]) == 0
    assert main(["verify", record, file, "-n", "2"]) == 0
    if rule == "refuse":
        return
    claim = json.loads(Path(record).read_text())["claim"]
    assert claim["samples"]["unscored"] == REASONS
    assert claim["request"]["unscored"] == [rule, "status=error,timeout"]
    text = Path(file).read_text()
    Path(file).write_text(text.replace("ERROR", "Traceback"))
    assert main(["verify", record, file]) == 0
    Path(file).write_text(text.replace("ERROR,1,error", "ERROR,1,timeout"))
    capsys.readouterr()
    assert main(["verify", record, file]) == 1
    assert "1 changed: id" in (shown := capsys.readouterr().out)
    assert "unscored" in shown
    assert main(["record", record, "--to", "hf", "--set", "dataset=d", "--set", "task=t"]) == 0
    assert "5 of 8 scored; 1 absent, 1 error, 1 timeout" in capsys.readouterr().out


def test_a_lock_declares_the_rule(tmp_path: Path, capsys: Any) -> None:
    """A run by another rule, or by none, departs from it."""
    file, lock = written(tmp_path, "csv", table()), str(tmp_path / "lock.json")
    words = ["score", file, "--metric", "accuracy", *MARKS, "-q"]
    assert main([*words, "--unscored", "bounds", "--lock", lock]) == 0
    assert main([*words, "--unscored", "bounds", "--locked", lock]) == 0
    capsys.readouterr()
    assert main([*words, "--unscored", "drop", "--locked", lock]) == 2
    assert "unscored was ['bounds'" in capsys.readouterr().err
    whole = written(tmp_path, "csv", {**table(), "predictions": LABELS}, "whole")
    assert main(["score", whole, "--metric", "accuracy", "-q", "--locked", lock]) == 2
    assert "and is now None" in capsys.readouterr().err


def test_the_states_keep_the_reasons(tmp_path: Path, capsys: Any) -> None:
    """Saved, added up and taken out, the account is that of the samples."""
    columns = table()
    halves = [{name: column[i::2] for name, column in columns.items()} for i in (0, 1)]
    states = []
    for i, half in enumerate(halves):
        file, state = written(tmp_path, "csv", half, str(i)), str(tmp_path / f"{i}.safetensors")
        words = ["score", file, "--metric", "accuracy", *MARKS, "--unscored", "bounds"]
        assert main([*words, "--ids", "id", "--state", state, "-q"]) == 0
        states.append(state)
    one = found(["rollup", *states], tmp_path)
    assert (one["planned"], one["unscored"]) == (8, REASONS)
    (tmp_path / "ids.txt").write_text("c\n")
    out = found(["retract", states[0], "--ids-file", str(tmp_path / "ids.txt")], tmp_path)
    assert (out["planned"], out["unscored"]) == (3, {"timeout": 1})


@pytest.mark.parametrize("rule", ["drop", "bounds", "0"])
def test_rows_without_a_score_are_taken_out_of_a_state_without_ids(
    tmp_path: Path, rule: str
) -> None:
    """The state knows the rule by which rows of the files have no score."""
    file, state = written(tmp_path, "csv", table()), str(tmp_path / "whole.safetensors")
    words = ["score", file, "--metric", "accuracy", *MARKS, "--unscored", rule]
    assert main([*words, "--state", state, "-q"]) == 0
    (tmp_path / "ids.txt").write_text("\n".join(table()["id"][2:]))
    retract = ["retract", state, file, "--ids", "id", "--ids-file", str(tmp_path / "ids.txt")]
    columns = {name: column[:2] for name, column in table().items()}
    kept = written(tmp_path, "csv", columns, "kept")
    assert found(retract, tmp_path) == found([*words[:1], kept, *words[2:]], tmp_path)


def test_a_requirement_may_ask_for_the_worst_value(tmp_path: Path, capsys: Any) -> None:
    """The bounds are numbers with names, as all others."""
    file = written(tmp_path, "csv", table())
    words = ["score", file, "--metric", "accuracy", *MARKS, "--unscored", "bounds", "-q"]
    worst = min(fillings())
    assert main([*words, "--require", f"bounds.accuracy.top1.worst>={worst}"]) == 0
    assert main([*words, "--require", "bounds.accuracy.top1.worst>=0.6"]) == 3
    assert main([*words, "--require", "unscored.error<1"]) == 3


def test_a_requirement_holds_of_reasons_that_no_row_has(tmp_path: Path, capsys: Any) -> None:
    """On a night without timeouts there are at most five; no row can have the reason `timout`."""
    columns = {**table(), "predictions": LABELS, "status": ["ok"] * 8}
    words = ["score", written(tmp_path, "csv", columns), "--metric", "accuracy", "-q", *MARKS]
    words += ["--unscored", "drop", "--by", "labels", "--require"]
    for name in ("unscored.timeout", "unscored.absent", "labels=1/unscored.error"):
        assert main([*words, f"{name}<=5"]) == 0
        assert main([*words, f"{name}>5"]) == 3
    assert main([*words, "unscored.timout<=5"]) == 2
    assert "did you mean unscored.timeout" in capsys.readouterr().err


def test_scores_of_classes_may_be_missing(tmp_path: Path) -> None:
    """A row of scores in several columns, or in an array, of which one is nan."""
    scores = np.array([[0.9, 0.1], [0.2, np.nan], [0.3, 0.7]])
    np.savez(tmp_path / "preds.npz", predictions=scores, labels=np.array([0, 0, 0]))
    words = ["--metric", "accuracy", "--unscored", "drop"]
    one = found(["score", str(tmp_path / "preds.npz"), *words], tmp_path)
    assert (one["accuracy"]["top1"], one["unscored"]) == (0.5, {"absent": 1})
    columns = {"p_0": [0.9, 0.2, 0.3], "p_1": [0.1, None, 0.7], "labels": [0, 0, 0]}
    for kind in FORMATS:
        file = written(tmp_path, kind, columns, "wide")
        again = found(["score", file, *words, "--column", "predictions=p_*"], tmp_path)
        assert again["accuracy"] == one["accuracy"]
        assert again["unscored"] == {"absent": 1}


def test_an_entry_that_no_row_has_is_told(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """A misspelled entry would count every row as scored, in silence."""
    path = tmp_path / "p.csv"
    path.write_text("predictions,labels,status\n0,0,ok\n1,0,error\n1,1,ok\n")
    words = ["score", str(path), "--metric", "accuracy", "--unscored", "0", "--unscored-column"]

    assert main([*words, "status=eror,error"]) == 0
    assert "no row counts as unscored because of status=eror\n" in capsys.readouterr().err
    assert main([*words, "status=error"]) == 0
    assert "no row" not in capsys.readouterr().err

    other = tmp_path / "b.csv"
    other.write_text("predictions,labels,status\n0,0,timeout\n1,0,error\n1,1,ok\n")
    for command, bound in (("compare", []), ("gate", ["--margin", "0.5"])):
        words = [command, str(path), "--", str(other), "--metric", "accuracy", *bound]
        words += ["--unscored", "0", "--unscored-column", "status=eror,error,timeout"]
        assert main(words) in (0, 1, 3)
        assert capsys.readouterr().err.count("as unscored because of status=eror\n") == 1


def test_without_a_row_that_both_score_there_are_no_flips(tmp_path: Path, capsys: Any) -> None:
    """The file of flips has its head alone, whatever the rule, and no difference has a sign."""
    sides = (("a", "0,1,1\n1,,0\n"), ("b", "0,,1\n1,1,0\n"))
    for name, rows in sides:
        (tmp_path / f"{name}.csv").write_text(f"id,predictions,labels\n{rows}")
    paths = [str(tmp_path / f"{name}.csv") for name, _ in sides]
    for rule in ("drop", "bounds"):
        words = ["compare", paths[0], "--", paths[1], "--metric", "accuracy", "--ids", "id"]
        flips = tmp_path / f"{rule}.csv"

        assert main([*words, "--unscored", rule, "--flips", str(flips)]) == 0
        assert flips.read_text() == "id,flip\n"
        printed = capsys.readouterr().out
        assert "0 of 2 scored on both" in printed
        assert "+nan" not in printed
