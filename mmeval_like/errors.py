"""Exceptions of distributed runs, including those that report a failure of another rank."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = [
    "DisagreementError",
    "LauncherMismatchError",
    "MissingBackendError",
    "RemoteError",
    "SyncTimeoutError",
    "UnknownBackendError",
    "lost_partner",
    "mixed_calls",
]


class RemoteError(RuntimeError):
    """Another rank failed; this rank stopped as well instead of waiting forever.

    Args:
        ranks: The ranks that failed, in ascending order.
        details: For each of these ranks, what happened there (normally its traceback).

    Example:
        >>> print(RemoteError([3], ["ValueError: no boxes"]))
        rank 3 failed:
        ValueError: no boxes
    """

    def __init__(self, ranks: list[int], details: list[str]) -> None:
        self.ranks = list(ranks)
        self.details = list(details)
        parts = [f"rank {rank} failed:\n{text}" for rank, text in zip(ranks, details, strict=True)]
        super().__init__("\n".join(parts))

    def __reduce__(self) -> tuple[type, tuple[list[int], list[str]]]:
        return type(self), (self.ranks, self.details)


class DisagreementError(RuntimeError):
    """The ranks met in one exchange with different metrics, options, sizes or calls."""


class SyncTimeoutError(TimeoutError):
    """A collective did not finish in time: some rank never called it, or died."""


class LauncherMismatchError(RuntimeError):
    """The launcher started several processes, and the communication library does not see them."""


class UnknownBackendError(ValueError):
    """No backend of this name is registered."""


class MissingBackendError(ImportError):
    """The backend is known, but the library it needs cannot be loaded."""


def lost_partner(operation: str, missing: Sequence[int] = (), detail: str = "") -> SyncTimeoutError:
    """Return the error of a collective that some ranks did not join.

    Args:
        operation: The collective, and after how long it was given up, where that is known.
        missing: The ranks that are known not to have joined; empty if they are unknown.
        detail: What the communication library said.

    Example:
        >>> print(lost_partner("barrier", [2]))
        barrier: no answer from rank 2. Every rank must make the same calls: was compute()
        called on rank 0 only, or did a rank end early? The added samples are kept: save() writes
        them to a file. To continue, start the program again, or create a new group of ranks.
    """
    who = "some ranks"
    if missing:
        who = f"rank{'s' * (len(missing) > 1)} {', '.join(map(str, missing))}"
    text = (
        f"{operation}: no answer from {who}. Every rank must make the same calls: was compute() "
        "called on rank 0 only, or did a rank end early? The added samples are kept: save() writes "
        "them to a file. To continue, start the program again, or create a new group of ranks."
    )
    return SyncTimeoutError(f"{text} ({detail})" if detail else text)


def mixed_calls() -> DisagreementError:
    """Return the error raised if only some of the ranks are in `compute`."""
    return DisagreementError(
        "the ranks are in different collective calls: only some of them are in compute(). Every "
        "rank must make the same calls in the same order: is compute(), remaining() or a function "
        "of mmeval_like.dist called on some ranks only, for instance inside `if rank == 0`?"
    )
