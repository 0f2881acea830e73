"""The tables within results: a row for every class, instead of a line for every number."""

from __future__ import annotations

import numbers
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like._base.class_table import CLASS_TABLE, divided

__all__ = ["MOST_CLASSES", "Grid", "without_grids"]

MOST_CLASSES = 30  # of a confusion matrix: a wider one fits on no screen
_ENDS = ("_low", "_high")


@dataclass(frozen=True)
class Grid:
    """A table of a result.

    Attributes:
        path: The keys that lead to its values.
        head: The names of the columns; the first one is that of the classes' names.
        rows: For every row its name and its values; a value with an interval is a text.
    """

    path: tuple[str, ...]
    head: list[str]
    rows: list[list[Any]]

    @property
    def title(self) -> str:
        """The keys as a text."""
        return " ".join(self.path)

    @property
    def texts(self) -> list[list[str]]:
        """The cells as texts; floats have four digits."""
        return [[f"{x:.4g}" if isinstance(x, float) else str(x) for x in row] for row in self.rows]


def without_grids(
    values: Mapping[str, Any],
    classes: Sequence[str] | None,
    path: tuple[str, ...] = (),
    lists: bool = True,
) -> tuple[dict[str, Any], list[Grid]]:
    """Return values without those of tables, and the tables.

    Tables are confusion matrices of at most `MOST_CLASSES` classes, the table of
    ClassificationReport, and lists with a number for every class.

    Args:
        values: Values, or dicts of values.
        classes: The names of the classes, if they are known.
        path: The keys that lead to the values.
        lists: Whether lists with a number for every class are tables, too.

    Example:
        >>> rest, [grid] = without_grids({"loss": 0.5, "f1": [0.5, 1.0]}, ["cat", "dog"])
        >>> rest, grid.head, grid.rows
        ({'loss': 0.5}, ['class', 'f1'], [['cat', 0.5], ['dog', 1.0]])
    """
    rest = dict(values)
    grids: list[Grid] = []
    for key, value in values.items():
        if key == CLASS_TABLE and (found := divided(value)) is not None:
            rows = [[name, *row.values()] for part in found for name, row in part.items()]
            grids.append(Grid((*path, key), ["class", *next(iter(value.values()))], rows))
            del rest[key]
        elif isinstance(value, Mapping):
            rest[key], inner = without_grids(value, classes, (*path, str(key)), lists)
            grids += inner
        elif key == "confusion_matrix" and np.ndim(value) == 2 and len(value) <= MOST_CLASSES:
            names = _names(classes, len(value))
            lines = np.asarray(value).tolist()
            rows = [[name, *line] for name, line in zip(names, lines, strict=True)]
            grids.append(Grid((*path, key), ["label \\ prediction", *names], rows))
            del rest[key]
    for size, columns in _of_classes(rest, classes).items() if lists else ():
        names = _names(classes, size)
        cells = [_with_intervals(rest, key) for key in columns]
        rows = [list(row) for row in zip(names, *cells, strict=True)]
        heads = [key.removesuffix("_classwise") for key in columns]
        grids.append(Grid(path, ["class", *heads], rows))
        for key in columns:
            for name in (key, *(key + end for end in _ENDS)):
                rest.pop(name, None)
    return rest, grids


def _names(classes: Sequence[str] | None, size: int) -> list[str]:
    known = classes is not None and len(classes) == size
    return [*map(str, classes if known and classes else range(size))]


def _of_classes(values: Mapping[str, Any], classes: Sequence[str] | None) -> dict[int, list[str]]:
    """Return by their length the keys of lists with a number for every class."""
    found: dict[int, list[str]] = {}
    for key, value in values.items():
        if not isinstance(value, list) or not value or key.endswith(_ENDS):
            continue
        if not all(isinstance(one, numbers.Real) for one in value):
            continue
        if key.endswith("_classwise") or len(value) == len(classes or ()):
            found.setdefault(len(value), []).append(key)
    return found


def _with_intervals(values: Mapping[str, Any], key: str) -> Iterator[Any]:
    """Yield the values of a key, each with its interval if there is one."""
    low, high = (values.get(key + end) for end in _ENDS)
    if low is None or high is None:
        yield from values[key]
        return
    for value, least, most in zip(values[key], low, high, strict=True):
        yield f"{value:.4g} [{least:.4g}, {most:.4g}]"
