"""View: the merged results of one slot, for all samples or for a slice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol

from mmeval_like._base.keys import Key
from mmeval_like._core.slot import By, Last, Slot, Wrap, surround
from mmeval_like._intervals.interval import WithIntervals
from mmeval_like._states.clusters import derived, grouped_results, is_keyed, keys_of, sizes
from mmeval_like._states.kinds.abstract import State
from mmeval_like._states.results import Results, make_results
from mmeval_like._states.statistic import Derivation

__all__ = ["Answering", "View", "last_of"]


class Answering(Protocol):
    """The methods of a metric's plan that a view calls."""

    @property
    def metric(self) -> Any:
        """The metric."""

    def estimates(self, results: Results) -> dict[str, Any]:
        """Return the values for the results, with their intervals."""

    def values(self, results: Results) -> dict[str, Any]:
        """Return the values for the results, without intervals."""


class Slotted(Protocol):
    """The attribute of a plan that a view reads."""

    @property
    def slots(self) -> Sequence[Slot]:
        """The distinct slots that are kept."""


class View:
    """The merged results of one slot, folded when a metric asks for them.

    Args:
        results: The merged states as they are kept, including slices and last samples.
        plan: The plan of the samples, whose slots are asked for only by views of slices.
        place: The place of the slot.

    Attributes:
        kept: The argument `results`.
        depth: The number of leading key entries that outer slices have used.
    """

    differences = False
    """Whether the view has the samples of two systems, and returns their differences."""

    depth = 0
    _group: tuple[_Groups, int] | None = None  # None: all keys
    _derivations: tuple[Derivation, ...] = ()
    _private = False

    def __init__(self, results: Results, plan: Slotted, place: int) -> None:
        self.kept, self._plan, self._place = results, plan, place
        self._known = None if is_keyed(results) else results

    @cached_property
    def slot(self) -> Slot:
        """The slot."""
        return self._plan.slots[self._place]

    @cached_property
    def _wraps(self) -> Sequence[Wrap]:
        return self.slot.shape.wraps

    @cached_property
    def _keys(self) -> Sequence[Key]:
        return keys_of(self.kept) if is_keyed(self.kept) else ()

    @property
    def keys(self) -> Sequence[Key]:
        """The sorted keys of the samples; empty if they are not kept separately by key."""
        if self._group is None:
            return self._keys
        groups, place = self._group
        return groups.keys_of(place)

    def sizes(self) -> list[int]:
        """Return the number of samples of each of the keys."""
        return sizes(self.kept, self.keys) if is_keyed(self.kept) else []

    def states(self) -> dict[str, State]:
        """Return the states of `kept`."""
        grouped = self.slot.shape.groups is not None
        if is_keyed(self.kept) and not self.slot.shape.wraps and not grouped:
            return self.slot.clustered()
        return surround(self.slot.statistic.states(), self._wraps, grouped)

    def split(self, keys: Sequence[Key], places: Sequence[int], size: int, skip: int) -> list[View]:
        """Return the views of groups of samples.

        Args:
            keys: The keys of all samples, as in the property `keys`.
            places: The group of each key.
            size: The number of groups.
            skip: The number of key entries that this split uses.
        """
        groups = _Groups(self.kept, keys, places, size, self._clustered(keys))
        found = []
        for group in range(size):
            one = self._copy()
            one._group = groups, group
            one.depth += skip
            found.append(one)
        return found

    def share_clusters(self, chosen: Sequence[bool]) -> bool:
        """Return whether a cluster has samples of keys that are chosen, and of others."""
        if not self._clustered(self.keys):
            return False
        sides: tuple[set[Any], set[Any]] = (set(), set())
        for key, is_chosen in zip(self.keys, chosen, strict=True):
            sides[is_chosen].add(key[-1])
        return not sides[0].isdisjoint(sides[1])

    def whole(self, skip: int) -> View:
        """Return the view of all samples, which has used `skip` more key entries."""
        return self.among(self.keys, skip)

    def among(self, keys: Sequence[Key], skip: int) -> View:
        """Return the view of the samples of some keys, which has used `skip` more key entries."""
        return self.split(keys, [0] * len(keys), 1, skip)[0]

    def last(self) -> View:
        """Return the view of the last samples, if the slot limits them."""
        limit, inner = last_of(self._wraps)
        if limit is None:  # an outer `Running` has already limited them
            return self
        found, one = self._copy(), self._folded()
        grouped = self.slot.shape.groups is not None
        states = surround(self.slot.statistic.states(), inner, grouped)
        folded = {name: getattr(one, name) for name in states}
        found.kept = make_results(states, folded, min(len(one), limit))
        found._wraps, found._group, found.depth = inner, None, 0
        found._keys = keys_of(found.kept) if is_keyed(found.kept) else ()
        return found

    def then(self, derivation: Derivation) -> View:
        """Return a view of results that are derived from these."""
        found = self._copy()
        found._derivations = (*self._derivations, derivation)
        return found

    def private(self) -> View:
        """Return a view whose results a metric may change in place."""
        found = self._copy()
        if not self._private:
            found._private, found._known = True, self.results()
        return found

    def results(self) -> Results:
        """Return the results of all samples of the view together."""
        if self._known is None:
            found = self._folded()
            for derivation in self._derivations:
                found = derived(derivation, found)
            self._known = found
        return self._known.private() if self._private else self._known

    def answer(self, leaf: Answering) -> dict[str, Any]:
        """Return the metric's values for the samples, with intervals if it has any."""
        return leaf.estimates(self.results())

    def together(self, slices: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of all slices in one dict."""
        return WithIntervals.together(slices)

    def _clustered(self, keys: Sequence[Key]) -> bool:
        """Return whether the last entry of the keys is the cluster."""
        if not self._wraps:
            return True
        columns = len(self._wraps[0].columns) if isinstance(self._wraps[0], By) else 0
        return any(len(key) > columns for key in keys)

    def _folded(self) -> Results:
        """Return the results of all samples together, within the outermost wrap."""
        if self._group is not None:
            groups, place = self._group
            return groups.of(place)
        if not is_keyed(self.kept):
            return self.kept
        clustered = self._clustered(self.keys)
        [found] = grouped_results(self.kept, self.keys, [0] * len(self.keys), 1, clustered)
        return found

    def _copy(self) -> View:
        found = object.__new__(type(self))
        found.__dict__.update(self.__dict__)
        found._known = None
        return found


def last_of(wraps: Sequence[Wrap]) -> tuple[int | None, tuple[Wrap, ...]]:
    """Return the outermost limit of last samples (None: no limit), and the wraps inside it."""
    for place, wrap in enumerate(wraps):
        if isinstance(wrap, Last):
            return wrap.samples, tuple(wraps[place + 1 :])
    return None, tuple(wraps)


class _Groups:
    """Groups of keys, whose results are folded in one pass and returned one after the other."""

    def __init__(
        self,
        results: Results,
        keys: Sequence[Key],
        places: Sequence[int],
        size: int,
        clustered: bool,
    ) -> None:
        self._results, self._keys, self._places = results, keys, places
        self._size, self._clustered = size, clustered
        self._following: Iterator[Results] | None = None
        self._last: tuple[int, Results | None] = -1, None

    @cached_property
    def _members(self) -> list[list[Key]]:
        found: list[list[Key]] = [[] for _ in range(self._size)]
        for key, place in zip(self._keys, self._places, strict=True):
            found[place].append(key)
        return found

    def keys_of(self, group: int) -> list[Key]:
        """Return the keys of a group."""
        return self._members[group]

    def of(self, group: int) -> Results:
        """Return the results of one group; this is fast if groups are requested in order."""
        if self._following is None:
            self._following = grouped_results(
                self._results, self._keys, self._places, self._size, self._clustered
            )
        while self._last[0] < group:
            self._last = self._last[0] + 1, next(self._following)
        place, found = self._last
        if place == group and found is not None:
            return found
        keys = self.keys_of(group)
        [found] = grouped_results(self._results, keys, [0] * len(keys), 1, self._clustered)
        return found
