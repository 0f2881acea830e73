"""Plan: what is computed, without samples; equal on all ranks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from mmeval_like._core.batch import Batch
from mmeval_like._core.slot import Slot
from mmeval_like._core.view import View
from mmeval_like._exchange.fingerprint import Identity
from mmeval_like._states.results import Results

__all__ = ["EACH", "Path", "Place", "Plan"]

EACH = None
"""What stands in the path of a metric where the result has a dict for each slice."""

Path: TypeAlias = "tuple[str | None, ...]"


@dataclass(frozen=True)
class Place:
    """A metric, and where its values stand in the result of a plan.

    Attributes:
        path: The keys that lead to its values; `EACH` stands for all slices.
        metric: The metric.
        slot: Which of the plan's slots has its samples; None: they follow from another slot's.
    """

    path: Path
    metric: Any
    slot: int | None

    @property
    def name(self) -> str:
        """The names of the members that lead to the metric, joined by dots; "" for one alone."""
        return ".".join(name for name in self.path if name is not EACH)


class Plan(ABC):
    """What is computed from samples. A plan has no samples; plans may stand in plans."""

    compares = False
    """Whether the values are of two systems, with intervals of their differences."""

    records = False
    """Whether the samples have a digest, so that there is a record of the result."""

    windowed = False
    """Whether samples are forgotten bucket by bucket."""

    @property
    @abstractmethod
    def slots(self) -> Sequence[Slot]:
        """What is kept, each once."""

    @property
    @abstractmethod
    def identity(self) -> Identity:
        """The fingerprint that the ranks compare."""

    @property
    @abstractmethod
    def every_rank_computes(self) -> bool:
        """Whether `finish` gives the same bits on every processor, and writes nothing."""

    @property
    @abstractmethod
    def classes(self) -> list[str] | None:
        """The names of the classes, where they are known."""

    @property
    def lists(self) -> bool:
        """Whether a metric appends to a list, in MMEval's way."""
        return any(slot.shape.lists for slot in self.slots)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns whose values tell slices apart."""
        return ()

    @property
    def families(self) -> Sequence[Any]:
        """The families of slices, of the outermost slices first."""
        return ()

    @abstractmethod
    def read(self, batch: Batch) -> list[Mapping[str, Any] | None]:
        """Return the rows of a batch, by slot; None: it adds nothing. It keeps nothing.

        Raises:
            TypeError, ValueError: A metric refuses the batch.
        """

    @abstractmethod
    def finish(self, views: Sequence[View]) -> dict[str, Any]:
        """Return the values of the merged samples of all slots."""

    def concluded(self, results: Sequence[Results]) -> dict[str, Any]:
        """Return the values of the merged results of all slots."""
        return self.finish([View(*both) for both in zip(results, self.slots, strict=True)])

    @abstractmethod
    def per_sample(self, batch: Batch) -> dict[str, Any]:
        """Return what the metrics say of every sample alone."""

    @abstractmethod
    def places(self) -> Iterator[Place]:
        """Yield every metric in the plan, and where its values stand."""

    @abstractmethod
    def described(self, counts: Sequence[int]) -> list[tuple[str, str, int]]:
        """Return for every metric its name, its class with the options, and its samples.

        Args:
            counts: The number of samples of every slot.
        """

    @abstractmethod
    def fresh(self) -> Plan:
        """Return an equal plan whose metrics remember nothing."""

    @abstractmethod
    def frozen(self) -> Plan:
        """Return an equal plan, which stays as it is when the metrics of this one change."""

    def wanted(self) -> list[frozenset[Any] | None]:
        """Return, by slot, what is asked of states that deal; None: all rows."""
        return [None for _ in self.slots]

    def forget(self) -> None:
        """Let metrics with a `reset` of their own forget what they remember."""
        for place in self.places():
            place.metric.reset()

    @abstractmethod
    def relay(self) -> None:
        """Find the slots anew, after options changed on which they depend."""

    def aside_of(self, found: Mapping[str, Any]) -> dict[str, Any]:
        """Return what belongs to saved samples and is never sent, from their `state_dict`."""
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
