"""The same metrics over all samples and over slices of them, in one exchange."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like import checkpoint
from mmeval_like.backends import BaseDistBackend
from mmeval_like.collection import MetricCollection
from mmeval_like.evaluable import Evaluable
from mmeval_like.identity import Identity
from mmeval_like.job import Job, Outcome
from mmeval_like.parts import Part
from mmeval_like.results import Results
from mmeval_like.store import Store
from mmeval_like.trouble import raise_trouble, trace

__all__ = ["WHOLE", "Slices"]

WHOLE = ""  # the name of the slice of all samples


class Slices(Evaluable):
    """A collection of metrics for all samples, and one for every value of a column.

    Which values there are is known only when the data has been read, and differs by rank:
    `agree` must be called before `compute`.

    Args:
        make: Returns an empty collection.
        backend: Carries the messages.
    """

    def __init__(self, make: Callable[[], MetricCollection], backend: BaseDistBackend) -> None:
        self._make = make
        self._slices: dict[str, MetricCollection] = {WHOLE: make()}
        self.dist_backend = backend
        self.dist_collect_mode = self._slices[WHOLE].dist_collect_mode
        self._evaluating = False

    def add(self, arguments: Mapping[str, Any], ids: Any = None, by: Any = None) -> None:
        """Add a batch to the whole, and its rows to their slices.

        Args:
            arguments: What the metrics take, by name: arrays and lists of one length.
            ids: The rows' dataset indices, or None.
            by: The rows' slices, or None.
        """
        self._slices[WHOLE].add(ids=ids, **arguments)
        if by is None:
            return
        names = np.array([str(value) for value in by])
        for name in np.unique(names):
            which = np.flatnonzero(names == name)
            part = {key: _take(value, which) for key, value in arguments.items()}
            self._slice(str(name)).add(ids=None if ids is None else _take(ids, which), **part)

    def agree(self, failure: Exception | None = None) -> None:
        """Let every rank know all slices; every rank must call it.

        Args:
            failure: What went wrong on this rank.

        Raises:
            Exception: `failure`, on the first rank that has one: that one says it.
            RemoteError: On all other ranks.
        """
        text = trace(failure) if failure is not None else None
        told = self.dist_comm.all_gather_object((text, sorted(self._slices)))
        failed = [rank for rank, (text, _) in enumerate(told) if text is not None]
        if failed:
            raise_trouble(told, failure if self.dist_comm.rank == failed[0] else None)
        for name in sorted({name for _, names in told for name in names}):
            self._slice(name)
        self._slices = {name: self._slices[name] for name in sorted(self._slices)}

    def reset(self) -> None:
        """Forget all samples and slices."""
        self._slices = {WHOLE: self._make()}

    def state_dict(self) -> dict[str, Any]:
        """Return this rank's samples so far, with the names of its slices."""
        self._slices = {name: self._slices[name] for name in sorted(self._slices)}
        return super().state_dict() | {"slices": list(self._slices)}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Replace the samples so far by those of a `state_dict`."""
        self._slices = {str(name): self._make() for name in state_dict.get("slices", [WHOLE])}
        identity = self._identity.text
        self._merge_parts(checkpoint.from_dict(state_dict, identity, self._stores()))

    def join(self, other: Slices) -> None:
        """Append another's samples, whatever its slices are."""
        for name, collection in other._slices.items():
            self._slice(name).merge(collection)

    def _slice(self, name: str) -> MetricCollection:
        if name not in self._slices:
            self._slices[name] = self._make()
        return self._slices[name]

    def _stores(self) -> list[Store]:
        return [store for collection in self._slices.values() for store in collection._stores()]

    def _finish(self, results: list[Results]) -> dict[str, Any]:
        width = len(results) // len(self._slices)
        return {
            name: collection._finish(results[index * width : (index + 1) * width])
            for index, (name, collection) in enumerate(self._slices.items())
        }

    def _job(self, missing: str) -> Job:
        whole = self._slices[WHOLE]._job(missing)
        return _Job(
            stores=self._stores(),
            finish=self._finish,
            mode=self.dist_collect_mode,
            missing=missing,
            identity=self._identity,
            every_rank_computes=whole.every_rank_computes,
            whole=len(whole.stores),
        )

    @property
    def _identity(self) -> Identity:
        return Identity.of(f"{self._slices[WHOLE]._identity.text} by {sorted(self._slices)}")

    def _merge_parts(self, parts: list[Part]) -> None:
        width = len(parts) // len(self._slices)
        for index, collection in enumerate(self._slices.values()):
            collection._merge_parts(parts[index * width : (index + 1) * width])


@dataclass
class _Job(Job):
    """A job where `missing` is about the whole: a slice has only some of its ids.

    Attributes:
        whole: How many of the stores, the first ones, are the whole's.
    """

    whole: int

    def outcome(
        self, size: int | None, parts: Sequence[Sequence[Part]], kept: Sequence[int] | None
    ) -> Outcome:
        """Merge the ranks' parts and compute."""
        whole, slices = slice(self.whole), slice(self.whole, None)
        results, report = self._of(whole, self.missing).outcome(
            size, [of_rank[whole] for of_rank in parts], kept
        )
        others, _ = self._of(slices, "report").outcome(
            size, [of_rank[slices] for of_rank in parts], kept
        )
        return self.finish([*results, *others]), report

    def _of(self, which: slice, missing: str) -> Job:
        """Return the job of some of the stores, which returns their results as they are."""
        stores, ranks_agree = self.stores[which], self.every_rank_computes
        return Job(stores, list, self.mode, missing, self.identity, ranks_agree)


def _take(column: Any, which: np.ndarray) -> Any:
    return column[which] if isinstance(column, np.ndarray) else [column[i] for i in which]
