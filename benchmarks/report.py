"""Writes docs/benchmarks.md from what the workers measured."""

from __future__ import annotations

import os
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks import (
    additive,
    cli,
    collectives,
    detection,
    detection_dealt,
    detection_mmeval,
    imports,
    language,
    page,
    peers,
    side_by_side,
    slices,
    states,
    text,
)

Found = dict[str, Any]

PACKAGES = (
    "torch", "numpy", "torchmetrics", "torcheval", "pytorch-ignite", "mmeval", "pycocotools",
    "faster-coco-eval", "sacrebleu", "jiwer", "rouge-score", "scikit-learn", "scipy",
    "scikit-image", "pystoi", "monai", "trackeval",
)  # fmt: skip


def write_report(path: Path, found: Found) -> None:
    """Write the page."""
    sections = [
        _head(),
        *side_by_side.sections(found),
        _detection(found),
        _text(found),
        _language(found),
        _collectives(found),
        _cli(found),
        _imports(found),
        _additive(found),
        _slices(found),
        _states(found),
        _page(found),
        _peers(found),
    ]
    path.write_text("\n".join(section for section in sections if section) + "\n", encoding="utf-8")


def _head() -> str:
    installed = []
    for package in PACKAGES:
        try:
            installed.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            installed.append(f"{package} (not installed)")
    return f"""# Benchmarks

`make bench` writes this page. It compares this package with other packages, and with minimal
hand-written code. All systems run in one gloo process group, in interleaved rounds. A ratio is
the median, over the rounds, of the time of a system divided by the time of the hand-written code
in the same round.

For updates, the hand-written code is two lines of torch that count for accuracy (`correct += (p
== l).sum()`, `count += l.numel()`), or one `torch.bincount(labels * C + predictions)` and its
addition. For compute, it is one all-reduce of the same counts, without computing a metric. Input
checks are enabled. Predictions and labels are class ids, as int64 torch tensors.

"Ten metrics" are {side_by_side.TEN}.

"Forty metrics" are {side_by_side.FORTY}.

Every library is used in its fastest documented way: torchmetrics with a `MetricCollection` with
compute groups, and torcheval with `sync_and_compute_collection`. ignite does not accept class
ids, and gets precomputed one-hot scores. MMEval gets numpy arrays. MMEval has no weighted F1 and
no confusion matrix: it computes per-class scores and supports instead. MMEval keeps every sample,
and therefore computes over 100,000 samples on each rank; the other systems compute over a
million.

{os.cpu_count()} processor cores; {", ".join(installed)}.
"""


def _detection(found: Found) -> str:
    lines = []
    if "detection" in found:
        lines += [
            "## COCO detection",
            "",
            "The other packages evaluate on one process, for any number of ranks. torchmetrics "
            "rounds boxes to float32.",
            "",
            detection.table(found["detection"]),
            "",
        ]
    if "detection_dealt" in found:
        lines += [detection_dealt.table(found["detection_dealt"]), ""]
    if "detection_mmeval" in found:
        lines += [
            "The next table compares the detection metrics with those of MMEval, on 1,000 of "
            "these images and one process:",
            "",
            detection_mmeval.table(found["detection_mmeval"]),
            "",
        ]
    return "\n".join(lines)


def _text(found: Found) -> str:
    if "text" not in found:
        return ""
    lines = ["## Text and OCR", "", text.__doc__.split("\n\n")[-1].strip(), ""]
    return "\n".join([*lines, text.table(found["text"]), ""])


def _language(found: Found) -> str:
    if "language" not in found:
        return ""
    lines = [
        "## Many games, many answers, many ranks",
        "",
        language.__doc__.split("\n\n")[-1].strip(),
    ]
    return "\n".join([*lines, "", language.table(found["language"]), ""])


def _collectives(found: Found) -> str:
    if "collectives" not in found:
        return ""
    measured = found["collectives"]
    lines = [
        "## The collectives: bandwidth as a fraction of the library's own call",
        "",
        f"The arrays have {measured['mebibytes']} MiB, on {measured['ranks']} ranks. Both the "
        "package and the library allocate their result.",
        "",
    ]
    return "\n".join([*lines, collectives.table(measured), ""])


def _cli(found: Found) -> str:
    if "cli" not in found:
        return ""
    lines = [
        "## The command line: time relative to a hand-written loop with pyarrow and numpy",
        "",
        "The command and the loop compute the accuracy of ten million class ids from a "
        "parquet file; each rank reads a share of the file.",
        "",
    ]
    return "\n".join([*lines, cli.table(found["cli"]), ""])


def _imports(found: Found) -> str:
    if "imports" not in found:
        return ""
    lines = [
        "## Importing: `import numpy` is 1",
        "",
        "Each program runs in a new interpreter. The time includes numpy's import, but not the",
        "start of the interpreter. The package loads names lazily, so the first row does not",
        "grow with the number of metrics, but the last row does.",
        "",
    ]
    return "\n".join([*lines, imports.table(found["imports"]), ""])


def _slices(found: Found) -> str:
    if "slices" not in found:
        return ""
    lines = [
        "## Slices, clusters and intervals",
        "",
        "Slices and clusters are named by integers. The samples of the slices are in random "
        "order, and the samples of a cluster are consecutive.",
        "",
    ]
    return "\n".join([*lines, slices.table(found["slices"]), ""])


def _states(found: Found) -> str:
    if "states" not in found:
        return ""
    lines = [
        "## A stored column of states",
        "",
        "A Parquet file with the sealed states of Accuracy, of 10,000 slices of 365 days, sorted "
        "by slice: 3.65 million states. The times include opening the file and `compute`.",
        "",
    ]
    return "\n".join([*lines, states.table(found["states"]), ""])


def _page(found: Found) -> str:
    if "page" not in found:
        return ""
    lines = ["## A report's page", "", page.__doc__.split("\n\n")[-1].strip(), ""]
    return "\n".join([*lines, page.table(found["page"]), ""])


def _additive(found: Found) -> str:
    if "additive" not in found:
        return ""
    measured = found["additive"]
    lines = [
        f"## Compute of every metric whose states add up, on {measured['ranks']} ranks: one "
        "all-reduce is 1",
        "",
        "The all-reduce is torch's own, with the same number of bytes as the metric's states. A",
        "`compute` sends one slot of 4 KiB, into which larger states are packed. A few states",
        "do not fit, such as that of `AveragePrecision, bins, weighted`; these need a separate",
        "all-reduce after the slots. If another row is slower than 1.5, arithmetic is the",
        "main reason: adding the last rows to exact sums takes tens of microseconds for each",
        "state, and formulas of exact fractions take up to a millisecond.",
        "",
    ]
    return "\n".join([*lines, additive.table(measured), ""])


def _peers(found: Found) -> str:
    if "peers" not in found:
        return ""
    lines = ["## Every metric beside its fastest peer", ""]
    lines += [peers.__doc__.split("\n\n")[-1].strip(), "", peers.table(found["peers"])]
    lines += ["", "Detection, text and OCR have separate tables in the sections above.", ""]
    lines += ["These metrics have no row in any table:", "", peers.without(), ""]
    return "\n".join(lines)
