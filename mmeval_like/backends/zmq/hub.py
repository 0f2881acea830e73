"""Rank 0's end of a ZeroMQ group: it admits the others, collects their calls and answers."""

from __future__ import annotations

import errno
import hmac
import json
import socket
import traceback
from collections.abc import Sequence
from functools import partial
from typing import Any

import zmq
from zmq.utils import z85

from mmeval_like.backends.wire.packing import Buffer
from mmeval_like.backends.zmq.place import Place
from mmeval_like.backends.zmq.star import LAST_WORDS, Answer, Reply, Star
from mmeval_like.backends.zmq.wire import Message, key_pairs, pack, unpack
from mmeval_like.errors import DisagreementError, RemoteError, lost_partner

__all__ = ["Hub"]


class Hub(Star):
    """Rank 0's end of the group."""

    def __init__(self, place: Place) -> None:
        super().__init__(place, zmq.ROUTER)
        mine, (client, _) = key_pairs(place.secret)
        self._client = z85.decode(client)
        self._socket.router_mandatory = True  # sending to a lost rank is an error
        self._socket.curve_server = True
        self._socket.curve_publickey, self._socket.curve_secretkey = mine
        self._socket.linger = LAST_WORDS
        # ZeroMQ asks this socket whether a process may connect. Once the socket is closed, as when
        # a group is left, no process may: a rank that joins again would connect to the group that
        # is ending, and would mistake that end for the loss of rank 0.
        self._socket.zap_domain, self._socket.zap_enforce_domain = b"mmeval_like", True
        self._door = self._context.socket(zmq.REP)
        self._sockets.append(self._door)
        self._ranks: dict[bytes, int] = {}  # by ZeroMQ's name of the connection
        self._programs: dict[int, str] = {}
        self._problems: list[str] = []

    def _open(self) -> None:
        place = self._place
        self._door.bind("inproc://zeromq.zap.01")
        self._poller.register(self._door, zmq.POLLIN)
        host = place.address if ":" in place.address else socket.gethostbyname(place.address)
        try:
            # The port is bound to one address where possible. An address that is not this machine's
            # own belongs to a forwarder (a container's service), which may connect from anywhere.
            try:
                self._socket.bind(place.endpoint(host))
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

    def _exchange(self, asked: str, parts: Sequence[Buffer], answer: Answer) -> Reply:
        # Rank 0's own parts are copied: a slow rank may receive them after this call has ended.
        calls = self._collect({0: ("call", asked, [bytes(part) for part in parts])})
        if self._door in self._poller:
            # From here on, no process can join: the socket stays bound, but never answers.
            # (Unbinding it would cut the existing connections.)
            self._poller.unregister(self._door)
        if difference := _difference([text for _, text, _ in calls]):
            self._tell("answer", difference)
            return difference
        try:
            replies = answer([sent for _, _, sent in calls])
        except Exception as error:
            self._tell("answer", RemoteError([0], [traceback.format_exc()]))
            return error
        sending = {
            rank: self._send(peer, pack("answer", None, replies[rank]))
            for peer, rank in self._ranks.items()
        }
        self._await_sent(sending)
        return replies[0]

    def _await_sent(self, sending: dict[int, zmq.MessageTracker | None]) -> None:
        """Wait until all answers have left this process.

        ZeroMQ reads large frames from our memory, and frames that are unsent when the process ends
        are lost. Ranks that have their answer and make the next call are told which ranks rank 0 is
        waiting for.
        """
        every, late = zmq.MessageTracker(*filter(None, sending.values())), [0]
        for tick in self._ticks():
            try:
                every.wait(tick)
            except zmq.NotDone:
                late = [rank for rank, sent in sending.items() if sent and not sent.done]
                self._tell("waiting", late)
            else:
                if late != [0]:
                    self._tell("waiting", [0])
                return
        raise self._late(late)

    def _collect(self, calls: dict[int, Message]) -> list[Message]:
        """Return every rank's call; admit processes that ask to join."""
        ranks = range(self._place.world_size)
        missing: Sequence[int] = ranks[1:]
        for tick in self._ticks():
            ready = self._news(tick)
            if self._door in ready:
                self._admit()
            if self._socket in ready:
                peer, *frames = self._socket.recv_multipart(copy=False)
                message = unpack(frames)
                if message is None:
                    continue
                if message[0] == "over":
                    raise message[1]
                if self._door in self._poller and message[1] == self._doing:
                    self._register(peer.bytes, message[2][0])
                elif peer.bytes not in self._ranks:  # a call in a group that this rank has left
                    left = lost_partner(message[1], [0], "it has left the group")
                    self._send(peer.bytes, pack("over", left))
                if peer.bytes in self._ranks:  # no other process can have called
                    calls[self._ranks[peer.bytes]] = message
            missing = [rank for rank in ranks if rank not in calls]
            # A rank that called and then gave up says so in a second message.
            if not (missing or self._problems or self._socket.poll(0)):
                return [calls[rank] for rank in ranks]
            if not ready:
                self._look_for(missing)
        raise self._late(missing)

    def _admit(self) -> None:
        # https://rfc.zeromq.org/spec/27/
        version, request, _, _, _, mechanism, *credentials = self._door.recv_multipart()
        known = mechanism == b"CURVE" and hmac.compare_digest(credentials[0], self._client)
        status = [b"200", b"OK"] if known else [b"400", b"not a member of this group"]
        self._door.send_multipart([version, request, *status, b"", b""])

    def _register(self, peer: bytes, who: Buffer) -> None:
        rank, world_size, program = json.loads(bytes(who))
        size = self._place.world_size
        if world_size != size:
            self._problems.append(
                f"rank {rank} ({program}) was started for {world_size} ranks, rank 0 for {size}"
            )
        elif rank in self._programs:
            self._problems.append(
                f"two processes are rank {rank}: {self._programs[rank]} and {program}"
            )
        self._programs.setdefault(rank, program)
        self._ranks[peer] = rank

    def _look_for(self, missing: Sequence[int]) -> None:
        # Other ranks may have been about to connect: each of these is told what is wrong.
        if self._problems:
            raise DisagreementError("; ".join(self._problems))
        news = pack("waiting", list(missing))
        if lost := [rank for peer, rank in self._ranks.items() if self._send(peer, news) is None]:
            raise self._lost(lost)

    def _tell(self, kind: str, content: Any) -> None:
        for peer in self._ranks:
            self._send(peer, pack(kind, content))

    def _send(self, peer: bytes, frames: Sequence[Buffer]) -> zmq.MessageTracker | None:
        """Begin to send; return the tracker of the message, None if the rank is unreachable."""
        flags = [*[zmq.SNDMORE] * len(frames), 0]
        try:
            sent = map(partial(self._socket.send, copy=False, track=True), [peer, *frames], flags)
            return zmq.MessageTracker(*sent)
        except zmq.ZMQError as error:
            if error.errno != errno.EHOSTUNREACH:
                raise
            return None


def _difference(asked: Sequence[str]) -> DisagreementError | None:
    """Return the error if the ranks asked for different operations, or None."""
    if len(set(asked)) == 1:
        return None
    ranks_of = {text: [r for r, other in enumerate(asked) if other == text] for text in asked}
    calls = "; ".join(f"ranks {ranks}: {text}" for text, ranks in ranks_of.items())
    return DisagreementError(f"the ranks met in one exchange, but called {calls}")
