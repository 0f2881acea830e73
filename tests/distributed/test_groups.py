"""Evaluation on some of the ranks, and beside the program's own messages."""

from pathlib import Path

import pytest

from tests.helpers import require_installed
from tests.helpers.launch import run_ranks

PROGRAM = Path(__file__).with_name("group_program.py")


@pytest.mark.parametrize(
    ("backend", "launcher", "packages"),
    [
        pytest.param(
            "mpi4py", "mpiexec", ("mpi4py", "mpiexec"), marks=pytest.mark.mpi, id="mpi4py"
        ),
        pytest.param("torch", "plain", ("torch",), id="torch"),
    ],
)
def test_groups(backend: str, launcher: str, packages: tuple[str, ...]) -> None:
    """A group keeps all laws with ranks of its own, outsiders are refused, messages stay apart."""
    require_installed(*packages)

    run_ranks(launcher, 4, PROGRAM, backend, timeout=100)
