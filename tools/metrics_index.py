"""Write docs/metrics/README.md, or the page to standard output: all metrics, by domain.

Usage: python -m tools.metrics_index [--write]
"""

import inspect
import sys
from pathlib import Path

from mmeval_like import metrics
from mmeval_like._names import Listing

PAGE = Path(__file__).resolve().parents[1] / "docs" / "metrics" / "README.md"
HEAD = """\
# The metrics

Every metric gives the same bits on one process and on many. `help(name)` in Python has the source
of its formula, shapes, dtypes, errors and an example; a page works an example by hand.

Written by `python -m tools.metrics_index --write`, from `mmeval_like/metrics/__init__.py` (the
groups and their order) and from the docstrings.
"""


def page() -> str:
    """The whole page."""
    lines = [HEAD]
    for group, names in Listing(metrics.__name__).headings.items():
        if names:
            lines += [f"## {group}", "", "| metric | |", "|---|---|", *map(row, names), ""]
    return "\n".join(lines).rstrip() + "\n"


def row(name: str) -> str:
    """One line of a table: the metric, linked if it has a page, and what its docstring says."""
    metric = getattr(metrics, name)
    text = (inspect.getdoc(metric) or "").partition("\n")[0]
    text = text.replace("|", "\\|").replace("*", "\\*")
    page = page_of(name)
    shown = f"[{name}]({page})" if (PAGE.parent / page).exists() else f"`{name}`"
    return f"| {shown} | {text} |"


def page_of(name: str) -> str:
    """The file name of a metric's page: that of its module, or of the folder that this is in."""
    return f"{getattr(metrics, name).__module__.removeprefix(metrics.__name__).split('.')[1]}.md"


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(page())
    else:
        print(page(), end="")
