"""A star of ZeroMQ sockets: every rank calls rank 0, which answers when all have called."""

from __future__ import annotations

import json
import math
import os
import socket
import time
import traceback
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, TypeAlias

import zmq

from mmeval_like.backends.forks import inherited
from mmeval_like.backends.wire.packing import Buffer
from mmeval_like.backends.zmq.place import Place
from mmeval_like.backends.zmq.wire import MAX_FRAME
from mmeval_like.errors import DisagreementError, RemoteError, SyncTimeoutError, lost_partner

__all__ = ["LAST_WORDS", "Answer", "Reply", "Star"]

Answer: TypeAlias = Callable[[list[Sequence[Buffer]]], Sequence[Sequence[Buffer]]]
"""Maps the parts of every rank to the reply for every rank; runs on rank 0."""

Reply: TypeAlias = Sequence[Buffer] | Exception
"""What rank 0 replies to a rank; or an error that all ranks raise and that keeps the group."""

# Milliseconds. ZeroMQ's own thread answers heartbeats, also while Python computes.
_HEARTBEAT, _SILENCE = 5_000, 30_000
LAST_WORDS = 2_000
"""The time for which an ending process tries to send its last small messages."""


class Star(ABC):
    """One rank's end of the group. An exchange that fails to complete ends the group."""

    def __init__(self, place: Place, kind: int) -> None:
        self._place = place
        self._doing = ""
        self._over: BaseException | None = None
        self._connected = True
        self._pid = os.getpid()
        self._context = zmq.Context()
        self._context.linger = 0
        # The sockets are also closed when this object is collected, and when Python ends; sockets
        # that a forked process inherits stay as they are. The context refers to its sockets only
        # weakly: if they were collected together with this object, which can be part of a cycle
        # through an error that it keeps, the context would not close them, but wait forever.
        self._sockets: list[Any] = []
        self.close = weakref.finalize(self, _close, self._context, self._sockets)
        self._socket = self._context.socket(kind)
        self._sockets.append(self._socket)
        self._socket.ipv6 = ":" in place.address
        self._socket.set_hwm(0)  # every call waits for its answer, so no queue grows
        self._socket.maxmsgsize = MAX_FRAME
        self._socket.heartbeat_ivl = _HEARTBEAT
        self._socket.heartbeat_timeout = self._socket.heartbeat_ttl = _SILENCE
        self._poller = zmq.Poller()
        self._poller.register(self._socket, zmq.POLLIN)

    def meet(self) -> None:
        """Wait until all ranks have joined."""
        program = f"process {os.getpid()} on {socket.gethostname()}"
        who = json.dumps([self._place.rank, self._place.world_size, program])
        try:
            self._open()
            self.exchange("joining the zmq group", [who.encode()], lambda calls: [()] * len(calls))
        except BaseException:
            self.close()
            raise

    def exchange(self, asked: str, parts: Sequence[Buffer], answer: Answer) -> Sequence[Buffer]:
        """Send this rank's parts to rank 0; return the reply of `answer` to this rank.

        Args:
            asked: The operation and its arguments; the same on every rank.
            parts: This rank's bytes; they may change once the call has returned.
            answer: See `Answer`.

        Raises:
            DisagreementError: The ranks asked for different operations. The group continues.
            SyncTimeoutError: Some rank did not call in time, or its process ended; the error names
                it. The group has ended.
            RemoteError: Some rank was interrupted; the error names it. The group has ended.
        """
        if self._over is not None:
            raise self._over
        if os.getpid() != self._pid:
            raise inherited("zmq")
        self._doing = asked
        try:
            reply = self._exchange(asked, parts, answer)
        except BaseException as error:
            # After any error (an interrupt, exhausted memory), the ranks are out of step.
            known = isinstance(error, DisagreementError | RemoteError | SyncTimeoutError)
            trace = traceback.format_exc()
            self._over = error if known else RemoteError([self._place.rank], [trace])
            if self._connected:
                self._socket.linger = LAST_WORDS
                # An interrupted receive would read the next frames as its own.
                for _ in range(1 if known else 2):
                    self._tell("over", self._over)
            raise
        if isinstance(reply, Exception):
            raise reply
        return reply

    def _ticks(self) -> Iterator[float]:
        """Yield the number of seconds to wait next, until the time limit is reached."""
        timeout = math.inf if self._place.timeout is None else self._place.timeout
        # The period at which rank 0 looks for lost ranks and tells the others for whom it waits.
        tick, end = min(1.0, timeout / 4), time.monotonic() + timeout
        while (left := end - time.monotonic()) > 0:
            yield min(tick, left)

    def _news(self, seconds: float) -> Collection[Any]:
        """Return the sockets with incoming messages, possibly none after this number of seconds."""
        return dict(self._poller.poll(int(1000 * seconds) + 1))

    def _late(self, missing: Sequence[int], detail: str = "") -> SyncTimeoutError:
        doing = f"{self._doing}, given up after {self._place.timeout:g} s"
        return lost_partner(doing, missing, detail)

    def _lost(self, ranks: Sequence[int]) -> SyncTimeoutError:
        return lost_partner(self._doing, ranks, "its process ended, or the network failed")

    @abstractmethod
    def _open(self) -> None:
        """Begin to listen, or to connect."""

    @abstractmethod
    def _exchange(self, asked: str, parts: Sequence[Buffer], answer: Answer) -> Reply: ...

    @abstractmethod
    def _tell(self, kind: str, content: Any) -> None:
        """Send the other ranks a message, as far as they can be reached."""


def _close(context: zmq.Context[Any], sockets: list[Any]) -> None:
    """Close a context and its sockets, which this function's arguments keep alive until then."""
    context.destroy()
    sockets.clear()
