"""Every metric has intervals or says why not; the pages explain by which methods."""

import re
from pathlib import Path

import pytest

from mmeval_like import metrics
from tests.helpers import require_installed

HOW_SURE = Path(__file__).resolve().parents[2] / "docs" / "how-sure.md"
NOT_DIVIDED = "none: its states cannot be divided into groups of samples"
# Only these may give this reason, which no class says of itself.
UNDIVIDED = {"RunningMean", "RunningSum"}


@pytest.mark.parametrize("name", sorted(metrics.__all__))
def test_every_metric_has_intervals_or_a_reason(name: str) -> None:
    """It computes with `interval=`; the methods that it finds are explained in docs/how-sure.md."""
    from tests.metric_cases import MISSING
    from tools.interval_methods import said_of

    if name in MISSING:
        require_installed(MISSING[name])
    said = said_of(name)

    assert (said == NOT_DIVIDED) == (name in UNDIVIDED), "say in the class: no_interval = ..."
    if not said.startswith(("none: ", "as the metric")):
        explained = re.sub(r"\s+", " ", HOW_SURE.read_text())
        assert [method for method in said.split("; ") if f'"{method}"' not in explained] == []


def test_the_site_says_it_of_every_metric() -> None:
    """One row for each, with a link to its page."""
    from tools.interval_methods import page, said_of

    rows = re.findall(r"^\| \[`(\w+)`\]\((\w+)\.md\) \| (.*) \|$", page(), re.MULTILINE)

    assert sorted(rows) == [(name, name, said_of(name)) for name in sorted(metrics.__all__)]
