"""The tables of the systems that are measured in turns, in one process group of gloo."""

from __future__ import annotations

import os
from typing import Any

from benchmarks import begun, dealt, ranking
from benchmarks.timing import BOUND, OWN, SLOTS

__all__ = ["FORTY", "TEN", "sections"]

Found = dict[str, Any]

GOAL = 1.3  # times the library's own collective of the same bytes
NAMES = ("mmeval_like", "torchmetrics", "torcheval", "ignite", "mmeval")
TEN = (
    "accuracy micro and macro, precision, recall and F1 macro and micro, F1 weighted, and the "
    "confusion matrix, of 10 classes"
)

FORTY = (
    "accuracy, precision, recall, specificity, negative predictive value, F1, F2, Jaccard index "
    "and Hamming distance, each macro, micro, weighted and for every class, and the counts of "
    "outcomes, the confusion matrix, Cohen's kappa and Matthews' coefficient. This package needs "
    "one table of counts and one exchange for all of them, while torchmetrics needs the states of "
    "several metrics; the other packages do not have all of these metrics"
)

_CALLS = """The table counts the calls to torch's process group on rank 0 of 2 ranks. The same
dispatch mode counts them for all systems (`benchmarks/calls.py`). mmeval_like makes one call, an
all-gather.

The time of mmeval_like has two parts. One part is the exchange of the slots; the table above shows
its time separately, together with the time of torch's own all-gather of the same bytes. The other
part is Python: 20 us for accuracy and 60 us for ten metrics, or two to four times as long with cold
caches, as here, where other systems run in between. If ranks share cores, the time depends mostly
on the scheduler of the operating system; nothing is tuned for that case.
"""


def sections(found: Found) -> list[str]:
    """Return a section for each thing that was measured, as Markdown; "" for the others."""
    return [
        _update(found),
        _sync(found),
        _objects(found),
        _same(found),
        _cost(found),
        _ranking(found),
        _dealt(found),
        _begun(found),
    ]


def _update(found: Found) -> str:
    tables = found.get("update 1")
    if not tables:
        return ""
    columns = list(tables)
    lines = [
        "## Updates: speed relative to hand-written code",
        "",
        "| " + " | ".join(["", *(_update_title(column) for column in columns)]) + " |",
        "|---" * (len(columns) + 1) + "|",
    ]
    for name in NAMES:
        cells = [_fraction(tables[column].get(name)) for column in columns]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    cells = [f"{1e6 * tables[column][BOUND]['seconds']:.1f} us" for column in columns]
    lines += ["| by hand, a batch | " + " | ".join(cells) + " |", ""]
    return "\n".join(lines)


def _update_title(column: str) -> str:
    task, count = column.split()
    return f"{'ten metrics' if task == 'ten' else task}, batch {int(count):,}"


def _fraction(cell: Found | None) -> str:
    return "-" if cell is None else _number(1 / cell["ratio"])


def _sync(found: Found) -> str:
    worlds = [ranks for ranks in (2, 4) if f"sync {ranks}" in found]
    if not worlds:
        return ""
    lines = ["## Compute over all ranks: time relative to hand-written code", ""]
    for task, title in (
        ("forty", "Forty metrics"),
        ("ten", "Ten metrics"),
        ("accuracy", "Accuracy"),
    ):
        if not all(task in found[f"sync {ranks}"] for ranks in worlds):
            continue
        lines += [
            f"{title}, a million samples on each rank (MMEval: 100,000).",
            "",
            "| | collective calls | "
            + " | ".join(f"{ranks} ranks | best round, {ranks} ranks" for ranks in worlds)
            + " |",
            "|---" * (2 + 2 * len(worlds)) + "|",
        ]
        for name in (*NAMES, SLOTS, OWN):
            cells = [found[f"sync {ranks}"][task].get(name) for ranks in worlds]
            calls = cells[0]["calls"] if cells[0] else "-"
            shown = [
                f"{_number(cell['ratio'])} | {_number(cell['best_ratio'])}" if cell else "- | -"
                for cell in cells
            ]
            lines.append(f"| {name} | {calls} | " + " | ".join(shown) + " |")
        shown = [
            f"{1e6 * found[f'sync {ranks}'][task][BOUND]['seconds']:.0f} us | " for ranks in worlds
        ]
        lines += ["| one all-reduce | 1 | " + " | ".join(shown) + " |", ""]
    lines += [_CALLS, _held(found)]
    alone = found.get("sync 1")
    if alone:
        cells = [
            f"{name} {1e6 * alone['ten'][name]['seconds']:,.0f} us"
            for name in NAMES
            if name in alone["ten"]
        ]
        lines += [
            "`compute` of the ten metrics in one process, without communication: "
            f"{', '.join(cells)}.",
            "",
        ]
    return "\n".join(lines)


