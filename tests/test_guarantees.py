"""The table of faults names tests that exist."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "guarantees.md").read_text()
FAULTS = PAGE.partition("## Faults")[2].partition("\n## ")[0]
ROWS = [line for line in FAULTS.splitlines() if line.startswith("| ")][1:]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip())
def test_the_test_of_a_fault_exists(row: str) -> None:
    """Every fault is shown by a folder, a file or a function of the tests."""
    named = re.findall(r"`(tests[^`]*)`", row.split("|")[-2])

    assert named
    for name in named:
        path, _, function = name.partition("::")
        assert (ROOT / path).exists(), name
        if function:
            tree = ast.parse((ROOT / path).read_text())
            assert function in {n.name for n in tree.body if isinstance(n, ast.FunctionDef)}, name


def test_the_table_was_found() -> None:
    """A table that is written in another way would not be checked."""
    assert len(ROWS) > 15
