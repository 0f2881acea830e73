"""Groups over ZeroMQ when a rank goes wrong: every rank learns which, and nobody waits for ever."""

import os
import socket
import threading
import time
from contextlib import suppress

import numpy as np
import pytest

from mmeval_like import Accuracy
from mmeval_like.errors import DisagreementError, RemoteError, SyncTimeoutError
from tests.backends.zmq_groups import SECRET, close, dial, group, on_all, together
from tests.helpers import requires
from tests.helpers.spawn import free_port

requires("zmq")

import zmq  # noqa: E402

from mmeval_like.backends.zmq import ZmqDist, wire  # noqa: E402
from mmeval_like.backends.zmq.spoke import Spoke  # noqa: E402

pytestmark = pytest.mark.usefixtures("no_launcher")


def test_a_rank_that_never_comes_is_named_on_every_rank():
    """The rendezvous ends in time, with the missing ranks in the text."""
    ranks = group(4, timeout=1.0)

    first, _, third = on_all([ranks[0], ranks[1], ranks[3]], "connect")

    for error in (first, third):
        assert isinstance(error, SyncTimeoutError)
        assert "joining the zmq group" in str(error)
        assert "rank 2" in str(error)


def test_rank_0_that_never_comes_is_named():
    """Where nobody listens, the others say where they looked."""
    (error,) = on_all(group(2, timeout=0.5)[1:], "connect")

    assert isinstance(error, SyncTimeoutError)
    assert "no answer from rank 0" in str(error)
    assert "127.0.0.1:" in str(error)


@pytest.mark.parametrize("missing", [0, 2])
def test_a_rank_that_never_calls_is_named_on_every_rank(missing):
    """Those who wait get the name; the late one gets the error, too; the group is over."""
    ranks = group(3, timeout=1.0)
    on_all(ranks, "connect")
    present = [rank for rank in ranks if rank.rank != missing]

    errors = on_all(present, "all_gather_object", 1)
    # The others' calls are all there; that they gave up may still be on its way to rank 0.
    on_all([ranks[missing]], "barrier")

    for error in errors + on_all(ranks, "barrier"):
        assert isinstance(error, SyncTimeoutError)
        assert f"rank {missing}" in str(error)
    close(ranks)


def test_a_closed_group_meets_anew():
    """After an error, close() and the next call form the group again."""
    ranks = group(2, timeout=0.3)
    on_all(ranks, "connect")
    assert isinstance(on_all(ranks[:1], "barrier")[0], SyncTimeoutError)
    close(ranks)

    ranks = [ZmqDist(*rank._given[:4], secret=SECRET, timeout=20.0) for rank in ranks]
    assert on_all(ranks, "all_gather_object", 5) == [[5, 5], [5, 5]]
    close(ranks)
    assert on_all(ranks, "all_gather_object", 6) == [[6, 6], [6, 6]]
    close(ranks)


def test_two_processes_of_one_rank():
    """All ranks learn which rank was started twice, and by whom."""
    for error in on_all(group(4, rank=[0, 1, 1, 2]), "connect"):
        assert isinstance(error, DisagreementError)
        assert f"two processes are rank 1: process {os.getpid()} on " in str(error)


def test_groups_of_different_size():
    """All ranks learn who counts differently."""
    for error in on_all(group(3, world_size=[3, 3, 4]), "connect"):
        assert isinstance(error, DisagreementError)
        assert "was started for 4 ranks, rank 0 for 3" in str(error)


