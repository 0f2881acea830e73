"""The laws of backends for objects."""

from __future__ import annotations

import copy
import random
import threading
from typing import Any

import numpy as np

from mmeval_like.backends.base import BaseDistBackend
from mmeval_like.testing.findings import Findings
from mmeval_like.testing.same import same
from mmeval_like.testing.samples import objects, tensors

__all__ = ["IDENTITY", "OBJECT_LAWS"]


def identity(backend: BaseDistBackend, found: Findings) -> None:
    """Ranks are 0 to n-1, each once; a single process is rank 0 of 1."""
    rank, size = backend.rank, backend.world_size
    for name, value in (("rank", rank), ("world_size", size)):
        found.expect(type(value) is int, f"{name} must be an int, got {value!r}")
    found.expect(0 <= rank < size, f"rank must be in [0, world_size), got {rank} of {size}")
    known = backend.is_initialized
    found.expect(isinstance(known, bool), f"is_initialized must be a bool, got {known!r}")
    found.expect(known or size == 1, f"is_initialized is False in a world of {size} ranks")
    found.expect(
        copy.deepcopy(backend) is backend,
        "copy.deepcopy returned an object other than the backend itself",
    )
    expected = [(other, size) for other in range(size)]
    found.same("(rank, world_size)", expected, backend.all_gather_object, (rank, size))


def gathers_in_rank_order(backend: BaseDistBackend, found: Findings) -> None:
    """All objects arrive in rank order, even if the last ranks call first."""
    expected = [f"from {rank}" for rank in range(backend.world_size)]
    for _ in range(backend.world_size):
        mine = f"from {backend.rank}"
        found.same("all_gather_object", expected, backend.all_gather_object, mine)


def gathers_any_sizes(backend: BaseDistBackend, found: Findings) -> None:
    """Payloads of different sizes by rank arrive whole, whichever rank has the largest."""
    size = backend.world_size
    for length in (0, 1, 900, 950, 980, 1000, 1013, 1024, 5000, 300_000, 1_200_000):
        for turn in range(min(size, 2)):
            lengths = [length * ((rank + turn) % size + 1) for rank in range(size)]
            expected = [_text(rank, n) for rank, n in enumerate(lengths)]
            mine = expected[backend.rank]
            what = f"strings of lengths {lengths}"
            found.same(f"all_gather_object, {what}", expected, backend.all_gather_object, mine)
            dst = turn % size
            on_dst = expected if backend.rank == dst else None
            found.same(f"gather_object, {what}", on_dst, backend.gather_object, mine, dst)


def carries_any_object(backend: BaseDistBackend, found: Findings) -> None:
    """Every picklable object arrives unchanged, including type and dtype."""
    everywhere = [_detached(objects(rank) | tensors(rank)) for rank in range(backend.world_size)]
    for name in everywhere[0]:
        expected = [of_rank[name] for of_rank in everywhere]
        mine = expected[backend.rank]
        found.same(f"all_gather_object, {name}", expected, backend.all_gather_object, mine)
        src = backend.world_size - 1
        found.same(f"broadcast_object, {name}", expected[src], backend.broadcast_object, mine, src)
    found.same(
        "everything at once", everywhere, backend.all_gather_object, everywhere[backend.rank]
    )