_SUMS = """
The exact sum of 65,536 float32 takes {float32:.1f} times as long as numpy's sum in float64, and
that of 65,536 float64 takes {float64:.1f} times as long. numpy's sum is one pass over the
numbers. The exact sum looks at the exponents first, and then cuts a float32 into one slice and a
float64 into two; each step is a separate pass, and each cut takes several passes.
"""
_KERNEL = """
Exact sums are computed by numpy, in passes over blocks that fit the cache. A compiled
kernel, a C loop that does the same in two passes, takes half of numpy's time for 16,384 numbers, or
a quarter with AVX2. To find an upper limit of the gain, the sums were left out altogether. Fifty
batches of 1,000 samples and one `compute` were then 1.3 to 1.7 times as fast for `Mean`, `Sum`,
`MeanSquaredError`, `MeanAbsoluteError` and `PinballLoss`, and 2.5 to 2.8 times as fast for
`R2Score`, `PearsonCorrCoef` and `RootMeanSquaredError`. This gain does not justify a second
implementation that must give the same bits, so the package has no kernel.
"""


def _held(found: Found) -> str:
    """The exchange beside the library's own call, on as many ranks as there are cores."""
    cores = os.cpu_count() or 1
    cells = found.get(f"sync {cores}")
    if cells is None:
        return f"{cores} ranks on {cores} cores were not measured.\n"
    ratio = cells["ten"][SLOTS]["seconds"] / cells["ten"][OWN]["seconds"]
    verdict = "within" if ratio <= GOAL else "ABOVE"
    return (
        f"On {cores} cores and {cores} ranks, the exchange of the slots takes "
        f"{_number(ratio)} times as long as torch's own all-gather of the same bytes: "
        f"{verdict} the goal of {GOAL} times.\n"
    )


def _objects(found: Found) -> str:
    rows = []
    for ranks in (2, 4):
        for name in ("mmeval_like", "mmeval"):
            cell = found.get(f"objects {ranks} --only {name}", {}).get(name)
            if cell:
                rows.append(
                    f"| {name}, {ranks} ranks | {cell['bytes']:.1f} B | "
                    f"{_number(cell['microseconds'] / ranks)} us | {cell['first_mib']:.0f} MiB | "
                    f"{cell['last_mib']:.0f} MiB | {cell['calls']} |"
                )
    if not rows:
        return ""
    return "\n".join(
        [
            "## Results per sample, as in MMEval",
            "",
            "`add` appends one Python float per sample to `self._results`, a million on each "
            "rank, and `compute_metric` gets the list of all floats. Time and bytes are those of "
            "one sample. Memory is the growth of a rank's peak.",
            "",
            "| | sent | time | memory, rank 0 | memory, last rank | calls |",
            "|---|---|---|---|---|---|",
            *rows,
            "",
        ]
    )


