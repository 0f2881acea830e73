"""Public names that are listed once, for type checkers, and loaded when a program first uses them.

A package lists its names as imports under `if TYPE_CHECKING:`. Type checkers and editors read
these lines as they are. At run time the lines are not executed: `lazy_names` reads their text,
and the module of a name is imported when the name is first asked for. A line is one of

    # Heading                                      what the names below it have in common
    from .roc import ROC, DETCurve                 names, and the module that defines them
    from .roc import ROC as ROC                    the same, where checkers want to see it exported
    from .metrics import *                         all the names that another package lists
    MAE = MeanAbsoluteError                        a deprecated name, and the one that replaces it

Names that are too many for one line go on in the next ones, in parentheses, as formatters do it.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Callable, Iterable
from typing import Any

__all__ = ["Listing", "did_you_mean", "lazy_names"]


class Listing:
    """The names that a package lists.

    Args:
        package: The package's full name; it must be imported, or be importing itself.

    Attributes:
        modules: For each name, the full name of the module that defines it.
        deprecated: For each deprecated name, the name that replaces it.
        headings: For each heading, the names below it, in the order of the lines.
    """

    def __init__(self, package: str) -> None:
        self.modules: dict[str, str] = {}
        self.deprecated: dict[str, str] = {}
        self.headings: dict[str, list[str]] = {}
        below: list[str] = []
        module = ""
        for line in _block(package):
            match line.split():
                case ["#", *words]:
                    below = self.headings.setdefault(" ".join(words), [])
                case ["from", whole, "import", "*", *_]:
                    other = Listing(importlib.import_module(whole, package).__name__)
                    self.modules |= other.modules
                    self.deprecated |= other.deprecated
                case [old, "=", new]:
                    self.deprecated[old] = new
                case words:
                    if words[:1] == ["from"]:
                        module, words = package + words[1].removesuffix("."), words[3:]
                    names = [word.strip("(,)") for word in words if word != "as"]
                    for name in filter(None, dict.fromkeys(names)):
                        self.modules[name] = module
                        below.append(name)


def _block(package: str) -> list[str]:
    """Return the lines of the package's source that stand under `if TYPE_CHECKING:`."""
    module = sys.modules[package]
    source: bytes = module.__spec__.loader.get_data(module.__file__)  # type: ignore[union-attr]
    block = source.decode().partition("\nif TYPE_CHECKING:\n")[2].partition("\nelse:\n")[0]
    return block.splitlines()


def lazy_names(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` of a package that lists its names."""
    listing = Listing(package)

    def getattr_(name: str) -> Any:
        if name in listing.deprecated:
            new = listing.deprecated[name]
            text = f"{name} is deprecated: its name is {new}"
            warnings.warn(text, DeprecationWarning, stacklevel=2)
            return getattr(sys.modules[package], new)
        module = listing.modules.get(name, package)
        if module != package:
            value = getattr(importlib.import_module(module), name)
        elif (value := _submodule(package, name)) is None:
            text = f"module {package!r} has no attribute {name!r}"
            hint = did_you_mean(name, listing.modules, listing.deprecated)
            # With an object of its own the error is not given a second hint when it is printed.
            raise AttributeError(text + hint, name=name, obj=None)
        setattr(sys.modules[package], name, value)  # from now on an ordinary attribute
        return value

    def dir_() -> list[str]:
        return [*public, *(name for name in vars(sys.modules[package]) if name.startswith("__"))]

    public = sorted(listing.modules)
    return getattr_, dir_, public


def _submodule(package: str, name: str) -> Any:
    """Import and return a public module of the package; None if there is none of this name."""
    if name.startswith("_"):
        return None
    try:
        return importlib.import_module(f"{package}.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"{package}.{name}":
            raise
        return None


def did_you_mean(name: str, known: Iterable[str], replaced: dict[str, str] | None = None) -> str:
    """Return the end of an error message that names what the user may have meant.

    Args:
        name: What the user wrote, and is not known.
        known: The names that exist.
        replaced: Other spellings, each with the known name that it stands for.

    Returns:
        "; did you mean A, B?" with at most three names, or "" if no name is similar.

    Example:
        >>> did_you_mean("Acuracy", ["Accuracy", "F1Score"])
        '; did you mean Accuracy?'
        >>> did_you_mean("mse", ["MeanSquaredError"], {"MSE": "MeanSquaredError"})
        '; did you mean MeanSquaredError?'
    """
    import difflib  # costs time that only an error is worth

    meant = {other.lower(): other for other in known}
    meant |= {old.lower(): new for old, new in (replaced or {}).items()}
    wanted = name.lower()
    found = [wanted] if wanted in meant else []
    found += difflib.get_close_matches(wanted, meant, 3, 0.7)
    found += [other for other in meant if wanted in other and len(wanted) > 1]
    names = list(dict.fromkeys(meant[other] for other in found))[:3]
    return f"; did you mean {', '.join(names)}?" if names else ""
