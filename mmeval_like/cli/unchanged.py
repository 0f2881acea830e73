"""A check that files do not change while they are read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from mmeval_like._core.together import together
from mmeval_like.backends import BaseDistBackend
from mmeval_like.cli.errors import InputError
from mmeval_like.cli.readers.table import blaming, stamp
from mmeval_like.cli.request import Request

__all__ = ["unchanged"]


@contextmanager
def unchanged(requests: Sequence[Request], backend: BaseDistBackend) -> Iterator[None]:
    """Raise an error if a file changes inside the `with` block; every rank must make the call.

    Raises:
        InputError: A file changed since the ranks began to read it; raised at the end.
    """
    paths = [table.path for request in requests for table in request.tables]
    stamps = together(backend, lambda: [*map(stamp, paths)])[0]
    yield

    def check() -> None:
        for path, before in zip(paths, stamps, strict=True):
            with blaming(path):
                if stamp(path) != before:
                    raise InputError(f"{path}: changed while it was read")

    together(backend, check)
