"""Rare classes: what at most three misses, or hits, of a class may hide.

If a class of 30 labels has no miss, its recall may be 0.9 all the same: it shows no variance,
and half a sample of smoothing stands for less than their number allows. So the interval also
contains the values with one class at a time at the end of the Clopper-Pearson interval of its
recall that is farther away.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mmeval_like._intervals.exact_shares import FEW, clopper_pearson
from mmeval_like._intervals.interval import Interval
from mmeval_like._intervals.jackknife.estimand import Estimand
from mmeval_like._intervals.jackknife.smoothing import SCALE, Matrix, Table

__all__ = ["ends_of_rare_classes", "with_rare_classes"]

Ends = tuple[float, float]


def ends_of_rare_classes(estimand: Estimand, table: Table) -> dict[str, list[Ends]]:
    """Return, by key, the least and the greatest of these values; empty: there are none.

    Args:
        estimand: The estimand, of independent samples: clusters have ends of their own.
        table: Its confusion matrix.
    """
    several = [*_matrices(table.matrix, estimand.level)]
    found = estimand.evaluate(table.results(one) for one in several)
    return {
        key: [
            (min(values), max(values)) for values in zip(*(one[key] for one in found), strict=True)
        ]
        for key in table.keys
        if found
    }


def _matrices(matrix: Matrix, level: float) -> Iterator[Matrix]:
    """Yield the matrix times `SCALE`, with another recall of one class."""
    predicted = [sum(column) + 0.5 for column in zip(*matrix, strict=True)]
    scaled = [[cell * SCALE for cell in row] for row in matrix]
    for label, row in enumerate(matrix):
        count, hits = sum(row), row[label]
        few = min(hits, count - hits)
        if count <= FEW or few > FEW:
            continue
        share = clopper_pearson(few, count, level)[1]
        others = [0.0 if at == label else float(cell) for at, cell in enumerate(row)]
        if not any(others):
            others = [0.0 if at == label else number for at, number in enumerate(predicted)]
        kept = share if few == hits else 1 - share
        missed = count * (1 - kept) * SCALE / sum(others)
        changed = [round(missed * other) for other in others]
        changed[label] = round(count * kept * SCALE)
        yield [*scaled[:label], changed, *scaled[label + 1 :]]


def with_rare_classes(one: Interval, ends: Ends | None) -> Interval:
    """Return the interval, extended to these ends, within which its value is not always."""
    if ends is None or not (ends[0] < one.low or one.high < ends[1]):
        return one
    method = (
        one.method if one.method.endswith("Clopper-Pearson") else f"{one.method}, Clopper-Pearson"
    )
    return replace(one, low=min(one.low, ends[0]), high=max(one.high, ends[1]), method=method)
