"""Worlds without a difference, for `make intervals`: how often comparisons and gates are wrong.

Both systems are right with the same probability, which differs between samples: so they err on the
same difficult samples. 15 of 100 samples flip.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

import mmeval_like as mm
from mmeval_like._intervals.sequential import Looks, added_flips

SIZES = (30, 100, 300, 1000)
PLANNED, STEP = 14_042, 256  # samples of a benchmark, and between two looks
_LOOKS = np.arange(STEP, PLANNED + STEP, STEP).clip(max=PLANNED)
_UNEVEN = (0.6, 0.25, 0.1, 0.05)

Systems = tuple[np.ndarray, np.ndarray, np.ndarray]  # predictions of a and of b, labels


@dataclass(frozen=True)
class World:
    """One row of the table of comparisons.

    Attributes:
        name: What is compared.
        metric: Makes the metric.
        draw: Predictions of two systems that are equally good, and labels, of n samples.
        sizes: For which n.
        hits: Only the samples that one system alone gets right decide: p is computed once for
            equal numbers of them.
    """

    name: str
    metric: Callable[[], mm.BaseMetric]
    draw: Callable[[np.random.Generator, int], Systems]
    sizes: tuple[int, ...] = SIZES
    hits: bool = False


def classes(shares: tuple[float, ...]) -> Callable[[np.random.Generator, int], Systems]:
    """Labels with these shares; on hard samples the systems are right each for itself."""

    def draw(rng: np.random.Generator, count: int) -> Systems:
        labels = rng.choice(len(shares), count, p=shares)
        common = np.where(rng.random(count) < 0.8, labels, rng.integers(0, len(shares), count))
        hard = rng.random(count) < 0.25
        a, b = (
            np.where(rng.random(count) < 0.6, labels, rng.integers(0, len(shares), count))
            for _ in range(2)
        )
        return np.where(hard, a, common), np.where(hard, b, common), labels

    return draw


def losses(rng: np.random.Generator, count: int) -> Systems:
    """Errors of both systems, which are skewed and go together."""
    shared = rng.exponential(size=count)
    a, b = (shared + rng.exponential(size=count) for _ in range(2))
    return a, b, np.zeros(count)


FOUR = {"task": "multiclass", "num_classes": 4}
WORLDS = (
    World("accuracy", mm.Accuracy, classes((0.5, 0.5)), hits=True),
    World("macro F1, four classes 60:25:10:5", lambda: mm.FBetaScore(**FOUR), classes(_UNEVEN)),
    World("MCC, the same", lambda: mm.MatthewsCorrCoef(4), classes(_UNEVEN)),
    World("mean absolute error", mm.MeanAbsoluteError, losses, (30, 100)),
)  # fmt: skip


def compared(metric: mm.BaseMetric, systems: Systems) -> tuple[mm.Paired, mm.Result]:
    """Two systems, and what their comparison found."""
    pair = mm.Paired(metric, dist_backend="non_dist")
    a, b, labels = systems
    ids = np.arange(len(labels))
    pair.a.add(a, labels, ids=ids)
    pair.b.add(b, labels, ids=ids)
    return pair, pair.compute()


def flips(systems: Systems) -> tuple[int, int]:
    """How many samples only b gets right, and how many only a."""
    a, b = (one == systems[2] for one in systems[:2])
    return int((b & ~a).sum()), int((a & ~b).sum())


def false_alarms(world: World, count: int, draws: int) -> tuple[float, float]:
    """How often p is below 0.05, and below 0.01, though there is no difference."""
    rng, metric = np.random.default_rng(count), world.metric()
    known: dict[tuple[int, int], float] = {}
    found = []
    for _ in range(draws):
        systems = world.draw(rng, count)
        flipped = flips(systems)
        if not world.hits or flipped not in known:
            _, values = compared(metric, systems)
            known[flipped] = next(v for key, v in values.items() if key.endswith("_p"))
        found.append(known[flipped])
    return float(np.mean(np.less(found, 0.05))), float(np.mean(np.less(found, 0.01)))


def at_the_margin(count: int, draws: int) -> tuple[float, float]:
    """How often a gate passes, and fails, a system that is just as much worse as it may be.

    Both should happen in 2.5 of 100 cases at most.
    """
    rng, labels = np.random.default_rng(count), np.ones(count, int)
    known: dict[tuple[int, int], str] = {}
    outcomes = []
    for _ in range(draws):
        kind = rng.random(count)  # 12.5 of 100 flip down, 2.5 of 100 flip up
        a = (kind < 0.8).astype(int)
        b = np.where(kind < 0.125, 0, np.where(kind > 0.975, 1, a))
        flipped = flips((a, b, labels))
        if flipped not in known:
            pair, _ = compared(mm.Accuracy(), (a, b, labels))
            known[flipped] = mm.gate(pair, "top1", margin=0.1).outcome
        outcomes.append(known[flipped])
    return outcomes.count("pass") / draws, outcomes.count("fail") / draws


def looks(difference: float, draws: int) -> dict[str, float]:
    """Look 55 times at samples that arrive; how often each method ever finds a difference.

    Returns:
        The shares "interval" and "usual" (a test for one look, at every look), that of one test at
        the end, and the median share of the samples until the interval decides.
    """
    rng, sequence = np.random.default_rng(7), Looks(PLANNED, 0.95)
    ups, downs = 0.075 + difference / 2, 0.075 - difference / 2
    first, found = [], {"interval": 0, "usual": 0, "at the end": 0}
    for _ in range(draws):
        kind = rng.random(PLANNED)
        up = np.cumsum(kind < ups)[_LOOKS - 1]
        down = np.cumsum(kind > 1 - downs)[_LOOKS - 1]
        mean = (up - down) / _LOOKS
        added = added_flips(abs(up - down) / np.maximum(up + down, 1)) / _LOOKS**2
        error = np.sqrt((up + down - _LOOKS * mean**2) / (_LOOKS - 1) / _LOOKS + added)
        size = np.abs(mean) / error
        # Where the size is below 2.5 neither decides: exact arithmetic is kept for the others.
        near = np.flatnonzero((size > 2.5) & (up + down >= 20))
        decided = [
            int(_LOOKS[i])
            for i in near
            if sequence.p_value(Decimal(mean[i]), Decimal(error[i]), int(_LOOKS[i])) < 0.05
        ]
        first.append(decided[0] if decided else math.inf)
        found["interval"] += bool(decided)
        found["usual"] += bool((size > 1.96).any())
        found["at the end"] += bool(size[-1] > 1.96)
    shares = {name: number / draws for name, number in found.items()}
    return shares | {"median": float(np.median(first)) / PLANNED}
