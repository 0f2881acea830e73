"""The registry of backends: names, late imports, classes of one's own."""

import sys
from pathlib import Path

import pytest

from mmeval_like.backends import (
    get_dist_backend,
    list_all_backends,
    register_backend,
    set_default_dist_backend,
)
from mmeval_like.backends.non_dist import NonDist
from mmeval_like.backends.records import RECORDS
from mmeval_like.errors import MissingBackendError, UnknownBackendError
from mmeval_like.testing import LocalWorld
from tests.helpers.optional import require_installed

pytestmark = pytest.mark.usefixtures("a_fresh_registry")


NAMES = ["non_dist", "torch", "torch_cpu", "torch_cuda", "mpi4py", "oneflow", "paddle", "zmq"]


def test_names_are_listed() -> None:
    """All backends are known, whether or not their libraries are installed."""
    assert list_all_backends()[: len(NAMES)] == NAMES


def test_unknown_name() -> None:
    """A name that nobody registered is a ValueError that lists the known ones."""
    with pytest.raises(UnknownBackendError, match=r"'nccl'.*non_dist, torch, .*register_backend"):
        get_dist_backend("nccl")
    with pytest.raises(UnknownBackendError, match=r"'gloo'.*adds one; did you mean torch\?$"):
        get_dist_backend("gloo")
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


def test_a_backend_that_needs_arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A function that gives them is registered; the class itself is refused with this advice."""

    class Needy(NonDist):
        def __init__(self, library: str) -> None:
            self.library = library

    with pytest.raises(TypeError, match=r"Needy\(\) needs .*'library'.*lambda: Needy\(\.\.\.\)"):
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
    with pytest.raises(TypeError, match="'far' is None, which is not a backend"):
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
