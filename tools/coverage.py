"""Write docs/coverage.md, or the page to standard output: what other libraries have, and ours.

Usage: python -m tools.coverage [--write]

`tools/coverage.txt` lists the names of other libraries, each once, in lines of one of the forms

    # Library                     what follows is a library's
    theirs = Ours, Other          the classes here that do the same; those that are not yet here
                                  are shown as missing
    theirs ! Ours | remark        the same, of what must be there; a remark says where they differ
    theirs - reason               why it is not to be
"""

import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

import mmeval_like
from mmeval_like import metrics
from tools.metrics_index import page_of

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "coverage.md"
NAMES = ROOT / "tools" / "coverage.txt"
HEAD = """\
# Coverage

This page lists the names of other libraries, and the class of this package that does the same.
Binary, multiclass and multilabel variants of one class have one line. The third column has a
remark, or the reason why a name has no class here.

`python -m tools.coverage --write` writes this page from `tools/coverage.txt`.
"""


class Row(NamedTuple):
    """A line of the list: a name of a library, "=", "!" or "-", and what stands behind it."""

    theirs: str
    kind: str
    ours: str
    remark: str


@cache
def read() -> dict[str, list[Row]]:
    """Return the rows of every library."""
    libraries: dict[str, list[Row]] = {}
    for line in NAMES.read_text().splitlines():
        if line.startswith("# "):
            rows = libraries.setdefault(line[2:], [])
        elif line:
            theirs, kind, behind = line.split(maxsplit=2)
            ours, _, remark = behind.partition(" | ")
            rows.append(Row(theirs, kind, ours, remark))
    return libraries


def names_of(ours: str) -> list[str]:
    """The classes that a row names; what stands in brackets says with which options."""
    return [name.partition("(")[0].strip() for name in ours.split(", ")]


def is_here(name: str) -> bool:
    """Whether a class can be imported."""
    return name in mmeval_like.__all__


def page() -> str:
    """The whole page."""
    lines = [HEAD]
    for library, rows in read().items():
        named = [row for row in rows if row.kind != "-"]
        here = [row for row in named if all(map(is_here, names_of(row.ours)))]
        lines += [
            f"## {library}",
            "",
            f"Of {len(rows)} names, {len(here)} have a class here, {len(named) - len(here)} will "
            f"get one, and {len(rows) - len(named)} will not.",
            "",
            "| other library | this package | remark or reason |",
            "|---|---|---|",
            *map(line_of, rows),
            "",
        ]
    return "\n".join(lines).rstrip() + "\n"


def line_of(row: Row) -> str:
    """One line of a table."""
    theirs, kind, ours, remark = row
    if kind == "-":
        return f"| `{theirs}` | | {ours} |"
    missing = [name for name in names_of(ours) if not is_here(name)]
    rank = "must" if kind == "!" else "should"
    return f"| `{theirs}` | {linked(ours)} | {f'missing ({rank})' if missing else remark} |"


def linked(ours: str) -> str:
    """Names as code, with links to their pages."""
    found = []
    for part in ours.split(", "):
        name = part.partition("(")[0].strip()
        if name in metrics.__all__:
            found.append(f"[`{part}`](metrics/{page_of(name)})")
        else:
            found.append(f"`{part}`")
    return ", ".join(found)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(page())
    else:
        print(page(), end="")
