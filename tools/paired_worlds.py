"""Systems at the margin, for `make intervals`: how often comparisons that are no shares pass.

System b is worse than a by exactly the margin. In most rows, the result depends on how many units
change, so that all outcomes are enumerated; clusters of unequal sizes are drawn. A comparison whose
interval is marked does not pass.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import mmeval_like as mm
from mmeval_like._intervals.difference import Difference
from mmeval_like._intervals.flips import Flips

_RARE = 1e-7  # outcomes that are left out


@dataclass(frozen=True)
class AtTheMargin:
    """One row of the table.

    Attributes:
        name: What is compared.
        metric: Makes the metric, of one value per sample.
        units: The number of units: samples, or clusters.
        each: The number of samples of every unit.
        changes: How many of them change in a unit that changes; 0: all, in clusters whose sizes
            are lognormal with mean `each`, and a spread of 1 on the logarithmic scale.
        share: The share of units that change.
        step: By how much samples that change are worse.
        worse: By how much every unit is worse, drawn; None: the units that change are.
    """

    name: str
    metric: Callable[[], mm.BaseMetric]
    units: int
    each: int
    changes: int
    share: float
    step: float = 1.0
    worse: Callable[[np.random.Generator, int], np.ndarray] | None = None

    @property
    def drawn(self) -> bool:
        """Whether outcomes are drawn, not enumerated."""
        return self.worse is not None or not self.changes

    @property
    def margin(self) -> float:
        """The true difference, without its sign."""
        return self.share * (self.changes / self.each if self.changes else 1) * self.step


def _bounded() -> mm.BaseMetric:
    return mm.Mean(bounds=(0, 1), higher_is_better=True)


def _unbounded() -> mm.BaseMetric:
    return mm.Mean(higher_is_better=True)


def exponential(rng: np.random.Generator, count: int) -> np.ndarray:
    """Of mean 1."""
    return rng.exponential(size=count)


def lognormal(rng: np.random.Generator, count: int) -> np.ndarray:
    """Of mean 1, and a spread of 1 on the logarithmic scale."""
    return rng.lognormal(-0.5, 1, count)


def skewed(units: int, each: int, worse: Any) -> AtTheMargin:
    """A row of units of which all are worse, by 1 on average."""
    of = f"{units} documents of {each}" if each > 1 else f"{units}"
    name = f"unbounded mean of {of}, {worse.__name__} differences"
    return AtTheMargin(name, _unbounded, units, each, each, 1.0, worse=worse)


WORLDS = (
    AtTheMargin("accuracy, 40 documents of 10, 2% lost", mm.Accuracy, 40, 10, 10, 0.02),
    AtTheMargin("accuracy, 50 documents of 8, 5 of 8 lost in 4%", mm.Accuracy, 50, 8, 5, 0.04),
    AtTheMargin("accuracy, 164 documents of 10, 0.5% lost", mm.Accuracy, 164, 10, 10, 0.005),
    AtTheMargin("accuracy, 164 documents of 10, 5% lost", mm.Accuracy, 164, 10, 10, 0.05),
    AtTheMargin("accuracy, 100 documents of unequal sizes, 5% lost", mm.Accuracy, 100, 10, 0, 0.05),
    AtTheMargin("accuracy, 300 documents of unequal sizes, 5% lost", mm.Accuracy, 300, 10, 0, 0.05),
    AtTheMargin("bounded mean of 100, 2% lost", _bounded, 100, 1, 1, 0.02),
    AtTheMargin("bounded mean of 200, 1% lost", _bounded, 200, 1, 1, 0.01),
    AtTheMargin("bounded mean of 100, 8.4% lost", _bounded, 100, 1, 1, 0.084),
    AtTheMargin("bounded mean of 200, 10% lose a half", _bounded, 200, 1, 1, 0.1, 0.5),
    AtTheMargin("unbounded mean of 1,000, 0.1% lost", _unbounded, 1000, 1, 1, 0.001),
    AtTheMargin("unbounded mean of 100, 8.4% lost", _unbounded, 100, 1, 1, 0.084),
    AtTheMargin("unbounded mean of 200, 10% lost", _unbounded, 200, 1, 1, 0.1),
    *(skewed(units, 1, worse) for worse in (exponential, lognormal) for units in (20, 30, 60, 200)),
    *(skewed(units, 5, worse) for worse in (exponential, lognormal) for units in (40, 100)),
)  # fmt: skip


def compared(metric: mm.BaseMetric, change: np.ndarray, clusters: np.ndarray | None) -> Difference:
    """The difference of a system that is always right, and one that is worse by these numbers."""
    pair = mm.Paired(metric, dist_backend="non_dist")
    ones = np.ones(len(change))
    for side, values in ((pair.a, ones), (pair.b, ones - change)):
        labels = [ones.astype(int)] if isinstance(metric, mm.Accuracy) else []
        whole = values.astype(int) if labels else values
        named = {} if clusters is None else {"clusters": clusters}
        side.add(whole, *labels, ids=np.arange(len(change)), **named)
    pair.compute()
    [found] = pair.intervals.values()
    return found


def verdicts(world: AtTheMargin, draws: int) -> dict[str, float]:
    """The shares of wrong passes, of wrong fails, and of marked comparisons."""
    chances = _drawn(world, draws) if world.drawn else _outcomes(world)
    found = dict.fromkeys(("pass", "fail", "marked"), 0.0)
    for chance, one in chances:
        found["marked"] += chance * (one.thin is not None)
        found["pass"] += chance * (one.thin is None and one.low >= -world.margin)
        found["fail"] += chance * (one.thin is None and one.high < -world.margin)
    return found


def _outcomes(world: AtTheMargin) -> list[tuple[float, Difference]]:
    found = []
    clusters = np.repeat(np.arange(world.units), world.each) if world.each > 1 else None
    for lost in range(world.units + 1):
        chance = math.comb(world.units, lost) * world.share**lost
        chance *= (1 - world.share) ** (world.units - lost)
        if chance > _RARE:
            unit = np.arange(world.each) < world.changes
            change = np.outer(np.arange(world.units) < lost, unit).reshape(-1) * world.step
            found.append((chance, compared(world.metric(), change, clusters)))
    return found


def _drawn(world: AtTheMargin, draws: int) -> list[tuple[float, Difference]]:
    rng, found = np.random.default_rng(world.units), []
    for _ in range(draws):
        if world.worse is not None:
            clusters = np.repeat(np.arange(world.units), world.each)
            change = world.worse(rng, world.units)[clusters]
            found.append(
                (1 / draws, compared(world.metric(), change, clusters if world.each > 1 else None))
            )
            continue
        sizes = np.ceil(rng.lognormal(math.log(world.each) - 0.5, 1, world.units)).astype(int)
        clusters = np.repeat(np.arange(world.units), sizes)
        lost = rng.random(world.units) < world.share
        found.append((1 / draws, compared(world.metric(), 1.0 * lost[clusters], clusters)))
    return found


@cache
def exactly_detected(up: int, down: int, count: int) -> tuple[float, float]:
    """The difference of shares that is called detectable, and the exact power of finding it."""
    found = Flips(up, down, count, 1.0).detectable(0.95, 0.8)
    share = max((up + down) / count, found)
    ups, downs = (share + found) / 2, (share - found) / 2
    power, ways = 0.0, math.lgamma(count + 1)
    for fewer in range(count + 1):
        reached = False
        for more in range(fewer + 1, count + 1 - fewer):
            logs = ways - sum(math.lgamma(n + 1) for n in (more, fewer, count - more - fewer))
            logs += more * math.log(ups) + (count - more - fewer) * math.log1p(-ups - downs)
            logs += fewer * math.log(downs) if downs > 0 else -math.inf if fewer else 0.0
            if logs < math.log(_RARE):
                if more > count * ups:
                    break
                continue
            reached = reached or Flips(more, fewer, count, 1.0).p_at(0.0) < 0.05
            power += math.exp(logs) * reached
        if fewer > count * downs + 10 * math.sqrt(count * downs + 1):
            break
    return found, power
