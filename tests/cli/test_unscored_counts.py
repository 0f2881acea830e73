"""The numbers of samples without a score are equal in all that the command line writes."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.cli import main
from tests.cli.test_unscored import written
from tests.helpers import requires
from tests.helpers.examples import examples
from tests.reporting.test_unscored import texts

requires("pyarrow")
requires("jinja2")
requires("matplotlib")

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*the others do not count"),
    pytest.mark.filterwarnings("ignore:intervals that promise less"),
]

REASONS = (None, None, None, None, "error", "timeout", "a: b, 2 c")
MARKS = ["--ids", "id", "--by", "g", "--unscored-column", "status"]


def table(rng: np.random.Generator, count: int) -> dict[str, Any]:
    """A table: the predictions of rows without a score may be there, or be empty."""
    reasons = [REASONS[at] for at in rng.integers(0, len(REASONS), count)]
    reasons[:2] = None, "error"
    predictions = [
        None if why and rng.random() < 0.5 else int(rng.integers(0, 2)) for why in reasons
    ]
    return {
        "id": [f"s{at}" for at in range(count)],
        "predictions": predictions,
        "labels": [at % 2 for at in range(count)],
        "g": ["xy"[at % 3 % 2] for at in range(count)],
        "status": reasons,
    }


def slices(columns: Mapping[str, Sequence[Any]]) -> dict[str, list[int]]:
    """The places of the rows of every slice."""
    groups = {f"g={one}": one for one in sorted({*columns["g"]})}
    every = range(len(columns["id"]))
    return {"all": [*every]} | {
        name: [at for at in every if columns["g"][at] == one] for name, one in groups.items()
    }


def counted(reasons: Sequence[str | None]) -> dict[str, int]:
    """The reasons by number, in the order of the alphabet."""
    return dict(sorted(Counter(why for why in reasons if why is not None).items()))


def lines_of(file: Path) -> dict[tuple[str, ...], str]:
    """The cells of a CSV file by slice, metric and key."""
    with open(file, newline="") as opened:
        return {(*line[:3],): line[3] for line in csv.reader(opened)}


@pytest.mark.parametrize("rule", ["drop", "0", "bounds"])
def test_a_score_has_equal_counts_everywhere(rule: str, tmp_path: Path, capsys: Any) -> None:
    """In Python, JSON, CSV, the table, the page, the record and its export, and a gate's log."""
    page, record, log = (tmp_path / name for name in ("p.html", "r.json", "log.jsonl"))
    for seed in range(examples(5)):
        rng = np.random.default_rng(seed)
        columns = table(rng, int(rng.integers(9, 40)))
        file = written(tmp_path, "jsonl", columns)
        words = [file, "--metric", "accuracy", *MARKS, "--unscored", rule]
        targets = ["--json", str(tmp_path / "r.js"), "--csv", str(tmp_path / "r.csv")]
        assert (
            main(["score", *words, *targets, "--report", str(page), "--record", str(record)]) == 0
        )
        shown = capsys.readouterr().out
        gate = ["gate", *words, "--at-least", "0.1", "--log", str(log), "--json"]
        main([*gate, str(tmp_path / "g.js")])
        gated = capsys.readouterr().out
        found = json.loads((tmp_path / "r.js").read_text())
        lines, claim = lines_of(tmp_path / "r.csv"), json.loads(record.read_text())["claim"]
        said = texts(page.read_text())

        policy: Any = 0 if rule == "0" else rule
        asked: Any = {"ids": "id", "by": "g", "unscored_column": "status"}
        result = mm.score(columns, mm.Accuracy(), unscored=policy, **asked)

        for which, places in slices(columns).items():
            reasons = counted([columns["status"][at] for at in places])
            planned, scored = len(places), len(places) - sum(reasons.values())
            account = result.accounts[which]
            assert (account.planned, account.scored) == (planned, scored)
            assert account.unscored == reasons
            one = found[which]
            assert (one["planned"], one["scored"], one["unscored"]) == (planned, scored, reasons)
            assert one["samples"] == planned
            assert lines[which, "planned", ""] == str(planned)
            assert lines[which, "scored", ""] == str(scored)
            known = {key[2]: int(n) for key, n in lines.items() if key[:2] == (which, "unscored")}
            assert known == reasons
            of_claim = claim["samples"] if which == "all" else claim["samples"]["slices"][which]
            assert (of_claim["count"], of_claim["unscored"]) == (planned, reasons)
            listed = ", ".join(f"{count} {why}" for why, count in reasons.items())
            if reasons:
                line = f"{scored} of {planned} scored; {listed}: "
                assert f"\n{f'{which}: ' * (which != 'all')}{line}" in shown
                ends = {**account.bounds}
                if rule == "bounds":
                    worst, best = ends["top1"]
                    assert one["bounds"]["accuracy"]["top1"] == {"worst": worst, "best": best}
                    number = claim["values"][which]["accuracy"]["top1"]
                    assert (number["worst"], number["best"]) == (repr(worst), repr(best))
                    assert lines[which, "bounds", "accuracy top1 worst"] == repr(worst)
                    assert f"from {worst:.4g} (worst) to {best:.4g} (best)" in shown
        whole = counted(columns["status"])
        planned, scored = len(columns["id"]), len(columns["id"]) - sum(whole.values())
        listed = ", ".join(f"{count} {why}" for why, count in whole.items())
        assert f"{planned} planned, {scored} with a score; without a score: {listed}" in said
        assert f"{scored} of {planned} scored; {listed}" in gated
        [last] = log.read_text().splitlines()[-1:]
        for one in (json.loads(last), json.loads((tmp_path / "g.js").read_text())):
            assert (one["planned"], one["scored"], one["unscored"]) == (planned, scored, whole)
        assert (
            main(["record", str(record), "--to", "hf", "--set", "dataset=d", "--set", "task=t"])
            == 0
        )
        assert f"n = {planned}, {scored} of {planned} scored; {listed}" in capsys.readouterr().out


