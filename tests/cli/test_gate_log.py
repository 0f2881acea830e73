"""`gate --log`: thirty candidates pass wrongly no more often than one; damage is an error."""

import json
from pathlib import Path

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.backends.non_dist import NonDist
from mmeval_like.cli import main
from mmeval_like.cli.gate_log import GateLog
from tests.cli.files import run, write
from tests.helpers.optional import requires

requires("pyarrow")
pytestmark = pytest.mark.filterwarnings("ignore:intervals that promise less")

ACCURACY = ("--metric", "accuracy")
ROWS = 200


def candidate(folder, name, right, seed=0, kind="csv", shuffled=False):
    """A file of predictions, of which this share is right, on always the same samples."""
    samples = np.random.default_rng(99)
    labels = samples.integers(0, 3, ROWS)
    rng = np.random.default_rng(seed)
    found = np.where(rng.random(ROWS) < right, labels, (labels + 1) % 3)
    ids = [f"the sample number {i}" for i in range(ROWS)]
    table = {"name": np.array(ids), "predictions": found, "labels": labels}
    order = rng.permutation(ROWS) if shuffled else np.arange(ROWS)
    return str(write(folder, kind, {k: v[order] for k, v in table.items()}, name))


@pytest.fixture
def gate(tmp_path, capsys):
    """Run a gate with a log; return the exit code and what it prints."""

    def judged(*arguments, bound=("--at-least", "0.7"), log="gates.jsonl"):
        code = main(["gate", *arguments, *ACCURACY, *bound, "--log", str(tmp_path / log)])
        told = capsys.readouterr()
        return code, told.out + told.err

    return judged


def test_candidates_share_the_level(tmp_path, gate):
    """Every other one is judged more strictly; the same one again is not another."""
    first, second, third = (
        candidate(tmp_path, f"c{n}", right, n) for n, right in enumerate((0.7, 0.72, 0.9))
    )
    said = [gate(one)[1] for one in (first, second, first, third)]

    assert ["1st candidate on these samples, level 0.9750" in said[n] for n in (0, 2)] == [True] * 2
    assert "2nd candidate on these samples, level 0.9917" in said[1]
    assert said[3].startswith("PASS")
    assert "3rd candidate on these samples, level 0.9958" in said[3]
    lines = [json.loads(line) for line in (tmp_path / "gates.jsonl").read_text().splitlines()]
    assert [line["turn"] for line in lines] == [1, 2, 1, 3]
    assert [line["outcome"] for line in lines][-1] == "pass"
    assert len({line["samples"] for line in lines}) == 1
    assert lines[0]["candidate"] == lines[2]["candidate"]
    assert str(tmp_path) not in (tmp_path / "gates.jsonl").read_text()


def test_the_interval_is_that_of_the_level(tmp_path, gate):
    """It is the interval without a log at that level."""
    paths = [candidate(tmp_path, f"c{n}", 0.8, n) for n in range(2)]
    for path in paths:
        gate(path)
    target = tmp_path / "alone.json"
    level = repr(1 - 0.05 / 6)
    main(["gate", paths[1], *ACCURACY, "--at-least", "0.7", "--interval", level,
          "--json", str(target), "-q"])  # fmt: skip
    alone = json.loads(target.read_text())
    line = json.loads((tmp_path / "gates.jsonl").read_text().splitlines()[1])
    assert [float(line[name]) for name in ("low", "high", "level")] == [
        alone[name] for name in ("low", "high", "level")
    ]


def test_other_questions_and_other_samples_are_counted_apart(tmp_path, gate):
    """Another bound, another metric and other labels begin at the first; other rows do too."""
    first, second = (candidate(tmp_path, f"c{n}", 0.8, n) for n in range(2))
    gate(first)
    assert "1st candidate" in gate(second, bound=("--at-least", "0.71"))[1]
    assert "1st candidate" in gate(second, "--ids", "name")[1]  # matched in another way
    text = (tmp_path / "c1.csv").read_text().splitlines()
    (tmp_path / "few.csv").write_text("\n".join(text[:-1]) + "\n")
    assert "1st candidate" in gate(str(tmp_path / "few.csv"))[1]
    assert "2nd candidate" in gate(second, "--key", "top1")[1]
    told = gate(str(tmp_path / "few.csv"), "--ids", "name")[1]
    assert "1st candidate on these samples" in told
    assert "(3 on other samples)" in told


