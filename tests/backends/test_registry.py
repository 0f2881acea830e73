"""The registry: names, late imports, two different errors, the automatic choice."""

import importlib
import sys
import warnings
from pathlib import Path

import pytest

from mmeval_like import Accuracy
from mmeval_like.backends import (
    BaseDistBackend,
    get_dist_backend,
    list_all_backends,
    register_backend,
    registry,
    set_default_dist_backend,
)
from mmeval_like.backends.non_dist import NonDist
from mmeval_like.backends.records import RECORDS
from mmeval_like.errors import LauncherMismatchError, MissingBackendError, UnknownBackendError
from mmeval_like.launchers import LAUNCHERS, detect_launcher
from mmeval_like.testing import LocalWorld
from tests.helpers.optional import require_installed, requires

NAMES = ["non_dist", "torch", "torch_cpu", "torch_cuda", "mpi4py", "oneflow", "paddle", "zmq"]


@pytest.fixture(autouse=True)
def a_fresh_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test registers into copies, without any launcher's variables."""
    for name in ("_registry", "_instances"):
        monkeypatch.setattr(registry, name, dict(getattr(registry, name)))
    monkeypatch.setattr(registry, "_default", None)
    monkeypatch.setattr(registry, "_warned_launcher", False)
    for launcher in LAUNCHERS:
        monkeypatch.delenv(launcher.size, raising=False)


@pytest.fixture
def only_the_core(monkeypatch: pytest.MonkeyPatch) -> None:
    """Act as a program that has imported no communication library."""
    for record in RECORDS.values():
        monkeypatch.delitem(sys.modules, record.loaded, raising=False)


def test_names_are_listed() -> None:
    """All backends are known, whether or not their libraries are installed."""
    assert list_all_backends()[: len(NAMES)] == NAMES


def test_unknown_name() -> None:
    """A name that nobody registered is a ValueError that lists the known ones."""
    with pytest.raises(UnknownBackendError, match=r"'nccl'.*non_dist, torch, .*register_backend"):
        get_dist_backend("nccl")
    with pytest.raises(ValueError, match="'nccl'"):
        set_default_dist_backend("nccl")


def test_missing_package_is_another_error() -> None:
    """A known name whose library is not there is an ImportError with the pip command."""
    register_backend("mpi4py", "no_such_package_of_ours:Class")

    with pytest.raises(MissingBackendError, match=r"pip install 'mmeval-like\[mpi\]'") as caught:
        get_dist_backend("mpi4py")

    assert isinstance(caught.value, ImportError)
    assert "no_such_package_of_ours" in str(caught.value)


def test_package_without_its_library_is_missing_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What mpi4py raises without an MPI library is no ImportError, but means the same."""
    (tmp_path / "broken_library.py").write_text("raise RuntimeError('cannot load MPI library')")
    monkeypatch.syspath_prepend(tmp_path)
    register_backend("broken", "broken_library:Class")

    with pytest.raises(MissingBackendError, match="cannot load MPI library"):
        get_dist_backend("broken")


def test_one_instance_per_name() -> None:
    """Metrics that name the same backend talk over the same one; registering again replaces it."""
    first = get_dist_backend("non_dist")
    assert get_dist_backend("non_dist") is first

    register_backend("non_dist", NonDist)
    assert get_dist_backend("non_dist") is not first


def test_instance_is_its_own_backend() -> None:
    """An instance can be given wherever a name can."""
    backend = LocalWorld(2).backends[1]

    assert get_dist_backend(backend) is backend


@pytest.mark.parametrize("backend", [object, "module_without_class", ":Class", NonDist()])
def test_nonsense_is_not_registered(backend: object) -> None:
    """Only a class of backends, or "module:Class", has a name."""
    with pytest.raises((TypeError, ValueError), match="backend must"):
        register_backend("nonsense", backend)

    assert "nonsense" not in list_all_backends()


def test_backend_of_ones_own() -> None:
    """A registered class is used under its name, also as the default."""

    class Mine(NonDist):
        pass

    register_backend("mine", Mine)
    set_default_dist_backend("mine")

    assert type(get_dist_backend()) is Mine
    set_default_dist_backend(None)
    assert type(get_dist_backend()) is not Mine


def test_installed_packages_add_backends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that is merely installed offers its backend by an entry point."""
    (tmp_path / "my_network.py").write_text(
        "from mmeval_like.backends.non_dist import NonDist\nclass MyDist(NonDist): pass\n"
    )
    info = tmp_path / "my_network-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-network\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[mmeval_like.backends]\nmine = my_network:MyDist\n")
    monkeypatch.syspath_prepend(tmp_path)

    assert "mine" in list_all_backends()
    assert type(get_dist_backend("mine")).__name__ == "MyDist"


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


class _MembersOnly(BaseDistBackend):
    """A backend of the five members, alone."""

    is_initialized, rank, world_size = True, 0, 1

    def all_gather_object(self, obj: object) -> list[object]:
        """Return this rank's object."""
        return [obj]

    def broadcast_object(self, obj: object, src: int = 0) -> object:
        """Return the object."""
        return obj


def test_a_backend_that_needs_arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A function that gives them is registered; the class itself is refused with this advice."""

    class Needy(NonDist):
        def __init__(self, library: str) -> None:
            self.library = library

    with pytest.raises(TypeError, match=r"Needy\(\) lacks .*'library'.*lambda: Needy\(\.\.\.\)"):
        register_backend("needy", Needy)
    register_backend("needy", lambda: Needy("the network"))
    assert get_dist_backend("needy").library == "the network"

    (tmp_path / "needy_network.py").write_text(
        "from mmeval_like.backends.non_dist import NonDist\n"
        "class NeedyDist(NonDist):\n"
        "    def __init__(self, library): pass\n"
        "def connect(): return NeedyDist('the network')\n"
        "def forgets(): connect()\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    register_backend("far", "needy_network:connect")
    assert type(get_dist_backend("far")).__name__ == "NeedyDist"
    register_backend("far", "needy_network:NeedyDist")
    with pytest.raises(TypeError, match="lambda: NeedyDist"):
        get_dist_backend("far")
    register_backend("far", "needy_network:forgets")
    with pytest.raises(TypeError, match="'far' is made as None, which is no backend"):
        get_dist_backend("far")
    register_backend("far", "needy_network:NedyDist")
    with pytest.raises(MissingBackendError, match="has no NedyDist; did you mean NeedyDist"):
        get_dist_backend("far")


@pytest.mark.parametrize("name", RECORDS)
def test_records_say_what_exists(name: str) -> None:
    """Where a backend's library is installed, its record leads to its class."""
    record = RECORDS[name]
    if record.module:
        require_installed(record.module)
    if name == "oneflow":
        pytest.skip("importing OneFlow initialises it")

    backend = get_dist_backend(name)

    assert f"{type(backend).__module__}:".startswith(record.target.partition(":")[0])
    assert type(backend).__name__ == record.target.partition(":")[2]
    assert bool(record.install) == bool(record.module)
    assert record.loaded in ("", *sys.modules)


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
