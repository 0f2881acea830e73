"""What one compute costs on 8 to 10,000 ranks: a simulation that counts messages and bytes.

    python -m benchmarks.cost_model     # prints the tables of docs/cost-model.md

Ranks have clocks. Sending n bytes occupies the sender for `overhead + n / bandwidth`; they arrive
`latency` later, and occupy the receiver for as long again. All ranks are simulated, each step of
an algorithm at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from mmeval_like.slot import fits, slot_bytes


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
    """Every rank sends to every other: what the torch backend does with gloo."""
    ranks = np.arange(world.size)
    departed = [world.depart(ranks, length) for _ in range(world.size - 1)]
    for step, times in enumerate(departed, 1):
        world.arrive((ranks + step) % world.size, times, length)


def tree_all_gather(world: World, length: int) -> None:
    """Up a binomial tree to rank 0, and down again: what it does up to 16 ranks."""
    steps = [1 << bit for bit in range((world.size - 1).bit_length())]
    for step in steps:
        sources = np.arange(step, world.size, 2 * step)
        world.send(sources, sources - step, np.minimum(step, world.size - sources) * length)
    for step in steps[::-1]:
        targets = np.arange(step, world.size, 2 * step)
        world.send(targets - step, targets, world.size * length)


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


def summed(length: int) -> Exchange:
    """The slots; then, if so many bytes of sums do not fit into them, one all-reduce."""

    def exchange(world: World) -> None:
        doubling_all_gather(world, slot_bytes(world.size))
        if not fits(length, slot_bytes(world.size)):
            all_reduce(world, length)

    return exchange


def gathered(length: int) -> Exchange:
    """The slots, then so many bytes from each rank to rank 0, whose result comes back."""

    def exchange(world: World) -> None:
        doubling_all_gather(world, slot_bytes(world.size))
        gather(world, length)
        broadcast(world, RESULT)

    return exchange


def gathered_everywhere(length: int) -> Exchange:
    """What MMEval does: sizes to all, everything padded to all, then the result's size and it."""

    def exchange(world: World) -> None:
        doubling_all_gather(world, 8)
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
CASES: dict[str, Exchange] = {
    "ten metrics, 10 classes: 816 B of counts": summed(816),
    "P/R/F1 of 21,841 classes: 512 KiB of counts": summed(512 << 10),
    "80 kB of rows a rank, to rank 0": gathered(80_000),
    "for comparison: 111 all-reduces of 80 B": many_all_reduces(111, 80),
    "for comparison: 80 kB of results a rank, to every rank": gathered_everywhere(80_000),
}


@cache
def simulate(name: str, ranks: int, network: Network) -> World:
    """Run one of the cases; return the world behind it."""
    world = World(ranks, network)
    CASES[name](world)
    return world


def times(network: Network) -> str:
    """Return the table of times."""
    lines = [_row("one compute, ms", [f"{ranks:,} ranks" for ranks in WORLDS]), _rule(len(WORLDS))]
    for name in CASES:
        worlds = [simulate(name, ranks, network) for ranks in WORLDS]
        lines.append(_row(name, [_number(1e3 * world.clock.max()) for world in worlds]))
    return "\n".join(lines)


def counts() -> str:
    """Return the table of messages and bytes."""
    lines = [_row("", [f"{ranks:,} ranks" for ranks in WORLDS]), _rule(len(WORLDS))]
    for name in CASES:
        worlds = [simulate(name, ranks, NETWORKS[0]) for ranks in WORLDS]
        cells = [
            f"{w.messages.max():,}; {_bytes(w.sent.max())}; {_bytes(w.received.max())}"
            for w in worlds
        ]
        lines.append(_row(name, cells))
    return "\n".join(lines)


def ways() -> str:
    """Return the table of the ways to gather the slots."""
    ways = {
        "one hop": one_hop_all_gather,
        "tree": tree_all_gather,
        "ring": ring_all_gather,
        "doubling": doubling_all_gather,
    }
    headings = ["slot", *(f"{name}, {n.name}" for n in NETWORKS for name in ways)]
    lines = [_row("ms", headings), _rule(len(headings))]
    for ranks in (2, 4, *WORLDS):
        cells = [f"{slot_bytes(ranks):,} B"]
        for network in NETWORKS:
            for way in ways.values():
                world = World(ranks, network)
                way(world, slot_bytes(ranks))
                cells.append(_number(1e3 * world.clock.max()))
        lines.append(_row(f"{ranks:,} ranks", cells))
    return "\n".join(lines)


def measured(found: dict[str, Any]) -> str:
    """Return the table of what was measured: sums in slots or reduced behind them."""
    worlds = [ranks for ranks in (2, 4, 8) if f"crossover {ranks}" in found]
    if not worlds:
        return "(not measured)"
    headings = [f"{ranks} ranks: {way}" for ranks in worlds for way in ("in slots", "reduced")]
    lines = [_row("sums, us", headings), _rule(len(headings))]
    for length in found[f"crossover {worlds[0]}"]:
        cells = []
        for ranks in worlds:
            inside, behind = found[f"crossover {ranks}"][length].values()
            cells += [f"{1e6 * seconds:,.0f}" for seconds in (inside, behind)]
        lines.append(_row(f"{int(length):,} B", cells))
    return "\n".join(lines)


def write_cost_model(path: Path, found: dict[str, Any]) -> None:
    """Write the page: the text in cost_model.md here, its tables filled in."""
    text = Path(__file__).with_name("cost_model.md").read_text(encoding="utf-8")
    for network, name in zip(NETWORKS, ("times_fast", "times_slow"), strict=True):
        text = text.replace(f"{{{name}}}", times(network))
    for name, table in (("counts", counts()), ("ways", ways()), ("measured", measured(found))):
        text = text.replace(f"{{{name}}}", table)
    path.write_text(text, encoding="utf-8")


def _row(name: str, cells: list[str]) -> str:
    return f"| {name} | " + " | ".join(cells) + " |"


def _rule(columns: int) -> str:
    return "|---" * (columns + 1) + "|"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.2g}" if value < 10 else f"{value:.0f}"


def _bytes(count: int) -> str:
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count} B"


if __name__ == "__main__":
    for part in (ways(), *map(times, NETWORKS), counts()):
        print(part, end="\n\n")
