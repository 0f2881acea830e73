"""The end of every rank but 0 of a ZeroMQ group: it asks rank 0 and waits for the answer."""

from __future__ import annotations

import json
import os
import pickle
import socket
from collections.abc import Sequence

import zmq
from zmq.utils.monitor import recv_monitor_message

from mmeval_like._wire.packing import Buffer
from mmeval_like.backends.zmq.star import AgreedError, Answer, Place, Star
from mmeval_like.backends.zmq.wire import PROTOCOL, Deadline, Keys, Message
from mmeval_like.errors import SyncTimeoutError, lost_partner

__all__ = ["Spoke"]

_REFUSALS = 20  # two seconds of refusals: the process that listens there is not merely about to end


class Spoke(Star):
    """The end of a rank other than 0."""

    def __init__(self, place: Place) -> None:
        super().__init__(place, zmq.DEALER)
        keys = Keys(place.secret)
        self._socket.curve_serverkey = keys.server_public
        self._socket.curve_publickey = keys.client_public
        self._socket.curve_secretkey = keys.client_secret
        self._monitor = self._socket.get_monitor_socket(
            zmq.EVENT_HANDSHAKE_SUCCEEDED | zmq.EVENT_DISCONNECTED
        )
        self._poller.register(self._monitor, zmq.POLLIN)
        self._connected = False
        self._refusals = 0

    def _meet(self) -> None:
        place = self._place
        self._socket.connect(place.endpoint(place.address))
        program = f"process {os.getpid()} on {socket.gethostname()}"
        who = json.dumps([PROTOCOL, place.rank, place.world_size, program])
        self._socket.send_multipart(Message("join", 0, who).frames())
        self._await_answer()

    def _exchange(self, asked: str, parts: Sequence[Buffer], answer: Answer) -> Sequence[Buffer]:
        self._tell(Message("call", self._calls, asked, parts))
        return self._await_answer()

    def _await_answer(self) -> Sequence[Buffer]:
        missing = [0]  # until rank 0 says for which ranks it waits
        deadline = Deadline(self._place.timeout)
        while True:
            ready = deadline.wait(self._poller)
            if self._socket in ready:
                message = Message.read(self._socket.recv_multipart(copy=False))
                if message.kind == "answer":
                    return message.parts
                if message.kind == "refused":
                    raise AgreedError(pickle.loads(message.parts[0]))
                if message.kind == "over":
                    self._socket.linger = 0  # rank 0 knows already
                    raise pickle.loads(message.parts[0])
                if message.number == self._calls:
                    missing = json.loads(message.text)
            # Messages that rank 0 sent before it ended come first.
            elif self._monitor in ready and not self._socket.poll(0):
                self._note(recv_monitor_message(self._monitor)["event"])
            elif deadline.passed:
                raise self._late(missing) if self._connected else self._unreachable()

    def _note(self, event: int) -> None:
        if event == zmq.EVENT_HANDSHAKE_SUCCEEDED:
            self._connected = True
            return
        self._refusals += 1
        if self._connected or self._refusals == _REFUSALS:
            self._socket.linger = 0  # no process is left to receive what is unsent
            raise self._lost([0]) if self._connected else self._refused()

    def _refused(self) -> ConnectionRefusedError:
        place = self._place
        return ConnectionRefusedError(
            f"rank {place.rank} was turned away {_REFUSALS} times at {place.address}:{place.port}: "
            f"rank 0 has another secret, or something else listens there"
        )

    def _unreachable(self) -> SyncTimeoutError:
        self._socket.linger = 0
        place = self._place
        return lost_partner(
            f"joining the zmq group at {place.address}:{place.port}, given up after "
            f"{place.timeout:g} s",
            [0],
            "nobody listens there, or the group is complete without this process",
        )

    def _tell(self, message: Message) -> None:
        self._socket.send_multipart(message.frames())
