"""Samples as files, as bytes and as a dict of arrays: what outlives the process."""

from __future__ import annotations

import os
import reprlib
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, TypeVar

from mmeval_like._accumulate import checkpoint
from mmeval_like._accumulate.ids import kind_of
from mmeval_like._exchange.fingerprint import Identity
from mmeval_like._exchange.occurrence import Occurrence
from mmeval_like.backends import BaseDistBackend
from mmeval_like.merging import Mergeable

__all__ = ["Loaded", "Saveable"]

Self = TypeVar("Self", bound="Saveable")


@dataclass(frozen=True)
class Loaded:
    """What `load` did on this rank since the samples were last forgotten.

    Attributes:
        lists: The lists of files of which this rank took its share: between how many ranks the
            files were shared out, and their paths.
        failure: Why the last call failed, if it did.
    """

    lists: tuple[tuple[int, tuple[str, ...]], ...] = ()
    failure: str | None = None

    @property
    def anything(self) -> bool:
        """Whether `load` took files, or failed."""
        return bool(self.lists) or self.failure is not None

    def check(self, ranks: int) -> None:
        """Refuse to compute where files of this rank are missing, or were taken by all ranks.

        Raises:
            RuntimeError: A call failed, or shared out files between other numbers of ranks.
        """
        if ranks > 1 and self.failure is not None:
            raise RuntimeError(
                f"load() failed on this rank: {self.failure}. Before the next compute(), "
                f"load files that are whole, or call reset()"
            )
        others = [number for number, _ in self.lists if number != ranks]
        if ranks > 1 and others:
            raise RuntimeError(
                f"load() shared out a list of files between {others[0]} rank(s), and {ranks} ranks "
                f"compute: samples would be lost, or count several times. Call reset(), and "
                f"load() once the group of ranks is there"
            )

    def known_as(self, identity: Identity) -> Identity:
        """Return the identity that ranks compare: equal where they loaded the same lists."""
        if not self.lists:
            return identity
        files = Identity.of(repr([paths for _, paths in self.lists]))
        shown = ", ".join(reprlib.repr(list(paths)) for _, paths in self.lists)
        return Identity.of(f"{identity.text}, after load({shown}) [{files.digest.hex()}]")


class Saveable(Mergeable):
    """Samples that can be saved, sent, and loaded again."""

    _instance: Occurrence
    _loaded = Loaded()

    def state_dict(self) -> dict[str, Any]:
        """Return this rank's samples so far as arrays and JSON values, by name.

        Raises:
            TypeError: An entry of `_results` or of an `objects` state is neither a number, a text,
                an array nor a list, tuple or dict of these.
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
            TypeError: `state_dict` says when.
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

        The ranks do not communicate here. `compute` tells them of a file that a rank could not
        load, and of lists that differ: it raises on every rank, until `reset`. After a failure a
        `load` or `load_state_dict` that succeeds helps as well.

        Args:
            paths: The files of all ranks, in one list on every rank: the same paths in the same
                order. In one process also a path.

        Raises:
            ValueError: A file is damaged, none of ours, of another metric, other options or a
                newer version. Nothing of any file is merged then. A path that is not in a list, on
                several ranks: were it this rank's own, the others' would be lost.
            OSError: A file cannot be read.

        """
        try:
            lists = self._load(paths)
        except Exception as error:
            self._loaded = replace(self._loaded, failure=str(error))
            raise
        self._loaded = Loaded((*self._loaded.lists, *lists))

    def _load(
        self, paths: str | PathLike[str] | Sequence[str | PathLike[str]]
    ) -> list[tuple[int, tuple[str, ...]]]:
        """Load this rank's share, and return what other ranks must have been given as well."""
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
        return lists

    def to_bytes(self) -> bytes:
        """Return this rank's samples so far as bytes, for a queue, a data frame or another machine.

        They are those of the file that `save` writes: in the safetensors format, without code.

        Raises:
            TypeError: `state_dict` says when.
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