@pytest.mark.parametrize("rule", ["drop", "0", "bounds"])
def test_a_comparison_has_equal_counts_everywhere(rule: str, tmp_path: Path, capsys: Any) -> None:
    """Both, one, neither, the reasons: in Python, JSON, CSV, the lines, the page, a gate's log."""
    page, log = tmp_path / "p.html", tmp_path / "log.jsonl"
    for seed in range(examples(5)):
        rng = np.random.default_rng(seed)
        a = table(rng, int(rng.integers(9, 40)))
        b = table(rng, len(a["id"]))
        sides = [written(tmp_path, "jsonl", a, "a"), "--", written(tmp_path, "jsonl", b, "b")]
        words = [*sides, "--metric", "accuracy", *MARKS, "--unscored", rule]
        targets = ["--json", str(tmp_path / "r.js"), "--csv", str(tmp_path / "r.csv")]
        assert main(["compare", *words, *targets, "--report", str(page)]) == 0
        shown = capsys.readouterr().out
        main(
            ["gate", *words, "--margin", "0.5", "--log", str(log), "--json", str(tmp_path / "g.js")]
        )
        gated = capsys.readouterr().out
        found, lines = json.loads((tmp_path / "r.js").read_text()), lines_of(tmp_path / "r.csv")
        said = texts(page.read_text())

        pair = mm.Paired(mm.Sliced(mm.Accuracy(unscored=0 if rule == "0" else rule), by="g"))
        for side, columns in ((pair.a, a), (pair.b, b)):
            told = [0 if one is None else one for one in columns["predictions"]]
            named = {"ids": columns["id"], "by": {"g": columns["g"]}}
            side.add(told, columns["labels"], unscored=columns["status"], **named)
        result = pair.compute()

        for which, places in slices(a).items():
            whys = [(a["status"][at], b["status"][at]) for at in places]
            texts_of = [
                ", ".join(f"{name}: {why}" for name, why in zip("ab", both, strict=True) if why)
                for both in whys
            ]
            reasons = counted([text or None for text in texts_of])
            lacks = [(one is not None, other is not None) for one, other in whys]
            both, a_only, b_only, neither = (
                lacks.count(one)
                for one in ((False, False), (False, True), (True, False), (True, True))
            )
            account = result.accounts[which]
            assert (account.planned, account.scored) == (len(places), both)
            assert account.one_sided == (a_only, b_only, neither)
            assert account.unscored == reasons
            one = found[which]["accuracy"]
            numbers = {"both": both, "a_only": a_only, "b_only": b_only, "neither": neither}
            assert (one["planned"], one["scored"]) == (len(places), numbers)
            assert one["unscored"] == reasons
            assert one["samples"] == (both if rule != "0" else len(places))
            at = which, "accuracy"
            assert lines[(*at, "planned")] == str(len(places))
            assert {name: int(lines[(*at, f"scored {name}")]) for name in numbers} == numbers
            known = {
                key[2].removeprefix("unscored "): int(count)
                for key, count in lines.items()
                if key[:2] == at and key[2].startswith("unscored ")
            }
            assert known == reasons
            line = (
                f"{both} of {len(places)} scored on both, {a_only} on A only, {b_only} on B only, "
                f"{neither} on neither"
            )
            assert (f"\n{f'{which}: ' if len(found) > 1 else ''}{line}" in shown) == bool(reasons)
            if which == "all" and reasons:
                assert line in gated
                in_words = (
                    f"{both} of {len(places)} samples have a score in both systems, {a_only} only "
                    f"in a, {b_only} only in b, {neither} in neither."
                )
                assert in_words in said
                for kept in (log.read_text().splitlines()[-1], (tmp_path / "g.js").read_text()):
                    judged = json.loads(kept)
                    assert (judged["planned"], judged["scored"]) == (len(places), numbers)
                    assert judged["unscored"] == reasons
                for why, count in reasons.items():
                    assert f"{count} ({why})" in said
