"""`compare`: two prediction files, sample by sample; and `score --interval`."""

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.cli import main
from tests.cli.files import ROWS, run, write
from tests.cli.systems import tables
from tests.helpers.optional import requires

requires("pyarrow")
pytestmark = pytest.mark.filterwarnings("ignore:intervals that promise less")

ACCURACY = ("--metric", "accuracy")


def expected(interval=0.95, **options):
    """What `Paired` says in Python."""
    pair = mm.Paired(mm.Accuracy(), interval=interval, **options)
    for side, table in zip((pair.a, pair.b), tables(), strict=True):
        side.add(table["predictions"], table["labels"], ids=range(ROWS))
    return pair


def compared(folder, *arguments, code=0):
    """The JSON of `compare`, run in this process."""
    target = folder / "found.json"
    assert main(["compare", *arguments, *ACCURACY, "--json", str(target), "-q"]) == code
    return json.loads(target.read_text())


def test_it_is_paired(tmp_path, files):
    """Row by row, by name in any order, and at another level: what `Paired` computes."""
    a, b, shuffled = files
    wanted = expected().compute()
    assert compared(tmp_path, a, "--", b) == {"accuracy": wanted}
    assert compared(tmp_path, a, "--", shuffled, "--ids", "name") == {"accuracy": wanted}
    found = compared(tmp_path, a, "--", b, "--interval", "0.5")
    assert found["accuracy"]["top1_difference_low"] > wanted["top1_difference_low"]
    found = compared(tmp_path, a, "--", b, "--anytime", "--planned", "500")
    assert found["accuracy"] == expected(anytime=True, planned=500).compute()


def test_slices(tmp_path, files):
    """Every slice by itself; its p-values allow for how many slices there are."""
    a, b, _ = files
    found = compared(tmp_path, a, "--", b, "--by", "domain")
    assert list(found) == ["all", "domain=day", "domain=night"]
    day, night = (found[f"domain={name}"]["accuracy"] for name in ("day", "night"))
    small, large = sorted([day["top1_p"], night["top1_p"]])
    adjusted = sorted([day["top1_p_adjusted"], night["top1_p_adjusted"]])
    assert adjusted == [2 * small, max(2 * small, large)]
    assert "top1_p_adjusted" not in found["all"]["accuracy"]
    plain = compared(tmp_path, a, "--", b, "--by", "domain", "--correction", "none")
    assert plain["domain=day"]["accuracy"]["top1_p_adjusted"] == day["top1_p"]


def test_the_same_bytes_on_any_ranks(tmp_path, files):
    """The command as it is run, with 1 and with 2 ranks, prints the same."""
    requires("zmq")
    a, b, shuffled = files
    asked = [a, "--", shuffled, *ACCURACY, "--ids", "name", "--by", "domain", "--json", "-"]
    one = run("compare", *asked, "--flips", tmp_path / "one.csv")
    two = run("compare", *asked, "--flips", tmp_path / "two.csv", "-n", "2")
    assert (one.returncode, two.returncode) == (0, 0), one.stderr + two.stderr
    assert one.stdout == two.stdout
    assert one.stderr == two.stderr
    assert (tmp_path / "one.csv").read_text() == (tmp_path / "two.csv").read_text()
    by_row = run("compare", a, "--", b, *ACCURACY, "-n", "2")
    assert by_row.returncode == 0, by_row.stderr
    assert "B is better" in by_row.stdout


def test_the_terminal_uses_the_names(files, capsys, monkeypatch):
    """Those of `--name`, in the head of the table and in the verdict; else A and B."""
    monkeypatch.setenv("COLUMNS", "120")
    a, b, _ = files
    asked = ["compare", str(a), "--", str(b), *ACCURACY]

    assert main([*asked, "--name", "old", "--name", "n\x1bew"]) == 0
    named = capsys.readouterr().out
    assert main(asked) == 0

    assert "accuracy top1: n\\x1bew is better\n" in named
    assert "n\\x1bew - old" in named
    assert "accuracy top1: B is better\n" in capsys.readouterr().out


