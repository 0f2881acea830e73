"""Write docs/interval-study.md: how often intervals contain the truth, by simulation.

Each cell draws samples many times from a distribution whose true value is known, computes the
metric with `interval=0.95`, and counts how often the truth lies inside, and how often it lies
inside the value -+ 1.96 standard errors. Thin intervals count like the others, and are marked.
Comparisons and gates are tried in worlds without a difference.

Cells run in parallel processes. What is finished is kept in a file, so that a run that was
interrupted goes on from there; `--fresh` begins anew.

Usage: python -m tools.interval_study [--draws 2000] [--worlds 10000] [--processes 2] [--write]
    [--finished] [--fresh]
"""

import argparse
import json
import math
import os
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from tools import exact_gates, paired_worlds
from tools.bounded_streams import STREAMS, bounded_looks
from tools.interval_rows import SIZES, STUDIES, Study, covered
from tools.null_worlds import SIZES as NULL_SIZES
from tools.null_worlds import WORLDS, World, at_the_margin, false_alarms, looks

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "interval-study.md"
KEPT = ROOT / "results" / "interval-study.jsonl"
_BELOW = 0.02  # the level: what a coverage may be without being marked
_DIFFERENCES = (0.0, 0.01, 0.02, 0.03, 0.05)
HEAD = """\
# Interval study

Of 100 [intervals](how-sure.md) with `interval=0.95`, about 95 should contain the true value. This
page shows, by simulation, how many do. Each number is the proportion of intervals that contain the
true value, in {draws} draws of n samples from a distribution whose true value is known. The
simulation error is about {error}. "Usual" is the value ± 1.96 standard errors, the interval that
most programs print. A ~ marks a cell in which more than half of the intervals came with the warning
that they are less reliable than their level. The level is 0.95 unless a row names another.

Unmarked proportions that are more than {below} below the level are bold: {misses}
In cells of rare classes, it is the marked intervals that miss: of 300 samples of classes 99:1, 42%
are marked, and the others contain the true macro F1 in 99% of cases, and the true MCC in 98%. The
interval of an accuracy of 0.95 is Wilson's: its coverage rises and falls with n. Gates are exact.

`make intervals` writes this page.

"""
RARE = """
## Rare catastrophes

If one sample in a hundred is far worse than all others, most of the true value comes from such
samples, and a small test set contains none of them. Nothing in the other samples reveals them, so
no method can account for them. If the test set contains one, the interval is marked, or allows for
others; between two known bounds, it allows for unseen ones too, if they happen in at least 1% of
samples. The table shows how often intervals contain the
true value, and in brackets how often they are marked.

"""
COMPARED = """
## Comparisons of equally good systems

The table shows how often `Paired` finds a difference between two equally good systems, in
{worlds} simulated comparisons. The p-value should be below 0.05 in at most 5% of comparisons, and
below 0.01 in at most 1%. The simulation error of the rates for 0.05 is about {error}; the largest
rate is {worst}.

"""
GATES = """
## Gates at the margin

The table shows how often a gate with `margin=0.1` passes, and how often it fails, a system that
is worse by exactly 0.1, in {worlds} simulated comparisons. The two rates should add up to 5%, with
half of it wrong passes. If few samples change between the systems, and most of these become worse,
the two ends of an interval do not miss equally often. The rate of wrong passes is at most
{worst_pass}, and that of wrong fails at most {worst_fail}.

"""
SEQUENTIAL = """
## Looking again and again

{worlds} streams of 14,042 samples were simulated. In each stream, the two systems disagree on 15%
of the samples, and the test is repeated after every 256 samples. The table shows how often a
difference is found at any of the 55 looks. "Interval" uses the p-value `p` of
`Paired(anytime=True)`. In the first row, the systems are equally good, and the rates should be at
most 0.05. "One look" uses the test for a single look at every look, and "at the end" uses this test
once. The last column is the median decision time of the interval, as a fraction of all samples.

"""

