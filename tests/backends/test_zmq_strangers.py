"""Who gets into a group over ZeroMQ, and who can read what it says."""

import socket
import threading
import time

import pytest

from mmeval_like.errors import SyncTimeoutError
from tests.backends.zmq_groups import SECRET, close, dial, group, on_all, together
from tests.helpers import requires
from tests.helpers.pace import patient
from tests.helpers.spawn import free_port

zmq = requires("zmq")

from zmq.utils.monitor import recv_monitor_message  # noqa: E402

from mmeval_like.backends.zmq import spoke  # noqa: E402
from mmeval_like.backends.zmq.wire import key_pairs, pack  # noqa: E402

pytestmark = pytest.mark.usefixtures("no_launcher")


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
            assert monitor.poll(int(1000 * patient(10)))
            event = recv_monitor_message(monitor)["event"]
            assert event != zmq.EVENT_HANDSHAKE_SUCCEEDED

        assert waiting.is_alive()
        assert on_all([one], "connect") == [None]
        waiting.join(patient(10))
        assert on_all([zero, one], "all_gather_object", "ours") == [["ours"] * 2] * 2
    assert not any(one.poll(0) for one, _ in strangers)
    context.destroy()
    close([zero, one])


def test_nobody_connects_to_a_group_that_ends():
    """Rank 0 closes the socket that lets processes in first: from then on the keys are no use."""
    port = free_port()
    zero, one = group(2, port=port)
    on_all([zero, one], "connect")
    zero._star._door.close()
    context = zmq.Context()
    (public, _), keys = key_pairs(SECRET)

    _late, monitor = stranger(context, port, keys, public)

    assert monitor.poll(int(1000 * patient(10)))
    assert recv_monitor_message(monitor)["event"] != zmq.EVENT_HANDSHAKE_SUCCEEDED
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
    assert "a different secret" in str(refused)
    assert isinstance(waiting, SyncTimeoutError)
    assert "rank 1" in str(waiting)


GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"CURVE".ljust(20, b"\0") + bytes(32)


@pytest.mark.parametrize("said", [b"HTTP/1.1 400 Bad Request\r\n\r\n" * 9, GREETING + bytes(99)])
def test_something_else_listens(said):
    """Another program at rank 0's address is no reason to wait for the timeout."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        (one,) = group(2, port=server.getsockname()[1], timeout=20.0)[1:]
        started = time.monotonic()

        def answer():
            with server.accept()[0] as connection:
                connection.sendall(said)
                connection.recv(1)
                time.sleep(3)

        _, error = together([answer, one.connect])

    assert isinstance(error, ConnectionRefusedError), error
    assert "something else listens there" in str(error)
    assert time.monotonic() - started < patient(10)


def test_a_stranger_cannot_fill_the_memory():
    """A frame that is longer than those of this package is cut off where it begins."""
    port = free_port()
    zero, one = group(2, port=port)
    on_all([zero, one], "connect")

    with dial(port) as plain, pytest.raises(ConnectionError):
        plain.sendall(GREETING + b"\6" + (1 << 30).to_bytes(8, "big") + bytes(1 << 26))

    assert on_all([zero, one], "all_gather_bytes", bytes(1 << 24)) == [[bytes(1 << 24)] * 2] * 2
    close([zero, one])


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


def test_the_secret_is_not_shown():
    """The text of a place, which debuggers and tracebacks show, has all but the secret."""
    (backend,) = group(2)[1:]

    assert "world_size=2" in repr(backend._place)
    assert SECRET not in repr(backend._place)
