"""`verify`: every tampering is found and named, and nothing else is reported."""

import json

import pytest

from mmeval_like.cli import main
from tests.helpers.optional import requires
from tests.records.tampering import HARMLESS, OF_DATA, OF_RECORDS, Bench

requires("pyarrow")

# The ranks are threads here, where warnings that one thread ignores are seen by the others.
pytestmark = pytest.mark.filterwarnings("ignore:intervals that promise less")


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    """Files and their records."""
    return Bench(tmp_path_factory.mktemp("files"), 1)


@pytest.mark.parametrize("number", range(2 * len(OF_DATA + OF_RECORDS)))
def test_a_tampering_is_found_and_named(bench, number):
    """A label, a last bit, an id, a row, a file; an option, a value, a digest in the record."""
    name, finding = bench.tamper(number)

    assert finding is None, f"{name}: {finding}"


@pytest.mark.parametrize("number", range(2 * len(HARMLESS)))
def test_what_does_no_harm_is_not_reported(bench, number):
    """The order of rows and files, formats, types, and the number of ranks."""
    name, finding = bench.leave(number)

    assert finding is None, f"{name}: {finding}"


def test_the_same_bytes_can_be_asked_for(bench, capsys):
    """With --same-files another order of rows is a difference, since its SHA-256 is another."""
    files = bench.write(bench.tables, "parquet")
    record = bench.folder / "r.json"
    record.write_text(json.dumps(bench.records[True]))

    assert main(["verify", str(record), *files, "--same-files"]) == 0
    bench.tables[0] = {name: cells[::-1] for name, cells in bench.tables[0].items()}
    files = bench.write(bench.tables, "parquet")
    assert main(["verify", str(record), *files]) == 0
    assert main(["verify", str(record), *files, "--same-files"]) == 1
    assert "files: changed: preds-0.parquet" in capsys.readouterr().out


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"claim": {"request": {}}}', '{"claim": {"request": 1}}']
)
def test_what_is_no_record_is_bad_input(bench, tmp_path, content, capsys):
    """Exit code 2, and one line."""
    (tmp_path / "r.json").write_text(content)

    assert main(["verify", str(tmp_path / "r.json"), "x.csv"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
