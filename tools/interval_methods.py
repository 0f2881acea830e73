"""Write docs/metrics/intervals.md, or the page to standard output: which metrics have intervals.

Every metric is computed with `interval=0.95` on samples of its test cases; the page has the methods
that its intervals name, or why there is none. It needs what the tests need; the lines of metrics
whose packages are not installed stay as they are.

Usage: python -m tools.interval_methods [--write]
"""

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from mmeval_like import BaseMetric, metrics
from mmeval_like._base.names import Listing
from mmeval_like._intervals.interval import Interval
from mmeval_like.testing import MetricCase
from tests.metric_cases import CASES, MISSING

PAGE = Path(__file__).resolve().parents[1] / "docs" / "metrics" / "intervals.md"
HEAD = """\
# Which metrics have intervals

With `interval=0.95` a metric returns [intervals](../how-sure.md), if honest ones exist. This page
names for each metric the [methods](../how-sure.md#which-method) by which its intervals are
computed. Several methods, which belong to different options, stand between semicolons. If a metric
has no intervals, the page gives the reason.

`python -m tools.interval_methods --write` writes this page from intervals that it computes.
"""
SAMPLES = 60


def page() -> str:
    """The whole page."""
    lines = [HEAD]
    for group, names in Listing(metrics.__name__).headings.items():
        if names:
            lines += [f"## {group}", "", "| metric | intervals |", "|---|---|"]
            lines += map(line_of, names)
            lines += [""]
    return "\n".join(lines).rstrip() + "\n"


def line_of(name: str) -> str:
    """A metric's line; the one that is there if a package that the metric needs is not."""
    start = f"| `{name}` | "
    kept = [line for line in PAGE.read_text().splitlines() if line.startswith(start)]
    return kept[0] if name in MISSING and kept else f"{start}{said_of(name)} |"


def said_of(name: str) -> str:
    """The methods of a metric's intervals, or why there is none."""
    if not issubclass(getattr(metrics, name), BaseMetric):
        return "as the metric that it makes"
    methods: dict[str, None] = {}
    reasons: dict[str, None] = {}
    for case in CASES.values():
        if type(case.make()) is not getattr(metrics, name):
            continue
        for found in intervals(case):
            if found.method != "none":
                methods[found.method] = None
            elif found.thin and np.isfinite(found.value):
                reasons[found.thin] = None
    if methods:
        return "; ".join(sorted(methods))
    return f"none: {next(iter(reasons))}" if reasons else "none: it has no single numbers"


def intervals(case: MetricCase) -> list[Interval]:
    """The intervals of all numbers of a case."""
    metric = case.make(interval=0.95)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        metric.add(*case.samples(np.random.default_rng(0), max(case.least, SAMPLES)))
        metric.compute()
    return list(flat(metric.intervals))


def flat(found: Any) -> Any:
    """All intervals of a nested value."""
    if isinstance(found, Interval):
        yield found
    else:
        for one in found.values() if isinstance(found, dict) else found:
            yield from flat(one)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(page())
    else:
        print(page(), end="")
