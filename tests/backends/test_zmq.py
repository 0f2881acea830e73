"""Groups over ZeroMQ: who gets in, who can read, and what happens when a rank goes wrong.

The collectives themselves are tested by the laws in tests/distributed, in real processes.
"""

import os
import pickle
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

from mmeval_like import Accuracy
from mmeval_like.errors import DisagreementError, RemoteError, SyncTimeoutError
from tests.helpers import requires
from tests.helpers.launch import ROOT
from tests.helpers.spawn import free_port

zmq = requires("zmq")

from zmq.utils.monitor import recv_monitor_message  # noqa: E402

from mmeval_like.backends.zmq import (  # noqa: E402
    ZmqDist,
    spoke,
    wire,
)
from mmeval_like.backends.zmq.wire import key_pairs, pack  # noqa: E402

SECRET = "a secret of the tests"
VARIABLES = ("MASTER_ADDR", "MASTER_PORT", "RANK", "WORLD_SIZE", "MMEVAL_LIKE_SECRET")


@pytest.fixture(autouse=True)
def _no_launcher(monkeypatch):
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


def group(size, *, timeout=20.0, port=None, **changes):
    """One backend per rank; `changes` has lists of arguments by rank."""
    port = port or free_port()
    return [
        ZmqDist(
            "127.0.0.1",
            changes.get("ports", [port] * size)[index],
            changes.get("rank", range(size))[index],
            changes.get("world_size", [size] * size)[index],
            secret=changes.get("secret", [SECRET] * size)[index],
            timeout=timeout,
        )
        for index in range(size)
    ]


def together(functions):
    """Call the functions in a thread each; return what they returned or raised."""
    outcomes = [None] * len(functions)

    def work(index):
        try:
            outcomes[index] = functions[index]()
        except BaseException as error:
            outcomes[index] = error

    threads = [threading.Thread(target=work, args=(i,), daemon=True) for i in range(len(functions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert not any(thread.is_alive() for thread in threads)
    return outcomes


def on_all(ranks, method, *arguments):
    """Call a method on every rank at once."""
    return together([lambda rank=rank: getattr(rank, method)(*arguments) for rank in ranks])


def close(ranks):
    """Leave the group, one after the other."""
    for rank in ranks:
        rank.close()


# Who is here -------------------------------------------------------------------------------------


def test_without_a_launch_it_is_a_group_of_one():
    """No variables, no arguments: not initialised, rank 0 of 1, and no sockets."""
    backend = ZmqDist()

    assert (backend.is_initialized, backend.rank, backend.world_size) == (False, 0, 1)
    assert backend.all_gather_object("alone") == ["alone"]
    assert backend.broadcast_object("alone") == "alone"
    assert backend.all_reduce(np.array([1.5])).tolist() == [1.5]


def test_place_is_read_from_the_environment(monkeypatch):
    """The launcher's variables say the place; arguments win; nothing connects by itself."""
    values = ("10.0.0.1", "29500", "2", "4", SECRET)
    for name, value in zip(VARIABLES, values, strict=True):
        monkeypatch.setenv(name, value)

    backend = ZmqDist()

    assert (backend.is_initialized, backend.rank, backend.world_size) == (True, 2, 4)
    assert ZmqDist(rank=3).rank == 3


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"MMEVAL_LIKE_SECRET": None}, "needs a secret= .* at least 16 characters"),
        ({"MMEVAL_LIKE_SECRET": "short"}, "needs a secret= .* at least 16 characters"),
        ({"MASTER_ADDR": None}, "address= and port="),
        ({"MASTER_PORT": "70000"}, r"in \[1, 65535\], got '127.0.0.1' and 70000"),
        ({"MASTER_PORT": "http"}, "MASTER_PORT must be an integer, got 'http'"),
        ({"RANK": "4"}, r"rank must be in \[0, world_size\), got 4 of 4"),
        ({"RANK": None}, "got None of 4"),
    ],
)
def test_half_a_launch_is_an_error(monkeypatch, settings, text):
    """A group that cannot meet is an error, and never taken for a group of one."""
    values = ("127.0.0.1", "29500", "2", "4", SECRET)
    for name, value in (dict(zip(VARIABLES, values, strict=True)) | settings).items():
        if value is not None:
            monkeypatch.setenv(name, value)
    backend = ZmqDist()

    metric = Accuracy(dist_backend=backend)
    metric.add([1], [1])

    with pytest.raises(ValueError, match=text):
        metric.compute()
    with pytest.raises(ValueError, match=text):
        _ = backend.world_size
    with pytest.raises(ValueError, match=text):
        backend.barrier()


