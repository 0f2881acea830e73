"""Times alternatives in turns, so that what else runs on the machine hits them alike."""

from __future__ import annotations

import gc
import random
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import torch.distributed as dist

BOUND = "by hand"  # what the others are compared with
SLOTS = "the slots alone"  # our exchange, with nothing around it
OWN = "the library's own all-gather"  # of the same bytes, by its public call
_SLOW = 0.1  # seconds; slower ones take part in the first rounds only
_FIRST = 2


@dataclass
class Times:
    """What an alternative took: seconds a call, by round, and the bound's in the same rounds."""

    seconds: list[float] = field(default_factory=list)
    bounds: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def times_bound(self) -> float:
        """How many times as long as the bound, the median over rounds."""
        pairs = zip(self.seconds, self.bounds, strict=True)
        return statistics.median(mine / bound for mine, bound in pairs)

    @property
    def times_bound_at_best(self) -> float:
        """The same of the fastest rounds of both."""
        return min(self.seconds) / min(self.bounds)


def alternate(
    calls: Mapping[str, Callable[[], object]],
    rounds: int,
    repeat: int,
    before: Callable[[str], None] = lambda name: None,
) -> dict[str, Times]:
    """Time `repeat` calls of each alternative in every round; all ranks call this together.

    Args:
        calls: By name; one of them is `BOUND`.
        rounds: How often each has its turn.
        repeat: Calls in one turn; slow alternatives make fewer.
        before: Called before each turn, not timed.
    """
    times = {name: Times() for name in calls}
    repeats = dict.fromkeys(calls, repeat)
    for number in range(rounds):
        taken = {}
        # In another order each time: what one leaves in caches and memory hits all alike.
        names = [name for name in calls if repeats[name]]
        random.Random(number).shuffle(names)
        for name in names:
            call = calls[name]
            before(name)
            gc.collect(0)
            gc.disable()
            if dist.is_initialized():
                dist.barrier()
            start = time.perf_counter()
            for _ in range(repeats[name]):
                call()
            taken[name] = (time.perf_counter() - start) / repeats[name]
            gc.enable()
        for name, seconds in taken.items():
            times[name].seconds.append(seconds)
            times[name].bounds.append(taken[BOUND])
        if number < _FIRST:
            repeats = _agreed(
                {
                    name: max(1, min(repeat, int(0.02 / times[name].median)))
                    if number + 1 < _FIRST or name == BOUND or times[name].median < _SLOW
                    else 0
                    for name in calls
                }
            )
    return times


def _agreed(repeats: dict[str, int]) -> dict[str, int]:
    """Rank 0's choice, on every rank."""
    box = [repeats]
    if dist.is_initialized() and dist.get_world_size() > 1:
        dist.broadcast_object_list(box, 0)
    return box[0]
