"""Loaded: what `load` did on this rank."""

from __future__ import annotations

import reprlib
from dataclasses import dataclass

from mmeval_like._exchange.fingerprint import Identity

__all__ = ["Loaded"]


@dataclass(frozen=True)
class Loaded:
    """What `load` did on this rank since the samples were last forgotten.

    Attributes:
        lists: The lists of files from which this rank loaded its share: for each, the number of
            ranks that shared the files, and the paths.
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
        """Return the identity that ranks compare; it differs if they loaded different lists."""
        if not self.lists:
            return identity
        files = Identity.of(repr([paths for _, paths in self.lists]))
        shown = ", ".join(reprlib.repr(list(paths)) for _, paths in self.lists)
        return Identity.of(f"{identity.text}, after load({shown}) [{files.digest.hex()}]")
