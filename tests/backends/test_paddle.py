"""Paddle for real: its tensors, metrics over it, and lost ranks.

The collectives are tested by the laws in tests/distributed, at 1 to 4 ranks.
"""

import json

import numpy as np
import pytest

import mmeval_like as mm
from tests.helpers import require_installed
from tests.helpers.launch import run_ranks

TENSORS = """
import numpy as np
import paddle
import paddle.distributed as dist
from mmeval_like.backends import get_dist_backend, paddle as module

assert not module.PaddleDist().is_initialized and module.PaddleDist().world_size == 1  # not yet
dist.init_parallel_env()
backend = get_dist_backend()  # the program has imported Paddle, which has several ranks
assert type(backend) is module.PaddleDist and backend.is_initialized, backend
rank, size = backend.rank, backend.world_size

def check(tensor, expected, dtype):
    assert isinstance(tensor, paddle.Tensor) and tensor.dtype == getattr(paddle, dtype), tensor
    assert tensor.stop_gradient
    values = tensor.astype("float32") if dtype == "bfloat16" else tensor
    np.testing.assert_array_equal(values.numpy(), expected)

for dtype in ("bool", "int8", "uint8", "int16", "int32", "int64", "float16", "bfloat16",
              "float32", "float64", "complex64"):
    for shape in ((), (0,), (2, 3), (rank + 1, 2)):
        flag = dtype == "bool"
        mine = paddle.full(shape, flag or rank + 1, dtype)
        for other, tensor in enumerate(backend.all_gather(mine)):
            theirs = (other + 1, 2) if shape == (rank + 1, 2) else shape
            check(tensor, np.full(theirs, flag or other + 1), dtype)
        if shape == (rank + 1, 2):
            continue
        check(backend.all_reduce(mine), np.full(shape, flag or size * (size + 1) // 2), dtype)
        check(backend.broadcast(mine, size - 1), np.full(shape, flag or size), dtype)
        if dtype != "complex64":
            check(backend.all_reduce(mine, "max"), np.full(shape, flag or size), dtype)
        reduced = backend.reduce(mine, 1, "product")
        if rank == 1:
            check(reduced, np.full(shape, flag or np.prod(np.arange(size) + 1)), dtype)
        else:
            assert reduced is None
graph = paddle.ones([2, 3])
graph.stop_gradient = False
check(backend.all_reduce(graph * (rank + 1)), np.full((2, 3), size * (size + 1) / 2), "float32")

module._CHUNK = 1000  # many calls for one payload
for length in (999, 1000, 1001, 5000):
    pattern = (np.arange(length) % 250 + rank).astype(np.uint8)
    for other, part in enumerate(backend.all_gather_bytes(pattern.data)):
        np.testing.assert_array_equal(np.frombuffer(part, np.uint8), pattern - rank + other)
    sent = backend.broadcast_bytes(pattern.data if rank == 1 else None, length, 1)
    np.testing.assert_array_equal(np.frombuffer(sent, np.uint8), pattern - rank + 1)
    total = backend.all_reduce(pattern.astype(np.int64))
    np.testing.assert_array_equal(total, size * (pattern - rank).astype(int) + sum(range(size)))
print("well", rank)
"""

METRIC = """
import json
import numpy as np
import paddle
import mmeval_like as mm

paddle.distributed.init_parallel_env()
rank, size = paddle.distributed.get_rank(), paddle.distributed.get_world_size()
generator = np.random.default_rng(0)
scores, labels = generator.random((103, 5)), generator.integers(5, size=103)
for kind in (paddle.to_tensor, np.asarray, np.ndarray.tolist):
    metric = mm.Accuracy(topk=(1, 3), dist_backend="paddle")
    for batch in np.array_split(np.arange(103)[rank::size], 4):
        metric.add(kind(scores[batch]), kind(labels[batch]))
    print(json.dumps(metric.compute()))
"""

LOST = """
import sys
import paddle
from mmeval_like.backends import get_dist_backend
from mmeval_like.errors import SyncTimeoutError

paddle.distributed.init_parallel_env()
backend = get_dist_backend("paddle")
backend.barrier()
if backend.rank == 1:
    sys.exit(0)
try:
    backend.all_gather_object("never")
except SyncTimeoutError as error:
    print(error)
"""


@pytest.fixture
def program(tmp_path):
    """Write a program to a file."""
    require_installed("paddle")

    def write(text):
        file = tmp_path / "program.py"
        file.write_text(text)
        return file

    return write


def test_tensors_come_back_as_tensors(program):
    """All dtypes and shapes of Paddle's tensors, chosen by default; chunks."""
    ranks = run_ranks("paddle", 3, program(TENSORS))

    assert ["well" in text for text in ranks.stdout] == [True] * 3


def test_metric_over_paddle(program):
    """Accuracy of Paddle tensors, arrays and lists on two ranks is that of one process."""
    generator = np.random.default_rng(0)
    alone = mm.Accuracy(topk=(1, 3), dist_backend="non_dist")
    alone.add(generator.random((103, 5)), generator.integers(5, size=103))

    ranks = run_ranks("paddle", 2, program(METRIC))

    for text in ranks.stdout:
        assert text.splitlines()[-3:] == [json.dumps(alone.compute())] * 3


def test_a_lost_rank_is_named(program):
    """A rank that has ended makes the others raise at once."""
    ranks = run_ranks("paddle", 3, program(LOST))

    for rank in (0, 2):
        assert "all_gather: no answer from rank 1" in ranks.stdout[rank]
