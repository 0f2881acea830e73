"""A progress bar on terminals."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

__all__ = ["progress"]

T = TypeVar("T")


@contextmanager
def progress(items: Sequence[T], quiet: bool) -> Iterator[Iterable[T]]:
    """Yield the items as an iterable that moves a bar on the terminal, if there is one.

    Args:
        items: The items.
        quiet: Show no bar.
    """
    if quiet or not sys.stderr.isatty():
        yield items
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        yield bar.track(items, description="scoring")
