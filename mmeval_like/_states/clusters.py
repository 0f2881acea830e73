"""Results of keyed states: of all samples or of one slice, optionally with their clusters."""

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
    "SAMPLES", "Clusters", "derived", "grouped_results", "is_keyed", "keyed_states", "keys_of",
    "sizes", "tagged",
]  # fmt: skip

T = TypeVar("T")

SAMPLES = "__samples__"  # an additional state: the number of samples of each key


def keyed_states(
    states: Mapping[str, State],
    grouped: bool = False,
    reason: int | None = None,
    filled: Mapping[str, Any] | None = None,
) -> dict[str, State]:
    """Return keyed versions of the states, and a state that counts the samples of each key.

    Args:
        states: The states of one key.
        grouped: As for `Keyed`.
        reason: As for `Keyed`.
        filled: The row of each state as for `Keyed`.
    """
    every = {**states, SAMPLES: IntSum(int, ())}
    rows = {**(filled or {}), SAMPLES: np.ones(1, bool)}
    return {name: Keyed(state, grouped, reason, rows.get(name)) for name, state in every.items()}


def tagged(rows: Mapping[str, Any], tags: Tags) -> dict[str, Any]:
    """Return the rows of the states, by name, as rows of the keyed states."""
    ones = np.ones(len(tags.codes), bool)
    every = {**rows, SAMPLES: ones}
    return {name: KeyedRows(tags.cells, tags.codes, value) for name, value in every.items()}


def is_keyed(results: Results) -> bool:
    """Return whether the results come from keyed states."""
    return isinstance(vars(results).get(SAMPLES), PerKey)


def keys_of(results: Results) -> list[Key]:
    """Return the keys that have samples, sorted; keys without samples left are omitted."""
    samples: PerKey = getattr(results, SAMPLES)
    keys = samples.keys()
    return [key for key, number in zip(keys, sizes(results, keys), strict=True) if number]


def sizes(results: Results, keys: Sequence[Key]) -> list[int]:
    """Return the number of samples of each of these keys."""
    samples: PerKey = getattr(results, SAMPLES)
    counts: Any = samples.groups(keys, np.arange(len(keys)), len(keys)).table
    found: list[int] = counts.numbers()
    return found


def grouped_results(
    results: Results, keys: Sequence[Key], places: Sequence[int], size: int, clustered: bool
) -> Iterator[Results]:
    """Yield the results of each group of keys, as `compute_metric` takes them.

    Args:
        results: The results of keyed states.
        keys: The keys that are in a group.
        places: The group of each key.
        size: The number of groups.
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
    count = states[SAMPLES].value(folded[SAMPLES])
    own = {name: state for name, state in states.items() if name != SAMPLES}
    return make_results(own, dict(folded), count)


def derived(function: Callable[[Results], Results], results: Results) -> Results:
    """Return `function(results)`, with clusters whose results pass through the function as well."""
    found = function(results)
    clusters = clusters_of(results)
    if clusters is None or found is results:
        return found
    return with_clusters(found, clusters.then(function))


class Clusters:
    """The clusters of samples; `without` returns the results without some of them.

    Args:
        values: The values by key, of every state by name.
        keys: The keys of these samples; the last entry of each is the cluster.
        folded: The folded values of all these samples together.

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
        counts: Any = self._groups[SAMPLES].table
        self.sizes: list[int] = counts.numbers()
        self._functions: tuple[Callable[[Results], Results], ...] = ()

    def then(self, function: Callable[[Results], Results]) -> Clusters:
        """Return the same clusters, with the function applied to their results."""
        found = object.__new__(Clusters)
        found.__dict__ |= {**vars(self), "_functions": (*self._functions, function)}
        return found

    @property
    def grouped(self) -> bool:
        """Whether the clusters are groups from `sample_groups`, not clusters of the user."""
        return any(value.state.grouped for value in self._values.values())

    @property
    def folds(self) -> bool:
        """Whether all states fold, so that none keeps its rows."""
        return not any(value.state.ordered for value in self._values.values())

    def contents(self) -> list[tuple[bytes, ...]]:
        """Return bytes for each cluster, equal for equal folded values; all states must fold."""
        tables = [groups.table.contents() for groups in self._groups.values()]
        return list(zip(*tables, strict=True))

    def counts(self, name: str, members: Sequence[int]) -> np.ndarray:
        """Return the histograms of some clusters, for a state that counts."""
        return np.stack([self._groups[name].one(place) for place in members])

    def presence(self, name: str) -> np.ndarray:
        """Return the number of clusters in which each sum of a state is not 0."""
        one, state = self._groups[name].one, self._states[name]
        found: np.ndarray = sum(state.value(one(place)) != 0 for place in range(self._number))
        return found

    def without(self, members: Sequence[int]) -> Results:
        """Return the results without some clusters.

        Raises:
            TypeError: A state cannot be subtracted.
        """
        which = np.array(members, np.int64)
        left = {n: g.without(self._folded[n], which) for n, g in self._groups.items()}
        results = _results(self._states, left)
        for function in self._functions:
            results = function(results)
        return results
