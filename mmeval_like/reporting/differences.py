"""What a comparison of two systems shows, in words and as a table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from mmeval_like._base.keys import WHOLE
from mmeval_like._core.paired import Paired
from mmeval_like._intervals.interval import Interval
from mmeval_like._intervals.jackknife.estimand import range_of
from mmeval_like.reporting.tables import Table, clipped, table

__all__ = ["comparisons", "differences", "flips", "says"]

_IDS = 1_000  # of samples that flipped, each way


def comparisons(
    pair: Paired, values: Mapping[str, Any]
) -> Iterator[tuple[str, str, Interval, Mapping[str, Any]]]:
    """Yield slice, key, interval of the difference, and all values of every comparison.

    Args:
        pair: What compared them; it has computed.
        values: What it returned, by slice.
    """
    for which, found in values.items():
        intervals = pair.intervals[which] if WHOLE in pair.intervals else pair.intervals
        for name, one in intervals.items():
            yield which, name.removesuffix("_difference"), one, found


def says(pair: Paired, key: str, one: Interval, found: Mapping[str, Any]) -> str:
    """Return in words what a comparison shows: what `comparisons` yields is compared."""
    samples, p = found["samples"], found.get(f"{key}_p_adjusted", found[f"{key}_p"])
    if math.isnan(one.low):
        return f"nothing is known: {one.thin}"
    if p < 1 - one.level:
        if pair.higher_is_better is None:
            return "B is higher" if one.value > 0 else "B is lower"
        return "B is better" if (one.value > 0) == pair.higher_is_better else "B is worse"
    if not found[f"{key}_detectable"]:
        return f"no difference shown: n = {samples:,} are alike in both"
    least, most = range_of(pair.metric.ranges, key)
    detectable = f"{found[f'{key}_detectable']:.3g}"
    if math.isfinite(most - least):
        share = found[f"{key}_detectable"] / (most - least)
        if share >= 1:
            return f"no difference shown: n = {samples:,} are too few to show any"
        detectable = f"{100 * share:.2g} points"
    return f"no difference shown; n = {samples:,} finds {detectable} four times in five"


def differences(pair: Paired, values: Mapping[str, Any]) -> Table:
    """Return a row for every comparison: both values, their difference, and how sure it is."""
    head = ["slice", "number", "A", "B", "B - A", "interval", "p", "p adjusted", "up", "down"]
    rows = []
    for which, key, one, found in comparisons(pair, values):
        row = [which, key, found[f"{key}_a"], found[f"{key}_b"], f"{one.value:+.4g}"]
        known = not math.isnan(one.low)
        thin = " ~" if one.thin is not None else ""
        row.append(f"[{one.low:+.4g}, {one.high:+.4g}]{thin}" if known else "")
        row += [found[f"{key}_p"], found.get(f"{key}_p_adjusted", "")]
        row += [found.get("flips_up", ""), found.get("flips_down", "")]
        row.append(says(pair, key, one, found))
        rows.append(row)
    head.append("what it shows")
    kept = [at for at in range(11) if any(row[at] != "" for row in rows)]
    return table([head[at] for at in kept], ([row[at] for at in kept] for row in rows))


def flips(whole: Mapping[str, Any]) -> list[tuple[str, list[str], int]]:
    """Return which samples flipped each way: in words, their ids, and how many there are.

    Args:
        whole: The values of all samples; without ids of flips there are none.
    """
    found = []
    for key, words in (
        ("flips_up_ids", "B is right and A is wrong"),
        ("flips_down_ids", "A is right and B is wrong"),
    ):
        if key in whole:
            ids = [clipped(str(one)) for one in whole[key][:_IDS]]
            found.append((words, ids, len(whole[key])))
    return found
