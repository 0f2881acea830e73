"""The page of all metrics: those that people look for most, by task, then all of them by domain.

People write the first tables and the table of letters, in docs/metrics/README.md. The site adds a
sentence about each metric, and the list of all metrics by domain, whose order is that of
`mmeval_like/metrics/__init__.py`.
"""

import inspect
import re
from pathlib import Path

from mmeval_like import metrics
from mmeval_like._base.names import Listing

PAGE = Path(__file__).resolve().parents[1] / "docs" / "metrics" / "README.md"
HEAD = "| metric | |\n|---|---|\n"
SOUGHT = re.compile(r"^\| \[(\w+)\]\([^)]*\) \| (.*) \|$", re.MULTILINE)
LETTERS = "\n## Letters in formulas\n"


def page() -> str:
    """The page of the site: the tables by task, all metrics, and last the letters."""
    headings = Listing(metrics.__name__).headings
    groups = [f"### {group}\n\n{table(names)}\n" for group, names in headings.items() if names]
    by_task, letters, end = PAGE.read_text().partition(LETTERS)
    described = SOUGHT.sub(lambda row: line(row[1], row[2]), by_task)
    described = described.replace("| metric | also called |\n", "| metric | |\n")
    return "\n".join([described, "## All metrics", "", *groups, letters.lstrip() + end])


def line(name: str, others: str = "", folder: str = "") -> str:
    """A row of a table: a metric, and what it is."""
    also = f" *Also called {others}.*" if others else ""
    return f"| [{name}]({folder}{name}.md) | {summary(name)}{also} |"


def table(names: list[str], folder: str = "") -> str:
    """A table of metrics.

    Args:
        names: The metrics.
        folder: Where their pages are, seen from the page that has the table.
    """
    return HEAD + "\n".join(line(name, folder=folder) for name in names)


def also_called() -> dict[str, list[str]]:
    """The metrics that people look for most, and what else people call them."""
    return {name: others.split(", ") for name, others in SOUGHT.findall(PAGE.read_text())}


def summary(name: str) -> str:
    """What the docstring of a metric says first, as a cell of a table."""
    text = (inspect.getdoc(getattr(metrics, name)) or "").partition("\n")[0]
    return text.replace("|", "\\|").replace("*", "\\*")


def letters() -> str:
    """The letters that the page explains."""
    _, _, text = PAGE.read_text().partition(LETTERS)
    rows = (row.split("|") for row in text.splitlines() if row.startswith("|"))
    return " ".join(row[1] for row in rows)


def page_of(name: str) -> str:
    """The file name of a metric's page: that of its module, or of its family."""
    *_, family, module = getattr(metrics, name).__module__.split(".")
    return f"{module}.md" if (PAGE.parent / f"{module}.md").exists() else f"{family}.md"
