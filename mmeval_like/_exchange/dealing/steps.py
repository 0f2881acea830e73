"""The steps in which ranks deal their rows.

Every step ends with a message that also says whether a rank failed, so that all ranks go on or all
raise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from mmeval_like._exchange.dealing.groups import Grouped, repeated_keys
from mmeval_like._exchange.dealing.partition import Partitioned
from mmeval_like._exchange.dealing.shares import numbers_at, smallest
from mmeval_like._exchange.failures import raise_trouble, trace
from mmeval_like._exchange.group_lock import GroupLock
from mmeval_like._states.dealing import Below, Run
from mmeval_like.backends.base import BaseDistBackend
from mmeval_like.backends.rounds import NoRoom, OtherLengths, Parts, room_for_rounds
from mmeval_like.backends.wire.packing import Buffer

__all__ = ["Steps"]

_SHORT = 1 << 17  # how many numbers every rank has room for
_FAILED = 20  # bits of the first number of a vector that count the ranks that failed


class Steps:
    """The `Ranks` of a group; each call is one step.

    Args:
        backend: Carries the messages.
        lock: The lock of the exchange, which ends if a step raises on every rank.
    """

    def __init__(self, backend: BaseDistBackend, lock: GroupLock) -> None:
        self._backend, self._lock = backend, lock
        self.rank, self.size = backend.rank, backend.world_size
        self._late: Exception | None = None  # an error after a step, which the next step reports

    def refuse(self, error: Exception) -> NoReturn:
        """Raise an error that every rank raises, since every rank knows its reason."""
        self._lock.end()
        raise error

    def gathered(self, work: Callable[[], Any]) -> list[Any]:
        """Return what the `work` of every rank returns, in the order of ranks."""
        found, failure = None, None
        try:
            found = self._done(work)
        except Exception as error:
            failure = error
        mine = (self._lock.stamp, failure and trace(failure), found)
        told = self._backend.all_gather_object(mine)
        self._lock.check_stamps([stamp for stamp, *_ in told])
        if any(text is not None for _, text, _ in told):
            self._raise([text for _, text, _ in told], failure)
        return [value for *_, value in told]

    def total(self, work: Callable[[], np.ndarray], length: int) -> np.ndarray:
        """Return the sum of the ranks' vectors."""
        if length > _SHORT:
            return self._long_total(work, length)
        vector, failure = np.zeros(1 + length, np.int64), None
        vector[0] = first = self._lock.turn << _FAILED
        try:
            vector[1:] = self._done(work)
        except Exception as error:
            vector[0], failure = first + 1, error
        total: np.ndarray = self._backend.all_reduce(vector, "sum")
        if self._lock.check_failed(total[0], self.size, first):
            self._raise(self._backend.all_gather_object(failure and trace(failure)), failure)
        return total[1:]

    def _long_total(self, work: Callable[[], np.ndarray], length: int) -> np.ndarray:
        # A rank without memory for its vector cannot take part in an all-reduce of this length:
        # it reports so in an earlier step.
        vectors: list[np.ndarray] = []

        def make() -> np.ndarray:
            vector = _room_for(length)
            vector[:] = work()
            vectors.append(vector)
            return _NOTHING

        self.total(make, 0)
        total: np.ndarray = self._backend.all_reduce(vectors[0], "sum")
        return total

    def dealt(self, work: Callable[[], Parts]) -> tuple[np.ndarray, list[int]]:
        """Return the parts for this rank end to end, and the number of bytes from each rank."""
        parts: list[Buffer | list[Buffer]] = []

        def prepare() -> np.ndarray:
            parts.extend(work())
            room_for_rounds(self.size)
            return _NOTHING

        self.total(prepare, 0)
        try:
            return self._backend.all_to_all_joined(parts)
        except (NoRoom, OtherLengths) as error:
            self._late = error
            return np.empty(0, np.uint8), [0] * self.size

    # What states that deal ask for ----------------------------------------------------------------

    @property
    def first(self) -> bool:
        """Whether this rank does the work that only one rank does."""
        return self.rank == 0

    def numbers_at(
        self, below: Below, sizes: np.ndarray, places: Sequence[np.ndarray], dtype: np.dtype
    ) -> list[np.ndarray]:
        """Return, for each column, the numbers at some places of all ranks' sorted numbers."""
        return numbers_at(below, sizes, places, dtype, self)

    def smallest(self, ascending: np.ndarray, places: Sequence[int]) -> list[float]:
        """Return the numbers at these places of all ranks' sorted numbers."""
        return smallest(ascending, places, self)

    def partition(self, work: Callable[[], Sequence[Run]], columns: int) -> Partitioned:
        """Divide the entries of all ranks into shares."""
        return Partitioned(work, columns, self)

    def grouped(self, sizes: Sequence[np.ndarray]) -> Grouped:
        """Divide groups of rows so that the ranks evaluate nearly equal numbers of rows."""
        return Grouped(sizes, self)

    def repeated(self, keys: np.ndarray) -> np.ndarray:
        """Return the keys that occur more than once on all ranks."""
        return repeated_keys(keys, self)

    def _done(self, work: Callable[[], Any]) -> Any:
        if self._late is not None:
            raise self._late
        return work()

    def _raise(self, texts: list[str | None], failure: Exception | None) -> NoReturn:
        self._lock.end()
        raise_trouble([(text, "") for text in texts], failure)


def _room_for(length: int) -> np.ndarray:
    return np.empty(length, np.int64)


_NOTHING = np.zeros(0, np.int64)
