"""What was measured on what: the facts that a reader needs before any number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Study"]


@dataclass(frozen=True)
class Study:
    """Where the numbers of a report come from, as far as it is known.

    Attributes:
        names: What the systems are called: one, or A and B.
        files: For each system its files.
        metrics: The metrics with their options, as the command line names them.
        columns: By argument of the metrics, the columns that were read.
        ids: The column of ids.
        by: The columns of the slices.
        shown: The columns whose text the page shows.
        command: The command that wrote the report, as arguments.
        made: When, as a text.
    """

    names: Sequence[str] = ()
    files: Sequence[Sequence[str]] = ()
    metrics: Sequence[str] = ()
    columns: Sequence[tuple[str, str]] = ()
    ids: str = ""
    by: Sequence[str] = ()
    shown: Sequence[str] = ()
    command: Sequence[str] = ()
    made: str = ""
