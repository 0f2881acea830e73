"""The end of the other ranks of a ZeroMQ group: it calls rank 0 and waits for the answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import zmq
from zmq.utils.monitor import recv_monitor_message

from mmeval_like.backends.wire.packing import Buffer
from mmeval_like.backends.zmq.place import Place
from mmeval_like.backends.zmq.star import Answer, Reply, Star
from mmeval_like.backends.zmq.wire import key_pairs, pack, unpack

__all__ = ["Spoke"]

_REFUSALS = 20  # two seconds of refusals: the process that listens there is not merely about to end


class Spoke(Star):
    """The end of a rank other than 0."""

    def __init__(self, place: Place) -> None:
        super().__init__(place, zmq.DEALER)
        # ZeroMQ never connects again to a peer that broke the protocol: a send would wait forever.
        self._socket.sndtimeo = 0
        (server, _), mine = key_pairs(place.secret)
        self._socket.curve_serverkey = server
        self._socket.curve_publickey, self._socket.curve_secretkey = mine
        self._monitor = self._socket.get_monitor_socket(
            zmq.EVENT_HANDSHAKE_SUCCEEDED | zmq.EVENT_DISCONNECTED | zmq.EVENT_CONNECT_RETRIED
        )
        self._sockets.append(self._monitor)
        self._poller.register(self._monitor, zmq.POLLIN)
        self._connected = False
        self._refusals, self._retries = 0, True

    def _open(self) -> None:
        self._socket.connect(self._place.endpoint(self._place.address))

    def _exchange(self, asked: str, parts: Sequence[Buffer], answer: Answer) -> Reply:
        if not self._send(pack("call", asked, parts)):
            raise self._lost([0]) if self._connected else self._refused()
        missing = [0]  # until rank 0 says for which ranks it waits
        for tick in self._ticks():
            ready = self._news(tick)
            if self._socket in ready:
                message = unpack(self._socket.recv_multipart(copy=False))
                if message is None:
                    continue
                if not self._connected:
                    self._skip_to_handshake()
                kind, content, reply = message
                if kind == "answer":
                    return content or reply
                if kind == "over":
                    self._connected = False  # rank 0 need not know
                    raise content
                missing = content
            # Messages that rank 0 sent before it ended are read first.
            elif self._monitor in ready and not self._socket.poll(0):
                self._note(recv_monitor_message(self._monitor)["event"])
            elif not (ready or self._retries):
                raise self._refused()
        where = f"{self._place.address}:{self._place.port}"
        detail = f"no process listens at {where}, or the group is complete without this process"
        raise self._late(missing, "" if self._connected else detail)

    def _note(self, event: int) -> None:
        self._retries = event != zmq.EVENT_DISCONNECTED
        if self._retries:
            self._connected |= event == zmq.EVENT_HANDSHAKE_SUCCEEDED
            return
        if self._connected:
            self._connected = False
            raise self._lost([0])
        self._refusals += 1
        if self._refusals == _REFUSALS:
            raise self._refused()

    def _skip_to_handshake(self) -> None:
        # A message was read before the events that precede it: refusals, and the handshake.
        while recv_monitor_message(self._monitor)["event"] != zmq.EVENT_HANDSHAKE_SUCCEEDED:
            pass
        self._connected = True

    def _refused(self) -> ConnectionRefusedError:
        place = self._place
        return ConnectionRefusedError(
            f"rank {place.rank} was turned away at {place.address}:{place.port}: rank 0 has a "
            f"different secret or version of mmeval_like, or something else listens there"
        )

    def _tell(self, kind: str, content: Any) -> None:
        self._send(pack(kind, content))

    def _send(self, frames: Sequence[Buffer]) -> bool:
        """Begin to send; return whether there is a connection, or one is being made."""
        try:
            self._socket.send_multipart(frames)
        except zmq.Again:
            return False
        return True