def _rows(path):
    with path.open() as file:
        return list(csv.DictReader(file))


def test_flips_have_their_names(tmp_path, files):
    """The samples that one has right and the other wrong, by name; rows by their number."""
    a, _, shuffled = files
    first, second = tables()
    hits = [table["predictions"] == table["labels"] for table in (first, second)]
    up = np.flatnonzero(~hits[0] & hits[1])
    found = compared(tmp_path, a, "--", shuffled, "--ids", "name", "--flips", str(tmp_path / "f"))
    rows = _rows(tmp_path / "f")
    assert sorted(row["id"] for row in rows if row["flip"] == "up") == [
        f"a/long/folder/of/images/{i:05}.jpg" for i in up
    ]
    assert len(rows) == found["accuracy"]["flips_up"] + found["accuracy"]["flips_down"]
    compared(tmp_path, a, "--", str(tmp_path / "b.parquet"), "--flips", str(tmp_path / "g"))
    rows = _rows(tmp_path / "g")
    assert [int(row["row"]) for row in rows if row["flip"] == "up"] == up.tolist()


@pytest.mark.parametrize(("ids", "named"), [([], "row 1"), (["--ids", "id"], "id 1003")])
def test_a_row_is_not_called_an_id(tmp_path, capsys, ids, named):
    """Files have a column `id`: row 1 is called a row, and not the id 1, which is another's."""
    requires("jinja2")
    requires("matplotlib")
    sides = [tmp_path / f"{name}.csv" for name in "ab"]
    for path, wrong in zip(sides, (2, 1), strict=True):
        rows = [f"{1000 + 3 * i},{int(i == wrong)},0" for i in range(30)]
        path.write_text("\n".join(["id,predictions,labels", *rows]) + "\n")
    a, b = map(str, sides)
    flips, page = tmp_path / "flips.csv", tmp_path / "page.html"
    called, _, number = named.partition(" ")

    asked = ["compare", a, "--", b, *ACCURACY, *ids]
    assert main([*asked, "--flips", str(flips), "--report", str(page), "-q"]) == 0
    assert {"flip": "down", called: number} in _rows(flips)
    text = page.read_text()
    assert f"<bdi>{named}</bdi>" in text
    assert ("different ids" in text) == bool(ids)
    gate = ["gate", a, "--", b, *ACCURACY, "--margin", "0.5", "--broken", "0", *ids]
    assert main(gate) == 1
    said = named if called == "row" else number
    assert capsys.readouterr().out.endswith(f"; 1 broken (at most 0): {said}\n")


@pytest.mark.parametrize("ranks", [(), ("-n", "2")])
def test_other_labels_are_named(tmp_path, files, ranks):
    """Exit code 2, and the first row that differs: on one rank, and on two."""
    a = files[0]
    _, table = tables()
    labels = table["labels"].copy()
    labels[[7, 300]] += 1
    b = write(tmp_path, "csv", table | {"labels": labels}, "other")
    done = run("compare", a, "--", b, *ACCURACY, *ranks)
    assert done.returncode == 2
    assert done.stderr.count("mmeval_like:") == 1
    assert "row 7, counted from 0, differs in labels" in done.stderr
    done = run("compare", a, "--", b, *ACCURACY, "--ids", "name", *ranks)
    assert done.returncode == 2
    assert "the samples ['blake2b" in done.stderr


