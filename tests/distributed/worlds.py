"""The worlds of real processes that the laws run in: the next backend is one more row."""

import json
import tempfile
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from tests.helpers.launch import LaunchError, run_ranks
from tests.helpers.results import record_versions

WORKER = Path(__file__).with_name("worker.py")
SIZES = (1, 2, 3, 4)


@dataclass(frozen=True)
class World:
    """One way to start ranks that talk through one backend.

    Attributes:
        backend: The registered name.
        launcher: A launcher of `tests.helpers.launch.run_ranks`.
        packages: What must be installed.
        variants: The libraries that can be behind the name; the worker says which one it met.
        sizes: The numbers of ranks.
    """

    backend: str
    launcher: str
    packages: tuple[str, ...] = ()
    variants: tuple[str, ...] = ("",)
    sizes: tuple[int, ...] = SIZES

    def title(self, variant: str) -> str:
        """The heading of this world in the support matrix."""
        return f"{', '.join(filter(None, (self.backend, variant)))} ({self.launcher})"

    @staticmethod
    def column(size: int) -> str:
        """The heading of this world's column in the support matrix."""
        return f"{size} rank{'s' if size > 1 else ''}"


WORLDS = (
    World("non_dist", "plain", sizes=(1,)),
    World("mpi4py", "mpiexec", ("mpi4py", "mpiexec"), variants=("MPICH", "Open MPI")),
    World("torch", "torchrun", ("torch",), variants=("gloo",)),
    World("torch_cuda", "torchrun", ("torch", "nvidia-smi"), variants=("nccl",), sizes=(1,)),
    World("oneflow", "oneflow", ("oneflow",)),
    World("paddle", "paddle", ("paddle",), variants=("gloo",)),
    World("zmq", "plain", ("zmq",)),
)


@dataclass
class Report:
    """What the ranks of one launch found.

    Attributes:
        variant: The library that was met.
        laws: For each law that was reached, one entry per rank: its outcome and the reason.
        crash: What the launch printed when it did not end well.
    """

    variant: str = ""
    laws: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    crash: str = ""


@cache
def run_world(world: World, size: int) -> Report:
    """Start the ranks once, and let them run every law."""
    report = Report()
    with tempfile.TemporaryDirectory(prefix="report-") as folder:
        try:
            env = {"MMEVAL_LIKE_SECRET": "a secret of the tests"}  # for zmq
            run_ranks(world.launcher, size, WORKER, world.backend, folder, timeout=120, env=env)
        except LaunchError as error:
            report.crash = str(error)
        for file in sorted(Path(folder).glob("*.jsonl")):
            for line in map(json.loads, file.read_text().splitlines()):
                if "versions" in line:
                    report.variant = line["variant"]
                    if file.stem == "0":
                        record_versions(line["versions"])
                else:
                    outcome = line["outcome"], line["reason"]
                    report.laws.setdefault(line["law"], []).append(outcome)
    return report
