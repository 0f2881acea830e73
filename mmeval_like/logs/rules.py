"""The functions that aggregate scores of samples, exactly or rounded as by harnesses."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from mmeval_like.metrics import (
    BLEU,
    BitsPerByte,
    CHRFScore,
    FBetaScore,
    MatthewsCorrCoef,
    TranslationEditRate,
)
from mmeval_like.writing.exact import exp, sqrt_fraction

__all__ = [
    "OF_PARTS",
    "RULES",
    "error_of_groups",
    "mean_of_groups",
    "one_after_another",
    "pooled_error",
    "standard_error",
]


def _mean(values: Sequence[Fraction]) -> float:
    return float(_middle(values))


def _middle(values: Sequence[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


def _std(values: Sequence[Fraction]) -> float:
    return sqrt_fraction(_variance(values))


def _variance(values: Sequence[Fraction]) -> Fraction:
    middle = _middle(values)
    total = sum(((value - middle) ** 2 for value in values), Fraction(0))
    return total / max(len(values) - 1, 1)


def _median(values: Sequence[Fraction]) -> float:
    several, half = sorted(values), len(values) // 2
    return float((several[half] + several[~half]) / 2)


def standard_error(values: Sequence[Fraction], groups: Sequence[Any] | None = None) -> float:
    """Return the standard error of a mean.

    It is the square root of g / (g - 1) times the sum over groups of the squared sum of deviations,
    divided by the number of values, for g groups of values that belong together (K.-Y. Liang and
    S. L. Zeger, "Longitudinal data analysis using generalized linear models", Biometrika 73, 1986).

    Args:
        values: The values.
        groups: The group of each value; None: each value is a separate group.
    """
    middle = _middle(values)
    sums: dict[Any, Fraction] = {}
    for value, group in zip(values, groups or range(len(values)), strict=True):
        sums[group] = sums.get(group, Fraction(0)) + value - middle
    if len(sums) < 2:
        return math.nan if groups else 0.0
    total = sum((s**2 for s in sums.values()), Fraction(0)) * len(sums) / (len(sums) - 1)
    return sqrt_fraction(total / len(values) ** 2)


def mean_of_groups(values: Sequence[Fraction], groups: Sequence[Any]) -> float:
    """Return the mean of the groups' means."""
    members = _split(values, groups)
    return float(_middle([_middle(several) for several in members]))


def pooled_error(values: Sequence[Fraction], groups: Sequence[Any]) -> float:
    """Return a standard error from deviations within groups; nan if no group has two values.

    It is the uncertainty of the mean for these groups, not for other groups of the same kind.
    """
    members = _split(values, groups)
    free = len(values) - len(members)
    if not free:
        return math.nan
    total = sum((_variance(several) * (len(several) - 1) for several in members), Fraction(0))
    return sqrt_fraction(total / free / len(values))


def error_of_groups(values: Sequence[Fraction], groups: Sequence[Any]) -> float:
    """Return the standard error of `mean_of_groups`, for these groups; nan if one has one value.

    The k means are independent, so that the variance of their mean is the sum of theirs, divided by
    k squared.
    """
    members = _split(values, groups)
    if min(map(len, members)) < 2:
        return math.nan
    total = sum((_variance(several) / len(several) for several in members), Fraction(0))
    return sqrt_fraction(total / len(members) ** 2)


def _split(values: Sequence[Fraction], groups: Sequence[Any]) -> list[list[Fraction]]:
    members: dict[Any, list[Fraction]] = {}
    for value, group in zip(values, groups, strict=True):
        members.setdefault(group, []).append(value)
    return [*members.values()]


def _perplexity(values: Sequence[Fraction]) -> float:
    return exp(-_middle(values))


def _per_size(key: str) -> Callable[[Sequence[Any]], float]:
    def function(pairs: Sequence[Any]) -> float:
        logarithms, sizes = zip(*pairs, strict=True)
        found: Mapping[str, Any] = BitsPerByte()(logarithms, None, sizes, sizes)
        return float(found[key])

    return function


def _f1(pairs: Sequence[Any]) -> float:
    labels, predictions = zip(*pairs, strict=True)
    return float(FBetaScore()(predictions, labels)["fbeta"])


def _matthews(pairs: Sequence[Any]) -> float:
    labels, predictions = zip(*pairs, strict=True)
    classes = 1 + max(*labels, *predictions, 1)
    if classes > 2 + 2 * len(pairs):  # large numbers rather than many classes
        codes = {label: code for code, label in enumerate(sorted({*labels, *predictions}))}
        labels, predictions = (tuple(codes[one] for one in some) for some in (labels, predictions))
        classes = max(2, len(codes))
    return float(MatthewsCorrCoef(classes)(predictions, labels)["mcc"])


def _per_cent(make: Callable[[], Any], key: str) -> Callable[[Sequence[Any]], float]:
    def function(pairs: Sequence[Any]) -> float:
        references, predictions = zip(*pairs, strict=True)
        lists = [[one] if isinstance(one, str) else [*one] for one in references]
        return float(100 * Fraction(make()([*predictions], lists)[key]))

    return function


RULES: Mapping[str, Callable[[Sequence[Any]], float]] = {
    "mean": _mean,
    "median": _median,
    "std": _std,
    "var": lambda values: float(_variance(values)),
    "perplexity": _perplexity,
    "weighted_perplexity": _per_size("byte_perplexity"),
    "bits_per_byte": _per_size("bits_per_byte"),
    "f1": _f1,
    "matthews_corrcoef": _matthews,
    "bleu": _per_cent(lambda: BLEU(tokenizer_fn="13a", smooth="exp"), "bleu"),
    "chrf": _per_cent(CHRFScore, "chrf"),
    "ter": _per_cent(TranslationEditRate, "ter"),
}
"""By name, the functions that aggregate values: fractions, or the lists of `OF_PARTS`."""

OF_PARTS = {
    *("weighted_perplexity", "bits_per_byte", "f1", "matthews_corrcoef", "bleu", "chrf", "ter")
}
"""The names of the functions whose values are lists of inputs instead of fractions."""


def one_after_another(values: Sequence[float]) -> float:
    """Return the mean with every partial sum rounded, as most programs compute it."""
    return sum(values) / len(values)
