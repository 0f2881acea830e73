"""Evaluation: a plan, the samples of this rank, and the backend that combines all ranks."""

from __future__ import annotations

import os
import sys
import weakref
from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from os import PathLike
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, overload

import numpy as np

from mmeval_like._base.account import warn_of_dropped
from mmeval_like._base.at_fork import at_fork
from mmeval_like._base.hints import unknown_attribute
from mmeval_like._base.showing import DESCRIBED, as_html, as_rich, cells_of
from mmeval_like._base.warning import quiet, warn
from mmeval_like._core.arithmetic import are_samples, refuse_impossible
from mmeval_like._core.construction import constructing, not_constructed
from mmeval_like._core.loaded import Loaded
from mmeval_like._core.outside import CALLER, draw, refuse_on_rank_0
from mmeval_like._core.plan import EACH, Plan
from mmeval_like._core.result import Result
from mmeval_like._core.samples import Samples
from mmeval_like._core.slot import Slot
from mmeval_like._exchange.contribution import Contribution, Outcome
from mmeval_like._exchange.fingerprint import Identity
from mmeval_like._exchange.handle import Handle
from mmeval_like._exchange.occurrence import Occurrence, group_in_use
from mmeval_like._exchange.remaining import remaining_ids
from mmeval_like._exchange.sync import synchronize
from mmeval_like._exchange.worker import worker_of
from mmeval_like._intervals.jackknife.metric_intervals import warn_of_thin
from mmeval_like._samples import checkpoint
from mmeval_like._samples.exactly_once import IdsReport
from mmeval_like._samples.ids import NO_IDS, kind_of
from mmeval_like._samples.parts import Part
from mmeval_like._states.statistic import Derivation
from mmeval_like.arrays.checks import as_sample_count
from mmeval_like.backends import BaseDistBackend, get_dist_backend
from mmeval_like.backends.non_dist import NonDist

__all__ = [
    "Computed",
    "Evaluation",
    "Held",
    "Run",
    "emptied",
    "samples_of",
]

Self = TypeVar("Self", bound="Evaluation")
# The slot of the samples, and the function that derives a metric's results from the slot's.
Source: TypeAlias = "tuple[Slot, Derivation]"

_OPENING = RLock()  # two threads may add the first batches
at_fork(before=_OPENING.acquire, after_in_parent=_OPENING.release, after_in_child=_OPENING.release)


class Run:
    """The outcome of `with metric.evaluation() as run:`, available after the block.

    Attributes:
        result: What `compute` would have returned.
    """

    result: Result

    def __getattr__(self, name: str) -> Any:
        if name == "result":
            raise RuntimeError("run.result is available after the evaluation block")
        raise AttributeError(name)


@dataclass(frozen=True)
class Computed:
    """The outcome of a `compute`, from which a record is made.

    Attributes:
        result: What `compute` returned.
        found: What the plan returns for the samples.
        ranks: The number of ranks that took part.
        backend: The class name of the backend.
        aside: What this rank had put aside with these samples.
    """

    result: Result
    found: Any
    ranks: int
    backend: str
    aside: Mapping[str, Any]


@dataclass
class Held:
    """The state of an evaluation.

    Attributes:
        occurrence: The number of this evaluation among equal ones; None while the constructor runs.
        samples: This rank's samples; None before the first `add`.
        keep: The number of last rows that stay unfolded; None: the number that the metrics need.
        windows_forget: Whether windows forget samples; False for the value of a single batch.
        loaded: The outcome of `load`.
        evaluating: Whether an evaluation block is open.
        source: The slot of the rows, if another member of a collection read them.
        of_pair: Whether this is one system of a pair: it then keeps digests of the labels, and
            clusters, although it computes no intervals.
        report: The ids report of the last `compute`.
        intervals: The intervals of the last `compute`.
        accounts: The accounts of the last `compute`.
        computed: The outcome of the last `compute`, if a record can be made of it.
    """

    occurrence: Any = None
    samples: Samples | None = None
    keep: int | None = None
    windows_forget: bool = True
    loaded: Loaded = field(default_factory=Loaded)
    evaluating: bool = False
    source: Source | None = None
    of_pair: bool = False
    report: IdsReport | None = None
    intervals: Mapping[str, Any] = field(default_factory=dict)
    accounts: Any = None
    computed: Computed | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "evaluating": False}  # no evaluation block is open in a copy

    def emptied(self, keep: int | None = None) -> Held:
        """Return the state of a copy without samples, whose resets are counted separately."""
        return Held(
            self.occurrence.derived("empty copy"),
            keep=keep,
            source=self.source,
            of_pair=self.of_pair,
        )


