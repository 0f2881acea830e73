"""Study: the facts about an evaluation that a reader needs before the numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Study"]


@dataclass(frozen=True)
class Study:
    """The origin of a report's numbers, as far as it is known.

    Attributes:
        names: The names of the systems: one, or A and B.
        files: The files of each system.
        metrics: The metrics with their options, in the form of the command line.
        columns: By argument of the metrics, the columns that were read.
        ids: The column of ids.
        by: The columns of the slices.
        shown: The columns whose text the page shows.
        command: The command that wrote the report, as arguments.
        made: The time at which the report was made, as a string.
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