def test_other_samples_are_named(tmp_path, files, capsys):
    """Exit code 2: numbers of rows that differ, ids of one file alone, other slices."""
    a, b, _ = files
    table = {name: column[:-1] for name, column in tables()[1].items()}
    short = str(write(tmp_path, "csv", table, "short"))
    assert main(["compare", a, "--", short, *ACCURACY]) == 2
    assert f"A has {ROWS} rows and B has {ROWS - 1}" in capsys.readouterr().err
    named = [["a", "b"], ["a", "c"]]
    paths = [
        str(write(tmp_path, "csv", {"predictions": [0, 1], "labels": [0, 0], "id": ids}, ids[1]))
        for ids in named
    ]
    assert main(["compare", paths[0], "--", paths[1], *ACCURACY, "--ids", "id"]) == 2
    assert "only A has ['b'], and only B has ['c']" in capsys.readouterr().err
    moved = tables()[1]
    moved["domain"] = np.where(np.arange(ROWS) == 3, "dusk", moved["domain"])
    other = str(write(tmp_path, "csv", moved, "moved"))
    assert main(["compare", a, "--", other, *ACCURACY, "--by", "domain"]) == 2
    assert "row 3, counted from 0, differs in labels or domain" in capsys.readouterr().err
    assert main(["compare", a, "--", b, *ACCURACY, "--metric", "confusion_matrix"]) == 2
    assert main(["compare", a, "--", b, *ACCURACY, "--anytime"]) == 2
    assert main(["compare", a, "--", b, "--metric", "f_beta_score:num_classes=4,task=multiclass",
                 "--flips", "-"]) == 2  # fmt: skip


def test_rows_that_repeat_are_no_difference(tmp_path, capsys):
    """With ids a row may come again, in one of the files."""
    a = {"predictions": [0, 1, 1], "labels": [0, 1, 0], "id": [5, 6, 7]}
    b = {"predictions": [0, 1, 0, 0], "labels": [0, 1, 0, 0], "id": [5, 6, 7, 7]}
    paths = [str(write(tmp_path, "npz", {k: np.array(v) for k, v in t.items()}, n))
             for t, n in ((a, "a"), (b, "b"))]  # fmt: skip
    assert main(["compare", paths[0], "--", paths[1], *ACCURACY, "--ids", "id"]) == 0
    assert "1 up, 0 down" in capsys.readouterr().out


@pytest.mark.parametrize("sides", [["a"], ["a", "--"], ["--", "a"], ["a", "--", "a", "--", "a"]])
def test_compare_needs_two_systems(files, sides):
    """Files stand before and behind one `--`."""
    with pytest.raises(SystemExit) as raised:
        main(["compare", *(files[0] if side == "a" else side for side in sides), *ACCURACY])
    assert raised.value.code == 2


def test_lists_are_not_compared_in_silence(files, capsys):
    """A metric that has only lists of classes would give an empty table."""
    metric = "recall:task=multiclass,num_classes=4,average=none"
    assert main(["compare", files[0], "--", files[1], "--metric", metric]) == 2
    assert "ask for a mean of the classes, such as average=macro" in capsys.readouterr().err


def test_scores_with_intervals(tmp_path, files, capsys):
    """`score --interval`: a column of the table, keys in JSON and CSV; "~" where it is thin."""
    target = tmp_path / "out.json"
    asked = ["score", files[0], *ACCURACY, "--interval", "--json", str(target)]
    assert main([*asked, "--csv", str(tmp_path / "out.csv")]) == 0
    table = tables()[0]
    metric = mm.Accuracy(interval=0.95)
    found = metric(table["predictions"], table["labels"])
    assert json.loads(target.read_text())["accuracy"] == found
    assert "all,accuracy,top1_low," in (tmp_path / "out.csv").read_text()
    printed = capsys.readouterr().out
    assert f"[{found['top1_low']:.4g}, {found['top1_high']:.4g}]" in printed
    assert "top1_low" not in printed
    assert main([*asked, "--by", "domain", "--interval", "0.5", "-n", "1"]) == 0
    few = write(tmp_path, "csv", {"predictions": [1.0, 2.5], "labels": [1.0, 2.0]}, "few")
    assert main(["score", str(few), "--metric", "mean_squared_error", "--interval"]) == 0
    captured = capsys.readouterr()
    assert "~ mean_squared_error mse: there are only 2 samples" in captured.out
    assert "promise less" not in captured.err