def test_bad_arguments_are_refused_at_once():
    """Arguments are checked when they are given."""
    with pytest.raises(ValueError, match="rank must be in"):
        ZmqDist("127.0.0.1", 1, rank=2, world_size=2, secret=SECRET)
    with pytest.raises(ValueError, match="timeout must be positive or None, got 0"):
        ZmqDist(timeout=0)


# Collectives -------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 2, 3])
def test_collectives_of_any_payload_size(size, monkeypatch):
    """Payloads of no byte, of exactly a frame, and of many frames, arrive as they were."""
    monkeypatch.setattr(wire, "_CHUNK", 1000)
    ranks = group(size)
    lengths = [0, 1, 999, 1000, 1001, 5000]
    payloads = {(r, n): bytes([r]) * n for r in range(size) for n in lengths}

    def exercise(backend):
        mine = backend.rank
        for n in lengths:
            everyone = [payloads[r, n] for r in range(size)]
            assert list(map(bytes, backend.all_gather_bytes(payloads[mine, n]))) == everyone
            for src in range(size):
                sent = payloads[src, n] if mine == src else None
                assert bytes(backend.broadcast_bytes(sent, n, src)) == payloads[src, n]
        ragged = [lengths[r] + r for r in range(size)]
        gathered = backend.all_gather_ragged_bytes(b"x" * ragged[mine], ragged)
        assert [len(part) for part in gathered] == ragged
        return True

    assert together([lambda r=r: exercise(r) for r in ranks]) == [True] * size
    close(ranks)


def test_results_share_no_memory_with_arguments():
    """What a rank sent may change as soon as its call has returned."""
    ranks = group(3)
    size = 1 << 22

    def exercise(backend):
        mine = np.full(size, backend.rank, np.int8)
        gathered = backend.all_gather_bytes(mine.data)
        mine[:] = -1
        source = np.full(size, 7, np.int8)
        sent = backend.broadcast_bytes(source.data if backend.rank == 0 else None, size)
        copy = bytes(sent)
        source[:] = -1
        backend.barrier()
        return [np.unique(np.frombuffer(part, np.int8)).tolist() for part in (*gathered, copy)]

    outcomes = together([lambda r=r: exercise(r) for r in ranks])

    assert outcomes == [[[0], [1], [2], [7]]] * 3
    close(ranks)


# What goes wrong, and the group knows ------------------------------------------------------------


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


def test_a_group_that_meets_anew_is_another():
    """What was counted for the old group is not compared in the new one."""
    (backend,) = group(1)
    first = backend.group
    assert backend.group is first
    backend.close()
    assert backend.group is first  # there was nothing to leave

    ranks = group(2)
    on_all(ranks, "connect")
    met = [rank.group for rank in ranks]
    close(ranks)
    assert all(rank.group is not old for rank, old in zip(ranks, met, strict=True))


def test_a_pickled_backend_has_all_but_the_secret(monkeypatch):
    """A copy in another process joins by its arguments, and by the secret of its environment."""
    ranks = group(2, timeout=7)
    on_all(ranks, "connect")

    pickled = pickle.dumps(ranks[1])

    assert SECRET.encode() not in pickled
    close(ranks)
    copy = pickle.loads(pickled)
    with pytest.raises(ValueError, match="needs a secret="):
        copy.barrier()
    monkeypatch.setenv("MMEVAL_LIKE_SECRET", SECRET)
    assert (copy.rank, copy.world_size, copy._timeout) == (1, 2, 7)
    assert on_all([ranks[0], copy], "all_gather_object", 1) == [[1, 1]] * 2
    close([ranks[0], copy])


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


