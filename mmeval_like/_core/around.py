"""Around: a plan that wraps another plan and delegates to it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from mmeval_like._core.batch import Batch
from mmeval_like._core.plan import Place, Plan
from mmeval_like._core.slot import Slot
from mmeval_like._core.view import View
from mmeval_like._exchange.fingerprint import Identity

__all__ = ["Around"]

Self = TypeVar("Self", bound="Around")


@dataclass(frozen=True)
class Around(Plan):
    """A plan that wraps another plan and delegates to it; subclasses override what differs.

    Attributes:
        inner: The wrapped plan.
    """

    inner: Plan

    @abstractmethod
    def around(self, text: str) -> str:
        """Return the text of this plan's identity, given the text of the inner plan's."""

    @property
    def identity(self) -> Identity:
        """The identity of the inner plan and of its wrapper."""
        return Identity.of(self.around(self.inner.identity.text))

    @property
    def compares(self) -> bool:  # type: ignore[override]
        """Whether the inner plan compares two systems."""
        return self.inner.compares

    @property
    def records(self) -> bool:  # type: ignore[override]
        """Whether the inner plan keeps a digest of the samples."""
        return self.inner.records

    @property
    def windowed(self) -> bool:  # type: ignore[override]
        """Whether the inner plan forgets samples bucket by bucket."""
        return self.inner.windowed

    @property
    def forgets(self) -> bool:  # type: ignore[override]
        """Whether only the last samples count in the inner plan."""
        return self.inner.forgets

    @property
    def slots(self) -> Sequence[Slot]:
        """The slots of the inner plan."""
        return self.inner.slots

    @property
    def every_rank_computes(self) -> bool:
        """Whether every rank computes the values of the inner plan."""
        return self.inner.every_rank_computes

    @property
    def classes(self) -> list[str] | None:
        """The class names of the inner plan."""
        return self.inner.classes

    @property
    def families(self) -> Sequence[Any]:
        """The families of slices of the inner plan."""
        return self.inner.families

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the inner plan's slices."""
        return self.inner.columns

    def read(self, batch: Batch) -> list[Mapping[str, Any] | None]:
        """Return the rows that the inner plan reads from a batch."""
        return self.inner.read(batch)

    def finish(self, views: Sequence[View]) -> dict[str, Any]:
        """Return the values of the inner plan."""
        return self.inner.finish(views)

    def opposed(self, views: Sequence[View]) -> Sequence[View]:
        """Return the views in the order of the inner plan."""
        return self.inner.opposed(views)

    def per_sample(self, batch: Batch) -> dict[str, Any]:
        """Return the values of each single sample."""
        return self.inner.per_sample(batch)

    def places(self) -> Iterator[Place]:
        """Yield the metrics of the inner plan."""
        return self.inner.places()

    def described(self, counts: Sequence[int]) -> list[tuple[str, str, int]]:
        """Describe the metrics of the inner plan."""
        return self.inner.described(counts)

    def measured(self) -> list[str]:
        """Return the metrics of the inner plan with their options."""
        return self.inner.measured()

    def counted(self, samples: int) -> int:
        """Return how many samples the inner plan evaluates."""
        return self.inner.counted(samples)

    def fresh(self: Self) -> Self:
        """Return an equal plan whose metrics have no samples."""
        return replace(self, inner=self.inner.fresh())

    def frozen(self: Self) -> Self:
        """Return an equal plan that later changes of the metrics do not affect."""
        return replace(self, inner=self.inner.frozen())

    def forget(self) -> None:
        """Reset the metrics of the inner plan."""
        self.inner.forget()

    def relay(self) -> None:
        """Recompute the slots of the inner plan."""
        self.inner.relay()

    def follow(self) -> None:
        """Recompute the slots of the inner plan if options were set since."""
        self.inner.follow()

    def aside_of(self, found: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the inner plan reads from a `state_dict`."""
        return self.inner.aside_of(found)

    def record(self, held: Any, *options: Any) -> dict[str, Any]:
        """Return the record of the inner plan."""
        return self.inner.record(held, *options)
