"""The examples, started by the launchers that they name, print what they should."""

import json
from pathlib import Path

import pytest

from tests.helpers.launch import run_ranks
from tests.helpers.optional import require_installed
from tests.helpers.spawn import free_port

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

STARTS = [
    pytest.param("mpiexec", ("mpi",), ("mpi4py", "mpiexec"), marks=pytest.mark.mpi, id="mpiexec"),
    pytest.param("torchrun", ("pytorch",), ("torch",), id="torchrun"),
    pytest.param(
        "mpiexec",
        ("mpi", "gloo"),
        ("torch", "mpiexec"),
        marks=pytest.mark.mpi,
        id="torch by mpiexec",
    ),
]


@pytest.mark.parametrize(("launcher", "arguments", "packages"), STARTS)
def test_collectives_print_what_the_tutorial_prints(launcher, arguments, packages):
    """Broadcast, scatter, gather, all-gather, reduce, all-reduce on 4 ranks."""
    require_installed(*packages)
    env = {}
    if arguments[-1] == "gloo":
        env = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}

    ranks = run_ranks(launcher, 4, EXAMPLES / "collectives.py", *arguments, env=env)

    for rank in range(4):
        printed = ranks.stdout[rank].splitlines()
        wanted = [
            f"rank {rank} data is {{'key1': [7, 2.72, (2+3j)], 'key2': ('abc', 'xyz')}}",
            f"rank {rank} data is {list(range(rank + 2))}",
            *(["Rank 0 gathered data: [0 1 2 3]"] if rank == 0 else []),
            f"Rank {rank} gathered data: [1 2 3 4]",
            *(["Result after Reduce: 10"] if rank == 0 else []),
            f"Rank {rank} has result after AllReduce: 10",
        ]
        if printed[len(wanted) :]:
            wanted += [f"Rank {rank} has data tensor([[4., 4., 4.],", "        [4., 4., 4.]])"]
        assert printed == wanted
    assert ("tensor" in ranks.stdout[0]) == (arguments != ("mpi",))


def test_the_eval_loop_gives_the_same_bits_everywhere():
    """Alone, on 4 ranks of torchrun and on 3 of mpiexec: the same metrics, and every rank's."""
    require_installed("sklearn", "torch", "mpi4py", "mpiexec")
    loop = EXAMPLES / "eval_loop.py"

    alone = json.loads(run_ranks("plain", 1, loop).stdout[0])
    by_torch = json.loads(run_ranks("torchrun", 4, loop, "torch", timeout=120).stdout[0])
    by_mpi = json.loads(run_ranks("mpiexec", 3, loop, "mpi4py").stdout[0])

    for name in ("accuracy", "f1"):
        assert alone[name] == by_torch[name] == by_mpi[name]
    assert by_torch["loss"] == pytest.approx(alone["loss"], rel=1e-12)
    assert by_mpi["loss"] == pytest.approx(alone["loss"], rel=1e-12)
