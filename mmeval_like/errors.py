"""The errors of a distributed run: what a rank is told when something went wrong elsewhere."""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

__all__ = [
    "DisagreementError",
    "LauncherMismatchError",
    "MissingBackendError",
    "RemoteError",
    "SyncTimeoutError",
    "UnknownBackendError",
    "blaming",
    "keep_warnings",
    "lost_partner",
    "mixed_calls",
    "name_member",
    "needed_for",
    "quiet",
    "warn",
]

# What a person who reads a warning has not written: this package, and `with` blocks' machinery.
_NOT_THE_USERS = (str(Path(__file__).parent), contextlib.__file__)

_QUIET: ContextVar[bool] = ContextVar("quiet", default=False)
_KEPT: ContextVar[list[tuple[str, type[Warning]]] | None] = ContextVar("kept", default=None)


class RemoteError(RuntimeError):
    """Another rank failed; this rank stopped with it instead of waiting for ever.

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
        missing: The ranks that are known not to have joined; empty when nobody can tell.
        detail: What the communication library said.

    Example:
        >>> print(lost_partner("barrier", [2]))
        barrier: no answer from rank 2. Every rank must make the same calls: was compute()
        called on rank 0 only, or did a rank end early? What was added is still there: save()
        keeps it. To go on, start the program again, or make a new group of ranks.
    """
    who = "some ranks"
    if missing:
        who = f"rank{'s' * (len(missing) > 1)} {', '.join(map(str, missing))}"
    text = (
        f"{operation}: no answer from {who}. Every rank must make the same calls: was compute() "
        "called on rank 0 only, or did a rank end early? What was added is still there: save() "
        "keeps it. To go on, start the program again, or make a new group of ranks."
    )
    return SyncTimeoutError(f"{text} ({detail})" if detail else text)


@contextmanager
def blaming(path: str | Path, kind: type[Exception]) -> Iterator[None]:
    """Within this block, name a file in whatever its content makes a parser raise.

    Args:
        path: The file.
        kind: The exception that says so.

    Raises:
        Exception: One of this kind takes the place of any other, but for those of the system, such
            as a file that is not there, and of libraries that are not installed.
    """
    try:
        yield
    except kind as error:
        if str(path) in str(error):
            raise
        raise kind(f"{path}: {error}") from error
    except MemoryError as error:
        raise kind(f"{path}: needs more memory than there is, or is damaged") from error
    except Exception as error:
        if isinstance(error, ImportError) or (isinstance(error, OSError) and error.errno):
            raise
        text = " ".join(f"{type(error).__name__}: {error}".split())
        raise kind(f"{path}: damaged, or not what its name says ({text[:300]})") from error


def mixed_calls() -> DisagreementError:
    """Return the error of ranks of which only some are in `compute`."""
    return DisagreementError(
        "the ranks are in different collective calls: only some of them are in compute(). Every "
        "rank must make the same calls in the same order: is compute(), remaining() or a function "
        "of mmeval_like.dist called on some ranks only, for instance inside `if rank == 0`?"
    )


def name_member(error: Exception, name: str) -> None:
    """Add the name of the member of a collection that raised an error to the error's text."""
    if error.args and isinstance(error.args[0], str):
        text = f"{error.args[0]} (in member {name!r} of the collection)"
        error.args = (text, *error.args[1:])


def warn(text: str, category: type[Warning] = RuntimeWarning) -> None:
    """Warn, and point to the line of the program that called this package.

    Args:
        text: What to say.
        category: The kind of warning, by which programs filter.

    Example:
        >>> with warnings.catch_warnings(record=True) as caught:
        ...     warnings.simplefilter("always")
        ...     warn("3 samples are left out")
        >>> str(caught[0].message)
        '3 samples are left out'
    """
    if _QUIET.get():
        return
    if (kept := _KEPT.get()) is not None:
        kept.append((text, category))
        return
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_NOT_THE_USERS):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


@contextmanager
def quiet() -> Iterator[None]:
    """Within this block `warn` says nothing, in this thread alone."""
    token = _QUIET.set(True)
    try:
        yield
    finally:
        _QUIET.reset(token)


@contextmanager
def keep_warnings() -> Iterator[list[tuple[str, type[Warning]]]]:
    """Within this block `warn` adds to a list, in this thread alone.

    Yields:
        The list: what `warn` is to be called with where the program waits for the outcome.
    """
    kept: list[tuple[str, type[Warning]]] = []
    token = _KEPT.set(kept)
    try:
        yield kept
    finally:
        _KEPT.reset(token)


@contextmanager
def needed_for(what: str, install: str = "") -> Iterator[None]:
    """Where a package is missing that is imported inside, say what needs it and how to get it.

    Args:
        what: What cannot be done without the package.
        install: The command that installs it; by default pip with the package's name.

    Raises:
        ModuleNotFoundError: The package is missing.
        ImportError: The package is there, but too old: it lacks what is imported of it.

    Example:
        >>> with needed_for("a plot"):
        ...     import no_such_package
        Traceback (most recent call last):
            ...
        ModuleNotFoundError: a plot needs no_such_package: pip install no_such_package
    """
    try:
        yield
    except ImportError as error:
        package = str(error.name).partition(".")[0]
        command = install or f"pip install {package}"
        if isinstance(error, ModuleNotFoundError) and sys.modules.get(package) is None:
            raise ModuleNotFoundError(f"{what} needs {package}: {command}", name=package) from error
        if not str(error).startswith(("No module named", "cannot import name")):
            raise  # the package is broken, and says how
        upgrade = command.replace("pip install", "pip install --upgrade")
        raise ImportError(f"{what} needs a newer {package}: {upgrade}", name=package) from error
