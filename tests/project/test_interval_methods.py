"""The page of intervals has every metric, and says what is computed."""

from pathlib import Path

import pytest

from mmeval_like import metrics
from tests.helpers import require_installed

PAGE = Path(__file__).resolve().parents[2] / "docs" / "metrics" / "intervals.md"


@pytest.mark.parametrize("name", sorted(metrics.__all__))
def test_lines_say_what_is_computed(name: str) -> None:
    """Every metric computes with `interval=`, and its line names the methods that it finds.

    `python -m tools.interval_methods --write` writes the page.
    """
    from tests.metric_cases import MISSING
    from tools.interval_methods import said_of

    if name in MISSING:
        require_installed(MISSING[name])
    assert f"| `{name}` | {said_of(name)} |" in PAGE.read_text()
