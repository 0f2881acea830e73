"""Records that another processor made."""

import json
import subprocess
import sys

import numpy as np
import pytest

from mmeval_like.cli import main
from tests.cli.files import write
from tests.helpers.optional import requires
from tests.processors.levels import ROOT

requires("pyarrow")

ASKED = [
    *("--metric", "accuracy", "--metric", "log_loss", "--column", "predictions=p_*"),
    *("--interval", "--ids", "id"),
]
ELSEWHERE = """
import sys
from tests.processors.other_functions import differ
differ()
from mmeval_like.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def made(tmp_path):
    """A file of predictions, and the path of its record from another processor."""
    rng = np.random.default_rng(3)
    scores = {f"p_{c}": column for c, column in enumerate(rng.dirichlet(np.ones(3), 200).T)}
    table = scores | {"labels": rng.integers(0, 3, 200), "id": np.arange(200)}
    file, record = write(tmp_path, "parquet", table), tmp_path / "record.json"
    score = ["score", str(file), *ASKED, "--record", str(record), "-q"]
    subprocess.run([sys.executable, "-c", ELSEWHERE, *score], cwd=ROOT, check=True)
    return str(file), record


def test_a_record_of_another_processor_is_equal(made, tmp_path, capsys):
    """Although the last bits of logarithms are others there; `verify` names what it tolerates."""
    file, record = made
    mine, found = tmp_path / "mine.json", tmp_path / "found.json"
    assert main(["score", file, *ASKED, "--record", str(mine), "-q"]) == 0
    claims = [json.loads(one.read_text())["claim"] for one in (mine, record)]
    assert claims[0]["values"] != claims[1]["values"]  # or nothing is tested
    capsys.readouterr()

    assert main(["verify", str(record), file, "--json", str(found)]) == 0
    assert capsys.readouterr().out == "equal; within 1e-09: the values of log_loss\n"
    assert json.loads(found.read_text())["inexact"] == ["log_loss"]
    assert "states" in claims[0]  # of accuracy


def test_other_values_still_differ(made, capsys):
    """One part in a million of the logarithmic loss, and the last bit of the accuracy."""
    file, record = made
    found = json.loads(record.read_text())
    loss, share = (
        found["claim"]["values"]["all"][metric][key]
        for metric, key in (("log_loss", "log_loss"), ("accuracy", "top1"))
    )
    for number, factor in ((loss, 1 + 1e-6), (share, 1 + 2.0**-52)):
        value = float.fromhex(number["hex"]) * factor
        number |= {"text": repr(value), "hex": value.hex()}
    record.write_text(json.dumps(found))
    capsys.readouterr()

    assert main(["verify", str(record), file]) == 1
    said = capsys.readouterr().out
    assert "value: log_loss log_loss: " in said
    assert "value: accuracy top1: " in said
