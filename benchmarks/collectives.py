"""Bandwidth of the collectives, as a fraction of the library's own call; and very large payloads.

    mpiexec -n 2 python -m benchmarks.collectives mpi4py
    torchrun --nproc-per-node 2 -m benchmarks.collectives torch
    mpiexec -n 2 python -m benchmarks.collectives mpi4py --huge

Both sides allocate their result and alternate. Prints, for each collective, the ratio of the median
times and our seconds. With `--huge`: int8 arrays of more than 2^31 elements and an object of 1 GiB,
which must arrive whole.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import mmeval_like as mm


def native(name: str) -> dict[str, Callable[[np.ndarray], Any]]:
    """The library's own calls, which allocate their result as ours do."""
    if name == "mpi4py":
        from mpi4py import MPI

        comm = MPI.COMM_WORLD

        def all_reduce(array: np.ndarray) -> Any:
            out = np.empty_like(array)
            comm.Allreduce(array, out)
            return out

        def all_gather(array: np.ndarray) -> Any:
            out = np.empty((comm.size, *array.shape), array.dtype)
            comm.Allgather(array, out)
            return out

        def broadcast(array: np.ndarray) -> Any:
            out = array.copy() if comm.rank == 0 else np.empty_like(array)
            comm.Bcast(out)
            return out

    else:
        import torch
        import torch.distributed as td

        def all_reduce(array: np.ndarray) -> Any:
            out = torch.from_numpy(array).clone()
            td.all_reduce(out)
            return out

        def all_gather(array: np.ndarray) -> Any:
            out = [torch.empty(array.shape) for _ in range(td.get_world_size())]
            td.all_gather(out, torch.from_numpy(array))
            return out

        def broadcast(array: np.ndarray) -> Any:
            source = td.get_rank() == 0
            out = torch.from_numpy(array).clone() if source else torch.empty(array.shape)
            td.broadcast(out, 0)
            return out

    return {"all_reduce": all_reduce, "all_gather": all_gather, "broadcast": broadcast}


def compare(name: str, mebibytes: int, rounds: int) -> dict[str, list[float]]:
    """By collective: our bandwidth over the library's, and our seconds, for arrays of this size."""
    backend = mm.get_dist_backend(name)
    array = np.ones(mebibytes * 2**18, np.float32)
    ours = {
        "all_reduce": mm.dist.all_reduce,
        "all_gather": mm.dist.all_gather,
        "broadcast": mm.dist.broadcast,
    }
    found = {}
    for operation, own in native(name).items():
        times: dict[str, list[float]] = {"ours": [], "library": []}
        for _ in range(rounds):
            for who, function in (("library", own), ("ours", ours[operation])):
                backend.barrier()
                start = time.perf_counter()
                function(array)
                backend.barrier()
                times[who].append(time.perf_counter() - start)
        seconds = statistics.median(times["ours"])
        found[operation] = [statistics.median(times["library"]) / seconds, seconds]
    return found


def measure(ranks: int = 2, mebibytes: int = 64) -> dict[str, Any]:
    """Start ranks of both libraries; by library and collective what `compare` finds."""
    launchers = {
        "mpi4py": [
            str(Path(sys.executable).with_name("mpiexec")),
            "-n",
            str(ranks),
            sys.executable,
        ],
        "torch": [
            *(sys.executable, "-m", "torch.distributed.run", "--standalone"),
            *("--nproc-per-node", str(ranks)),
        ],
    }
    found: dict[str, Any] = {"ranks": ranks, "mebibytes": mebibytes}
    for name, launcher in launchers.items():
        command = [*launcher, "-m", "benchmarks.collectives", name, "--mebibytes", str(mebibytes)]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600)
        found[name] = json.loads(done.stdout.splitlines()[-1])
    return found


def table(found: dict[str, Any]) -> str:
    """Return what `measure` found as Markdown."""
    lines = ["| | mpi4py (MPICH) | torch (gloo) |", "|---|---|---|"]
    for operation in found["torch"]:
        cells = [found[name][operation] for name in ("mpi4py", "torch")]
        shown = " | ".join(f"{ratio:.2f} ({1000 * seconds:.0f} ms)" for ratio, seconds in cells)
        lines.append(f"| {operation} | {shown} |")
    return "\n".join(lines)


def huge(name: str) -> None:
    """Send what 32-bit counts cannot describe; fail unless it arrives whole."""
    backend = mm.get_dist_backend(name)
    elements = 2**31 + 5
    array = np.zeros(elements, np.int8)
    array[[0, 2**31, -1]] = backend.rank + 1, 7, backend.rank + 2
    last = backend.world_size - 1
    received = mm.dist.broadcast(array if backend.rank == last else None, last)
    wanted = [backend.world_size, 7, backend.world_size + 1]
    verify("broadcast", received[[0, 2**31, -1]].tolist() == wanted, received, elements, backend)
    del received
    total = mm.dist.all_reduce(array, "max")
    verify("all_reduce", total[[0, 2**31, -1]].tolist() == wanted, total, elements, backend)
    del total, array
    sent = {"data": np.full(2**30, backend.rank, np.uint8)} if backend.rank == 0 else None
    thing = mm.dist.broadcast_object(sent)
    verify("broadcast_object", not thing["data"].any(), thing["data"], 2**30, backend)


def verify(name: str, right: bool, array: np.ndarray, elements: int, backend: Any) -> None:
    """Report one transfer; raise if it was not whole."""
    if not right or array.size != elements:
        raise AssertionError(f"{name} of {elements} elements is wrong on rank {backend.rank}")
    if backend.rank == 0:
        print(f"{name} of {elements} bytes: whole", flush=True)


def main() -> None:
    """Run on the backend that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("backend", choices=["mpi4py", "torch"])
    parser.add_argument("--mebibytes", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--huge", action="store_true")
    arguments = parser.parse_args()
    mm.dist.init_process_group("gloo" if arguments.backend == "torch" else "mpi4py")
    if arguments.huge:
        huge(arguments.backend)
    else:
        found = compare(arguments.backend, arguments.mebibytes, arguments.rounds)
        if mm.dist.get_rank() == 0:
            print(json.dumps(found), flush=True)
    if arguments.backend == "torch":
        import torch.distributed

        torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
