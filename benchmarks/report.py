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

Written by `make bench`. All systems run in one process group of gloo, in turns, round by round;
a number is the median over rounds of the ratio to what was measured by hand in the same round.
By hand means: for updates, the two counts of accuracy in torch (`correct += (p == l).sum()`,
`count += l.numel()`), or one `torch.bincount(labels * C + predictions)` and its addition; for
compute, one all-reduce of the same statistics, and nothing made of them. Input checks are on.
Predictions and labels are class ids, int64 torch tensors.
Ten metrics are {side_by_side.TEN}.
Forty metrics are {side_by_side.FORTY}.

Every library is used as its documentation says, and given what it likes best: torchmetrics a
`MetricCollection` with compute groups, torcheval `sync_and_compute_collection`, ignite (which takes
no class ids) one-hot scores made beforehand, MMEval numpy arrays. MMEval has no weighted F1 and no
confusion matrix: it computes per-class scores and supports instead. It computes over 100,000
samples a rank, the others over a million, because it keeps every sample.

{os.cpu_count()} processor cores; {", ".join(installed)}.
"""


def _detection(found: Found) -> str:
    lines = []
    if "detection" in found:
        lines += [
            "## COCO detection",
            "",
            "The peers evaluate on one process, whatever the number of ranks. torchmetrics rounds "
            "boxes to float32.",
            "",
            detection.table(found["detection"]),
            "",
        ]
    if "detection_dealt" in found:
        lines += [detection_dealt.table(found["detection_dealt"]), ""]
    if "detection_mmeval" in found:
        lines += [
            "The detection metrics beside MMEval's, 1,000 of these images, one process:",
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
        f"Arrays of {measured['mebibytes']} MiB on {measured['ranks']} ranks; both sides allocate "
        "their result.",
        "",
    ]
    return "\n".join([*lines, collectives.table(measured), ""])


def _cli(found: Found) -> str:
    if "cli" not in found:
        return ""
    lines = [
        "## The command line: a hand-written loop of pyarrow and numpy is 1",
        "",
        "Accuracy of ten million class ids from a parquet file, on each rank's share of it.",
        "",
    ]
    return "\n".join([*lines, cli.table(found["cli"]), ""])


def _imports(found: Found) -> str:
    if "imports" not in found:
        return ""
    lines = [
        "## Importing: `import numpy` is 1",
        "",
        "Each program in an interpreter of its own, numpy's import included; the time of an empty",
        "interpreter is taken off. The package loads a name when a program first uses it: the",
        "first row does not grow with the number of metrics, the last does.",
        "",
    ]
    return "\n".join([*lines, imports.table(found["imports"]), ""])


def _slices(found: Found) -> str:
    if "slices" not in found:
        return ""
    lines = [
        "## Slices, clusters and intervals",
        "",
        "Keys are integers; those of slices come in any order, clusters one after another.",
        "",
    ]
    return "\n".join([*lines, slices.table(found["slices"]), ""])


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
        "The all-reduce is torch's own, of the bytes of the metric's states. A `compute` sends one",
        "slot of 4 KiB, into which larger states are packed; few do not fit, such as that of",
        "`AveragePrecision, bins, weighted`, and take an all-reduce of their own behind the slots.",
        "What makes other rows slower than 1.5 is mostly arithmetic: waiting rows are folded into",
        "exact sums, tens of microseconds for each state; formulas of exact fractions take up to a",
        "millisecond.",
        "",
    ]
    return "\n".join([*lines, additive.table(measured), ""])


def _peers(found: Found) -> str:
    if "peers" not in found:
        return ""
    lines = ["## Every metric beside its fastest peer", ""]
    lines += [peers.__doc__.split("\n\n")[-1].strip(), "", peers.table(found["peers"])]
    lines += ["", "Detection, text and OCR have tables of their own above.", ""]
    return "\n".join(lines)
