"""Planning: how many units a decision needs, before any of them is evaluated."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any

import numpy as np

from mmeval_like._intervals.difference import Difference
from mmeval_like._intervals.distributions import normal_quantile, t_quantile
from mmeval_like._intervals.exact_shares import FEW, tail
from mmeval_like._intervals.interval import Interval
from mmeval_like._intervals.interval import share as interval_of_share
from mmeval_like._intervals.jackknife.changed_units import LEAST
from mmeval_like._intervals.jackknife.left_out import FEW_FOR_TAILS
from mmeval_like._intervals.spanning import spans
from mmeval_like._verdicts.power import POWER, needed, needed_to_detect

__all__ = ["Plan", "plan"]


@dataclass(frozen=True)
class Plan:
    """The number of units that a decision needs; printed as a sentence.

    Attributes:
        units: The number of units.
        unit: "sample", or "cluster".
        samples: The number of samples; None if a pilot run in clusters does not tell it.
        goal: What they are enough for.
    """

    units: int
    unit: str
    samples: int | None
    goal: str

    def __str__(self) -> str:
        text = f"{self.units:,} {self.unit}s"
        if self.unit != "sample" and self.samples is not None:
            text += f" ({self.samples:,} samples)"
        return f"{text} {self.goal}"


def plan(
    pilot: Interval | None = None,
    *,
    detect: float | None = None,
    half_width: float | None = None,
    differ: float | None = None,
    share: float | None = None,
    std: float | None = None,
    cluster_size: float | None = None,
    icc: float | None = None,
    level: float | None = None,
    power: float = POWER,
) -> Plan:
    """Return how many samples, or clusters of samples, a decision needs.

    Say what the samples are for, by `detect` or `half_width`, and what one sample is like, by one
    of `differ`, `share`, `std` and `pilot`. The numbers are those of McNemar's test (R. J. Connor,
    Sample size for testing differences in proportions for the paired-sample design, Biometrics 43,
    1987), of the exact test of a share, of Student's t, and of the interval of a share. Gates and
    comparisons of this package use these intervals, or exact ones, so that they decide with about
    this power. A comparison of hits in which one system never loses needs up to a seventh fewer
    samples. `std` does not tell how skewed values are: if the long tail of differences lies towards
    0, few samples need up to half as many more, which the interval of a pilot run shows.

    Samples in clusters, such as several answers to each question, are as informative as 1 + (m - 1)
    icc times fewer samples, where m is the size of a cluster (L. Kish, Survey Sampling, 1965).
    With `differ`, there are a few more of them, since intervals allow for one more cluster that
    changes. With `share`, a plan does not allow for failing clusters that are not seen: near 1,
    intervals are wider than planned. For a share of 0.95, clusters of 8 samples and an `icc` of
    0.3, it names 35 clusters for a half width of 0.05, and they have 0.069 on average.
    `VarianceComponents` estimates `std` and `icc` (E. Miller, Adding error bars to evals, 2024,
    section 5).

    A plan has at least 20 units, or 30 clusters if `std` is given: intervals of fewer ones may have
    a mark, and then decide nothing. Only a share of independent samples has no such limit.

    Args:
        pilot: The interval of a value or of a difference from a first run, such as
            `metric.intervals["top1"]` or `pair.intervals["top1_difference"]`.
        detect: The true difference of two systems that must be found, or the distance of the true
            value from the bound of a gate. For a gate with a margin and equally good systems, it is
            the margin; with `both=True`, either end may be beyond it, so pass `power=0.9` for 80%.
        half_width: Half the width of the interval.
        differ: For the difference of two systems on hits: the share of samples that only one of
            them gets right.
        share: For one system: the share of hits; with `detect`, the bound of the gate.
        std: For other values: the standard deviation of the value of one sample, or of the
            difference of both systems on one sample.
        cluster_size: The number of samples in a cluster; None: there are no clusters. For clusters
            of different sizes, the sum of their squares divided by the number of samples: take as
            many clusters as have the number of samples of the plan, which are more than `units`.
        icc: The correlation of samples of the same cluster: the share of the variance that lies
            between clusters, from 0 to 1.
        level: The level of the interval; None: 0.95, or that of the pilot.
        power: The probability with which the samples are enough.

    Raises:
        TypeError: Not exactly one goal and one description of samples is given; or `pilot` is not
            an interval, or is given with a cluster or a level; or a cluster has no `icc`.
        ValueError: A number is out of range, the pilot run shows no variance, or it has bounds
            for samples without a score.

    Example:
        >>> print(plan(detect=0.02, differ=0.1))
        1,960 samples detect a difference of 0.02 with 80% power at the level 0.95
        >>> print(plan(half_width=0.02, share=0.8))
        1,535 samples have an interval of +-0.02 at the level 0.95
        >>> print(plan(detect=0.02, std=0.4, cluster_size=4, icc=0.5))
        1,965 clusters (7,860 samples) detect a difference of 0.02 with 80% power at the level 0.95
    """
    goal, wanted = _the_one(detect=detect, half_width=half_width)
    kind, about = _the_one(pilot=pilot, differ=differ, share=share, std=std)
    size, power = _between(goal, wanted, 0, math.inf), _between("power", power, 0, 1)
    if kind == "pilot":
        if any(given is not None for given in (cluster_size, icc, level)):
            raise TypeError("a pilot run has its own clusters and level: pass pilot= without them")
        return _after(about, goal, size, power)
    level = 0.95 if level is None else _between("level", level, 0, 1)
    known = _between(kind, about, 0, math.inf if kind == "std" else 1)
    of_clusters = _design_effect(cluster_size, icc)
    (in_each, effect), clusters = of_clusters or (1.0, 1.0), of_clusters is not None

    alone = in_each / effect  # the number of samples that would be as informative as a cluster
    # Intervals of hits in clusters allow for one more cluster that changes, times the share of
    # those that do not change.
    unseen = alone * (1 - known) ** alone / known if kind == "differ" and clusters else 0.0

    def units(df: int | None) -> float:
        return _samples(goal, size, kind, known, (level, power, df)) / alone + unseen

    least = FEW_FOR_TAILS if kind == "std" and clusters else LEAST
    if kind == "share" and not clusters:
        least = 1
    found = _smallest(units, least, clusters or kind == "std")
    if kind == "share" and not clusters:
        of_share = _with_few if goal == "half_width" else partial(_with_exact_power, power)
        found = of_share(found, known, size, level)
    unit, samples = ("cluster" if clusters else "sample"), math.ceil(found * in_each)
    return Plan(found, unit, samples, _said(goal, size, level, power))


def _after(pilot: Any, goal: str, size: float, power: float) -> Plan:
    """Return the plan after a pilot run; see `plan`."""
    if not isinstance(pilot, Interval):
        raise TypeError(
            f"pilot must be an interval, such as pair.intervals['top1_difference'], got "
            f"{type(pilot).__name__}"
        )
    if spans(pilot):
        raise ValueError(
            "pilot has samples without a score, and more samples do not narrow the range from the "
            'worst to the best value if as many of them have none: pass unscored="drop", or what '
            "they count as, to the metric of the pilot run"
        )
    shown = (pilot.high - pilot.low) / 2
    if goal == "detect":
        if not isinstance(pilot, Difference):
            raise TypeError(
                "detect= needs the interval of a difference of two systems; for one system, gate "
                "says how many samples a bound needs"
            )
        shown = pilot.detectable(power=power)
    units = needed_to_detect(pilot.units, shown, size)
    if units is None or pilot.unit == "group":
        raise ValueError(f"the pilot run shows no variance of single units: {pilot}")
    least = LEAST if isinstance(pilot, Difference) else 1
    units = max(units, least)
    samples = units if pilot.unit == "sample" else None
    return Plan(units, pilot.unit, samples, _said(goal, size, pilot.level, power))


def _samples(
    goal: str, size: float, kind: str, known: float, how: tuple[float, float, int | None]
) -> float:
    """Return the number of independent samples, before it is rounded up.

    Args:
        goal: "detect" or "half_width".
        size: The value of the goal.
        kind: "differ", "share" or "std".
        known: The value of the kind.
        how: The level, the power, and the degrees of freedom; None: the normal distribution.
    """
    level, power, df = how
    if goal == "half_width":
        if kind == "share":
            return _of_wilson(known, size, level, df)
        deviation = known if kind == "std" else math.sqrt(known)
        return needed((deviation, 0.0), size, level, power, df)
    if kind == "std":
        return needed((known, known), size, level, power, df)
    if kind == "differ":
        if known < size:
            raise ValueError(
                f"differ must be at least detect: systems that differ on {known:g} of the samples "
                f"cannot be {size:g} apart"
            )
        deviations = math.sqrt(known), math.sqrt(known - size * size)
        return needed(deviations, size, level, power, df)
    others = [one for one in (known - size, known + size) if 0 <= one <= 1]
    if not others:
        raise ValueError(f"detect must leave the true share in [0, 1], got {size:g} from {known:g}")
    deviations = math.sqrt(known * (1 - known)), max(math.sqrt(p * (1 - p)) for p in others)
    return needed(deviations, size, level, power, df) + 1 / size  # as in `needed_at`


def _of_wilson(share: float, half_width: float, level: float, df: int | None) -> float:
    """Return the number of samples with which Wilson's interval has this half-width.

    With a = quantile^2, it is the root n of h^2 (n + a)^2 = a (n p (1 - p) + a / 4).
    """
    if half_width >= 0.5:
        raise ValueError(f"half_width must be below 0.5 for a share, got {half_width:g}")
    chance = (1 + level) / 2
    quantile = normal_quantile(chance) if df is None else t_quantile(chance, df)
    square = half_width * half_width
    middle = share * (1 - share) - 2 * square
    root = math.sqrt(middle * middle + square * (1 - 4 * square))
    return quantile**2 * (middle + root) / (2 * square)


def _with_few(count: int, known: float, half_width: float, level: float) -> int:
    """Return the number of samples, at least this one, whose interval has this half-width.

    It is that of Wilson, and wider if there are few hits or few misses.
    """
    while True:
        widest = 0.0
        for hits in (math.floor(known * count), math.ceil(known * count)):
            one = interval_of_share(hits / count, level, count, (0.0, 1.0))
            if min(hits, count - hits) <= FEW:
                widest = max(widest, (one.high - one.low) / 2)
        if widest <= half_width:
            return count
        count = max(count + 1, math.floor(count * widest / half_width))


def _with_exact_power(power: float, count: int, known: float, distance: float, level: float) -> int:
    """Return the number of samples, at least this one, with which exact bounds have this power.

    It is the power on the side where it is smaller: near 1 the distribution of hits is skewed, so
    that the normal distribution promises too much towards 0.5.
    """
    while not all(
        _exact_power(count, bound, bound + distance, level) >= power
        for bound in (known, 1 - known)  # of hits, and of misses
        if bound + distance <= 1
    ):
        count += 1 + count // 500
    return count


def _exact_power(count: int, bound: float, share: float, level: float) -> float:
    """Return how likely Clopper and Pearson's interval of a share lies above a smaller bound."""
    beyond = (1 - Decimal(repr(level))) / 2
    numbers = range(count + 1)
    least = bisect_left(numbers, True, key=lambda hits: tail(hits, count, Decimal(bound)) <= beyond)
    return float(tail(least, count, Decimal(share))) if least <= count else 0.0


