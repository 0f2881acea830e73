"""Paired: two systems on the same samples, compared sample by sample."""

from __future__ import annotations

import copy
import math
from decimal import Decimal, localcontext
from typing import Any

import numpy as np

from mmeval_like._accumulate.ids import shown
from mmeval_like._accumulate.parts import Part
from mmeval_like._accumulate.results import Results
from mmeval_like._accumulate.states.folding import Hits
from mmeval_like._accumulate.store import Store
from mmeval_like._exchange.fingerprint import Identity
from mmeval_like._inference.coins import two_sided
from mmeval_like._inference.interval import Interval, WithIntervals
from mmeval_like._inference.quantiles import precise_quantile, t_cdf
from mmeval_like._inference.shapes import as_decimal
from mmeval_like._units.evaluation import numbers_of, range_of
from mmeval_like._units.intervals import as_level
from mmeval_like._units.pairs import Differences, Side
from mmeval_like.backends import BaseDistBackend
from mmeval_like.evaluable import Evaluable
from mmeval_like.metric import BaseMetric

__all__ = ["Paired"]

_POWER = 0.8  # of the difference that is called detectable


class Paired(Evaluable):
    """Two systems on the same samples: their difference, its interval, and a test.

    Add the predictions of one to `.a` and those of the other to `.b`, each with the `ids=` of its
    samples, in any order and on any ranks. Samples are matched by id. Two systems err on the same
    difficult samples, so that their difference is surer than either value.

    Every sample is left out of both systems at once, and the metric is computed from what remains;
    where more than 1,024 kinds of rows differ, 50 groups of samples are left out instead. Half a
    flip each way is added to bounded metrics, as D. G. Bonett and R. M. Price do (Adjusted Wald
    confidence interval for a difference of binomial proportions based on paired data, J. Educ.
    Behav. Stat. 2012).

    Args:
        metric: The metric; two copies without samples are kept.
        interval: The level of the interval of the difference.
        dist_backend: As for a metric; None: the one that the metric names.

    Attributes:
        a: The copy for the one system.
        b: The copy for the other.

    Returns of `compute`: for every float `{key}` of the metric `{key}_a`, `{key}_b`,
    `{key}_difference` (b - a), its ends `{key}_difference_low` and `{key}_difference_high`,
    `{key}_p` (two-sided, Student's t with the standard error of the interval: below 1 - level
    exactly where the interval leaves out 0), and `{key}_detectable`, the difference that would be
    found in four of five such comparisons. For a metric that is one share of hits also `flips_up`
    and `flips_down`, the samples that b gets right and a wrong and the other way round, and
    `flips_p`, McNemar's exact test of these. And `samples`.

    Raises:
        ValueError: From `compute`: samples without ids, or that only one system has.

    Example:
        >>> from mmeval_like import Accuracy, Paired
        >>> pair = Paired(Accuracy())
        >>> labels = [1] * 100
        >>> pair.a.add([1] * 70 + [0] * 30, labels, ids=range(100))
        >>> pair.b.add([1] * 80 + [0] * 20, labels, ids=range(100))
        >>> found = pair.compute()
        >>> found["flips_up"], found["flips_down"], round(found["top1_difference"], 3)
        (10, 0, 0.1)
        >>> round(found["top1_difference_low"], 3), round(found["top1_p"], 4)
        (0.037, 0.0022)
    """

    every_rank_computes = False

    def __init__(
        self,
        metric: BaseMetric,
        *,
        interval: float = 0.95,
        dist_backend: str | BaseDistBackend | None = None,
    ) -> None:
        if not isinstance(metric, BaseMetric):
            raise TypeError(f"metric must be a metric, got {type(metric).__name__}")
        self.interval = as_level(interval)
        self.a, self.b = (
            copy.deepcopy(metric, {id(metric.logger): metric.logger}) for _ in range(2)
        )
        for side in (self.a, self.b):
            side.interval = None
            side.reset()
        self.dist_backend = metric.dist_backend if dist_backend is None else dist_backend
        self.dist_collect_mode = metric.dist_collect_mode
        self._evaluating = False

    @property
    def higher_is_better(self) -> bool | None:
        """As the metric says."""
        return self.a.higher_is_better

    def reset(self) -> None:
        """Forget all samples of both systems."""
        self.a.reset()
        self.b.reset()
        self._count_reset()

    def _without_samples(self) -> Paired:
        fresh = copy.copy(self)
        fresh._instance = copy.copy(self._instance)  # its reset is no reset of this one
        fresh.a, fresh.b = self.a._without_samples(), self.b._without_samples()
        fresh.reset()
        return fresh

    def _stores(self) -> list[Store]:
        return [self.a._samples(), self.b._samples()]

    def _finish(self, results: list[Results]) -> dict[str, Any]:
        values = [
            numbers_of(side._finish([one.private()]))
            for side, one in zip((self.a, self.b), results, strict=True)
        ]
        count = len(results[0])
        found: dict[str, Any] = {"samples": count}
        if not count and not len(results[1]):
            return found
        sides = self._sides(results)
        differences = Differences(*sides)
        intervals: dict[str, Interval] = {}
        for key in values[0]:
            if key in values[1] and len(values[0][key]) == len(values[1][key]) == 1:
                ends = (values[0][key][0], values[1][key][0])
                one, more = self._compared(key, *ends, differences, count)
                found |= more
                intervals[f"{key}_difference"] = one
        found |= _flips(sides)
        ordered = {key: found[key] for key in _in_order(found, values[0])}
        return WithIntervals.of(ordered, intervals)

    def _sides(self, results: list[Results]) -> list[Side]:
        known = [one._rows for one in results]
        if known[0] is None or known[1] is None:
            raise ValueError("Paired matches samples by their ids: pass ids= to both .a and .b")
        ids = [shown(one[0]) for one in known if one is not None]
        others = [set(ids[1]), set(ids[0])]
        only = [
            [i for i in mine if i not in theirs][:10]
            for mine, theirs in zip(ids, others, strict=True)
        ]
        if only[0] or only[1]:
            raise ValueError(
                f"both systems must have the same samples; only a has the ids {only[0]}, and only "
                f"b has the ids {only[1]} (ten at most are named)"
            )
        return [
            Side(side._states(), one[1], side._compute_of)
            for side, one in zip((self.a, self.b), known, strict=True)
            if one is not None
        ]

    def _compared(
        self, key: str, a: float, b: float, differences: Differences, count: int
    ) -> tuple[Interval, dict[str, float]]:
        least, most = range_of(self.a.ranges, key)
        variance = differences.variance(key)
        bounded = math.isfinite(least) and math.isfinite(most)
        df, difference = differences.units - 1, b - a
        names = (f"{key}_difference", f"{key}_p", f"{key}_detectable")
        beside = {f"{key}_a": a, f"{key}_b": b}
        if df < 1 or not math.isfinite(variance) or not math.isfinite(difference):
            nan, why = math.nan, "it is undefined without some of the samples"
            if df < 1:
                why = "there is only one sample"
            one = Interval(
                difference, nan, nan, self.interval, nan, "none", differences.unit,
                differences.units, nan, why,
            )  # fmt: skip
            return one, beside | dict(zip(names, (difference, nan, nan), strict=True))
        with localcontext() as context:
            context.prec = 50
            flip = Decimal(most) / count if bounded else Decimal(0)
            error = (as_decimal(variance) + flip * flip).sqrt()
            upper = (1 + Decimal(repr(self.interval))) / 2
            quantile = precise_quantile(upper, df)
            low, high = (float(as_decimal(difference) + s * quantile * error) for s in (-1, 1))
            detectable = float((quantile + precise_quantile(_POWER, None)) * error)
            size = float(abs(as_decimal(difference)) / error) if error else math.inf
        p = 2 * t_cdf(-size, df) if difference else 1.0
        thin = None if differences.units >= 20 else f"there are only {differences.units} samples"
        one = Interval(
            difference, low, high, self.interval, float(error), "paired t", differences.unit,
            differences.units, math.nan, thin,
        )  # fmt: skip
        return one, beside | dict(zip(names, (difference, p, detectable), strict=True))

    @property
    def _named_classes(self) -> list[str] | None:
        return self.a._named_classes

    @property
    def _identity(self) -> Identity:
        return Identity.of(f"Paired({self.a._identity.text}, {self.interval})")

    def _merge_parts(self, parts: list[Part]) -> None:
        for side, part in zip((self.a, self.b), parts, strict=True):
            side._merge_parts([part])


def _in_order(found: dict[str, Any], numbers: dict[str, Any]) -> list[str]:
    """Return the names of the result in the order of the metric's keys."""
    ends = ("a", "b", "difference", "p", "detectable")
    names = [f"{key}_{end}" for key in numbers for end in ends if f"{key}_{end}" in found]
    return [*names, *[name for name in found if name not in names]]


def _flips(sides: list[Side]) -> dict[str, Any]:
    """Return the samples that flipped, for a metric that is one share of hits."""
    [*states] = sides[0].states.items()
    if len(states) != 1 or not isinstance(states[0][1], Hits) or states[0][1].shape:
        return {}
    a, b = (np.asarray(side.rows[states[0][0]]) for side in sides)
    up, down = int((~a & b).sum()), int((a & ~b).sum())
    p = two_sided(min(up, down), up + down)
    return {"flips_up": up, "flips_down": down, "flips_p": p}
