"""The methods of the intervals of each metric, which the site adds to docs/metrics/intervals.md.

Every metric is computed with `interval=0.95` on samples of its test cases; the page has the methods
that its intervals name, or why there is none. It needs what the tests need.

Usage: python -m tools.interval_methods
"""

import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from mmeval_like import BaseMetric, metrics
from mmeval_like._base.names import Listing
from mmeval_like._intervals.interval import Interval
from mmeval_like.testing import MetricCase
from tests.metric_cases import CASES, MISSING

PAGE = Path(__file__).resolve().parents[1] / "docs" / "metrics" / "intervals.md"
HEAD = "| metric | intervals |\n|---|---|\n"
SAMPLES = 60


def page() -> str:
    """The page of the site."""
    headings = Listing(metrics.__name__).headings
    groups = [f"## {group}\n\n{table(names)}\n" for group, names in headings.items() if names]
    return "\n".join([PAGE.read_text(), *groups])


def table(names: list[str]) -> str:
    """A table of metrics."""
    return HEAD + "\n".join(f"| [`{name}`]({name}.md) | {said_of(name)} |" for name in names)


@cache
def cases() -> dict[type, list[MetricCase]]:
    """The test cases of each class."""
    cases: dict[type, list[MetricCase]] = {}
    for case in CASES.values():
        cases.setdefault(type(case.make()), []).append(case)
    return cases


@cache
def said_of(name: str) -> str:
    """The methods of a metric's intervals, or why there is none."""
    if not issubclass(getattr(metrics, name), BaseMetric):
        return "as the metric that it makes"
    if name in MISSING:
        return f"not computed: it needs {MISSING[name]}, which is not installed"
    methods: dict[str, None] = {}
    reasons: dict[str, None] = {}
    for case in cases().get(getattr(metrics, name), []):
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
    print(page(), end="")
