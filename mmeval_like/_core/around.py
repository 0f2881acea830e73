"""Around: a plan that has one other plan inside, and is as this is where it does not say more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from mmeval_like._core.batch import Batch
from mmeval_like._core.plan import Place, Plan
from mmeval_like._core.slot import Slot
from mmeval_like._core.view import View

__all__ = ["Around"]

Self = TypeVar("Self", bound="Around")


@dataclass(frozen=True)
class Around(Plan):
    """A plan around another one.

    Attributes:
        inner: The other plan.
    """

    inner: Plan

    @property
    def compares(self) -> bool:  # type: ignore[override]
        """As the other plan."""
        return self.inner.compares

    @property
    def records(self) -> bool:  # type: ignore[override]
        """As the other plan."""
        return self.inner.records

    @property
    def windowed(self) -> bool:  # type: ignore[override]
        """As the other plan."""
        return self.inner.windowed

    @property
    def slots(self) -> Sequence[Slot]:
        """Those of the other plan."""
        return self.inner.slots

    @property
    def every_rank_computes(self) -> bool:
        """As the other plan."""
        return self.inner.every_rank_computes

    @property
    def classes(self) -> list[str] | None:
        """Those of the other plan."""
        return self.inner.classes

    @property
    def families(self) -> Sequence[Any]:
        """Those of the other plan."""
        return self.inner.families

    @property
    def columns(self) -> tuple[str, ...]:
        """Those of the other plan."""
        return self.inner.columns

    def read(self, batch: Batch) -> list[Mapping[str, Any] | None]:
        """Return the rows of the other plan."""
        return self.inner.read(batch)

    def finish(self, views: Sequence[View]) -> dict[str, Any]:
        """Return the values of the other plan."""
        return self.inner.finish(views)

    def per_sample(self, batch: Batch) -> dict[str, Any]:
        """Return what the metrics say of every sample alone."""
        return self.inner.per_sample(batch)

    def places(self) -> Iterator[Place]:
        """Yield the metrics of the other plan."""
        return self.inner.places()

    def described(self, counts: Sequence[int]) -> list[tuple[str, str, int]]:
        """Return what the metrics of the other plan are."""
        return self.inner.described(counts)

    def fresh(self: Self) -> Self:
        """Return the plan around copies without samples."""
        return replace(self, inner=self.inner.fresh())

    def frozen(self: Self) -> Self:
        """Return the plan around what stays as it is."""
        return replace(self, inner=self.inner.frozen())

    def forget(self) -> None:
        """Reset the metrics of the other plan."""
        self.inner.forget()

    def relay(self) -> None:
        """Find the slots of the other plan anew."""
        self.inner.relay()

    def aside_of(self, found: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the other plan does."""
        return self.inner.aside_of(found)

    def record(self, held: Any, *options: Any) -> dict[str, Any]:
        """Return the record of the other plan."""
        return self.inner.record(held, *options)
