"""LocalWorld: what it adds to the laws of a backend, which test_check_backend.py holds it to."""

import contextvars
import threading
from typing import Any

import numpy as np
import pytest

from mmeval_like.backends import BaseDistBackend
from mmeval_like.backends.base_bytes import BytesDistBackend
from mmeval_like.errors import DisagreementError, SyncTimeoutError
from mmeval_like.testing import LocalWorld


def test_results_come_in_rank_order() -> None:
    """`run` returns what the function returned on each rank, by rank."""
    results = LocalWorld(5).run(lambda backend: (backend.rank, backend.world_size))

    assert results == [(rank, 5) for rank in range(5)]


def test_no_ranks_are_refused() -> None:
    """A world has at least one rank."""
    with pytest.raises(ValueError, match="size must be at least 1, got 0"):
        LocalWorld(0)


def test_both_kinds_of_backend_are_offered() -> None:
    """`members_only` gives the five members and nothing else; the default moves bytes."""
    few, many = LocalWorld(2, members_only=True), LocalWorld(2)

    assert not any(isinstance(backend, BytesDistBackend) for backend in few.backends)
    assert all(isinstance(backend, BytesDistBackend) for backend in many.backends)


def test_calls_are_counted_by_rank_and_run() -> None:
    """Each collective of the last run counts once, under the name that reached the world."""
    world = LocalWorld(3)

    def work(backend: BaseDistBackend) -> None:
        backend.all_gather_object("small")
        backend.all_reduce(np.ones(3))
        if backend.rank == 0:
            backend.broadcast_object("x" * 5000)
        else:
            backend.broadcast_object(None)

    expected = {"all_gather_bytes": 1, "all_reduce": 1, "broadcast_bytes": 2}
    for _ in range(2):
        world.run(work)
        assert world.calls == [expected] * 3


def test_error_of_the_rank_that_caused_it_is_raised() -> None:
    """Ranks that merely lost their partner do not hide the cause; `errors` has them all."""
    world = LocalWorld(3)

    def work(backend: BaseDistBackend) -> None:
        if backend.rank == 2:
            raise KeyError("the cause")
        backend.barrier()

    with pytest.raises(KeyError, match="the cause"):
        world.run(work)

    assert [type(error) for error in world.errors] == [SyncTimeoutError, SyncTimeoutError, KeyError]
    assert "no answer from rank 2" in str(world.errors[0])


@pytest.mark.parametrize("members_only", [False, True])
def test_call_without_a_partner_ends_at_once(members_only: bool) -> None:
    """A rank that waits for one that has returned is told, without waiting for the timeout."""
    world = LocalWorld(3, members_only=members_only, timeout=1000)

    with pytest.raises(SyncTimeoutError, match=r"no answer from ranks? [12].*rank 0 only"):
        world.run(lambda backend: backend.barrier() if backend.rank == 0 else None)


def test_time_is_limited() -> None:
    """A rank that never calls and never returns is named when the time is over."""
    world = LocalWorld(2, timeout=0.2)
    end = threading.Event()

    with pytest.raises(SyncTimeoutError, match="no answer from rank 1"):
        world.run(lambda backend: backend.barrier() if backend.rank == 0 else end.wait())

    end.set()


def test_different_collectives_are_an_error_on_every_rank() -> None:
    """What would hang or mix bytes on a network names the calls that met."""
    world = LocalWorld(3)

    def work(backend: BaseDistBackend) -> Any:
        if backend.rank == 1:
            return backend.broadcast_object("x", src=1)
        return backend.all_gather_object("x")

    with pytest.raises(DisagreementError, match="rank 1: broadcast_bytes"):
        world.run(work)

    assert [type(error) for error in world.errors] == [DisagreementError] * 3


def test_different_shapes_are_an_error() -> None:
    """A reduction of arrays of different shapes never pretends to have worked."""
    with pytest.raises(DisagreementError, match=r"float64 \(1,\), float64 \(2,\)"):
        LocalWorld(2).run(lambda backend: backend.all_reduce(np.ones(backend.rank + 1)))


def test_world_works_on_after_a_failure() -> None:
    """A failed run leaves nothing behind for the next one."""
    world = LocalWorld(3)
    with pytest.raises(SyncTimeoutError):
        world.run(lambda backend: backend.barrier() if backend.rank else None)

    assert world.run(lambda backend: backend.all_gather_object(backend.rank)) == [[0, 1, 2]] * 3
    assert world.errors == [None] * 3


def test_no_threads_are_left() -> None:
    """After a run, good or bad, the process has the threads that it had before."""
    before = threading.active_count()
    world = LocalWorld(8)
    world.run(lambda backend: backend.barrier())
    with pytest.raises(SyncTimeoutError):
        world.run(lambda backend: backend.barrier() if backend.rank else None)

    assert threading.active_count() == before


def test_ranks_see_the_context_of_the_caller() -> None:
    """A context variable holds on every rank."""
    name: contextvars.ContextVar[str] = contextvars.ContextVar("name")
    token = name.set("the caller's")
    try:
        assert LocalWorld(2).run(lambda backend: name.get()) == ["the caller's"] * 2
    finally:
        name.reset(token)
