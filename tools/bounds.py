"""Which metrics have bounds for samples without a score, which the site adds to their page.

Every metric is made with `unscored="bounds"` as its test cases make it; the page says whether these
bounds are exact or outer ones, or whether they are refused. It needs what the tests need.

Usage: python -m tools.bounds
"""

from functools import cache
from pathlib import Path

from mmeval_like import BaseMetric, metrics
from mmeval_like._base.names import Listing
from tests.metric_cases import MISSING
from tools.interval_methods import cases

PAGE = Path(__file__).resolve().parents[1] / "docs" / "metrics" / "bounds.md"
HEAD = "| metric | bounds |\n|---|---|\n"


def page() -> str:
    """The page of the site."""
    headings = Listing(metrics.__name__).headings
    groups = [f"## {group}\n\n{table(names)}\n" for group, names in headings.items() if names]
    return "\n".join([PAGE.read_text(), *groups])


def table(names: list[str]) -> str:
    """A table of metrics."""
    return HEAD + "\n".join(f"| [`{name}`]({name}.md) | {bounds_of(name)} |" for name in names)


@cache
def bounds_of(name: str) -> str:
    """Whether a metric has exact or outer bounds, or none."""
    kind = getattr(metrics, name)
    if not issubclass(kind, BaseMetric):
        return "as the metric that it makes"
    if name in MISSING:
        return f"not made: it needs {MISSING[name]}, which is not installed"
    found: dict[str, None] = {}
    for case in cases().get(kind, []):
        try:
            metric = case.make(unscored="bounds")
        except TypeError:
            why = case.make().no_bounds
            found["none" if why is None else f"none: {why}"] = None
        else:
            found["outer" if metric.outer_bounds else "exact"] = None
    return "; ".join(sorted(found)) or "none"


if __name__ == "__main__":
    print(page(), end="")
