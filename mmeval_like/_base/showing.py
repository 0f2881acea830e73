"""Tables of results, metrics and collections for notebooks and terminals."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

__all__ = ["DESCRIBED", "as_group", "as_html", "as_rich", "cells_of"]

DESCRIBED = (
    "Samples that this rank has added; compute() returns the values of all ranks.",
    ("name", "metric", "samples", "value"),
)
"""The caption and the head of the table that shows an evaluation without computing it."""


def cells_of(described: Sequence[tuple[str, str, int]]) -> list[tuple[str, str, str, str]]:
    """Return the cells of a table that shows the state of an evaluation."""
    return [(name, metric, f"{count:,}", "not computed") for name, metric, count in described]


def as_html(rows: Sequence[Sequence[str]], caption: str = "", head: Sequence[str] = ()) -> str:
    """Return a table for a notebook; all texts are escaped.

    Args:
        rows: The cells; the first cell of a row is its name.
        caption: The caption above the table; "": none.
        head: The names of the columns; empty: none.

    Example:
        >>> as_html([["<b>", "1"]], "3 samples")
        '<table><caption>3 samples</caption><tr><th>&lt;b&gt;</th><td>1</td></tr></table>'
    """
    above = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    if head:
        names = "".join(f"<th>{html.escape(name)}</th>" for name in head)
        above += f"<thead><tr>{names}</tr></thead>"
    body = "".join(
        f"<tr><th>{html.escape(name)}</th>"
        + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells)
        + "</tr>"
        for name, *cells in rows
    )
    return f"<table>{above}{body}</table>"


def as_rich(rows: Sequence[Sequence[str]], caption: str, head: Sequence[str]) -> Any:
    """Return the table that rich prints in a terminal; the arguments are those of `as_html`."""
    from rich.table import Table
    from rich.text import Text

    table = Table(*head, title=caption or None)
    for row in rows:
        table.add_row(*map(Text, row))  # as Text, since rich parses markup in plain strings
    return table


def as_group(tables: Sequence[tuple[Sequence[Sequence[str]], str, Sequence[str]]]) -> Any:
    """Return several tables that rich prints; each has the arguments of `as_html`."""
    from rich.console import Group

    return Group(*(as_rich(*table) for table in tables))
