"""Random queries, and the metrics of ranked documents written in the plainest way."""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

Gains = Sequence[float]
Plain = Callable[[Gains, Gains], float]


def tables(rng: np.random.Generator, n: int, gains: int = 2) -> tuple[Any, ...]:
    """Scores (n, L), many of them equal, and gains (n, L)."""
    shape = n, int(rng.integers(1, 6))
    return rng.integers(0, 4, shape) / 4, rng.integers(0, gains, shape)


def lists(rng: np.random.Generator, n: int, gains: int = 3) -> tuple[Any, ...]:
    """Lists of different lengths, also of none, with ids, judged gains, and weights."""
    scores, labels, names, judged = [], [], [], []
    for _ in range(n):
        count = int(rng.integers(0, 6))
        scores.append(rng.integers(0, 3, count).astype(np.float32))
        labels.append(rng.integers(-1, gains, count))
        names.append([f"d{i}" for i in rng.permutation(12)[:count]])
        others = rng.integers(0, gains, int(rng.integers(0, 4)))
        judged.append(rng.permutation(np.concatenate([labels[-1][labels[-1] >= 0], others])))
    return scores, labels, names, judged, rng.integers(1, 9, n) / 8


def orders(scores: Any, gains: Any, names: Any = None) -> Iterator[list[float]]:
    """All orders of a list's gains by descending scores; by the ids, where there are any, one."""
    count = range(len(scores))
    if names is not None:
        order = sorted(count, key=lambda i: (scores[i], names[i]), reverse=True)
        yield [float(gains[i]) for i in order]
        return
    groups = [
        [float(gains[i]) for i in count if scores[i] == score]
        for score in sorted({float(score) for score in scores}, reverse=True)
    ]
    for choice in itertools.product(*map(itertools.permutations, groups)):
        yield [gain for group in choice for gain in group]


def mean_over_orders(plain: Plain, scores: Any, gains: Any, names: Any, judged: Any) -> float:
    """The mean value of all orders of a list."""
    known = [float(g) for g in (gains if judged is None else judged)]
    values = [plain(order, known) for order in orders(scores, gains, names)]
    return math.fsum(values) / len(values)


def oracle(
    plain: Plain,
    key: str,
    scores: Any,
    labels: Any,
    names: Any = None,
    judged: Any = None,
    weights: Any = None,
) -> dict[str, float]:
    """The weighted mean over queries, without those for which the value is 0 / 0."""
    total = weight = 0.0
    for place in range(len(scores)):
        given = [None if column is None else column[place] for column in (names, judged)]
        value = mean_over_orders(plain, scores[place], labels[place], *given)
        if not math.isnan(value):
            w = 1.0 if weights is None else float(weights[place])
            total, weight = total + w * value, weight + w
    return {key: total / weight if weight else math.nan}


# The formulas, of one list in its order and of the gains of all judged documents ----------------


def number(judged: Gains) -> int:
    """The relevant ones."""
    return sum(gain >= 1 for gain in judged)


def hits(gains: Gains, k: int | None) -> int:
    """The relevant ones among the first k."""
    return number(gains[:k])


def of_relevant(formula: Callable[..., float]) -> Callable[..., float]:
    """Undefined where no document is relevant."""
    return lambda gains, judged, k=None: formula(gains, judged, k) if number(judged) else math.nan


@of_relevant
def average_precision(gains: Gains, judged: Gains, k: int | None) -> float:
    """The mean precision at the relevant ranks."""
    ranks = [i for i, gain in enumerate(gains[:k], 1) if gain >= 1]
    return math.fsum(hits(gains, i) / i for i in ranks) / number(judged)


@of_relevant
def reciprocal_rank(gains: Gains, judged: Gains, k: int | None) -> float:
    """1 / the rank of the first relevant one."""
    return next((1 / i for i, gain in enumerate(gains[:k], 1) if gain >= 1), 0.0)


@of_relevant
def precision(gains: Gains, judged: Gains, k: int | None) -> float:
    """Hits / k."""
    depth = len(gains) if k is None else k
    return hits(gains, k) / depth if depth else math.nan


@of_relevant
def recall(gains: Gains, judged: Gains, k: int | None) -> float:
    """Hits / R."""
    return hits(gains, k) / number(judged)


@of_relevant
def f_measure(gains: Gains, judged: Gains, k: int | None) -> float:
    """The harmonic mean of both."""
    if not gains and k is None:
        return 0.0
    both = precision(gains, judged, k), recall(gains, judged, k)
    return 2 * both[0] * both[1] / sum(both) if sum(both) else 0.0


@of_relevant
def hit(gains: Gains, judged: Gains, k: int | None) -> float:
    """Whether there is one."""
    return float(hits(gains, k) > 0)


@of_relevant
def r_precision(gains: Gains, judged: Gains, k: int | None) -> float:
    """Hits / R among the first R."""
    return hits(gains, number(judged)) / number(judged)


def fall_out(gains: Gains, judged: Gains, k: int | None = None) -> float:
    """False ones / all that are not relevant."""
    others = sum(0 <= gain < 1 for gain in judged) + sum(gain < 0 for gain in gains)
    false = sum(gain < 1 for gain in gains[:k])
    return false / others if others else math.nan


def dcg(gains: Gains, judged: Gains = (), k: int | None = None) -> float:
    """Discounted gains."""
    return math.fsum(max(g, 0) / math.log2(i + 1) for i, g in enumerate(gains[:k], 1))


def ndcg(gains: Gains, judged: Gains, k: int | None = None) -> float:
    """Divided by those of the best order."""
    best = dcg(sorted(judged, reverse=True), k=k)
    return dcg(gains, k=k) / best if best else math.nan


@of_relevant
def rank_biased(gains: Gains, judged: Gains, k: int | None) -> float:
    """The rate of a user who goes on with probability 0.8."""
    return 0.2 * math.fsum(0.8**i for i, gain in enumerate(gains[:k]) if gain >= 1)


def expected_reciprocal_rank(gains: Gains, judged: Gains, k: int | None = None) -> float:
    """Of gains up to 2."""
    total, left = 0.0, 1.0
    for i, gain in enumerate(gains[:k], 1):
        satisfied = (2 ** max(gain, 0) - 1) / 4
        total, left = total + left * satisfied / i, left * (1 - satisfied)
    return total if any(gain > 0 for gain in judged) else math.nan


def judged_share(gains: Gains, judged: Gains, k: int | None = None) -> float:
    """The judged ones among the first k."""
    first = gains[:k]
    return sum(gain >= 0 for gain in first) / len(first) if first else math.nan
