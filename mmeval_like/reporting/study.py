"""Study: the facts about an evaluation that a reader needs before the numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from mmeval_like.reporting.words import clipped

__all__ = ["Study"]


@dataclass(frozen=True)
class Study:
    """The origin of a report's numbers, as far as it is known.

    Attributes:
        names: The names of the systems: one, or A and B.
        files: The files of each system.
        metrics: The metrics with their options, in the form of the command line or of Python.
        columns: By argument of the metrics, the columns that were read.
        ids: The column of ids.
        by: The columns of the slices.
        cluster: The column of clusters.
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
    cluster: str = ""
    shown: Sequence[str] = ()
    command: Sequence[str] = ()
    made: str = ""

    @property
    def date(self) -> str:
        """The day on which the report was made."""
        return self.made.partition(",")[0]

    @property
    def of_sample(self) -> str:
        """What names a sample: its "id", or its "row" if a command read files without ids."""
        return "row" if self.files and not self.ids else "id"

    @property
    def sides(self) -> list[tuple[str, str, list[str]]]:
        """Of each system "a", "b" or, if there is only one, nothing; its name; names of files."""
        sides = ("a", "b") if len(self.files) == 2 else ("",)
        return [
            (side, name, [PurePath(file.replace("\\", "/")).name for file in files])
            for side, name, files in zip(sides, self.names, self.files, strict=False)
        ]

    def label(self, label: str) -> str:
        """Return the label of a number: "Mean of judge_score" if only that column was read."""
        if label == "Mean" and len(self.columns) == 1:
            return f"Mean of {clipped(self.columns[0][1])}"
        return label
