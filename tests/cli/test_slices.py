"""`--by`: a value for all rows, and for each value of a column."""

import datetime
import json
from itertools import permutations

import numpy as np
import pytest

from mmeval_like.cli import main
from tests.cli.files import ROWS, predictions, run, score, write
from tests.cli.test_score import by_hand
from tests.helpers.optional import require_installed, requires

pa = requires("pyarrow")
pq = requires("pyarrow.parquet")
requires("rich")


def test_slices(tmp_path):
    """--by gives a value for all and for each value of the column."""
    domain = predictions()["domain"]

    found = score(tmp_path, write(tmp_path, "csv"), "--metric", "accuracy", "--by", "domain")

    assert found == {
        "all": {"accuracy": {"top1": by_hand()}},
        "domain=day": {"accuracy": {"top1": by_hand(domain == "day")}},
        "domain=night": {"accuracy": {"top1": by_hand(domain == "night")}},
    }


def test_slices_that_only_one_rank_sees(tmp_path):
    """On several ranks, slices that some never meet are there all the same."""
    requires("zmq")
    table = predictions()
    table["domain"] = np.where(np.arange(ROWS) < 60, "rare", "common")
    path = write(tmp_path, "parquet", table)
    for ranks in (1, 3):
        target = tmp_path / f"{ranks}.json"
        asked = ("--metric", "accuracy", "--by", "domain", "--json", target, "-n", ranks)
        assert run("score", path, *asked).returncode == 0

    one, three = (json.loads((tmp_path / f"{ranks}.json").read_text()) for ranks in (1, 3))
    assert one == three
    assert one["domain=rare"] == {"accuracy": {"top1": by_hand(slice(0, 60))}, "samples": 60}


def test_slices_with_a_size(tmp_path, capsys):
    """--size is that of the whole dataset: it must be complete, its slices cannot be."""
    path = write(tmp_path, "npz")
    asked = ("--metric", "accuracy", "--by", "domain", "--ids", "id", "--size")

    found = score(tmp_path, path, *asked, ROWS)

    assert found == score(tmp_path, path, "--metric", "accuracy", "--by", "domain")
    assert main(["score", str(path), *asked, "501"]) == 2
    assert "1 of the 501 samples" in capsys.readouterr().err


def test_dates_are_named_by_their_texts(tmp_path):
    """In files that have a type for them as in CSV, where they are texts."""
    pa, moment = requires("pyarrow"), datetime.datetime(2026, 11, 29, 12)
    table = {
        "values": [1.0, 2.0],
        "day": [moment.date(), datetime.date(2026, 11, 30)],
        "when": [moment, moment],
    }
    paths = [tmp_path / f"rows.{suffix}" for suffix in ("csv", "feather", "parquet")]
    requires("pyarrow.csv").write_csv(
        pa.table(table | {"when": [*map(str, table["when"])]}), paths[0]
    )
    requires("pyarrow.feather").write_feather(pa.table(table), paths[1])
    requires("pyarrow.parquet").write_table(pa.table(table), paths[2])

    for path in paths:
        found = score(tmp_path, path, "--metric", "sum", "--by", "day", "--by", "when")
        both = {"sum": {"sum": 3.0}}
        assert found == {
            "all": both,
            "day=2026-11-29": {"sum": {"sum": 1.0}},
            "day=2026-11-30": {"sum": {"sum": 2.0}},
            "when=2026-11-29 12:00:00": both,
        }


