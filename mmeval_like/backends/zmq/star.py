"""A star of ZeroMQ sockets: every rank asks rank 0, which answers when all have asked."""

from __future__ import annotations

import os
import pickle
import traceback
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

import zmq

from mmeval_like._wire.packing import Buffer
from mmeval_like.backends.zmq.wire import Message
from mmeval_like.errors import DisagreementError, RemoteError, SyncTimeoutError, lost_partner

__all__ = ["AgreedError", "Answer", "Place", "Star"]

Answer: TypeAlias = Callable[[list[Sequence[Buffer]]], Sequence[Sequence[Buffer]]]
"""From the parts of every rank to the reply to every rank; runs on rank 0."""

_T = TypeVar("_T")

# Milliseconds. ZeroMQ's own thread answers heartbeats, also while Python computes.
_HEARTBEAT, _SILENCE = 5_000, 30_000
_LINGER = 2_000  # how long an ending process tries to send its last small messages


@dataclass(frozen=True)
class Place:
    """One process's place in a group, and where and how the group meets."""

    address: str
    port: int
    rank: int
    world_size: int
    secret: str = field(repr=False)  # so that no traceback that shows arguments has it
    timeout: float | None

    def endpoint(self, host: str) -> str:
        """Return ZeroMQ's name for our port at a host."""
        return f"tcp://[{host}]:{self.port}" if ":" in host else f"tcp://{host}:{self.port}"


class AgreedError(Exception):
    """Carries an error that every rank raises in step, so that the group goes on."""

    def __init__(self, error: Exception) -> None:
        self.error = error


class Star(ABC):
    """One rank's end of the group. An exchange that does not end, ends the group."""

    def __init__(self, place: Place, kind: int) -> None:
        self._place = place
        self._calls = 0
        self._doing = "joining the zmq group"
        self._over: Exception | None = None
        self._pid = os.getpid()
        context = zmq.Context()
        self._socket = context.socket(kind)
        self._socket.ipv6 = ":" in place.address
        # No limit is needed: every call waits for its answer, so no queue grows.
        self._socket.sndhwm = self._socket.rcvhwm = 0
        self._socket.heartbeat_ivl = _HEARTBEAT
        self._socket.heartbeat_timeout = self._socket.heartbeat_ttl = _SILENCE
        self._socket.linger = _LINGER
        self._context = context
        self._poller = zmq.Poller()
        self._poller.register(self._socket, zmq.POLLIN)
        # The sockets are also closed when the object is collected, and when Python ends.
        self.close = weakref.finalize(self, _close, context, self._pid)

    def meet(self) -> None:
        """Wait until all ranks are there."""
        try:
            self._guard(self._meet)
        except BaseException:
            self.close()
            raise

    def exchange(self, asked: str, parts: Sequence[Buffer], answer: Answer) -> Sequence[Buffer]:
        """Send this rank's parts to rank 0; return the reply that `answer` has for this rank.

        Args:
            asked: The operation and its arguments; the same on every rank.
            parts: This rank's bytes; they may change when the call has returned.
            answer: See `Answer`.

        Raises:
            DisagreementError: The ranks asked for different things. The group goes on.
            SyncTimeoutError: Some rank did not ask in time, or its process ended; names it. The
                group is over.
            RemoteError: Some rank was interrupted; names it. The group is over.
        """
        if self._over is not None:
            raise self._over
        if os.getpid() != self._pid:
            raise RuntimeError(
                "a forked process (for instance a worker of a data loader) cannot use the zmq "
                "group of its parent: compute in the parent, or for this process alone with "
                'dist_backend="non_dist"'
            )
        self._calls += 1
        self._doing = asked
        return self._guard(lambda: self._exchange(asked, parts, answer))

    def _guard(self, action: Callable[[], _T]) -> _T:
        try:
            return action()
        except AgreedError as agreed:
            raise agreed.error from None
        except BaseException as error:
            # Whatever the error was (an interrupt, a full memory), the ranks are out of step now.
            self._over = (
                error
                if isinstance(error, DisagreementError | RemoteError | SyncTimeoutError)
                else RemoteError([self._place.rank], [traceback.format_exc()])
            )
            self._tell(Message("over", self._calls, parts=[pickle.dumps(self._over)]))
            raise

    def _late(self, missing: Sequence[int]) -> SyncTimeoutError:
        return lost_partner(f"{self._doing}, given up after {self._place.timeout:g} s", missing)

    def _lost(self, ranks: Sequence[int]) -> SyncTimeoutError:
        return lost_partner(self._doing, ranks, "its process ended, or the network failed")

    @abstractmethod
    def _meet(self) -> None: ...

    @abstractmethod
    def _exchange(
        self, asked: str, parts: Sequence[Buffer], answer: Answer
    ) -> Sequence[Buffer]: ...

    @abstractmethod
    def _tell(self, message: Message) -> None:
        """Send the other ranks a message, as far as they can be reached."""


def _close(context: zmq.Context, pid: int) -> None:
    if os.getpid() == pid:  # a forked child must not close its parent's sockets
        context.destroy()
