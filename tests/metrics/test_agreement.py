"""Agreement of raters: against formulas over all pairs of ratings, and examples of the papers."""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.metrics.agreement.rating_counts import RatingCounts
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples

C = 3


def classes(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """Ratings of up to five raters, some of them missing."""
    shape = n, int(rng.integers(1, 6))
    base = rng.integers(0, C, (n, 1))
    given = np.where(rng.random(shape) < 0.6, base, rng.integers(0, C, shape))
    return (np.where(rng.random(shape) < 0.2, -1, given),)


def counts(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """The same as counts of classes."""
    [given] = classes(rng, n)
    return ((given[:, :, None] == np.arange(C)).sum(axis=1),)


def numbers(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """Numbers of up to four raters, some of them missing."""
    shape = n, int(rng.integers(2, 5))
    given = rng.normal(100, 3, (n, 1)) + rng.normal(0, 1, shape)
    return (np.where(rng.random(shape) < 0.2, np.nan, given),)


def complete(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """Numbers of four raters."""
    return (rng.normal(50, 5, (n, 1)) + rng.normal(size=(n, 4)) + np.arange(4),)


def listed(ratings: Any) -> list[list[int]]:
    """The ratings of every item that has any."""
    items = [[int(r) for r in row if r >= 0] for row in np.asarray(ratings)]
    return [item for item in items if item]


def of_counts(ratings: Any) -> list[list[int]]:
    """The same, of counts of classes."""
    return listed([[*np.repeat(np.arange(C), row), *[-1] * (9 - sum(row))] for row in ratings])


def agreement(items: list[list[int]], weight: Callable[[int, int], Any]) -> Any:
    """The mean over items of the mean weight of two of their ratings."""
    values = []
    for item in items:
        pairs = [(a, b) for i, a in enumerate(item) for j, b in enumerate(item) if i != j]
        if pairs:
            values.append(sum(Fraction(weight(a, b)) for a, b in pairs) / len(pairs))
    return sum(values) / len(values) if values else None


def shares(items: list[list[int]]) -> list[Fraction]:
    """The mean share of each class."""
    return [
        sum(Fraction(item.count(c), len(item)) for item in items) / len(items) for c in range(C)
    ]


def corrected(items: list[list[int]], weight: Callable[[int, int], Any], chance: Any) -> float:
    """Agreement beyond chance."""
    observed = agreement(items, weight)
    if observed is None or chance(items) == 1:
        return math.nan
    return float((observed - chance(items)) / (1 - chance(items)))


def fleiss(ratings: Any, read: Any = of_counts) -> dict[str, float]:
    """Fleiss' kappa."""
    chance = lambda items: sum(s * s for s in shares(items))  # noqa: E731
    return {"fleiss_kappa": corrected(read(ratings), lambda a, b: a == b, chance)}


def gwet(ratings: Any, power: int = 0) -> dict[str, float]:
    """AC1 or AC2."""

    def weight(a: int, b: int) -> Fraction:
        return 1 - Fraction(abs(a - b) ** power, (C - 1) ** power) if power else Fraction(a == b)

    total = sum(weight(a, b) for a in range(C) for b in range(C))
    chance = lambda items: total * sum(s * (1 - s) for s in shares(items)) / (C * (C - 1))  # noqa: E731
    return {"gwet_ac": corrected(listed(ratings), weight, chance)}


def brennan(ratings: Any) -> dict[str, float]:
    """The Brennan-Prediger coefficient."""
    chance = lambda items: Fraction(1, C)  # noqa: E731
    return {"brennan_prediger": corrected(listed(ratings), lambda a, b: a == b, chance)}


def plain(ratings: Any) -> dict[str, float]:
    """Not corrected."""
    found = agreement(listed(ratings), lambda a, b: a == b)
    return {"percent_agreement": math.nan if found is None else float(found)}


def alpha(items: list[list[Any]], difference: Callable[[Any, Any, list[Any]], Any]) -> float:
    """Krippendorff's alpha, from all pairs of ratings."""
    items = [item for item in items if len(item) > 1]
    every = [r for item in items for r in item]
    observed = sum(
        Fraction(difference(a, b, every)) / (len(item) - 1)
        for item in items
        for i, a in enumerate(item)
        for j, b in enumerate(item)
        if i != j
    )
    expected = sum(Fraction(difference(a, b, every)) for a in every for b in every)
    return float(1 - (len(every) - 1) * observed / expected) if expected else math.nan


def ordinal(a: int, b: int, every: list[int]) -> Fraction:
    """The ratings between two ranks, those of the two counting half."""
    low, high = sorted((a, b))
    between = sum(low <= r <= high for r in every)
    return (between - Fraction(every.count(a) + every.count(b), 2)) ** 2 if a != b else Fraction(0)


VALUES = [Fraction(1), Fraction(5, 2), Fraction(4)]
DIFFERENCES: dict[str, Callable[[Any, Any, list[Any]], Any]] = {
    "nominal": lambda a, b, every: a != b,
    "ordinal": ordinal,
    "interval": lambda a, b, every: (VALUES[a] - VALUES[b]) ** 2,
    "ratio": lambda a, b, every: ((VALUES[a] - VALUES[b]) / (VALUES[a] + VALUES[b])) ** 2,
}


def krippendorff(level: str, ratings: Any) -> dict[str, float]:
    """Alpha of classes."""
    return {"alpha": alpha(listed(ratings), DIFFERENCES[level])}


def of_numbers(ratings: Any) -> dict[str, float]:
    """Alpha of numbers."""
    items = [[Fraction(r) for r in row if not math.isnan(r)] for row in np.asarray(ratings)]
    return {"alpha": alpha(items, lambda a, b, every: (a - b) ** 2)}


def correlations(ratings: Any) -> dict[str, float]:
    """Two of the six forms, from mean squares."""
    n, k = ratings.shape
    if n < 2:
        return dict.fromkeys(("icc1", "icc2"), math.nan)
    rows, columns = ratings.mean(axis=1, keepdims=True), ratings.mean(axis=0, keepdims=True)
    b = k * ((rows - ratings.mean()) ** 2).sum() / (n - 1)
    w = ((ratings - rows) ** 2).sum() / (n * (k - 1))
    j = n * ((columns - ratings.mean()) ** 2).sum() / (k - 1)
    e = ((ratings - rows - columns + ratings.mean()) ** 2).sum() / ((n - 1) * (k - 1))
    two = (b - e) / (b + (k - 1) * e + k * (j - e) / n)
    return {"icc1": (b - w) / (b + (k - 1) * w), "icc2": two}


CASES = {
    "FleissKappa": MetricCase(partial(mm.FleissKappa, C), counts, fleiss),
    "FleissKappa, classes": MetricCase(
        partial(mm.FleissKappa, C, mode="classes"), classes, partial(fleiss, read=listed)
    ),
    "GwetAC": MetricCase(partial(mm.GwetAC, C), classes, gwet),
    "GwetAC, linear": MetricCase(
        partial(mm.GwetAC, C, weights="linear"), classes, partial(gwet, power=1)
    ),
    "GwetAC, quadratic": MetricCase(
        partial(mm.GwetAC, C, weights="quadratic"), classes, partial(gwet, power=2)
    ),
    "BrennanPrediger": MetricCase(partial(mm.BrennanPrediger, C), classes, brennan),
    "PercentAgreement": MetricCase(partial(mm.PercentAgreement, C), classes, plain),
    **{
        f"KrippendorffAlpha, {level}": MetricCase(
            partial(mm.KrippendorffAlpha, C, level=level, values=[1.0, 2.5, 4.0]),
            classes,
            partial(krippendorff, level),
            tolerance=1e-15,
        )
        for level in DIFFERENCES
    },
    "KrippendorffAlpha of numbers": MetricCase(
        mm.KrippendorffAlpha, numbers, of_numbers, tolerance=1e-9
    ),
    "IntraclassCorrelation": MetricCase(
        partial(mm.IntraclassCorrelation, 4), complete, correlations, tolerance=1e-9
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The metric equals its formula over all pairs of ratings, and keeps every law."""
    check_metric(CASES[name], examples=examples(3), libraries=["array_api_strict"])


def test_the_order_of_raters_says_nothing() -> None:
    """Who gave which number of an item, and how many more did not rate it, changes no bit."""
    rng = np.random.default_rng(0)
    [given] = numbers(rng, 40)
    wider = np.pad(given, ((0, 0), (0, 3)), constant_values=np.nan)
    metric = mm.KrippendorffAlpha()
    assert metric(rng.permuted(wider, axis=1)) == metric(given)


@pytest.mark.parametrize("offset", [1e6, 1.7e12, 1e15])
def test_an_offset_of_numeric_ratings_changes_nothing(offset: float) -> None:
    """Ratings far from 0, such as times, differ by the same: thirds of a mean are not rounded off.

    Multiples of 1/8 are exact at every offset, so only the rounding within an item is left.
    """
    ratings = np.random.default_rng(0).integers(0, 40, (20, 3)) / 8
    metric = mm.KrippendorffAlpha()
    assert metric(ratings + offset)["alpha"] == pytest.approx(metric(ratings)["alpha"], rel=1e-14)


@pytest.mark.parametrize("size", [2, 3, 7, 60])
def test_every_combination_has_its_own_code(size: int) -> None:
    """What rows makes of counts, ratings makes counts of again."""
    rng = np.random.default_rng(size)
    statistic = RatingCounts(size, "counts")
    table = rng.integers(0, 3 if size < 60 else 1, (200, size))
    table[rng.integers(0, 200, 50), rng.integers(0, size, 50)] += 3
    codes = statistic.rows(table)["items"]
    assert (statistic._decoded(codes) == table).all()
    assert len(np.unique(codes)) == len(np.unique(table, axis=0))


def test_products_of_counts_beyond_floats_are_exact() -> None:
    """Integers of Python take over where floats would round, and give the same elsewhere."""
    many = np.array([[1 << 21, 1 << 21], [(1 << 22) - 3, 3], [1, (1 << 22) - 1]])
    size, rows = 1 << 22, [[Fraction(int(n)) for n in row] for row in many]
    pairs = [sum(n * (n - 1) for n in row) / (size * (size - 1)) for row in rows]
    shares = [sum(column) / size / 3 for column in zip(*rows, strict=True)]
    observed, chance = sum(pairs) / 3, sum(share**2 for share in shares)
    metric = mm.FleissKappa(2)
    assert metric(many) == {"fleiss_kappa": float((observed - chance) / (1 - chance))}
    metric.reset()
    for _ in range(3000):  # items * n * n is beyond 2^53
        metric.add(many[:1])
    assert metric.compute()["fleiss_kappa"] == float(Fraction(-1, size - 1))


def test_the_table_of_fleiss() -> None:
    """The example that is known from lectures: 10 items, 14 raters, 5 classes, kappa 0.210."""
    table = [
        [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
    ]  # fmt: skip
    assert mm.FleissKappa(5)(table)["fleiss_kappa"] == pytest.approx(0.2099, abs=5e-5)


def test_the_table_of_krippendorff() -> None:
    """Krippendorff (2011), C: four observers, 12 units, missing ratings."""
    x = -1
    observers = np.array([
        [1, 2, 3, 3, 2, 1, 4, 1, 2, x, x, x],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, x, 3],
        [x, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, x],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, x],
    ])  # fmt: skip
    ratings = observers.T
    known = {"nominal": 0.743, "ordinal": 0.815, "interval": 0.849, "ratio": 0.797}
    for level, wanted in known.items():
        found = mm.KrippendorffAlpha(6, level)(ratings)["alpha"]
        assert found == pytest.approx(wanted, abs=5e-4), level
    as_numbers = np.where(ratings < 0, np.nan, ratings)
    assert mm.KrippendorffAlpha()(as_numbers)["alpha"] == pytest.approx(0.849, abs=5e-4)


def test_the_table_of_shrout_and_fleiss() -> None:
    """Shrout and Fleiss (1979), tables 2 and 4."""
    table = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    found = mm.IntraclassCorrelation(4)(table)
    rounded = {name: round(value, 2) for name, value in found.items()}
    assert rounded == {
        "icc1": 0.17, "icc2": 0.29, "icc3": 0.71, "icc1k": 0.44, "icc2k": 0.62, "icc3k": 0.91,
    }  # fmt: skip


def test_scores_of_raters() -> None:
    """Of every rater's scores the highest counts."""
    scores = np.zeros((1, 3, 2))
    scores[0, 1, 0] = scores[0, 2, 1] = 0.5
    assert mm.FleissKappa(3, mode="probs")(scores) == {"fleiss_kappa": -1.0}


def test_intervals() -> None:
    """An item is one code, so that each can be left out."""
    rng = np.random.default_rng(0)
    metric = mm.FleissKappa(C, mode="classes", interval=0.95)
    found = metric(*classes(rng, 100))
    assert found["fleiss_kappa_low"] < found["fleiss_kappa"] < found["fleiss_kappa_high"]
