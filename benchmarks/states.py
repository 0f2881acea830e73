"""Stored states: one file with the states of 10,000 slices of 365 days, rolled up over any of both.

python -m benchmarks.states [--rounds 5]
"""

from __future__ import annotations

import argparse
import datetime
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import mmeval_like as mm

__all__ = ["measure", "table"]

_SLICES, _DAYS, _AT_ONCE = 10_000, 365, 100
# How many samples a cell has, and how many different states all cells have.
_CELLS = {"about 100 samples": (100, 4_000), "about 10,000 samples": (10_000, 60_000)}


def _states(samples: int, number: int) -> list[bytes]:
    """The states of some cells."""
    rng, found = np.random.default_rng(0), []
    sizes = rng.integers(samples * 9 // 10, samples * 11 // 10, number)
    ones = np.ones(2 * samples, np.int64)
    for size, right in zip(sizes.tolist(), rng.binomial(sizes, 0.8).tolist(), strict=True):
        metric = mm.Accuracy()
        metric.add(np.arange(size) < right, ones[:size])
        found.append(metric.seal())
    return found


def _write(path: Path, states: list[bytes], slices: int) -> None:
    """Write a cell for each day of each slice, in the order of the slices."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(1)
    first = np.datetime64("2025-01-01")
    days = pa.array(np.tile(first + np.arange(_DAYS), _AT_ONCE), pa.date32())
    known = pa.array(states, pa.binary())
    schema = pa.schema({"slice": pa.int32(), "day": pa.date32(), "state": pa.binary()})
    with pq.ParquetWriter(
        path, schema, use_dictionary=["slice", "day"], compression="zstd"
    ) as file:
        for start in range(0, slices, _AT_ONCE):
            numbers = np.repeat(np.arange(start, start + _AT_ONCE, dtype=np.int32), _DAYS)
            chosen = known.take(pa.array(rng.integers(0, len(states), len(days))))
            file.write_table(pa.table([pa.array(numbers), days, chosen], schema=schema))


def _seconds(work: Callable[[], Any], rounds: int) -> float:
    spent = []
    for _ in range(rounds):
        before = time.perf_counter()
        work()
        spent.append(time.perf_counter() - before)
    return statistics.median(spent)


def measure(rounds: int = 5, slices: int = _SLICES) -> dict[str, dict[str, float]]:
    """Seconds of each query, and the bytes of the file, by the samples of a cell."""
    found: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, (samples, number) in _CELLS.items():
            path = Path(folder) / "cells.parquet"
            _write(path, _states(samples, min(number, 6 * slices)), slices)
            one = {"slice": (slices // 2, slices // 2)}
            month = {"day": (datetime.date(2025, 3, 1), datetime.date(2025, 3, 31))}
            queries: dict[str, dict[str, Any]] = {
                "the 365 days of one slice": {"between": one},
                "the same, by day": {"between": one, "by": "day"},
                "a month of all slices": {"between": month},
                "all cells": {},
                "all cells, by day": {"by": "day"},
                "all cells, by slice": {"by": "slice"},
            }

            def ask(query: dict[str, Any], path: Path = path) -> Any:
                return mm.rollup(path, mm.Accuracy(), **query).compute()

            ask({"between": one})
            found[name] = {
                query: _seconds(lambda asked=asked: ask(asked), rounds)
                for query, asked in queries.items()
            } | {"the file": path.stat().st_size}
    return found


def table(found: dict[str, dict[str, float]]) -> str:
    """Return the table of the benchmarks page."""
    heads = [f"cells of {name}" for name in found]
    lines = [f"| query | {' | '.join(heads)} |", "|---|" + "---|" * len(heads)]
    for query in next(iter(found.values())):
        values = [each[query] for each in found.values()]
        if query == "the file":
            shown = [f"{value / 1e6:.0f} MB" for value in values]
        else:
            shown = [f"{v:.1f} s" if v > 1 else f"{v * 1e3:.0f} ms" for v in values]
        lines.append(f"| {query} | {' | '.join(shown)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    print(table(measure(parser.parse_args().rounds)))
