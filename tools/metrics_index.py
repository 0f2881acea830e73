"""The list of all metrics by domain, which the site adds to docs/metrics/README.md.

The listing in `mmeval_like/metrics/__init__.py` has the domains and their order.
"""

import inspect
from pathlib import Path

from mmeval_like import metrics
from mmeval_like._base.names import Listing

PAGE = Path(__file__).resolve().parents[1] / "docs" / "metrics" / "README.md"
HEAD = "| metric | |\n|---|---|\n"


def page() -> str:
    """The page of the site."""
    headings = Listing(metrics.__name__).headings
    groups = [f"## {group}\n\n{table(names)}\n" for group, names in headings.items() if names]
    return "\n".join([PAGE.read_text(), *groups])


def table(names: list[str], folder: str = "") -> str:
    """A table of metrics.

    Args:
        names: The metrics.
        folder: Where their pages are, seen from the page that has the table.
    """
    return HEAD + "\n".join(f"| [{name}]({folder}{name}.md) | {summary(name)} |" for name in names)


def summary(name: str) -> str:
    """What the docstring of a metric says first, as a cell of a table."""
    text = (inspect.getdoc(getattr(metrics, name)) or "").partition("\n")[0]
    return text.replace("|", "\\|").replace("*", "\\*")


def letters() -> str:
    """The letters that the page explains."""
    rows = (line.split("|") for line in PAGE.read_text().splitlines() if line.startswith("|"))
    return " ".join(row[1] for row in rows)


def page_of(name: str) -> str:
    """The file name of a metric's page: that of its module, or of its family."""
    *_, family, module = getattr(metrics, name).__module__.split(".")
    return f"{module}.md" if (PAGE.parent / f"{module}.md").exists() else f"{family}.md"
