"""What a cell of a CSV file is: decided once for a whole column, whatever the blocks and files."""

import csv
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmeval_like.cli import main
from mmeval_like.cli.errors import InputError
from mmeval_like.cli.readers import open_tables, text_lines
from mmeval_like.cli.readers.inspection import inspect_all
from tests.cli.files import run, score
from tests.helpers.examples import examples
from tests.helpers.optional import requires

requires("pyarrow")

SMALL = (("_UNIT_BYTES", 120), ("_READ_BYTES", 40))


@pytest.fixture
def small_blocks(monkeypatch):
    """Pieces of work of a few lines each."""
    for name, value in SMALL:
        monkeypatch.setattr(f"mmeval_like.cli.readers.text_lines.{name}", value)


def table(path, **columns):
    """A CSV file, quoted where it must be."""
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


def slices(found):
    """The names of the slices of a result."""
    return [name for name in found if name != "all"]


@pytest.mark.usefixtures("small_blocks")
def test_leading_zeros_stay(tmp_path):
    """A cell 01 is a text, and so are all cells of its column, also in other blocks."""
    codes = ["10"] * 30 + ["01"] * 30 + ["1"] * 30
    path = table(tmp_path / "p.csv", predictions=[0] * 90, labels=[0] * 90, zone=codes)

    found = score(tmp_path, path, "--metric", "accuracy", "--by", "zone")

    assert slices(found) == ['zone="01"', 'zone="1"', 'zone="10"']


@pytest.mark.usefixtures("small_blocks")
def test_a_number_is_the_same_slice_in_every_block(tmp_path):
    """1 never becomes "1.0" or another slice, whatever stands in the blocks behind it."""
    values = ["1"] * 30 + ["x"] * 30 + ["1"] * 30 + ["2.5"] * 30 + ["1"] * 30
    path = table(tmp_path / "p.csv", predictions=[0] * 150, labels=[0] * 150, zone=values)

    found = score(tmp_path, path, "--metric", "accuracy", "--by", "zone")

    assert slices(found) == ['zone="1"', 'zone="2.5"', "zone=x"]


@pytest.mark.usefixtures("small_blocks")
def test_texts_of_digits_are_texts(tmp_path):
    """A metric that takes texts gets texts, also from blocks, and columns, of digits only."""
    for texts in (["cat"] * 20 + ["17"] * 40, ["17"] * 60, ["007"] * 60):
        path = table(tmp_path / "p.csv", predictions=texts, groundtruths=texts)

        found = score(tmp_path, path, "--metric", "word_accuracy")
        assert found["word_accuracy"]["ignore_case_symbol_accuracy"] == 1


def test_a_column_has_one_kind_in_all_files(tmp_path):
    """Two files are one dataset: a column that is text in one is text in both."""
    table(tmp_path / "a.csv", predictions=[0, 1], labels=[0, 1], zone=["1", "1"])
    table(tmp_path / "b.csv", predictions=[0, 1], labels=[0, 1], zone=["1", "east"])

    found = score(tmp_path, tmp_path / "*.csv", "--metric", "accuracy", "--by", "zone")

    assert slices(found) == ['zone="1"', "zone=east"]


def test_integers_beyond_64_bits_are_texts(tmp_path):
    """They are names, which no float rounds."""
    names = ["98765432109876543210", "98765432109876543211"]
    path = table(tmp_path / "p.csv", predictions=[0, 1], labels=[0, 1], zone=names)

    found = score(tmp_path, path, "--metric", "accuracy", "--by", "zone")

    assert slices(found) == [f'zone="{name}"' for name in names]


def test_a_cell_of_two_megabytes(tmp_path):
    """The length of a cell is limited by memory only."""
    long = "word " * 500_000
    path = table(tmp_path / "p.csv", predictions=[long, "b"], groundtruths=[long, "c"])

    found = score(tmp_path, path, "--metric", "word_accuracy")

    assert found["word_accuracy"]["ignore_case_symbol_accuracy"] == 0.5


def test_a_line_end_in_quotes_is_refused(tmp_path, capsys):
    """With the line and the way out, not as rows that nobody wrote."""
    path = table(tmp_path / "p.csv", predictions=["a", "a\nb"], groundtruths=["a", "c"])

    assert main(["score", str(path), "--metric", "word_accuracy"]) == 2
    said = capsys.readouterr().err
    assert "p.csv, line 3: a cell with a line break" in said
    assert ".jsonl" in said


NUMBERS = st.one_of(
    st.integers(-(2**63), 2**63 - 1).map(str),
    st.floats(allow_nan=False).map(repr),
    st.sampled_from(["0", "-0", "1e5", "1E-3", ".5", "5.", " 7 ", "inf", "+3"]),
)
CELLS = st.one_of(NUMBERS, st.text("abc01-.,\"' é", max_size=5), st.sampled_from(["true", "NA"]))


@settings(max_examples=examples(80), deadline=None)
@given(st.lists(CELLS, min_size=1, max_size=30), st.integers(1, 60), st.integers(1, 60))
def test_blocks_do_not_matter(tmp_path_factory, cells, unit, block):
    """Any cells, cut into any pieces: the types and the values of one piece."""
    path = table(tmp_path_factory.mktemp("csv") / "p.csv", cell=cells, other=[0] * len(cells))

    def everything():
        try:
            return read()
        except InputError as error:  # an empty cell in a column of numbers
            return str(error)

    def read():
        tables = open_tables([str(path)])
        inspect_all(tables, ["cell"])
        pieces = [
            np.asarray(batch.columns["cell"])
            for one in tables
            for piece in one.units()
            for batch in one.read(*piece, ["cell"])
        ]
        return {array.dtype.kind for array in pieces}, [x for a in pieces for x in a.tolist()]

    with pytest.MonkeyPatch.context() as patched:
        whole = everything()
        patched.setattr(text_lines, "_UNIT_BYTES", unit)
        patched.setattr(text_lines, "_READ_BYTES", block)
        cut = everything()

    assert repr(cut) == repr(whole)
    if isinstance(whole, str):
        assert f"line {[cell.strip() for cell in cells].index('') + 2}: no value" in whole
        return
    kinds, values = whole
    if kinds == {"U"}:
        assert values == cells
    elif kinds == {"b"}:
        assert values == [cell.strip() == "true" for cell in cells]
    else:
        assert [float(x) for x in values] == [float(cell) for cell in cells]


@pytest.mark.parametrize("ranks", [1, 3])
def test_ranks_agree_on_the_kinds(tmp_path, monkeypatch, ranks):
    """A rank that sees numbers only reads text where another rank saw text."""
    requires("zmq")
    for name in "abc":
        zones = ["x", "1"] if name == "c" else ["1", "1"]
        table(tmp_path / f"{name}.csv", predictions=[0, 1], labels=[0, 1], zone=zones)
    target = tmp_path / "out.json"

    done = run("score", f"{tmp_path}/?.csv", "--metric", "accuracy", "--by", "zone",
               "-n", ranks, "--json", target)  # fmt: skip

    assert done.returncode == 0, done.stderr
    assert slices(json.loads(target.read_text())) == ['zone="1"', "zone=x"]
