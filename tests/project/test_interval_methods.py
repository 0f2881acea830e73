"""The page of intervals has every metric, and says what is computed."""

from pathlib import Path

import pytest

from mmeval_like import metrics

PAGE = Path(__file__).resolve().parents[2] / "docs" / "metrics" / "intervals.md"


@pytest.mark.parametrize("name", sorted(metrics.__all__))
def test_every_metric_has_a_line(name: str) -> None:
    """Listed metrics are on the page; `python -m tools.interval_methods --write` writes it."""
    assert f"| `{name}` | " in PAGE.read_text()


@pytest.mark.parametrize(
    "name", ["Accuracy", "CohenKappa", "McNemar", "R2Score", "AUROC", "F1Score", "SpearmanCorrCoef"]
)
def test_lines_say_what_is_computed(name: str) -> None:
    """The methods of a line are those of intervals that are computed now."""
    from tools.interval_methods import said_of

    assert f"| `{name}` | {said_of(name)} |" in PAGE.read_text()
