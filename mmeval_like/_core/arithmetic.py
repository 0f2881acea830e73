"""Subtraction of samples from a store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import inf
from typing import Any

from mmeval_like._base.keys import BETWEEN
from mmeval_like._core.plan import EACH, Path, Place
from mmeval_like._core.slot import Slot
from mmeval_like._intervals.jackknife.estimand import numbers_of, range_of
from mmeval_like._samples.parts import Part
from mmeval_like._samples.store import Store
from mmeval_like._states.kinds.abstract import State
from mmeval_like._states.kinds.folding import Count, GrowingCount
from mmeval_like._states.kinds.tally import Tally
from mmeval_like._states.results import make_results

__all__ = ["are_samples", "difference", "refuse_impossible"]

_NEVER_ADDED = "only samples that were added before can be subtracted"
_ROUNDING = 1e-9
_SINGLE: tuple[list[type[State]], ...] = ([Count], [GrowingCount], [Tally])


def difference(store: Store, other: Part) -> tuple[int, dict[str, Any]]:
    """Return the count and the folded values of a store minus a part.

    Raises:
        TypeError: A state cannot be subtracted.
        ValueError: The rows have ids, or the store does not contain them.
    """
    if store.with_ids or other.ids is not None:
        raise ValueError("samples with ids= are kept one by one and cannot be subtracted")
    if store.count and other.count and other.clustered != store.clustered:
        raise ValueError("samples with clusters= cannot be subtracted from those without, or back")
    count = store.count - other.count
    if count < 0:
        raise ValueError(f"{other.count} samples cannot be subtracted from {store.count}")
    mine, left = store.part(0), {}
    for name, state in store.states.items():
        if state.ordered:
            raise TypeError(f"the rows of state {name!r} are kept, and cannot be subtracted")
        left[name] = state.subtract(mine.folded[name], other.folded[name])
        if not state.possible(left[name], count):
            raise ValueError(_NEVER_ADDED)
    return count, left


def are_samples(slot: Slot, store: Store) -> bool:
    """Return whether some samples surely have the folded states of a store.

    Values computed from them are then within their ranges. Counts of single codes are those of as
    many samples; otherwise the statistic knows, but not within slices or clusters.

    Raises:
        ValueError: No samples have these states.
    """
    states, statistic = store.states, slot.statistic
    if any(state.ordered for state in states.values()):
        return True  # rows that are kept: none of them were subtracted
    kinds, own = [*map(type, states.values())], statistic.states()
    if kinds in _SINGLE and getattr(next(iter(states.values())), "codes", 1) == 1:
        return True
    if [*states] != [*own] or kinds != [*map(type, own.values())]:
        return False
    found = statistic.possible(make_results(states, store.part(0).folded, store.count))
    if found is False:
        raise ValueError(_NEVER_ADDED)
    return found is not None


def refuse_impossible(places: Iterable[Place], values: Mapping[Any, Any]) -> None:
    """Raise ValueError if a value is outside the range of its metric, by more than rounding.

    Args:
        places: The metrics, with the places of their values.
        values: The values of all metrics.
    """
    for place in places:
        for found in _at(values, place.path):
            every = numbers_of(found)
            for key, numbers in every.items():
                value = key.removesuffix("_low").removesuffix("_high")  # of which it is an end
                least, most = range_of(place.metric.ranges, value if value in every else key)
                room = _ROUNDING * max(
                    [1.0, *(abs(end) for end in (least, most) if abs(end) < inf)]
                )
                if bad := [one for one in numbers if one < least - room or one > most + room]:
                    raise ValueError(
                        f"{_NEVER_ADDED}: {key!r} of the samples left would be {bad[0]}, and is "
                        f"always in [{least:g}, {most:g}]"
                    )


def _at(values: Any, path: Path) -> Iterator[Any]:
    """Yield the values of a metric, of all slices, without their summaries."""
    if not path:
        yield values
    elif isinstance(values, Mapping):
        slices = [name for name in values if not str(name).startswith(BETWEEN)]
        for key in slices if path[0] is EACH else path[:1]:
            yield from _at(values.get(key), path[1:])
