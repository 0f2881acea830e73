"""What a metric and a collection have in common: their samples are exchanged and computed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from typing import Any, TypeVar

import numpy as np

from mmeval_like import checkpoint
from mmeval_like._checks import as_sample_count
from mmeval_like.backends import BaseDistBackend, get_dist_backend
from mmeval_like.backends.non_dist import NonDist
from mmeval_like.exactly_once import IdsReport, missing_ids
from mmeval_like.identity import Identity
from mmeval_like.job import Job
from mmeval_like.parts import Part
from mmeval_like.results import Results
from mmeval_like.store import Store
from mmeval_like.sync import synchronize

__all__ = ["Evaluable", "Run"]

Self = TypeVar("Self", bound="Evaluable")

# In place of the job of a rank that failed before it had one.
_NO_JOB = Job([], lambda results: {}, "unzip", "raise", Identity.of(""), False)


class Run:
    """The outcome of `with metric.evaluation() as run:`, available after the block.

    Attributes:
        result: What `compute` would have returned.
    """

    result: dict[str, Any]

    def __getattr__(self, name: str) -> Any:
        if name == "result":
            raise RuntimeError("run.result is there after the evaluation block has been left")
        raise AttributeError(name)


class Evaluable(ABC):
    """Samples of this rank that `compute` combines with those of the others."""

    dist_backend: str | BaseDistBackend | None
    dist_collect_mode: str
    every_rank_computes: bool
    _evaluating: bool

    report: IdsReport | None = None
    """After a `compute` over samples with `ids=`: how many were seen, missing, repeated."""

    def compute(self, size: int | None = None, *, missing: str = "raise") -> dict[str, Any]:
        """Combine the samples of all ranks and return the result, the same on every rank.

        Every rank must call it, also a rank without samples: never inside `if rank == 0`. To
        evaluate on rank 0 alone, construct the metric with `dist_backend="non_dist"`. What was
        accumulated stays: `compute` again gives the same, `add` may go on, `reset` starts anew.

        Args:
            size: The number of samples of the dataset. Without ids: exactly the rows at global
                index >= size are dropped, as the padding of samplers that deal single samples
                or contiguous shards; samplers that deal whole batches need `add(ids=)`. With
                ids: every index in [0, size) must have been added.
            missing: With ids and `size`: "raise" if an index was added by no rank, or "report"
                to compute without it. `report` has the numbers.

        Returns:
            The metric's values.

        Raises:
            ValueError: `size` is larger than the number of samples, or drops more of a rank's
                samples than are kept one by one; indices are missing.
            RemoteError: Another rank failed; the text has its traceback.
            DisagreementError: The ranks hold different metrics, options or sizes, or called
                `compute` in different order.
            SyncTimeoutError: A rank did not take part in time.
        """
        if self._evaluating:
            raise RuntimeError("inside an evaluation block, leaving the block computes")
        return self._compute(size, missing)

    def compute_local(self) -> dict[str, Any]:
        """Return the value of this rank's samples so far, without communication."""
        value: dict[str, Any] = synchronize(self._job("report"), None, NonDist())[0]
        return value

    @contextmanager
    def evaluation(self, size: int | None = None, *, missing: str = "raise") -> Iterator[Run]:
        """Make leaving a block the one exchange, on every rank, also when the loop raises.

        A rank whose loop raises tells the others, which get `RemoteError` with its traceback
        instead of waiting. KeyboardInterrupt and SystemExit leave at once, without exchange.

        Args:
            size: As in `compute`.
            missing: As in `compute`.

        Yields:
            A `Run`; after the block, `run.result` is what `compute` returns.

        Example:
            >>> from mmeval_like import Accuracy
            >>> metric = Accuracy()
            >>> with metric.evaluation(size=2) as run:
            ...     metric.add([0, 1], [0, 0])
            >>> run.result
            {'top1': 0.5}
        """
        if self._evaluating:
            raise RuntimeError("evaluation blocks cannot be nested")
        run = Run()
        self._evaluating = True
        try:
            yield run
        except Exception as error:
            synchronize(_NO_JOB, None, self.dist_comm, error)
        finally:
            self._evaluating = False
        run.result = self._compute(size, missing)

    def remaining(self, size: int) -> np.ndarray:
        """Return the dataset indices that no rank has added; every rank must call it.

        Args:
            size: The number of samples of the dataset.

        Returns:
            int64, ascending: those of [0, size) that were passed as `ids` on no rank.

        Raises:
            TypeError, ValueError: `size` is not a number of samples.
        """
        ids = [array for store in self._stores() for array in store.ids]
        mine = np.unique(np.concatenate(ids)) if ids else np.empty(0, np.int64)
        everyone = np.concatenate(self.dist_comm.all_gather_object(mine))
        size = as_sample_count(size, "size")
        return missing_ids(everyone[everyone < size], size)

    def merge(self: Self, other: Self) -> None:
        """Append another instance's samples behind this one's.

        Merging is associative: parts may be combined in any grouping, in one process or many.

        Raises:
            ValueError: `other` is another metric or has other options.
        """
        if self._identity != other._identity:
            mine, others = self._identity.text, other._identity.text
            raise ValueError(f"only equal metrics merge, got {others} for {mine}")
        self._merge_parts([store.part() for store in other._stores()])

    def state_dict(self) -> dict[str, Any]:
        """Return this rank's samples so far as arrays and JSON values, by name.

        Raises:
            TypeError: Entries of `_results` or of an `objects` state that are neither numbers,
                text, arrays nor lists, tuples or dicts of these.
        """
        parts = [store.part() for store in self._stores()]
        return checkpoint.to_dict(self._identity.text, self._stores(), parts)

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Replace the samples so far by those of a `state_dict`.

        Raises:
            ValueError: It belongs to another metric, other options or a newer version, or it is
                damaged. What was accumulated is still there then.
        """
        parts = checkpoint.from_dict(state_dict, self._identity.text, self._stores())
        self.reset()
        self._merge_parts(parts)

    def save(self, path: str | PathLike[str]) -> None:
        """Write this rank's samples so far to a file, all of it or nothing.

        The file is in the safetensors format, and never holds code. It is written beside its
        place and renamed, so that a reader never sees half of it. Every rank writes its own.

        Args:
            path: A path of this rank's own, for instance with the rank in its name.

        Raises:
            TypeError: As in `state_dict`.
            OSError: The file cannot be written.

        Example:
            >>> import tempfile, pathlib
            >>> from mmeval_like import Accuracy
            >>> path = pathlib.Path(tempfile.mkdtemp(), "rank-0.safetensors")
            >>> metric = Accuracy()
            >>> metric.add([1, 2], [1, 1], ids=[0, 1])
            >>> metric.save(path)
            >>> resumed = Accuracy()
            >>> resumed.load([path])
            >>> resumed.remaining(4)
            array([2, 3])
        """
        checkpoint.write(path, self.state_dict())

    def load(self, paths: str | PathLike[str] | Sequence[str | PathLike[str]]) -> None:
        """Merge the samples of saved files behind those of this rank.

        Every rank passes the same list, rank r of n takes paths r, r + n, ...: the number of
        ranks may differ from the run that saved. To count every sample once, add samples with
        `ids=`: files may then overlap, and `remaining(size)` tells what is still to be done.
        Without ids the files' samples are simply added.

        Args:
            paths: The files of all ranks.

        Raises:
            ValueError: A file is damaged, none of ours, of another metric, other options or a
                newer version. Nothing of any file is merged then.
            OSError: A file cannot be read.
        """
        paths = [paths] if isinstance(paths, str | PathLike) else list(paths)
        comm = self.dist_comm
        stores = self._stores()
        text = self._identity.text
        loaded = [
            checkpoint.from_dict(checkpoint.read(path), text, stores, path)
            for path in paths[comm.rank :: comm.world_size]
        ]
        with_ids = {p.ids is not None for parts in loaded for p in parts if p.count}
        with_ids |= {bool(store.ids) for store in stores if store.count}
        if len(with_ids) > 1:
            raise ValueError("files of samples with ids= and without ids= cannot be merged")
        for parts in loaded:
            self._merge_parts(parts)

    @property
    def dist_comm(self) -> BaseDistBackend:
        """The backend in use at this moment."""
        return get_dist_backend(self.dist_backend)

    def _compute(self, size: int | None, missing: str) -> dict[str, Any]:
        failure: Exception | None = None
        job = _NO_JOB
        try:
            if missing not in ("raise", "report"):
                raise ValueError(f"missing must be 'raise' or 'report', got {missing!r}")
            if size is not None:
                size = as_sample_count(size, "size")
            job = self._job(missing)
        except Exception as error:  # the other ranks must hear of it
            failure = error
        value: dict[str, Any]
        value, self.report = synchronize(job, size, self.dist_comm, failure)
        return value

    def _job(self, missing: str) -> Job:
        return Job(
            self._stores(),
            self._finish,
            self.dist_collect_mode,
            missing,
            self._identity,
            self.every_rank_computes,
        )

    @abstractmethod
    def reset(self) -> None:
        """Forget all samples."""

    @property
    @abstractmethod
    def _identity(self) -> Identity: ...

    @abstractmethod
    def _stores(self) -> list[Store]: ...

    @abstractmethod
    def _finish(self, results: list[Results]) -> dict[str, Any]: ...

    @abstractmethod
    def _merge_parts(self, parts: list[Part]) -> None: ...
