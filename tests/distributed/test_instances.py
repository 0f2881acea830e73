"""Real programs that skip and swap computes: an error on every rank, never mixed parts."""

from pathlib import Path

import pytest

from tests.helpers import require_installed
from tests.helpers.launch import run_ranks

PROGRAM = Path(__file__).with_name("instances_program.py")
BACKENDS = {"torch": ("plain", ("torch",)), "mpi4py": ("mpiexec", ("mpi4py", "mpiexec"))}
# In one launch: `extra` comes last, since the ranks then differ in how many metrics they made.
DIFFERENCES = ("swap", "skip", "threads", "lists", "extra")


@pytest.mark.parametrize("backend", ["torch", pytest.param("mpi4py", marks=pytest.mark.mpi)])
def test_ranks_that_do_not_compute_the_same(backend: str) -> None:
    """The program itself checks, on every rank, that the error comes and what comes after it."""
    launcher, packages = BACKENDS[backend]
    require_installed(*packages)

    ranks = run_ranks(launcher, 2, PROGRAM, backend, *DIFFERENCES, timeout=100)

    assert ranks.stdout == ["".join(f"{name} is done\n" for name in DIFFERENCES)] * 2


def test_a_lost_process_is_replaced() -> None:
    """A new group with a new process agrees at once, with metrics that are kept and new ones."""
    require_installed("torch")

    run_ranks("plain", 2, PROGRAM, "torch", "replace", timeout=100)
