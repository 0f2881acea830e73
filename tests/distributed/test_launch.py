"""The launch helper itself: what hangs or fails in a child must end, and be seen, here."""

import textwrap
from pathlib import Path

import pytest

from tests.helpers import require_installed
from tests.helpers.launch import LaunchError, alive, run_ranks

LAUNCHERS = [
    pytest.param("plain", (), id="plain"),
    pytest.param("mpiexec", ("mpi4py", "mpiexec"), id="mpiexec", marks=pytest.mark.mpi),
    pytest.param("torchrun", ("torch",), id="torchrun"),
    pytest.param("oneflow", ("oneflow",), id="oneflow"),
]
# OneFlow's ranks meet when they import it.
PROLOGUE = """
import os, sys
launcher = sys.argv[1]
if launcher == "oneflow":
    import oneflow
names = ("RANK", "PMI_RANK", "OMPI_COMM_WORLD_RANK")
rank = int(next(os.environ[name] for name in names if name in os.environ))
"""


def script(folder: Path, text: str) -> Path:
    """Write a program that is given its launcher's name, and knows its rank."""
    file = folder / "program.py"
    file.write_text(PROLOGUE + textwrap.dedent(text))
    return file


@pytest.mark.parametrize(("launcher", "packages"), LAUNCHERS)
def test_every_rank_is_started_once(
    launcher: str, packages: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of n ranks runs the program, and sees nothing of a launcher that started the tests."""
    require_installed(*packages)
    monkeypatch.setenv("RANK", "7")
    monkeypatch.setenv("WORLD_SIZE", "8")
    program = script(tmp_path, "print(rank, os.environ.get('WORLD_SIZE'))")

    ranks = run_ranks(launcher, 3, program, launcher)

    size = "None" if launcher == "mpiexec" else "3"
    assert ranks.stdout == [f"{rank} {size}\n" for rank in range(3)]
    assert ranks.outlived == []


def test_modules_run_as_well(tmp_path: Path) -> None:
    """A program can be named as `python -m` names it."""
    ranks = run_ranks("plain", 2, "-m", "json.tool", "--help")

    assert all("usage:" in text for text in ranks.stdout)


@pytest.mark.parametrize(("launcher", "packages"), LAUNCHERS)
def test_hang_ends_with_the_stacks_of_those_who_wait(
    launcher: str, packages: tuple[str, ...], tmp_path: Path
) -> None:
    """Ranks that wait for ever are killed after the timeout; the error shows where they were."""
    require_installed(*packages)
    program = script(
        tmp_path,
        """
        import threading
        def wait_for_a_partner():
            threading.Event().wait()
        if rank != 0:
            wait_for_a_partner()
        """,
    )
    usual = {"plain": 2, "mpiexec": 2}.get(launcher, 10)
    for seconds in (usual, 10 * usual):  # a busy machine may not have started the ranks in time
        with pytest.raises(LaunchError, match="its time was over") as caught:
            run_ranks(launcher, 2, program, launcher, timeout=seconds)
        if "in wait_for_a_partner" in str(caught.value):
            break

    assert "in wait_for_a_partner" in str(caught.value)


def test_nothing_is_left_running(tmp_path: Path) -> None:
    """After a timeout no rank is alive any more."""
    program = script(
        tmp_path, "import threading; print(os.getpid(), flush=True); threading.Event().wait()"
    )
    ranks = run_ranks("plain", 2, program, "plain", timeout=4, check=False)

    assert ranks.returncode is None
    assert not any(alive(int(text)) for text in ranks.stdout)
    assert len([text for text in ranks.stdout if text]) == 2


@pytest.mark.parametrize(("launcher", "packages"), [LAUNCHERS[0], LAUNCHERS[2]])
def test_failure_on_one_rank_is_reported(
    launcher: str, packages: tuple[str, ...], tmp_path: Path
) -> None:
    """The error holds the failing rank's traceback, and the waiting rank is ended."""
    require_installed(*packages)
    program = script(
        tmp_path,
        """
        import threading
        if rank == 1:
            raise ValueError("this rank is broken")
        threading.Event().wait()
        """,
    )
    with pytest.raises(LaunchError, match="this rank is broken"):
        run_ranks(launcher, 2, program, launcher)
