"""OneFlow for real: its tensors, metrics over it, and how its ranks end.

The collectives are tested by the laws in tests/distributed, at 1 to 4 ranks.
"""

import json
import os
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

import mmeval_like as mm
from tests.helpers import require_installed
from tests.helpers.launch import ROOT, LaunchError, run_ranks
from tests.helpers.pace import patient
from tests.helpers.spawn import free_port

TENSORS = """
import threading
import numpy as np
import oneflow as flow
from mmeval_like.backends import get_dist_backend, oneflow as module
from mmeval_like.errors import RemoteError

backend = get_dist_backend()  # the program has imported OneFlow, which has several ranks
assert type(backend) is module.OneFlowDist and backend.is_initialized, backend
rank, size = backend.rank, backend.world_size

def check(tensor, expected, dtype):
    assert isinstance(tensor, flow.Tensor) and tensor.dtype == dtype, (tensor, dtype)
    assert not tensor.requires_grad
    np.testing.assert_array_equal(tensor.numpy(), expected)

for dtype in (flow.bool, flow.int8, flow.uint8, flow.int32, flow.int64, flow.float16,
              flow.bfloat16, flow.float32, flow.float64):
    for shape in ((), (0,), (2, 3), (rank + 1, 2)):
        mine = flow.tensor(np.full(shape, rank + 1), dtype=dtype)
        gathered = backend.all_gather(mine)
        for other, tensor in enumerate(gathered):
            theirs = (other + 1, 2) if shape == (rank + 1, 2) else shape
            check(tensor, np.full(theirs, bool(other + 1) if dtype == flow.bool else other + 1),
                  dtype)
        if shape == (rank + 1, 2):
            continue
        flag = dtype == flow.bool
        check(backend.all_reduce(mine), np.full(shape, flag or size * (size + 1) // 2), dtype)
        check(backend.all_reduce(mine, "max"), np.full(shape, flag or size), dtype)
        check(backend.broadcast(mine, size - 1), np.full(shape, flag or size), dtype)
        reduced = backend.reduce(mine, 1, "product")
        if rank == 1:
            check(reduced, np.full(shape, flag or np.prod(np.arange(size) + 1)), dtype)
        else:
            assert reduced is None
graph = flow.ones(2, 3, requires_grad=True) * (rank + 1)
check(backend.all_reduce(graph), np.full((2, 3), size * (size + 1) / 2), flow.float32)
check(backend.all_reduce(flow.tensor(np.arange(6.).reshape(2, 3)).t()),
      size * np.arange(6.).reshape(2, 3).T, flow.float64)
spread = flow.ones(2, 3).to_global(flow.placement.all("cpu"), flow.sbp.broadcast)
try:
    backend.all_reduce(spread)
except TypeError as error:
    assert "to_local()" in str(error)
else:
    raise AssertionError("a global tensor was taken")

module._CHUNK = 1000  # many calls for one payload
for length in (999, 1000, 1001, 5000):
    pattern = (np.arange(length) % 250 + rank).astype(np.uint8)
    for other, part in enumerate(backend.all_gather_bytes(pattern.data)):
        np.testing.assert_array_equal(np.frombuffer(part, np.uint8), pattern - rank + other)
    sent = backend.broadcast_bytes(pattern.data if rank == 1 else None, length, 1)
    np.testing.assert_array_equal(np.frombuffer(sent, np.uint8), pattern - rank + 1)
    total = backend.all_reduce(pattern.astype(np.int64))
    np.testing.assert_array_equal(total, size * (pattern - rank).astype(int) + sum(range(size)))

refused = []
def elsewhere():
    try:
        backend.barrier()
    except RuntimeError as error:
        refused.append(str(error))
thread = threading.Thread(target=elsewhere)
thread.start()
thread.join()
assert refused == ["OneFlow's collectives must be called from the main thread"], refused
backend.barrier()
print("well", rank)
"""

