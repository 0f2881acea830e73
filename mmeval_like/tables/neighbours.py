"""Whether neighbouring rows are alike: intervals of independent samples are then too narrow.

The values of the samples are replaced by their ranks, so that a few large ones do not hide the
others, and each is compared with the next one: the first serial correlation of ranks (A. Wald and
J. Wolfowitz, An exact test for randomness in the non-parametric case based on serial correlation,
Ann. Math. Statist. 14, 1943). Only the first rows are compared, in the order of the table: the
answer does not depend on ranks and batches.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

__all__ = ["ROWS", "likely_clusters", "most_alike", "named_as_clusters", "serial_correlation"]

ROWS = 500
"""How many rows are compared, at most."""

_FEWEST = 50  # rows: of fewer, chance alone correlates too much
_FEWEST_ENTRIES = 5  # of a column: fewer are kinds of rows, not sources
_LARGE = 3.3  # standard errors: chance alone exceeds them in 5 of 10,000 tables
_NAMES = re.compile(
    r"(^|[_\W])("
    r"(doc|document|question|prompt|passage|paragraph|article|conversation|dialog|dialogue|session|"
    r"patient|video|scene|recording|speaker|user)([_ -]?(id|key|name|nr|no|number|index|idx))?|"
    r"(task|problem|subject|context|group|cluster|image)[_ -]?(id|key|nr|no|number|index|idx))$",
    re.IGNORECASE,
)


def serial_correlation(values: np.ndarray) -> float:
    """Return the correlation of the ranks of values and of those next to them; nan if undefined.

    Args:
        values: Numbers (n,).

    Example:
        >>> round(serial_correlation(np.repeat([0.0, 1.0, 0.0, 1.0], 25)), 2)
        0.93
    """
    if len(values) < 2 or np.isnan(values).any():
        return math.nan
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    # Twice the mean rank, less its mean: whole numbers, whose sums are exact.
    ranks = (2 * ends - counts - len(values))[places.reshape(-1)]
    spread = int((ranks * ranks).sum())
    return int((ranks[:-1] * ranks[1:]).sum()) / spread if spread else math.nan


def most_alike(values: Mapping[str, Any]) -> tuple[str, float] | None:
    """Return the key whose neighbouring values are most alike, and their correlation.

    None: the neighbours are no more alike than chance makes them, or there are fewer than 50.

    Args:
        values: The values of single samples, by key or by member and key, as `per_sample` returns.

    Example:
        >>> hits = np.repeat([0.0, 1.0, 0.0, 1.0, 1.0, 0.0], 10)
        >>> name, correlation = most_alike({"accuracy": {"top1": hits}})
        >>> name, round(correlation, 2)
        ('accuracy.top1', 0.85)
    """
    found = [(name, serial_correlation(each), len(each)) for name, each in _numbers(values)]
    large = [(name, r) for name, r, count in found if r > _LARGE / math.sqrt(count)]
    return max(large, key=lambda one: one[1], default=None)


def named_as_clusters(names: Iterable[str]) -> list[str]:
    """Return the columns that are named like a document, a question or another source of rows.

    Example:
        >>> named_as_clusters(["doc_id", "question", "label", "category_id", "idx"])
        ['doc_id', 'question']
    """
    return [name for name in names if _NAMES.search(name)]


def likely_clusters(columns: Mapping[str, Any]) -> list[str]:
    """Return the columns that seem to say which rows belong together.

    They are named so, have at least five different entries, and most of these repeat.

    Args:
        columns: The columns by name, with an entry for each row.

    Example:
        >>> rows = {"doc_id": [n // 4 for n in range(40)], "row": range(40), "task": ["qa"] * 40}
        >>> likely_clusters(rows)
        ['doc_id']
    """
    found = []
    for name in named_as_clusters(columns):
        entries = [repr(entry) for entry in np.asarray(columns[name], object).reshape(-1).tolist()]
        distinct = len(set(entries))
        if distinct >= _FEWEST_ENTRIES and 3 * distinct <= 2 * len(entries):
            found.append(name)
    return found


def _numbers(values: Mapping[str, Any], path: Sequence[str] = ()) -> Iterator[tuple[str, Any]]:
    """Yield the arrays of numbers of at least `_FEWEST` samples, with their names."""
    for key, each in values.items():
        if isinstance(each, Mapping):
            yield from _numbers(each, (*path, key))
            continue
        numbers = isinstance(each, np.ndarray) and each.ndim == 1 and each.dtype.kind in "fiub"
        if numbers and len(each) >= _FEWEST:
            yield ".".join((*path, key)), each
