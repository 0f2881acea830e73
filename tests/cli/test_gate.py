"""`gate`: pass, fail or undecided, by the exit code and in words."""

import base64
import hashlib
import json
from pathlib import Path

import pytest

import mmeval_like as mm
from mmeval_like.cli import main
from tests.cli.files import run
from tests.helpers.optional import requires

requires("pyarrow")
pytestmark = pytest.mark.filterwarnings("ignore:intervals that promise less")

ACCURACY = ("--metric", "accuracy")


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["A", "--", "B", "--margin", "0.01"], 0, "PASS accuracy.top1 +0.1"),
        (["B", "--", "A", "--margin", "0.01"], 1, "FAIL accuracy.top1 -0.1"),
        (["B", "--", "A", "--margin", "0.2"], 3, "UNDECIDED accuracy.top1 -0.1"),
        (["B", "--at-least", "0.7"], 0, "PASS accuracy.top1 0.8"),
        (["B", "--at-most", "0.7"], 1, "FAIL accuracy.top1 0.8"),
        (["B", "--at-least", "0.8"], 3, "needs about"),
        (["A", "--", "B", "--margin", "0", "--by", "domain"], 0, "PASS"),
        (["B", "--at-least", "0.7", "--by", "domain"], 0, "PASS"),
        (["B", "--at-least", "0.95", "--by", "domain"], 1, "worst slice: domain="),
        (["A", "--", "B", "--margin", "0", "--anytime", "--planned", "500"], 0, "PASS"),
        (["B", "--at-least", "0.7", "--key", "top5"], 2, "there is no value 'top5'"),
        (["B", "--margin", "0.1"], 2, "--margin compares A -- B"),
        (["A", "--", "B", "--at-least", "0.1"], 2, "--margin compares A -- B"),
        (["A", "--", "B", "--margin", "-1"], 2, "margin must not be negative"),
        (["A", "--", "B", "--margin", "1"], 2, "margin must be less than 1"),
        (["B", "--at-least", "85"], 2, "at_least must lie in [0, 1]"),
        (
            ["A", "--", "B", "--margin", "0", "--anytime", "--planned", "9", "--cluster", "domain"],
            2,
            "--anytime does not support --cluster",
        ),
    ],
)
def test_gates(files, capsys, arguments, code, text):
    """The exit code and the line of every outcome; one more if the bound is on the wrong side."""
    named = [{"A": files[0], "B": files[1]}.get(word, word) for word in arguments]
    assert main(["gate", *named, *ACCURACY]) == code
    captured = capsys.readouterr()
    assert text in captured.out + captured.err
    lines = (captured.out + captured.err).splitlines()
    assert len(lines) == 1 + ("--at-most" in arguments)


def test_a_verdict_for_machines(files):
    """`--json -` of the real command with 2 ranks: JSON alone on the output, and the exit code."""
    requires("zmq")
    a, b, _ = files
    done = run("gate", b, "--", a, *ACCURACY, "--margin", "0.01", "--by", "domain", "--json", "-",
               "-n", "2")  # fmt: skip
    assert done.returncode == 1, done.stderr
    found = json.loads(done.stdout)
    assert (found["outcome"], found["metric"], found["key"]) == ("fail", "accuracy", "top1")
    assert (found["bound"], found["sign"]) == (-0.01, ">=")
    assert found["low"] <= found["value"] <= found["high"] < -0.01
    assert set(found["slices"]) == {"domain=day", "domain=night"}
    assert found["worst"] in found["slices"]
    assert "FAIL accuracy.top1" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "result", "tests"),
    [
        (["B", "--at-least", "0.7"], "PASSED", {"passed": ["accuracy.top1 >= 0.7"]}),
        (["B", "--at-most", "0.7"], "FAILED", {"failed": ["accuracy.top1 <= 0.7"]}),
        (["B", "--at-least", "0.8"], "WARNED", {"warned": ["accuracy.top1 >= 0.8"]}),
        (["A", "--", "B", "--margin", "0.01"], "PASSED", {"passed": ["accuracy.top1 >= -0.01"]}),
    ],
)
def test_a_verdict_is_a_statement(files, tmp_path, arguments, result, tests):
    """About the bytes of all files, with what was asked, its hash, and no path."""
    target = tmp_path / "gate.json"
    named = {"A": files[0], "B": files[1]}
    words = [named.get(word, word) for word in arguments]
    main(["gate", *words, *ACCURACY, "--statement", str(target), "-q"])
    found = json.loads(target.read_text())
    predicate = found["predicate"]
    [configuration] = predicate["configuration"]
    asked = base64.b64decode(configuration["content"])

    assert found["predicateType"] == "https://in-toto.io/attestation/test-result/v0.1"
    assert found["subject"] == [
        {
            "name": Path(named[word]).name,
            "digest": {"sha256": hashlib.sha256(Path(named[word]).read_bytes()).hexdigest()},
        }
        for word in arguments
        if word in named
    ]
    assert predicate["result"] == result
    for name in ("passed", "warned", "failed"):
        assert predicate[f"{name}Tests"] == tests.get(name, [])
    assert configuration["digest"] == {"sha256": hashlib.sha256(asked).hexdigest()}
    assert json.loads(asked)["number"] == "accuracy.top1"
    assert str(tmp_path) not in target.read_text() + asked.decode()


