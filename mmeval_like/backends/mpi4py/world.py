"""The check that the library sees the ranks that the launcher started."""

from __future__ import annotations

from functools import cache

from mmeval_like._base.launchers import launched
from mmeval_like.errors import LauncherMismatchError

__all__ = ["check_world"]


@cache  # called at every exchange
def check_world(backend: str, size: int, library: str) -> None:
    """Check that the library's world has the size that a launcher started.

    Args:
        backend: The registered name of the library's backend.
        size: The number of processes that the library sees.
        library: The library's name, for the message.

    Raises:
        LauncherMismatchError: Launchers of this backend set their environment variables, and none
            of them started `size` processes. (A job that starts another passes its variables on, so
            several launchers may be found.)
    """
    found = [place for place in launched() if place.launcher.backend == backend]
    if found and all(place.size != size for place in found):
        raise LauncherMismatchError(
            f"{found[0].launcher.name} started {found[0].size} processes, but {library} "
            f"sees a world of {size}: start the program with the launcher that belongs to "
            f"{library}, or install the library that belongs to this launcher"
        )
