"""The lock of a group: only one thread of a rank exchanges messages, and only while in step."""

from __future__ import annotations

import struct
import threading
from collections.abc import Callable, Iterable
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from mmeval_like._base.at_fork import at_fork
from mmeval_like.backends.base import BaseDistBackend
from mmeval_like.errors import DisagreementError, RemoteError, SyncTimeoutError

__all__ = ["GroupLock", "OutOfStep", "lock_of", "out_of_step", "stamp_of"]

T = TypeVar("T")

_STAMP = struct.Struct("<4sI")
_MAGIC = b"MMET"  # no other message begins with this
_NUMBERS = 1 << 32
_WORD = 1 << 64


class OutOfStep(RuntimeError):
    """A message arrived that belongs to another exchange."""


class GroupLock:
    """The lock that a thread holds while it exchanges messages in a group.

    Without it, messages of two threads could arrive in different order on other ranks. An exchange
    that has begun counts as interrupted until it has ended: with its last message, or with an error
    on which the ranks agreed.

    Attributes:
        held: The lock itself. `with lock.held` is safe from interrupts, since Python handles no
            signal between taking a lock that is written in C and entering the block.
        turn: The number of the last compute that was begun, the same on every rank in step.
    """

    def __init__(self) -> None:
        self.held = threading.RLock()
        self.turn = 0
        self._under_way = False

    def run(self, exchange: Callable[[], T]) -> T:
        """Return `exchange()`, called while only this thread exchanges messages in the group.

        Args:
            exchange: Calls `begin` before its first message and `end` when the ranks are in step.

        Raises:
            RuntimeError: An earlier exchange of this rank was interrupted.
            Exception: What `exchange` raised.
        """
        with self.held:
            if self._under_way:
                raise _interrupted()
            try:
                return exchange()
            except (DisagreementError, RemoteError, SyncTimeoutError):
                # All ranks raise; or the backend gave up, and knows whether it can go on.
                self.end()
                raise

    def begin(self, turn: int) -> None:
        """Record that the first message is about to be sent.

        Args:
            turn: `next_turn` for a compute; the current turn for messages that do not contain it.
        """
        self._under_way = True
        self.turn = turn

    def end(self) -> None:
        """Record that the ranks are in step: no message is outstanding."""
        self._under_way = False

    def end_mixed(self) -> None:
        """Record that the ranks met in different calls, so that not all of them count this turn."""
        self.turn = (self.turn - 1) % _NUMBERS
        self._under_way = False

    @property
    def next_turn(self) -> int:
        """The number that this rank gives to the exchange that it is about to begin."""
        return (self.turn + 1) % _NUMBERS

    # Messages after the first one say which exchange they belong to ------------------------------

    @property
    def stamp(self) -> bytes:
        """8 bytes that identify this exchange."""
        return stamp_of(self.turn)

    def check_turns(self, turns: Iterable[int]) -> None:
        """Refuse first messages of other exchanges.

        Args:
            turns: The numbers that all ranks gave to this exchange.

        Raises:
            OutOfStep: A rank gave another number.
        """
        if any(turn != self.turn for turn in turns):
            raise out_of_step()

    def check_stamps(self, stamps: Any) -> None:
        """Refuse messages of other exchanges.

        Args:
            stamps: The first bytes of the messages of this exchange.

        Raises:
            OutOfStep: A message has another stamp.
        """
        if any(bytes(stamp) != self.stamp for stamp in stamps):
            raise out_of_step()

    def check_failed(self, total: Any, ranks: int, turns: int) -> int:
        """Return how many ranks failed in a step.

        Args:
            total: The sum over the ranks, modulo 2^64, of `turns`, plus 1 for each failed rank.
            ranks: The number of ranks.
            turns: What each rank added for the turn.

        Raises:
            OutOfStep: A rank added another turn.
        """
        failed = (int(total) - ranks * turns) % _WORD
        if failed > ranks:
            raise out_of_step()
        return failed


def stamp_of(turn: int) -> bytes:
    """Return 8 bytes that identify the exchange of this number."""
    return _STAMP.pack(_MAGIC, turn)


def _interrupted() -> RuntimeError:
    return RuntimeError(
        "an earlier compute() was interrupted on this rank between two of its messages, and the "
        "other ranks wait for the second one. What was added is still there: save() keeps it. To "
        "go on, start the program again, or make a new group of ranks."
    )


def out_of_step() -> OutOfStep:
    """Return the error of a rank that received a message of another exchange."""
    return OutOfStep(
        "a message of another exchange arrived in place of one of this compute(): a rank was "
        "interrupted between two messages and went on. What was added is still there: save() "
        "keeps it. To go on, start the program again, or make a new group of ranks."
    )


# One lock for each group and rank: the ranks of a group may be threads.
_locks: WeakKeyDictionary[object, dict[int, GroupLock]] = WeakKeyDictionary()
_making = threading.RLock()


def _release_in_child() -> None:
    _locks.clear()  # the threads that held them stayed in the parent
    _making.release()


at_fork(
    before=_making.acquire,
    after_in_parent=_making.release,
    after_in_child=_release_in_child,
)


def lock_of(backend: BaseDistBackend, group: object = None) -> GroupLock:
    """Return this rank's lock of the backend's group.

    Args:
        backend: The backend.
        group: Its group, if the caller has asked for it already.
    """
    group, rank = backend.group if group is None else group, backend.rank
    with _making:
        found = _locks.setdefault(group, {})
        if rank not in found:
            found[rank] = GroupLock()
        return found[rank]
