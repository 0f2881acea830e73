"""Starting this program on several local ranks, and ending them all together."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from mmeval_like._base.launchers import detect_launcher
from mmeval_like._base.start import START
from mmeval_like.backends import BaseDistBackend, get_dist_backend, install_command
from mmeval_like.backends.records import RECORDS
from mmeval_like.cli.doctor import is_installed
from mmeval_like.cli.errors import BAD_INPUT, FAILED, INTERRUPTED, InputError
from mmeval_like.dist import init_dist, init_process_group

__all__ = ["FILES", "LAUNCHED", "connect", "leave", "run_ranks"]

LAUNCHED = "MMEVAL_LIKE_LAUNCHED"  # set for the ranks: the backend that they use
FILES = "MMEVAL_LIKE_FILES"  # set for the ranks: the files to read, as JSON
_PIPE = "MMEVAL_LIKE_PARENT"  # the path of a pipe that closes when the parent ends
_CODES = "MMEVAL_LIKE_CODES"  # the folder where ranks of a launcher leave their exit codes
_PATIENCE = 5.0  # seconds between asking a rank to exit and killing it

# The launcher of this program must not be mistaken for the launcher of its ranks. What a user lets
# Open MPI do, to start ranks as root, holds for both.
_INHERITED = re.compile(
    r"(?!OMPI_ALLOW_RUN_AS_ROOT)(OMPI|PMIX|PRTE|PMI|HYDRA|HYDI|MPI|SLURM|TORCHELASTIC|PADDLE)_|MASTER_(ADDR|PORT)$"
    r"|(GROUP_|ROLE_|LOCAL_)?(RANK|WORLD_SIZE)$|(GROUP|ROLE)_(RANK|NAME|WORLD_SIZE)$"
)


def connect() -> BaseDistBackend:
    """Return the connected backend of the ranks that were started with this process.

    `run_ranks` sets it for its ranks; otherwise it follows from the launcher's variables.
    """
    named = os.environ.get(LAUNCHED)
    if _PIPE in os.environ:
        _end_with_parent()
    place = detect_launcher()
    if named is None and place is None:
        return get_dist_backend("non_dist")
    name = named or ("mpi4py" if place and place.launcher.backend == "mpi4py" else "torch")
    if name == "torch":
        slurm = place is not None and place.launcher.name == "srun"
        init_dist("slurm" if slurm else "pytorch", "gloo")
    else:
        init_process_group(name)
    return get_dist_backend(name)


def leave(code: int) -> int:
    """Leave the group of ranks, once all ranks have finished; return the exit code.

    Launchers do not return the exit codes of their ranks, and print long messages about them. If
    this program started the launcher, the ranks therefore report their exit codes in files.
    """
    torch = sys.modules.get("torch.distributed")
    if torch is not None and torch.is_available() and torch.is_initialized():
        torch.destroy_process_group()  # otherwise a rank that ends late may abort
    if _CODES not in os.environ:
        return code
    Path(os.environ[_CODES], str(os.getpid())).write_text(str(code), encoding="ascii")
    return 0


def run_ranks(
    arguments: Sequence[str],
    ranks: int,
    backend: str,
    files: Sequence[Sequence[str]],
    failed: int = FAILED,
) -> int:
    """Run `mmeval_like ARGUMENTS` on local ranks, and return the exit code.

    The ranks read `files` instead of the files in the arguments, since compressed files were
    unpacked.

    If one rank fails, or this process is interrupted, all other ranks are terminated.

    Args:
        arguments: The arguments of the command.
        ranks: The number of ranks.
        backend: The backend of the ranks.
        files: The files of each system; `score` has one system.
        failed: The exit code if a rank failed.

    Raises:
        InputError: The system is Windows, or the backend's library or launcher is missing.
    """
    if not hasattr(os, "mkfifo"):
        raise InputError(
            "-n cannot start ranks on Windows; leave it out, start the ranks with mpiexec, or use "
            "WSL"
        )
    if not is_installed(backend):
        raise InputError(f"--backend {backend} is not installed: {install_command(backend)}")
    environment = {k: v for k, v in os.environ.items() if not _INHERITED.match(k)}
    environment[LAUNCHED] = backend
    environment[FILES] = json.dumps([list(paths) for paths in files])
    environment.setdefault("OMP_NUM_THREADS", "1")  # the ranks share the cores
    # Open MPI 4 and 5: allow more ranks than cores.
    environment["OMPI_MCA_rmaps_base_oversubscribe"] = "1"
    environment["PRTE_MCA_rmaps_default_mapping_policy"] = ":oversubscribe"
    with _reserved_port() as port, tempfile.TemporaryDirectory() as folder, _pipe() as pipe:
        environment[_PIPE] = pipe
        if backend == "zmq":
            return _wait(_start_plain(arguments, ranks, port, environment), failed)
        launcher = RECORDS[backend].launch_command(ranks, port, folder)
        if shutil.which(launcher[0]) is None:
            raise InputError(f"--backend {backend} needs {launcher[0]}; {install_command(backend)}")
        command = [*launcher, START, "mmeval_like", *arguments]
        environment[_CODES] = folder
        started = subprocess.Popen(command, env=environment, start_new_session=True)
        code = _wait([started], failed)
        if code not in (0, BAD_INPUT, INTERRUPTED):  # the launcher's own code, for any failure
            code = failed
        return max([code, *(int(file.read_text()) for file in Path(folder).iterdir())])


def _start_plain(
    arguments: Sequence[str], ranks: int, port: int, environment: dict[str, str]
) -> list[subprocess.Popen[bytes]]:
    shared = environment | {
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
        "WORLD_SIZE": str(ranks),
        "LOCAL_WORLD_SIZE": str(ranks),
        "MMEVAL_LIKE_SECRET": secrets.token_urlsafe(32),
    }
    command = [sys.executable, START, "mmeval_like", *arguments]
    return [
        subprocess.Popen(
            command,
            env=shared | {"RANK": str(rank), "LOCAL_RANK": str(rank)},
            start_new_session=True,
        )
        for rank in range(ranks)
    ]


def _wait(processes: list[subprocess.Popen[bytes]], failed: int) -> int:
    """Wait for all processes; end the others if one fails. Return the worst exit code."""
    alive = list(enumerate(processes))
    try:
        while alive:
            for rank, process in alive:
                code = process.poll()
                if code is None:
                    continue
                alive = [pair for pair in alive if pair[1] is not process]
                if code < 0:
                    name = signal.Signals(-code).name
                    who = f"rank {rank}" if len(processes) > 1 else "the launcher"
                    print(f"mmeval_like: {who} was killed by {name}", file=sys.stderr)
                    return failed
                if code > 0:
                    # The other ranks receive the error in a message, and exit with the same code.
                    _grace(alive)
                    return _code(processes) or failed
            time.sleep(0.01)
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        _end([process for _, process in alive])
    return 0


def _grace(alive: list[tuple[int, subprocess.Popen[bytes]]]) -> None:
    until = time.monotonic() + _PATIENCE
    while any(process.poll() is None for _, process in alive) and time.monotonic() < until:
        time.sleep(0.01)


def _code(processes: list[subprocess.Popen[bytes]]) -> int:
    return max(process.returncode or 0 for process in processes)


def _end(processes: list[subprocess.Popen[bytes]]) -> None:
    for process in processes:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
    until = time.monotonic() + _PATIENCE
    for process in processes:
        try:
            process.wait(max(0.0, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _end_with_parent() -> None:
    """Let this process end when its parent ends; end at once if it has ended.

    On Linux a signal ends it, also where a library holds Python's lock: a rank in `MPI_Init` waits
    there for the others, which may have ended before they came to it.
    """
    try:
        pipe = os.open(os.environ[_PIPE], os.O_RDONLY | os.O_NONBLOCK)  # also without a writer
    except FileNotFoundError:
        os._exit(FAILED)
    if sys.platform == "linux":
        import fcntl

        fcntl.fcntl(pipe, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(pipe, fcntl.F_SETFL, os.O_NONBLOCK | os.O_ASYNC)  # SIGIO ends a process
    try:
        os.read(pipe, 1)  # returns when the last writer, the parent, has ended
        os._exit(FAILED)
    except BlockingIOError:
        os.set_blocking(pipe, True)
    threading.Thread(target=_end_after, args=(pipe,), daemon=True).start()


def _end_after(pipe: int) -> None:
    os.read(pipe, 1)
    os._exit(FAILED)


@contextmanager
def _pipe() -> Iterator[str]:
    """Yield the path of a pipe that is never written to, and closes when this process ends.

    It has a name, since launchers do not pass on open file descriptors.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "parent")
        os.mkfifo(path)
        end = os.open(path, os.O_RDWR)
        try:
            yield path
        finally:
            os.close(end)


@contextmanager
def _reserved_port() -> Iterator[int]:
    """Yield a TCP port for the ranks, reserved so that no other process gets it.

    Without the reservation, any program that asks for a free port could get this one before rank 0
    listens. With OneFlow, whose servers share ports, the ranks would then connect to the wrong
    program without an error.
    """
    with socket.socket() as holder:
        # ZeroMQ can listen on a bound port if both ask for the first option, gRPC by the second.
        for option in (socket.SO_REUSEADDR, socket.SO_REUSEPORT):
            holder.setsockopt(socket.SOL_SOCKET, option, 1)
        holder.bind(("", 0))
        yield int(holder.getsockname()[1])
