"""Slot: a statistic that an evaluation keeps once for all metrics that use it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from mmeval_like._states.clusters import keyed_states
from mmeval_like._states.kinds.abstract import State
from mmeval_like._states.kinds.last import LastOf
from mmeval_like._states.statistic import Derivation, Statistic, plain
from mmeval_like._states.truths import DIGESTS, TRUTH

__all__ = ["By", "Last", "Shape", "Slot", "Wrap", "least_padding", "surround"]


@dataclass(frozen=True)
class By:
    """The states are kept separately for each combination of values in some columns.

    Attributes:
        columns: The names of the columns, from the outermost slices inwards.
        fill: What the rows of samples without a score stand for; the last column then has their
            reasons. None: all samples have a score.
        filled: The rows of one such sample that nobody has added; None: they are unknown.
    """

    columns: tuple[str, ...]
    fill: float | str | None = None
    filled: Mapping[str, Any] | None = field(default=None, compare=False)

    def around(self, states: Mapping[str, State], grouped: bool) -> dict[str, State]:
        """Return the keyed states; see `keyed_states`."""
        reason = None if self.fill is None else len(self.columns) - 1
        return keyed_states(states, grouped, reason, self.filled)


@dataclass(frozen=True)
class Last:
    """The states have only the last samples.

    Attributes:
        samples: The number of last samples.
    """

    samples: int


Wrap: TypeAlias = "By | Last"


@dataclass(frozen=True)
class Divided:
    """The samples are divided into groups with separate states, for intervals.

    Attributes:
        states: The states of one group.
    """

    states: Mapping[str, State] = field(compare=False)


@dataclass(frozen=True)
class Shape:
    """The way in which the states of a statistic are kept.

    Attributes:
        wraps: Slices and last samples around the states, from the outermost inwards.
        window: The samples and the buckets of a window; None: all samples are kept.
        lists: Whether the rows are the entries of a metric that appends to a list.
        groups: The groups into which samples without `clusters=` are divided; None: no groups.
        clusters: Whether each cluster of samples has separate states.
        truth: Whether a digest of each sample's truth is kept, for a comparison of two systems.
        of_pair: Whether two systems are compared, sample by sample.
        max_padding: As in `BaseMetric`.
        member: The member of a collection that reads the rows, for error messages.
    """

    wraps: tuple[Wrap, ...] = ()
    window: tuple[int, int] | None = None
    lists: bool = False
    groups: Divided | None = None
    clusters: bool = field(default=False, compare=False)
    truth: bool = field(default=False, compare=False)
    of_pair: bool = field(default=False, compare=False)
    max_padding: int | None = field(default=None, compare=False)
    member: str = field(default="", compare=False)

    def around(self, states: Mapping[str, State]) -> dict[str, State]:
        """Return the states as they are kept."""
        return surround(states, self.wraps, self.groups is not None)


@dataclass(frozen=True)
class Slot:
    """A statistic and how it is kept. Members of a collection with equal slots share one.

    Attributes:
        statistic: What is accumulated.
        shape: The way in which it is kept.
        sole_user: The metric that never shares the slot, such as one that overrides `add`; or None.
    """

    statistic: Statistic
    shape: Shape
    sole_user: object = None

    def states(self) -> dict[str, State]:
        """Return the states as they are kept."""
        return self.shape.around(self._with_truth(self.statistic))

    def clustered(self) -> dict[str, State]:
        """Return the states for samples with `clusters=`, without other states for intervals."""
        by = next((wrap for wrap in self.shape.wraps if isinstance(wrap, By)), By(()))
        return by.around(self._with_truth(plain(self.statistic)), False)

    def _with_truth(self, statistic: Statistic) -> dict[str, State]:
        states = statistic.states()
        return {**states, TRUTH: DIGESTS} if self.shape.truth else states

    @property
    def derives(self) -> bool:
        """Whether the statistic overrides `derive`, so that it may be derived from another one."""
        return type(self.statistic).derive is not Statistic.derive

    @property
    def keeps_more(self) -> bool:
        """Whether the statistic keeps more than the metric needs, for intervals."""
        return plain(self.statistic) is not self.statistic or self.shape.groups is not None

    def derivation(self, other: Slot) -> Derivation | None:
        """Return the function that derives the results from another slot's, or None."""
        divided = other.shape.groups is not None and self.shape.groups is None
        shape = replace(self.shape, groups=other.shape.groups) if divided else self.shape
        if shape != other.shape or self.sole_user is not None or other.sole_user is not None:
            return None
        if self.shape.of_pair:  # samples that change the other statistic may not change this one
            return None
        if divided and self.shape.clusters:  # it has its own intervals, without groups
            return None
        known = plain(other.statistic)
        if (divided or known is not other.statistic) and known == self.statistic:
            return _as_they_are
        return self.statistic.derive(known)

    def shared_with(self, other: Slot) -> Slot:
        """Return a slot that keeps what this slot and an equal one need."""
        shape = replace(
            self.shape,
            clusters=self.shape.clusters or other.shape.clusters,
            truth=self.shape.truth or other.shape.truth,
            max_padding=least_padding([self.shape.max_padding, other.shape.max_padding]),
        )
        return replace(self, shape=shape)

    def within(self, wrap: Wrap) -> Slot:
        """Return this slot with slices, or last samples, around its states."""
        wraps, groups = self.shape.wraps, self.shape.groups
        if isinstance(wrap, By) and any(isinstance(inner, Last) for inner in wraps):
            groups = None  # the last samples of each slice are not divided
        if wraps and isinstance(wrap, By) and isinstance(wraps[0], By):
            wraps = (replace(wraps[0], columns=(*wrap.columns, *wraps[0].columns)), *wraps[1:])
        elif wraps and isinstance(wrap, Last) and isinstance(wraps[0], Last):
            wraps = (Last(min(wrap.samples, wraps[0].samples)), *wraps[1:])
        else:
            wraps = (wrap, *wraps)
        return replace(self, shape=replace(self.shape, wraps=wraps, groups=groups))


def least_padding(paddings: Sequence[int | None]) -> int | None:
    """Return the smallest `max_padding`; None (less than one row per rank) exceeds only 0."""
    return (
        None
        if None in paddings and 0 not in paddings
        else min(p for p in paddings if p is not None)
    )


def surround(
    states: Mapping[str, State], wraps: Sequence[Wrap], grouped: bool = False
) -> dict[str, State]:
    """Put slices and last samples around states; the outermost wrap comes first.

    Args:
        states: The states of the statistic.
        wraps: The slices and limits to last samples.
        grouped: Whether the samples are divided into groups, which are the last entry of the
            innermost keys.
    """
    found = dict(states)
    if grouped and not (wraps and isinstance(wraps[-1], By)):
        found, grouped = keyed_states(found, grouped), False
    for wrap in reversed(wraps):
        if isinstance(wrap, By):
            found, grouped = wrap.around(found, grouped), False
        else:
            found = {name: LastOf(wrap.samples, state) for name, state in found.items()}
    return found


def _as_they_are(results: Any) -> Any:
    return results