def _design_effect(cluster_size: Any, icc: Any) -> tuple[float, float] | None:
    """Return the size of a cluster, and the factor of the variance; None without clusters."""
    if cluster_size is None and icc is None:
        return None
    if cluster_size is None or icc is None:
        raise TypeError("cluster_size= and icc= go together")
    size = _between("cluster_size", cluster_size, 0, math.inf)
    if size < 1:
        raise ValueError(f"cluster_size must be at least 1, got {size:g}")
    if icc not in (0, 1):
        icc = _between("icc", icc, 0, 1)
    return size, 1 + (size - 1) * icc


def _smallest(units: Callable[[int | None], float], least: int, of_t: bool) -> int:
    """Return the smallest number of units that is enough with its own degrees of freedom."""
    found = max(least, math.ceil(round(units(None), 6)))
    if not of_t:
        return found
    found = max(found, 2)
    while (wanted := math.ceil(round(units(found - 1), 6))) > found:
        found = found + max(1, (wanted - found) // 2)
    return found


def _said(goal: str, size: float, level: float, power: float) -> str:
    if goal == "detect":
        return f"detect a difference of {size:g} with {100 * power:g}% power at the level {level:g}"
    return f"have an interval of +-{size:g} at the level {level:g}"


def _the_one(**given: Any) -> tuple[str, Any]:
    """Return the name and the value of the only argument that is given."""
    [*found] = [(name, value) for name, value in given.items() if value is not None]
    if len(found) != 1:
        names = ", ".join(name for name, _ in found) or "none"
        raise TypeError(f"pass one of {', '.join(given)}, got {names}")
    return found[0]


def _between(name: str, value: Any, least: float, most: float) -> float:
    """Return a number that lies between two others, both excluded."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.number):
        raise TypeError(f"{name} must be a number, got {value!r}")
    if not least < value < most:
        limits = "positive and finite" if most == math.inf else f"between {least} and {most}"
        raise ValueError(f"{name} must be {limits}, got {value:g}")
    return float(value)
