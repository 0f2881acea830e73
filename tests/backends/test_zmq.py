"""Groups over ZeroMQ: who is where, and what arrives.

The collectives themselves are tested by the laws in tests/distributed, in real processes.
"""

import pickle
import subprocess
import sys

import numpy as np
import pytest

from mmeval_like import Accuracy
from tests.backends.zmq_groups import SECRET, VARIABLES, close, group, on_all, together
from tests.helpers import requires

requires("zmq")

from mmeval_like.backends.zmq import ZmqDist, wire  # noqa: E402

pytestmark = pytest.mark.usefixtures("no_launcher")


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


@pytest.mark.parametrize("waiting", [0, 1])
def test_a_group_that_failed_can_be_collected(waiting):
    """The error that a group keeps makes it part of a cycle: its end must not hang for ever."""
    program = f"""
import gc
from tests.backends.zmq_groups import group, on_all
gc.disable()
ranks = group(2, timeout=1)
on_all(ranks, "connect")
print(on_all(ranks[{waiting}:][:1], "all_gather_object", 0))
del ranks
gc.collect()
"""
    done = subprocess.run(
        [sys.executable, "-c", program], timeout=60, capture_output=True, text=True, check=True
    )

    assert "SyncTimeoutError" in done.stdout


def test_a_pickled_backend_has_all_but_the_secret(monkeypatch):
    """A copy in another process joins by its arguments, and by the secret of its environment."""
    ranks = group(2)
    on_all(ranks, "connect")

    pickled = pickle.dumps(ranks[1])

    assert SECRET.encode() not in pickled
    close(ranks)
    copy = pickle.loads(pickled)
    with pytest.raises(ValueError, match="needs a secret="):
        copy.barrier()
    monkeypatch.setenv("MMEVAL_LIKE_SECRET", SECRET)
    assert (copy.rank, copy.world_size, copy._timeout) == (1, 2, ranks[1]._timeout)
    assert on_all([ranks[0], copy], "all_gather_object", 1) == [[1, 1]] * 2
    close([ranks[0], copy])
