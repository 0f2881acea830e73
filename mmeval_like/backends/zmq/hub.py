"""Rank 0's end of a ZeroMQ group: it lets the others in, collects their calls and answers."""

from __future__ import annotations

import errno
import hmac
import json
import pickle
import socket
import traceback
from collections.abc import Sequence
from contextlib import suppress

import zmq
from zmq.utils import z85

from mmeval_like._wire.packing import Buffer
from mmeval_like.backends.zmq.star import AgreedError, Answer, Place, Star
from mmeval_like.backends.zmq.wire import PROTOCOL, Deadline, Keys, Message
from mmeval_like.errors import DisagreementError, RemoteError

__all__ = ["Hub"]

_COPIED = 1 << 16  # bytes; ZeroMQ copies smaller frames, which is faster than to share them
_TICK = 0.1  # seconds to wait for a frame before the time limit is checked


class Hub(Star):
    """Rank 0's end of the group."""

    def __init__(self, place: Place) -> None:
        super().__init__(place, zmq.ROUTER)
        keys = Keys(place.secret)
        self._client = z85.decode(keys.client_public)
        self._socket.router_mandatory = True  # sending to a lost rank is an error
        self._socket.curve_server = True
        self._socket.curve_secretkey = keys.server_secret
        self._socket.curve_publickey = keys.server_public
        # ZeroMQ asks at this socket whether a process may connect.
        self._door = self._context.socket(zmq.REP)
        self._door.linger = 0
        self._peers: dict[int, bytes] = {}  # rank -> ZeroMQ's name of its connection
        self._programs: dict[int, str] = {}
        self._problems: list[str] = []
        # Large frames that are still being sent, each with its receiver.
        self._sending: list[tuple[int, zmq.MessageTracker]] = []

    def _meet(self) -> None:
        self._door.bind("inproc://zeromq.zap.01")
        self._poller.register(self._door, zmq.POLLIN)
        self._bind()
        deadline = Deadline(self._place.timeout)
        while (missing := self._absent()) or self._problems:
            ready = deadline.wait(self._poller)
            if self._door in ready:
                self._admit()
            if self._socket in ready:
                self._register()
            # More ranks may be about to connect: each of them is told what is wrong.
            if self._problems and (not ready or deadline.passed):
                raise DisagreementError("; ".join(self._problems))
            if deadline.passed and self._absent():
                raise self._late(self._absent())
            if not ready:
                self._look_for(missing)
        # From here on no process can join: the socket stays bound, and nobody answers. (To unbind
        # it would cut the existing connections.)
        self._poller.unregister(self._door)
        self._tell(Message("answer", 0))

    def _bind(self) -> None:
        place = self._place
        family = socket.AF_INET6 if ":" in place.address else socket.AF_INET
        host = socket.getaddrinfo(place.address, place.port, family, socket.SOCK_STREAM)[0][4][0]
        try:
            # The port is opened no wider than needed. An address that is not this machine's own
            # belongs to a forwarder (a container's service), which may connect from anywhere.
            try:
                self._socket.bind(place.endpoint(str(host)))
            except zmq.ZMQError as error:
                if error.errno not in (errno.EADDRNOTAVAIL, errno.ENODEV):
                    raise
                self._socket.bind(place.endpoint("*"))
        except zmq.ZMQError as error:
            raise OSError(
                error.errno,
                f"rank 0 cannot listen at {place.address}:{place.port} ({error}). Is another rank "
                f"0 or another program there (torchrun keeps MASTER_PORT for itself)? Give all "
                f"ranks another port=",
            ) from error

    def _admit(self) -> None:
        # https://rfc.zeromq.org/spec/27/
        version, request, _, _, _, mechanism, *credentials = self._door.recv_multipart()
        known = mechanism == b"CURVE" and hmac.compare_digest(credentials[0], self._client)
        status = [b"200", b"OK"] if known else [b"400", b"not a member of this group"]
        self._door.send_multipart([version, request, *status, b"", b""])

    def _register(self) -> None:
        peer, message = self._receive()
        protocol, rank, world_size, program = json.loads(message.text)
        problem = None
        if protocol != PROTOCOL:
            problem = f"rank {rank} ({program}) has another version of mmeval_like than rank 0"
        elif world_size != self._place.world_size:
            problem = (
                f"rank {rank} ({program}) was started for {world_size} ranks, "
                f"rank 0 for {self._place.world_size}"
            )
        elif rank in self._peers:
            problem = f"two processes are rank {rank}: {self._programs[rank]} and {program}"
        if problem is not None:
            self._problems.append(problem)
            rank = -len(self._problems)  # it is not a member, but it is told why
        self._programs[rank] = program
        self._peers[rank] = peer

    def _absent(self) -> list[int]:
        return [rank for rank in range(1, self._place.world_size) if rank not in self._peers]

    def _exchange(self, asked: str, parts: Sequence[Buffer], answer: Answer) -> Sequence[Buffer]:
        ranks = range(self._place.world_size)
        rank_of = {peer: rank for rank, peer in self._peers.items()}
        # Rank 0's own parts are copied: a stopped rank may receive them after this call has ended.
        calls = {0: Message("call", self._calls, asked, [bytes(part) for part in parts])}
        deadline = Deadline(self._place.timeout)
        while missing := [rank for rank in ranks if rank not in calls]:
            if deadline.passed:
                raise self._late(missing)
            if not deadline.wait(self._poller):
                self._look_for(missing)
                continue
            peer, message = self._receive()
            if peer in rank_of:  # any other process connected after all ranks were there
                calls[rank_of[peer]] = message
        # A second message from a rank that has called can only say that the rank gave up.
        while self._socket.poll(0):
            self._receive()
        self._compare([calls[rank] for rank in ranks])
        try:
            replies = answer([calls[rank].parts for rank in ranks])
        except Exception as error:
            self._refuse(RemoteError([0], [traceback.format_exc()]))
            raise AgreedError(error) from None
        for rank in self._peers:
            self._send(rank, Message("answer", self._calls, parts=replies[rank]))
        self._flush(deadline)
        return replies[0]

    def _compare(self, calls: Sequence[Message]) -> None:
        asked: dict[str, list[int]] = {}
        for rank, call in enumerate(calls):
            asked.setdefault(call.text, []).append(rank)
        if len(asked) > 1:
            calls_of = "; ".join(f"ranks {ranks}: {text}" for text, ranks in asked.items())
            error = DisagreementError(f"the ranks met in one exchange, but called {calls_of}")
            self._refuse(error)
            raise AgreedError(error)

    def _refuse(self, error: Exception) -> None:
        self._tell(Message("refused", self._calls, parts=[pickle.dumps(error)]))

    def _look_for(self, missing: Sequence[int]) -> None:
        news = Message("waiting", self._calls, json.dumps(list(missing)))
        lost = [rank for rank in self._peers if not self._send(rank, news)]
        if lost:
            raise self._lost(lost)

    def _tell(self, message: Message) -> None:
        for rank in self._peers:
            self._send(rank, message)

    def _send(self, rank: int, message: Message) -> bool:
        frames = [
            zmq.Frame(piece, copy=False, track=True) if len(piece) > _COPIED else piece
            for piece in message.frames()
        ]
        self._sending += [(rank, f.tracker) for f in frames if isinstance(f, zmq.Frame)]
        try:
            self._socket.send_multipart([self._peers[rank], *frames], copy=False)
        except zmq.ZMQError as error:
            if error.errno != errno.EHOSTUNREACH:
                raise
            return False
        return True

    def _flush(self, deadline: Deadline) -> None:
        """Wait until the answers are sent: what a process has not sent at its end may be lost."""
        while self._sending:
            if deadline.passed:
                raise self._late(sorted({rank for rank, _ in self._sending}))
            with suppress(zmq.NotDone):
                self._sending[0][1].wait(_TICK)
            self._sending = [entry for entry in self._sending if not entry[1].done]

    def _receive(self) -> tuple[bytes, Message]:
        peer, *frames = self._socket.recv_multipart(copy=False)
        message = Message.read(frames)
        if message.kind == "over":
            raise pickle.loads(message.parts[0])
        return peer.bytes, message
