"""Samples that belong together, on real ranks: clusters lie across ranks, and one rank has none."""

from pathlib import Path

import pytest

from tests.helpers.launch import run_ranks
from tests.helpers.optional import require_installed

PROGRAM = Path(__file__).with_name("clusters_program.py")


@pytest.mark.parametrize(
    ("backend", "launcher", "ranks", "packages"),
    [
        pytest.param(
            "mpi4py", "mpiexec", 3, ("mpi4py", "mpiexec"), marks=pytest.mark.mpi, id="mpi4py"
        ),
        pytest.param("torch", "torchrun", 2, ("torch",), id="torch"),
    ],
)
def test_clusters_across_ranks(
    backend: str, launcher: str, ranks: int, packages: tuple[str, ...]
) -> None:
    """Intervals of slices, and a comparison of two systems, are `==` to those of one process."""
    require_installed(*packages)

    found = run_ranks(launcher, ranks, PROGRAM, backend, timeout=100)

    assert sum(printed.count("done") for printed in found.stdout) == ranks, str(found)
