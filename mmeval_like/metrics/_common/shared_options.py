"""Options that a family of metrics shares: declared once, and shown in each class's help."""

from __future__ import annotations

import inspect
import re
from typing import Any, TypeVar

__all__ = ["shared_options"]


T = TypeVar("T", bound=type[Any])

_families: set[type] = set()


def shared_options(family: T) -> T:
    """Make the subclasses of a class show the options that they inherit.

    The docstring of the class describes the options under `Args`. The docstring of a subclass
    refers to them by "**options: As for `Base`.", and a constructor of the subclass takes
    `**options` and passes them on. The reference is then replaced by the options: in the docstring,
    except for options that the subclass describes itself, and in the signature of the constructor.

    Example:
        >>> @shared_options
        ... class Family:
        ...     '''A family.
        ...
        ...     Args:
        ...         depth: How deep.
        ...     '''
        ...     def __init__(self, *, depth=1): ...
        >>> class Member(Family):
        ...     '''One of the family.
        ...
        ...     Args:
        ...         width: How wide.
        ...         **options: As for `Family`.
        ...     '''
        ...     def __init__(self, width, **options): ...
        >>> print(inspect.getdoc(Member).partition("Args:")[2])
        <BLANKLINE>
            width: How wide.
            depth: How deep.
        >>> print(inspect.signature(Member))
        (width, *, depth=1)
    """
    owner: Any = family

    def __init_subclass__(cls: Any, /, **kwargs: Any) -> None:
        super(owner, cls).__init_subclass__(**kwargs)
        _complete(cls)

    _families.add(family)
    owner.__init_subclass__ = classmethod(__init_subclass__)
    if _families & {*family.__mro__[1:]}:
        _complete(family)
    return family


def _complete(cls: type) -> None:
    """Complete the docstring and the signature of a class."""
    alone = "\nArgs:\n" in inspect.cleandoc(cls.__doc__ or "")
    for base in cls.__mro__[1:]:
        reference = f"    **options: As for `{base.__name__}`."
        if _in_family(base) and cls.__doc__ and reference in cls.__doc__:
            text = inspect.cleandoc(cls.__doc__)
            shared = _arguments(inspect.getdoc(base) or "")
            own = _arguments(text.replace(reference, ""))
            kept = [entry for name, entry in shared.items() if name not in own]
            cls.__doc__, alone = text.replace(reference, "\n".join(kept)), False
    if not alone and "__init__" in vars(cls):
        _complete_signature(cls)


def _in_family(cls: type) -> bool:
    return not _families.isdisjoint(cls.__mro__)


def _arguments(text: str) -> dict[str, str]:
    """Return the entries of the `Args` section of a docstring, by name."""
    section = text.partition("\nArgs:\n")[2].partition("\n\n")[0].rstrip()
    entries = re.split(r"\n(?=    \S)", section)
    return {entry.strip().partition(":")[0]: entry for entry in entries}


def _complete_signature(cls: type) -> None:
    """Replace `**options` by the options of the next constructor."""
    function: Any = vars(cls)["__init__"]
    own = inspect.signature(function)
    *given, last = own.parameters.values()
    base: Any = next(c for c in cls.__mro__[1:] if "__init__" in vars(c))
    if last.kind is not last.VAR_KEYWORD or not _in_family(base):
        return
    shared = [
        p.replace(kind=p.VAR_KEYWORD if p.kind is p.VAR_KEYWORD else p.KEYWORD_ONLY)
        for p in list(inspect.signature(base.__init__).parameters.values())[1:]
        if (p.name not in own.parameters or p.kind is p.VAR_KEYWORD)
        and p.kind is not p.POSITIONAL_ONLY  # the constructor itself passes it on
    ]
    function.__signature__ = own.replace(parameters=[*given, *shared])
