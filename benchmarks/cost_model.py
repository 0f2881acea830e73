"""What one compute costs on 8 to 10,000 ranks: a simulation that counts messages and bytes.

    python -m benchmarks.cost_model

Ranks have clocks. Sending n bytes occupies the sender for `overhead + n / bandwidth`; they arrive
`latency` later, and occupy the receiver for as long again. All ranks are simulated, each step of
an algorithm at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from mmeval_like.slot import slot_bytes


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

    def send(self, sources: np.ndarray, targets: np.ndarray, length: int) -> None:
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

    def depart(self, sources: np.ndarray, length: int) -> np.ndarray:
        """Send from each source; return when the messages are on the wire."""
        self.clock[sources] += self.network.overhead + length / self.network.bandwidth
        self.messages[sources] += 1
        self.sent[sources] += length
        return self.clock[sources]

    def arrive(self, targets: np.ndarray, departed: np.ndarray, length: int) -> None:
        """Receive at each target what departed then."""
        start = np.maximum(self.clock[targets], departed + self.network.latency)
        self.clock[targets] = start + self.network.overhead + length / self.network.bandwidth
        self.received[targets] += length


# Collectives ---------------------------------------------------------------------------------


def one_hop_all_gather(world: World, length: int) -> None:
    """Every rank sends to every other: what the torch backend does with gloo."""
    ranks = np.arange(world.size)
    departed = [world.depart(ranks, length) for _ in range(world.size - 1)]
    for step, times in enumerate(departed, 1):
        world.arrive((ranks + step) % world.size, times, length)


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
    short, long = World(world.size, world.network), World(world.size, world.network)
    doubling_all_reduce(short, length)
    ring_all_reduce(long, length)
    chosen = doubling_all_reduce if short.clock.max() <= long.clock.max() else ring_all_reduce
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


# What a compute is made of ---------------------------------------------------------------------

Exchange = Callable[[World], None]
RESULT = 1024  # bytes of the dict that rank 0 broadcasts


def in_slots(world: World) -> None:
    """Everything is in the slots: one all-gather."""
    doubling_all_gather(world, slot_bytes(world.size))


def reduced(length: int) -> Exchange:
    """The slots, then sums of so many bytes in one all-reduce."""

    def exchange(world: World) -> None:
        in_slots(world)
        all_reduce(world, length)

    return exchange


def gathered(length: int) -> Exchange:
    """The slots, then so many bytes from each rank to rank 0, whose result comes back."""

    def exchange(world: World) -> None:
        in_slots(world)
        gather(world, length)
        broadcast(world, RESULT)

    return exchange


def gathered_everywhere(length: int) -> Exchange:
    """What MMEval does: sizes to all, everything padded to all, then the result's size and it."""

    def exchange(world: World) -> None:
        ring_all_gather(world, 8)
        ring_all_gather(world, length)
        broadcast(world, 8)
        broadcast(world, RESULT)

    return exchange


def many_all_reduces(calls: int, length: int) -> Exchange:
    """A library that synchronises state by state."""

    def exchange(world: World) -> None:
        for _ in range(calls):
            doubling_all_reduce(world, length)

    return exchange


WORLDS = (8, 64, 512, 4096, 10_000)
MILLION_FLOATS = 8_000_000
CASES: dict[str, Exchange] = {
    "slots: counts of ten metrics, 10 classes": in_slots,
    "slots + all-reduce of 8 KiB": reduced(8 << 10),
    "slots + all-reduce of 512 KiB (P/R/F1, 21,841 classes)": reduced(512 << 10),
    "slots + gather of 80 KB to rank 0": gathered(80_000),
    "111 all-reduces of 80 B, one for each state": many_all_reduces(111, 80),
    "80 KB of results all-gathered to every rank": gathered_everywhere(80_000),
}


@cache
def simulate(name: str, ranks: int, network: Network) -> World:
    """Run one of the cases; return the world behind it."""
    world = World(ranks, network)
    CASES[name](world)
    return world


def tables() -> str:
    """Return the simulation's tables, in Markdown."""
    lines = []
    for network in NETWORKS:
        lines += [
            f"### {network.name}: {1e6 * network.latency:.0f} us, "
            f"{network.bandwidth / 1e9:.1f} GB/s, {1e6 * network.overhead:.0f} us a message",
            "",
            "| one compute, milliseconds | "
            + " | ".join(f"{ranks:,} ranks" for ranks in WORLDS)
            + " |",
            "|---" * (len(WORLDS) + 1) + "|",
        ]
        for name in CASES:
            worlds = [simulate(name, ranks, network) for ranks in WORLDS]
            cells = [_number(1e3 * world.clock.max()) for world in worlds]
            lines.append(f"| {name} | " + " | ".join(cells) + " |")
        lines.append("")
    lines += [
        "### Messages that a rank sends, and bytes that the busiest rank receives",
        "",
        "| | " + " | ".join(f"{ranks:,} ranks" for ranks in WORLDS) + " |",
        "|---" * (len(WORLDS) + 1) + "|",
    ]
    for name in CASES:
        worlds = [simulate(name, ranks, NETWORKS[0]) for ranks in WORLDS]
        cells = [f"{w.messages.max():,}; {_bytes(int(w.received.max()))}" for w in worlds]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, ""])


def slot_choices() -> str:
    """Return what the size of the slot costs, and the three ways to gather it."""
    lines = [
        "| | slot | " + " | ".join(_title(name) for name in _WAYS) + " |",
        "|---" * (2 + len(_WAYS)) + "|",
    ]
    for ranks in (2, *WORLDS):
        cells = []
        for way in _WAYS.values():
            world = World(ranks, NETWORKS[0])
            way(world, slot_bytes(ranks))
            cells.append(_number(1e3 * world.clock.max()))
        lines.append(f"| {ranks:,} ranks | {slot_bytes(ranks):,} B | " + " | ".join(cells) + " |")
    return "\n".join([*lines, ""])


_WAYS = {
    "one hop": one_hop_all_gather,
    "ring": ring_all_gather,
    "doubling": doubling_all_gather,
}


def _title(name: str) -> str:
    return f"{name}, ms"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _bytes(count: int) -> str:
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count} B"


if __name__ == "__main__":
    print(slot_choices())
    print(tables())