METRIC = """
import json
import numpy as np
import oneflow as flow
import mmeval_like as mm

generator = np.random.default_rng(0)
scores, labels = generator.random((103, 5)), generator.integers(5, size=103)
for kind in (flow.tensor, np.asarray, np.ndarray.tolist):
    metric = mm.Accuracy(topk=(1, 3), dist_backend="oneflow")
    rank, size = flow.env.get_rank(), flow.env.get_world_size()
    for batch in np.array_split(np.arange(103)[rank::size], 4):
        metric.add(kind(scores[batch]), kind(labels[batch]))
    print(json.dumps(metric.compute()))
"""

ENDING = """
import os, sys, threading
from mmeval_like.backends import get_dist_backend
from mmeval_like.backends.oneflow import OneFlowDist

backend = OneFlowDist(timeout=float(sys.argv[2]) if sys.argv[1] == "hang" else 600.0)
backend.barrier()
if backend.rank == 1:
    print("it ends", flush=True)
    sys.stdout.close()
    if sys.argv[1] == "raise":
        raise ValueError("this rank is broken")
    if sys.argv[1] == "exit":
        sys.exit(3)
    if sys.argv[1] == "hang":
        threading.Event().wait()
backend.all_gather_object("never")
"""


@pytest.fixture
def program(tmp_path):
    """Write a program to a file."""
    require_installed("oneflow")

    def write(text):
        file = tmp_path / "program.py"
        file.write_text(textwrap.dedent(text))
        return file

    return write


def test_tensors_come_back_as_tensors(program):
    """All dtypes and shapes of OneFlow's tensors, chosen by default; chunks; one thread only."""
    ranks = run_ranks("oneflow", 3, program(TENSORS))

    assert ranks.stdout == [f"well {rank}\n" for rank in range(3)]


def test_metric_over_oneflow(program):
    """Accuracy of OneFlow tensors, arrays and lists on two ranks is that of one process."""
    generator = np.random.default_rng(0)
    alone = mm.Accuracy(topk=(1, 3), dist_backend="non_dist")
    alone.add(generator.random((103, 5)), generator.integers(5, size=103))

    ranks = run_ranks("oneflow", 2, program(METRIC))

    assert ranks.stdout == [f"{json.dumps(alone.compute())}\n" * 3] * 2


@pytest.mark.parametrize("how", ["raise", "exit"])
def test_a_failing_rank_ends_the_job(program, how):
    """An exception or sys.exit(3) ends it, with its output closed; the launcher ends the others."""
    ranks = run_ranks("oneflow", 2, program(ENDING), how, check=False)

    assert ranks.returncode not in (0, None)
    assert ranks.outlived == []
    assert ranks.stdout[1] == "it ends\n"
    assert ("this rank is broken" in ranks.stderr[1]) == (how == "raise")


def test_a_rank_that_never_comes_ends_the_job(program):
    """A rank that waits too long says for what, shows where, and ends."""
    seconds = round(patient(3))
    with pytest.raises(LaunchError, match="exit code") as caught:
        run_ranks("oneflow", 2, program(ENDING), "hang", str(seconds))

    text = str(caught.value)
    assert f"SyncTimeoutError: all_gather of 4096 bytes, given up after {seconds} s" in text
    assert "in all_gather_object" in text


def test_without_a_launcher_all_ranks_end(program, tmp_path):
    """When one rank has failed, OneFlow itself ends the others, where no launcher does."""
    file = program(ENDING)
    shared = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "WORLD_SIZE": "3"}
    shared |= {"PYTHONPATH": str(ROOT), "AWAIT_MASTER": "1"}
    start = ROOT / "tests" / "helpers" / "rank.py"
    ranks = [
        subprocess.Popen(
            [sys.executable, start, tmp_path, file, "raise"],
            env=os.environ | shared | {"RANK": str(rank), "LOCAL_RANK": str(rank)},
        )
        for rank in range(3)
    ]
    deadline = time.monotonic() + patient(90)
    try:
        codes = [rank.wait(deadline - time.monotonic()) for rank in ranks]
    finally:
        for rank in ranks:
            rank.kill()
            rank.wait()

    assert codes[1] == 1
    assert all(code != 0 for code in codes)
