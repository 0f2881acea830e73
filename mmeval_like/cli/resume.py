"""A run that was interrupted goes on: finished pieces of work, saved with what they add up to."""

from __future__ import annotations

import time
from pathlib import Path

from mmeval_like import checkpoint
from mmeval_like.backends import BaseDistBackend
from mmeval_like.cli.errors import InputError
from mmeval_like.cli.request import Request
from mmeval_like.cli.slices import Slices
from mmeval_like.errors import RemoteError

__all__ = ["Saved"]

_SECONDS = 2.0  # between two saves


class Saved:
    """The files of earlier runs, and this rank's own.

    Every run of every rank writes one file, again and again: the samples of the units that it
    has finished, and which these are. So a unit is in a file exactly if its samples are.

    Args:
        folder: Where the files are.
        request: Must be the one of the earlier runs.
        backend: Every rank must construct it.

    Attributes:
        finished: The units of earlier runs.
        earlier: This rank's share of the samples of earlier runs.

    Raises:
        InputError: A file is damaged, or belongs to other input.
    """

    def __init__(self, folder: Path, request: Request, backend: BaseDistBackend) -> None:
        self._fingerprint = request.fingerprint()
        problem, names = backend.broadcast_object(_list(folder) if backend.rank == 0 else None)
        if problem:
            _raise({0: f"--resume {folder}: {problem}"}, backend)
        run = 1 + max((int(name[3:7]) for name in names), default=0)
        self.earlier = Slices(request.make, backend)
        finished: list[tuple[int, int, int]] = []
        text = ""
        try:
            for name in names[backend.rank :: backend.world_size]:
                finished += self._load(folder / name, Slices(request.make, backend))
        except InputError as error:
            text = str(error)
        told = backend.all_gather_object((text, finished))
        _raise({rank: text for rank, (text, _) in enumerate(told) if text}, backend)
        self.finished = {unit for _, units in told for unit in units}
        self._path = folder / f"run{run:04}-rank{backend.rank:05}.safetensors"
        self._units: list[tuple[int, int, int]] = []
        self._unsaved = False
        self._time = time.monotonic()

    def update(self, metrics: Slices, unit: tuple[int, int, int]) -> None:
        """Note that a unit is finished; save, unless that was done just now."""
        self._units.append(unit)
        self._unsaved = True
        if time.monotonic() - self._time > _SECONDS:
            self.flush(metrics)

    def flush(self, metrics: Slices) -> None:
        """Save what is not saved yet."""
        if self._unsaved:
            facts = {"units": [list(unit) for unit in self._units], "input": self._fingerprint}
            checkpoint.write(self._path, metrics.state_dict() | facts)
            self._time, self._unsaved = time.monotonic(), False

    def _load(self, path: Path, part: Slices) -> list[tuple[int, int, int]]:
        try:
            found = checkpoint.read(path)
            if found.get("input") != self._fingerprint:
                raise InputError(
                    f"--resume: {path} belongs to other files, metrics or columns; name another "
                    f"folder"
                )
            part.load_state_dict(found)
            units = [(int(index), int(start), int(stop)) for index, start, stop in found["units"]]
        except (OSError, KeyError, TypeError, ValueError) as error:
            raise InputError(f"--resume: {' '.join(str(error).split())}") from error
        self.earlier.join(part)
        return units


def _raise(problems: dict[int, str], backend: BaseDistBackend) -> None:
    """Raise, on every rank, if some have a problem; only these say it."""
    if backend.rank in problems:
        raise InputError(problems[backend.rank])
    if problems:
        raise RemoteError(list(problems), [f"InputError: {text}" for text in problems.values()])


def _list(folder: Path) -> tuple[str, list[str]]:
    """Return what is wrong with the folder, and the files of earlier runs."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return "", sorted(path.name for path in folder.glob("run*-rank*.safetensors"))
    except OSError as error:
        return error.strerror or str(error), []
