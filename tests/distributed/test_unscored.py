"""Samples without a score, on real ranks: failures, padding, and retries on another rank."""

from pathlib import Path

import pytest

from tests.helpers.launch import run_ranks
from tests.helpers.optional import require_installed

PROGRAM = Path(__file__).with_name("unscored_program.py")


@pytest.mark.parametrize(
    ("backend", "launcher", "ranks", "packages"),
    [
        pytest.param(
            "mpi4py", "mpiexec", 3, ("mpi4py", "mpiexec"), marks=pytest.mark.mpi, id="mpi4py"
        ),
        pytest.param("torch", "torchrun", 2, ("torch",), id="torch"),
    ],
)
def test_the_account_is_that_of_one_process(
    backend: str, launcher: str, ranks: int, packages: tuple[str, ...]
) -> None:
    """Values, intervals, bounds and counts of slices are `==` to those of one process."""
    require_installed(*packages)

    found = run_ranks(launcher, ranks, PROGRAM, backend, timeout=100)

    assert sum(printed.count("done") for printed in found.stdout) == ranks, str(found)
