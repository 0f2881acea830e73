"""The order of columns that are named after classes, or after other columns."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

__all__ = ["check_class_order", "check_same_order", "named_after"]


def check_class_order(columns: Mapping[str, Sequence[str]], classes: Sequence[str]) -> None:
    """Check that columns that are named after classes are in the order of the classes.

    Args:
        columns: The columns of each argument.
        classes: The names of the classes; none if they are not known.

    Raises:
        ValueError: They are in another order.
    """
    for argument, names in columns.items():
        if named_after(names, classes) not in (None, [*classes]):
            raise ValueError(
                f"{argument} are read from {', '.join(names)}, but the order of the classes is "
                f"{', '.join(classes)}: name the classes in the order of the columns, or the "
                f"columns one by one in the order of the classes"
            )


def check_same_order(columns: Mapping[str, Sequence[str]], one: str, other: str) -> None:
    """Check that the columns of two arguments are in one order, if their names are alike.

    Args:
        columns: The columns of each argument.
        one: The name of one argument.
        other: The name of the other argument.

    Raises:
        ValueError: They are in different orders.
    """
    if named_after(columns[other], columns[one]) not in (None, [*columns[one]]):
        raise ValueError(
            f"{one} are read from {', '.join(columns[one])}, but {other} from "
            f"{', '.join(columns[other])}, in another order: name these columns one by one, in "
            f"the same order"
        )


def named_after(columns: Sequence[str], names: Sequence[str]) -> list[str] | None:
    """Return the names in the order of the columns that are named after them; None: they are not.

    Example:
        >>> named_after(["p_dog", "p_cat"], ["cat", "dog"]), named_after(["x", "y"], ["cat", "dog"])
        (['dog', 'cat'], None)
    """
    known = dict(zip(_differing(names), names, strict=True))
    ends = _differing(columns)
    return [known[end] for end in ends] if sorted(ends) == sorted(_differing(names)) else None


def _differing(names: Sequence[str]) -> list[str]:
    """Return the names without what all of them begin with, and what all of them end with."""
    start = _shared(names)
    rest = [name[start:] for name in names]
    end = _shared([name[::-1] for name in rest])
    return [name[: len(name) - end] for name in rest]


def _shared(names: Sequence[str]) -> int:
    """Return the number of characters with which all names begin."""
    same = (len({*letters}) == 1 for letters in zip(*names, strict=False))
    return sum(itertools.takewhile(bool, same))
