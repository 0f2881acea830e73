"""The verdicts on a comparison: for every number and slice, which system is ahead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mmeval_like._base.account import Account
from mmeval_like._base.keys import WHOLE
from mmeval_like._core.paired import Paired
from mmeval_like._intervals.difference import Difference
from mmeval_like._intervals.jackknife.estimand import range_of
from mmeval_like._intervals.value_ranges import Range
from mmeval_like._verdicts.bounds import within_margin
from mmeval_like._verdicts.differences import different
from mmeval_like._verdicts.verdict import Verdict

__all__ = ["Compared", "verdicts"]


@dataclass(frozen=True)
class Compared:
    """One number of two systems, and the verdicts on its difference.

    Attributes:
        slice: The name of the slice; "all" for all samples.
        member: The name of the metric in a collection; "" without a collection.
        key: The key of the number.
        metric: The metric.
        values: The values of a and of b.
        samples: The number of pairs.
        flips: For shares of hits, the numbers of samples that only b, and only a, gets right.
        interval: The interval of the difference b - a.
        verdict: Whether the systems differ, and which one is ahead.
        equivalent: Whether they are equivalent within the margin; None without a margin.
        corrected: Whether the p-value of the verdict allows for the number of slices.
        flipped_ids: The ids of the samples of `flips`, if they are listed.
        left_out: The number of samples that `unscored="drop"` left out, which could change the
            verdict; 0 with any other rule, which is for all samples.
    """

    slice: str
    member: str
    key: str
    metric: Any
    values: tuple[float, float]
    samples: int
    flips: tuple[int, int] | None
    interval: Difference
    verdict: Verdict
    equivalent: Verdict | None
    corrected: bool
    flipped_ids: tuple[Sequence[Any], Sequence[Any]]
    left_out: int = 0

    @property
    def better(self) -> bool | None:
        """Whether more is better; None: unknown."""
        found: bool | None = self.metric.direction_of(self.key)
        return found

    @property
    def bounds(self) -> Range:
        """The range of the values."""
        return range_of(self.metric.ranges, self.key)


def verdicts(
    pair: Paired, values: Mapping[str, Any], margin: float | None = None
) -> Iterator[Compared]:
    """Yield every number of a comparison, slice by slice, all samples first.

    The p-values of slices are those after the correction for their number.

    Args:
        pair: The `Paired` that compared the systems, after `compute`.
        values: The results of `compute`, by slice; `{"all": result}` without slices.
        margin: The largest difference up to which the systems count as equivalent, for the first
            number of all samples; None: no margin was chosen.
    """
    metrics = {place.name: place.metric for place in pair.plan.places()}
    for which, of_slice in values.items():
        intervals: Any = pair.intervals
        accounts: Any = pair.accounts
        if WHOLE in intervals:
            intervals = intervals.get(which, {})
            accounts = None if accounts is None else accounts.get(which)
        for name, entry in intervals.items():
            nested = isinstance(entry, Mapping)
            for called, one in entry.items() if nested else [(name, entry)]:
                member, found = (name, of_slice[name]) if nested else ("", of_slice)
                metric = metrics.get(member, pair.metric)
                account = accounts.get(member) if isinstance(accounts, Mapping) else accounts
                corrected = pair.correction is not None and which != WHOLE
                yield _compared(
                    which, member, metric, called, one, found, margin, account, corrected
                )
                margin = None


def _compared(
    which: str,
    member: str,
    metric: Any,
    called: str,
    one: Difference,
    found: Mapping[str, Any],
    margin: float | None,
    account: Account | None,
    corrected: bool,
) -> Compared:
    key = called.removesuffix("_difference")
    equivalent = None
    if margin is not None:
        equivalent = within_margin(one, margin, range_of(metric.ranges, key))
    p = found.get(f"{key}_p_adjusted")
    verdict = different(one, metric.direction_of(key), p)
    flips = (found["flips_up"], found["flips_down"]) if "flips_up" in found else None
    values = found[f"{key}_a"], found[f"{key}_b"]
    at = which, member, key, metric, values, int(found["samples"])
    ids = found.get("flips_up_ids", []), found.get("flips_down_ids", [])
    left_out = account.planned - account.scored if account is not None and account.dropped else 0
    return Compared(*at, flips, one, verdict, equivalent, corrected, ids, left_out)
