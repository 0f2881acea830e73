"""The warnings and errors if a launcher started several processes that would not communicate."""

from __future__ import annotations

import sys

from mmeval_like._base.launchers import Launched, detect_launcher
from mmeval_like._base.warning import warn
from mmeval_like.backends.base import BaseDistBackend
from mmeval_like.backends.records import RECORDS
from mmeval_like.errors import LauncherMismatchError

__all__ = ["refuse_if_launched", "warn_if_launched"]

_warned = False


def warn_if_launched() -> None:
    """Warn once if several processes run, no backend is named and no library is initialised.

    Raises:
        LauncherMismatchError: The program uses MPI, which sees only one of srun's processes.
    """
    global _warned
    place = detect_launcher()
    if place is None:
        return
    _refuse_mpi_alone(place)
    if not _warned:
        _warned = True
        warn(
            f"{place.launcher.name} started {place.size} processes, but no communication "
            f"library is initialised: each process evaluates its own shard only. To combine "
            f"them, {RECORDS[place.launcher.backend].advice}; if this is meant, pass "
            'dist_backend="non_dist".',
            RuntimeWarning,
        )


def refuse_if_launched(asked: str | BaseDistBackend) -> None:
    """Raise an error if several processes run and the named backend is not initialised.

    Raises:
        LauncherMismatchError: A launcher started several processes.
    """
    place = detect_launcher()
    if place is None:
        return
    if asked == "mpi4py":
        _refuse_mpi_alone(place)
    name = repr(asked) if isinstance(asked, str) else type(asked).__name__
    record = RECORDS.get(asked) if isinstance(asked, str) else None
    advice = record.advice if record else "initialise its library before the evaluation"
    raise LauncherMismatchError(
        f"{place.launcher.name} started {place.size} processes, but dist_backend {name} is not "
        f"initialised: each process would evaluate its own samples alone. To combine them, "
        f'{advice}; if this is meant, pass dist_backend="non_dist"'
    )


def _refuse_mpi_alone(place: Launched) -> None:
    # Slurm sets its own variables in the processes of every step, but those of MPI only if both
    # use the same protocol.
    if place.launcher.name == "srun" and "mpi4py.MPI" in sys.modules:
        raise LauncherMismatchError(
            f"srun started {place.size} processes, but MPI sees a world of 1: --mpi= of srun must "
            "name the protocol of the MPI library, pmi2 for MPICH and Intel MPI, pmix for Open MPI "
            "(`srun --mpi=list` shows what this Slurm has); if each process is meant to evaluate "
            'its own samples alone, pass dist_backend="non_dist"'
        )
