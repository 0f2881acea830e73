"""What tests of states that are dealt share: no size is gathered, and a step fails on one rank."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from mmeval_like._exchange import deal, sync
from mmeval_like.backends import slot_line
from mmeval_like.errors import RemoteError
from mmeval_like.testing import LocalWorld
from tests.exchange.in_world import errors_of

__all__ = ["check_failure_is_heard", "deal_everything"]


def deal_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let parts of any size be dealt: none fits into a slot."""
    monkeypatch.setattr(deal, "_GATHERED", 0)
    monkeypatch.setattr(slot_line, "slot_bytes", lambda ranks: 128)


def check_failure_is_heard(
    step: tuple[Any, str], construct: Callable[[Any], Any], broken_rank: int = 1
) -> list[Any]:
    """Check that three ranks raise at once where one fails; return what they compute afterwards.

    Args:
        step: Where a function is found that the rank calls while it deals, and its name there.
        construct: Returns a rank's metric with its samples, for its backend.
        broken_rank: The rank on which the function fails.
    """
    metrics: dict[int, Any] = {}
    before, dealing = getattr(*step), threading.Event()

    def breaks(*args: Any, **named: Any) -> Any:
        if dealing.is_set() and threading.current_thread().name == f"LocalWorld rank {broken_rank}":
            raise MemoryError("no room for that")
        return before(*args, **named)

    def deals(*args: Any) -> Any:
        dealing.set()  # the function may be called before, too
        return deal_rows(*args)

    def add(backend: Any) -> None:
        metrics[backend.rank] = construct(backend)

    def compute(backend: Any) -> Any:
        return metrics[backend.rank].compute()

    world, deal_rows = LocalWorld(3), sync.deal
    world.run(add)
    with pytest.MonkeyPatch.context() as broken:
        broken.setattr(sync, "deal", deals)
        broken.setattr(*step, breaks)
        errors = errors_of(world, compute)
    assert isinstance(errors[broken_rank], MemoryError)
    for rank in {0, 1, 2} - {broken_rank}:
        assert isinstance(errors[rank], RemoteError)
        assert "no room for that" in str(errors[rank])
    found: list[Any] = world.run(compute)
    return found
