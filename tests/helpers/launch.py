"""Real processes for tests: start a program on n ranks, and never wait for ever."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mmeval_like.backends.records import RECORDS
from tests.helpers.pace import in_time, patient
from tests.helpers.spawn import free_port

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent

# A launched program must see only its own launcher's variables, whatever started the tests.
_INHERITED = re.compile(
    r"(OMPI|PMIX|PRTE|PRRTE|PMI|HYDRA|HYDI|MPI|MPIR|SLURM|TORCHELASTIC|PADDLE|GLOG|MMEVAL_LIKE)_"
    r"|(GROUP_|ROLE_|LOCAL_)?(RANK|WORLD_SIZE)$|(GROUP|ROLE)_|MASTER_(ADDR|PORT)$"
)
# Open MPI 4 and 5 as root, with more ranks than cores; MPICH needs nothing and ignores these.
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
_ALWAYS = AS_ROOT | {
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "OMP_NUM_THREADS": "1",
    "PYTHONPATH": str(ROOT),
    "PYTHONUNBUFFERED": "1",
}


class LaunchError(AssertionError):
    """The program did not end well on all ranks; the text holds what every rank printed."""


@dataclass(frozen=True)
class Ranks:
    """What a launch left behind.

    Attributes:
        returncode: The launcher's exit code; None when its time was over.
        stdout: What each rank printed, by rank ("" for a rank that never started).
        stderr: The same for errors; after a timeout the stacks of the ranks are at the end.
        launcher_output: What the launcher itself printed.
        outlived: The ranks that were still running when the launcher had ended.
        seconds: The time from start to end.
    """

    returncode: int | None
    stdout: list[str]
    stderr: list[str]
    launcher_output: str
    outlived: list[int]
    seconds: float

    def __str__(self) -> str:
        """Everything, in the order in which a person looks for the cause."""
        ended = "its time was over" if self.returncode is None else f"exit code {self.returncode}"
        parts = [f"{ended} after {self.seconds:.1f} s"]
        for rank, texts in enumerate(zip(self.stdout, self.stderr, strict=True)):
            for name, text in zip(("stdout", "stderr"), texts, strict=True):
                parts += [f"--- rank {rank}, {name}", text[-6000:]] if text.strip() else []
        parts += ["--- launcher", self.launcher_output[-4000:]]
        return "\n".join(parts)


def run_ranks(
    launcher: str,
    size: int,
    *program: str | Path,
    timeout: float = 180.0,
    env: Mapping[str, str] | None = None,
    check: bool = True,
) -> Ranks:
    """Run a program on `size` ranks and wait for it.

    Args:
        launcher: "mpiexec", "torchrun", "oneflow", "paddle", or "plain" (torchrun's variables, no
            library).
        size: The number of ranks.
        program: What would follow `python` on a command line: a script or "-m", then arguments.
        timeout: Seconds until all ranks print their stacks and are killed; more on a busy machine.
        env: More environment variables for the ranks.
        check: Whether a bad end raises; with False it is only reported.

    Raises:
        LaunchError: The exit code was not 0, or the time was over.
    """
    __tracebackhide__ = True  # the error says everything; pytest need not show this function
    environment = {k: v for k, v in os.environ.items() if not _INHERITED.match(k)}
    environment |= _ALWAYS | dict(env or {})
    if launcher == "oneflow":
        environment["AWAIT_MASTER"] = "1"
    with tempfile.TemporaryDirectory(prefix="ranks-") as name:
        folder = Path(name)
        command = [*_launch(launcher, size, folder), HERE / "rank.py", folder, *program]
        started = time.monotonic()
        with (folder / "launcher").open("wb") as output:
            process = subprocess.Popen(
                [os.fspath(word) for word in command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=environment,
                start_new_session=True,  # one group to kill; OneFlow's launcher insists on it
            )
            try:
                returncode: int | None = _wait(process, timeout)
            except subprocess.TimeoutExpired:
                returncode = None
                _print_stacks(folder)
            finally:
                outlived = _end(process, folder)
        ranks = Ranks(
            returncode,
            [_text(folder / f"{rank}.out") for rank in range(size)],
            [_text(folder / f"{rank}.err") for rank in range(size)],
            _text(folder / "launcher"),
            outlived,
            time.monotonic() - started,
        )
    if check and returncode != 0:
        raise LaunchError(f"{launcher}, {size} ranks, {' '.join(map(str, program))}: {ranks}")
    return ranks


@cache
def mpiexec() -> str | None:
    """The mpiexec of this environment, else the one on the PATH, else None."""
    own = Path(sys.executable).with_name("mpiexec")
    return str(own) if own.exists() else shutil.which("mpiexec")


def _launch(launcher: str, size: int, folder: Path) -> list[str]:
    if launcher == "plain":
        return [sys.executable, str(HERE / "spawn.py"), str(size)]
    backend = {"mpiexec": "mpi4py", "torchrun": "torch"}.get(launcher, launcher)
    return RECORDS[backend].launch_command(size, free_port(), str(folder / "logs"))


def _wait(process: subprocess.Popen[bytes], seconds: float) -> int:
    """Wait for some seconds, and on a busy machine for what it needs for them now."""
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return process.wait(patient(seconds) - seconds)


def _print_stacks(folder: Path) -> None:
    """Ask every rank for its stacks, and give the slowest two seconds to write them."""
    asked = []
    for rank, pid in _pids(folder).items():
        if alive(pid):
            errors = folder / f"{rank}.err"
            asked.append((errors, errors.stat().st_size))
            os.kill(pid, signal.SIGUSR1)
    in_time(lambda: all(errors.stat().st_size > before for errors, before in asked), 2)


def _end(process: subprocess.Popen[bytes], folder: Path) -> list[int]:
    """Kill whatever is left of a launch; return the ranks that were left without a launcher."""
    launcher_ended = process.poll() is not None
    pids = _pids(folder)
    if launcher_ended:  # it may end while its ranks are still ending
        in_time(lambda: not any(map(alive, pids.values())), 2)
    outlived = [rank for rank, pid in pids.items() if launcher_ended and alive(pid)]
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    for pid in pids.values():  # some launchers give each rank a group of its own
        if alive(pid):
            os.kill(pid, signal.SIGKILL)
    process.wait()
    while any(alive(pid) for pid in pids.values()):
        time.sleep(0.01)
    return outlived


def _pids(folder: Path) -> dict[int, int]:
    return {int(file.stem): int(file.read_text() or 0) for file in sorted(folder.glob("*.pid"))}


def alive(pid: int) -> bool:
    """Whether this process is still running (a zombie, whom nobody has asked yet, is not)."""
    if pid == 0:  # the rank has not written it yet
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    try:
        return state.read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return not Path("/proc/self").exists()


def _text(file: Path) -> str:
    return file.read_text(errors="replace") if file.exists() else ""
