"""No command writes where it reads: what it was given is still there, to the last byte."""

import gzip
import shutil

import pytest

from mmeval_like.cli import main
from tests.cli.files import write
from tests.helpers.optional import requires
from tests.logs.test_logs import INSPECT

requires("pyarrow")

METRIC = ["--metric", "accuracy"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Predictions, also compressed, their record and saved state, ids to take out, and a log."""
    folder = tmp_path_factory.mktemp("made")
    table = write(folder, "csv")
    (folder / "preds.csv").write_bytes(table.read_bytes())
    (folder / "preds.csv.gz").write_bytes(gzip.compress(table.read_bytes()))
    shutil.copy(INSPECT / "animals.eval", folder / "a.eval")
    (folder / "ids.txt").write_text("3\n")
    saved = ["--record", folder / "r.json", "--state", folder / "s"]
    asked = ["score", folder / "preds.csv", *METRIC, "--ids", "id", *saved, "-q"]
    assert main([*map(str, asked)]) == 0
    return folder


@pytest.mark.parametrize(
    ("command", "target"),
    [
        ("score preds.csv.gz --metric accuracy --json", "preds.csv.gz"),
        ("score preds.csv --metric accuracy --lock", "preds.csv"),
        ("score a.eval --json", "a.eval"),
        ("verify r.json s --json", "r.json"),
        ("verify r.json s --json", "s"),
        ("rollup s --record", "s"),
        ("rollup s --state", "s"),
        ("rollup s --state new --record", "new"),
        ("retract s --ids-file ids.txt --json", "ids.txt"),
        ("retract s preds.csv --ids id --ids-file ids.txt --record", "preds.csv"),
        ("log r.json --csv", "r.json"),
        ("log r.json --csv new --plot", "new"),
    ],
)
def test_what_is_read_stays(made, tmp_path, monkeypatch, capsys, command, target):
    """It is bad input, and says which file would be lost, also where a link leads to it."""
    folder = tmp_path / "files"
    shutil.copytree(made, folder)
    monkeypatch.chdir(folder)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}

    for given in (target, f"../files/{target}"):
        assert main([*command.split(), given, "-q"]) == 2
        assert "which would be overwritten" in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
