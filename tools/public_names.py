"""Write the public names of a release, and the arguments that each takes, for the tests.

The deprecation policy in CONTRIBUTING.md is about these names: tests/project/test_deprecations.py
compares the list of the last release with the package.

Usage: python -m tools.public_names
"""

from __future__ import annotations

import importlib
import inspect
import json
from enum import Enum
from pathlib import Path

LIST = Path(__file__).resolve().parents[1] / "tests" / "project" / "public_names.json"
MODULES = (
    "mmeval_like",
    "mmeval_like.backends",
    "mmeval_like.dist",
    "mmeval_like.errors",
    "mmeval_like.metrics",
    "mmeval_like.plots",
    "mmeval_like.state",
    "mmeval_like.testing",
    "mmeval_like.writing",
)


def arguments(found: object) -> list[str]:
    """Return the names of the arguments that something public takes; of a constant there are none.

    Example:
        >>> arguments(lambda first, *others, third=None: None)
        ['first', 'third']
    """
    if not callable(found) or (isinstance(found, type) and issubclass(found, Enum)):
        return []  # what an enumeration is called with depends on the version of Python
    try:
        parameters = inspect.signature(found).parameters.values()
    except ValueError:  # such as of an exception, which takes what `Exception` takes
        return []
    several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [one.name for one in parameters if one.kind not in several]


def public_names() -> dict[str, list[str]]:
    """Return every public name of the package by its full name, with its arguments."""
    modules = {name: importlib.import_module(name) for name in MODULES}
    return {
        f"{module}.{name}": arguments(getattr(found, name))
        for module, found in modules.items()
        for name in sorted(found.__all__)
    }


def main() -> None:
    """Write the list."""
    lines = (f"  {json.dumps(name)}: {json.dumps(has)}" for name, has in public_names().items())
    LIST.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
