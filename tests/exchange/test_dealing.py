"""Steps in which large parts are dealt: what goes wrong on one rank is heard on every rank."""

import threading

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like._exchange.dealing import steps
from mmeval_like.backends.rounds import OtherLengths
from mmeval_like.testing import LocalWorld
from tests.exchange.in_world import errors_of
from tests.helpers.dealing import check_failure_is_heard, deal_everything


@pytest.fixture(autouse=True)
def _all_are_dealt(monkeypatch):
    """Parts of any size are dealt, and of vectors that are added up none is short."""
    deal_everything(monkeypatch)
    monkeypatch.setattr(steps, "_SHORT", 0)


def auroc(backend):
    """Each rank's share of the samples."""
    metric = mm.AUROC(dist_backend=backend)
    metric.add(np.arange(90)[backend.rank :: 3] / 90, np.arange(90)[backend.rank :: 3] % 2)
    return metric


def test_a_rank_without_room_for_a_long_vector():
    """It says so in a short one, and the others do not wait for it."""
    found = check_failure_is_heard((steps, "_room_for"), auroc)

    whole = mm.AUROC()
    whole.add(np.arange(90) / 90, np.arange(90) % 2)
    assert found == [whole.compute()] * 3


def test_a_library_that_brings_other_pieces_than_announced(monkeypatch):
    """To one rank: the others hear of it in the next step."""
    world = LocalWorld(3)
    kind = type(world.backends[0])
    carry = kind.all_to_all_pieces

    def loses_a_byte(backend, sent, counts, room, lengths):
        brought = carry(backend, sent, counts, room, lengths)
        if backend.rank == 1 and lengths != [16] * 3:  # those of 16 announce the others
            brought = [bytes(piece)[:-1] for piece in brought]
        return brought

    monkeypatch.setattr(kind, "all_to_all_pieces", loses_a_byte)

    errors = errors_of(world, lambda backend: auroc(backend).compute())

    assert isinstance(errors[1], OtherLengths)
    for error in (errors[0], errors[2]):
        assert isinstance(error, mm.RemoteError), error
        assert "lengths other than announced" in str(error)
    assert not [one for one in threading.enumerate() if one.name.startswith("LocalWorld")]
