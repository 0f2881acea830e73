"""The paired differences of two evaluations that kept each of their samples."""

from __future__ import annotations

from typing import Any, TypeAlias

from mmeval_like._base.keys import WHOLE
from mmeval_like._core.evaluation import samples_of
from mmeval_like._core.paired import Paired
from mmeval_like._core.plan import EACH, Place
from mmeval_like._core.sliced import Sliced
from mmeval_like._intervals.interval import Interval
from mmeval_like._samples.parts import Part
from mmeval_like._samples.store import Store
from mmeval_like.records.recorded import Recorded

__all__ = ["Pairs", "paired"]

Pairs: TypeAlias = "dict[tuple[str, str, str], tuple[Interval, float]]"


def paired(a: Recorded, b: Recorded) -> Pairs:
    """Return the difference b - a of every number, with the p-value of `Paired`.

    The p-values of slices are not corrected for the number of slices.

    Args:
        a: Samples that were added with ids.
        b: The same samples.

    Returns:
        The differences by slice, metric and key. A metric is left out if a and b have it with
        different options or in different slices, or if its rows are derived from those of another
        metric.

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
    known = {place.name or place.metric.name: place for place in a.plan.places()}
    for place in b.plan.places():
        name = place.name or place.metric.name
        pair = _pair(known.get(name), place, a, b)
        if pair is None:
            continue
        try:
            values: Any = pair.compute()
        except ValueError:  # a sample is in different slices in a and b
            continue
        sliced = EACH in place.path
        for which, intervals in (pair.intervals if sliced else {WHOLE: pair.intervals}).items():
            of_slice = values[which] if sliced else values
            for key, interval in intervals.items():
                number = key.removesuffix("_difference")
                p = of_slice.get(f"{number}_p")
                if p is not None:
                    found[which, name, number] = interval, p
    return found


def _pair(of_a: Place | None, of_b: Place, a: Recorded, b: Recorded) -> Paired | None:
    """Return the samples of one metric as a pair; None if they cannot be paired."""
    metric = of_b.metric
    if of_a is None or of_a.metric.plan.identity != metric.plan.identity:
        return None
    if a.plan.families != b.plan.families:
        return None
    families = b.plan.families
    level = 0.95 if metric.interval is None else metric.interval
    of_slices = Sliced(metric, families[0]) if families else metric
    pair = Paired(of_slices, interval=level, dist_backend="non_dist")
    for side, recorded, place in ((pair.a, a, of_a), (pair.b, b, of_b)):
        every = samples_of(recorded).parts()
        own = [every[slot] for slot in place.slots]
        stores = samples_of(side).stores()
        if not own or not all(map(_fits, own, stores)):
            return None
        samples_of(side).merge(own)
    return pair


def _fits(part: Part, store: Store) -> bool:
    """Return whether the rows of a metric can be one side of a pair, and bring them in its form."""
    states = store.states_of(part.clustered)
    part.complete(states)  # a record has digests of samples, not of their labels
    wanted = states.keys()
    if part.ids is None or not wanted <= {*part.folded, *part.ordered}:
        return False
    part.folded, part.tail, part.ordered = (
        {state: rows for state, rows in some.items() if state in wanted}
        for some in (part.folded, part.tail, part.ordered)
    )
    return True
