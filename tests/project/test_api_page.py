"""The site lists the public names of every module of docs/api.md."""

import importlib

import pytest

from tools.api_page import PAGE, page

MODULES = [line.removeprefix("## ") for line in PAGE.read_text().splitlines() if line[:3] == "## "]


@pytest.mark.parametrize("module", MODULES)
def test_every_public_name_has_a_row(module: str) -> None:
    """Below the heading of its module, and no other name does."""
    section = page().partition(f"\n## {module}\n")[2].partition("\n## ")[0]
    rows = [line.split("`")[1] for line in section.splitlines() if line.startswith(("| `", "| [`"))]

    assert [name.removesuffix("()") for name in rows] == sorted(
        importlib.import_module(module).__all__
    )
