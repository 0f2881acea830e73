"""`compute_async` on real processes: beside messages and forks, and when a process ends."""

from pathlib import Path

import pytest

from tests.helpers.launch import run_ranks
from tests.helpers.optional import require_installed

PROGRAM = Path(__file__).with_name("async_program.py")

LIBRARIES = pytest.mark.parametrize(
    ("backend", "launcher", "packages"),
    [
        pytest.param(
            "mpi4py", "mpiexec", ("mpi4py", "mpiexec"), marks=pytest.mark.mpi, id="mpi4py"
        ),
        pytest.param("torch", "plain", ("torch",), id="torch"),
    ],
)


@LIBRARIES
def test_beside_everything_else(backend, launcher, packages):
    """Forks, threads, the program's messages and other computes; an end that nobody waits for."""
    require_installed(*packages)

    ranks = run_ranks(launcher, 2, PROGRAM, backend, "everything")

    for printed in ranks.stdout:
        alone, done, refused, own, right, left = printed.splitlines()
        assert alone == "{'top1': 0.5} {'top1': 0.5}"
        assert done == own == "{'top1': 1.0}"
        assert refused == "a forked process"
        assert (right, left) == ("right", "left")


@LIBRARIES
def test_groups_leave_nothing_behind(backend, launcher, packages):
    """What is computed beside a group goes with it: 1,000 groups of MPI, and no more open files.

    Ranks may be in different numbers of groups.
    """
    require_installed(*packages)

    ranks = run_ranks(launcher, 2, PROGRAM, backend, "groups", timeout=100)

    assert ranks.stdout == ["ended\n"] * 2, str(ranks)


@LIBRARIES
def test_a_rank_that_began_what_no_other_did(backend, launcher, packages):
    """Its process ends in bounded time; the job of MPI fails, and says why."""
    require_installed(*packages)

    ranks = run_ranks(launcher, 2, PROGRAM, backend, "alone", timeout=40, check=False)

    assert ranks.stdout == ["left\n"] * 2, str(ranks)
    assert ranks.returncode == (backend == "mpi4py"), str(ranks)
    assert ("did not finish" in ranks.stderr[0]) == (backend == "mpi4py"), str(ranks)


def test_the_end_waits_for_a_thread_inside_of_the_library():
    """A thread that comes back to an interpreter that has ended would abort the process."""
    require_installed("torch")

    ranks = run_ranks("plain", 2, PROGRAM, "torch", "searching", timeout=40)

    assert ranks.stdout == ["left\n"] * 2, str(ranks)


def test_the_end_waits_for_a_thread_of_the_library():
    """Gloo gives tensors back after the collective: it needs Python's lock, which may be late."""
    require_installed("torch")

    run_ranks("plain", 2, PROGRAM, "torch", "busy")


@pytest.mark.mpi
def test_mpi_for_one_thread_says_so():
    """The error names the level that MPI lacks; `compute` works as ever."""
    require_installed("mpi4py", "mpiexec")

    ranks = run_ranks("mpiexec", 2, PROGRAM, "mpi4py", "one_thread")

    for printed in ranks.stdout:
        error, value = printed.splitlines()
        assert "MPI.THREAD_MULTIPLE" in error
        assert value == "{'top1': 1.0}"
