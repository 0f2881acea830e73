"""What one compute costs on 8 to 10,000 simulated ranks, and the page that says so.

python -m benchmarks.cost_model     # prints the tables of docs/cost-model.md
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks import score_exchange
from benchmarks.simulation import (
    NETWORKS,
    Network,
    World,
    all_reduce,
    broadcast,
    doubling_all_gather,
    doubling_all_reduce,
    gather,
    one_hop_all_gather,
    ring_all_gather,
)
from mmeval_like._exchange.envelope import fits
from mmeval_like.backends.wire.slot_size import slot_bytes

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
    "80 kB of rows per rank, to rank 0": gathered(80_000),
    "for comparison: 111 all-reduces of 80 B": many_all_reduces(111, 80),
    "for comparison: 80 kB of results per rank, to every rank": gathered_everywhere(80_000),
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


# Ranks, and float32 scores of each.
SCORES = [*((ranks, 1_000_000) for ranks in WORLDS), (1000, 10_000_000)]
_SIDES = ("dealt", "gathered")


@cache
def exchange_scores(ranks: int, own: int, network: Network) -> dict[str, World]:
    """Let the ranks exchange so many scores each; return the worlds behind both ways."""
    scores = score_exchange.Even(ranks * own)
    both = {"dealt": score_exchange.dealt, "gathered": score_exchange.gathered}
    return {
        side: score_exchange.exchanged(steps(scores, own, ranks), ranks, network)
        for side, steps in both.items()
    }


def score_times() -> str:
    """Return the table of the seconds that exact AUROC takes."""
    parts = (*(network.name for network in NETWORKS), "computing")
    headings = ["scores of each", "rounds of probes"]
    headings += [f"{part}, {side}" for part in parts for side in _SIDES]
    lines = [_row("s", headings), _rule(len(headings))]
    for ranks, own in SCORES:
        rounds = score_exchange.probe_rounds(score_exchange.Even(ranks * own), ranks)
        worlds = [exchange_scores(ranks, own, network) for network in NETWORKS]
        seconds = [world[side].clock.max() for world in worlds for side in _SIDES]
        seconds += [score_exchange.computing(own, n, ranks) for n in (own, ranks * own)]
        cells = [f"{own:,}", str(rounds), *map(_number, seconds)]
        lines.append(_row(f"{ranks:,} ranks", cells))
    return "\n".join(lines)


def score_bytes() -> str:
    """Return the table of what the busiest rank sends, receives and holds for exact AUROC."""
    parts = ("sent", "received", "memory")
    headings = ["scores of all", *(f"{part}, {side}" for part in parts for side in _SIDES)]
    lines = [_row("", headings), _rule(len(headings))]
    for ranks, own in SCORES:
        worlds = exchange_scores(ranks, own, NETWORKS[0])
        cells = [
            *(_bytes(worlds[side].sent.max()) for side in _SIDES),
            *(_bytes(worlds[side].received.max()) for side in _SIDES),
            _bytes(score_exchange.dealt_memory(own, 4, ranks)),
            _bytes(score_exchange.gathered_memory(own, 4, ranks)),
        ]
        lines.append(_row(f"{ranks:,} ranks", [f"{ranks * own:,}", *cells]))
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
    tables = {
        "counts": counts(),
        "ways": ways(),
        "measured": measured(found),
        "score_times": score_times(),
        "score_bytes": score_bytes(),
    }
    for name, table in tables.items():
        text = text.replace(f"{{{name}}}", table)
    path.write_text(text, encoding="utf-8")


def _row(name: str, cells: list[str]) -> str:
    return f"| {name} | " + " | ".join(cells) + " |"


def _rule(columns: int) -> str:
    return "|---" * (columns + 1) + "|"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.2g}" if value < 10 else f"{value:.0f}"


def _bytes(count: float) -> str:
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count:.0f} B"


if __name__ == "__main__":
    for part in (ways(), *map(times, NETWORKS), counts(), score_times(), score_bytes()):
        print(part, end="\n\n")