# Real processes ----------------------------------------------------------------------------------

KILLED = """
import os, signal, sys, time
from mmeval_like.backends.zmq import ZmqDist
backend = ZmqDist(timeout=60)
backend.connect()
started = time.monotonic()
try:
    backend.barrier()
    if backend.rank == int(sys.argv[1]):
        os.kill(os.getpid(), signal.SIGKILL)
    backend.all_gather_object("x")
except Exception as error:
    print(type(error).__name__, f"within {time.monotonic() - started < 10}", error)
"""
ENDED = """
import threading
from mmeval_like.backends.zmq import ZmqDist
backend = ZmqDist(timeout=60)
print(len(backend.all_gather_object(b"x" * 10_000_000)))
"""


def start(program, size, *arguments):
    """Start a program on each rank; return the processes."""
    environment = os.environ | {
        "MASTER_ADDR": "localhost",
        "MASTER_PORT": str(free_port()),
        "WORLD_SIZE": str(size),
        "MMEVAL_LIKE_SECRET": SECRET,
        "PYTHONPATH": str(ROOT),
    }
    command = [sys.executable, "-X", "dev", "-W", "error", "-c", textwrap.dedent(program)]
    return [
        subprocess.Popen(
            [*command, *arguments],
            env=environment | {"RANK": str(rank)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(size)
    ]


@pytest.mark.parametrize("killed", [0, 2])
def test_a_killed_rank_is_named_by_the_survivors(killed):
    """SIGKILL of a rank ends the others' call within seconds, not at its timeout."""
    processes = start(KILLED, 3, str(killed))

    outcomes = [process.communicate(timeout=30) for process in processes]

    assert processes[killed].returncode == -signal.SIGKILL
    for rank in {0, 1, 2} - {killed}:
        printed, errors = outcomes[rank]
        assert errors == ""
        assert "SyncTimeoutError within True" in printed
        assert f"rank {killed}" in printed
        assert "its process ended" in printed


STOPPED = """
import os, signal, threading, time
from mmeval_like.backends.zmq import ZmqDist
backend = ZmqDist(timeout=8)
backend.barrier()
if backend.rank == 1:  # it stops when it has called, before it has the answer
    threading.Timer(2, os.kill, [os.getpid(), signal.SIGSTOP]).start()
if backend.rank == 0:
    time.sleep(3)
started = time.monotonic()
try:
    backend.all_gather_bytes(bytes([backend.rank]) * 8_000_000)
    started = time.monotonic()
    backend.barrier()
except Exception as error:
    print(type(error).__name__, f"{time.monotonic() - started < 10}", error)
"""


def test_a_stopped_rank_is_named_by_the_others():
    """Nobody waits for it longer than the timeout, and nobody else is blamed."""
    processes = start(STOPPED, 3)
    try:
        for rank in (0, 2):
            printed, errors = processes[rank].communicate(timeout=40)
            lines = printed.splitlines()
            assert errors == ""
            assert lines[0].startswith("SyncTimeoutError True")
            assert "no answer from rank 1. " in lines[0]
    finally:
        for process in processes:
            process.kill()
            process.communicate()


def test_the_secret_is_not_shown():
    """The text of a place, which debuggers and tracebacks show, has all but the secret."""
    (backend,) = group(2)[1:]

    assert "world_size=2" in repr(backend._place)
    assert SECRET not in repr(backend._place)


def test_programs_end_cleanly():
    """Without close(): all answers arrive, nothing is left open, and no thread holds the exit."""
    processes = start(ENDED, 3)

    outcomes = [process.communicate(timeout=30) for process in processes]

    assert outcomes == [("3\n", "")] * 3
    assert [process.returncode for process in processes] == [0, 0, 0]


# Strangers ---------------------------------------------------------------------------------------


def stranger(context, port, keys=None, server=None):
    """A socket that asks to join as rank 1, with these keys or none, and its monitor."""
    one = context.socket(zmq.DEALER)
    one.linger = 0
    turned_away = one.get_monitor_socket(
        zmq.EVENT_DISCONNECTED | zmq.EVENT_HANDSHAKE_FAILED_AUTH | zmq.EVENT_HANDSHAKE_SUCCEEDED
    )
    if keys is not None:
        one.curve_publickey, one.curve_secretkey = keys
        one.curve_serverkey = server
    one.connect(f"tcp://127.0.0.1:{port}")
    one.send_multipart(pack("call", "joining the zmq group", [b'[1, 2, "stranger"]']))
    return one, turned_away


def dial(port):
    """Connect as soon as somebody listens."""
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port))
        except ConnectionRefusedError:
            time.sleep(0.01)


