"""Two evaluations of the same samples, which were kept one by one: their differences by pairs."""

from __future__ import annotations

from typing import Any, TypeAlias

from mmeval_like._base.keys import WHOLE
from mmeval_like._intervals.interval import Interval
from mmeval_like._samples.parts import Part
from mmeval_like.metric import BaseMetric
from mmeval_like.paired import Paired
from mmeval_like.records.recorded import Recorded
from mmeval_like.sliced import Sliced

__all__ = ["Pairs", "paired"]

Pairs: TypeAlias = "dict[tuple[str, str, str], tuple[Interval, float]]"


def paired(a: Recorded, b: Recorded) -> Pairs:
    """Return how much b is above a, with the p-value that `Paired` has, number by number.

    The p-values of slices are corrected for how many slices there are, as those of `Paired`.

    Args:
        a: Samples that were added with ids.
        b: The same samples.

    Returns:
        By slice, metric and key. A metric is left out that the two do not have alike, whose rows
        are made of those of another one, or that is in other slices.

    Example:
        >>> from mmeval_like import Accuracy
        >>> a, b = (Recorded(Accuracy()) for _ in range(2))
        >>> a.add([1] * 70 + [0] * 30, [1] * 100, ids=range(100))
        >>> b.add([1] * 80 + [0] * 20, [1] * 100, ids=range(100))
        >>> interval, p = paired(a, b)["all", "Accuracy", "top1"]
        >>> round(interval.value, 3), round(p, 4)
        (0.1, 0.0016)
    """
    found: Pairs = {}
    for name, metric in b.members.items():
        pair = _pair(name, metric, a, b)
        if pair is None:
            continue
        try:
            values: Any = pair.compute()
        except ValueError:  # a sample is not in the same slices of both
            continue
        sliced = isinstance(pair.a, Sliced)
        for which, intervals in (pair.intervals if sliced else {WHOLE: pair.intervals}).items():
            of_slice = values[which] if sliced else values
            for key, interval in intervals.items():
                number = key.removesuffix("_difference")
                p = of_slice.get(f"{number}_p_adjusted", of_slice.get(f"{number}_p"))
                if p is not None:
                    found[which, name, number] = interval, p
    return found


def _pair(name: str, metric: BaseMetric, a: Recorded, b: Recorded) -> Paired | None:
    """Return the samples of one metric as a pair; None: they cannot be paired."""
    other = a.members.get(name)
    if other is None or other._identity != metric._identity:
        return None
    families = [s._families if isinstance(s, Sliced) else None for s in (a._metrics, b._metrics)]
    if families[0] != families[1]:
        return None
    by = families[1]
    level = 0.95 if metric.interval is None else metric.interval
    of_slices = metric if by is None else Sliced(metric, by)
    pair = Paired(of_slices, interval=level, dist_backend="non_dist")
    for side, recorded in ((pair.a, a), (pair.b, b)):
        part = _part(recorded, name, side)
        if part is None:
            return None
        side._merge_parts([part])
    return pair


def _part(recorded: Recorded, name: str, side: Any) -> Part | None:
    """Return the rows of one metric, as a side of a pair has them."""
    inner, place = recorded._inner(), 0
    if not isinstance(inner, BaseMetric):
        owner, derive = inner._uses[name.removeprefix(inner.prefix)]
        if derive is not None:
            return None
        place = inner._owners.index(owner)
    part: Part = recorded._metrics._stores()[place].part()
    [store] = side._stores()
    wanted = store.states_of(part.clustered).keys()
    if part.ids is None or not wanted <= {*part.folded, *part.ordered}:
        return None
    part.folded, part.tail, part.ordered = (
        {state: rows for state, rows in some.items() if state in wanted}
        for some in (part.folded, part.tail, part.ordered)
    )
    return part
