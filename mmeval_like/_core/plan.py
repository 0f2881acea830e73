"""Plan: a description of what is computed, without samples; it is equal on all ranks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, repeat
from typing import Any, TypeAlias

from mmeval_like._core.batch import Batch
from mmeval_like._core.slot import Slot
from mmeval_like._core.view import View
from mmeval_like._exchange.fingerprint import Identity
from mmeval_like._states.results import Results

__all__ = ["EACH", "Path", "Place", "Plan"]

EACH = None
"""The entry in a metric's path at which the result has a dict for each slice."""

Path: TypeAlias = "tuple[str | None, ...]"


@dataclass(frozen=True)
class Place:
    """A metric, and the place of its values in the result of a plan.

    Attributes:
        path: The keys that lead to its values; `EACH` means all slices.
        metric: The metric.
        slots: The places of the slots with its samples; empty if the results are derived.
    """

    path: Path
    metric: Any
    slots: tuple[int, ...]

    @property
    def name(self) -> str:
        """The names of the members that lead to the metric, joined by dots, or ""."""
        return ".".join(name for name in self.path if name is not EACH)


class Plan(ABC):
    """What is computed from samples. A plan has no samples; plans may contain plans."""

    compares = False
    """Whether the values compare two systems, with intervals of their differences."""

    records = False
    """Whether the samples have a digest, which a record of the result needs."""

    windowed = False
    """Whether samples are forgotten bucket by bucket."""

    forgets = False
    """Whether only the last samples count."""

    def __getstate__(self) -> dict[str, Any]:
        return vars(self).copy()  # another thread may compute a `cached_property` meanwhile

    @property
    @abstractmethod
    def slots(self) -> Sequence[Slot]:
        """The distinct slots that are kept."""

    @property
    @abstractmethod
    def identity(self) -> Identity:
        """The identity, which the ranks compare."""

    @property
    @abstractmethod
    def every_rank_computes(self) -> bool:
        """Whether `finish` returns the same bits on every processor, and has no side effects."""

    @property
    @abstractmethod
    def classes(self) -> list[str] | None:
        """The class names, or None if they are unknown."""

    @property
    def lists(self) -> bool:
        """Whether a metric appends to a list, in MMEval style."""
        return any(slot.shape.lists for slot in self.slots)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns whose values name the slices."""
        return ()

    @property
    def families(self) -> Sequence[Any]:
        """The families of slices, from the outermost slices inwards."""
        return ()

    @abstractmethod
    def read(self, batch: Batch) -> list[Mapping[str, Any] | None]:
        """Return the rows of a batch for each slot, without storing them; None if there are none.

        Raises:
            TypeError, ValueError: The batch is invalid for a metric.
        """

    @abstractmethod
    def finish(self, views: Sequence[View]) -> dict[str, Any]:
        """Return the values of the merged samples of all slots."""

    def opposed(self, views: Sequence[View]) -> Sequence[View]:
        """Return the views of a system in the order in which another's are compared with them.

        Where samples have no score, the worst of one system is compared with the best of another.
        """
        return views

    def concluded(self, results: Sequence[Results]) -> dict[str, Any]:
        """Return the values of the merged results of all slots."""
        return self.finish([*map(View, results, repeat(self), count())])

    @abstractmethod
    def per_sample(self, batch: Batch) -> dict[str, Any]:
        """Return the values of each single sample."""

    @abstractmethod
    def places(self) -> Iterator[Place]:
        """Yield each metric with the place of its values."""

    @abstractmethod
    def described(self, counts: Sequence[int]) -> list[tuple[str, str, int]]:
        """Return the name, the class with options, and the number of samples of each metric.

        Args:
            counts: The number of samples of every slot.
        """

    @abstractmethod
    def measured(self) -> list[str]:
        """Return the class with options of each metric."""

    def counted(self, samples: int) -> int:
        """Return how many of all samples that are kept are evaluated."""
        return samples

    @abstractmethod
    def fresh(self) -> Plan:
        """Return an equal plan whose metrics have no samples."""

    @abstractmethod
    def frozen(self) -> Plan:
        """Return an equal plan that later changes of the metrics do not affect."""

    def wanted(self) -> list[frozenset[Any] | None]:
        """Return, for each slot, what the metrics ask of states that deal; None: all rows."""
        return [None for _ in self.slots]

    def forget(self) -> None:
        """Call `reset` of the metrics, which may hold more than samples."""
        for place in self.places():
            place.metric.reset()

    @abstractmethod
    def relay(self) -> None:
        """Recompute the slots after options that affect them have changed."""

    def follow(self) -> None:
        """Recompute the slots if options were set since; called while there are no samples."""
        return

    def aside_of(self, found: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of a `state_dict` that are saved with the samples and never sent."""
        return {}

    def record(self, held: Any, *options: Any) -> dict[str, Any]:
        """Return the record of the last result.

        Raises:
            AttributeError: The samples have no digest.
        """
        raise AttributeError(
            "a record needs a digest of the samples, from the first one on: add them to "
            "Recorded(metric), which has it"
        )
