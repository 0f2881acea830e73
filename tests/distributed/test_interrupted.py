"""A rank of MPI that is interrupted or gives up: what is on its way makes no wrong number."""

from pathlib import Path

import pytest

from tests.distributed.limits import environment
from tests.helpers.launch import run_ranks
from tests.helpers.optional import require_installed

HERE = Path(__file__).parent
pytestmark = pytest.mark.mpi


@pytest.mark.parametrize("how", ["late", "interrupted", "begun"])
def test_what_mpi_may_still_write_into_is_kept(how):
    """What was given up is not freed: MPI completes it later, in its memory."""
    require_installed("mpi4py", "mpiexec")
    program = HERE / "abandoned_program.py"

    ranks = run_ranks("mpiexec", 2, program, how, timeout=60, check=False)

    assert ranks.stdout == ["kept\n"] * 2, str(ranks)


@pytest.mark.parametrize("way", ["reduced", "gathered"])
@pytest.mark.parametrize("part", [0.25, 0.7, 0.8, 0.9])
def test_an_interrupt_at_a_line_of_the_exchange(way, part):
    """No rank gets a wrong number, wherever rank 1 is interrupted and goes on.

    MPI would bring the next first message in place of the part.
    """
    require_installed("mpi4py", "mpiexec")
    program = HERE / "interrupt_program.py"
    asked = (program, way, str(part))
    ranks = run_ranks("mpiexec", 3, *asked, env=environment(), timeout=60, check=False)

    assert ranks.returncode is not None, f"the job hung: {ranks}"
    assert "Alarm" in ranks.stdout[1]
    for printed in ranks.stdout:
        assert "wrong" not in printed, str(ranks)
