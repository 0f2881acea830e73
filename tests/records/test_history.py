"""Records over time: which differences are real."""

import csv
import json
import math
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like._intervals import transforms
from mmeval_like._intervals.interval import share
from mmeval_like._intervals.jackknife import comparison
from mmeval_like.cli import main
from mmeval_like.records.canonical import digest_of
from mmeval_like.records.history import COLUMNS, history
from tests.cli.files import write
from tests.helpers.optional import require_installed, requires


def record(right, day, ids=True, **options):
    """Of 400 samples, of which so many are right, on a day."""
    metric = mm.Recorded({"accuracy": mm.Accuracy(**{"interval": 0.95} | options)})
    found = np.arange(400) < right
    metric.add(found.astype(int), np.ones(400, int), ids=range(400) if ids else None)
    metric.compute()
    return metric.record(made={"time": f"2026-01-{day:02}T00:00:00+00:00"})


def test_differences_are_judged():
    """By time, whatever the order of the records; the squares of both arms add up."""
    records = [record(300, 3), record(200, 1), record(310, 4), record(200, 2)]
    lines = history(records)

    assert [line["value"] for line in lines] == [0.5, 0.5, 0.75, 0.775]
    assert [line["verdict"] for line in lines] == [
        "first",
        "same samples, same predictions",
        "real",
        "may be chance; compare pairs the samples",
    ]
    arm = math.hypot(lines[1]["high"] - 0.5, 0.75 - lines[2]["low"])
    assert lines[2]["difference_low"] == pytest.approx(0.25 - arm, rel=1e-12)


def answers(day):
    """What a model says of 300 samples on a day, their labels and slices."""
    rng, of_day = np.random.default_rng(0), np.random.default_rng(day)
    labels, hard = rng.integers(0, 2, 300), rng.random(300)
    right = hard + 0.1 * of_day.random(300) < 0.8 + 0.02 * day
    slices = {"label": np.where(labels, "yes", "no").tolist()}
    return np.where(right, labels, 1 - labels), labels, slices


@pytest.mark.filterwarnings("ignore:intervals that promise less")
@pytest.mark.parametrize("interval", [None, 0.9])
@pytest.mark.parametrize("by", [None, "label"])
def test_samples_are_paired_by_their_ids(by, interval):
    """With the differences, intervals and p-values of `Paired`; "real" where it finds them so."""
    metrics = {"a": mm.Accuracy(interval=interval), "b": mm.MeanSquaredError()}
    levels = {"a": 0.95 if interval is None else interval, "b": 0.95}
    pairs = {
        name: mm.Paired(mm.Sliced(metric, by=by) if by else metric, interval=levels[name])
        for name, metric in metrics.items()
    }
    days, records = [], []
    for day, side in ((1, "a"), (3, "b")):
        predictions, labels, slices = answers(day)
        places = {"by": slices} if by else {}
        metric = mm.Recorded(mm.Sliced(metrics, by=by) if by else metrics)
        for one in (metric, *(getattr(pair, side) for pair in pairs.values())):
            one.add(predictions, labels, ids=range(300), **places)
        metric.compute()
        days.append(metric)
        records.append(metric.record(made={"time": f"2026-01-{day:02}T00:00:00+00:00"}))
    for pair in pairs.values():
        pair.compute()
    lines = history(records, days)

    assert [line["paired"] for line in lines] == [False] * (len(lines) // 2) + [True] * (
        len(lines) // 2
    )
    for line in [line for line in lines if line["paired"]]:
        intervals = pairs[line["metric"]].intervals
        wanted = (intervals[line["slice"]] if by else intervals)[f"{line['number']}_difference"]
        assert line["difference"] == wanted.value
        assert line["difference_low"] == wanted.low
        assert line["p"] == wanted.p
        assert line["p_adjusted"] >= min(1, 2 * line["p"])
        real = line["p_adjusted"] < 1 - levels[line["metric"]]
        assert line["verdict"] == (
            f"undecided: {wanted.thin}" if wanted.thin else "real" if real else "may be chance"
        )
    with pytest.raises(ValueError, match="1 of the samples were given without their record"):
        history(records[:1], days)


def night(template, interval, day):
    """The record of another value, with its interval, on a day."""
    claim = json.loads(json.dumps(template["claim"]))
    number = claim["values"]["all"]["accuracy"]["top1"]
    number["hex"], number["units"] = interval.value.hex(), interval.units
    for name in ("low", "high", "standard_error"):
        number[name] = getattr(interval, name).hex()
    claim["rows"]["digest"] = f"{day}"
    made = {"time": f"2026-{day:04}"}
    return {**template, "claim": claim, "made": made, "id": digest_of(claim)}