def test_strangers_cannot_join():
    """No keys, keys of one's own, even with rank 0's public key, or garbage: all stay outside."""
    port = free_port()
    zero, one = group(2, port=port)
    context = zmq.Context()
    waiting = threading.Thread(target=zero.connect, daemon=True)
    waiting.start()
    (public, _), _ = key_pairs(SECRET)
    strangers = [
        stranger(context, port),
        stranger(context, port, zmq.curve_keypair(), zmq.curve_keypair()[0]),
        stranger(context, port, zmq.curve_keypair(), public),
    ]
    with dial(port) as plain:
        plain.sendall(b"GET / HTTP/1.1\r\n\r\n" * 100)
        for _, monitor in strangers:
            assert monitor.poll(10_000)
            event = recv_monitor_message(monitor)["event"]
            assert event != zmq.EVENT_HANDSHAKE_SUCCEEDED

        assert waiting.is_alive()
        assert on_all([one], "connect") == [None]
        waiting.join(10)
        assert on_all([zero, one], "all_gather_object", "ours") == [["ours"] * 2] * 2
    assert not any(one.poll(0) for one, _ in strangers)
    context.destroy()
    close([zero, one])


def test_another_secret_is_turned_away_soon(monkeypatch):
    """Who has another secret is told so long before the timeout; rank 0 goes on waiting."""
    monkeypatch.setattr(spoke, "_REFUSALS", 3)
    port = free_port()
    (zero,) = group(2, port=port, timeout=3.0)[:1]
    (other,) = group(2, port=port, secret=[SECRET, "another secret of the tests"])[1:]

    waiting, refused = on_all([zero, other], "connect")

    assert isinstance(refused, ConnectionRefusedError)
    assert "another secret" in str(refused)
    assert isinstance(waiting, SyncTimeoutError)
    assert "rank 1" in str(waiting)


def test_nobody_joins_a_complete_group():
    """A late process, secret and all, waits in vain, and the group does not notice."""
    port = free_port()
    ranks = group(2, port=port)
    on_all(ranks, "connect")

    (late,) = group(2, port=port, timeout=0.5)[1:]
    (error,) = on_all([late], "connect")

    assert isinstance(error, SyncTimeoutError)
    assert "the group is complete without this process" in str(error)
    assert on_all(ranks, "all_gather_object", 1) == [[1, 1]] * 2
    close(ranks)


def test_nothing_readable_is_on_the_wire():
    """Who records all traffic finds neither the payload nor the secret in it."""
    recorded = bytearray()
    hub, proxy = free_port(), socket.create_server(("127.0.0.1", 0))

    def pump(source, target):
        while data := source.recv(1 << 16):
            recorded.extend(data)
            target.sendall(data)

    def forward():
        inner, _ = proxy.accept()
        with inner, dial(hub) as outer:
            back = threading.Thread(target=pump, args=(outer, inner), daemon=True)
            back.start()
            pump(inner, outer)
            outer.shutdown(socket.SHUT_WR)
            back.join(10)

    ranks = group(2, ports=[hub, proxy.getsockname()[1]])
    forwarding = threading.Thread(target=forward, daemon=True)
    forwarding.start()
    gathered = on_all(ranks, "all_gather_object", "confidential")

    assert gathered == [["confidential"] * 2] * 2
    assert len(recorded) > 1000
    assert b"confidential" not in recorded
    assert SECRET.encode() not in recorded
    close(ranks[::-1])
    forwarding.join(10)
    proxy.close()
