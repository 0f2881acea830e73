"""Tables of texts, as notebooks and terminals show them: of results, metrics and collections."""

from __future__ import annotations

import html
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

__all__ = ["Shown", "as_html", "as_rich"]

_CAPTION = "Samples that this rank has added; compute() returns the values of all ranks."
_HEAD = ("name", "metric", "samples", "value")


class Shown:
    """A base whose instances show in a notebook, and by rich, which metrics they have.

    Neither computes: all ranks would have to.
    """

    @abstractmethod
    def _described(self) -> list[tuple[str, str, int]]:
        """Return for every metric its name, its class with the options, and its samples."""

    def _repr_html_(self) -> str:
        return as_html(self._described_in_cells(), _CAPTION, _HEAD)

    def __rich__(self) -> Any:
        """Return the table that rich prints."""
        return as_rich(self._described_in_cells(), _CAPTION, _HEAD)

    def _described_in_cells(self) -> list[tuple[str, str, str, str]]:
        return [
            (name, metric, f"{samples:,}", "not computed")
            for name, metric, samples in self._described()
        ]


def as_html(rows: Sequence[Sequence[str]], caption: str = "", head: Sequence[str] = ()) -> str:
    """Return a table for a notebook; all texts are escaped.

    Args:
        rows: The cells, of which the first one of a row names it.
        caption: What stands above; empty: nothing.
        head: The names of the columns; empty: they have none.

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
    """Return the table that rich prints in a terminal; arguments as of `as_html`."""
    from rich.table import Table
    from rich.text import Text

    table = Table(*head, title=caption or None)
    for row in rows:
        table.add_row(*map(Text, row))  # as Text: in a plain string rich looks for markup
    return table