@pytest.mark.parametrize(
    ("count", "right", "times"), [(400, 0.8, 100), (5, 0.5, 40), (20, 0.5, 40)]
)
def test_few_logs_of_a_model_that_never_changes_have_a_real_difference(count, right, times):
    """Item 19: of logs of 30 nights 71 of 100 had one, and now at most 5 have.

    With the normal distribution, 44 of 100 logs of 5 samples still had one, and 9 of 20 samples.
    """
    rng, template = np.random.default_rng(19), record(200, 1, ids=False)
    shares = [share(hits / count, 0.95, count, (0.0, 1.0)) for hits in range(count + 1)]
    drawn = rng.binomial(count, right, (times, 30))
    logs = [[night(template, shares[h], d) for d, h in enumerate(log)] for log in drawn]
    found = [history(log) for log in logs]
    real = [any(line["verdict"] == "real" for line in lines) for lines in found]
    alone = [any(line["p"] < 0.05 for line in lines) for lines in found]
    assert sum(alone) > times / 4  # so the test can fail
    assert sum(real) <= times / 20
    lines = found[0]
    assert [history(logs[0][:n])[-1] for n in range(1, 30)] == lines[:29]  # whatever follows
    assert lines[1]["p_adjusted"] == min(1, 2 * lines[1]["p"])
    assert lines[9]["p_adjusted"] == min(1, 90 * lines[9]["p"])
    worse = history([*logs[0], night(template, share(0.6, 0.95, 400, (0.0, 1.0)), 30)])
    assert worse[-1]["verdict"] == "real" or count < 400


def test_all_right_after_all_wrong_is_real_if_there_are_enough_samples():
    """The standard errors of both shares are 0, and neither share is certain."""
    template = record(200, 1, ids=False)
    for count, wanted in ((3, "may be chance"), (20, "real")):
        ends = [share(value, 0.95, count, (0.0, 1.0)) for value in (0.0, 1.0)]
        lines = history([night(template, one, day) for day, one in enumerate(ends)])
        assert lines[1]["verdict"] == wanted
        assert lines[1]["difference_low"] > -1
        assert (lines[1]["difference_low"] > 0) == (count > 3)


def test_what_is_not_comparable_is_not_compared():
    """Other options begin anew; without ids nothing is said of pairs, without intervals nothing."""
    others = history([record(200, 1), record(200, 2, topk=(1,), interval=0.9)])
    without_ids = history([record(200, 1, ids=False), record(205, 2, ids=False)])
    plain = history([record(200, 1, interval=None), record(300, 2, interval=None)])

    assert [line["verdict"] for line in others] == ["first", "first"]
    assert without_ids[1]["verdict"] == "may be chance"
    assert plain[1]["verdict"] == "unknown"
    assert plain[1]["difference"] == 0.25


def test_the_command_and_the_data_frame_have_the_same_lines(tmp_path, capsys):
    """A table on the output, CSV in a file, and columns in Python."""
    pd = requires("pandas")
    records = [record(200, 1), record(300, 2)]
    for number, one in enumerate(records):
        (tmp_path / f"r{number}.json").write_text(json.dumps(one))
    target = tmp_path / "log.csv"

    assert main(["log", str(tmp_path / "r*.json"), "--csv", str(target)]) == 0
    assert "real" in capsys.readouterr().out
    with open(target, newline="") as file:
        rows = [*csv.DictReader(file)]
    frame = mm.record_log(records)
    assert isinstance(frame, pd.DataFrame)
    assert tuple(frame.columns) == tuple(rows[0]) == COLUMNS
    assert [float(row["value"]) for row in rows] == frame["value"].tolist()


def test_the_data_frame_pairs_samples():
    """Samples that are given with their records are paired, as they are in the lines."""
    requires("pandas")
    days, records = [], []
    for day in (1, 3):
        days.append(mm.Recorded(mm.Accuracy(interval=0.95)))
        days[-1].add(*answers(day)[:2], ids=range(300))
        days[-1].compute()
        records.append(days[-1].record(made={"time": f"2026-01-{day:02}T00:00:00+00:00"}))

    assert mm.record_log(records)["paired"].tolist() == [False, False]
    assert mm.record_log(records, days)["paired"].tolist() == [False, True]


def scored(folder, day, *more):
    """The files of a record and of a state of a day's predictions."""
    predictions, labels, _ = answers(day)
    table = {"predictions": predictions, "labels": labels, "id": np.arange(300)}
    record, state = (str(folder / f"{day}.{ending}") for ending in ("json", "safetensors"))
    asked = ["--metric", "accuracy", "--interval", "--ids", "id", *more, "-q"]
    file = str(write(folder, "csv", table, str(day)))
    assert main(["score", file, *asked, "--record", record, "--state", state]) == 0
    made = json.loads(Path(record).read_text())
    made["made"]["time"] = f"2026-01-{day:02}T10:00:00+00:00"
    Path(record).write_text(json.dumps(made))
    return record, state


