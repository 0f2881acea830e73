"""The bill of materials of a release, in the environment that builds it: `make release`."""

import json
import re
import zipfile
from pathlib import Path

import pytest

from tests.helpers.optional import requires

requires("cyclonedx")
EPOCH = 1_700_000_000
METADATA = """\
Metadata-Version: 2.4
Name: mmeval-like
Version: 1.2.3
Summary: Metrics
Requires-Dist: numpy>=1.26
Requires-Dist: numpy<2; extra == "oneflow"
Requires-Dist: torch>=2.1; extra == "torch"
Requires-Dist: mmeval-like[torch]; extra == "all"
"""


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """A wheel with the metadata above alone, and a source distribution."""
    wheel, sdist = tmp_path / "mmeval_like-1.2.3.whl", tmp_path / "mmeval_like-1.2.3.tar.gz"
    with zipfile.ZipFile(wheel, "w") as archive:
        info = zipfile.ZipInfo("mmeval_like-1.2.3.dist-info/METADATA")
        archive.writestr(info, METADATA)
    sdist.write_bytes(b"sources")
    return wheel, sdist


def test_it_lists_what_the_wheel_requires(files: tuple[Path, Path]) -> None:
    """What is always installed is required, what an extra adds is optional; it is not its own."""
    from tools.materials import bill_of_materials

    found = json.loads(bill_of_materials(*files, EPOCH))

    assert {part["name"]: part["scope"] for part in found["components"]} == {
        "numpy": "required",
        "torch": "optional",
    }
    assert found["metadata"]["component"]["version"] == "1.2.3"


def test_it_names_the_files_by_their_digests(files: tuple[Path, Path]) -> None:
    """The bill belongs to two files, and says to which bytes."""
    from tools.materials import bill_of_materials
    from tools.release import sha256

    text = bill_of_materials(*files, EPOCH)

    assert set(re.findall(r'"content": "([0-9a-f]{64})"', text)) == {sha256(f) for f in files}


def test_it_is_the_same_text_each_time(files: tuple[Path, Path]) -> None:
    """Neither a clock nor a random number is in it."""
    from tools.materials import bill_of_materials

    assert bill_of_materials(*files, EPOCH) == bill_of_materials(*files, EPOCH)
