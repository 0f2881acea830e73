"""Write docs/api.md, or the page to standard output, from the docstrings.

Usage: python -m tools.api_page [--write]
"""

import importlib
import inspect
import sys
import types
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs" / "api.md"
MODULES = {
    "mmeval_like": "Everything that a program needs to evaluate.",
    "mmeval_like.state": "The kinds of state that a metric declares.",
    "mmeval_like.writing": "What authors of metrics import.",
    "mmeval_like.writing.exact": "Numbers without rounding, and results that are rounded once.",
    "mmeval_like.writing.weights": "Sample weights.",
    "mmeval_like.writing.states": "Classes of states to derive from.",
    "mmeval_like.writing.intervals": "Intervals and p-values that a metric computes itself.",
    "mmeval_like.plots": "Pictures of results.",
    "mmeval_like.dist": "Collectives for data of your own.",
    "mmeval_like.testing": "Tests for metrics and backends of your own.",
    "mmeval_like.backends.base": "What a backend must have.",
    "mmeval_like.backends.base_bytes": "The base class of backends that move bytes.",
}


def page() -> str:
    """The whole page."""
    lines = [
        "# API",
        "",
        "This page has the first sentence of each docstring; `help(name)` in Python shows the "
        "whole docstring. `python -m tools.api_page --write` writes the page.",
    ]
    for name, purpose in MODULES.items():
        module = importlib.import_module(name)
        lines += ["", f"## {name}", "", purpose, "", "| name | |", "|---|---|"]
        lines += [row(entry, getattr(module, entry)) for entry in sorted(module.__all__)]
    return "\n".join(lines) + "\n"


def row(name: str, value: object) -> str:
    """One line of a table: the name and the first line of its docstring."""
    alias = isinstance(value, types.GenericAlias)  # a class to Python 3.10
    described = (
        (inspect.isclass(value) and not alias)
        or inspect.isroutine(value)
        or inspect.ismodule(value)
    )
    text = (inspect.getdoc(value) or "").partition("\n")[0] if described else ""
    call = "()" if inspect.isroutine(value) else ""
    return f"| `{name}{call}` | {text.replace('|', chr(92) + '|')} |"


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(page())
    else:
        print(page(), end="")
