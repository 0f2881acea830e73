"""Ranks that exchange messages, simulated: their clocks, and what each sends and receives.

Sending n bytes occupies the sender for `overhead + n / bandwidth`; they arrive `latency` later, and
occupy the receiver for as long again. All ranks are simulated, each step of an algorithm at once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Network:
    """What connects the ranks.

    Attributes:
        name: As it is shown.
        latency: Seconds from the last byte's departure to its arrival.
        bandwidth: Bytes a second in and out of a rank.
        overhead: Seconds of a processor for every message, on both sides.
    """

    name: str
    latency: float
    bandwidth: float
    overhead: float

    def hop(self, length: int) -> float:
        """Return the seconds of one message, until it is received."""
        return self.latency + 2 * (self.overhead + length / self.bandwidth)


NETWORKS = (
    Network("InfiniBand", 2e-6, 12e9, 1e-6),
    Network("Ethernet, TCP", 30e-6, 1.2e9, 5e-6),
)


@dataclass
class World:
    """Ranks that exchange messages.

    Attributes:
        size: The number of ranks.
        network: What connects them.
        clock: Each rank's time.
        messages: How many each rank has sent.
        sent: How many bytes each rank has sent.
        received: How many bytes each rank has received.
    """

    size: int
    network: Network
    clock: np.ndarray = field(init=False)
    messages: np.ndarray = field(init=False)
    sent: np.ndarray = field(init=False)
    received: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.clock = np.zeros(self.size)
        self.messages = np.zeros(self.size, np.int64)
        self.sent = np.zeros(self.size, np.int64)
        self.received = np.zeros(self.size, np.int64)

    def send(self, sources: np.ndarray, targets: np.ndarray, length: int | np.ndarray) -> None:
        """Let each source send a message to its target, all at once; each target gets one."""
        self.arrive(targets, self.depart(sources, length), length)

    def shift(self, step: int, length: int) -> None:
        """Let every rank send to the one `step` places on."""
        taken = self.network.overhead + length / self.network.bandwidth
        self.clock += taken
        arrived = np.roll(self.clock, step) + self.network.latency
        np.maximum(self.clock, arrived, out=self.clock)
        self.clock += taken
        self.messages += 1
        self.sent += length
        self.received += length

    def depart(self, sources: np.ndarray, length: int | np.ndarray) -> np.ndarray:
        """Send from each source; return when the messages are on the wire."""
        self.clock[sources] += self.network.overhead + length / self.network.bandwidth
        self.messages[sources] += 1
        self.sent[sources] += length
        return self.clock[sources]

    def arrive(self, targets: np.ndarray, departed: np.ndarray, length: int | np.ndarray) -> None:
        """Receive at each target what departed then."""
        start = np.maximum(self.clock[targets], departed + self.network.latency)
        self.clock[targets] = start + self.network.overhead + length / self.network.bandwidth
        self.received[targets] += length


# Collectives ---------------------------------------------------------------------------------


def one_hop_all_gather(world: World, length: int) -> None:
    """Every rank sends to every other: gloo's ranks, where they are more."""
    taken = world.network.overhead + length / world.network.bandwidth
    begun = world.clock.copy()
    world.clock += (world.size - 1) * taken  # when a rank has sent all
    for step in range(1, world.size):
        arrived = np.roll(begun, step) + step * taken + world.network.latency
        np.maximum(world.clock, arrived, out=world.clock)
        world.clock += taken
    world.messages += world.size - 1
    world.sent += (world.size - 1) * length
    world.received += (world.size - 1) * length


def all_to_all(world: World, length: int) -> None:
    """Every rank's bytes in equal pieces, one for each: MPI's and gloo's, which send all at once.

    As many messages pass as where each rank sends the same piece to all.
    """
    one_hop_all_gather(world, math.ceil(length / world.size))


def ring_all_gather(world: World, length: int) -> None:
    """What gloo does: each rank hands on what it got, size - 1 times."""
    for _ in range(world.size - 1):
        world.shift(1, length)


def doubling_all_gather(world: World, length: int) -> None:
    """What MPI does with short messages (Bruck): twice as much in every step."""
    known = 1
    while known < world.size:
        more = min(known, world.size - known)
        world.shift(-known, more * length)
        known += more


def doubling_all_reduce(world: World, length: int) -> None:
    """Short vectors: all of it in every step, with a partner twice as far away."""
    distance = 1
    while distance < world.size:
        world.shift(distance, length)
        distance *= 2


def ring_all_reduce(world: World, length: int) -> None:
    """Long vectors: a part of it in every step, twice round the ring."""
    part = math.ceil(length / world.size)
    for _ in range(2 * (world.size - 1)):
        world.shift(1, part)


def all_reduce(world: World, length: int) -> None:
    """The faster of the two, as libraries choose."""
    hops, part = math.ceil(math.log2(world.size)), math.ceil(length / world.size)
    short = hops * world.network.hop(length)
    long = 2 * (world.size - 1) * world.network.hop(part)
    chosen = doubling_all_reduce if short <= long else ring_all_reduce
    chosen(world, length)


def gather(world: World, length: int) -> None:
    """Every rank sends its own to rank 0."""
    departed = world.depart(np.arange(1, world.size), length)
    root = np.array([0])
    for time in np.sort(departed):  # one after the other
        world.arrive(root, time, length)


def broadcast(world: World, length: int) -> None:
    """Rank 0's to all, by a tree."""
    reached = 1
    while reached < world.size:
        sources = np.arange(min(reached, world.size - reached))
        world.send(sources, sources + reached, length)
        reached += len(sources)
