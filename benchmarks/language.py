"""A million games, a million short answers, and texts dealt to ranks.

    python -m benchmarks.language [--rounds 5]

200 players play the games, and a tenth of the games are ties. The answers have one to three words,
and the sentences have 5 to 40 words, in batches of 1,000. Each ratio compares the other package on
one process with mmeval_like on all ranks, and is the median over pairs of measurements.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch.distributed as dist

import mmeval_like as mm
from benchmarks.peers.data import Batches
from benchmarks.peers.packages import Row, run
from benchmarks.peers.texts import TEXTS, answers, speech, translations

__all__ = ["measure", "table"]

PLAYERS, GAMES, ANSWERS = 200, 1_000_000, 1_000_000
DEALT = {"CHRFScore": partial(translations, 2000), "WordErrorRate": partial(speech, 10_000)}
ROUNDS = 5


def measure(worlds: tuple[int, ...] = (1, 2, 4), rounds: int = ROUNDS) -> dict[str, Any]:
    """By row and number of ranks: the ratio, our seconds, and the peer's package."""
    found: dict[str, Any] = {"BradleyTerry": {"1": _games(rounds)}}
    for name in ("ExactMatch", "SQuAD"):
        batches = answers(ANSWERS)
        metric = getattr(mm, name)()
        ours = partial(run, metric, metric.add, batches)
        found[name] = {"1": _in_turns(ours, _row(name).peers[0].prepare(batches), rounds)}
    for ranks in worlds:
        command = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
        command += ["--nproc-per-node", str(ranks), "-m", "benchmarks.language"]
        done = subprocess.run(
            [*command, "--rank", "--rounds", str(rounds)],
            env=os.environ | {"OMP_NUM_THREADS": "1"},
            capture_output=True, text=True, check=True, timeout=1200,
        )  # fmt: skip
        for name, numbers in json.loads(done.stdout.splitlines()[-1]).items():
            found.setdefault(name, {})[str(ranks)] = numbers
    return found


def _row(name: str) -> Row:
    return next(row for row in TEXTS if row.name == name)


def _games(rounds: int) -> list[float]:
    """Beside the same likelihood, maximised by scipy from the numbers of games of each pair."""
    rng = np.random.default_rng(0)
    strengths = rng.normal(size=PLAYERS)
    first = rng.integers(0, PLAYERS, GAMES)
    second = (first + rng.integers(1, PLAYERS, GAMES)) % PLAYERS
    won = rng.random(GAMES) < 1 / (1 + np.exp(strengths[second] - strengths[first]))
    outcomes = np.where(rng.random(GAMES) < 0.1, 0.5, won)
    batches: Batches = [
        (first[i : i + 10_000], second[i : i + 10_000], outcomes[i : i + 10_000])
        for i in range(0, GAMES, 10_000)
    ]
    metric = mm.BradleyTerry(PLAYERS)
    ours = partial(run, metric, metric.add, batches)
    return _in_turns(ours, partial(_by_scipy, first, second, outcomes), rounds)


def _by_scipy(first: np.ndarray, second: np.ndarray, outcomes: np.ndarray) -> np.ndarray:
    """Return the strengths, of mean 0."""
    size = PLAYERS * PLAYERS
    wins = np.bincount(first * PLAYERS + second, outcomes, size)
    wins += np.bincount(second * PLAYERS + first, 1 - outcomes, size)
    wins = wins.reshape(PLAYERS, PLAYERS)

    def loss(strengths: np.ndarray) -> tuple[float, np.ndarray]:
        behind = strengths[None] - strengths[:, None]
        slope = wins / (1 + np.exp(-behind))
        return float((wins * np.logaddexp(0, behind)).sum()), slope.sum(axis=0) - slope.sum(axis=1)

    optimize = importlib.import_module("scipy.optimize")
    found: np.ndarray = optimize.minimize(loss, np.zeros(PLAYERS), jac=True, method="L-BFGS-B").x
    return found - found.mean()


def _in_turns(
    ours: Callable[[], Any], theirs: Callable[[], Any] | None, rounds: int
) -> list[float]:
    """Return the median ratio of the peer's seconds to ours, and our least and median seconds."""
    ratios, times = [], []
    for number in range(rounds + 1):
        times.append(_seconds(ours))
        other = _seconds(theirs)
        if number:  # the first round imports what is imported late
            ratios.append(other / times[-1])
    return [statistics.median(ratios), min(times[1:]), statistics.median(times[1:])]


def _seconds(call: Callable[[], Any] | None) -> float:
    """Return how long a call takes, of all ranks together."""
    if dist.is_initialized():
        dist.barrier()
    start = time.perf_counter()
    if call is not None:
        call()
    if dist.is_initialized():
        dist.barrier()
    return time.perf_counter() - start


def of_rank(rounds: int) -> dict[str, list[float]]:
    """What is dealt to the ranks; the peer runs on rank 0, while the others wait."""
    dist.init_process_group("gloo")
    rank, ranks = dist.get_rank(), dist.get_world_size()
    found = {}
    for name, make in DEALT.items():
        row, batches = _row(name), make()
        metric = getattr(mm, name)(**row.options, dist_backend="torch")
        theirs = row.peers[0].prepare(batches) if rank == 0 else None
        found[name] = _in_turns(
            partial(run, metric, metric.add, batches[rank::ranks]), theirs, rounds
        )
    dist.destroy_process_group()
    return found if rank == 0 else {}


def table(found: dict[str, Any]) -> str:
    """Return what `measure` found as Markdown."""
    lines = ["| | peer | ranks | takes times as long | our seconds | best |", "|---" * 6 + "|"]
    for name, by_ranks in found.items():
        peer = "scipy" if name == "BradleyTerry" else _row(name).peers[0].package
        for ranks, (ratio, best, seconds) in by_ranks.items():
            lines.append(
                f"| {name} | {peer} | {ranks} | {ratio:.2f} | {seconds:.2f} | {best:.2f} |"
            )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--rank", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if not arguments.rank:
        print(table(measure(rounds=arguments.rounds)))
    elif found := of_rank(arguments.rounds):
        print(json.dumps(found))


if __name__ == "__main__":
    main()