def test_without_memory_there_is_no_verdict(monkeypatch):
    """If Python has no memory to convert a number, samples are not left unpaired silently."""
    samples, records = [], []
    for day, right in ((1, 200), (2, 240)):
        metric = mm.Recorded(mm.Accuracy(interval=0.95))
        metric.add((np.arange(400) < right).astype(int), np.ones(400, int), ids=range(400))
        metric.compute()
        samples.append(metric)
        records.append(metric.record(made={"time": f"2026-01-{day:02}T00:00:00+00:00"}))

    class NoMemory(float):
        """Floats whose parser has no memory for the digits of decimals."""

        def __new__(cls, value):
            if isinstance(value, Decimal):
                raise ValueError(f"could not convert string to float: '{value}'")
            return float(value)

    for module in (comparison, transforms):
        monkeypatch.setattr(module, "float", NoMemory, raising=False)
    with pytest.raises(MemoryError, match="memory ran out"):
        history(records, samples)


def test_states_pair_the_samples_of_records(tmp_path, capsys, monkeypatch):
    """The same difference is surer with them, and every heading can be read at 80 columns."""
    require_installed("pyarrow")
    monkeypatch.setenv("COLUMNS", "80")
    (first, before), (last, now) = scored(tmp_path, 1), scored(tmp_path, 3)

    assert main(["log", first, last]) == 0
    alone = capsys.readouterr().out
    assert main(["log", first, before, now, last]) == 0
    pairs = capsys.readouterr().out
    assert "compare pairs the samples" in " ".join(alone.replace("│", " ").split())
    assert "pairs, p =" in " ".join(pairs.replace("│", " ").split())
    for text in (alone, pairs):
        assert all(len(line) <= 80 for line in text.splitlines())
        assert all(word in text for word in ("accuracy top1", "time", "difference", "verdict"))
    assert main(["log", first, now]) == 2
    assert "without their record" in capsys.readouterr().err


def test_a_log_is_drawn(tmp_path, capsys):
    """Over time, with a ring around what is real; also from the data frame."""
    requires("matplotlib")
    pd = requires("pandas")
    paths = []
    for number, right in enumerate((200, 300)):
        paths.append(tmp_path / f"{number}.json")
        paths[-1].write_text(json.dumps(record(right, 2 * number + 1)))
    target = tmp_path / "log.svg"
    assert main(["log", *map(str, paths), "--plot", str(target), "-q"]) == 0
    assert target.read_text().lstrip().startswith("<?xml")
    for wrong in ("log.odd", "none/log.svg"):
        assert main(["log", *map(str, paths), "--plot", str(tmp_path / wrong), "-q"]) == 2

    figure = mm.plots.log(pd.DataFrame(history([json.loads(one.read_text()) for one in paths])))
    text = mm.plots.alternative(figure)
    assert text.startswith("accuracy over time. top1 from 0.5 at 2026-01-01 00:00+00:00 to 0.75")
    assert text.endswith("Really another one: top1 at 2026-01-03 00:00+00:00.")
    axes = requires("matplotlib.figure").Figure().subplots()
    drawn = mm.plots.log(history([json.loads(paths[0].read_text())]), ax=axes, theme="dark")
    assert drawn is axes.figure
    assert axes.get_facecolor() != figure.axes[0].get_facecolor()
    with pytest.raises(ValueError, match="nothing to draw"):
        mm.plots.log([])


def test_what_is_no_record_is_bad_input(tmp_path, capsys):
    """Exit code 2, and one line."""
    (tmp_path / "r.json").write_text("{}")

    assert main(["log", str(tmp_path / "r.json")]) == 2
    assert "not a record" in capsys.readouterr().err


def test_damaged_times_and_numbers_are_bad_input(tmp_path, capsys):
    """A time that is no text, and a number beyond all floats."""
    good = json.dumps(record(200, 1))
    timed, large = json.loads(good), json.loads(good.replace('"0x1.', '"0x1p99999', 1))
    timed["made"]["time"] = 3
    large["id"] = digest_of(large["claim"])
    for damaged in (timed, large):
        (tmp_path / "r.json").write_text(json.dumps(damaged))
        assert main(["log", str(tmp_path / "r.json")]) == 2
        assert "not a record" in capsys.readouterr().err
        hf = ["--to", "hf", "--set", "dataset=a/b", "--set", "task=c"]
        assert main(["record", str(tmp_path / "r.json"), *hf]) == 2


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ('"hex": "0x1.0', '"hex": "0x1.8', "the record was changed"),
        ("mmeval_like-record/1", "mmeval_like-record/2", "this version reads"),
        ('"id": "', '"id": "0', "the record was changed"),
    ],
)
def test_a_record_that_was_changed_is_neither_shown_nor_passed_on(tmp_path, capsys, old, new, text):
    """A number, a format or an id that somebody edited is bad input, as for `verify`."""
    changed = json.dumps(record(200, 1)).replace(old, new, 1)
    (tmp_path / "r.json").write_text(changed)
    facts = ["--set", "dataset=a/b", "--set", "task=c"]
    for command in (["log"], ["record", "--to", "hf", *facts], ["record", "--to", "in-toto"]):
        assert main([*command, str(tmp_path / "r.json")]) == 2
        assert text in capsys.readouterr().err
