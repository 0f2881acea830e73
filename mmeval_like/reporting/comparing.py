"""The facts of a comparison: which system is better, by how much, how surely, and where."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from mmeval_like._base.account import Account
from mmeval_like._base.warning import quiet
from mmeval_like._core.paired import Paired
from mmeval_like._core.verdicts import Compared, verdicts
from mmeval_like._intervals.interval import Interval
from mmeval_like._intervals.interval import share as as_share
from mmeval_like.metrics import Mean
from mmeval_like.reporting.each import Each
from mmeval_like.reporting.forest import Forest, compared_slices
from mmeval_like.reporting.sections import Card, Histogram, bins, place_of, texts_of
from mmeval_like.reporting.study import Study
from mmeval_like.reporting.unscored import Lost, Unscored, unscored
from mmeval_like.reporting.verdicts import Shown
from mmeval_like.reporting.words import Scale, clipped, label_of

__all__ = ["Comparison", "compare_story"]

_CARDS = 4  # samples in each list
_IDS = 24  # ids in each list, if samples have no texts
_FORESTS = 6  # numbers whose slices are shown


@dataclass(frozen=True)
class Ahead:
    """On how many samples A is ahead, both systems are equal, and B is ahead."""

    a: int
    same: int
    b: int

    @property
    def counts(self) -> tuple[int, int, int]:
        """The three numbers."""
        return self.a, self.same, self.b

    @property
    def total(self) -> int:
        """The number of all samples."""
        return sum(self.counts)

    @property
    def differing(self) -> int:
        """On how many samples one system is ahead."""
        return self.a + self.b


@dataclass(frozen=True)
class Spread:
    """The differences of single samples.

    Attributes:
        deviation: Their standard deviation.
        size: The size of their mean, in standard deviations.
    """

    deviation: float
    size: float


@dataclass(frozen=True)
class Distribution:
    """The distribution of the scores of two systems.

    Attributes:
        differences: The bars of the differences.
        scores: The bars of both systems.
        samples: The number of samples.
        same: The number of samples with equal scores.
        half: The size of the difference that half of the samples do not exceed.
        most: The size that 95% of the samples do not exceed.
    """

    differences: Histogram
    scores: Histogram
    samples: int
    same: int
    half: float
    most: float


@dataclass(frozen=True)
class Changed:
    """The samples that changed most.

    Attributes:
        gains: Samples on which B is ahead.
        drops: Samples on which A is ahead.
        gained: The number of all samples on which B is ahead.
        dropped: The number of all samples on which A is ahead.
        hits: Whether every sample is either right or wrong.
        has_scores: Whether the scores of the samples are known, not only their ids.
        has_texts: Whether the samples have texts.
    """

    gains: list[Card]
    drops: list[Card]
    gained: int
    dropped: int
    hits: bool
    has_scores: bool
    has_texts: bool


@dataclass(frozen=True)
class Comparison:
    """The facts on the page of a comparison.

    Attributes:
        names: The names of A and B.
        numbers: Every number of all samples, with its label; the first one decides the verdict.
        unscored: The samples without a score; None: all have one in both systems.
        own: The intervals of A's and of B's own value; None: unknown.
        ahead: On how many samples each system is ahead; None: unknown.
        spread: The differences of single samples; None: unknown, or without a spread.
        forests: The slices of each number.
        corrected: Whether p-values are adjusted for the number of slices.
        distribution: The distribution of the scores; None: unknown, or right and wrong alone.
        changed: The samples that changed; None: unknown, or none changed.
    """

    template: ClassVar[str] = "compare.html.j2"

    names: tuple[str, str]
    numbers: list[tuple[str, Shown]]
    unscored: Unscored | None = None
    own: tuple[Interval | None, Interval | None] = (None, None)
    ahead: Ahead | None = None
    spread: Spread | None = None
    forests: list[Forest] = field(default_factory=list)
    corrected: bool = False
    distribution: Distribution | None = None
    changed: Changed | None = None

    @property
    def directions(self) -> set[bool | None]:
        """Of its numbers whether more is better, each once; None: unknown."""
        return {shown.better for _, shown in self.numbers}

    @property
    def label(self) -> str:
        """The label of the first number."""
        return self.numbers[0][0]

    @property
    def main(self) -> Shown:
        """The comparison of the first number."""
        return self.numbers[0][1]


def compare_story(
    pair: Paired,
    values: Mapping[str, Any],
    study: Study,
    each: Each | None,
    margin: float | None,
    accounts: Any = None,
    lost: Sequence[Lost] = (),
) -> Comparison:
    """Return the facts on the page of a comparison.

    Args:
        pair: The `Paired` that compared the systems, after `compute`.
        values: The results of `compute`, by slice.
        study: The facts about the evaluation.
        each: The scores of single samples, if they are known.
        margin: The largest difference up to which the systems count as equivalent.
        accounts: The accounts of the samples, by slice.
        lost: Of each system the samples without a score, if they are known.
    """
    a, b = map(clipped, study.names if len(study.names) == 2 else ("A", "B"))
    names = a, b
    by_number: dict[tuple[str, str], list[Shown]] = {}
    for of in verdicts(pair, values, margin):
        known = by_number.setdefault((of.member, of.key), [])
        scale = known[0].scale if known else _scale(of)
        known.append(Shown(names, of, scale, _account(accounts, of)))
    if not by_number:
        return Comparison(names, [])
    labels = {at: _label(pair, at, [k for m, k in by_number if m == at[0]]) for at in by_number}
    first = next(iter(by_number))
    labels[first] = study.label(labels[first])
    numbers = [(labels[at], every[0]) for at, every in by_number.items()]
    main = numbers[0][1]
    return Comparison(
        names,
        numbers,
        unscored=unscored(main.account, main.of.metric, main.possible, lost),
        own=(_own(main, each, 0), _own(main, each, 1)),
        ahead=_ahead(each, main),
        spread=None if each is None or each.is_hits else _spread(each),
        forests=[
            compared_slices(every, labels[at])
            for at, every in [*by_number.items()][:_FORESTS]
            if len(every) > 1
        ],
        corrected=pair.correction is not None,
        distribution=None if each is None or each.is_hits else _distribution(each, main),
        changed=_flipped(main) if each is None else _changed(each, main),
    )


def _account(accounts: Any, of: Compared) -> Account | None:
    """Return the account of the samples of a slice, and of a member of a collection."""
    for name in filter(None, (of.slice, of.member)):
        accounts = accounts.get(name) if isinstance(accounts, Mapping) else accounts
    return accounts if isinstance(accounts, Account) else None


def _scale(of: Compared) -> Scale:
    """Return the format of a number, from its values for all samples."""
    half = (of.interval.high - of.interval.low) / 2
    is_share = of.flips is not None and math.isfinite(of.bounds[1] - of.bounds[0])
    return Scale.of(of.bounds, half, is_share, of.values[0])


def _label(pair: Paired, at: tuple[str, str], keys: Sequence[str]) -> str:
    member, key = at
    return label_of(member or pair.metric.name, key, len(keys) == 1)


def _own(main: Shown, each: Each | None, side: int) -> Interval | None:
    """Return the interval of one system's own value; None if it is unknown, or marked.

    It is unknown with the bounds of samples without a score, which are those of the difference.
    """
    one, value = main.one, main.values[side]
    if main.account is not None and main.account.bounds:
        return None
    if one.method.startswith("Tango"):
        return as_share(value, one.level, main.samples, main.bounds)
    if not one.method.startswith("paired t") or one.unit != "sample" or each is None:
        return None
    bounds = main.bounds if any(map(math.isfinite, main.bounds)) else None
    metric = Mean(bounds=bounds, interval=one.level, dist_backend="non_dist")
    metric.add(each.scores[side])
    with quiet():
        metric.compute()
    found: Interval = metric.intervals["mean"]
    return None if found.thin else found


def _ahead(each: Each | None, main: Shown) -> Ahead | None:
    if each is not None:
        a, b = each.scores
        up, down = int(np.sum(b > a)), int(np.sum(b < a))
        return Ahead(down, len(a) - up - down, up)
    if main.of.flips is not None:
        up, down = main.of.flips
        return Ahead(down, main.samples - up - down, up)
    return None


def _spread(each: Each) -> Spread | None:
    apart = each.scores[1] - each.scores[0]
    with np.errstate(over="ignore", invalid="ignore"):
        deviation = float(np.std(apart, ddof=1)) if len(apart) > 1 else 0.0
    if not 0 < deviation < math.inf:
        return None
    return Spread(deviation, abs(float(np.mean(apart))) / deviation)


def _distribution(each: Each, main: Shown) -> Distribution:
    a, b = each.scores
    apart = b - a
    labels, [counts], middles, edges = bins([apart], main.scale, True)
    tones = ["b" if x > 0 else "a" if x < 0 else "t" for x in middles]
    differences = Histogram(labels, [(counts, tones)], edges)
    labels, both, _, edges = bins([a, b], main.scale, False)
    series = [(counts, [tone] * len(counts)) for counts, tone in zip(both, ("a", "b"), strict=True)]
    size = np.abs(apart)
    return Distribution(
        differences,
        Histogram(labels, series, edges),
        len(apart),
        int(np.sum(apart == 0)),
        float(np.median(size)),
        float(np.quantile(size, 0.95, method="inverted_cdf")),
    )


def _changed(each: Each, main: Shown) -> Changed | None:
    """Return the samples that changed most: those that gained and those that dropped."""
    apart = each.scores[1] - each.scores[0]
    if main.better is False:  # the lower value is better
        apart = -apart
    up, down = int(np.sum(apart > 0)), int(np.sum(apart < 0))
    if not up and not down:
        return None
    has_texts = any(each.texts)
    most = _CARDS if has_texts else _IDS
    order = np.argsort(-apart, kind="stable")
    gains = [_card(each, at, main.scale) for at in order[:most].tolist() if apart[at] > 0]
    order = np.argsort(apart, kind="stable")
    drops = [_card(each, at, main.scale) for at in order[:most].tolist() if apart[at] < 0]
    return Changed(gains, drops, up, down, each.is_hits, True, has_texts)


def _card(each: Each, at: int, scale: Scale) -> Card:
    a, b = (float(one[at]) for one in each.scores)
    plain = Scale(scale.share, scale.factor, "", scale.decimals)
    if not scale.share and a.is_integer() and b.is_integer():
        plain = Scale(decimals=0)
    scores = "" if each.is_hits else f"{plain.number(a)} → {plain.number(b)}"
    change = "" if each.is_hits else plain.number(b - a, "+")
    both = [texts_of(texts, at) for texts in each.texts]
    same, sides = [], []
    for in_a, in_b in zip(*both, strict=True) if len(both) == 2 else ():
        if in_a == in_b:
            same.append(in_a)
        else:
            sides += [("a", *in_a), ("b", *in_b)]
    return Card(*place_of(each, at), scores, change, same, sides)


def _flipped(main: Shown) -> Changed | None:
    """Return the ids of samples that flipped, if nothing else is known about them."""
    up, down = main.of.flipped_ids
    if not up and not down:
        return None
    gains, drops = ([Card(clipped(one, 60)) for one in ids[:_IDS]] for ids in (up, down))
    return Changed(gains, drops, len(up), len(down), True, False, False)