@pytest.mark.parametrize("level", ["0", "1", "95", "x"])
def test_a_level_lies_between_0_and_1(files, level):
    """An error of the command line."""
    with pytest.raises(SystemExit) as raised:
        main(["score", files[0], *ACCURACY, "--interval", level])
    assert raised.value.code == 2


def test_a_file_of_options_may_ask_for_intervals(tmp_path, files):
    """`interval = 0.9` in TOML."""
    config, target = tmp_path / "eval.toml", tmp_path / "out.json"
    config.write_text(f'files = ["{files[0]}"]\nmetric = ["accuracy"]\ninterval = 0.9\n')
    assert main(["score", "--config", str(config), "--json", str(target), "-q"]) == 0
    assert "top1_low" in json.loads(target.read_text())["accuracy"]


def test_rows_that_belong_together(tmp_path, files):
    """`--cluster` is `clusters=`, in `score` and in `compare`; what is wrong with it is said."""
    first, second = tables()
    column = np.random.default_rng(3).integers(0, 30, ROWS)
    a = write(tmp_path, "csv", first | {"document": column}, "with_a")
    b = write(tmp_path, "parquet", second | {"document": column}, "with_b")
    target = tmp_path / "scored.json"
    asked = ["score", str(a), *ACCURACY, "--interval", "--cluster", "document", "--by", "domain"]
    assert main([*asked, "--json", str(target), "-q"]) == 0
    sliced = mm.Sliced(mm.MetricCollection({"accuracy": mm.Accuracy(interval=0.95)}), by="domain")
    sliced.add(
        first["predictions"], first["labels"], by={"domain": first["domain"]}, clusters=column
    )
    found = json.loads(target.read_text())
    assert {name: values["accuracy"] for name, values in found.items()} == {
        name: values["accuracy"] for name, values in sliced.compute().items()
    }

    pair = mm.Paired(mm.Accuracy(), interval=0.95)
    for side, table in zip((pair.a, pair.b), (first, second), strict=True):
        side.add(table["predictions"], table["labels"], ids=range(ROWS), clusters=column)
    assert compared(tmp_path, str(a), "--", str(b), "--cluster", "document") == {
        "accuracy": pair.compute()
    }
    other = write(tmp_path, "parquet", second | {"document": column[::-1]}, "other_b")
    compared(tmp_path, str(a), "--", str(other), "--cluster", "document", code=2)
    assert main(["score", str(a), *ACCURACY, "--cluster", "document"]) == 2  # no --interval
    assert main(["score", str(a), *ACCURACY, "--interval", "--cluster", "documents"]) == 2


@pytest.mark.parametrize(
    ("rows", "told"),
    [(4, "undecided: there are only 4 samples"), (100, "points with 80% power")],
)
def test_where_no_difference_shows_it_says_how_large_one_would(tmp_path, capsys, rows, told):
    """Or that so few samples decide nothing."""
    labels = np.arange(rows) % 2
    right = {"predictions": labels, "labels": labels}
    wrong = {"predictions": np.where(np.arange(rows) == 0, 1, labels), "labels": labels}
    files = [write(tmp_path, "csv", one, name) for one, name in ((wrong, "a"), (right, "b"))]

    assert main(["compare", str(files[0]), "--", str(files[1]), *ACCURACY]) == 0
    assert told in capsys.readouterr().out


