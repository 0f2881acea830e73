"""Means: the values of single samples, if a metric's value is their mean.

Whether it is such a mean is tested: the metric is computed for single samples that differ in one
column of their rows, which gives the value of a sample as a linear function of its row; the
metric's value, for all samples and for half of them, must be the mean of these values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from mmeval_like._base.warning import quiet
from mmeval_like._intervals.jackknife.estimand import Numbers
from mmeval_like._intervals.jackknife.pair_differences import Side
from mmeval_like._intervals.rounding import without_rounding

__all__ = ["sample_values"]

_CLOSE = 1e-9  # relative to the largest value of a sample
_MOST = 1e150  # its square is finite


@np.errstate(all="ignore")
def sample_values(side: Side, keys: Sequence[str]) -> dict[str, np.ndarray]:
    """Return the values of all samples, (n,), by key; only for keys whose value is a mean.

    Args:
        side: The samples of one system, at least one.
        keys: The keys of scalar values.
    """
    if any(state.width is None for state in side.states.values()):
        return {}
    rows = {name: np.asarray(own) for name, own in side.rows.items()}
    if any(rows[n].size != len(side) * (s.width or 0) for n, s in side.states.items()):
        return {}  # the terms are computed from the rows
    terms = [state.terms(rows[name]) for name, state in side.states.items()]
    numbers = np.concatenate(terms, axis=1)
    columns = np.flatnonzero((numbers != numbers[0]).any(axis=0))
    first = {name: own[:1] for name, own in rows.items()}
    base, half = _numbers(side, first), max(len(side) // 2, 1)
    whole = _numbers(side, rows), _numbers(side, {name: own[:half] for name, own in rows.items()})
    moved = []
    for column in columns.tolist():
        place = int(np.argmax(np.abs(numbers[:, column] - numbers[0, column])))
        moved.append((place, _numbers(side, _with_column(side, rows, column, place))))
    found = {}
    for key in keys:
        values = _at(base, key) + np.zeros(len(side))
        for column, (place, one) in zip(columns.tolist(), moved, strict=True):
            steps = numbers[:, column] - numbers[0, column]
            values += steps * ((_at(one, key) - _at(base, key)) / steps[place])
        means = values.sum() / len(values), values[:half].sum() / half
        largest = float(np.abs(values).max())
        near = (
            abs(m - _at(of, key)) <= _CLOSE * largest for m, of in zip(means, whole, strict=True)
        )
        if largest < _MOST and all(near):
            found[key] = values
    return found


def _numbers(side: Side, rows: Mapping[str, np.ndarray]) -> Numbers:
    """Return the metric's values for these rows; empty if the metric raises."""
    with quiet(), np.errstate(all="ignore"), without_rounding():
        try:
            return Side(side.states, rows, side.compute).numbers()
        except MemoryError:
            raise
        except Exception:  # a metric may reject a row that no sample has
            return {}


def _at(numbers: Numbers, key: str) -> float:
    return numbers[key][0] if len(numbers.get(key, ())) == 1 else np.nan


def _with_column(
    side: Side, rows: Mapping[str, np.ndarray], column: int, place: int
) -> dict[str, np.ndarray]:
    """Return the first row, with one column from the row at another place."""
    found = {name: own[:1].copy() for name, own in rows.items()}
    for name, state in side.states.items():
        width = state.width or 0
        if column < width:
            found[name].reshape(1, width)[0, column] = rows[name][place].reshape(width)[column]
            break
        column -= width
    return found
