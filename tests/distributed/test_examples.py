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
    """Alone, on 2 ranks of torchrun and on 3 of mpiexec: the same metrics and the same loss."""
    require_installed("sklearn", "torch", "mpi4py", "mpiexec")
    loop = EXAMPLES / "eval_loop.py"

    alone = json.loads(run_ranks("plain", 1, loop).stdout[0])
    by_torch = json.loads(run_ranks("torchrun", 2, loop, "torch", timeout=120).stdout[0])
    by_mpi = json.loads(run_ranks("mpiexec", 3, loop, "mpi4py").stdout[0])

    assert alone.keys() == {"accuracy", "f1", "loss"}
    assert alone == by_torch == by_mpi


@pytest.mark.parametrize("arguments", [(), ("accelerate",)])
@pytest.mark.parametrize("ranks", [1, 2])
def test_the_data_loader_counts_every_sample_once(ranks, arguments):
    """Torch's loader and accelerate's: 7 of 9 samples are right, whatever the loader repeats."""
    require_installed("torch", *arguments)

    done = run_ranks("torchrun", ranks, EXAMPLES / "data_loader.py", *arguments, timeout=120)

    assert done.stdout == ["{'top1': 0.7777777777777778}\n"] * ranks


def test_a_training_that_does_not_wait_for_its_metric():
    """It prints the times of a training without, with `compute` and with `compute_async`."""
    require_installed("torch")

    ranks = run_ranks("torchrun", 2, EXAMPLES / "async_compute.py", timeout=120)

    *times, last = ranks.stdout[0].splitlines()
    assert [line.partition(": ")[0] for line in times] == ["no compute", "compute", "compute_async"]
    assert last.startswith("at the end: {'auroc': 0.99")


READY = {  # what a program says to its launcher's library before it can use it
    "plain": "",
    "mpiexec": "import mpi4py.MPI\n",
    "torchrun": "import torch.distributed\ntorch.distributed.init_process_group('gloo')\n",
}


@pytest.mark.parametrize(
    ("launcher", "ranks", "packages"),
    [
        pytest.param("plain", 1, (), id="plain"),
        pytest.param("mpiexec", 2, ("mpi4py", "mpiexec"), marks=pytest.mark.mpi, id="mpiexec"),
        pytest.param("mpiexec", 5, ("mpi4py", "mpiexec"), marks=pytest.mark.mpi, id="more ranks"),
        pytest.param("torchrun", 2, ("torch",), id="torchrun"),
    ],
)
def test_the_first_program_is_right_on_any_number_of_ranks(launcher, ranks, packages, tmp_path):
    """The README's program prints 0.75 on every rank, also with more ranks than samples."""
    require_installed(*packages)
    section = EXAMPLES.with_name("README.md").read_text().partition("\n## In many processes\n")[2]
    program = section.partition("```python\n")[2].partition("```")[0]
    (tmp_path / "program.py").write_text(READY[launcher] + program)

    done = run_ranks(launcher, ranks, tmp_path / "program.py")

    assert done.stdout == ["{'top1': 0.75}\n"] * ranks