def test_ids_and_not_rows_name_the_samples(tmp_path, gate):
    """In another order and format they are the same; without ids the order counts."""
    first = candidate(tmp_path, "a", 0.8)
    moved = candidate(tmp_path, "b", 0.8, 1, "parquet", shuffled=True)
    gate(first, "--ids", "name")
    assert "2nd candidate" in gate(moved, "--ids", "name")[1]
    gate(first, log="rows.jsonl")
    told = gate(moved, log="rows.jsonl")[1]
    assert "1st candidate" in told
    assert "(1 on other samples or in another order: --ids tells which)" in told
    same = candidate(tmp_path, "c", 0.8, 2, "parquet")
    assert "2nd candidate" in gate(same, log="rows.jsonl")[1]


def test_other_names_of_columns_and_types_of_labels_are_no_other_samples(tmp_path, gate):
    """The next model's file may have a column `target`, and labels of 8 bits."""
    gate(candidate(tmp_path, "a", 0.8), "--ids", "name")
    renamed = tmp_path / "renamed.csv"
    text = Path(candidate(tmp_path, "b", 0.8, 1)).read_text()
    renamed.write_text(text.replace("name,predictions,labels", "key,predictions,target", 1))
    assert "2nd candidate" in gate(str(renamed), "--ids", "key")[1]
    with np.load(candidate(tmp_path, "c", 0.8, 2, "npz")) as arrays:
        small = {**arrays, "labels": arrays["labels"].astype(np.uint8)}
    np.savez(tmp_path / "small.npz", **small)
    assert "3rd candidate" in gate(str(tmp_path / "small.npz"), "--ids", "name")[1]


def test_repeated_and_missing_rows_are_no_other_samples(tmp_path, gate):
    """A sampler repeats rows, and a candidate may fail on some: the count goes on."""
    old, *new = (candidate(tmp_path, f"c{n}", 0.8, n) for n in range(5))
    lines = [Path(one).read_text().splitlines(keepends=True) for one in new]
    Path(new[1]).write_text("".join([*lines[1], lines[1][1]]))
    Path(new[2]).write_text("".join(lines[2][:-1]))
    asked = ("--ids", "name", "--unscored", "0")

    said = [gate(old, "--", one, *asked, bound=("--margin", "0.1"))[1] for one in new]

    for turn, text in zip(("1st", "2nd", "3rd", "4th"), said, strict=True):
        assert f"{turn} candidate on these samples" in text


def test_two_systems_are_one_candidate(tmp_path, gate):
    """A new candidate against an old model, and an old candidate against a new model."""
    a, b, c = (candidate(tmp_path, name, right, n)
               for n, (name, right) in enumerate((("a", 0.6), ("b", 0.8), ("c", 0.8))))  # fmt: skip
    margin = ("--margin", "0.05")
    assert "1st" in gate(a, "--", b, bound=margin)[1]
    assert "2nd" in gate(a, "--", c, bound=margin)[1]
    assert "1st" in gate(a, "--", b, bound=margin)[1]
    assert "3rd" in gate(c, "--", b, bound=margin)[1]


def test_columns_of_one_file_are_several_candidates(tmp_path, gate):
    """A column that is named anyway is the same one."""
    rng, table = np.random.default_rng(0), {"labels": np.zeros(ROWS, int)}
    table |= {name: (rng.random(ROWS) < 0.2).astype(int) for name in ("predictions", "other")}
    path = str(write(tmp_path, "csv", table, "all"))
    named = [("--column", f"predictions={name}") for name in ("predictions", "other")]
    for arguments, turn in (((), "1st"), (named[0], "1st"), (named[1], "2nd"), (named[0], "1st")):
        assert f"{turn} candidate" in gate(path, *arguments)[1]


def test_ranks_agree(tmp_path):
    """Two ranks and one find the same digests, and one line is written for each command."""
    requires("zmq")
    path, log = candidate(tmp_path, "c", 0.9, kind="parquet"), tmp_path / "gates.jsonl"
    asked = [path, *ACCURACY, "--at-least", "0.7", "--log", log]  # in several pieces, by rows
    assert run("gate", *asked, "-n", "2").returncode == 0
    assert run("gate", *asked).returncode == 0
    one, other = map(json.loads, log.read_text().splitlines())
    assert {**one, "time": ""} == {**other, "time": ""}


