"""Errors about missing optional packages."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["needed_for"]


@contextmanager
def needed_for(what: str, install: str = "") -> Iterator[None]:
    """Within this block, report a missing package with what needs it, and how to install it.

    Args:
        what: What needs the package.
        install: The command that installs it; by default pip with the package's name.

    Raises:
        ModuleNotFoundError: The package is missing.
        ImportError: The package is installed, but too old: it lacks a name that is imported.

    Example:
        >>> with needed_for("a plot"):
        ...     import no_such_package
        Traceback (most recent call last):
            ...
        ModuleNotFoundError: a plot needs no_such_package: pip install no_such_package
    """
    try:
        yield
    except ImportError as error:
        package = str(error.name).partition(".")[0]
        command = install or f"pip install {package}"
        if isinstance(error, ModuleNotFoundError) and sys.modules.get(package) is None:
            raise ModuleNotFoundError(f"{what} needs {package}: {command}", name=package) from error
        if not str(error).startswith(("No module named", "cannot import name")):
            raise  # the package is broken, and says how
        upgrade = command.replace("pip install", "pip install --upgrade")
        raise ImportError(f"{what} needs a newer {package}: {upgrade}", name=package) from error
