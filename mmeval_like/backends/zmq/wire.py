"""What the ranks of a ZeroMQ group say to each other: messages, keys, and how long to listen."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import zmq
from zmq.utils import z85

from mmeval_like._wire.packing import Buffer

__all__ = ["PROTOCOL", "Deadline", "Keys", "Message"]

PROTOCOL = 1
"""Changes with the messages; compared when the ranks meet."""

_CHUNK = 1 << 22  # encryption copies a whole frame: small ones stay in the cache


@dataclass(frozen=True)
class Message:
    """One message: a header frame, then its parts, cut into frames of bounded size.

    Attributes:
        kind: "join", "call", "answer", "refused", "waiting" or "over".
        number: How many calls the group had made when this one began.
        text: What a call asks for, or JSON.
        parts: The payload.
    """

    kind: str
    number: int
    text: str = ""
    parts: Sequence[Buffer] = field(default_factory=list)

    def frames(self) -> list[Buffer]:
        """Return the frames to send."""
        views = [memoryview(part) for part in self.parts]
        header = json.dumps([self.kind, self.number, self.text, [view.nbytes for view in views]])
        pieces = [
            view[start : start + _CHUNK]
            for view in views
            for start in range(0, view.nbytes, _CHUNK)
        ]
        return [header.encode(), *pieces]

    @classmethod
    def read(cls, frames: Sequence[zmq.Frame]) -> Message:
        """Return the message in these frames."""
        kind, number, text, sizes = json.loads(frames[0].bytes)
        pieces = (memoryview(frame.buffer) for frame in frames[1:])
        return cls(kind, number, text, [_part(size, pieces) for size in sizes])


def _part(size: int, pieces: Iterator[memoryview]) -> Buffer:
    if size == 0:
        return b""
    if size <= _CHUNK:
        return next(pieces)
    whole = bytearray(size)
    for start in range(0, size, _CHUNK):
        whole[start : start + _CHUNK] = next(pieces)
    return whole


class Keys:
    """The CURVE key pairs of rank 0 (the server) and of all others (the clients).

    Both follow from the secret, so that who knows it can prove it, and nobody else can even
    begin: also the server's public key stays unknown.
    """

    def __init__(self, secret: str) -> None:
        raw = _derive(secret)
        self.server_secret, self.client_secret = z85.encode(raw[:32]), z85.encode(raw[32:])
        self.server_public = zmq.curve_public(self.server_secret)
        self.client_public = zmq.curve_public(self.client_secret)


@lru_cache(maxsize=1)
def _derive(secret: str) -> bytes:
    # Deliberately slow, for secrets that people choose.
    return hashlib.scrypt(secret.encode(), salt=b"mmeval_like.zmq", n=2**14, r=8, p=1, dklen=64)


class Deadline:
    """The time left for one exchange, spent in ticks."""

    def __init__(self, timeout: float | None) -> None:
        self._end = None if timeout is None else time.monotonic() + timeout
        # How often rank 0 looks for lost ranks and tells the others whom it waits for.
        self._tick = 1.0 if timeout is None else min(1.0, timeout / 4)

    @property
    def passed(self) -> bool:
        """Whether no time is left."""
        return self._end is not None and time.monotonic() >= self._end

    def wait(self, poller: zmq.Poller) -> list[Any]:
        """Return the sockets that have news; none after a tick, or when no time is left."""
        seconds = self._tick
        if self._end is not None:
            seconds = min(seconds, max(0.0, self._end - time.monotonic()))
        return [ready for ready, _ in poller.poll(int(seconds * 1000) + 1)]
