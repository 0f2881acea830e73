"""Joining the job that a launcher started."""

from __future__ import annotations

import datetime
import importlib
import os
import re
from typing import Any
from urllib.parse import urlsplit

from mmeval_like._base.names import did_you_mean
from mmeval_like.backends import adopt, find_backend

__all__ = ["init_dist", "init_process_group"]

_TIMEOUT = datetime.timedelta(seconds=1800)
_PORT = 29500

# Other names of launchers: their libraries and commands.
_ELSEWHERE = {
    "mpi4py": "mpi", "mpiexec": "mpi", "mpirun": "mpi", "srun": "slurm", "torch": "pytorch",
    "torchrun": "pytorch",
}  # fmt: skip
# For each launcher, the variables of RANK, WORLD_SIZE and LOCAL_RANK; alternatives in order.
_VARIABLES = {
    "pytorch": [("RANK", "WORLD_SIZE", "LOCAL_RANK")],
    "slurm": [
        ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID"),
        ("SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"),
    ],
    "mpi": [
        ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"),
        ("PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"),
    ],
}


def init_dist(launcher: str, backend: str | None = None, **options: Any) -> None:
    """Join the job that a launcher started: read the rank from the environment and connect.

    Args:
        launcher: "pytorch" (torchrun), "slurm" (srun) or "mpi" (mpiexec of Open MPI or MPICH).
        backend: As in `init_process_group`; None: "nccl" if torch sees a GPU, otherwise "gloo".
        **options: Further arguments of `init_process_group`.

    Raises:
        ValueError: The launcher is unknown.
        RuntimeError: Environment variables are missing; the error names them.

    For "pytorch" and "mpi", rank 0's address and port are MASTER_ADDR and MASTER_PORT; for "slurm"
    the defaults are the first host of SLURM_NODELIST and port 29500. With a GPU, the device of
    the local rank becomes the current device.
    """
    if launcher not in _VARIABLES:
        hint = did_you_mean(launcher, _VARIABLES, _ELSEWHERE)
        raise ValueError(f"launcher must be one of {[*_VARIABLES]}, got {launcher!r}{hint}")
    if backend == "mpi4py":  # finds its rank by itself
        return init_process_group(backend, **options)
    place = _place(launcher)
    if launcher == "slurm":
        os.environ.setdefault("MASTER_ADDR", _first_host(os.environ.get("SLURM_NODELIST", "")))
        os.environ.setdefault("MASTER_PORT", str(_PORT))
    missing = [name for name in ("MASTER_ADDR", "MASTER_PORT") if not os.environ.get(name)]
    if missing:
        raise RuntimeError(
            f"launcher {launcher!r}: set {' and '.join(missing)} to the address of rank 0 and a "
            f"free port there"
        )
    os.environ.update(zip(("RANK", "WORLD_SIZE", "LOCAL_RANK"), map(str, place), strict=True))
    if backend in (None, "nccl"):
        torch = importlib.import_module("torch")
        if torch.cuda.is_available():
            torch.cuda.set_device(place[2] % torch.cuda.device_count())
            backend = "nccl"
    init_process_group(backend or "gloo", **options)


def init_process_group(
    backend: str,
    init_method: str | None = None,
    timeout: datetime.timedelta = _TIMEOUT,
    world_size: int = -1,
    rank: int = -1,
    **options: Any,
) -> None:
    """Create the group of processes that metrics and collectives use by default.

    Args:
        backend: "gloo", "nccl", a mixture such as "cpu:gloo,cuda:nccl", or another of torch's
            for a torch process group; "zmq" for a group that needs neither torch nor MPI;
            "mpi4py" for the world of `mpiexec`; "oneflow" for OneFlow's.
        init_method: The URL at which the ranks meet: for torch, any of its URLs; for zmq,
            "tcp://address:port"; None: MASTER_ADDR and MASTER_PORT.
        timeout: The time after which a collective that some rank did not join raises an error.
        world_size: The number of processes; -1: read from the environment.
        rank: This process's index; -1: read from the environment.
        **options: Further arguments of `torch.distributed.init_process_group`; for zmq
            `secret`, see `ZmqDist`.

    Raises:
        MissingBackendError: The library is not installed.
        ValueError: Rank and world size are neither given nor in the environment.
    """
    if backend == "zmq":
        url = urlsplit(init_method or "")
        group: Any = find_backend("zmq")(
            url.hostname,
            url.port,
            None if rank < 0 else rank,
            None if world_size < 0 else world_size,
            timeout=timeout.total_seconds(),
            **options,
        )
        group.connect()
        if not group.is_initialized:
            raise ValueError("zmq: rank and world_size are neither given nor in RANK, WORLD_SIZE")
        adopt("zmq", group)
    elif backend in ("mpi4py", "oneflow"):
        adopt(backend, find_backend(backend)(timeout=timeout.total_seconds()))
    else:
        find_backend("torch")  # its error says what to install
        importlib.import_module("torch.distributed").init_process_group(
            backend, init_method, timeout, world_size, rank, **options
        )


def _place(launcher: str) -> tuple[int, int, int]:
    alternatives = _VARIABLES[launcher]
    for names in alternatives:
        values = [os.environ.get(name, "") for name in names]
        if all(value.isdecimal() for value in values):
            rank, size, local_rank = map(int, values)
            return rank, size, local_rank
    wanted = " or ".join(", ".join(names) for names in alternatives)
    raise RuntimeError(f"launcher {launcher!r} sets {wanted}; they are not in the environment")


def _first_host(nodes: str) -> str:
    """Return the first host of Slurm's list, for instance "gpu07" for "gpu[07-09,12],cpu1"."""
    if not nodes:
        raise RuntimeError("launcher 'slurm' sets SLURM_NODELIST; it is not in the environment")
    match = re.match(r"([^\[,]+)(?:\[([^\],-]+)[^\]]*\]([^,]*))?", nodes)
    if match is None:
        raise RuntimeError(f"SLURM_NODELIST cannot be read: {nodes!r}")
    return "".join(part or "" for part in match.groups())
