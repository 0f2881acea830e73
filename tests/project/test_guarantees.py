"""The page of guarantees names tests that exist."""

import re
from pathlib import Path

import pytest

from mmeval_like import metrics

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


def test_the_list_of_metrics_that_depend_on_the_processor() -> None:
    """Has a row for each attribute `processor_dependent`, with the metrics that have it."""
    found: dict[str, list[str]] = {}
    for name in sorted(metrics.__all__):
        if functions := getattr(getattr(metrics, name), "processor_dependent", None):
            found.setdefault(functions, []).append(f"`{name}`")
    rows = [f"| {functions} | {', '.join(names)} |" for functions, names in found.items()]
    part = PAGE.partition("## Metrics whose last digits")[2].partition("\n## ")[0]

    assert [row for row in part.splitlines() if row.startswith("| ")][1:] == sorted(rows)
