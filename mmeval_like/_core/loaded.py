"""Loaded: the outcome of `load` on this rank."""

from __future__ import annotations

import reprlib
from dataclasses import dataclass
from typing import Protocol

from mmeval_like._exchange.fingerprint import Identity

__all__ = ["Loaded"]


class Identified(Protocol):
    """The attribute of a plan that is read here."""

    @property
    def identity(self) -> Identity:
        """The identity, which the ranks compare."""


@dataclass(frozen=True)
class Loaded:
    """The outcome of `load` on this rank since the last `reset`.

    Attributes:
        lists: The lists of files from which this rank loaded its share: for each, the number of
            ranks that shared the files, and the paths.
        failure: The error of the last call, or None.
        own: Whether all files are those of this rank, and of as many ranks: then its last rows may
            be the padding of a sampler, and else nobody knows which rows are.
    """

    lists: tuple[tuple[int, tuple[str, ...]], ...] = ()
    failure: str | None = None
    own: bool = True

    @property
    def anything(self) -> bool:
        """Whether `load` read files, or failed."""
        return bool(self.lists) or self.failure is not None

    def check(self, ranks: int) -> None:
        """Check that no file of this rank is missing, and that no file was loaded by all ranks.

        Raises:
            RuntimeError: A call failed, or distributed files among a different number of ranks.
        """
        if ranks > 1 and self.failure is not None:
            raise RuntimeError(
                f"load() failed on this rank: {self.failure}. Before the next compute(), "
                f"load undamaged files, or call reset()"
            )
        others = ranks > 1 and self.lists and [n for n, _ in self.lists if n != ranks]
        if others:
            raise RuntimeError(
                f"load() divided a list of files among {others[0]} rank(s), but {ranks} ranks "
                f"compute: samples would be lost, or counted several times. Call reset(), and "
                f"load() after the group of ranks exists"
            )

    def known_as(self, plan: Identified) -> Identity:
        """Return the identity that ranks compare; it differs if they loaded different lists."""
        identity = plan.identity
        if not self.lists:
            return identity
        files = Identity.of(repr([paths for _, paths in self.lists]))
        shown = ", ".join(reprlib.repr(list(paths)) for _, paths in self.lists)
        return Identity.of(f"{identity.text}, after load({shown}) [{files.digest.hex()}]")