@pytest.mark.parametrize(
    ("metric", "values", "unit", "told"),
    [
        ("mean:bounds=1,10", [6.0, 7.0], 1, ""),
        ("mean:bounds=-1,1", [0.9, 1.0], 1, ""),
        ("mean", [0.9, 1.0], 1, ""),
        ("mean:bounds=0,1", [0.9, 1.0], 100, " points"),
        ("mean:bounds=0,100", [6.0, 7.0], 1, " points"),
    ],
)
def test_the_sentence_has_the_detectable_difference_of_the_table(
    tmp_path, capsys, metric, values, unit, told
):
    """In units of the metric, and in points only if its range is 0 to 1 or 0 to 100."""
    rng = np.random.default_rng(3)
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for path in paths:
        path.write_text("values\n" + "".join(f"{v}\n" for v in rng.choice(values, 90)))
    target = tmp_path / "found.json"
    words = ["compare", str(paths[0]), "--", str(paths[1]), "--json", str(target)]

    assert main([*words, "--metric", metric]) == 0

    found = json.loads(target.read_text())["mean"]["mean_detectable"]
    said = re.search(r"detects (\S+)( points)? with 80% power", capsys.readouterr().out)
    assert said is not None
    assert float(said[1]) == pytest.approx(found * unit, rel=0.06)
    assert (said[2] or "") == told


def test_rows_with_other_ids_are_not_compared_row_by_row(tmp_path, capsys):
    """Even if all labels are equal; `--ids` compares them."""
    files = [str(tmp_path / name) for name in ("a.csv", "b.csv")]
    for name, ids in zip(files, ("1234", "4321"), strict=True):
        rows = "".join(f"{i},{int(i > '2')},1\n" for i in ids)
        Path(name).write_text(f"id,predictions,labels\n{rows}")
    words = ["compare", files[0], "--", files[1], *ACCURACY]

    assert main(words) == 2
    assert "differs in labels or id" in (said := capsys.readouterr().err)
    assert "--ids id matches them by their ids" in said
    assert main([*words, "--ids", "id"]) == 0
    assert "flips: 0 up, 0 down" in capsys.readouterr().out


@pytest.mark.parametrize("kind", ["csv", "parquet", "arrow"])
@pytest.mark.parametrize("cells", [[1, None, 3], ["x", None, "z"], [None] * 3])
def test_a_column_id_may_have_gaps(tmp_path, capsys, kind, cells):
    """Without `--ids`, such rows are compared as before, and other ids are still an error."""
    pa = pytest.importorskip("pyarrow")
    feather, parquet = (
        pytest.importorskip("pyarrow.feather"),
        pytest.importorskip("pyarrow.parquet"),
    )

    def written(name, ids):
        path = str(tmp_path / f"{name}.{kind}")
        if kind == "csv":
            rows = "".join(f"{'' if i is None else i},1,1\n" for i in ids)
            Path(path).write_text(f"id,predictions,labels\n{rows}")
            return path
        table = pa.table({"id": ids, "predictions": [1] * 3, "labels": [1] * 3})
        if kind == "parquet":
            parquet.write_table(table, path)
        else:
            feather.write_feather(table, path, compression="uncompressed")
        return path

    a, b = written("a", cells), written("b", cells)
    assert main(["compare", a, "--", b, *ACCURACY, "-q"]) == 0
    other = written("other", [*cells[:2], type(cells[2])() if cells[2] else 7])
    assert main(["compare", a, "--", other, *ACCURACY, "-q"]) == 2
    assert "differs in labels or id" in capsys.readouterr().err


def _judged(path, column, entries):
    """Scores without labels, beside a column."""
    cells = [f"{entry},{row % 5}" for row, entry in enumerate(entries)]
    path.write_text("\n".join([f"{column},values", *cells]) + "\n")
    return str(path)


@pytest.mark.parametrize("command", [["compare"], ["gate", "--margin", "0.1"]])
@pytest.mark.parametrize(
    "column", ["ID", "qid", "uuid", "question_id", "sample.id", "docId", "itemID", "Task ID"]
)
def test_the_same_ids_in_another_order_are_not_compared_row_by_row(
    tmp_path, capsys, command, column
):
    """Without labels, nothing else shows that the rows are others; with --ids they are matched."""
    rows = [f"q{row}" for row in range(60)]
    a = _judged(tmp_path / "a.csv", column, rows)
    b = _judged(tmp_path / "b.csv", column, [*rows[:7], *rows[:6:-1]])
    words = [*command, a, "--", b, "--metric", "mean:higher_is_better=true"]

    assert main(words) == 2
    told = capsys.readouterr().err
    assert f"row 7, counted from 0, differs in {column}, whose entries are in both" in told
    assert f"--ids {column} matches them" in told
    assert main([*words, "--ids", column]) in (0, 1, 3)


