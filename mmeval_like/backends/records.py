"""Facts about each backend that are known before its import; a new backend adds one record."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from mmeval_like._base.start import START
from mmeval_like.backends import forks

__all__ = ["RECORDS", "Record"]


@dataclass(frozen=True)
class Record:
    """One backend.

    Attributes:
        target: Its class, as "module:Class"; imported when the backend is first used.
        module: The module whose presence shows that its library is installed; "" for none.
        install: The command that installs the library.
        install_for: By the name of a shared library, the command to use instead if the system has
            this library.
        loaded: The module whose presence in `sys.modules` shows that the program itself uses the
            library, so that it may be chosen automatically; "" for never. Importing a library just
            to check would have side effects (importing OneFlow initialises it and rewrites the
            environment).
        group: Returns, given that module, the object that identifies the group of processes, or
            None before there is a group; a forked process must not use its parent's group. MPI and
            OneFlow have one group from their import on, which is never replaced.
        launch: The command that starts a Python program on local ranks, with the fields
            `{python}`, `{start}` (runs a module), `{ranks}`, `{port}` (free, for rank 0) and
            `{folder}` (for logs).
        advice: What a program must do before it can communicate.
    """

    target: str
    module: str = ""
    install: str = ""
    install_for: Mapping[str, str] = field(default_factory=dict)
    loaded: str = ""
    group: Callable[[Any], Any] | None = None
    launch: tuple[str, ...] = ()
    advice: str = ""

    def launch_command(self, ranks: int, port: int, folder: str) -> list[str]:
        """Return the launcher's command line, to be followed by a program and its arguments.

        A launcher in this Python's environment is preferred to one on the PATH.
        """
        fields = {"ranks": ranks, "port": port, "folder": folder}
        fields |= {"python": sys.executable, "start": START}
        program, *words = [word.format(**fields) for word in self.launch]
        own = Path(sys.executable).parent / program
        return [str(own) if own.exists() else program, *words]


# The wheels of mpi4py load libmpi.so.12 or libmpi.so.40; Debian's MPICH is libmpich.so.12.
_SYSTEM_MPI = {
    "mpich": "apt-get install libmpich-dev && pip install --force-reinstall --no-cache-dir "
    "--no-binary mpi4py mpi4py",
    "mpi": "pip install mpi4py",
}

_TORCH = Record(
    target="mmeval_like.backends.torch:TorchDist",
    module="torch",
    install="pip install 'mmeval-like[torch]'",
    loaded="torch.distributed",
    group=lambda dist: dist.group.WORLD if dist.is_available() else None,
    launch=(
        *("{python}", "{start}", "torch.distributed.run", "--standalone"),
        *("--nproc-per-node", "{ranks}"),
    ),
    advice="call torch.distributed.init_process_group() before the evaluation",
)

# The order is that of the automatic choice.
RECORDS: dict[str, Record] = {
    "non_dist": Record(target="mmeval_like.backends.non_dist:NonDist"),
    "torch": _TORCH,
    "torch_cpu": replace(_TORCH, target="mmeval_like.backends.torch:TorchCPUDist", loaded=""),
    "torch_cuda": replace(_TORCH, target="mmeval_like.backends.torch:TorchCUDADist", loaded=""),
    "mpi4py": Record(
        target="mmeval_like.backends.mpi4py:MPI4PyDist",
        module="mpi4py",
        install="pip install 'mmeval-like[mpi]'",
        install_for=_SYSTEM_MPI,
        loaded="mpi4py.MPI",
        group=lambda module: module,
        launch=("mpiexec", "-n", "{ranks}", "{python}"),
        advice='import mpi4py.MPI before the evaluation or pass dist_backend="mpi4py"',
    ),
    "oneflow": Record(
        target="mmeval_like.backends.oneflow:OneFlowDist",
        module="oneflow",
        install="pip install 'mmeval-like[oneflow]' (under Python 3.10)",
        loaded="oneflow",
        group=lambda module: module,
        launch=(
            *("{python}", "{start}", "oneflow.distributed.launch"),
            *("--nproc_per_node", "{ranks}", "--master_port", "{port}"),
        ),
        advice="start it by python -m oneflow.distributed.launch",
    ),
    "paddle": Record(
        target="mmeval_like.backends.paddle:PaddleDist",
        module="paddle",
        install="pip install paddlepaddle",
        loaded="paddle.distributed",
        group=lambda dist: dist.get_group(0) if dist.is_initialized() else None,
        launch=(
            *("{python}", "{start}", "paddle.distributed.launch"),
            *("--nproc_per_node", "{ranks}", "--log_dir", "{folder}"),
        ),
        advice="call paddle.distributed.init_parallel_env() before the evaluation",
    ),
    # It has no launcher of its own: `mmeval_like score -n 4` starts its ranks.
    "zmq": Record(
        target="mmeval_like.backends.zmq:ZmqDist",
        module="zmq",
        install="pip install 'mmeval-like[zmq]'",
        loaded="mmeval_like.backends.zmq",
        advice="give every rank its place and the secret, see docs/backends/zmq.md",
    ),
}

for _record in RECORDS.values():
    if _record.loaded and _record.group is not None:
        forks.watch(_record.loaded, _record.group)
