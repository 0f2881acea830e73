"""Samples as files, as bytes and as a dict of arrays: what outlives the process."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, TypeVar

from mmeval_like._accumulate import checkpoint
from mmeval_like._accumulate.ids import kind_of
from mmeval_like._exchange.instance import Instance
from mmeval_like.backends import BaseDistBackend
from mmeval_like.merging import Mergeable

__all__ = ["Saveable"]

Self = TypeVar("Self", bound="Saveable")


class Saveable(Mergeable):
    """Samples that can be saved, sent, and loaded again."""

    _instance: Instance
    _load_failure: str | None = None  # why the last load() on this rank failed

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
        resets = self._instance.resets
        self.reset()
        self._instance.resets = resets  # what follows are samples of the same evaluation
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

        Other ranks cannot know of a file that this rank could not load. `compute` tells them: it
        raises on every rank, until `reset`, or a `load` or `load_state_dict` that succeeds.

        Args:
            paths: The files of all ranks, in one list on every rank; in one process also a path.

        Raises:
            ValueError: A file is damaged, none of ours, of another metric, other options or a
                newer version. Nothing of any file is merged then. A path that is not in a list, on
                several ranks: were it this rank's own, the others' would be lost.
            OSError: A file cannot be read.

        """
        self._load_failure = None
        try:
            self._load(paths)
        except Exception as error:
            self._load_failure = str(error)
            raise

    def _load(self, paths: str | PathLike[str] | Sequence[str | PathLike[str]]) -> None:
        comm = self.dist_comm
        if isinstance(paths, str | PathLike):
            if comm.world_size > 1:
                raise ValueError(
                    f"paths must list the files of all ranks, the same on every rank, got one path "
                    f"on {comm.world_size} ranks: {os.fspath(paths)!r}; rank r takes paths r, r + "
                    f"{comm.world_size}, ...; a single file of all samples is [path]"
                )
            paths = [paths]
        paths = list(paths)
        stores = self._stores()
        text = self._identity.text
        loaded = [
            checkpoint.from_dict(checkpoint.read(path), text, stores, path)
            for path in paths[comm.rank :: comm.world_size]
        ]
        kinds = {kind_of(part.ids) for parts in loaded for part in parts if part.count}
        kinds |= {store.kind_of_ids for store in stores if store.count}
        if len(kinds) > 1:
            text = "files of samples with ids= and without ids=, or with ids of two kinds,"
            raise ValueError(f"{text} cannot be merged, got {', '.join(sorted(kinds))}")
        for parts in loaded:
            self._merge_parts(parts)

    def to_bytes(self) -> bytes:
        """Return this rank's samples so far as bytes, for a queue, a data frame or another machine.

        They are those of the file that `save` writes: in the safetensors format, without code.

        Raises:
            TypeError: As in `state_dict`.
            ModuleNotFoundError: safetensors is not installed: `pip install 'mmeval-like[resume]'`.
        """
        parts = [store.part() for store in self._stores()]
        return checkpoint.pack(checkpoint.to_dict(self._identity.text, self._stores(), parts))

    def from_bytes(self: Self, data: bytes) -> Self:
        """Return a metric that is equal to this one and has the samples of `to_bytes` alone.

        Raises:
            ValueError: The bytes are damaged, or those of another metric, of other options or of
                a newer version.
            ModuleNotFoundError: safetensors is not installed: `pip install 'mmeval-like[resume]'`.

        Example:
            >>> from mmeval_like import Accuracy
            >>> worker = Accuracy()
            >>> worker.add([1, 2], [1, 1])
            >>> received = Accuracy().from_bytes(worker.to_bytes())
            >>> received.compute()
            {'top1': 0.5}
        """
        name = "the given data"
        found = checkpoint.unpack(data, name)
        fresh: Self = self._without_samples()
        stores = fresh._stores()
        fresh._merge_parts(checkpoint.from_dict(found, self._identity.text, stores, name))
        return fresh

    @property
    @abstractmethod
    def dist_comm(self) -> BaseDistBackend:
        """The backend in use at this moment."""

    @abstractmethod
    def reset(self) -> None:
        """Forget all samples."""
