"""Continuing an interrupted run from its finished pieces of work and their samples."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TypeAlias

from mmeval_like._core.evaluation import Evaluation
from mmeval_like._core.together import together
from mmeval_like._samples import checkpoint
from mmeval_like.backends import BaseDistBackend
from mmeval_like.cli.errors import InputError
from mmeval_like.cli.readers.table import stamp
from mmeval_like.cli.request import Request

__all__ = ["Saved", "opened"]

_SECONDS = 2.0  # between two saves

Unit: TypeAlias = "tuple[int, int, int]"  # file, start, stop


@contextmanager
def opened(folder: Path, request: Request, backend: BaseDistBackend) -> Iterator[Saved]:
    """Yield the saved files of earlier runs in a folder, which is locked meanwhile.

    Args:
        folder: The folder; it is created if it does not exist.
        request: The request, which must be that of the earlier runs.
        backend: The backend of the exchange. Every rank must call this function.

    Raises:
        InputError: Another job uses the folder, a file in it is damaged, or it belongs to other
            input.
    """
    with ExitStack() as stack:

        def lock() -> list[str] | None:
            if backend.rank > 0:
                return None
            stack.enter_context(_locked(folder))
            return sorted(path.name for path in folder.glob("run*-rank*.safetensors"))

        names = together(backend, lock)[0] or []
        yield Saved(folder, names, request, backend)


class Saved:
    """The files of earlier runs, and this rank's file.

    Every rank rewrites one file throughout a run, with the finished units, their samples, and the
    digests of their prediction files. A unit is therefore in a file if and only if its samples are.

    Args:
        folder: The folder of the files.
        names: The files of earlier runs.
        request: The request, which must be that of the earlier runs.
        backend: The backend of the exchange. Every rank must construct this object.

    Attributes:
        finished: The units of earlier runs.
        earlier: This rank's share of the samples of earlier runs.

    Raises:
        InputError: A file is damaged, or belongs to other input.
    """

    def __init__(
        self, folder: Path, names: list[str], request: Request, backend: BaseDistBackend
    ) -> None:
        self._request, self._fingerprint = request, request.fingerprint()
        self._stamps = [stamp(table.path) for table in request.tables]
        self._digests = self._digest_files(backend)
        self.earlier: Evaluation = request.start(backend)
        mine = names[backend.rank :: backend.world_size]
        told = together(backend, lambda: [(name, self._units_of(folder / name)) for name in mine])
        self.finished: set[Unit] = set()
        chosen = set()
        for name, units in sorted(pair for pairs in told for pair in pairs):
            # A rank that outlived its job may have left pieces that were computed again meanwhile.
            if self.finished.isdisjoint(units):
                self.finished.update(units)
                chosen.add(name)
        together(backend, lambda: self._load([folder / name for name in mine if name in chosen]))
        run = 1 + max((int(name[3:7]) for name in names), default=0)
        self._path = folder / f"run{run:04}-rank{backend.rank:05}.safetensors"
        self._units: list[Unit] = []
        self._unsaved = False
        self._time = time.monotonic()

    def update(self, metrics: Evaluation, unit: Unit) -> None:
        """Record that a unit is finished; save, unless the last save is recent."""
        self._units.append(unit)
        self._unsaved = True
        if time.monotonic() - self._time > _SECONDS:
            self.flush(metrics)

    def flush(self, metrics: Evaluation) -> None:
        """Save all units that are not saved yet.

        Raises:
            InputError: A prediction file has been changed while it was read.
        """
        if self._unsaved:
            files = sorted({index for index, _, _ in self._units})
            for index in files:
                path = self._request.tables[index].path
                if stamp(path) != self._stamps[index]:
                    raise InputError(f"{path}: changed while it was read")
            facts = {
                "units": [list(unit) for unit in self._units],
                "input": self._fingerprint,
                "digests": {str(index): self._digests[index] for index in files},
            }
            try:
                checkpoint.write(self._path, metrics.state_dict() | facts)
            except OSError as error:
                raise InputError(f"--resume {self._path}: {error.strerror or error}") from error
            self._time, self._unsaved = time.monotonic(), False

    def _digest_files(self, backend: BaseDistBackend) -> list[str]:
        paths = [table.path for table in self._request.tables]
        mine = range(backend.rank, len(paths), backend.world_size)
        told = together(backend, lambda: {index: _digest(paths[index]) for index in mine})
        found = {index: digest for digests in told for index, digest in digests.items()}
        return [found[index] for index in range(len(paths))]

    def _units_of(self, path: Path) -> list[Unit]:
        """Return the units whose samples are in a file."""
        with _saying(path):
            found = checkpoint.read(path)
            if found.get("input") != self._fingerprint:
                raise InputError(
                    f"--resume: {path} belongs to other files, metrics or columns; name another "
                    f"folder"
                )
            units = [(int(index), int(start), int(stop)) for index, start, stop in found["units"]]
            for index in sorted({index for index, _, _ in units}):
                if found["digests"][str(index)] != self._digests[index]:
                    raise InputError(
                        f"--resume: {self._request.tables[index].path} has changed since {path} "
                        f"was written; name another folder"
                    )
            return units

    def _load(self, paths: Sequence[Path]) -> None:
        for path in paths:
            part = self._request.start(self.earlier.dist_comm)
            with _saying(path):
                part.load_state_dict(checkpoint.read(path))
            self.earlier.merge(part)


@contextmanager
def _saying(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, LookupError, TypeError, ValueError, AttributeError) as error:
        text = " ".join(str(error).split())
        raise InputError(
            f"--resume: {path.name}: {text}; delete this file, and its rows are scored again"
        ) from error


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Lock the folder for this job; the lock ends with the process, even after a crash."""
    try:
        import fcntl
    except ModuleNotFoundError as error:
        raise InputError(
            "--resume needs POSIX file locks, which Windows lacks; leave it out, or use WSL"
        ) from error
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = open(folder / "lock", "ab")  # noqa: SIM115  # closed below
    except FileExistsError as error:
        raise InputError(f"--resume {folder}: is not a folder") from error
    except OSError as error:
        raise InputError(f"--resume {folder}: {error.strerror or error}") from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise InputError(f"--resume {folder}: another job is using it") from error
        yield


def _digest(path: str) -> str:
    digest = hashlib.blake2b(digest_size=16)
    with open(path, "rb") as file:
        while block := file.read(4 << 20):
            digest.update(block)
    return digest.hexdigest()
