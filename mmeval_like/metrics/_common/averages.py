"""The values of classes, and their macro, micro or weighted average."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from functools import reduce
from operator import add, mul
from typing import Any

import numpy as np

from mmeval_like.writing import entrywise

__all__ = ["AVERAGES", "check_average", "class_average", "class_values", "mean_of_classes"]

_WHOLE = 1 << 53  # float64 does not hold all integers above
AVERAGES = ("macro", "micro", "weighted", None)


def check_average(average: str | None, allowed: Collection[str | None] = AVERAGES) -> str | None:
    """Return `average`, or None for "none"; ValueError unless it is one of `allowed`."""
    if average == "none":
        average = None
    if average not in allowed:
        raise ValueError(f"average must be one of {[*allowed]}, got {average!r}")
    return average


def class_values(
    numerators: Sequence[Any],
    denominators: Sequence[Any],
    zero_division: float = 0.0,
    ignored: Collection[int] = (),
) -> list[float]:
    """Return the quotient of every class; `zero_division` for 0 / 0, nan for ignored classes.

    Args:
        numerators: A number per class: an integer, a Fraction or a float; or for many results an
            array of integers.
        denominators: The same.
        zero_division: The value of a class with denominator 0: 0.0, 1.0 or nan.
        ignored: The indices of classes that do not count.
    """
    pairs = enumerate(zip(numerators, denominators, strict=True))
    if np.ndarray in map(type, denominators):
        return [
            math.nan if c in ignored else _quotients(n, d, zero_division) for c, (n, d) in pairs
        ]
    return [
        math.nan if c in ignored else float(n / d) if d else zero_division for c, (n, d) in pairs
    ]


def _quotients(numerator: np.ndarray, denominator: np.ndarray, empty: float) -> Any:
    """Return the quotients of many results, each rounded once, as for Python integers."""
    if numerator.dtype == object or max(abs(numerator).max(), abs(denominator).max()) > _WHOLE:
        return entrywise(lambda n, d: float(n / d) if d else empty, numerator, denominator)
    quotients = np.full(denominator.shape, empty)
    np.divide(numerator, denominator, out=quotients, where=denominator != 0)
    return quotients


def mean_of_classes(values: Sequence[float], support: Sequence[Any] | None = None) -> float:
    """Return the mean of the values that are not nan, weighted by support if that is given.

    If all weights are 0, all values have equal weight. Values are added class by class, since the
    order of numpy's sums depends on the processor, and `sum` gives different results since Python
    3.12. Values may be arrays, for many results.

    Example:
        >>> mean_of_classes([1.0, math.nan, 0.5], [1, 5, 3])
        0.625
    """
    if np.ndarray in map(type, values):
        several: float = _means_of_classes(values, support)
        return several
    known = [c for c, value in enumerate(values) if not math.isnan(value)]
    if not known:
        return math.nan
    chosen = [values[c] for c in known]
    weights = [] if support is None else [support[c] for c in known]
    total = sum(weights)
    if total:
        return float(reduce(add, map(mul, chosen, weights)) / total)
    return reduce(add, chosen) / len(chosen)


def _means_of_classes(values: Sequence[Any], support: Sequence[Any] | None) -> Any:
    """Return the means of many results, added in the same order as for one result."""
    known = [~np.isnan(value) for value in values]
    chosen = [np.where(here, value, 0.0) for here, value in zip(known, values, strict=True)]
    with np.errstate(invalid="ignore"):
        means: Any = sum(chosen) / sum(map(np.int64, known))
        if support is None:
            return means
        weights = [np.where(here, s, 0) for here, s in zip(known, support, strict=True)]
        total = sum(weights)
        return np.where(total, sum(map(mul, chosen, weights)) / total, means)


def class_average(
    numerators: Sequence[Any],
    denominators: Sequence[Any],
    support: Sequence[Any],
    average: str | None,
    zero_division: float = 0.0,
    ignored: Collection[int] = (),
) -> float | list[float]:
    """Return one value for all classes, or a list with a value per class.

    Args:
        numerators: A number per class: an integer, a Fraction or a float.
        denominators: The same.
        support: The weights of "weighted", in the same form.
        average: "micro": the quotient of the sums. "macro": the mean over classes. "weighted": the
            mean weighted by support. None: a list.
        zero_division: The value of a class with denominator 0; nan leaves it out of means.
        ignored: The indices of classes that are left out of every average, and are nan in lists.

    Example:
        >>> class_average([1, 0, 3], [2, 0, 4], [2, 0, 4], "macro")
        0.4166666666666667
        >>> class_average([1, 0, 3], [2, 0, 4], [2, 0, 4], "macro", zero_division=math.nan)
        0.625
        >>> class_average([1, 0, 3], [2, 0, 4], [2, 0, 4], None, ignored=[0])
        [nan, 0.0, 0.75]
    """
    if average == "micro":
        counted = [c for c in range(len(numerators)) if c not in ignored]
        totals = [sum(column[c] for c in counted) for column in (numerators, denominators)]
        [value] = class_values(totals[:1], totals[1:], zero_division)
        return value
    values = class_values(numerators, denominators, zero_division, ignored)
    if average is None:
        return values
    return mean_of_classes(values, support if average == "weighted" else None)