BOUNDED = """
## Looking again and again at bounded values

{worlds} streams of 2,000 samples of two systems were simulated, with a look after every 10 samples
from the 100th on. All values lie between 0 and 1. The table shows how often a difference is found
at any of the 191 looks. "Betting" uses the p-value `p` of `Paired(anytime=True)` for means of
bounded values. In the first four rows there is no difference, and the rates should be at most 0.05.
The other columns are those of the previous table.

"""
NEAR_ONE = """
## Gates of shares near 1

The numbers in this table are exact: all outcomes are enumerated. It shows the lowest coverage of
the interval, and the highest rates of wrong verdicts of a gate at the true value, over all true
proportions between 0.5 and 0.9999. "Wilson" is Wilson's interval alone.

"""
OF_PAIRS = """
The next table shows the highest rates of wrong verdicts of a gate with `margin=`, at the margin,
for margins from 0.002 to 0.1, and systems in which up to 2% of samples become right. "Tango" is
Tango's interval alone.

"""

AT_MARGIN = """
The last table shows systems at the margin whose metric is no share of independent samples: shares
of hits in clusters, and means of one value per sample, of which few change, or all by skewed
differences. Where all outcomes can be enumerated, the numbers are exact. Comparisons with a mark
neither pass nor fail.

"""

Key = tuple[str, ...]
Cell = tuple[Key, Callable[..., Any], tuple[Any, ...]]  # what it is called; the last is how often


def cells(draws: int, worlds: int) -> Iterator[Cell]:
    """Yield all cells of the page; the longest first."""
    for difference in _DIFFERENCES:
        yield ("looks", f"{difference}"), looks, (difference, worlds)
    for name in STREAMS:
        yield ("bounded", name), bounded_looks, (name, worlds)
    for count in exact_gates.PAIRS_OF:
        yield ("pairs", f"{count}"), _pairs, (count, 1)
    for place, world in enumerate(paired_worlds.WORLDS):
        yield ("margin", world.name), _margin, (place, draws if world.drawn else 1)
    for count in exact_gates.SHARES_OF:
        yield ("shares", f"{count}"), _shares, (count, 1)
    for count in reversed(NULL_SIZES):
        for place, world in enumerate(WORLDS):
            if count in world.sizes:
                yield ("null", world.name, f"{count}"), _null, (place, count, worlds)
        yield ("gate", f"{count}"), at_the_margin, (count, worlds)
    for count in reversed(SIZES):
        for study in range(len(STUDIES)):
            yield ("coverage", STUDIES[study].name, f"{count}"), _coverage, (study, count, draws)


def _coverage(study: int, count: int, draws: int) -> tuple[float, float, float]:
    one: Study = STUDIES[study]  # which has functions, and does not travel to a process
    return covered(one, count, draws, one.true_value())


def _null(world: int, count: int, draws: int) -> tuple[float, float]:
    one: World = WORLDS[world]
    return false_alarms(one, count, draws)


def _margin(world: int, draws: int) -> dict[str, float]:
    return paired_worlds.verdicts(paired_worlds.WORLDS[world], draws)


def _shares(count: int, _: int) -> dict[str, float]:
    return exact_gates.shares(count)


def _pairs(count: int, _: int) -> dict[str, float]:
    return exact_gates.pairs(count)


def _quietly(function: Callable[..., Any], arguments: Sequence[Any]) -> tuple[Any, float]:
    begin = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments), time.perf_counter() - begin


def simulate(draws: int, worlds: int, kept: Path, processes: int | None) -> dict[Key, Any]:
    """Return what all cells found; what the file has of an earlier run is not computed again."""
    every = [*cells(draws, worlds)]
    times = {key: arguments[-1] for key, _, arguments in every}
    found = finished(draws, worlds, kept)
    whole = [line for line in _text(kept).splitlines(keepends=True) if line.endswith("\n")]
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text("".join(whole))  # without a line that an interruption cut short
    with ProcessPoolExecutor(processes or os.cpu_count()) as pool:
        started = {
            pool.submit(_quietly, function, arguments): key
            for key, function, arguments in every
            if key not in found
        }
        for future in as_completed(started):
            key = started[future]
            found[key], seconds = future.result()
            entry = {"cell": key, "times": times[key], "seconds": seconds, "found": found[key]}
            with kept.open("a") as file:
                file.write(json.dumps(entry) + "\n")
            print(f"{seconds:7.1f} s  {', '.join(key)}: {found[key]}", flush=True)
    return found


