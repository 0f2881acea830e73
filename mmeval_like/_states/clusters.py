"""Results of keyed states: the whole, or a slice, and its samples cluster by cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from mmeval_like._base.keys import Key, in_order
from mmeval_like._states.key_columns import Tags
from mmeval_like._states.keyed import Keyed, PerKey
from mmeval_like._states.keyed_rows import KeyedRows
from mmeval_like._states.kinds.abstract import State
from mmeval_like._states.kinds.folding import IntSum
from mmeval_like._states.results import Results, clusters_of, make_results, with_clusters

__all__ = [
    "Clusters", "derived", "grouped_results", "is_keyed", "keyed_states", "keys_of", "tagged",
]  # fmt: skip

T = TypeVar("T")

_SAMPLES = "__samples__"  # a state in addition to the statistic's own: the number of samples


def keyed_states(states: Mapping[str, State], grouped: bool = False) -> dict[str, State]:
    """Return states that keep the rows of every key apart, and count its samples.

    Args:
        states: The states of one key.
        grouped: As for `Keyed`.
    """
    every = {**states, _SAMPLES: IntSum(int, ())}
    return {name: Keyed(state, grouped) for name, state in every.items()}


def tagged(rows: Mapping[str, Any], tags: Tags) -> dict[str, Any]:
    """Return rows of the states, by name, as rows of the keyed states."""
    ones = np.ones(len(tags.codes), bool)
    every = {**rows, _SAMPLES: ones}
    return {name: KeyedRows(tags.cells, tags.codes, value) for name, value in every.items()}


def is_keyed(results: Results) -> bool:
    """Whether the results are of keyed states."""
    return isinstance(vars(results).get(_SAMPLES), PerKey)


def keys_of(results: Results) -> list[Key]:
    """Return the keys that have samples, sorted: not those whose samples were all subtracted."""
    samples: PerKey = getattr(results, _SAMPLES)
    keys = samples.keys()
    counts: Any = samples.groups(keys, np.arange(len(keys)), len(keys)).table
    return [key for key, number in zip(keys, counts.numbers(), strict=True) if number]


def grouped_results(
    results: Results, keys: Sequence[Key], places: Sequence[int], size: int, clustered: bool
) -> Iterator[Results]:
    """Yield the results of groups of keys, as metrics compute from.

    Args:
        results: Of keyed states.
        keys: The keys that are in a group.
        places: The group of each.
        size: How many groups there are.
        clustered: Whether the last entry of a key is the cluster.
    """
    values = {n: v for n, v in vars(results).items() if isinstance(v, PerKey)}
    groups = np.array(places, np.int64)
    found = {name: value.groups(keys, groups, size) for name, value in values.items()}
    states = {name: value.state.inner for name, value in values.items()}
    of_group: list[list[Key]] = [[] for _ in range(size if clustered else 0)]
    for key, place in zip(keys, places, strict=True):
        if clustered:
            of_group[place].append(key)
    for group in range(size):
        folded = {name: one.one(group) for name, one in found.items()}
        made = _results(states, folded)
        yield with_clusters(made, Clusters(values, of_group[group], folded)) if clustered else made


def _results(states: Mapping[str, State], folded: Mapping[str, Any]) -> Results:
    count = states[_SAMPLES].value(folded[_SAMPLES])
    own = {name: state for name, state in states.items() if name != _SAMPLES}
    return make_results(own, dict(folded), count)


def derived(function: Callable[[Results], Results], results: Results) -> Results:
    """Return the results that follow from others, without each cluster too."""
    found = function(results)
    clusters = clusters_of(results)
    if clusters is None or found is results:
        return found
    return with_clusters(found, clusters.then(function))


class Clusters:
    """Samples in clusters: what the results are without some of the clusters.

    Args:
        values: The values of every state by key.
        keys: The keys of these samples; the last entry of each is the cluster.
        folded: The folded values of all of them together.

    Attributes:
        sizes: The number of samples of every cluster, in the order of their names.
    """

    def __init__(
        self, values: Mapping[str, PerKey], keys: Sequence[Key], folded: Mapping[str, Any]
    ) -> None:
        self._values, self._keys, self._folded = values, keys, folded
        names = in_order({key[-1:] for key in keys})
        self._number = len(names)
        places = {name: place for place, name in enumerate(names)}
        groups = np.array([places[key[-1:]] for key in keys], np.int64)
        self._groups = {n: v.groups(keys, groups, self._number) for n, v in values.items()}
        self._states = {name: value.state.inner for name, value in values.items()}
        counts: Any = self._groups[_SAMPLES].table
        self.sizes: list[int] = counts.numbers()
        self._functions: tuple[Callable[[Results], Results], ...] = ()

    def then(self, function: Callable[[Results], Results]) -> Clusters:
        """Return the same clusters, of results that follow from these."""
        found = object.__new__(Clusters)
        found.__dict__ |= {**vars(self), "_functions": (*self._functions, function)}
        return found

    @property
    def grouped(self) -> bool:
        """Whether they are groups of samples that do not belong together."""
        return any(value.state.grouped for value in self._values.values())

    @property
    def folds(self) -> bool:
        """Whether no state keeps its rows."""
        return not any(value.state.ordered for value in self._values.values())

    def contents(self) -> list[tuple[bytes, ...]]:
        """Return what is equal for clusters that add the same; of states that fold."""
        tables = [groups.table.contents() for groups in self._groups.values()]
        return list(zip(*tables, strict=True))

    def counts(self, name: str, members: Sequence[int]) -> np.ndarray:
        """Return the histograms of some clusters, of a state that counts."""
        return np.stack([self._groups[name].one(place) for place in members])

    def presence(self, name: str) -> np.ndarray:
        """Return in how many clusters each sum of a state is not 0."""
        one, state = self._groups[name].one, self._states[name]
        found: np.ndarray = sum(state.value(one(place)) != 0 for place in range(self._number))
        return found

    def without(self, members: Sequence[int]) -> Results:
        """Return the results without some clusters.

        Raises:
            TypeError: A state does not know what it was without some samples.
        """
        which = np.array(members, np.int64)
        left = {n: g.without(self._folded[n], which) for n, g in self._groups.items()}
        results = _results(self._states, left)
        for function in self._functions:
            results = function(results)
        return results
