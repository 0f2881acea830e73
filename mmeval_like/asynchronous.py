"""Results that are computed while the program goes on."""

from __future__ import annotations

import weakref
from functools import partial
from typing import Any

from mmeval_like._exchange.contribution import Contribution, Outcome
from mmeval_like._exchange.handle import Handle
from mmeval_like._exchange.sync import synchronize
from mmeval_like._exchange.worker import worker_of
from mmeval_like.backends import BaseDistBackend
from mmeval_like.evaluable import Evaluable

__all__ = ["Asynchronous"]


class Asynchronous(Evaluable):
    """Samples whose result can be computed while others are added."""

    def compute_async(self, size: int | None = None, *, missing: str = "raise") -> Handle:
        """Begin to compute the samples so far, and return at once; every rank must call it.

        The ranks exchange their samples on a thread and in a group of their own, so that neither
        waits for the program, nor meets its messages. What happens to the metric afterwards does
        not change the result: `add` may go on, and `reset` forgets the samples here only. What is
        begun in one group of ranks is finished in the order in which it was begun. A `compute` of
        the same metric waits until what was begun before has finished.

        The first call in a group makes the second group, and waits for the other ranks. A process
        that ends waits two seconds at most for what was begun and not asked for.

        Args:
            size: As in `compute`.
            missing: As in `compute`.

        Returns:
            A handle: `result()` waits, and returns what `compute` would have returned now, or
            raises it; `done()` says whether it has to wait.

        Raises:
            NotImplementedError: The backend cannot do it: those of torch, MPI and one process can.
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
        self._refuse_within_evaluation()
        backend = self.dist_comm
        worker = worker_of(backend)
        job, size, failure = self._prepared(size, missing)
        try:
            job.detach()
        except Exception as error:  # of entries that cannot be copied: the other ranks must hear
            job, failure = self._failed_job(), error
        group = weakref.ref(backend.group)  # kept alive by its library alone
        work = partial(_work, job, size, worker.backend, failure, group)
        handle = Handle(work, self._concluded)
        self._instance.pending = weakref.ref(handle)
        worker.submit(handle)
        return handle


def _work(
    job: Contribution,
    size: int | None,
    backend: BaseDistBackend,
    failure: Exception | None,
    group: weakref.ref[Any],
) -> Outcome:
    """Exchange and compute; the group is the one that the program computes in."""
    living = group()
    if living is None:
        raise RuntimeError("the group of ranks was destroyed before the result was computed")
    return synchronize(job, size, backend, failure, living)
