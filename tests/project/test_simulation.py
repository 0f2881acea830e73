"""The simulation behind docs/cost-model.md sends what the algorithms are known to send."""

import math

import numpy as np
import pytest

from benchmarks.simulation import (
    NETWORKS,
    World,
    all_reduce,
    all_to_all,
    broadcast,
    doubling_all_gather,
    doubling_all_reduce,
    gather,
    one_hop_all_gather,
    ring_all_gather,
    ring_all_reduce,
)

NETWORK = NETWORKS[0]
sizes = pytest.mark.parametrize("size", [1, 2, 3, 8, 13])


def world_after(exchange, size, length):
    """A world in which an exchange has happened."""
    world = World(size, NETWORK)
    exchange(world, length)
    return world


@sizes
@pytest.mark.parametrize(
    "exchange", [one_hop_all_gather, ring_all_gather, doubling_all_gather, gather]
)
def test_all_gathers_bring_what_the_others_have(exchange, size):
    """Every rank (or rank 0) receives n bytes from each other one; what is sent is received."""
    world = world_after(exchange, size, 100)

    receivers = world.received[:1] if exchange is gather else world.received
    assert np.all(receivers == 100 * (size - 1))
    assert world.sent.sum() == world.received.sum()


@sizes
def test_an_all_to_all_brings_each_rank_a_piece_of_every_other(size):
    """Every rank sends all but its own piece, and receives as much."""
    world = world_after(all_to_all, size, 100 * size)
    assert np.all(world.sent == 100 * (size - 1))
    assert np.all(world.received == 100 * (size - 1))


@sizes
def test_numbers_of_messages(size):
    """The hops of each algorithm."""
    doublings = math.ceil(math.log2(size))
    expected = {
        one_hop_all_gather: size - 1,
        ring_all_gather: size - 1,
        doubling_all_gather: doublings,
        doubling_all_reduce: doublings,
        ring_all_reduce: 2 * (size - 1),
        gather: min(size - 1, 1),
        broadcast: doublings,
    }
    for exchange, messages in expected.items():
        assert world_after(exchange, size, 100).messages.max(initial=0) == messages


@sizes
def test_a_broadcast_reaches_every_rank_once(size):
    """All but rank 0 receive the bytes, once."""
    assert world_after(broadcast, size, 7).received.tolist() == [0] + [7] * (size - 1)


def test_times_follow_the_formula():
    """One hop takes latency and both ends' overheads; P - 1 of them take P - 1 times as long."""
    hop = NETWORK.latency + 2 * (NETWORK.overhead + 100 / NETWORK.bandwidth)

    assert NETWORK.hop(100) == pytest.approx(hop)
    assert world_after(ring_all_gather, 2, 100).clock.max() == pytest.approx(hop)
    assert world_after(ring_all_gather, 9, 100).clock.max() == pytest.approx(8 * hop)
    assert world_after(doubling_all_reduce, 8, 100).clock.max() == pytest.approx(3 * hop)
    # Eight are sent before the first is taken in, and that one has long arrived.
    assert world_after(one_hop_all_gather, 9, 10**6).clock.max() == pytest.approx(
        16 * (NETWORK.overhead + 10**6 / NETWORK.bandwidth)
    )


def test_the_faster_all_reduce_is_chosen():
    """Short vectors are doubled, long ones go round."""
    assert world_after(all_reduce, 8, 100).messages.max() == 3
    assert world_after(all_reduce, 8, 10**8).messages.max() == 14
