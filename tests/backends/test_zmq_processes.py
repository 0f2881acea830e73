"""Groups over ZeroMQ whose processes are killed or stopped, or end: the others are told which."""

import os
import signal
import subprocess
import sys
import textwrap

import pytest

from tests.backends.zmq_groups import SECRET
from tests.helpers import requires
from tests.helpers.launch import ROOT
from tests.helpers.pace import patient, slowness
from tests.helpers.spawn import free_port

requires("zmq")

pytestmark = pytest.mark.usefixtures("no_launcher")

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
    print(type(error).__name__, f"within {time.monotonic() - started < 30}", error)
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


ANEW = """
import random, time
from mmeval_like.backends.zmq import ZmqDist
backend = ZmqDist(timeout=20)
wait = random.Random(backend.rank)
for number in range(50):
    assert backend.all_gather_object(number) == [number] * 3
    time.sleep(wait.random() / 50)
    backend.close()
print(number)
"""


def test_ranks_meet_anew_again_and_again():
    """However late a rank leaves a group and asks for the next one, all ranks are in it."""
    processes = start(ANEW, 3)

    outcomes = [process.communicate(timeout=patient(100)) for process in processes]

    assert outcomes == [("49\n", "")] * 3


@pytest.mark.parametrize("killed", [0, 2])
def test_a_killed_rank_is_named_by_the_survivors(killed):
    """SIGKILL of a rank ends the others' call within seconds, not at its timeout."""
    processes = start(KILLED, 3, str(killed))

    outcomes = [process.communicate(timeout=patient(30)) for process in processes]

    assert processes[killed].returncode == -signal.SIGKILL
    for rank in {0, 1, 2} - {killed}:
        printed, errors = outcomes[rank]
        assert errors == ""
        assert "SyncTimeoutError within True" in printed
        assert f"rank {killed}" in printed
        assert "its process ended" in printed


STOPPED = """
import os, signal, sys, threading, time
from mmeval_like.backends.zmq import ZmqDist
rank, slow = int(os.environ["RANK"]), float(sys.argv[1])
# Rank 2 gives up before rank 0 can tell it why.
backend = ZmqDist(timeout=slow * (6 if rank == 2 else 8))
backend.barrier()
if rank == 1:  # it stops when it has called, before it has the answer
    threading.Timer(2 * slow, os.kill, [os.getpid(), signal.SIGSTOP]).start()
if rank == 0:
    time.sleep(3 * slow)
started = time.monotonic()
try:
    backend.all_gather_bytes(bytes([rank]) * 8_000_000)
    started = time.monotonic()
    backend.barrier()
except Exception as error:
    print(type(error).__name__, f"{time.monotonic() - started < 10 * slow}", error)
"""


def test_a_stopped_rank_is_named_by_the_others():
    """Nobody waits for it longer than the timeout, and nobody else is blamed."""
    processes = start(STOPPED, 3, str(slowness()))
    try:
        for rank in (0, 2):
            printed, errors = processes[rank].communicate(timeout=patient(40))
            lines = printed.splitlines()
            assert errors == ""
            assert lines[0].startswith("SyncTimeoutError True")
            assert "no answer from rank 1. " in lines[0]
    finally:
        for process in processes:
            process.kill()
            process.communicate()


def test_programs_end_cleanly():
    """Without close(): all answers arrive, nothing is left open, and no thread holds the exit."""
    processes = start(ENDED, 3)

    outcomes = [process.communicate(timeout=patient(30)) for process in processes]

    assert outcomes == [("3\n", "")] * 3
    assert [process.returncode for process in processes] == [0, 0, 0]
