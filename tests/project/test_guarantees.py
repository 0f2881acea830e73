"""The page of guarantees names tests that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "guarantees.md").read_text()
FAULTS = PAGE.partition("## Faults")[2].partition("\n## ")[0]
ROWS = [line for line in FAULTS.splitlines() if line.startswith("| ")][1:]
NAMED = re.compile(r"`((?:tests|mmeval_like/testing)[\w/.]*)(?:::(\w+))?`")


@pytest.mark.parametrize(("path", "function"), sorted(set(NAMED.findall(PAGE))))
def test_what_is_named_exists(path: str, function: str) -> None:
    """A folder, a file, or a function in it."""
    assert (ROOT / path).exists()
    assert not function or f"\ndef {function}(" in (ROOT / path).read_text()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip())
def test_every_fault_is_shown(row: str) -> None:
    """Its row names a test."""
    assert NAMED.search(row.split("|")[-2])


def test_the_table_was_found() -> None:
    """A table that is written in another way would not be checked."""
    assert len(ROWS) > 15
