"""The table of ClassificationReport: a row for every class, and rows of averages over classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

__all__ = ["CLASS_TABLE", "divided"]

Rows: TypeAlias = "dict[str, Mapping[str, Any]]"

CLASS_TABLE = "report"  # the key of the table
_AVERAGES = ("micro avg", "macro avg", "weighted avg")


def divided(table: Any) -> tuple[Rows, Rows] | None:
    """Return the rows of the classes and those of the averages; None if it is no such table.

    Example:
        >>> row = {"precision": 1.0, "recall": 0.5, "f1-score": 0.667, "support": 2}
        >>> classes, averages = divided({"cat": row, "macro avg": row, "weighted avg": row})
        >>> [*classes], [*averages]
        (['cat'], ['macro avg', 'weighted avg'])
        >>> divided({"loss": 0.5}) is None
        True
    """
    if not isinstance(table, Mapping) or "macro avg" not in table:
        return None
    if not all(isinstance(row, Mapping) and "f1-score" in row for row in table.values()):
        return None
    classes = {str(name): row for name, row in table.items() if name not in _AVERAGES}
    return classes, {name: row for name, row in table.items() if name in _AVERAGES}