@pytest.mark.parametrize("kind", ["parquet", "feather"])
@pytest.mark.parametrize(
    ("first", "name"),
    [
        (datetime.date(2026, 11, 29), "2026-11-29"),
        (datetime.datetime(2026, 11, 29, 12), "2026-11-29 12:00:00"),
        ("law", "law"),
        (7, "7"),
        (True, "true"),
    ],
)
def test_dates_and_rows_without_a_value_are_slices(tmp_path, kind, first, name):
    """Dates are their texts, and rows without a value are a slice of their own, as for mm.score."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    feather = pytest.importorskip("pyarrow.feather")
    path = tmp_path / f"preds.{kind}"
    table = pa.table({"predictions": [1, 1, 0], "labels": [1, 1, 1], "of": [first, None, None]})
    (pq.write_table if kind == "parquet" else feather.write_feather)(table, path)

    found = score(tmp_path, path, "--metric", "accuracy", "--by", "of")

    wanted = {"all": 2 / 3, "of=-": 0.5, f"of={name}": 1.0}
    assert found == {slice_: {"accuracy": {"top1": value}} for slice_, value in wanted.items()}


def write_lines(folder, cells):
    """A .jsonl file with a hit in each row, and these cells in the column `of`."""
    path = folder / "preds.jsonl"
    rows = [{"predictions": 1, "labels": 1, "of": cell} for cell in cells]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_texts_that_are_missing_are_nan_in_json(tmp_path):
    """As pandas has them and `json.dumps` writes them: the same slice as null."""
    path = write_lines(tmp_path, ["law", float("nan"), None])

    found = score(tmp_path, path, "--metric", "sum", "--column", "values=labels", "--by", "of")

    assert {name: value["sum"]["sum"] for name, value in found.items()} == {
        "all": 3, "of=-": 2, "of=law": 1
    }  # fmt: skip


@pytest.mark.parametrize("cells", [[0.5, "law"], ["law", 0.5], [1, 1.5, "1"]])
def test_texts_among_floats_are_no_slices(tmp_path, capsys, cells):
    """The error names the row: a text has no place among ranges, and "1" is not 1."""
    path = write_lines(tmp_path, cells)
    line, (text,) = 1 + [*map(type, cells)].index(str), {*cells} & {"law", "1"}

    assert main(["score", str(path), "--metric", "accuracy", "--by", "of"]) == 2
    assert f"line {line}: 'of' has floats, and the text {text!r}" in capsys.readouterr().err


def test_booleans_are_named_by_their_texts(tmp_path):
    """True and "true" are one slice, as in a CSV file; numbers and nulls are not their texts."""
    cells = ["true", '"true"', "1", '"1"', "null", '"null"']
    lines = [f'{{"values": 1, "new": {cell}}}' for cell in cells]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(lines) + "\n")
    table = tmp_path / "rows.csv"
    table.write_text("values,new\n1,true\n1,TRUE\n")

    found = score(tmp_path, path, "--metric", "sum", "--by", "new")

    sums = {name: values["sum"]["sum"] for name, values in found.items()}
    ones = ["new=-", "new=1", 'new="1"', "new=null"]
    assert sums == {"all": 6, "new=true": 2} | dict.fromkeys(ones, 1)
    found = score(tmp_path, table, "--metric", "sum", "--by", "new")
    assert found["new=true"] == {"sum": {"sum": 2}}


@pytest.mark.filterwarnings("ignore:.*no samples were added")
@pytest.mark.parametrize("command", ["score", "compare"])
def test_without_rows_there_are_all_rows(tmp_path, capsys, command):
    """The form of the JSON and of the table follows from --by, not from the slices that occur."""
    path = tmp_path / "rows.csv"
    path.write_text("predictions,labels,zone\n")
    files = [str(path)] if command == "score" else [str(path), "--", str(path)]
    words = [command, *files, "--metric", "accuracy", "--by", "zone"]

    assert main([*words, "--json", "-"]) == 0
    assert next(iter(json.loads(capsys.readouterr().out))) == "all"
    assert main(words) == 0
    assert "slice" in capsys.readouterr().out.splitlines()[1]


def test_both_zeros_are_one_number(tmp_path):
    """Numbers that are rounded have -0.0 and 0.0: the order of rows names no slice."""
    values = [*np.arange(-3.0, 0.0), -0.0, 0.0, *np.arange(1.0, 9.0)]
    found = []
    for some in (values, values[::-1]):
        path = tmp_path / f"{len(found)}.csv"
        path.write_text("x,predictions,labels\n" + "".join(f"{x},1,1\n" for x in some))
        found.append(score(tmp_path, path, "--metric", "accuracy", "--by", "x"))
    assert found[0] == found[1]
    assert "x=q2 to 2" in found[0]
    assert "x=q1 to 0" in found[0]


def test_integers_that_floats_round_are_no_slices_beside_floats(tmp_path):
    """Beside a float, a CSV file has 2^53 and 2^53 + 1 as one float, which is neither's name."""
    path = tmp_path / "rows.csv"
    whole = f"z,predictions,labels\n{2**53},1,1\n{2**53 + 1},0,1\n"
    path.write_text(f"{whole}1,1,1\n")
    found = score(tmp_path, path, "--metric", "accuracy", "--by", "z")
    assert found.keys() == {"all", "z=1", f"z={2**53}", f"z={2**53 + 1}"}
    path.write_text(f"{whole}0.5,1,1\n")
    found = score(tmp_path, path, "--metric", "accuracy", "--by", "z")
    assert found.keys() == {"all", "z=q1 to 0.5", "z=q2 to 9.0072e+15"}


