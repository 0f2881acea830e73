"""One process: every collective is the identity."""

from __future__ import annotations

from typing import Any

from mmeval_like.backends.base import BaseDistBackend

__all__ = ["NonDist"]


class NonDist(BaseDistBackend):
    """The backend of a run that is not distributed.

    `dist_backend="non_dist"` also lets one rank of a larger job evaluate on its own, for instance
    only rank 0.
    """

    @property
    def is_initialized(self) -> bool:
        """Always False: there is nothing to initialise."""
        return False

    @property
    def rank(self) -> int:
        """Always 0."""
        return 0

    @property
    def world_size(self) -> int:
        """Always 1."""
        return 1

    def all_gather_object(self, obj: Any) -> list[Any]:
        """Return `[obj]`."""
        return [obj]

    def broadcast_object(self, obj: Any, src: int = 0) -> Any:
        """Return `obj`."""
        return obj
