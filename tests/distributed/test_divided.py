"""`mm.score` with `divided=True`, on real ranks that read one file."""

from pathlib import Path

import numpy as np
import pytest

from tests.helpers.launch import run_ranks
from tests.helpers.optional import require_installed, requires
from tests.helpers.web import DATASET, Hub, serving

PROGRAM = Path(__file__).with_name("divided_program.py")


@pytest.mark.parametrize("place", ["file", "hub"])
@pytest.mark.parametrize(
    ("backend", "launcher", "ranks", "packages"),
    [
        pytest.param("zmq", "plain", 3, ("zmq",), id="zmq"),
        pytest.param(
            "mpi4py", "mpiexec", 2, ("mpi4py", "mpiexec"), marks=pytest.mark.mpi, id="mpi4py"
        ),
    ],
)
def test_the_ranks_read_what_one_reads(
    backend: str, launcher: str, ranks: int, packages: tuple[str, ...], place: str, tmp_path: Path
) -> None:
    """The bits are those of one process; a file that one rank lacks is an error on all of them."""
    require_installed(*packages, *{"hub": ["fsspec", "huggingface_hub"]}.get(place, []))
    rng = np.random.default_rng(0)
    columns = {
        "p": rng.random(4_000),
        "y": rng.integers(0, 2, 4_000),
        "day": rng.integers(0, 3, 4_000),
    }
    (tmp_path / "main").mkdir()
    path = tmp_path / "main" / "rows.parquet"
    table = requires("pyarrow").table(columns)
    requires("pyarrow.parquet").write_table(table, path, row_group_size=300)

    read = str(path) if place == "file" else f"hf://datasets/{DATASET}/rows.parquet"
    with serving(tmp_path, Hub) as server:
        env = {"MMEVAL_LIKE_SECRET": "of the ranks of this test", "HF_ENDPOINT": server.address}
        found = run_ranks(launcher, ranks, PROGRAM, read, backend, timeout=100, env=env)

    told = [line for printed in found.stdout for line in printed.splitlines() if "done" in line]
    assert len(told) == ranks, str(found)
    assert set(told) <= {"done FileNotFoundError", "done RemoteError"}, str(found)
    assert "done FileNotFoundError" in told
    assert bool(server.asked) == (place == "hub")
