"""The conformance kit passes what is right, and rejects what is wrong, on every rank."""

from collections.abc import Callable
from typing import Any

import pytest

from mmeval_like.backends import BaseDistBackend, get_dist_backend
from mmeval_like.testing import LocalWorld, backend_laws, check_backend
from tests.helpers import requires
from tests.testing.broken_backends import BROKEN, Bytes, Members


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("members_only", [False, True])
def test_local_world_keeps_the_laws(size: int, members_only: bool) -> None:
    """LocalWorld, on which all property tests stand, is held to what real libraries are."""
    LocalWorld(size, members_only=members_only).run(check_backend)


def test_tensors_are_among_the_objects() -> None:
    """Where the program uses torch, tensors of every dtype travel as well."""
    requires("torch")
    LocalWorld(3).run(check_backend)


@pytest.mark.parametrize("kind", [Members, Bytes])
def test_small_backends_keep_the_laws(kind: Callable[[BaseDistBackend], BaseDistBackend]) -> None:
    """What a backend must write itself is enough: the rest is derived."""
    LocalWorld(3).run(lambda backend: check_backend(kind(backend)))


def test_a_process_of_its_own_keeps_the_laws() -> None:
    """So does the backend without communication."""
    check_backend(get_dist_backend("non_dist"))


@pytest.mark.parametrize("kind", BROKEN, ids=lambda kind: kind.__name__)
def test_broken_backend_is_rejected_on_every_rank(
    kind: Callable[[BaseDistBackend], BaseDistBackend],
) -> None:
    """Each fault is found, and every rank is told instead of left waiting."""
    world = LocalWorld(3, timeout=20)

    with pytest.raises(AssertionError, match="the backend fails the check"):
        world.run(lambda backend: check_backend(kind(backend)))

    assert [type(error) for error in world.errors] == [AssertionError] * 3


def test_finding_on_one_rank_is_told_on_all() -> None:
    """The text names the law, the rank, and both values."""

    class TwistsOnRank1(Members):
        def broadcast_object(self, obj: Any, src: int = 0) -> Any:
            received = super().broadcast_object(obj, src)
            return "twisted" if self.rank == 1 and repr(received) == "'from 2'" else received

    world = LocalWorld(3)
    law = backend_laws()["broadcast_object: any root"]
    with pytest.raises(AssertionError) as caught:
        world.run(lambda backend: law(TwistsOnRank1(backend)))

    text = "on rank 1: broadcast_object from rank 2: expected 'from 2', got 'twisted'"
    assert str(caught.value) == f"the backend fails the check 'broadcast_object: any root':\n{text}"
    assert [str(error) for error in world.errors] == [str(caught.value)] * 3


def test_laws_a_backend_cannot_be_held_to_say_so() -> None:
    """A law about bytes tells a five-member backend that it does not apply."""
    law = backend_laws()["failures are agreed"]

    with pytest.raises(NotImplementedError, match="five members only"):
        LocalWorld(2, members_only=True).run(law)
