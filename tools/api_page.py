"""The public names of each module, from their docstrings: what the site adds to docs/api.md."""

import importlib
import inspect
import types
from pathlib import Path

from mmeval_like import metrics

PAGE = Path(__file__).resolve().parents[1] / "docs" / "api.md"
HEAD = "| name | |\n|---|---|\n"


def page() -> str:
    """The page of the site: below the heading of each module a table of its names."""
    beginning, *sections = PAGE.read_text().split("\n## ")
    told = [f"{text.rstrip()}\n\n{table(text.partition(chr(10))[0])}\n" for text in sections]
    return "\n## ".join([beginning, *told])


def table(module_name: str) -> str:
    """A table of the names of a module."""
    module = importlib.import_module(module_name)
    return HEAD + "\n".join(row(name, getattr(module, name)) for name in sorted(module.__all__))


def row(name: str, value: object) -> str:
    """One line of a table: the name and the first line of its docstring; a metric has a page."""
    alias = isinstance(value, types.GenericAlias)  # a class to Python 3.10
    described = (
        (inspect.isclass(value) and not alias)
        or inspect.isroutine(value)
        or inspect.ismodule(value)
    )
    text = (inspect.getdoc(value) or "").partition("\n")[0] if described else ""
    shown = f"`{name}()`" if inspect.isroutine(value) else f"`{name}`"
    shown = f"[{shown}](metrics/{name}.md)" if name in metrics.__all__ else shown
    return f"| {shown} | {text.replace('|', chr(92) + '|')} |"
