"""The automatic choice of a backend, and what is said where a launcher's ranks would not meet."""

import importlib
import os
import subprocess
import sys
import warnings

import pytest

from mmeval_like import Accuracy
from mmeval_like._base.launchers import LAUNCHERS, detect_launcher
from mmeval_like.backends import (
    BaseDistBackend,
    get_dist_backend,
    register_backend,
    registry,
    set_default_dist_backend,
)
from mmeval_like.backends.non_dist import NonDist
from mmeval_like.backends.records import RECORDS
from mmeval_like.errors import LauncherMismatchError
from mmeval_like.testing import LocalWorld
from tests.helpers.optional import require_installed, requires

pytestmark = pytest.mark.usefixtures("a_fresh_registry")


class _MembersOnly(BaseDistBackend):
    """A backend of the five members, alone."""

    is_initialized, rank, world_size = True, 0, 1

    def all_gather_object(self, obj: object) -> list[object]:
        """Return this rank's object."""
        return [obj]

    def broadcast_object(self, obj: object, src: int = 0) -> object:
        """Return the object."""
        return obj


def test_alone_without_anything(only_the_core: None) -> None:
    """A plain program is a world of its own, without a warning."""
    backend = get_dist_backend()

    assert (type(backend), backend.rank, backend.world_size) == (NonDist, 0, 1)
    assert not backend.is_initialized


def test_first_initialised_library_is_chosen(
    only_the_core: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Among the libraries that the program has imported, one that is initialised is taken."""
    idle, ready = NonDist(), LocalWorld(2).backends[0]
    monkeypatch.setitem(sys.modules, "torch.distributed", sys)
    monkeypatch.setitem(sys.modules, "oneflow", sys)
    registry._instances.update(torch=idle, oneflow=ready)

    assert get_dist_backend() is ready


@pytest.mark.parametrize("launcher", LAUNCHERS, ids=lambda launcher: launcher.name)
def test_launcher_without_a_library_warns_once(
    launcher: object, only_the_core: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four processes that do not know of each other are told so, once, and what to do."""
    monkeypatch.setenv(launcher.rank, "1")
    monkeypatch.setenv(launcher.size, "4")

    with pytest.warns(RuntimeWarning, match="started 4 processes") as caught:
        backend = get_dist_backend()

    assert isinstance(backend, NonDist)
    assert RECORDS[launcher.backend].advice in str(caught[0].message)
    assert 'dist_backend="non_dist"' in str(caught[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        get_dist_backend()


@pytest.mark.parametrize("way", ["by name", "by default", "as an instance"])
def test_a_library_that_was_asked_for_and_is_idle_is_an_error(
    way: str, only_the_core: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who asks for a backend does not get the numbers of one process; nothing added is lost."""
    register_backend("idle", type("Idle", (_MembersOnly,), {"is_initialized": False}))
    metric = Accuracy(dist_backend="idle" if way == "by name" else None)
    if way == "by default":
        set_default_dist_backend("idle")
    if way == "as an instance":
        metric.dist_backend = get_dist_backend("idle")
    metric.add([1, 0], [1, 1])
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "4")

    with pytest.raises(LauncherMismatchError, match=r"torchrun started 4 .*dist_backend.*[iI]dle"):
        metric.compute()

    monkeypatch.setenv("WORLD_SIZE", "1")
    assert metric.compute() == {"top1": 0.5}
    metric.dist_backend = NonDist()
    monkeypatch.setenv("WORLD_SIZE", "4")
    assert metric.compute() == {"top1": 0.5}


def test_variables_of_another_launcher_are_no_zmq_group(
    only_the_core: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The automatic choice passes over a zmq group without a secret; its name is an error."""
    requires("zmq")
    importlib.import_module("mmeval_like.backends.zmq")
    for name, value in {"RANK": "1", "WORLD_SIZE": "4", "MMEVAL_LIKE_SECRET": ""}.items():
        monkeypatch.setenv(name, value)

    with pytest.warns(RuntimeWarning, match="started 4 processes"):
        assert isinstance(get_dist_backend(), NonDist)
    with pytest.raises(ValueError, match="zmq group"):
        get_dist_backend("zmq")


@pytest.mark.parametrize("value", ["1", "", "many", "-2"])
def test_one_process_is_no_launch(
    value: str, only_the_core: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A launcher of one process, or a variable that is no number, needs no warning."""
    monkeypatch.setenv("RANK", "0")
    monkeypatch.setenv("WORLD_SIZE", value)

    assert detect_launcher() is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        get_dist_backend()


def test_naming_non_dist_is_silent(only_the_core: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Evaluation on one rank alone says so by name."""
    monkeypatch.setenv("RANK", "0")
    monkeypatch.setenv("WORLD_SIZE", "4")
    with warnings.catch_warnings():
        warnings.simplefilter("error")

        assert isinstance(get_dist_backend("non_dist"), BaseDistBackend)


def test_slurm_counts_the_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step's tasks are processes; an allocation's are not. "4(x2)" is 4 on each of 2 nodes."""
    monkeypatch.setenv("SLURM_NTASKS", "8")
    monkeypatch.setenv("SLURM_PROCID", "0")
    assert detect_launcher() is None

    monkeypatch.setenv("SLURM_PROCID", "5")
    monkeypatch.setenv("SLURM_STEP_NUM_TASKS", "8")
    monkeypatch.setenv("SLURM_LOCALID", "1")
    monkeypatch.setenv("SLURM_STEP_TASKS_PER_NODE", "4(x2)")
    place = detect_launcher()

    assert place is not None
    assert (place.rank, place.size, place.local_rank, place.local_size) == (5, 8, 1, 4)


@pytest.mark.parametrize("backend", [None, "mpi4py"])
def test_a_step_whose_mpi_is_alone_is_refused(backend: str | None) -> None:
    """By srun with another protocol than the MPI library's, every process is a world of its own."""
    require_installed("mpi4py", "mpiexec")
    program = (
        "import mpi4py.MPI, mmeval_like as mm\n"
        f"metric = mm.Accuracy(dist_backend={backend!r})\n"
        "metric.add([1], [1])\n"
        "metric.compute()\n"
    )
    step = {"SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "2"}

    done = subprocess.run(
        [sys.executable, "-c", program], env=os.environ | step, capture_output=True, text=True
    )

    last = done.stderr.splitlines()[-1]
    assert "LauncherMismatchError: srun started 2 processes, but MPI sees a world of 1" in last
    assert "--mpi=" in last
