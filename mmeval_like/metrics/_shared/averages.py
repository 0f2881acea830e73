"""The values of classes, and their average: by the class, pooled, or weighted."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from operator import mul
from typing import Any

__all__ = ["AVERAGES", "check_average", "class_average", "class_values", "mean_of_classes"]

AVERAGES = ("macro", "micro", "weighted", None)


def check_average(average: str | None, allowed: Collection[str | None] = AVERAGES) -> str | None:
    """Return it, None for the text "none"; ValueError unless it is one of those allowed."""
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
    """Return every class's quotient; `zero_division` for 0 / 0, nan for classes that are ignored.

    Args:
        numerators: A number per class: an integer, a Fraction or a float.
        denominators: The same.
        zero_division: What a class of denominator 0 is worth: 0.0, 1.0 or nan.
        ignored: The indices of classes that do not count.
    """
    return [
        math.nan if c in ignored else float(n / d) if d else zero_division
        for c, (n, d) in enumerate(zip(numerators, denominators, strict=True))
    ]


def mean_of_classes(values: Sequence[float], support: Sequence[Any] | None = None) -> float:
    """Return the mean of the values that are not nan, weighted by support if that is given.

    Where all weights are 0 the values count alike. Summed class by class: numpy's sums change
    their order with the processor.

    Example:
        >>> mean_of_classes([1.0, math.nan, 0.5], [1, 5, 3])
        0.625
    """
    known = [c for c, value in enumerate(values) if not math.isnan(value)]
    if not known:
        return math.nan
    chosen = [values[c] for c in known]
    weights = [] if support is None else [support[c] for c in known]
    total = sum(weights)
    if total:
        return float(sum(map(mul, chosen, weights)) / total)
    return sum(chosen) / len(chosen)


def class_average(
    numerators: Sequence[Any],
    denominators: Sequence[Any],
    support: Sequence[Any],
    average: str | None,
    zero_division: float = 0.0,
    ignored: Collection[int] = (),
) -> float | list[float]:
    """Return one value for all classes, or a list of a value per class.

    Args:
        numerators: A number per class: an integer, a Fraction or a float.
        denominators: The same.
        support: The same: the weights of "weighted".
        average: "micro": the quotient of the sums. "macro": the mean over classes. "weighted":
            their mean weighted by support. None: a list.
        zero_division: What a class of denominator 0 is worth; nan leaves it out of means.
        ignored: The indices of classes that leave every average, and are nan in lists.

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
        return float(totals[0] / totals[1]) if totals[1] else zero_division
    values = class_values(numerators, denominators, zero_division, ignored)
    if average is None:
        return values
    return mean_of_classes(values, support if average == "weighted" else None)
