"""An evaluation that was killed goes on, on another number of ranks, with the same bits."""

from pathlib import Path

import pytest

from tests.helpers.launch import run_ranks
from tests.helpers.optional import require_installed

PROGRAM = Path(__file__).with_name("resume_program.py")


@pytest.mark.mpi
@pytest.mark.parametrize(
    ("kill_after", "rule"), [(0, []), (2, []), (4, []), (1, ["drop"]), (3, ["0"]), (4, ["bounds"])]
)
def test_killed_and_resumed(tmp_path, kill_after, rule):
    """SIGKILL of a rank at some batch, then 2 ranks instead of 3: one process's result.

    With a rule, samples without a score are tried again on other ranks, where some fail for another
    reason: the values, the intervals, the counts and the bounds are those of one process.
    """
    require_installed("mpi4py", "mpiexec")
    alone, folder = tmp_path / "alone", tmp_path / "parts"
    alone.mkdir()
    folder.mkdir()
    whole = run_ranks("plain", 1, PROGRAM, alone, "-1", "-1", *rule)

    killed = run_ranks("mpiexec", 3, PROGRAM, folder, "1", str(kill_after), *rule, check=False)
    resumed = run_ranks("mpiexec", 2, PROGRAM, folder, "2", "-1", *rule)

    assert killed.returncode not in (0, None)
    assert killed.stdout[0] == ""
    assert resumed.stdout[0] == whole.stdout[0] != ""
    assert ("refusal" in whole.stdout[0]) == bool(rule)
