"""Lines of torch: the same memory for every exchange of a group, which has one user at a time."""

import gc
import weakref
from collections.abc import Iterator
from typing import Any

import pytest

from mmeval_like.backends.wire.slot_size import slot_bytes
from tests.helpers import requires

SIZE = slot_bytes(1)
FIRST, SECOND = b"first".ljust(SIZE, b"1"), b"second".ljust(SIZE, b"2")


@pytest.fixture
def dist() -> Iterator[Any]:
    """A process group with this process alone."""
    found = requires("torch.distributed")
    found.init_process_group("gloo", store=found.HashStore(), rank=0, world_size=1)
    yield found
    found.destroy_process_group()


@pytest.fixture
def backend(dist: Any) -> Any:
    """The backend of the group."""
    from mmeval_like.backends.torch import TorchDist

    return TorchDist()


def test_the_memory_is_used_again(backend: Any) -> None:
    """After `free`, the next exchange has the same line, and its slots are those of now."""
    line = backend.slot_line()
    [slot] = line.exchange(FIRST)
    assert bytes(slot) == FIRST
    line.free()

    again = backend.slot_line()
    assert again is line
    assert [*map(bytes, again.exchange(SECOND))] == [SECOND]
    assert bytes(slot) == SECOND  # which is why a result may keep no part of it


def test_a_line_in_use_is_not_given_to_another(backend: Any) -> None:
    """Neither within an exchange, for instance by a signal handler, nor after one that failed."""
    outer = backend.slot_line()
    [slot] = outer.exchange(FIRST)
    inner = backend.slot_line()
    assert [*map(bytes, inner.exchange(SECOND))] == [SECOND]
    inner.free()
    assert bytes(slot) == FIRST
    outer.free()


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_an_exchange_that_fails_leaves_its_memory(
    backend: Any, error: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the library may still write into it is not taken for a slot of another exchange."""
    from mmeval_like.backends.torch import slot_line

    call, failed = slot_line.call, backend.slot_line()

    def interrupted(*args: Any) -> None:
        call(*args)
        raise error

    monkeypatch.setattr(slot_line, "call", interrupted)
    with pytest.raises(error):
        failed.exchange(FIRST)
    monkeypatch.undo()

    line = backend.slot_line()
    [slot] = line.exchange(SECOND)
    failed.exchange(FIRST)  # arrives late
    assert line is not failed
    assert bytes(slot) == SECOND


def test_another_group_has_another_line(dist: Any, backend: Any) -> None:
    """Also if the group was destroyed, and whatever address the new group has in memory."""
    first = backend.slot_line()
    first.free()
    dist.destroy_process_group()
    assert backend.slot_line() is not first  # torch is not initialised
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)

    second = backend.slot_line()
    assert second is not first
    assert [*map(bytes, second.exchange(SECOND))] == [SECOND]
    with pytest.raises(RuntimeError, match="destroyed"):
        first.exchange(FIRST)


def test_the_mode_and_the_default_device_of_torch_are_no_matter(backend: Any) -> None:
    """Neither when the memory is allocated nor later."""
    import torch

    torch.set_default_device("meta")
    try:
        with torch.inference_mode():
            line = backend.slot_line()
            assert [*map(bytes, line.exchange(FIRST))] == [FIRST]
    finally:
        torch.set_default_device(None)
    for mode in (torch.inference_mode(False), torch.no_grad(), torch.inference_mode()):
        with mode:
            assert [*map(bytes, line.exchange(SECOND))] == [SECOND]


def test_a_line_keeps_no_backend_and_no_group_alive(dist: Any) -> None:
    """They end when the program forgets them, without a collection of cycles."""
    from mmeval_like.backends.torch import TorchDist

    group = dist.new_group([0])
    backend = TorchDist(group)
    line = backend.slot_line()
    line.exchange(FIRST)
    gc.disable()
    try:
        gone = weakref.ref(backend), weakref.ref(group)
        dist.destroy_process_group(group)
        del backend, group
        assert [one() for one in gone] == [None, None]
    finally:
        gc.enable()
