"""Combinator: an evaluation of a plan that is made of other plans."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, TypeVar

from mmeval_like._base.eager import COMPILER, eagerly
from mmeval_like._core.batch import Batch
from mmeval_like._core.evaluation import Evaluation
from mmeval_like._core.plan import Plan
from mmeval_like._core.reasons import reasons_of
from mmeval_like._core.result import Result
from mmeval_like.backends import BaseDistBackend

__all__ = ["Combinator"]

Self = TypeVar("Self", bound="Combinator")


class Combinator(Evaluation):
    """An evaluation of a plan that is made of other plans.

    Args:
        plan: What is computed; its metrics have no samples and belong to no other evaluation.
        dist_backend: As for a metric.
    """

    def __init__(self, plan: Plan, dist_backend: str | BaseDistBackend | None) -> None:
        super().__init__(dist_backend)
        self._plan = plan

    @property
    def plan(self) -> Plan:
        """What is computed from the samples."""
        return self._plan

    def add(
        self,
        *batch: Any,
        ids: Any = None,
        clusters: Any = None,
        by: Mapping[str, Any] | None = None,
        unscored: Any = None,
        **named: Any,
    ) -> None:
        """Accumulate a batch; if it raises an error, nothing is added.

        Args:
            *batch: The arguments of the metrics' `add`.
            ids: As in `BaseMetric.add`.
            clusters: As in `BaseMetric.add`. A cluster may have samples in several slices.
            by: If there are slices, the values of every column, one for each sample: integers,
                strings, or None for a missing value.
            unscored: As in `BaseMetric.add`.
            **named: The keyword arguments of the metrics' `add`.

        Raises:
            TypeError: A value of `by` is neither an integer nor a string. Floats are not allowed:
                round them or bin them first. Or ids or clusters were given although they cannot be
                kept.
            ValueError: The columns are not those of the constructor, or have the wrong length; or
                the metrics find different numbers of samples in the batch.
            Exception: A metric raised it.
        """
        if COMPILER in sys.modules:
            eagerly(self._add, batch, named, ids, clusters, by, unscored)
        else:
            self._add(batch, named, ids, clusters, by, unscored)

    def add_unscored(
        self,
        *,
        ids: Any = None,
        reason: Any = "error",
        clusters: Any = None,
        by: Mapping[str, Any] | None = None,
        **known: Any,
    ) -> None:
        """Accumulate samples without a score; see `BaseMetric.add_unscored`.

        Args:
            ids: As in `BaseMetric.add`.
            reason: As in `BaseMetric.add_unscored`.
            clusters: As in `BaseMetric.add`.
            by: As in `add`.
            **known: As in `BaseMetric.add_unscored`.

        Raises:
            ValueError, TypeError: As in `BaseMetric.add_unscored`.
        """
        given = {**known, **(by or {})}
        self._add((), known, ids, clusters, by, reasons_of(reason, ids, clusters, given))

    def __call__(self, *batch: Any, **named: Any) -> Result:
        """Return the values of one batch; nothing is accumulated or communicated."""
        fresh = self._empty()
        fresh._held.windows_forget = False
        fresh.add(*batch, **named)
        return fresh.compute_local()

    def per_sample(self, *batch: Any, **named: Any) -> dict[str, Any]:
        """Return the metrics' values for each single sample; see `BaseMetric.per_sample`."""
        return self.plan.per_sample(Batch(batch, named))

    def record(
        self,
        request: Mapping[str, Any] | None = None,
        shards: Mapping[str, Any] | None = None,
        made: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Return the record of the last `compute` of a wrapped `Recorded`; see `Recorded.record`.

        Raises:
            AttributeError: This does not wrap a `Recorded`, so the samples have no digest.
            RuntimeError: `compute` was not called since the last `add`.
        """
        return self.plan.record(self._held, request, shards, made)

    def reset(self) -> None:
        """Forget all samples."""
        self.plan.forget()
        self._forget()

    def _add(
        self,
        args: tuple[Any, ...],
        named: dict[str, Any],
        ids: Any,
        clusters: Any,
        by: Mapping[str, Any] | None,
        unscored: Any = None,
    ) -> None:
        plan = self.plan
        columns = plan.columns
        if columns:
            if not isinstance(by, Mapping) or by.keys() != set(columns):
                given = list(by) if isinstance(by, Mapping) else type(by).__name__
                raise ValueError(f"by must map the columns {[*columns]} to values, got {given}")
        elif by is not None:
            named, by = {**named, "by": by}, None
        batch = Batch(args, named, ids, by, clusters, lambda: plan.classes, unscored)
        self._samples().append(batch, plan.read(batch))
        self._held.computed = None

    def _copied(self: Self) -> Self:
        twin = super()._copied()
        twin._plan = self._plan.frozen()
        return twin

    def _empty(self: Self, keep: int | None = None) -> Self:
        fresh = super()._copied()
        fresh._held, fresh._plan = self._held.emptied(keep), self._plan.fresh()
        fresh.reset()
        return fresh
