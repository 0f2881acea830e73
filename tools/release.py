"""Build what a release consists of, with the same bytes in every folder and at any time.

The sources are those of the last commit: `dist/` gets the wheel and the source distribution, and
`build/release/` the software bill of materials (CycloneDX) and the SHA-256 of every file.

Usage: python -m tools.release
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LARGEST = 1_750_000  # bytes of the wheel
BUILD = "import sys; from setuptools import build_meta as b; getattr(b, sys.argv[1])(sys.argv[2])"


def normalise(tree: Path, epoch: int) -> None:
    """Give every file and folder the same mode and time on every machine."""
    for path in (tree, *tree.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
        os.utime(path, (epoch, epoch))


def normalised_member(member: tarfile.TarInfo, epoch: int) -> tarfile.TarInfo:
    """Return a member of an archive without the owner, mode and time that it was built with."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mode = 0o755 if member.isdir() else 0o644
    member.mtime = epoch
    member.pax_headers = {}
    return member


def repack(sdist: Path, epoch: int) -> None:
    """Write an archive anew, its members sorted and normalised: setuptools does neither."""
    packed = io.BytesIO()
    with (
        tarfile.open(sdist) as old,
        gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=epoch) as stream,
        tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as new,
    ):
        for member in sorted(old.getmembers(), key=lambda member: member.name):
            new.addfile(normalised_member(member, epoch), old.extractfile(member))
    sdist.write_bytes(packed.getvalue())


def build(sources: Path, epoch: int, folder: Path) -> list[Path]:
    """Build the source distribution and the wheel of a folder of sources.

    Args:
        sources: The folder. It stays as it is.
        epoch: The time that all files get, in seconds since 1970.
        folder: Where the two files are written.

    Returns:
        The paths of the source distribution and of the wheel.
    """
    folder.mkdir(parents=True, exist_ok=True)
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(epoch), "PYTHONHASHSEED": "0"}
    with tempfile.TemporaryDirectory() as place:
        tree = Path(place, "sources")
        shutil.copytree(sources, tree)
        normalise(tree, epoch)
        for hook in ("build_sdist", "build_wheel"):
            command = [sys.executable, "-c", BUILD, hook, str(folder.resolve())]
            subprocess.run(
                command, cwd=tree, env=environment, umask=0o022, check=True, capture_output=True
            )
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    repack(sdist, epoch)
    return [sdist, wheel]


def sha256(file: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def last_commit(folder: Path) -> int:
    """Unpack the sources of the last commit into a folder, and return the commit's time."""
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True)
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as sources:
        sources.extractall(folder, filter="data")
    time = ["git", "log", "-1", "--format=%ct"]
    return int(subprocess.run(time, cwd=ROOT, check=True, capture_output=True).stdout)


def main() -> None:
    """Build the release twice, compare, and write the bill of materials and the digests."""
    from tools.materials import bill_of_materials  # needs a library that the tests do without

    for folder in ("dist", "build/release"):
        shutil.rmtree(ROOT / folder, ignore_errors=True)
    with tempfile.TemporaryDirectory() as place:
        epoch = last_commit(Path(place, "sources"))
        files = build(Path(place, "sources"), epoch, ROOT / "dist")
        again = build(Path(place, "sources"), epoch, Path(place, "again"))
        differ = [
            file.name
            for file, other in zip(files, again, strict=True)
            if file.read_bytes() != other.read_bytes()
        ]
    if differ:
        raise SystemExit(f"two builds of the same commit differ: {', '.join(differ)}")
    sdist, wheel = files
    if (size := wheel.stat().st_size) > LARGEST:
        raise SystemExit(f"{wheel.name} has {size:,} bytes; at most {LARGEST:,} are allowed")
    beside = ROOT / "build" / "release"
    beside.mkdir(parents=True)
    materials = beside / f"{wheel.name.removesuffix('-py3-none-any.whl')}.cdx.json"
    materials.write_text(bill_of_materials(wheel, sdist, epoch), encoding="utf-8")
    digests = "".join(f"{sha256(file)}  {file.name}\n" for file in (*files, materials))
    (beside / "SHA256SUMS").write_text(digests, encoding="utf-8")
    print(digests, end="")


if __name__ == "__main__":
    main()
