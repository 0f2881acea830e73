"""A result that is computed while the program continues."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextvars import copy_context
from typing import Any

from mmeval_like._base.warning import keep_warnings, warn
from mmeval_like.arrays.accelerator import here

__all__ = ["Handle", "Stopped"]


class Stopped(BaseException):
    """The exception that is raised in a computing thread when the process ends."""


class Handle:
    """What `compute_async` returns: a result that is still being computed.

    Args:
        work: Exchanges and computes, on another thread.
        conclude: Computes the result from what `work` returned, on the thread that calls
            `result()`.

    Example:
        >>> from mmeval_like import Accuracy
        >>> metric = Accuracy()
        >>> metric.add([1, 0], [1, 1])
        >>> handle = metric.compute_async()
        >>> metric.add([1, 1], [1, 1])  # not in this result
        >>> handle.result(timeout=60)
        {'top1': 0.5}
        >>> handle.done()
        True
    """

    def __init__(self, work: Callable[[], Any], conclude: Callable[[Any], Any]) -> None:
        self._work = work
        self._conclude: Callable[[Any], Any] | None = conclude
        self._context, self._device = copy_context(), here()
        self._lock, self._over, self._pid = threading.Lock(), threading.Event(), os.getpid()
        self._outcome: Any = None
        self._failure: BaseException | None = None
        self._warnings: list[tuple[str, type[Warning]]] = []

    def done(self) -> bool:
        """Return whether `result` would return or raise an error immediately."""
        return self._over.is_set()

    def result(self, timeout: float | None = None) -> Any:
        """Wait, and return what `compute` would have returned; the metric then has its `report`.

        Args:
            timeout: Seconds to wait; None: as long as the exchange takes, which has the timeout
                of the backend. The exchange goes on afterwards, and `result` may be called again.

        Raises:
            TimeoutError: The result is not ready in this time.
            Exception: What `compute` would have raised.
            RuntimeError: This process was forked after `compute_async`.
        """
        if os.getpid() != self._pid and not self.done():
            raise RuntimeError(
                "a forked process has no part in what its parent computes: call result() in the "
                "process that called compute_async()"
            )
        if not self._over.wait(timeout):
            raise TimeoutError(
                f"the result is not ready after {timeout:g} s; the exchange goes on, and result() "
                f"may be called again"
            )
        with self._lock:  # only one thread warns and concludes
            for text, category in self._warnings:
                warn(text, category)
            self._warnings = []
            if self._failure is not None:
                raise self._failure
            if self._conclude is not None:
                self._outcome = self._conclude(self._outcome)
                self._conclude = None
        return self._outcome

    def wait(self) -> None:
        """Wait until the work is done; return at once in a forked process, which never does it."""
        if os.getpid() == self._pid:
            self._over.wait()

    def run(self) -> None:
        """Do the work, in the context and on the device of the thread that began it.

        Raises:
            Stopped: The thread was stopped; `result` raises a `RuntimeError`.
        """
        self._context.run(self._run)

    def stop(self) -> None:
        """Give up the work: `result` raises an error."""
        self._failure = RuntimeError("the process ended before the result was computed")
        self._over.set()

    def _run(self) -> None:
        try:
            with self._device, keep_warnings() as self._warnings:
                self._outcome = self._work()
        except Stopped:
            self.stop()
            raise
        except BaseException as error:  # `result` raises it
            self._failure = error
        finally:
            del self._work  # the samples need not be kept
            self._over.set()

    def __reduce__(self) -> Any:
        raise TypeError("a handle belongs to its process: pickle its result() instead")