@pytest.mark.parametrize(
    ("column", "a", "b"),
    [
        ("question_id", range(60), range(60)),
        ("run_id", range(60), range(60, 120)),  # of other runs
        ("worker_id", [row % 7 for row in range(60)], [row % 5 for row in range(60)]),
        ("paid", range(60), range(59, -1, -1)),  # an amount
        ("rank", range(60), range(59, -1, -1)),
    ],
)
def test_columns_that_say_nothing_of_the_order(tmp_path, column, a, b):
    """Ids of runs are others in both, those of groups repeat, and other names are no ids."""
    a, b = (_judged(tmp_path / f"{name}.csv", column, of) for name, of in (("a", a), ("b", b)))

    assert main(["compare", a, "--", b, "--metric", "mean"]) == 0


def test_a_column_id_may_have_other_values_than_numbers_and_texts(tmp_path, capsys):
    """Dates, for instance; and a column that is an argument of the metric is no column of ids."""
    files = [str(tmp_path / name) for name in ("a.npz", "b.npz")]
    for name, first in zip(files, ("2026-01-01", "2026-01-02"), strict=True):
        days = np.array([first, "2026-02-01"], "M8[D]")
        np.savez(name, id=days, predictions=[1, 1], labels=[1, 1], score=[1.0, 2.0])
    assert main(["compare", files[0], "--", files[0], *ACCURACY, "-q"]) == 0
    assert main(["compare", files[0], "--", files[1], *ACCURACY, "-q"]) == 2
    assert "differs in labels or id" in capsys.readouterr().err
    for name, values in zip(files, ([1.0, 2.0], [1.0, 3.0]), strict=True):
        np.savez(name, id=values)
    mean = ["--metric", "mean", "--column", "values=id"]
    assert main(["compare", files[0], "--", files[1], *mean, "-q"]) == 0


def test_a_column_id_of_numbers_and_of_texts_that_are_numbers(tmp_path):
    """A .csv file has no types: 7 is "7" if the other system's file says so."""
    a, b = (str(tmp_path / name) for name in ("a.csv", "b.jsonl"))
    Path(a).write_text("id,predictions,labels\n7,1,1\n8,1,1\n")
    Path(b).write_text("".join(f'{{"id": "{i}", "predictions": 1, "labels": 1}}\n' for i in (7, 8)))
    assert main(["compare", a, "--", b, *ACCURACY, "-q"]) == 0


@pytest.mark.parametrize("metric", ["mean", "exact_match"])
def test_flips_of_every_metric_of_right_and_wrong(tmp_path, metric):
    """A mean of True and False, and of scores 0 and 1, lists the samples that flipped; a mean of
    other numbers is refused.
    """
    right = {"a": [1, 1, 0, 0, 1, 0], "b": [1, 0, 1, 0, 1, 1]}
    for name, values in right.items():
        rows = [
            {"id": f"q{i}", "values": bool(v), "score": v / 2, "predictions": "no" if v else "yes"}
            for i, v in enumerate(values)
        ]
        lines = [json.dumps(row | {"references": "no"}) for row in rows]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines))
    a, b, flips = (str(tmp_path / name) for name in ("a.jsonl", "b.jsonl", "flips.csv"))
    asked = ["compare", a, "--", b, "--metric", metric, "--ids", "id", "--flips", flips, "-q"]

    assert main(asked) == 0
    with open(flips, newline="") as file:
        assert [tuple(row) for row in csv.reader(file)][1:] == [
            ("q2", "up"), ("q5", "up"), ("q1", "down"),
        ]  # fmt: skip
    if metric == "mean":
        assert main([*asked, "--column", "values=score"]) == 2


