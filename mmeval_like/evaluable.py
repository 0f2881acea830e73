"""What a metric and a collection have in common: their samples are exchanged and computed."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, overload

import numpy as np

from mmeval_like._accumulate.exactly_once import IdsReport
from mmeval_like._accumulate.results import Results
from mmeval_like._exchange.contribution import Contribution, Outcome
from mmeval_like._exchange.fingerprint import Identity
from mmeval_like._exchange.remaining import remaining_ids
from mmeval_like._exchange.sync import synchronize
from mmeval_like._help import Helpful
from mmeval_like._units.intervals import warn_of_thin
from mmeval_like.arrays.checks import as_sample_count
from mmeval_like.backends import BaseDistBackend, get_dist_backend
from mmeval_like.backends.non_dist import NonDist
from mmeval_like.construction import Constructed
from mmeval_like.errors import warn
from mmeval_like.result import Result
from mmeval_like.saving import Loaded, Saveable
from mmeval_like.showing import Shown

__all__ = ["Evaluable", "Run"]


class Run:
    """The outcome of `with metric.evaluation() as run:`, available after the block.

    Attributes:
        result: What `compute` would have returned.
    """

    result: Result

    def __getattr__(self, name: str) -> Any:
        if name == "result":
            raise RuntimeError("run.result is there after the evaluation block has been left")
        raise AttributeError(name)


class Evaluable(Helpful, Saveable, Shown, metaclass=Constructed):
    """Samples of this rank that `compute` combines with those of the others."""

    dist_backend: str | BaseDistBackend | None
    dist_collect_mode: str
    every_rank_computes: bool
    _evaluating: bool

    report: IdsReport | None = None
    """After a `compute` over samples with `ids=`: how many were seen, missing, repeated."""

    intervals: Mapping[str, Any] = {}
    """After a `compute` with `interval=`: by key an `Interval`, which has the method, the standard
    error and on how many samples it rests; a list of them for a list; by member for collections."""

    def compute(self, size: int | None = None, *, missing: str = "raise") -> Result:
        """Combine the samples of all ranks and return the result, the same on every rank.

        Every rank must call it, also a rank without samples: never inside `if rank == 0`. To
        evaluate on rank 0 alone, construct the metric with `dist_backend="non_dist"`. What was
        accumulated stays: `compute` again gives the same, `add` may go on, `reset` starts anew.

        Args:
            size: The number of samples of the dataset, `len(dataset)`. A sampler may repeat
                samples, so that every rank gets equally many; `size` says how many to count.

                Without ids, the last samples of the global order are taken for the repeated
                ones and are dropped. That is right for samplers that deal single samples, as
                torch's `DistributedSampler`, and, with `dist_collect_mode="cat"`, for samplers
                that deal contiguous shards. Both repeat fewer samples than there are ranks,
                and so `compute` refuses to drop more: none at all in one process, one where
                this process has a loader of Hugging Face accelerate, ranks - 1 otherwise. The
                metric's `max_padding=` permits more.

                Loaders that deal whole batches, as accelerate's do, repeat other samples than
                the last: use `add(ids=)`, with the indices that `Indexed(dataset)` yields. With
                ids, every index in [0, size) must have been added, and each counts once. Of ids
                that are texts there must be `size` different ones.
            missing: With ids and `size`: "raise" if a sample was added by no rank, or "report"
                to compute without it. `report` has the numbers.

        Returns:
            The metric's values: a dict that also has `.flat()` for loggers, `.plain()` for JSON
            and `.samples`, see `Result`.

        Raises:
            ValueError: `size` is larger than the number of samples, or so much smaller that nothing
                tells which samples were repeated; indices are missing; or members of a collection
                that append to a list count other samples than the others.
            RemoteError: Another rank failed; the text has its traceback.
            DisagreementError: The ranks hold different metrics, options or sizes, or called
                `compute` in different order.
            SyncTimeoutError: A rank did not take part in time.
        """
        self._refuse_within_evaluation()
        return self._compute(size, missing)

    def compute_local(self) -> Result:
        """Return the value of this rank's samples so far, without communication."""
        value, report, samples = synchronize(self._job("report"), None, NonDist())
        return self._result(value, samples, report)

    def plot(
        self,
        results: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
        *,
        ax: Any = None,
        theme: str = "light",
    ) -> Any:
        """Draw the result, or results over time, by matplotlib.

        Args:
            results: What `compute` returned; or a list of such, for instance of every epoch. None:
                it computes, so that every rank must call it, as `compute`.
            ax: The matplotlib axes to draw on, or a list of axes where there are several
                pictures, as of a collection; None: those of a new figure of pyplot.
            theme: The colours: "light", "dark" or "print".

        Returns:
            The matplotlib figure, the same on every rank. `mmeval_like.plots.alternative(figure)`
            has it in words.

        Raises:
            ValueError: The result has nothing to draw, `ax` are too many or too few, or `theme` is
                unknown.
            ModuleNotFoundError: matplotlib is not installed: `pip install 'mmeval-like[plot]'`.
        """
        from mmeval_like.plots.figure import draw

        found = self.compute() if results is None else results
        return draw(found, name=getattr(self, "name", ""), ax=ax, theme=theme)

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
            self._instance.wait()
            synchronize(self._failed_job(), None, self.dist_comm, error)
        finally:
            self._evaluating = False
        run.result = self._compute(size, missing)

    @overload
    def remaining(self, size: int) -> np.ndarray: ...

    @overload
    def remaining(self, size: Sequence[str]) -> list[str]: ...

    def remaining(self, size: int | Sequence[str]) -> np.ndarray | list[str]:
        """Return the ids of a dataset that no rank has added; every rank must call it.

        Args:
            size: The number of samples of the dataset, whose ids are its indices; or, where the
                ids are texts, the texts of all samples.

        Returns:
            int64, ascending: those of [0, size) that were passed as `ids` on no rank. For texts
            those of them that were not, in their order.

        Raises:
            TypeError, ValueError: `size` is neither, or does not fit the ids of the samples.
            DisagreementError: Another rank called `compute` in its place.

        Example:
            >>> from mmeval_like import Accuracy
            >>> metric = Accuracy()
            >>> metric.add([0], [0], ids=["img-2"])
            >>> metric.remaining(["img-1", "img-2"])
            ['img-1']
        """
        return remaining_ids(self._stores(), size, self.dist_comm)

    @property
    def dist_comm(self) -> BaseDistBackend:
        """The backend in use at this moment."""
        return get_dist_backend(self.dist_backend)

    def _refuse_within_evaluation(self) -> None:
        if self._evaluating:
            raise RuntimeError("inside an evaluation block, leaving the block computes")

    def _compute(self, size: int | None, missing: str) -> Result:
        self._instance.wait()
        job, size, failure = self._prepared(size, missing)
        return self._concluded(synchronize(job, size, self.dist_comm, failure))

    def _prepared(
        self, size: int | None, missing: str
    ) -> tuple[Contribution, int | None, Exception | None]:
        """Return this rank's side of a compute, its checked size, and what went wrong before it."""
        failure: Exception | None = None
        try:
            if missing not in ("raise", "report"):
                raise ValueError(f"missing must be 'raise' or 'report', got {missing!r}")
            if size is not None:
                size = as_sample_count(size, "size")
            if self._loaded.anything:  # a group that was destroyed is not asked for its size
                self._loaded.check(self.dist_comm.world_size)
            self._instance.check_group(self.dist_backend)
            job = self._job(missing)
        except Exception as error:  # the other ranks must hear of it
            job, failure = self._failed_job(), error
        return job, size, failure

    def _concluded(self, outcome: Outcome) -> Result:
        value, self.report, samples = outcome
        if self.report is not None and self.report.differing:
            number, first = self.report.differing, self.report.differing_ids
            named = ", ".join(map(str, first)) + (", ..." if number > len(first) else "")
            warn(
                f"{number} id{'s' * (number > 1)} came with different samples, of which the first "
                f"counted: {named}. Does every id stand for one sample, was reset() called after "
                f"the evaluation before, and is the model the same on all ranks?"
            )
        return self._result(value, samples, self.report)

    def _result(self, value: Any, samples: int, report: IdsReport | None) -> Result:
        if not isinstance(value, Mapping):  # a metric that returns no dict: that is its own affair
            return value  # type: ignore[no-any-return]
        self.intervals = getattr(value, "intervals", {})
        if self.intervals:
            warn_of_thin(self.intervals)
        return Result(value, samples, report, self._named_classes, self.intervals)

    def _job(self, missing: str) -> Contribution:
        return Contribution(
            self._stores(),
            self._finish,
            self.dist_collect_mode,
            missing,
            partial(self._identity_after, self._loaded),
            self.every_rank_computes,
            self._instance,
            self._asked(),
        )

    def _identity_after(self, loaded: Loaded) -> Identity:
        return loaded.known_as(self._identity)

    def _failed_job(self) -> Contribution:
        """Return what stands for the job of a rank that failed before it had one."""
        nobody = partial(Identity.of, "")
        return Contribution(
            [], lambda results: {}, "unzip", "raise", nobody, False, self._instance, []
        )

    def _count_reset(self) -> None:
        self._loaded, self.intervals = Loaded(), {}
        if "_instance" in vars(self):  # it is not while the constructor runs
            self._instance.resets += 1

    def _remember(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Keep what the constructor was given."""

    @property
    @abstractmethod
    def _named_classes(self) -> list[str] | None:
        """The names of the dataset's classes, where it is known."""

    def _asked(self) -> list[frozenset[Any] | None]:
        """Return, by store, what is asked of states that deal; None: all rows."""
        return [None for _ in self._stores()]

    @abstractmethod
    def _finish(self, results: list[Results]) -> dict[str, Any]: ...