@pytest.mark.parametrize("rule", ["bounds", "0.5", "drop"])
def test_a_statement_says_which_samples_have_no_score(rule, tmp_path):
    """With the ends of the value as texts: records have no floats."""
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text("values,run\n" + "0.1,1\n,1\n0.4,1\n" * 20)
    sides = [str(tmp_path / "a.csv"), "--", str(tmp_path / "b.csv")]
    words = ["--metric", "mean:bounds=0,1,higher_is_better=true", "--unscored", rule, "-q"]
    for judged in ([*sides, "--margin", "0.9"], [*sides[:1], "--at-least", "0.01"]):
        target = tmp_path / "gate.json"
        found = tmp_path / "found.json"
        written = ["--statement", str(target), "--json", str(found)]
        assert main(["gate", *judged, *words, *written]) == 0
        [configuration] = json.loads(target.read_text())["predicate"]["configuration"]
        asked = json.loads(base64.b64decode(configuration["content"]))
        assert (asked["planned"], [*asked["unscored"].values()]) == (60, [20])
        told = json.loads(found.read_text(), parse_float=str).get("bounds", {})
        assert asked.get("bounds", {}) == told
        assert bool(told) == (rule == "bounds")
        target.unlink()


def test_slices_are_tests_of_their_own(files, tmp_path, capsys):
    """Each with its name; nothing that is read is overwritten."""
    target = tmp_path / "gate.json"
    asked = ["gate", files[1], "--at-least", "0.95", "--by", "domain", *ACCURACY]
    assert main([*asked, "--statement", str(target), "-q"]) == 1
    predicate = json.loads(target.read_text())["predicate"]
    tests = predicate["failedTests"] + predicate["warnedTests"] + predicate["passedTests"]

    assert set(tests) == {
        f"{start}accuracy.top1 >= 0.95" for start in ("", "domain=day/", "domain=night/")
    }
    assert main([*asked, "--statement", files[1], "-q"]) == 2
    assert "would be overwritten" in capsys.readouterr().err


def test_a_broken_run_is_no_failed_model(files, capsys, monkeypatch):
    """Exit code 4 where a rank raises, 1 for `score`."""

    def broken(*_):
        raise RuntimeError("out of order")

    monkeypatch.setattr(mm.Accuracy, "compute_metric", broken)
    a, b, _ = files
    assert main(["gate", a, "--", b, *ACCURACY, "--margin", "0.1"]) == 4
    assert main(["compare", a, "--", b, *ACCURACY]) == 4
    assert main(["score", a, *ACCURACY]) == 1
    assert "out of order" in capsys.readouterr().err


def test_means_are_gated_that_say_which_way_is_better(tmp_path, capsys):
    """`mean:higher_is_better=` gates judge scores; without it the error names it, once."""
    for name, step in (("a.jsonl", 0), ("b.jsonl", 1)):
        rows = [{"id": f"q{i}", "judge": i % 5 + step + i % 3 / 10 * step} for i in range(60)]
        (tmp_path / name).write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    a, b = (str(tmp_path / f"{name}.jsonl") for name in "ab")
    read = ["--column", "values=judge", "--ids", "id", "--margin", "0.02"]

    codes = {}
    for better in ("true", "false"):
        metric = f"mean:higher_is_better={better}"
        codes[better] = main(["gate", a, "--", b, "--metric", metric, *read])
    assert codes == {"true": 0, "false": 1}
    assert main(["gate", a, "--", b, "--metric", "mean", *read]) == 2
    assert "mean:higher_is_better=true" in capsys.readouterr().err
    with pytest.raises(ValueError, match="higher_is_better must be True, False or None, got 'up'"):
        mm.Mean(higher_is_better="up")


@pytest.mark.filterwarnings("ignore:.*no samples were added")
def test_files_without_rows_are_no_evidence(tmp_path, capsys):
    """One system is undecided, and two have nothing to compare."""
    empty, other = (tmp_path / name for name in ("a.csv", "b.csv"))
    for path in (empty, other):
        path.write_text("predictions,labels\n")
    assert main(["gate", str(empty), *ACCURACY, "--at-least", "0.5"]) == 3
    assert "there are no samples" in capsys.readouterr().out
    assert main(["gate", str(empty), "--", str(other), *ACCURACY, "--margin", "0.5"]) == 2
    assert "there are no samples" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("metric", "bound", "told"),
    [
        ("mse", "--at-least", "mse is better if it is lower, and --at-least passes high values"),
        ("accuracy", "--at-most", "accuracy is better if it is higher, and --at-most passes low"),
        ("mse", "--at-most", ""),
        ("accuracy", "--at-least", ""),
    ],
)
def test_a_bound_on_the_wrong_side_is_noted(tmp_path, capsys, metric, bound, told):
    """The gate is computed as asked, but it would pass the bad values."""
    path = tmp_path / "a.csv"
    path.write_text("predictions,labels\n" + "1,1\n0,1\n" * 20)

    main(["gate", str(path), "--metric", metric, bound, "0.5"])

    said = capsys.readouterr().err
    assert told in said
    assert ("passes" in said) == bool(told)