def test_port_in_use():
    """Rank 0 says what to change."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        ranks = group(2, port=server.getsockname()[1])
        with pytest.raises(OSError, match="another port="):
            ranks[0].connect()


def test_different_calls_are_named_and_the_group_goes_on():
    """Ranks in different collectives get one error that names both; later calls work."""
    ranks = group(3)

    errors = together(
        [
            lambda: ranks[0].all_gather_bytes(b"ab"),
            lambda: ranks[1].broadcast_bytes(b"ab", 2, 1),
            lambda: ranks[2].all_gather_bytes(b"ab"),
        ]
    )

    for error in errors:
        assert isinstance(error, DisagreementError)
        assert "ranks [0, 2]: all_gather_bytes of 2 bytes" in str(error)
        assert "ranks [1]: broadcast_bytes of 2 bytes from rank 1" in str(error)
    assert on_all(ranks, "all_gather_object", 1) == [[1, 1, 1]] * 3
    close(ranks)


def test_after_a_disagreement_the_ranks_agree_again():
    """A compute that met another call is made again, alike on all ranks: it is right at once."""
    ranks = group(3)
    metrics = [Accuracy(dist_backend=rank) for rank in ranks]
    for metric in metrics:
        metric.add([1, 0], [1, 1])
    calls = [metrics[0].compute, *(lambda r=r: r.all_reduce(np.ones(3)) for r in ranks[1:])]

    assert [type(error) for error in together(calls)] == [DisagreementError] * 3
    for _ in range(2):
        assert on_all(metrics, "compute") == [{"top1": 0.5}] * 3
    close(ranks)


def test_different_arrays_are_named():
    """Reductions of different length or type are an error on every rank."""
    ranks = group(2)

    errors = together([lambda r=r: r.all_reduce(np.ones(2 + r.rank)) for r in ranks])

    for error in errors:
        assert isinstance(error, DisagreementError)
        assert "3 <f8 by sum" in str(error)
    close(ranks)


def test_a_failure_at_rank_0_reaches_the_others():
    """An exception in the combining is rank 0's own, and the others' RemoteError."""
    ranks = group(2)

    def fail(calls):
        raise ZeroDivisionError("combining failed")

    mine, theirs = on_all(ranks, "_exchange", "a test", [], fail)

    assert isinstance(mine, ZeroDivisionError)
    assert isinstance(theirs, RemoteError)
    assert theirs.ranks == [0]
    assert "combining failed" in str(theirs)
    assert on_all(ranks, "all_gather_object", 1) == [[1, 1]] * 2
    close(ranks)


@pytest.mark.parametrize("interrupted", [0, 1])
@pytest.mark.parametrize("sent", [1, 2, 4, 7])
def test_a_signal_between_two_frames_of_a_message(interrupted, sent, monkeypatch):
    """No rank takes the part that arrived for the whole: all hear of it, and nobody waits."""
    monkeypatch.setattr(wire, "_CHUNK", 1000)
    ranks = group(3)
    on_all(ranks, "connect")
    interrupt_after(sent, ranks[interrupted], monkeypatch)

    errors = on_all(ranks, "all_gather_bytes", bytes(6500))

    assert isinstance(errors.pop(interrupted), KeyboardInterrupt)
    for error in errors:
        assert isinstance(error, RemoteError), error
        assert error.ranks == [interrupted]
    close(ranks)


def test_a_signal_on_a_rank_that_was_slow_to_join(monkeypatch):
    """The others hear of it, although the answer came before the news of its own handshake."""
    ranks, news, slept = group(2), Spoke._news, []

    def late(spoke, tick):
        if not slept:
            slept.append(time.sleep(1))
        return news(spoke, tick)

    monkeypatch.setattr(Spoke, "_news", late)
    on_all(ranks, "connect")
    interrupt_after(1, ranks[1], monkeypatch)

    error, interrupted = on_all(ranks, "all_gather_bytes", bytes(10))

    assert isinstance(interrupted, KeyboardInterrupt)
    assert isinstance(error, RemoteError), error
    close(ranks)


def test_a_rank_that_was_turned_away_before_it_joined(monkeypatch):
    """Its refusals, of which it reads only when the answer has come, are no loss of rank 0."""
    ranks, news, answers = group(2), Spoke._news, []
    ending = socket.create_server(("127.0.0.1", ranks[0]._given[1]))

    def late(spoke, tick):
        if not answers:
            with ending:
                ending.accept()[0].close()
            ranks[0].connect()
            answers.append(spoke._socket.poll(1000 * 20))
        return news(spoke, tick)

    monkeypatch.setattr(Spoke, "_news", late)

    assert on_all(ranks[1:], "connect") == [None]
    late_one = lambda: time.sleep(1) or ranks[0].all_gather_object(1)  # noqa: E731
    assert together([late_one, lambda: ranks[1].all_gather_object(1)]) == [[1, 1]] * 2
    close(ranks)


def test_noise_in_a_connection_between_two_calls():
    """ZeroMQ gives the connection up for good; the rank does not wait for ever to send."""
    port, links = free_port(), []

    def pump(source, target):
        with source, target, suppress(OSError):
            while data := source.recv(1 << 16):
                target.sendall(data)

    def forward():
        links.extend([proxy.accept()[0], dial(port)])
        together([lambda: pump(*links), lambda: pump(*links[::-1])])

    with socket.create_server(("127.0.0.1", 0)) as proxy:
        ranks = group(2, ports=[port, proxy.getsockname()[1]])
        forwarding = threading.Thread(target=forward)
        forwarding.start()
        on_all(ranks, "connect")
        links[0].sendall(b"noise" * 99)
        while ranks[1]._star._socket.poll(0, zmq.POLLOUT):
            time.sleep(0.01)

        for error in on_all(ranks, "all_gather_object", 1):
            assert isinstance(error, SyncTimeoutError), error
        close(ranks)
        forwarding.join()


def interrupt_after(sent, rank, monkeypatch):
    """Interrupt a rank when it has sent this many frames."""
    socket_, send, frames = rank._star._socket, zmq.Socket.send, []

    def interrupt(socket, *arguments, **named):
        tracker = send(socket, *arguments, **named)
        if socket is socket_:
            frames.append(socket)
            if len(frames) == sent:
                raise KeyboardInterrupt
        return tracker

    monkeypatch.setattr(zmq.Socket, "send", interrupt)


def test_a_forked_child_may_not_speak_for_its_parent():
    """Two processes on one socket would mix up the messages."""
    ranks = group(2)
    on_all(ranks, "connect")

    star = ranks[1]._star
    star._pid += 1
    with pytest.raises(RuntimeError, match="forked"):
        ranks[1].barrier()
    star._pid -= 1
    close(ranks)


def test_a_call_of_a_group_that_rank_0_has_left():
    """It is no request to join the next group: the rank that makes it is told, and nobody fails."""
    ranks = group(2, timeout=3)
    on_all(ranks, "connect")
    ranks[0].close()

    again, late = together([ranks[0].connect, lambda: ranks[1].all_gather_object(0)])

    assert isinstance(again, SyncTimeoutError), again
    assert isinstance(late, SyncTimeoutError), late
    assert "no answer from rank 1. " in str(again)
    assert "no answer from rank 0. " in str(late)
    close(ranks)
    assert on_all(ranks, "all_gather_object", 1) == [[1, 1]] * 2
    close(ranks)