def _same(found: Found) -> str:
    worlds = [ranks for ranks in (1, 2, 3, 4, 8) if f"same {ranks}" in found]
    if not worlds:
        return ""
    lines = [
        "## The same samples on any number of ranks",
        "",
        "A million float32 samples are divided among "
        f"{', '.join(map(str, worlds))} ranks. The table shows how many",
        "different values the mean squared error takes.",
        "",
        "| | number of values | the first two |",
        "|---|---|---|",
    ]
    for name in (*NAMES, BOUND):
        values = [
            found[f"same {ranks}"][name] for ranks in worlds if name in found[f"same {ranks}"]
        ]
        if values:
            different = list(dict.fromkeys(values))
            lines.append(f"| {name} | {len(different)} | {', '.join(different[:2])} |")
    return "\n".join([*lines, ""])


def _cost(found: Found) -> str:
    costs = found.get("cost 1")
    if not costs:
        return ""
    lines = ["## What exactness and long runs cost", "", "| | |", "|---|---|"]
    for name, cell in costs.items():
        if isinstance(cell, dict):
            grown = f"{cell['grown_mib']:.1f} MiB more than after two batches"
            lines.append(f"| {name} | {grown}, {cell['seconds']:.1f} s |")
        else:
            lines.append(f"| {name} | {cell:.2f} ns per row |")
    times = {
        kind: costs[f"exact sum, 65536 {kind}"] / costs[f"numpy's sum, 65536 {kind}"]
        for kind in ("float32", "float64")
    }
    return "\n".join([*lines, _SUMS.format(**times) + _KERNEL])


def _ranking(found: Found) -> str:
    worlds = [ranks for ranks in (2, 4) if f"ranking {ranks}" in found]
    if not worlds:
        return ""
    lines = [
        "## Exact AUROC and average precision: time relative to hand-written code",
        "",
        "Each rank has a million scores. The hand-written code is one all-gather of 4 bytes per "
        "sample, and one numpy sort without the labels. With AVX2 or AVX-512, numpy sorts 2 "
        "million float32 in 7 to 10 ms, otherwise in 150 ms. The ratios depend on this.",
        "",
        "| | "
        + " | ".join(f"{ranks} ranks | best round, {ranks} ranks" for ranks in worlds)
        + " |",
        "|---" * (1 + 2 * len(worlds)) + "|",
    ]
    for name in ("AUROC", "AveragePrecision", ranking.BY_TORCH):
        cells = [found[f"ranking {ranks}"][name][:2] for ranks in worlds]
        lines.append(f"| {name} | " + " | ".join(_number(v) for cell in cells for v in cell) + " |")
    cells = [f"{1000 * found[f'ranking {ranks}'][BOUND][2]:.0f} ms | " for ranks in worlds]
    return "\n".join([*lines, "| by hand | " + " | ".join(cells) + " |", ""])


def _dealt(found: Found) -> str:
    worlds = {ranks: found[f"dealt {ranks}"] for ranks in (1, 2, 4) if f"dealt {ranks}" in found}
    if not worlds:
        return ""
    lines = [
        "## Exact AUROC of many scores: seconds, and peak memory",
        "",
        "The table shows the seconds of all calls of `add` and of `compute`, for float32 "
        "scores, and the peak growth of a rank's memory in MiB: that of rank 0, and the mean "
        "over all ranks. The bound is the time of one all-to-all of the same number of bytes "
        "and of numpy's sort of the received scores; on one rank, it is the time of the sort. "
        "mmeval_like sorts some of the scores while they are added. ignite computes on rank 0, "
        "with scikit-learn.",
        "",
    ]
    return "\n".join([*lines, dealt.table(worlds), "", dealt.multiples(worlds), ""])


def _number(value: float) -> str:
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 0.1 else f"{value:.3f}"


def _begun(found: Found) -> str:
    worlds = {ranks: found[f"begun {ranks}"] for ranks in (1, 2, 4) if f"begun {ranks}" in found}
    if not worlds:
        return ""
    lines = [
        "## Compute in the background: the ten metrics",
        "",
        "The times show how long the program waits after all ranks have made the call. If ranks "
        "share cores, these times include those of other ranks, whose threads exchange messages "
        "on the same core.",
        "",
    ]
    return "\n".join([*lines, begun.table(worlds), ""])