@pytest.mark.parametrize(
    ("damage", "text"),
    [
        (lambda lines: [lines[0], lines[1][:40]], "line 2 is damaged: it is not a whole verdict"),
        (lambda lines: [*lines, lines[0].strip()], "line 4 is damaged: it is not a whole verdict"),
        (lambda lines: ["{}\n", *lines], "line 1 is damaged"),
        (lambda lines: ["\n", *lines], "line 1 is damaged"),
        (lambda lines: lines[1:], "line 1 is damaged: it says turn 2, and the lines before it"),
        (lambda lines: [lines[0].replace("pass", "sure"), *lines[1:]], "line 1 is damaged"),
    ],
)
def test_damage_is_an_error_that_names_the_line(tmp_path, gate, damage, text):
    """And nothing is judged or written."""
    paths = [candidate(tmp_path, f"c{n}", 0.9, n) for n in range(3)]
    for path in paths:
        assert gate(path)[0] == 0
    log = tmp_path / "gates.jsonl"
    log.write_text("".join(damage(log.read_text().splitlines(keepends=True))))
    before = log.read_bytes()
    code, said = gate(paths[0])
    assert (code, text in said) == (2, True), said
    assert "PASS" not in said
    assert log.read_bytes() == before


def test_a_log_that_another_gate_extends_is_an_error(tmp_path):
    """Since the level may be that of another candidate."""
    path = tmp_path / "gates.jsonl"
    logs = [GateLog(str(path), NonDist()) for _ in range(2)]
    metric = mm.Accuracy(interval=0.95)
    metric.add([1] * 40, [1] * 40)
    metric.compute()
    verdict = mm.gate(metric, "top1", at_least=0.5)
    entries = [log.entry({}, "top1", "s", "c", 0.95, with_ids=True) for log in logs]
    logs[0].append(entries[0], "top1", verdict, {})
    with pytest.raises(Exception, match="another gate has written to it"):
        logs[1].append(entries[1], "top1", verdict, {})
    assert len(path.read_text().splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--log", "-"], "--log -: must name a file"),
        (["--log", "A"], "would be overwritten"),
        (["--log", "nowhere/gates.jsonl"], "no such folder"),
        (["--log", "x.jsonl", "--anytime", "--planned", "9"], "leave out one of them"),
    ],
)
def test_misuse(tmp_path, capsys, monkeypatch, arguments, text):
    """Errors that say what to do."""
    monkeypatch.chdir(tmp_path)
    path = candidate(tmp_path, "a", 0.8)
    given = [path if word == "A" else word for word in arguments]
    assert main(["gate", path, "--", path, *ACCURACY, "--margin", "0.1", *given]) == 2
    assert text in capsys.readouterr().err


def test_thirty_candidates_at_the_bound_pass_as_often_as_one(tmp_path):
    """Exactly, from the probability of every number of hits: at most 2.5 %; without a log, 38 %."""
    stats = requires("scipy.stats")
    count, bound = 500, 0.8

    def passing(level):
        """The least number of hits that passes."""
        least, most = int(count * bound), count
        while most - least > 1:
            hits = (least + most) // 2
            metric = mm.Accuracy(interval=level)
            metric.add([1] * hits + [0] * (count - hits), [1] * count)
            metric.compute()
            passed = mm.gate(metric, "top1", at_least=bound).outcome == "pass"
            least, most = (least, hits) if passed else (hits, most)
        return most

    log, path = None, tmp_path / "gates.jsonl"
    wrong = []
    for night in range(30):
        log = GateLog(str(path), NonDist())
        entry = log.entry({}, "top1", "samples", f"candidate {night}", 0.95, with_ids=True)
        wrong.append(stats.binom.sf(passing(entry.level) - 1, count, bound))
        metric = mm.Accuracy(interval=entry.level)
        metric.add([1] * 40, [1] * 40)
        metric.compute()
        log.append(entry, "top1", mm.gate(metric, "top1", at_least=0.5), {})
    assert 0.01 < 1 - np.prod(1 - np.array(wrong)) <= 0.025
    assert 1 - (1 - stats.binom.sf(passing(0.95) - 1, count, bound)) ** 30 > 0.35