def test_the_order_of_files_does_not_decide_what_a_column_holds(tmp_path, capsys):
    """Integers beside a null are floats to pandas; booleans are no numbers, and are refused."""
    cells = {"floats": [5.0, 2.0], "integers": [5, 3], "nulls": [5.0, None]}
    cells["booleans"] = [True, False]
    texts, paths = {None: "-", 5.0: 5, 2.0: 2, True: "true", False: "false"}, {}
    for name, column in cells.items():
        paths[name] = str(tmp_path / f"{name}.parquet")
        table = pa.table({"z": column, "predictions": [1, 1], "labels": [1, 1]})
        pq.write_table(table, paths[name])
    for one, other in permutations(cells, 2):
        files, found = [paths[one], paths[other]], tmp_path / "found.json"
        words = ["score", *files, "--metric", "accuracy", "--by", "z", "--json", str(found), "-q"]
        if "booleans" in (one, other) and "integers" not in (one, other):
            assert main(words) == 2
            assert (
                "booleans.parquet, row 0: 'z' has floats, and the bool" in capsys.readouterr().err
            )
        else:
            assert main(words) == 0
            names = json.loads(found.read_text()).keys()
            assert names == {"all", *(f"z={texts.get(x, x)}" for x in cells[one] + cells[other])}


def lengths(path, count, ids=None, apart=0.0):
    """A file of samples with lengths, of which some may be repeated."""
    rows = [(i, int(i % 3 > 0), i / 8 + apart) for i in ids or range(count)]
    path.write_text(
        "id,predictions,labels,length\n" + "".join(f"{i},{p},1,{x}\n" for i, p, x in rows)
    )
    return path


@pytest.mark.parametrize("ranks", [1, 2])
def test_padding_does_not_move_the_ends_of_ranges(tmp_path, ranks):
    """Rows of one id count once, for the quartiles as well."""
    if ranks > 1:
        requires("mpi4py")
        require_installed("mpiexec")
    words = ["--metric", "accuracy", "--ids", "id", "--by", "length", "-n", str(ranks)]
    plain = score(tmp_path, lengths(tmp_path / "plain.csv", 40), *words)
    padded = score(
        tmp_path, lengths(tmp_path / "padded.csv", 40, [*range(40), *range(9), 3, 3]), *words
    )
    assert plain == padded
    assert len(plain) == 5


def test_ends_that_are_nearly_equal_have_names_that_tell_them_apart(tmp_path):
    """Four quarters of 40 numbers within a millionth are four slices, of ten rows each."""
    path = tmp_path / "near.csv"
    rows = [f"{1 + i * 1e-9!r},1,1\n" for i in range(40)]
    path.write_text("x,predictions,labels\n" + "".join(rows))
    found = score(tmp_path, path, "--metric", "accuracy", "--by", "x")
    assert len(found) == 5
    ends = [float(name.rpartition(" ")[2]) for name in found if name != "all"]
    assert ends == [1 + i * 1e-9 for i in (9, 19, 29, 39)]


def test_both_systems_have_the_same_numbers_not_only_the_same_ranges(tmp_path, capsys):
    """A length that differs is an error, as any column of --by; one that only b has is not."""
    a, b = (lengths(tmp_path / f"{name}.csv", 40) for name in "ab")
    words = ["--metric", "accuracy", "--by", "length", "--ids", "id", "-q"]
    assert main(["compare", str(a), "--", str(b), *words]) == 0
    lengths(b, 40, apart=-0.001)
    assert main(["compare", str(a), "--", str(b), *words]) == 2
    assert "differ in" in capsys.readouterr().err
    lengths(b, 50)
    assert main(["compare", str(a), "--", str(b), *words, "--unscored", "drop"]) == 0
