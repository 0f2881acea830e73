"""Records of real ranks: made in one world, verified in another one."""

import json

import pytest

from mmeval_like.cli import main
from tests.cli.files import predictions, run, write
from tests.helpers import require_installed
from tests.helpers.launch import run_ranks
from tests.helpers.optional import requires

requires("pyarrow")

COMMAND = ("-m", "mmeval_like")


@pytest.mark.mpi
def test_worlds_of_two_sizes_agree(tmp_path):
    """Two MPI ranks make the record of one process; it and three ranks over ZeroMQ verify it."""
    require_installed("mpi4py", "mpiexec", "zmq")
    table = predictions()
    files = [
        str(write(tmp_path, "parquet", {k: one[part::3] for k, one in table.items()}, f"{part}"))
        for part in range(3)
    ]
    asked = ["--metric", "accuracy", "--ids", "id", "--by", "domain", "--interval", "-q"]
    alone, of_two = (str(tmp_path / name) for name in ("alone.json", "two.json"))

    assert main(["score", *files, *asked, "--record", alone]) == 0
    run_ranks("mpiexec", 2, *COMMAND, "score", *files, *asked, "--record", of_two)
    records = [json.loads((tmp_path / name).read_text()) for name in ("alone.json", "two.json")]
    assert records[0]["claim"] == records[1]["claim"]
    assert [one["made"]["world"]["ranks"] for one in records] == [1, 2]

    assert main(["verify", of_two, *files[::-1], "-q"]) == 0
    table["labels"][7] = 3 - table["labels"][7]
    found = run("verify", of_two, write(tmp_path, "csv", table, "changed"), "-n", 3)
    assert found.returncode == 1
    assert "rows: 1 changed: id 7\n" in found.stdout