def test_large_labels_are_compared_to_the_last_bit(tmp_path, capsys):
    """Integers of the same float are different labels; equal ones are equal in all formats."""

    def written(name, kind, label):
        table = {"predictions": np.array([0, 3]), "labels": np.array([label, 3])}
        return str(write(tmp_path, kind, table, name))

    for label, other in ((2**53 + 1, 2**53), (2**62 + 1, 2**62), (2**63 - 1, 2**63 - 2)):
        a, b = written("a", "jsonl", label), written("b", "parquet", other)
        assert main(["compare", a, "--", b, *ACCURACY]) == 2
        assert "row 0, counted from 0, differs in labels" in capsys.readouterr().err
        assert main(["compare", a, "--", written("c", "csv", label), *ACCURACY, "-q"]) == 0
        assert main(["compare", b, "--", written("d", "npz", other), *ACCURACY, "-q"]) == 0


@pytest.mark.parametrize("kind", ["jsonl", "parquet", "npz"])
def test_ids_that_look_like_numbers_are_those_of_other_formats(tmp_path, kind):
    """A .csv file has no types: 7 is "7" if another file says that ids and slices are texts."""
    a, b = tables()
    shared = {
        "id": [f"{i:03}"[-2:] + f"{i}" for i in range(ROWS)],
        "fold": ["1", "2"] * (ROWS // 2),
    }
    text = [one | {name: np.array(column) for name, column in shared.items()} for one in (a, b)]
    asked = ["--ids", "id", "--by", "fold"]
    files = [
        str(write(tmp_path, form, one, name))
        for form, one, name in (("csv", text[0], "a"), (kind, text[1], "b"), (kind, text[0], "c"))
    ]

    mixed = compared(tmp_path, files[0], "--", files[1], *asked)
    assert mixed == compared(tmp_path, files[2], "--", files[1], *asked)
    assert set(mixed) == {"all", 'fold="1"', 'fold="2"'}


def test_a_difference_that_is_plain(tmp_path):
    """400 samples that are all larger by about 0.3: the p-value is 0, and the gates decide."""
    values, noise = np.random.default_rng(3).normal((3, 0), (1, 0.01), (400, 2)).T
    files = [
        str(write(tmp_path, "npz", {"values": one}, name))
        for one, name in ((values, "a"), (values + 0.3 + noise, "b"))
    ]
    target = tmp_path / "found.json"
    asked = ["--metric", "mean:higher_is_better=true"]

    assert main(["compare", files[0], "--", files[1], *asked, "--json", str(target), "-q"]) == 0
    found = json.loads(target.read_text())["mean"]
    assert (found["mean_p"], round(found["mean_difference"], 2)) == (0.0, 0.3)
    assert main(["gate", files[0], "--", files[1], *asked, "--margin", "0.1", "-q"]) == 0
    assert main(["gate", files[1], "--", files[0], *asked, "--margin", "0.1", "-q"]) == 1


def test_columns_of_other_names_are_refused(tmp_path, capsys):
    """The error names the columns of both systems; a column that both have can be named."""
    for name, found in (("a.csv", "pred,score"), ("b.csv", "output,score")):
        rows = "".join(f"{i % 2},{i % 2},{i % 3 == 0:d}\n" for i in range(20))
        (tmp_path / name).write_text(f"{found},label\n{rows}")
    words = ["compare", str(tmp_path / "a.csv"), "--", str(tmp_path / "b.csv"), *ACCURACY]

    assert main(words) == 2
    said = "predictions are in the column 'pred' of A, but 'output' of B: rename one of them"
    assert said in capsys.readouterr().err
    assert main([*words, "--column", "predictions=score"]) == 0