class Evaluation(metaclass=ABCMeta):
    """A plan, samples of this rank, and a backend: `compute` combines the samples of all ranks."""

    dist_backend: str | BaseDistBackend | None
    _held: Held

    def __init__(self, dist_backend: str | BaseDistBackend | None) -> None:
        self.dist_backend = dist_backend
        self._held = Held()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Wrap the constructor, so that the outermost one ends with `_constructed`."""
        super().__init_subclass__(**kwargs)
        if "__init__" in vars(cls):
            cls.__init__ = constructing(cls.__init__)  # type: ignore[method-assign]

    def _constructed(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Number this among equal evaluations; called when the outermost constructor ends."""
        occurrence = Occurrence(self.plan.identity.text, *group_in_use(self.dist_backend))
        occurrence.resets = 0
        self._held.occurrence = occurrence

    if not TYPE_CHECKING:  # checkers must not take every name for an attribute

        def __getattr__(self, name: str) -> Any:
            if name == "_held":
                raise not_constructed(type(self))
            if hasattr(type(self), name):  # a property failed: let its own error be seen
                return object.__getattribute__(self, name)
            raise unknown_attribute(self, name)

    def __copy__(self: Self) -> Self:
        twin = self._copied()
        held = self._held
        occurrence = held.occurrence.derived("copy", met=held.occurrence.together)
        twin._held = replace(held, occurrence=occurrence, evaluating=False)
        twin._held.samples = None if held.samples is None else held.samples.snapshot()
        return twin

    # What is computed ------------------------------------------------------------------------

    @property
    @abstractmethod
    def plan(self) -> Plan:
        """What is computed from the samples."""

    @property
    def dist_collect_mode(self) -> str:
        """How the shards make up the dataset, the same for all metrics; see `BaseMetric`."""
        mode: str = next(self.plan.places()).metric.dist_collect_mode
        return mode

    @dist_collect_mode.setter
    def dist_collect_mode(self, mode: str) -> None:
        for place in self.plan.places():
            place.metric._configure(dist_collect_mode=mode)

    @property
    def report(self) -> IdsReport | None:
        """The numbers of seen, missing and repeated ids of the last `compute` with `ids=`."""
        return self._held.report

    @report.setter
    def report(self, report: IdsReport | None) -> None:
        self._held.report = report

    @property
    def intervals(self) -> Mapping[str, Any]:
        """The intervals of the last `compute` with `interval=`: an `Interval` for each key.

        Each one has the method, the standard error and the number of samples it is based on. A list
        in the result has a list of intervals. In a collection, the intervals are grouped by member.
        """
        return self._held.intervals

    @intervals.setter
    def intervals(self, intervals: Mapping[str, Any]) -> None:
        self._held.intervals = intervals

    @property
    def accounts(self) -> Any:
        """The accounts of the last `compute`, as its result has them: see `Result`."""
        return self._held.accounts

    @accounts.setter
    def accounts(self, accounts: Any) -> None:
        self._held.accounts = accounts

    def compute(self, size: int | None = None, *, missing: str = "raise") -> Result:
        """Combine the samples of all ranks and return the result, the same on every rank.

        Every rank must call it, even a rank without samples; never call it inside `if rank == 0`.
        To evaluate on rank 0 only, construct the metric with `dist_backend="non_dist"`. The samples
        are kept: a second `compute` returns the same result, `add` adds more samples, and `reset`
        starts over.

        Args:
            size: The number of samples of the dataset, `len(dataset)`. A sampler may repeat samples
                so that every rank gets the same number; `size` says how many to count.

                Without ids, the last samples of the global order are assumed to be the repeated
                ones and are dropped. This is correct for samplers that deal single samples, such as
                torch's `DistributedSampler`, and, with `dist_collect_mode="cat"`, for samplers that
                deal contiguous shards. Both repeat fewer samples than there are ranks, so `compute`
                raises an error instead of dropping more: none in a single process, one if this
                process has a loader of Hugging Face accelerate, ranks - 1 otherwise. The metric's
                `max_padding=` allows more.

                Loaders that deal whole batches, such as accelerate's, repeat samples other than the
                last ones: use `add(ids=)` with the indices that `Indexed(dataset)` yields. With
                ids, every index in [0, size) must have been added, and each is counted once. If the
                ids are strings, there must be `size` distinct ones.
            missing: With ids and `size`: "raise" an error if no rank added some sample, or "report"
                to compute without it. The attribute `report` then has the numbers.

        Returns:
            The metric's values: a dict that also has `.flat()` for loggers, `.plain()` for JSON
            and `.samples`, see `Result`.

        Raises:
            ValueError: `size` is larger than the number of samples, or so much smaller that it is
                unknown which samples were repeated; indices are missing; or members of a collection
                that append to a list have different samples from the others.
            RemoteError: Another rank failed; the message contains its traceback.
            DisagreementError: The ranks hold different metrics, options or sizes, or called
                `compute` in a different order.
            SyncTimeoutError: A rank did not take part in time.
        """
        self._refuse_here()
        return self._compute(size, missing)

    def compute_local(self) -> Result:
        """Return the value of this rank's samples so far, without communication."""
        self._held.occurrence.alone()
        plan, aside = self.plan, self._aside()
        value, report, samples = synchronize(self._contribution("report", plan), None, NonDist())
        return self._result(plan, None, value, samples, report, aside)

    def compute_async(self, size: int | None = None, *, missing: str = "raise") -> Handle:
        """Start computing in the background and return at once; every rank must call it.

        The result covers the samples added so far; later calls of `add` and `reset` do not change
        it. The ranks exchange their samples in a background thread and in a separate process group,
        so that the exchange does not interfere with the program's own messages. Within one group of
        ranks, computations finish in the order in which they were started. A `compute` of the same
        metric waits for the earlier ones to finish.

        The first call in a group creates the separate group and waits for the other ranks. When a
        process ends, it waits at most two seconds for computations whose results were never
        requested.

        Args:
            size: As in `compute`.
            missing: As in `compute`.

        Returns:
            A handle: `result()` waits and returns what `compute` would have returned now, or raises
            its error; `done()` says whether the result is available.

        Raises:
            NotImplementedError: The backend does not support it: those of torch, MPI and a single
                process do.
            RuntimeError: It was called inside an evaluation block, or MPI was not initialised for
                several threads.

        Example:
            >>> from mmeval_like import Accuracy
            >>> metric = Accuracy()
            >>> metric.add([1, 0], [1, 1])
            >>> first = metric.compute_async()
            >>> metric.reset()
            >>> metric.add([1, 1], [1, 1])
            >>> metric.compute(), first.result()
            ({'top1': 1.0}, {'top1': 0.5})
        """
        self._refuse_here()
        backend = self.dist_comm
        worker = worker_of(backend)
        plan = self.plan
        given, size, failure = self._prepared(size, missing, backend, plan, frozen=True)
        try:
            given.detach()
        except Exception as error:  # an entry cannot be copied: the other ranks must be informed
            given, failure = self._failed_contribution(), error
        group = weakref.ref(backend.group)  # only its library keeps it alive
        work = partial(_work, given, size, worker.backend, failure, group)
        handle = Handle(work, partial(self._concluded, plan, backend, self._aside()))
        self._held.occurrence.begin(handle, backend.world_size)
        worker.submit(handle)
        return handle

    def plot(
        self,
        results: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
        *,
        ax: Any = None,
        theme: str = "light",
    ) -> Any:
        """Draw the result, or results over time, with matplotlib.

        Args:
            results: A result of `compute`, or a list of results, for instance one for each epoch.
                None: calls `compute`, so every rank must call `plot`.
            ax: The matplotlib axes to draw on, or a list of axes for several plots, for instance of
                a collection. None: creates a new pyplot figure.
            theme: The colours: "light", "dark" or "print".

        Returns:
            The matplotlib figure, the same on every rank. `mmeval_like.plots.alternative(figure)`
            describes it in words.

        Raises:
            ValueError: The result has nothing to draw, the number of axes is wrong, or `theme` is
                unknown.
            ModuleNotFoundError: matplotlib is not installed: `pip install 'mmeval-like[plot]'`.
        """
        found = self.compute() if results is None else results
        places = [*self.plan.places()]
        only = places[0].metric.name if len(places) == 1 and places[0].path == (EACH,) else ""
        return draw(found, name=only or getattr(self, "name", ""), ax=ax, theme=theme)

    @contextmanager
    def evaluation(self, size: int | None = None, *, missing: str = "raise") -> Iterator[Run]:
        """Compute at the end of a `with` block, on every rank, even if the loop raises an error.

        If the loop of one rank raises an error, the other ranks raise `RemoteError` with its
        traceback instead of waiting. KeyboardInterrupt and SystemExit leave the block at once,
        without an exchange.

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
        if self._held.evaluating:
            raise RuntimeError("evaluation blocks cannot be nested")
        run = Run()
        self._held.evaluating = True
        try:
            yield run
        except Exception as error:
            self._held.occurrence.wait()
            synchronize(self._failed_contribution(), None, self.dist_comm, error)
        finally:
            self._held.evaluating = False
        run.result = self._compute(size, missing)

    @overload
    def remaining(self, size: int) -> np.ndarray: ...

    @overload
    def remaining(self, size: Sequence[str]) -> list[str]: ...

    def remaining(self, size: int | Sequence[str]) -> np.ndarray | list[str]:
        """Return the ids of a dataset that no rank has added; every rank must call it.

        Args:
            size: The number of samples of the dataset, if the ids are indices; or the ids of all
                samples, if they are strings.

        Returns:
            The ids that were not passed as `ids` on any rank: an ascending int64 array of indices
            in [0, size), or a list of strings in the given order.

        Raises:
            TypeError, ValueError: `size` has a wrong type, or does not fit the ids of the samples.
            DisagreementError: Another rank called `compute` instead.

        Example:
            >>> from mmeval_like import Accuracy
            >>> metric = Accuracy()
            >>> metric.add([0], [0], ids=["img-2"])
            >>> metric.remaining(["img-1", "img-2"])
            ['img-1']
        """
        return remaining_ids(self._samples().stores(), size, self.dist_comm)

    @property
    def dist_comm(self) -> BaseDistBackend:
        """The backend in use at this moment."""
        return get_dist_backend(self.dist_backend)

    # This rank's samples -----------------------------------------------------------------------

    def reset(self) -> None:
        """Forget all samples."""
        self._forget()

    def merge(self: Self, other: Self) -> None:
        """Append the samples of another instance to this one's.

        Merging is associative: parts may be combined in any grouping, in one process or in several.

        Raises:
            ValueError: `other` is a different metric or has different options.
        """
        self._check_equal(other, "merge")
        self._merge(*other._samples().moment())
        if other._held.occurrence.together:
            self._held.occurrence.met = True

    def __add__(self: Self, other: Self) -> Self:
        """Return an evaluation with the samples of both, and leave both unchanged."""
        if not isinstance(other, Evaluation):
            return NotImplemented
        total = self._empty()
        total.merge(self)
        total.merge(other)
        return total

    def subtract(self: Self, other: Self) -> None:
        """Remove the samples of another instance; this exactly undoes `merge`.

        Use it for sliding windows over a stream, and to retract samples: keep one metric for each
        piece, merge the new pieces and subtract the old ones. The result has the same bits as if
        the samples had never been added. The samples must have been added before. Only some
        violations can be detected, and raise an error: more samples than there are, negative
        counts, more hits than samples, a nonzero sum of no samples, a negative variance, a value
        outside the range of its metric, such as a negative mean of squares. Otherwise the result
        is wrong without an error. Afterwards `compute(size=)` cannot drop any samples until enough
        others are added.

        Raises:
            ValueError: `other` is a different metric or has different options, or has samples that
                this one does not have; or samples with ids, which are kept one by one.
            TypeError: A state of the metric, such as a maximum, does not support subtraction.

        Example:
            >>> from mmeval_like import Accuracy
            >>> metric, morning = Accuracy(), Accuracy()
            >>> morning.add([1, 2], [0, 0])
            >>> metric.merge(morning)
            >>> metric.add([3], [3])
            >>> metric.subtract(morning)
            >>> metric.compute()
            {'top1': 1.0}
        """
        self._check_equal(other, "subtract")

        def subtract() -> None:
            self._samples().subtract(other._samples())
            left = self._empty()
            left._held.samples = self._samples().snapshot()
            left._refuse_impossible()

        self._change(subtract)
        self._held.computed = None

    def state_dict(self) -> dict[str, Any]:
        """Return this rank's samples so far as arrays and JSON values, by name.

        Raises:
            TypeError: An entry of `_results` or of an `objects` state is not a number, a string, an
                array, or a list, tuple or dict of these.
        """
        return self._contents(None)

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Replace the samples so far with those of a `state_dict`.

        Raises:
            ValueError: It belongs to another metric, other options or a newer version, or it is
                damaged. The samples so far are then unchanged.
        """
        parts, aside = self._parts_of(state_dict)

        def replace_samples() -> None:
            resets = self._held.occurrence.resets
            self.reset()
            self._held.occurrence.resets = resets  # these are samples of the same evaluation
            self._merge(parts, aside)

        self._change(replace_samples)

    def save(self, path: str | PathLike[str]) -> None:
        """Write this rank's samples so far to a file, atomically.

        The file is in the safetensors format and never contains code. It is written under a
        temporary name and then renamed, so that no reader sees an incomplete file. Every rank
        writes its own file, which records the rank that wrote it.

        Args:
            path: A different path on each rank, for instance with the rank in its name.

        Raises:
            TypeError: As `state_dict` raises it.
            ValueError: Another rank of a run with the same number of ranks wrote the file at this
                path.
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
        comm = self.dist_comm
        checkpoint.write(path, self.state_dict(), comm.rank, comm.world_size)

    def load(self, paths: str | PathLike[str] | Sequence[str | PathLike[str]]) -> None:
        """Append the samples of saved files to those of this rank.

        Every rank passes the same list, and rank r of n reads paths r, r + n, ...; the number of
        ranks may differ from that of the run that saved the files. To count every sample once, add
        samples with `ids=`: files may then overlap, and `remaining(size)` returns the samples that
        are still missing. Without ids, the samples of the files are simply added.

        The ranks do not communicate here. If a rank could not load a file, or the lists differ,
        `compute` raises an error on every rank until `reset`. After a failure, a successful `load`
        or `load_state_dict` also clears the error. If another number of ranks saved the files,
        `compute(size=)` drops nothing, since nobody knows which samples are a sampler's padding.

        Args:
            paths: The files of all ranks: the same paths in the same order on every rank. In a
                single process, this can also be one path.

        Raises:
            ValueError: A file is damaged, was not written by `save`, belongs to another metric,
                other options or a newer version, or the samples have no ids and the files of some
                ranks are missing, or a file is given twice; no file is then merged. Or a single
                path is given on several ranks, where the samples of the other ranks would be lost.
            OSError: A file cannot be read.

        """
        try:
            lists, own = self._load(paths)
        except Exception as error:
            self._held.loaded = replace(self._held.loaded, failure=str(error))
            raise
        before = self._held.loaded
        self._held.loaded = Loaded((*before.lists, *lists), own=before.own and own)

    def _load(
        self, paths: str | PathLike[str] | Sequence[str | PathLike[str]]
    ) -> tuple[list[tuple[int, tuple[str, ...]]], bool]:
        """Load this rank's share of the files.

        Returns:
            What all ranks must agree on, and whether the files are this rank's own.
        """
        comm = self.dist_comm
        lists = []
        if isinstance(paths, str | PathLike):
            if comm.world_size > 1:
                raise ValueError(
                    f"paths must list the files of all ranks, the same on every rank, got one path "
                    f"on {comm.world_size} ranks: {os.fspath(paths)!r}; rank r takes paths r, r + "
                    f"{comm.world_size}, ...; a single file of all samples is [path]"
                )
            paths = [paths]
        else:
            paths = list(paths)
            lists.append((comm.world_size, tuple([str(os.fspath(path)) for path in paths])))
        mine = paths[comm.rank :: comm.world_size]
        files = {path: checkpoint.read(path) for path in mine}
        loaded = [self._parts_of(files[path], path) for path in mine]
        for part in [part for parts, _ in loaded for part in parts] if len(loaded) > 1 else ():
            part.buckets = ()  # of several windows, each is one bucket
        if any(part.count and part.ids is None for parts, _ in loaded for part in parts):
            # Only rank 0 checks all files, so that the ranks do not open every file many times.
            step = 1 if comm.rank == 0 else comm.world_size
            checkpoint.check_complete(paths, range(comm.rank, len(paths), step))
        stores = self._samples().stores()
        kinds = {kind_of(part.ids) for parts, _ in loaded for part in parts if part.count}
        kinds |= {store.kind_of_ids for store in stores if store.count}
        # Statistics of metrics without intervals have no clusters, whatever those of others have.
        same = zip(stores, *[parts for parts, _ in loaded], strict=True)
        if any(len({one.clustered for one in place if one.count}) > 1 for place in same):
            raise ValueError("files of samples with clusters= and without cannot be merged")
        if len(kinds) > 1:
            text = "files of samples with ids= and without ids=, or with ids of two kinds,"
            raise ValueError(f"{text} cannot be merged, got {', '.join(sorted(kinds))}")

        here = comm.rank, comm.world_size
        own = len(paths) == comm.world_size
        own = own and all(checkpoint.writer(path) in (None, (0, 1), here) for path in mine)
        if self.plan.forgets and not self.plan.windowed and not own and kinds == {NO_IDS}:
            raise ValueError(
                f"{type(self).__name__}: another number of ranks saved these files, and which "
                f"samples are the last ones is unknown: pass ids= to add"
            )

        def merge() -> None:
            for parts, aside in loaded:
                self._merge(parts, aside)

        self._change(merge)
        return lists, own

    def to_bytes(self) -> bytes:
        """Return this rank's samples so far as bytes, to send to another process or machine.

        The bytes are those of the file that `save` writes: in the safetensors format, without code.

        Raises:
            TypeError: As `state_dict` raises it.
        """
        return checkpoint.pack(self.state_dict())

    def seal(self) -> bytes:
        """Return this rank's samples so far as few bytes, which merge with others in any order.

        They are `to_bytes` without the rows that wait for `compute(size=)`: at most 2 kB for a
        metric of counts and sums, for any number of samples. Parts that were sealed give the same
        bits as one process with all samples, in any order and grouping. `compute(size=)` cannot
        drop any of them; samples with ids are kept one by one, as they are without.

        Raises:
            TypeError: The value depends on the order of the samples: rows are kept in their order,
                and have no ids; or the samples are those of a window. Or as `state_dict` raises it.

        Example:
            >>> from mmeval_like import Accuracy, merge
            >>> worker = Accuracy()
            >>> worker.add([1, 2], [1, 1])
            >>> sealed = worker.seal()
            >>> merge([worker, Accuracy().from_bytes(sealed)]).compute().samples
            4
        """
        self._samples().refuse_order([slot.statistic for slot in self.plan.slots])
        return checkpoint.pack(self._contents(0))

    def from_bytes(self: Self, data: bytes) -> Self:
        """Return a metric like this one that has only the samples of `to_bytes` or `seal`.

        Raises:
            ValueError: The bytes are damaged, or belong to another metric, other options or a newer
                version.

        Example:
            >>> from mmeval_like import Accuracy
            >>> worker = Accuracy()
            >>> worker.add([1, 2], [1, 1])
            >>> received = Accuracy().from_bytes(worker.to_bytes())
            >>> received.compute()
            {'top1': 0.5}
        """
        name = "the given data"
        fresh = self._empty()
        fresh._merge(*fresh._parts_of(checkpoint.unpack(data, name), name))
        return fresh

    def __repr__(self) -> str:
        described = ", ".join(
            f"{name}: <{shown}: {count} samples>" for name, shown, count in self._described()
        )
        return f"{type(self).__name__}({described})"

    def _repr_html_(self) -> str:
        return as_html(cells_of(self._described()), *DESCRIBED)

    def __rich__(self) -> Any:
        """Return the table that rich prints."""
        return as_rich(cells_of(self._described()), *DESCRIBED)

    def _described(self) -> list[tuple[str, str, int]]:
        """Return the name, the class with options, and the number of samples of each metric."""
        return self.plan.described(self._samples().counts)

    # Implementation ----------------------------------------------------------------------------

    def _samples(self) -> Samples:
        samples = self._held.samples
        if samples is None:
            with _OPENING:
                samples = self._held.samples
                if samples is None:
                    plan, held = self.plan, self._held
                    plan.follow()
                    samples = held.samples = Samples.of(plan.slots, held.keep, held.windows_forget)
        return samples

    def _contents(self, tail: int | None) -> dict[str, Any]:
        """Return what `state_dict` returns; `tail` as for `Store.part`."""
        samples = self._samples()
        parts, aside = samples.moment(tail, buckets=True)
        found = checkpoint.to_dict(self.plan.identity.text, samples.stores(), parts)
        return found | {name: value.to_json() for name, value in aside.items()}

    def _change(self, work: Callable[[], object]) -> None:
        """Call `work`, which changes or replaces the samples: all of the change counts, or nothing.

        If the work ends with any exception, an interrupt or a lack of memory included, the
        evaluation is as before.
        """
        before = self._remembered()
        try:
            self._samples().change(work)
        except BaseException:
            for one, attributes in before:
                vars(one).update(attributes)
            raise

    def _remembered(self) -> list[tuple[object, dict[str, Any]]]:
        """Return the objects that `reset` changes, each with its attributes as they are now."""
        return [(one, {**vars(one)}) for one in (self, self._held, self._held.occurrence)]

    def _merge(self, parts: Sequence[Any], aside: Mapping[str, Any]) -> None:
        """Append other samples to these, slot by slot."""
        self._samples().merge(parts, aside)
        self._held.computed = None

    def _parts_of(
        self, found: Mapping[str, Any], source: str | PathLike[str] = "state_dict"
    ) -> tuple[list[Any], dict[str, Any]]:
        """Read a `state_dict`: return the samples of each slot, and what is kept aside."""
        stores = self._samples().stores()
        parts = checkpoint.from_dict(found, self.plan.identity.text, stores, source)
        return parts, self.plan.aside_of(found)

    def _configure(self, **options: Any) -> None:
        """Set some of the options that all evaluations have."""
        for name, value in options.items():
            if name not in ("dist_backend", "dist_collect_mode"):
                raise TypeError(
                    f"{name} is an option of a single metric, this is {type(self).__name__}"
                )
            setattr(self, name, value)

    def _account(self, unscored: float | str) -> None:
        """Set the option `unscored` of all metrics, which have no samples."""
        for place in self.plan.places():
            place.metric._configure(unscored=unscored)
        self.plan.relay()
        self.reset()

    def _copied(self: Self) -> Self:
        """Return a shallow copy."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        return twin

    def _empty(self: Self, keep: int | None = None) -> Self:
        """Return a copy with the same options and no samples.

        Args:
            keep: The number of last rows that stay unfolded; None: what the metrics need.
        """
        fresh = self._copied()
        fresh._held = self._held.emptied(keep)
        fresh.reset()
        return fresh

    def _as_member(
        self: Self,
        name: str,
        parts: Sequence[Part],
        aside: Mapping[str, Any],
        source: Source | None,
        owner: Evaluation,
    ) -> Self:
        """Return a copy of this member of a collection with its samples so far.

        Args:
            name: The name of the member.
            parts: The samples of each slot.
            aside: What the collection keeps aside.
            source: The slot of these rows, and the function that derives the member's results;
                None: the rows are the member's own.
            owner: The collection.
        """
        found = self._empty()
        text, whole = self.plan.identity.text, owner._held.occurrence
        found._held.occurrence = whole.derived(f"[{name!r}]", text, whole.together)
        found.dist_backend = owner.dist_backend
        found._held.source = source
        found._merge(parts, aside if found.plan.records else {})
        found._held.loaded = owner._held.loaded
        return found

    def _become_side(self) -> None:
        """Become one side of a pair, without samples.

        Its own values have no intervals. Clusters are kept for those of the difference, and digests
        of the labels for a check that both systems have the same.
        """
        for place in self.plan.places():
            metric: Evaluation = place.metric
            metric._configure(interval=None)
            metric._held.of_pair = True
        self.plan.relay()
        self.reset()

    def _forget(self) -> None:
        held = self._held
        held.samples, held.computed, held.loaded = None, None, Loaded()
        held.intervals, held.accounts = {}, None
        if held.occurrence is not None:  # it is None while the constructor runs
            held.occurrence.resets += 1

    def _check_equal(self, other: Evaluation, verb: str) -> None:
        mine, others = self.plan.identity, other.plan.identity
        if mine != others:
            raise ValueError(f"only equal metrics {verb}, got {others.text} for {mine.text}")

    def _refuse_impossible(self) -> None:
        """Raise ValueError if no samples have the states or values of these; for a copy."""
        plan = self.plan
        places = [*plan.places()]
        if plan.compares or not all(place.metric.every_rank_computes for place in places):
            return  # differences, or with side effects
        # A list, so that all of them are checked.
        if all([*map(are_samples, plan.slots, self._samples().stores())]):
            return
        values: Mapping[str, Any] = {}
        with quiet(), suppress(Exception):  # too few samples may be left
            values = self.compute_local()
        refuse_impossible(places, values)

    def _refuse_here(self) -> None:
        if self._held.evaluating:
            raise RuntimeError("inside an evaluation block, leaving the block computes")
        if CALLER in sys.modules and self.dist_comm.world_size > 1:
            refuse_on_rank_0()

    def _compute(self, size: int | None, missing: str) -> Result:
        self._held.occurrence.wait()
        backend, plan, aside = self.dist_comm, self.plan, self._aside()
        given, size, failure = self._prepared(size, missing, backend, plan)
        return self._concluded(plan, backend, aside, synchronize(given, size, backend, failure))

    def _aside(self) -> Mapping[str, Any]:
        """Return what is put aside with the samples so far."""
        samples = self._held.samples
        return {} if samples is None else samples.aside.copy()

    def _prepared(
        self,
        size: int | None,
        missing: str,
        backend: BaseDistBackend,
        plan: Plan,
        frozen: bool = False,
    ) -> tuple[Contribution, int | None, Exception | None]:
        """Return this rank's contribution, the checked size, and an error that came before.

        Args:
            size: As in `compute`.
            missing: As in `compute`.
            backend: The backend that computes.
            plan: What is computed.
            frozen: Whether the result must not depend on later changes of the metrics.
        """
        held, ranks, failure = self._held, backend.world_size, None
        try:
            if missing not in ("raise", "report"):
                raise ValueError(f"missing must be 'raise' or 'report', got {missing!r}")
            if size is not None:
                size = as_sample_count(size, "size")
            held.loaded.check(ranks)
            held.occurrence.enter(self.dist_backend, ranks)
            given = self._contribution(missing, plan.frozen() if frozen else plan)
        except Exception as error:  # the other ranks must be informed
            given, failure = self._failed_contribution(), error
        return given, size, failure

    def _concluded(
        self, plan: Plan, backend: BaseDistBackend, aside: Mapping[str, Any], outcome: Outcome
    ) -> Result:
        value, report, samples = outcome
        self._held.report = report
        if report is not None and report.differing:
            number, first = report.differing, report.differing_ids
            named = ", ".join(map(str, first)) + (", ..." if number > len(first) else "")
            warn(
                f"{number} id{'s' * (number > 1)} came with different samples; the first one was "
                f"counted: {named}. Does every id belong to a single sample, was reset() called "
                f"after the previous evaluation, and is the model the same on all ranks?"
            )
        return self._result(plan, backend, value, samples, report, aside)

    def _result(
        self,
        plan: Plan,
        backend: BaseDistBackend | None,
        value: Any,
        samples: int,
        report: IdsReport | None,
        aside: Mapping[str, Any],
    ) -> Result:
        if not isinstance(value, Mapping):  # a metric may return something other than a dict
            return value  # type: ignore[no-any-return]
        intervals = self._held.intervals = getattr(value, "intervals", {})
        if intervals:
            warn_of_thin(intervals)
        accounts = self._held.accounts = getattr(value, "accounts", None)
        if accounts is not None:
            warn_of_dropped([place.metric.name for place in plan.places()], accounts)
        count, measured = plan.counted(samples), plan.measured()
        result = Result(value, count, report, plan.classes, intervals, measured, accounts)
        if (found := getattr(value, "found", None)) is not None:
            backend = self.dist_comm if backend is None else backend
            world = backend.world_size, type(backend).__name__
            self._held.computed = Computed(result, found, *world, aside)
        return result

    def _contribution(self, missing: str, plan: Plan | None = None) -> Contribution:
        """Return this rank's contribution to a `compute`.

        Args:
            missing: As in `compute`.
            plan: What is computed; None: the plan of this evaluation.
        """
        plan, occurrence = self.plan if plan is None else plan, self._held.occurrence
        return Contribution(
            (self._held.samples or self._samples()).stores(),
            plan.concluded,
            self.dist_collect_mode,
            missing,
            partial(self._held.loaded.known_as, plan),
            plan.every_rank_computes,
            occurrence,
            plan.wanted,
            occurrence.resets,
            self._held.loaded.own,
        )

    def _failed_contribution(self) -> Contribution:
        """Return an empty contribution, for a rank that failed before it had one."""
        no_plan, occurrence = partial(Identity.of, ""), self._held.occurrence
        return Contribution(
            [],
            lambda results: {},
            "unzip",
            "raise",
            no_plan,
            False,
            occurrence,
            list,
            occurrence.resets,
        )


Evaluation.__init__ = constructing(Evaluation.__init__)  # type: ignore[method-assign]


def emptied(evaluation: Self, keep: int | None = None) -> Self:
    """Return a copy without samples, for plans and for rooms that are no evaluations themselves.

    Args:
        evaluation: The evaluation.
        keep: The number of last rows that stay unfolded; None: the number that the metrics need.
    """
    return evaluation._empty(keep)


def samples_of(evaluation: Evaluation) -> Samples:
    """Return this rank's samples themselves, not a copy, for rooms that read or merge parts."""
    return evaluation._samples()


def _work(
    given: Contribution,
    size: int | None,
    backend: BaseDistBackend,
    failure: Exception | None,
    group: weakref.ref[Any],
) -> Outcome:
    """Exchange and compute; the exchange is counted in the program's own group."""
    living = group()
    if living is None:
        raise RuntimeError("the group of ranks was destroyed before the result was computed")
    return synchronize(given, size, backend, failure, living)
