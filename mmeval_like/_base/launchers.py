"""Detection of the launcher that started this process, from environment variables."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["LAUNCHERS", "Launched", "Launcher", "detect_launcher", "launched"]


@dataclass(frozen=True)
class Launcher:
    """A launcher, and the environment variables that it sets for every rank.

    Attributes:
        name: The launcher's usual name.
        rank: The variable with this process's rank.
        size: The variable with the number of processes.
        local_rank: The variable with the rank within this machine.
        local_size: The variable with the number of processes on this machine.
        backend: The registered backend that normally goes with it.
    """

    name: str
    rank: str
    size: str
    local_rank: str
    local_size: str
    backend: str


@dataclass(frozen=True)
class Launched:
    """This process's place, as set by its launcher."""

    launcher: Launcher
    rank: int
    size: int
    local_rank: int
    local_size: int


LAUNCHERS = (
    Launcher(
        "mpiexec of Open MPI",
        "OMPI_COMM_WORLD_RANK",
        "OMPI_COMM_WORLD_SIZE",
        "OMPI_COMM_WORLD_LOCAL_RANK",
        "OMPI_COMM_WORLD_LOCAL_SIZE",
        "mpi4py",
    ),
    Launcher(
        "mpiexec of MPICH",
        "PMI_RANK",
        "PMI_SIZE",
        "MPI_LOCALRANKID",
        "MPI_LOCALNRANKS",
        "mpi4py",
    ),
    Launcher(
        "paddle.distributed.launch",
        "PADDLE_TRAINER_ID",
        "PADDLE_TRAINERS_NUM",
        "PADDLE_RANK_IN_NODE",
        "PADDLE_LOCAL_SIZE",
        "paddle",
    ),
    Launcher(
        "torchrun",
        "RANK",
        "WORLD_SIZE",
        "LOCAL_RANK",
        "LOCAL_WORLD_SIZE",
        "torch",
    ),
    # The variables of the step, not of the allocation, since a plain shell inside an allocation of
    # many tasks is a single process.
    Launcher(
        "srun",
        "SLURM_PROCID",
        "SLURM_STEP_NUM_TASKS",
        "SLURM_LOCALID",
        "SLURM_STEP_TASKS_PER_NODE",
        "torch",
    ),
)


def detect_launcher() -> Launched | None:
    """Return this process's place in a launched job of several processes.

    Returns:
        The place, or None if the variables of no known launcher are set, or if they describe a
        single process. Variables that are not numbers count as unset.

    Example:
        >>> import os
        >>> os.environ.update(RANK="1", WORLD_SIZE="4", LOCAL_RANK="1", LOCAL_WORLD_SIZE="4")
        >>> place = detect_launcher()
        >>> place.launcher.name, place.rank, place.size
        ('torchrun', 1, 4)
        >>> for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"):
        ...     del os.environ[name]
        >>> detect_launcher() is None
        True
    """
    return next(launched(), None)


def launched() -> Iterator[Launched]:
    """Yield this process's place for each launcher whose variables are set."""
    for launcher in LAUNCHERS:
        rank = _number(launcher.rank)
        size = None if rank is None else _number(launcher.size)
        if rank is None or size is None or not 0 <= rank < size or size == 1:
            continue
        local_rank, local_size = _number(launcher.local_rank), _number(launcher.local_size)
        yield Launched(launcher, rank, size, local_rank or 0, local_size or 1)


def _number(variable: str) -> int | None:
    # Slurm abbreviates: "4(x2)" are 4 tasks on each of 2 nodes.
    text = os.environ.get(variable, "").partition("(")[0]
    return int(text) if text.isdecimal() else None
