"""What other libraries have, and the classes here that do the same: the tables of docs/coverage.md.

People write the tables. The site adds links to the classes, and says how many names have one.
`tools/metric_pages.py` reads them for the pages of the metrics.
"""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from mmeval_like import metrics

PAGE = Path(__file__).resolve().parents[1] / "docs" / "coverage.md"
HEAD = "| other library | this package | remark or reason |\n"
CODE = re.compile(r"`([^`]*)`")


class Row(NamedTuple):
    """A row of a table.

    Attributes:
        theirs: The name in the other library.
        ours: The classes here that do the same, with their options; empty if there is none.
        remark: Where they differ, or why there is no class.
    """

    theirs: str
    ours: tuple[str, ...]
    remark: str

    @property
    def names(self) -> list[str]:
        """The classes without their options."""
        return [shown.partition("(")[0] for shown in self.ours]


@cache
def read() -> dict[str, list[Row]]:
    """Return the rows of every library."""
    libraries: dict[str, list[Row]] = {}
    for section in PAGE.read_text().split("\n## ")[1:]:
        library, _, text = section.partition("\n")
        rows = [line.split("|")[1:4] for line in text.splitlines() if line.startswith("| `")]
        libraries[library] = [
            Row(theirs.strip(" `"), tuple(CODE.findall(ours)), remark.strip())
            for theirs, ours, remark in rows
        ]
    return libraries


def page() -> str:
    """The page of the site."""
    beginning, *sections = PAGE.read_text().split("\n## ")
    told = [section.replace(HEAD, f"{counted(section)}\n\n{HEAD}") for section in sections]
    lines = "\n## ".join([beginning, *told]).splitlines()
    return "\n".join(linked(line) if line.startswith("| `") else line for line in lines) + "\n"


def counted(section: str) -> str:
    """How many names of a library have a class here."""
    rows = read()[section.partition("\n")[0]]
    here = sum(bool(row.ours) for row in rows)
    return f"Of {len(rows)} names, {here} have a class here."


def linked(line: str) -> str:
    """A line of a table, of which the classes in the second column link to their pages."""
    _, theirs, ours, remark = line.split("|")[:4]
    return f"|{theirs}|{CODE.sub(link, ours)}|{remark}|"


def link(shown: re.Match[str]) -> str:
    """A metric with a link to its page; another class as it is."""
    name = shown[1].partition("(")[0]
    return f"[{shown[0]}](metrics/{name}.md)" if name in metrics.__all__ else shown[0]
