"""The messages of a ZeroMQ group as frames, and the keys that encrypt them."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any, TypeAlias

import zmq
from zmq.utils import z85

from mmeval_like.backends.wire.packing import Buffer

__all__ = ["MAX_FRAME", "Message", "key_pairs", "pack", "unpack"]

Message: TypeAlias = tuple[str, Any, Sequence[Buffer]]
"""The kind of the message, its content, and its parts:

- "call" of another rank to rank 0: the operation and its arguments; the rank's bytes.
- "answer" of rank 0: None or the error that every rank raises; the bytes for this rank.
- "waiting" of rank 0: the ranks whose calls are missing, or to which an answer is still to be sent;
  [0] once there are none left.
- "over" of any rank: the error that ends the group.
"""

# Encryption copies a whole frame; small frames stay in the cache. Also, a frame that takes longer
# to arrive than the timeout of a heartbeat looks like a lost peer.
_CHUNK = 1 << 22
MAX_FRAME = 4 * _CHUNK
"""No frame is longer, in bytes: a stranger, who may send one, cannot fill the memory with it."""

_SALT = b"mmeval_like.zmq 2"  # changes with the messages: other versions have other keys


def _chunks(size: int) -> list[slice]:
    return [slice(start, min(start + _CHUNK, size)) for start in range(0, size, _CHUNK)]


def pack(kind: str, content: Any = None, parts: Sequence[Buffer] = ()) -> list[Buffer]:
    """Return the frames of a message: its content, then its parts in frames of bounded size."""
    views = [memoryview(part) for part in parts]
    chunks = [view[chunk] for view in views for chunk in _chunks(view.nbytes)]
    return [pickle.dumps((kind, content, [view.nbytes for view in views])), *chunks]


def unpack(frames: Sequence[zmq.Frame]) -> Message | None:
    """Return the message in these frames; None if a signal interrupted the sender.

    In that case, the frames of the sender's next message are at the end of this one.
    """
    if frames[0].bytes[:1] != pickle.PROTO:
        return None
    kind, content, sizes = pickle.loads(frames[0].buffer)
    expected = [chunk.stop - chunk.start for size in sizes for chunk in _chunks(size)]
    if [len(frame) for frame in frames[1:]] != expected:
        return None
    whole = memoryview(bytearray().join([frame.buffer for frame in frames[1:]]))
    ends = accumulate(sizes)
    return kind, content, [whole[end - size : end] for size, end in zip(sizes, ends, strict=True)]


@lru_cache(maxsize=1)
def key_pairs(secret: str) -> tuple[tuple[bytes, bytes], tuple[bytes, bytes]]:
    """Return the public and secret CURVE keys of rank 0, and those that all other ranks share.

    Both pairs are derived from the secret, so that only a process that knows it can authenticate,
    or can even begin a handshake: rank 0's public key is not public either.
    """
    # Deliberately slow, for secrets that people choose.
    raw = hashlib.scrypt(secret.encode(), salt=_SALT, n=2**14, r=8, p=1, dklen=64)
    zero, others = z85.encode(raw[:32]), z85.encode(raw[32:])
    return (zmq.curve_public(zero), zero), (zmq.curve_public(others), others)