def gives_copies(backend: BaseDistBackend, found: Findings) -> None:
    """Received objects share no memory with the sent ones or with another rank's."""
    if not backend.is_initialized:
        return  # without a group, objects are passed through
    for src in range(backend.world_size):
        mine = {"list": [backend.rank], "array": np.full(3, backend.rank)}
        gathered = backend.all_gather_object(mine)
        received = backend.broadcast_object(mine, src)
        for obj in [*gathered, received]:
            obj["list"].append("changed")
            obj["array"][:] = -1
        unchanged = same({"list": [backend.rank], "array": np.full(3, backend.rank)}, mine)
        found.expect(
            unchanged,
            "a result of all_gather_object or broadcast_object is the object that this rank "
            "passed, or shares memory with it: return a copy on the sender too, for instance "
            "pickle.loads(pickle.dumps(obj, protocol=5))",
        )
        found.expect(
            all(len(obj["list"]) == 2 for obj in gathered),
            "results of all_gather_object and broadcast_object share memory: return a copy from "
            "each call",
        )
        array = np.full(2000, backend.rank)
        for result in [*backend.all_gather(array), backend.broadcast(array, src)]:
            result += 1  # works only if the result is writable
        found.expect(
            (array == backend.rank).all(),
            "a result of all_gather or broadcast shares memory with the array that this rank "
            "passed: return a copy on the sender too",
        )


def broadcasts_from_any_rank(backend: BaseDistBackend, found: Findings) -> None:
    """Rank src's object arrives everywhere; the arguments of other ranks are ignored."""
    for src in range(backend.world_size):
        for obj in (f"from {src}", None, "x" * 2000, np.arange(500.0) + src):
            mine = obj if backend.rank == src else threading.Lock()
            found.same(
                f"broadcast_object from rank {src}", obj, backend.broadcast_object, mine, src
            )


def gathers_to_any_rank(backend: BaseDistBackend, found: Findings) -> None:
    """Rank dst gets all objects in rank order, the others None."""
    for dst in range(backend.world_size):
        expected = [(rank, dst) for rank in range(backend.world_size)]
        on_dst = expected if backend.rank == dst else None
        mine = expected[backend.rank]
        found.same(f"gather_object to rank {dst}", on_dst, backend.gather_object, mine, dst)


def scatters_from_any_rank(backend: BaseDistBackend, found: Findings) -> None:
    """Rank r gets element r of rank src's list."""
    size = backend.world_size

    for src in range(size):
        for length in (1, 400, 50_000):
            objs = [_text(rank, rank * length) for rank in range(size)]
            given = objs if backend.rank == src else None
            what = f"scatter_object from rank {src}"
            found.same(what, objs[backend.rank], backend.scatter_object, given, src)


def stays_in_step(backend: BaseDistBackend, found: Findings) -> None:
    """Fifty different calls in a row do not interfere."""
    same_everywhere = random.Random(20240229)
    size = backend.world_size
    for turn in range(50):
        kind, root = same_everywhere.randrange(5), same_everywhere.randrange(size)
        values = [[turn, rank] * same_everywhere.choice((1, 500)) for rank in range(size)]
        mine, at_root = values[backend.rank], backend.rank == root
        if kind == 0:
            found.same(f"turn {turn}", values, backend.all_gather_object, mine)
        elif kind == 1:
            found.same(f"turn {turn}", values[root], backend.broadcast_object, mine, root)
        elif kind == 2:
            found.same(
                f"turn {turn}", values if at_root else None, backend.gather_object, mine, root
            )
        elif kind == 3:
            found.same(f"turn {turn}", None, backend.barrier)
        else:
            total = np.array(size * turn)
            found.same(f"turn {turn}", total, backend.all_reduce, np.array(turn))


def _text(rank: int, length: int) -> str:
    return (f"{rank}-" * (length // 2 + 1))[:length]


def _detached(sample: dict[str, Any]) -> dict[str, Any]:
    # Gradients are not sent.
    return {k: v.detach() if hasattr(v, "detach") else v for k, v in sample.items()}


IDENTITY = "ranks are 0 to n-1"

OBJECT_LAWS = {
    IDENTITY: identity,
    "all_gather_object: rank order": gathers_in_rank_order,
    "all_gather_object: any sizes": gathers_any_sizes,
    "any object": carries_any_object,
    "results are copies": gives_copies,
    "broadcast_object: any root": broadcasts_from_any_rank,
    "gather_object: any root": gathers_to_any_rank,
    "scatter_object: any root": scatters_from_any_rank,
    "50 calls stay in step": stays_in_step,
}