def finished(draws: int, worlds: int, kept: Path) -> dict[Key, Any]:
    """Return what earlier runs have found."""
    times = {key: arguments[-1] for key, _, arguments in cells(draws, worlds)}
    whole = [line for line in _text(kept).splitlines(keepends=True) if line.endswith("\n")]
    entries = [(tuple(entry["cell"]), entry) for entry in map(json.loads, whole)]
    return {key: e["found"] for key, e in entries if e["times"] == times.get(key)}


def _text(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def page(found: dict[Key, Any], draws: int, worlds: int) -> str:
    """The whole page."""
    tried = f"{worlds:,}"
    lines = [_table_head(["", ""], SIZES)]
    missed: list[str] = []
    rare = [_table_head([""], SIZES)]
    for study in STUDIES:
        row = [found.get(("coverage", study.name, f"{count}")) for count in SIZES]
        if study.rare:
            both = (f"{cell[0]:.3f} ({cell[2]:.2f})" if cell else "" for cell in row)
            rare.append(f"| {study.name} | {' | '.join(both)} |")
            continue
        marked = [_marked(cell[0], cell[2], study.level) if cell else "" for cell in row]
        missed += [study.name] * any("**" in text for text in marked)
        ours = " | ".join(marked)
        usual = " | ".join(f"{cell[1]:.3f}" if cell else "" for cell in row)
        lines += [f"| {study.name} | interval | {ours} |", f"| | usual | {usual} |"]
    misses = f"{'; '.join(missed)}." if missed else "nothing."
    error = f"{2 * math.sqrt(0.95 * 0.05 / draws):.3f}"
    text = HEAD.format(draws=f"{draws:,}", error=error, below=_BELOW, misses=misses)
    open_ones = sum(key not in found for key, _, _ in cells(draws, worlds))
    if open_ones:
        text += f"{open_ones} cells are empty: this run was ended before it came to them.\n\n"
    text += "\n".join(lines) + "\n" + RARE + "\n".join(rare) + "\n"
    alarms = [cell[0] for key, cell in found.items() if key[0] == "null"]
    error = f"{2 * math.sqrt(0.05 * 0.95 / worlds):.3f}"
    worst_alarm = f"{max(alarms, default=math.nan):.4f}"
    text += COMPARED.format(worlds=tried, error=error, worst=worst_alarm)
    lines = [_table_head(["", "p below"], NULL_SIZES)]
    for world in WORLDS:
        row = [found.get(("null", world.name, f"{count}")) for count in NULL_SIZES]
        for place, level in enumerate(("0.05", "0.01")):
            numbers = " | ".join("" if cell is None else f"{cell[place]:.4f}" for cell in row)
            lines.append(f"| {'' if place else world.name} | {level} | {numbers} |")
    row = [found.get(("gate", f"{count}")) for count in NULL_SIZES]
    worst = [max((cell[place] for cell in row if cell), default=math.nan) for place in (0, 1)]
    gates = GATES.format(worlds=tried, worst_pass=f"{worst[0]:.3f}", worst_fail=f"{worst[1]:.3f}")
    text += "\n".join(lines) + "\n" + gates
    lines = [_table_head([""], NULL_SIZES)]
    for place, name in enumerate(("wrong pass", "wrong fail")):
        numbers = " | ".join(f"{cell[place]:.4f}" if cell else "" for cell in row)
        lines.append(f"| {name} | {numbers} |")
    text += "\n".join(lines) + "\n" + SEQUENTIAL.format(worlds=tried)
    names = ("interval", "usual", "at the end")
    lines = ["| difference | interval | one look | at the end | decided after |"]
    lines.append("|---" * 5 + "|")
    for difference in _DIFFERENCES:
        cell = found.get(("looks", f"{difference}"))
        if cell is None:
            continue
        median = f"{cell['median']:.1%}" if math.isfinite(cell["median"]) else "-"
        numbers = " | ".join(f"{cell[name]:.4f}" for name in names)
        lines.append(f"| {difference:g} | {numbers} | {median} |")
    text += "\n".join(lines) + "\n"
    return (
        text
        + BOUNDED.format(worlds=tried)
        + bounded_table(found)
        + exact_tables(found)
        + margin_table(found)
    )


def bounded_table(found: dict[Key, Any]) -> str:
    """The table of looks at bounded values."""
    lines = ["| values | betting | one look | at the end |", "|---" * 4 + "|"]
    for name in STREAMS:
        cell = found.get(("bounded", name))
        if cell is not None:
            numbers = " | ".join(f"{cell[each]:.4f}" for each in ("betting", "usual", "at the end"))
            lines.append(f"| {name} | {numbers} |")
    return "\n".join(lines) + "\n"


def margin_table(found: dict[Key, Any]) -> str:
    """The table of systems at the margin that are compared by clusters, and by few changes."""
    lines = ["| systems | margin | wrong pass | wrong fail | marked |", "|---" * 5 + "|"]
    for world in paired_worlds.WORLDS:
        cell = found.get(("margin", world.name))
        if cell is not None:
            numbers = " | ".join(f"{cell[each]:.4f}" for each in ("pass", "fail", "marked"))
            lines.append(f"| {world.name} | {world.margin:.4g} | {numbers} |")
    return AT_MARGIN + "\n".join(lines) + "\n"


def exact_tables(found: dict[Key, Any]) -> str:
    """The tables of gates by enumeration."""
    text = ""
    for head, cell, sizes, other, rows in (
        (NEAR_ONE, "shares", exact_gates.SHARES_OF, "Wilson", ("coverage", "pass", "fail")),
        (OF_PAIRS, "pairs", exact_gates.PAIRS_OF, "Tango", ("pass", "fail")),
    ):
        lines = [_table_head([""], sizes)]
        for name in (each + suffix for each in rows for suffix in ("", f", {other}")):
            row = [found.get((cell, f"{count}")) for count in sizes]
            numbers = " | ".join("" if one is None else f"{one[name]:.4f}" for one in row)
            called = name if name.startswith("coverage") else f"wrong {name}"
            lines.append(f"| {called} | {numbers} |")
        text += head + "\n".join(lines) + "\n"
    return text


def _marked(share: float, thin: float, level: float) -> str:
    """Return a coverage, bold where it is low, with ~ where most intervals say so themselves."""
    if thin > 0.5:
        return f"{share:.3f}~"
    return f"**{share:.3f}**" if share < level - _BELOW else f"{share:.3f}"


def _table_head(names: Sequence[str], sizes: Sequence[int]) -> str:
    columns = [*names, *(f"n = {count}" for count in sizes)]
    return f"| {' | '.join(columns)} |\n{'|---' * len(columns)}|"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=2000, help="for each cell of coverage")
    parser.add_argument("--worlds", type=int, default=10_000, help="without a difference")
    parser.add_argument("--finished", action="store_true", help="compute no more cells")
    parser.add_argument("--processes", type=int, default=None, help="one for each core")
    parser.add_argument("--write", action="store_true", help="write the page")
    parser.add_argument("--fresh", action="store_true", help="forget what an earlier run found")
    options = parser.parse_args()
    if options.fresh:
        KEPT.unlink(missing_ok=True)
    trials = (options.draws, options.worlds)
    found = (
        finished(*trials, KEPT) if options.finished else simulate(*trials, KEPT, options.processes)
    )
    text = page(found, *trials)
    if options.write:
        PAGE.write_text(text)
    else:
        print(text, end="")
