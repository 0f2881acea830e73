"""A check that files do not change while they are read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from mmeval_like._core.together import together
from mmeval_like.backends import BaseDistBackend
from mmeval_like.cli.errors import InputError
from mmeval_like.cli.readers.table import blaming, stamp
from mmeval_like.cli.records import hashed
from mmeval_like.cli.request import Request

__all__ = ["unchanged"]


@contextmanager
def unchanged(requests: Sequence[Request], backend: BaseDistBackend) -> Iterator[None]:
    """Raise an error if a file changes inside the `with` block; every rank must make the call.

    Raises:
        InputError: The ranks have files with different bytes; or a file changed since this rank
            began to read it, which is raised at the end.
    """
    paths = [table.path for request in requests for table in request.tables]
    stamps = together(backend, lambda: [*map(stamp, paths)])
    own = stamps[backend.rank]
    doubtful = [
        path
        for path, several in zip(paths, zip(*stamps, strict=True), strict=True)
        if len({*several}) > 1
    ]  # a file that each rank has unpacked, or a copy on another disk
    digests = together(backend, lambda: [*map(hashed, doubtful)]) if doubtful else []

    def check_equal() -> None:
        for place, path in enumerate(doubtful):
            if digests[backend.rank][place] != digests[0][place]:
                raise InputError(f"{path}: rank {backend.rank} has another file than rank 0")

    if doubtful:
        together(backend, check_equal)
    yield

    def check() -> None:
        for path, before in zip(paths, own, strict=True):
            with blaming(path):
                if stamp(path) != before:
                    raise InputError(f"{path}: changed while it was read")

    together(backend, check)
